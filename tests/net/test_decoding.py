"""Compressed bodies are unpacked a block at a time, in every form that servers send, and in no other."""

from __future__ import annotations

import gzip
import zlib

import pytest

from pytest_citecheck.net import BLOCK, BodyDecoder, DecodingError
from tests.support.suites import first_fast

TEXT = b'{"a": "A title of a work"}' * 5_000


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def unpacked(encoding: str, body: bytes, size: int = 1_000) -> bytes:
    decoder = BodyDecoder(encoding)
    parts = [part for start in range(0, len(body), size) for part in decoder.feed(body[start : start + size])]
    decoder.finish()
    return b"".join(parts)


@pytest.mark.parametrize("size", [1, 7, 1_000_000])
@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT)),
        ("X-GZip", gzip.compress(TEXT)),
        ("identity, gzip", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:])),
        ("gzip", gzip.compress(TEXT) + b"\0" * 1_000),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", zlib.compress(TEXT, 0)),
        ("deflate", raw_deflate(TEXT)),
    ],
    ids=["none", "identity", "gzip", "x-gzip", "identity and gzip", "members", "padding", "zlib", "stored", "raw"],
)
def test_every_form_is_unpacked_however_it_is_cut(encoding: str, body: bytes, size: int) -> None:
    assert unpacked(encoding, body, size) == TEXT


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_no_bytes_are_an_empty_body(encoding: str) -> None:
    assert unpacked(encoding, b"") == b""


@pytest.mark.parametrize(
    "encoding", ["gzip, gzip", "gzip,deflate", "identity, gzip, gzip", "br", "zstd", "utf-8", "gzip gzip", "x" * 9_999]
)
def test_two_encodings_and_unknown_ones_are_refused(encoding: str) -> None:
    with pytest.raises(DecodingError) as caught:
        BodyDecoder(encoding)
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", b"x"),
        ("gzip", TEXT),
        ("gzip", gzip.compress(TEXT)[:-1]),
        ("gzip", gzip.compress(TEXT)[:-4] + b"\1\2\3\4"),
        ("gzip", gzip.compress(TEXT) + gzip.compress(TEXT)[:9]),
        ("gzip", gzip.compress(TEXT) + b"garbage"),
        ("gzip", gzip.compress(b"") * 1_001),
        ("deflate", b"x"),
        ("deflate", zlib.compress(TEXT)[:-1]),
        ("deflate", zlib.compress(TEXT) + b"garbage"),
        ("deflate", zlib.compress(TEXT) * 2),
        ("deflate", raw_deflate(TEXT)[:-1]),
        ("deflate", raw_deflate(TEXT) + b"garbage"),
        ("deflate", gzip.compress(TEXT)),
    ],
)
@pytest.mark.parametrize("size", [1, 1_000_000])
def test_broken_cut_and_continued_streams_are_refused(encoding: str, body: bytes, size: int) -> None:
    with pytest.raises(DecodingError):
        unpacked(encoding, body, size)


def test_as_many_members_as_allowed() -> None:
    assert unpacked("gzip", gzip.compress(b"a") * 1_000, 1_000_000) == b"a" * 1_000


@pytest.mark.parametrize("encoding", first_fast(["gzip", "deflate"]))
def test_a_bomb_comes_out_block_by_block(encoding: str) -> None:
    bomb = (gzip.compress if encoding == "gzip" else zlib.compress)(b" " * 30_000_000)
    assert len(bomb) < BLOCK
    parts = BodyDecoder(encoding).feed(bomb)
    assert [len(next(parts)) for _ in range(10)] == [BLOCK] * 10
