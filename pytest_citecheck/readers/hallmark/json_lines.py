"""Files with one JSON object a line: splits and predictions. A line that is no object costs only itself.

Sources: RFC 8259 (JSON), jsonlines.org; the pointer file of Git LFS (git-lfs, docs/spec.md, "The Pointer").
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol, TypeVar

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["LONGEST_LINE", "Bytes", "JsonLine", "Problem", "is_lfs_pointer", "json_lines", "parted"]

_Read = TypeVar("_Read")

LONGEST_LINE = 8 * 1024 * 1024
"""Bytes of the longest line that is read."""
_CHUNK = 1 << 16
_LFS = b"version https://git-lfs.github.com/spec/"
_KEY = lazy_pattern(r'"bibtex_key"\s*:\s*"((?:[^"\\]|\\.){1,200})"')
_KEY_WITHIN = 1 << 16
"""Characters of a broken line in which its key is looked for."""
_SURROGATE_ESCAPE = lazy_pattern(rb"\\u[dD][89a-fA-F]")
_SURROGATES = lazy_pattern("[\ud800-\udfff]")


class _BinaryFile(Protocol):
    def read(self, size: int, /) -> bytes: ...


Bytes = Iterable[bytes] | _BinaryFile
"""The content of a file: pieces of any length, or a file that is open for reading bytes."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a line.

    path: as the caller named the file. line: from 1. key: of the entry, empty if it is not known. An ``error`` cost the
    line, a ``warning`` did not.
    """

    path: str
    line: int
    key: str
    message: str
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        about = f"{self.key}: " if self.key else ""
        return f"{self.path}:{self.line}: {self.severity}: {about}{self.message}"


@dataclass(frozen=True, slots=True)
class JsonLine:
    """An object and the number of its line, from 1."""

    line: int
    value: dict[str, Any]


def is_lfs_pointer(head: bytes) -> bool:
    """Whether a file that begins so only says where Git LFS keeps the content."""
    return head.startswith(_LFS)


def json_lines(path: str, data: Bytes) -> Iterator[JsonLine | Problem]:
    """The object of every line that is not blank, in the order of the file, or what is wrong with the line.

    Of the content no more is held than one line of `LONGEST_LINE` bytes; a longer one is skipped. A byte order mark is passed
    over, and halves of surrogate pairs, which no file can hold, become U+FFFD. A pointer file of Git LFS is one problem.
    """
    for number, line in _lines(data):
        if line is None:
            yield Problem(path, number, "", f"the line is longer than {LONGEST_LINE:,} bytes")
            continue
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
            if is_lfs_pointer(line):
                message = "this is a Git LFS pointer file without the content: run git lfs pull"
                yield Problem(path, 1, "", message)
                return
        if not line or line.isspace():
            continue
        try:
            value = _parsed(line)
        except (ValueError, RecursionError) as error:
            yield Problem(path, number, _stated_key(line), _reason(error))
            continue
        if isinstance(value, dict):
            yield JsonLine(number, value)
        else:
            yield Problem(path, number, "", "the line is JSON but not an object")


def parted(items: Iterable[_Read | Problem]) -> tuple[tuple[_Read, ...], tuple[Problem, ...]]:
    """What was read of a file, and what was wrong with it, each in the order of the file."""
    read: list[_Read] = []
    problems: list[Problem] = []
    for item in items:
        if isinstance(item, Problem):
            problems.append(item)
        else:
            read.append(item)
    return tuple(read), tuple(problems)


def _lines(data: Bytes) -> Iterator[tuple[int, bytes | None]]:
    """Number (from 1) and bytes of every line without its end; None for one that is too long to be held."""
    chunks = data if isinstance(data, Iterable) and not hasattr(data, "read") else iter(partial(data.read, _CHUNK), b"")
    number = 1
    parts: list[bytes] = []
    held = 0
    for chunk in chunks:
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            fits = held + len(end) <= LONGEST_LINE
            yield number, (b"".join((*parts, end)) if parts else end) if fits else None
            parts, held = [], 0
            number += 1
        held += len(rest)
        if held > LONGEST_LINE:
            parts = []
        elif rest:
            parts.append(rest)
    if held:
        yield number, b"".join(parts) if held <= LONGEST_LINE else None


def _parsed(line: bytes) -> Any:
    value = json.loads(line.decode("utf-8"))
    if _SURROGATE_ESCAPE.search(line):
        return json.loads(_SURROGATES.sub("\ufffd", json.dumps(value, ensure_ascii=False)))
    return value


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"byte 0x{error.object[error.start]:02X} is not UTF-8"
    if isinstance(error, json.JSONDecodeError):
        return f"the line is not JSON: {error.msg} (column {error.pos + 1})"
    return "the line cannot be read as JSON: " + (
        "nested too deep" if isinstance(error, RecursionError) else str(error)
    )


def _stated_key(line: bytes) -> str:
    """The key that stands in a broken line, as it is written there."""
    stated = _KEY.search(line[:_KEY_WITHIN].decode("utf-8", "replace"))
    return stated[1] if stated else ""
