"""Reading one BibTeX value: braced, quoted or bare, joined with ``#``, whole or damaged."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pytest_citecheck.readers.bibtex.repair import (
    FIELD_NAME,
    PROSE_FIELDS,
    WELL_KNOWN,
    balance,
    brace_partners,
    closing_brace,
    field_break,
    recovered_end,
    without_closer,
)
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from pytest_citecheck.readers.bibtex.starts import Source

__all__ = ["OffsetDefect", "Part", "Value", "read_value"]

_BLANK = lazy_pattern(r"\s*")
_BARE = lazy_pattern(r"[^\s,#{}\"=()%“”„‘’']+")
_FOLLOW = lazy_pattern(rf"\s*(?:[#}})]|,\s*(?:[}})%,]|{FIELD_NAME}\s*[={{\"]|$)|{FIELD_NAME}\s*=|$)")
"""What may stand after a value: a concatenation, the end of the entry, another field."""
_BARE_FOLLOW = lazy_pattern(rf"\s*(?:[#}}),%]|{FIELD_NAME}\s*=|$)")
_UNQUOTED = lazy_pattern(
    r"[^\n]*?(?=[ \t]{0,80}+(?:(?:,[ \t]{0,80}+)?(?:\n|$)"
    rf"|,\s{{0,80}}+{FIELD_NAME}\s{{0,20}}+=|[}})][ \t]{{0,80}}+(?:\n|$)))"
)
_QUOTE_OR_BRACE = lazy_pattern(r'["{]')
_OPEN_FIELD = lazy_pattern(rf"[,\n]\s{{0,200}}{FIELD_NAME}\s{{0,20}}=\s{{0,20}}$")
_LONGEST_BREAK = 400
"""Characters that `field_break` needs to see at most, with all blanks that it allows."""
_WELL_KNOWN_FIELD = lazy_pattern(rf"(?:{WELL_KNOWN})\s*=", re.IGNORECASE)


class Part(NamedTuple):
    """A piece of a value: literal text, or the name of a macro."""

    text: str
    macro: bool = False


class OffsetDefect(NamedTuple):
    """A defect with the offset of its place instead of its line."""

    code: str
    message: str
    at: int


@dataclass(slots=True)
class Value:
    """A value as read: its parts, the offset after it, what was wrong; ``cut`` if the text breaks off inside it."""

    parts: list[Part]
    end: int
    problems: list[OffsetDefect] = field(default_factory=list)
    cut: bool = False


def read_value(source: Source, at: int, limit: int, name: str) -> Value:
    """Read the value that begins at or after ``at``; ``name`` is the field's, for the rules on prose and the messages.

    The end may lie beyond ``limit`` if the value holds a whole entry as text.
    """
    value = Value([], at)
    while True:
        position = _skip_blank(source.text, value.end, limit)
        _read_part(source, position, limit, name, value)
        following = _skip_blank(source.text, value.end, max(limit, value.end))
        if value.cut or source.text[following : following + 1] != "#" or following >= max(limit, value.end):
            return value
        value.end = following + 1
        if value.end > limit:
            limit = source.limit(value.end - 1)


def _skip_blank(text: str, position: int, limit: int) -> int:
    match = _BLANK.match(text, position, limit)
    return match.end() if match else position


def _read_part(source: Source, at: int, limit: int, name: str, value: Value) -> None:
    opening = source.text[at] if at < limit else ""
    if opening == "{":
        _read_braced(source, at, limit, name, value)
    elif opening == '"':
        _read_quoted(source, at, limit, name, value)
    else:
        _read_bare(source.text, at, limit, name, value)


def _read_braced(source: Source, at: int, limit: int, name: str, value: Value) -> None:
    text = source.text
    close = closing_brace(text, at, limit)
    if close < 0 and (further := source.crossable(limit)) > limit:
        beyond = closing_brace(text, at, further)
        if (
            beyond >= 0
            and _skip_blank(text, beyond + 1, further) < further
            and _FOLLOW.match(text, beyond + 1, further)
        ):
            close, limit = beyond, further
    if close < 0:
        _recover(text, at, limit, name, value)
    elif not _swallows_field(text, at, close, limit, name):
        value.parts.append(Part(text[at + 1 : close]))
        value.end = close + 1
    else:
        _recover(text, at, close, name, value)


def _swallows_field(text: str, at: int, close: int, limit: int, name: str) -> bool:
    """Whether a value that is closed holds fields of the entry, because its own closing delimiter is missing."""
    if text.find("=", at, close) < 0:
        return False
    separator = field_break(text, at + 1, close)
    if separator is None:
        return False
    if _skip_blank(text, close + 1, limit) >= limit:
        return True  # the value took the closing delimiter of the entry
    if _WELL_KNOWN_FIELD.match(text, separator.end()) is None:
        return False
    return not _FOLLOW.match(text, close + 1, limit) or ("\n" in separator[0] and name not in PROSE_FIELDS)


def _read_quoted(source: Source, at: int, limit: int, name: str, value: Value) -> None:
    text = source.text
    position = at + 1
    inner_quote = -1
    partners: dict[int, int] | None = None
    while mark := _QUOTE_OR_BRACE.search(text, position, limit):
        position = mark.end()
        if mark[0] == "{":
            if partners is None:
                close = closing_brace(text, mark.start(), limit)
                if close < 0:  # so may be all that follow, and each would be sought up to the limit
                    partners = brace_partners(text, position, limit)
            else:
                close = partners.get(mark.start(), -1)
            position = close + 1 if close >= 0 else position
        elif _FOLLOW.match(text, position, limit):
            break
        elif _OPEN_FIELD.search(text, max(at, mark.start() - 300), mark.start()):
            _recover(text, at, mark.start(), name, value)
            return
        elif inner_quote < 0:
            inner_quote = mark.start()
    if mark is None or _swallows_field(text, at, mark.start(), limit, name):
        _recover(text, at, limit, name, value)
        return
    if inner_quote >= 0:
        message = f'quotation mark inside the quoted value of `{name}`: write it as {{"}}'
        value.problems.append(OffsetDefect("quote-in-value", message, inner_quote))
    content = text[at + 1 : mark.start()]
    balanced = balance(content)
    if balanced != content:
        value.problems.append(OffsetDefect("unbalanced-braces", f"unbalanced braces in the field `{name}`", at))
    value.parts.append(Part(balanced))
    value.end = mark.end()


def _recover(text: str, at: int, limit: int, name: str, value: Value) -> None:
    """Cut a value whose closing delimiter is missing."""
    found = recovered_end(text, at + 1, limit)
    if found is None and (field_start := _OPEN_FIELD.search(text, max(at + 1, limit - 300), limit)):
        found = field_start.start(), field_start.start()
    if found is None:
        value.parts.append(Part(balance(text[at + 1 : limit].rstrip())))
        value.problems.append(OffsetDefect("unclosed-value", f"the file or entry ends inside the field `{name}`", at))
        value.end = limit
        value.cut = True
        return
    end, value.end = found
    content = text[at + 1 : end].rstrip().rstrip(",")
    balanced = without_closer(content)
    if balanced.endswith('"') and balanced.count('"') % 2:
        balanced = balanced[:-1]  # the value was closed with the other kind of delimiter
    value.parts.append(Part(balanced))
    if "}" in content:
        problem = OffsetDefect("unbalanced-braces", f"missing closing brace in the field `{name}`", at)
    else:
        closing = "quotation mark" if text[at] == '"' else "brace"
        problem = OffsetDefect("unclosed-value", f"missing closing {closing} after the value of `{name}`", at)
    value.problems.append(problem)


def _unopened_end(text: str, at: int, limit: int) -> int | None:
    """The closing brace of a value whose opening one is missing: it ends the text before the next field."""
    end = closing_brace(text, at - 1, limit)
    if end < 0 or text.find("=", at, end) >= 0:
        return None
    following = _skip_blank(text, end + 1, limit)
    separator = field_break(text, end + 1, min(limit, following + _LONGEST_BREAK))
    return end if separator is not None and separator.start() <= following else None


def _read_bare(text: str, at: int, limit: int, name: str, value: Value) -> None:
    if (end := _unopened_end(text, at, limit)) is not None:
        value.problems.append(OffsetDefect("unopened-value", f"missing opening brace before the value of `{name}`", at))
        value.parts.append(Part(text[at:end]))
        value.end = end + 1
        return
    token = _BARE.match(text, at, limit)
    number = token is not None and token[0].isdecimal()
    if token and (number or not token[0][0].isdecimal()) and _BARE_FOLLOW.match(text, token.end(), limit):
        value.parts.append(Part(token[0], macro=not number))
        value.end = token.end()
        return
    if token is None and (at >= limit or text[at] in ",})=#%"):
        value.problems.append(OffsetDefect("missing-value", f"the field `{name}` has no value", at))
        value.parts.append(Part(""))
        value.end = at
        return
    unquoted = _UNQUOTED.match(text, at, limit)
    content = unquoted[0] if unquoted else text[at:limit]
    value.end = at + len(content)
    value.parts.append(Part(balance(content.strip(" \t“”„‘’'`"))))
    message = f"the value of `{name}` is neither in braces nor in straight quotation marks"
    value.problems.append(OffsetDefect("unquoted-value", message, at))
