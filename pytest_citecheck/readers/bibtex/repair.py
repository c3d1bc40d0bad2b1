"""Where a damaged BibTeX value most probably ends, and how its braces are made to balance again."""

from __future__ import annotations

import re

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = [
    "FIELD_NAME",
    "PROSE_FIELDS",
    "WELL_KNOWN",
    "balance",
    "brace_partners",
    "closing_brace",
    "field_break",
    "overhang_end",
    "recovered_end",
    "without_closer",
]

FIELD_NAME = r"[^\s\"#%'(),={}\d@][^\s\"#%'(),={}]{0,60}"
"""A name as BibTeX's grammar allows it, within reason of length."""

WELL_KNOWN = (
    "author|title|subtitle|journal|journaltitle|booktitle|year|date|volume|number|pages|publisher|editor|doi|url|month"
    "|abstract|series|address|location|eprint|archiveprefix|primaryclass|eprinttype|isbn|issn|note|keywords"
    "|institution|school|organization|chapter|edition|howpublished|urldate|crossref"
)
PROSE_FIELDS = frozenset(("abstract", "annotation", "annote", "comment", "note", "review", "file", "keywords"))
"""Fields whose text may hold nearly anything, also something that looks like a field."""

_FIELD_BREAK = lazy_pattern(
    rf",\s{{0,200}}+(?={FIELD_NAME}\s{{0,20}}=\s{{0,20}}[{{\"])"
    rf"|,[ \t]{{0,80}}+\n\s{{0,200}}+(?={FIELD_NAME}\s{{0,20}}=\s{{0,20}}\w)"
    rf"|,?[ \t]{{0,80}}+\n[ \t]{{0,200}}+(?=(?:{WELL_KNOWN})\s{{0,20}}=)",
    re.IGNORECASE,
)
"""Blanks are counted and never given back, so that a long run of them costs no more than its length."""
_CLOSING_LINE = lazy_pattern(r"\n[ \t]{0,80}+([})])[ \t]{0,80}+(?=\n|$)")
_CUT_ACCENT = lazy_pattern(r"(\{\\(?:['`\"^~=.][ \t]?|[Hckuvrbdt][ \t])\{?\\?[A-Za-z])(?![A-Za-z{}])")
_COMMAND_END = lazy_pattern(r"\\[A-Za-z]+$")
_BRACE = lazy_pattern(r"[{}]")


def closing_brace(text: str, opening: int, limit: int) -> int:
    """The offset of the brace that closes the one at ``opening``; -1 if there is none before ``limit``.

    A backslash does not hide a brace, as in BibTeX.
    """
    depth = 1
    position = opening + 1
    while (close := text.find("}", position, limit)) >= 0:
        depth += text.count("{", position, close) - 1
        if not depth:
            return close
        position = close + 1
    return -1


def brace_partners(text: str, position: int, limit: int) -> dict[int, int]:
    """The offsets of all braces opened from ``position`` on, each with that of the one that closes it before ``limit``."""
    opened: list[int] = []
    partners: dict[int, int] = {}
    for match in _BRACE.finditer(text, position, limit):
        if match[0] == "{":
            opened.append(match.start())
        elif opened:
            partners[opened.pop()] = match.start()
    return partners


def field_break(text: str, position: int, limit: int) -> re.Match[str] | None:
    """The first place that separates a value from the next field: ``, name = {`` or a well-known name on a new line."""
    return _FIELD_BREAK.search(text, position, limit)


def recovered_end(text: str, position: int, limit: int) -> tuple[int, int] | None:
    """Where a value without an end may be cut: the offsets of the end of its text and of where reading goes on.

    That is before the next field, before a closing delimiter on a line of its own, or before one that ends the block;
    None if the text just breaks off.
    """
    separator = field_break(text, position, limit)
    closing = _CLOSING_LINE.search(text, position, limit)
    if separator is not None and (closing is None or separator.start() < closing.start()):
        return separator.start(), separator.start()
    if closing is not None:
        return closing.start(), closing.start(1)
    end = len(text[position:limit].rstrip()) + position
    if end > position and text[end - 1] in "})":
        return end - 1, end - 1
    return None


def overhang_end(text: str, position: int, limit: int, closer: str) -> int | None:
    """The brace that ends a value which an inner, surplus brace seemed to end before ``position``; None if none does.

    ``closer`` ends the entry; if that is a brace too, one must be left for it.
    """
    separator = field_break(text, position, limit)
    stop = separator.start() if separator else limit
    surplus = []
    found = position - 1
    while (found := closing_brace(text, found, stop)) >= 0:
        surplus.append(found)
    if not surplus:
        return None
    if separator is not None:
        return surplus[-1] if not text[surplus[-1] + 1 : stop].strip(" \t\n,") else None
    if closer == "}":
        surplus.pop()
    return surplus[-1] if surplus else None


def without_closer(content: str) -> str:
    r"""Balance the text of a value that lacks one closing brace, and so may end with a brace that is not its own.

    In ``{A {Title}`` the inner group is whole; in ``{Herv{\'e and Li}`` an accent was cut off, and the last brace is the
    one that closed the value.
    """
    if content.endswith("}"):
        repaired = _CUT_ACCENT.sub(r"\1}", content[:-1])
        if repaired != content[:-1] and not _unmatched(repaired):
            return repaired
        if _unmatched(content):
            return balance(content[:-1])
    return balance(content)


def balance(value: str) -> str:
    r"""Close accents that were cut off (``Herv{\'e and``), then drop the braces that have no partner.

    A value whose braces balance comes back unchanged.
    """
    if not _unmatched(value):
        return value
    value = _CUT_ACCENT.sub(r"\1}", value)
    lost = _unmatched(value)
    if not lost:
        return value
    pieces = []
    position = 0
    for offset in lost:
        piece = value[position:offset]
        pieces.append(piece + " " if _COMMAND_END.search(piece, max(0, len(piece) - 40)) else piece)
        position = offset + 1
    return "".join(pieces) + value[position:]


def _unmatched(value: str) -> list[int]:
    opened: list[int] = []
    unopened: list[int] = []
    for match in _BRACE.finditer(value):
        if match[0] == "{":
            opened.append(match.start())
        elif opened:
            opened.pop()
        else:
            unopened.append(match.start())
    return sorted(unopened + opened)
