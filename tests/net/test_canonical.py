"""One key for one request, however it is written."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.net import relocate, request_key, without_identity


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("HTTPS://API.Crossref.ORG:443/works", "https://api.crossref.org/works"),
        ("http://h:8080", "http://h:8080/"),
        ("http://[::1]:80/x", "http://[::1]/x"),
        ("https://user:secret@h/x#part", "https://h/x"),
        ("https://h/works/10.1000%2Fabc%3C1%3E", "https://h/works/10.1000/abc%3C1%3E"),
        ("https://h/works/10.1000/abc<1>", "https://h/works/10.1000/abc%3C1%3E"),
        ("https://h/a b+c", "https://h/a%20b%2Bc"),
        ("https://h/%c3%a9", "https://h/%C3%A9"),
        ("https://h/é", "https://h/%C3%A9"),
        ("https://h/%ff", "https://h/%FF"),
        ("https://h/?b=2&a=1&b=1", "https://h/?a=1&b=1&b=2"),
        ("https://h/?q=a+b%20c", "https://h/?q=a%20b%20c"),
        ("https://h/?q=1%2B1", "https://h/?q=1%2B1"),
        ("https://h/?flag&&x=", "https://h/?flag=&x="),
        ("https://h/?MailTo=a@b.org&tool=t&api_key=k&key=1&q=x", "https://h/?q=x"),
        ("https://h/?mail%74o=a@b.org&q=x", "https://h/?q=x"),
        ("https://h/?email=a@b.org", "https://h/"),
    ],
)
def test_key(url: str, key: str) -> None:
    assert request_key(url) == key
    assert request_key(key) == key


def test_different_questions_keep_different_keys() -> None:
    urls = ["https://h/?q=a%26b=c", "https://h/?q=a&b=c", "https://h/?q=a%3Db%3Dc", "https://h/?q=a%2526b%3Dc"]
    assert len({request_key(url) for url in urls}) == 4


def test_unreadable_port_is_an_error() -> None:
    with pytest.raises(ValueError, match="Port"):
        request_key("https://h:port/")


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_escaping_gives_one_key(path: str, value: str) -> None:
    def encodable(text: str) -> str:
        return text.encode("utf-8", "ignore").decode()

    path, value = encodable(path), encodable(value)
    url = f"https://h/{quote(path, safe='')}?q={quote(value, safe='')}"
    everything = f"https://h/{''.join(f'%{byte:02x}' for byte in path.encode())}?q={quote(value)}"
    assert request_key(url) == request_key(everything) == request_key(request_key(url))


@given(st.permutations(["a=1", "b=%C3%A9", "c", "a=2", "mailto=x%40y.org"]))
def test_order_of_the_query_does_not_matter(pairs: list[str]) -> None:
    assert request_key("https://h/?" + "&".join(pairs)) == "https://h/?a=1&a=2&b=%C3%A9&c="


def test_identity_is_taken_out_and_the_rest_stays_as_written() -> None:
    url = "https://u:p@h:8080/a%2fb?q=x+y&mailto=a@b.org&rows=5&api%5Fkey=1#f"
    assert without_identity(url) == "https://h:8080/a%2fb?q=x+y&rows=5"


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://api.x.org/works/1", "http://127.0.0.1:99/x/works/1"),
        ("https://api.x.org?q=1", "http://127.0.0.1:99/x?q=1"),
        ("https://api.x.org", "http://127.0.0.1:99/x"),
        ("https://api.x.org.evil.example/works/1", "https://api.x.org.evil.example/works/1"),
        ("https://elsewhere.org/", "https://elsewhere.org/"),
    ],
)
def test_mirror_replaces_the_base_only(url: str, sent: str) -> None:
    assert relocate(url, "https://api.x.org", "http://127.0.0.1:99/x/") == sent
