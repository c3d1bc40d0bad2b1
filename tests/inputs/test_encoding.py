"""From bytes to text: marks, UTF-8, UTF-16, and the single bytes of Windows-1252."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.inputs import decode_bytes

TEXT = "@misc{a, author = {Jörg Müller}, title = {Ключ — 中文}}\n"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"),
        codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"),
    ],
    ids=["utf-8", "utf-8 marked", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"],
)
def test_unicode_is_read_without_a_note(data: bytes) -> None:
    assert decode_bytes(data) == (TEXT, ())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_guessed_from_its_nul_bytes(encoding: str) -> None:
    text = "@misc{a, title = {Jörg}}\n"
    decoded, notes = decode_bytes(text.encode(encoding))
    assert decoded == text
    assert [(note.code, note.note) for note in notes] == [("encoding-guessed", True)]
    assert encoding.upper() in notes[0].message


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
def test_latin_1_is_read_and_its_first_byte_named(line_end: bytes) -> None:
    decoded, (note,) = decode_bytes(line_end.join([b"one", b"J\xf6rg \x96", b"\xe9"]))
    assert decoded == line_end.decode().join(["one", "Jörg –", "é"])
    assert (note.code, note.line, note.note) == ("encoding-guessed", 2, True)
    assert "0xF6" in note.message


def test_bytes_that_windows_1252_lacks_are_read_as_controls() -> None:
    decoded, notes = decode_bytes(b"a\x81\x8d\x8f\x90\x9db")
    assert decoded == "a\x81\x8d\x8f\x90\x9db"
    assert len(notes) == 1


def test_one_stray_byte_does_not_spoil_the_rest_of_a_utf_8_file() -> None:
    decoded, (note,) = decode_bytes("Müller\n".encode() + b"J\xf6rg\n" + "Čech\n".encode())
    assert decoded == "Müller\nJörg\nČech\n"
    assert note.line == 2


def test_a_broken_file_with_a_mark_is_read_with_a_note() -> None:
    decoded, (note,) = decode_bytes(codecs.BOM_UTF16_LE + "ab\n".encode("utf-16-le") + b"\x00\xd8c")
    assert decoded.startswith("ab\n")
    assert note.line == 2


def test_nul_bytes_alone_do_not_make_utf_16() -> None:
    assert decode_bytes(b"a\0b\0 some more text here..")[0] == "a\0b\0 some more text here.."


@given(st.binary(max_size=80))
def test_any_bytes_are_read(data: bytes) -> None:
    text, notes = decode_bytes(data)
    assert notes or text.encode() in (data, data[3:]) or data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
