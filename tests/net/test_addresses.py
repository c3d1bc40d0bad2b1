"""Private addresses in any notation."""

from __future__ import annotations

import pytest

from pytest_citecheck.net import connected_host, is_local_name, is_private, literal_address, reach

PRIVATE = {
    "127.0.0.1": "loopback",
    "10.1.2.3": "private",
    "100.64.0.1": "private",
    "169.254.169.254": "link-local",
    "172.16.0.1": "private",
    "192.0.2.1": "private",
    "192.168.0.1": "private",
    "198.18.0.1": "private",
    "224.0.0.1": "private",
    "240.0.0.1": "private",
    "255.255.255.255": "private",
    "0.0.0.0": "private",  # noqa: S104
    "::": "private",
    "::1": "loopback",
    "[::1]": "loopback",
    "fe80::1": "link-local",
    "fe80::1%eth0": "link-local",
    "fd00::1": "private",
    "fec0::1": "private",
    "ff02::1": "private",
    "2001:db8::1": "private",
    "::ffff:127.0.0.1": "loopback",
    "::ffff:10.0.0.1": "private",
    "::ffff:a9fe:a9fe": "link-local",
    "::127.0.0.1": "private",
    "::8.8.8.8": "private",
    "2002:7f00:1::": "loopback",
    "2002:a00:1::1": "private",
    "2002:a9fe:a9fe::": "link-local",
    "64:ff9b::7f00:1": "loopback",
    "64:ff9b::192.168.0.1": "private",
    "64:ff9b:1::8.8.8.8": "private",
    "2001:0:808:808:8000:63bf:f7f7:f7f7": "private",
    "no address": "private",
}
PUBLIC = ["8.8.8.8", "104.26.8.237", "2606:4700::1", "::ffff:8.8.8.8", "2002:808:808::1", "64:ff9b::8.8.8.8"]
SPELLINGS_OF_LOOPBACK = [
    "2130706433",
    "0x7f000001",
    "017700000001",
    "0x7f.1",
    "0177.0.0.1",
    "0177.0x0.0.01",
    "127.1",
    "127.0.1",
    "127.0.0.1.",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_of_a_kind(address: str) -> None:
    assert is_private(address)
    assert reach(address) == PRIVATE[address]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_public(address: str) -> None:
    assert not is_private(address)
    assert reach(address) == "public"


@pytest.mark.parametrize("host", SPELLINGS_OF_LOOPBACK)
def test_every_spelling_of_an_address_is_read_as_the_resolver_reads_it(host: str) -> None:
    assert str(literal_address(host)) == "127.0.0.1"
    assert reach(host) == "loopback"


@pytest.mark.parametrize(
    "host", ["example.org", "1.example", "127.0.0.0.1", "256.1.1.1", "0x7g.1", "1..1", "", "4294967296"]
)
def test_what_is_no_address(host: str) -> None:
    assert literal_address(host) is None


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost", True),
        ("localhost.", True),
        ("LocalHost", True),
        ("x.y.localhost", True),
        ("x.localhost.", True),
        ("localhost.example.org", False),
        ("notlocalhost", False),
    ],
)
def test_names_of_this_machine(host: str, local: bool) -> None:
    assert is_local_name(host) is local


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://Example.ORG/x", "example.org"),
        ("http://bücher.example/", "xn--bcher-kva.example"),
        ("http://127。0。0。1/", "127.0.0.1"),
        ("http://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1"),
        ("http://example.org@127.0.0.1/", "127.0.0.1"),
        ("http://127.0.0.1:80@example.org/", "example.org"),
    ],
)
def test_the_host_is_that_of_the_connection(url: str, host: str) -> None:
    assert connected_host(url) == host


@pytest.mark.parametrize(
    "url", ["http://１２７.0.0.1/", "http://exa\xadmple.org/", "http://①.0.0.1/", "http:///x", "http://[::1"]
)
def test_a_host_that_cannot_be_read_is_none(url: str) -> None:
    with pytest.raises(ValueError, match="no host can be read"):
        connected_host(url)
