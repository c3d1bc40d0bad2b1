"""Fields that stand outside of any block, because the head of their entry is damaged."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import pairwise
from typing import NamedTuple

from pytest_citecheck.readers.bibtex.repair import WELL_KNOWN
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["Headless", "find_headless"]

_FIELD_LINE = lazy_pattern(rf"^[ \t]*(?:{WELL_KNOWN})[ \t]*=[ \t]*[{{\"\w]", re.IGNORECASE | re.MULTILINE)
_HEAD_LINE = lazy_pattern(r"^[ \t]*(@[^\n]*)$", re.MULTILINE)
_HEAD = lazy_pattern(
    r"@\W*(?P<type>article|inproceedings|incollection|inbook|proceedings|collection|conference|booklet|book|misc|online"
    r"|phdthesis|mastersthesis|thesis|techreport|report|manual|unpublished|dataset|software)?[\W_]*(?P<key>[^\s,{}()]*)",
    re.IGNORECASE,
)


class Headless(NamedTuple):
    """Stray fields: from ``start`` to ``end``; ``head`` is the line with an ``@`` before them, empty if there is none."""

    start: int
    end: int
    head: str
    type: str = ""
    key: str = ""


def find_headless(text: str, begin: int, end: int) -> list[Headless]:
    """The entries without a readable head in the text between two blocks.

    A line that begins with ``@`` and is followed by well-known fields was meant as an entry. Fields without such a line
    may have been disabled on purpose by taking the ``@`` away.
    """
    if text.find("=", begin, end) < 0:
        return []
    fields = [match.start() for match in _FIELD_LINE.finditer(text, begin, end)]
    if not fields:
        return []
    heads = [match.start(1) for match in _HEAD_LINE.finditer(text, begin, end)]
    edges = [*heads, end]
    found = []
    if bisect_left(fields, edges[0]) > 1:
        found.append(Headless(fields[0], _content_end(text, fields[0], edges[0]), ""))
    for start, stop in pairwise(edges):
        if bisect_left(fields, start) < bisect_left(fields, stop):
            stop = _content_end(text, start, stop)
            line = text[start:stop].partition("\n")[0]
            head = _HEAD.match(line)
            type_ = (head["type"] or "") if head else ""
            key = re.split(r"[{(]", line)[-1].partition(",")[0].strip() if re.search(r"[{(]", line) else ""
            key = key or (head["key"] if head else "")
            found.append(Headless(start, stop, line.strip(), type_.lower(), key))
    return found


def _content_end(text: str, start: int, stop: int) -> int:
    return start + len(text[start:stop].rstrip())
