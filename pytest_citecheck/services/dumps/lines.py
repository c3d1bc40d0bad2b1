"""A stream of bytes, line by line, in bounded memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.services.dumps.base import LONGEST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.services.dumps.base import Context, Problem

__all__ = ["lines", "overlong"]


def lines(chunks: Iterator[bytes], context: Context) -> Iterator[tuple[int, int, bytes]]:
    """Number (1-based), offset and bytes of every line that is not blank, without the line end.

    A line of more than `LONGEST` bytes is a problem and left out; it is never held whole.
    """
    number, offset = 1, 0
    parts: list[bytes] = []
    held = 0
    too_long = False
    for chunk in chunks:
        *whole, rest = chunk.split(b"\n")
        for end in whole:
            length = held + len(end)
            if too_long or length > LONGEST:
                context.pending.append(overlong(context, offset, number, length))
            else:
                line = b"".join((*parts, end)) if parts else end
                if line and not line.isspace():
                    yield number, offset, line
            parts, held, too_long = [], 0, False
            number += 1
            offset += length + 1
        held += len(rest)
        too_long = too_long or held > LONGEST
        if too_long:
            parts = []
        elif rest:
            parts.append(rest)
    if too_long:
        context.pending.append(overlong(context, offset, number, held))
    elif parts and (line := b"".join(parts)).strip():
        yield number, offset, line


def overlong(context: Context, offset: int, number: int, length: int) -> Problem:
    """What to say of a line that is longer than those that are read."""
    reason = f"the line has {length:,} bytes, more than the {LONGEST:,} that are read"
    return context.problem(offset, reason, line=number)
