"""Redirects stay with the service and out of private networks."""

from __future__ import annotations

import pytest

from pytest_citecheck.net import RedirectError, redirect_target, refuse_private, same_service


@pytest.mark.parametrize(
    ("host", "other", "same"),
    [
        ("doi.org", "www.doi.org", True),
        ("dx.doi.org", "DOI.org", True),
        ("api.crossref.org", "api.crossref.org", True),
        ("a.ox.ac.uk", "b.ox.ac.uk", True),
        ("ox.ac.uk", "cam.ac.uk", False),
        ("doi.org", "doi.org.evil.example", False),
        ("api.crossref.org", "crossref.com", False),
        ("evildoi.org", "doi.org", False),
        ("127.0.0.1", "127.0.0.1", True),
        ("10.0.0.1", "11.0.0.1", False),
        ("localhost", "otherhost", False),
    ],
)
def test_same_service(host: str, other: str, same: bool) -> None:
    assert same_service(host, other) is same


@pytest.mark.parametrize(
    ("url", "location", "target"),
    [
        ("http://doi.org/x?y", "https://www.doi.org/z", "https://www.doi.org/z"),
        ("https://h.org/a/b", "c", "https://h.org/a/c"),
        ("https://h.org/a/b", "?q=1", "https://h.org/a/b?q=1"),
        ("http://127.0.0.1:81/a", "/b", "http://127.0.0.1:81/b"),
        ("http://h.org:8080/", "https://h.org/", "https://h.org/"),
    ],
)
def test_followed(url: str, location: str, target: str) -> None:
    assert redirect_target(url, location) == target


@pytest.mark.parametrize(
    ("url", "location", "reason"),
    [
        ("https://h.org/", "http://h.org/", "from https to http"),
        ("https://h.org/", "https://other.com/", "another service"),
        ("https://h.org/", "http://169.254.169.254/latest", "https to http"),
        ("http://h.org/", "http://127.0.0.1/", "another service"),
        ("http://127.0.0.1:81/", "http://127.0.0.1:22/", "port 22"),
        ("https://h.org/", "file:///etc/passwd", "file address"),
        ("https://h.org/", "data:text/html,x", "data address"),
        ("https://h.org/", "https://h.org:port/", "unreadable"),
        ("https://h.org/", "https://[::1", "unreadable"),
    ],
)
def test_refused(url: str, location: str, reason: str) -> None:
    with pytest.raises(RedirectError, match=reason):
        redirect_target(url, location)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "::1", "fe80::1%eth0", "::ffff:10.0.0.1", "x"],
)
def test_public_host_must_not_lead_to_a_private_address(address: str) -> None:
    with pytest.raises(RedirectError, match="private"):
        refuse_private("doi.org", ("104.26.8.237",), "internal.doi.org", ("104.26.8.237", address))


@pytest.mark.parametrize(
    ("own", "other", "followed"),
    [
        ("127.0.0.1", "127.0.0.2", True),
        ("10.0.0.1", "192.168.0.1", True),
        ("127.0.0.1", "10.0.0.1", False),
        ("127.0.0.1", "169.254.169.254", False),
        ("10.0.0.1", "169.254.169.254", False),
        ("10.0.0.1", "127.0.0.1", False),
        ("10.0.0.1", "104.26.9.237", True),
    ],
)
def test_a_private_host_may_lead_to_its_own_kind(own: str, other: str, followed: bool) -> None:
    if followed:
        refuse_private("mirror", (own,), "other", (other,))
    else:
        with pytest.raises(RedirectError, match="private"):
            refuse_private("mirror", (own,), "other", (other,))


def test_public_addresses_are_fine() -> None:
    refuse_private("doi.org", ("104.26.8.237",), "www.doi.org", ("2606:4700:20::681a:8ed", "104.26.9.237"))
