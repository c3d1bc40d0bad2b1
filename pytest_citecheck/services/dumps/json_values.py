"""A stream of JSON (RFC 8259), object by object, whether it goes by lines or is one document.

A broken object costs itself: reading goes on at the next that looks like a record of the format.
"""

from __future__ import annotations

import codecs
import json
from typing import TYPE_CHECKING, Any

from pytest_citecheck.services.dumps.base import Problem
from pytest_citecheck.services.dumps.json_broken import reason, record_id, records_in, undecodable
from pytest_citecheck.services.dumps.json_document import Document, is_page
from pytest_citecheck.services.dumps.lines import lines
from pytest_citecheck.services.dumps.streams import peek

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_citecheck.services.dumps.base import Context

__all__ = ["objects"]

_SNIFFED = 1 << 16


def objects(
    chunks: Iterator[bytes], context: Context, is_record: Callable[[dict[str, Any]], bool]
) -> Iterator[tuple[int, int | None, dict[str, Any]] | Problem]:
    """Offset, line (None where the file does not go by lines) and value of every object for which ``is_record`` holds."""
    head, chunks = peek(chunks, _SNIFFED)
    if _goes_by_lines(head):
        return _by_lines(chunks, context, is_record)
    return Document(chunks, context, is_record).objects()


def _goes_by_lines(head: bytes) -> bool:
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()[:_SNIFFED]
    first = start.partition(b"\n")[0].strip()
    if first == b"{" or first.startswith(b"["):
        return False
    return not is_page(first.decode("utf-8", "replace"))


def _by_lines(
    chunks: Iterator[bytes], context: Context, is_record: Callable[[dict[str, Any]], bool]
) -> Iterator[tuple[int, int | None, dict[str, Any]] | Problem]:
    for number, offset, line in lines(chunks, context):
        try:
            value = json.loads((line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).decode("utf-8"))
        except (ValueError, RecursionError) as error:
            written = line.decode("utf-8", "surrogateescape")
            yield context.problem(offset, reason(error), line=number, record=record_id(written))
            # A record without its end may be followed by another one on the same line.
            for start, end, saved in records_in(written, 0, is_record):
                if not undecodable(written, start, end):
                    yield offset, number, saved
            continue
        if isinstance(value, dict) and is_record(value):
            yield offset, number, value
        else:
            yield context.problem(offset, "the line is not a record", line=number)
