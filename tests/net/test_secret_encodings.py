"""A secret is found however it is spelt, and nothing else is taken for one."""

from __future__ import annotations

import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.net import SecretEncodings, UnsearchableError
from pytest_citecheck.net import secrets as secret_encodings

SECRET = 's3cr3t+99/k"ey\\ @x'


def replaced(body: str | bytes, *secrets: str) -> str:
    body = body.encode() if isinstance(body, str) else body
    return SecretEncodings(secrets or (SECRET,)).replaced(body, b"*").decode()


@pytest.mark.parametrize(
    "spelt",
    [
        SECRET,
        SECRET.upper(),
        quote(SECRET, safe=""),
        quote(SECRET, safe="").lower(),
        quote_plus(SECRET),
        quote(quote(SECRET, safe=""), safe=""),
        "".join(f"%{ord(character):02x}" for character in SECRET),
        json.dumps(SECRET)[1:-1],
        json.dumps(SECRET)[1:-1].replace("/", "\\/"),
        json.dumps(json.dumps(SECRET)[1:-1])[1:-1],
        "".join(f"\\u{ord(character):04x}" for character in SECRET),
        "".join(f"\\u{ord(character):04X}" for character in SECRET),
        "".join(f"\\x{ord(character):02x}" for character in SECRET),
        html.escape(SECRET),
        "".join(f"&#{ord(character)};" for character in SECRET),
        "".join(f"&#x{ord(character):X};" for character in SECRET),
        "".join(f"&#00{ord(character)};" for character in SECRET),
        SECRET.replace("@", "&commat;").replace("/", "&sol;").replace("+", "&plus;"),
        html.escape(html.escape(SECRET)),
        json.dumps(html.escape(SECRET))[1:-1].replace("&", "\\u0026"),
        quote(json.dumps(SECRET)[1:-1], safe=""),
        SECRET.encode().hex(),
        SECRET.encode().hex().upper(),
        SECRET.upper().encode().hex(),
        SECRET.encode().hex(":"),
        SECRET.encode().hex(" ", -2).upper(),
        SECRET.encode().hex("-"),
        SECRET.encode().hex("\n", 8),
        json.dumps(SECRET.encode().hex("\n", 8))[1:-1],
        SECRET.encode().hex(":").replace(":", ", 0x"),
        SECRET.encode().hex(":").replace(":", '", "'),
        json.dumps(SECRET.encode().hex(":").replace(":", "\\x"))[1:-1],
        '\\u0073%33c&#114;3t%2B99\\/k\\"ey%5c%20&#64;x',
    ],
)
def test_every_spelling_is_found(spelt: str) -> None:
    assert replaced(f"before {spelt} after") == "before * after"


@pytest.mark.parametrize("before", ["", "u", "us", "user", "user:"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_base64_is_found_wherever_it_begins(before: str, encode: object) -> None:
    encoded = encode(f"{before}~~key??0123456789>>tail".encode())  # type: ignore[operator]
    for text in (encoded.decode(), quote(encoded.decode(), safe=""), json.dumps(encoded.decode()).replace("/", "\\/")):
        assert "*" in replaced(text, "~~key??0123456789>>")


def test_umlauts_are_found_too() -> None:
    for spelt in ("pässwörd", quote("pässwörd"), json.dumps("pässwörd")[1:-1], "p&auml;ssw&ouml;rd"):
        assert replaced(f"<{spelt}>", "pässwörd") == "<*>"


def test_neighbours_stay_as_they_are() -> None:
    text = '{"a%41": "&amp;\\u00e9 %zz &nosuch; \\\\", "b": "s3cr3t"}'
    assert replaced(text) == text
    assert replaced(f"{text}{SECRET}{text}{SECRET}") == f"{text}*{text}*"


def test_several_secrets_and_overlapping_ones() -> None:
    assert replaced("abcdefgh cdefghij abcdefghij", "abcdefgh", "cdefghij") == "* * *"


@given(
    st.lists(st.sampled_from(["%", "\\", "&", "&#", ";", "u00", "x", "4", "a", "6f", "amp", '"', "é", "top-secret"])),
    st.integers(0, 20),
)
def test_whatever_stands_around_it(parts: list[str], place: int) -> None:
    parts.insert(place % (len(parts) + 1), " top-secret ")
    text = replaced("".join(parts), "top-secret")
    assert "top-secret" not in text
    assert text.count("*") == "".join(parts).count("top-secret")


def test_too_many_escapes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secret_encodings, "_MOST_ESCAPES", 100)
    assert replaced("%41" * 100) == "%41" * 100
    with pytest.raises(UnsearchableError, match="more than 100 escapes"):
        replaced("%41" * 101)


def test_without_secrets_nothing_is_looked_at() -> None:
    assert SecretEncodings(()).replaced(b"%41" * 1_000_000, b"*") == b"%41" * 1_000_000
