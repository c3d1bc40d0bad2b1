"""Parser for one BibTeX value: braced, quoted or bare, joined with ``#``, complete or damaged."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_citecheck.inputs.bibtex.blocks import Source

FIELD_NAME = r"[^\s\"#%'(),={}\d@][^\s\"#%'(),={}]{0,60}"
"""Field name in BibTeX's grammar, with a length limit."""

WELL_KNOWN = (
    "author|title|subtitle|journal|journaltitle|booktitle|year|date|volume|number|pages|publisher|editor|doi|url|month"
    "|abstract|series|address|location|eprint|archiveprefix|primaryclass|eprinttype|isbn|issn|note|keywords"
    "|institution|school|organization|chapter|edition|howpublished|urldate|crossref"
)
PROSE_FIELDS = frozenset(("abstract", "annotation", "annote", "comment", "note", "review", "file", "keywords"))
"""Fields that may contain nearly any text, even text that looks like a field."""

_FIELD_BREAK = lazy_pattern(
    rf",\s{{0,200}}+(?={FIELD_NAME}\s{{0,20}}=\s{{0,20}}[{{\"])"
    rf"|,[ \t]{{0,80}}+\n\s{{0,200}}+(?={FIELD_NAME}\s{{0,20}}=\s{{0,20}}\w)"
    rf"|,?[ \t]{{0,80}}+\n[ \t]{{0,200}}+(?=(?:{WELL_KNOWN})\s{{0,20}}=)",
    re.IGNORECASE,
)
"""Blanks are matched possessively, so that the cost of a long run is linear."""
_CLOSING_LINE = lazy_pattern(r"\n[ \t]{0,80}+([})])[ \t]{0,80}+(?=\n|$)")
_CUT_ACCENT = lazy_pattern(r"(\{\\(?:['`\"^~=.][ \t]?|[Hckuvrbdt][ \t])\{?\\?[A-Za-z])(?![A-Za-z{}])")
_COMMAND_END = lazy_pattern(r"\\[A-Za-z]+$")
_BRACE = lazy_pattern(r"[{}]")


def closing_brace(text: str, opening: int, limit: int) -> int:
    """Return the offset of the brace that closes the one at ``opening``, or -1 if there is none before ``limit``.

    As in BibTeX, a backslash does not escape a brace.
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
    """Map the offset of each opening brace from ``position`` on to the offset of its closing brace before ``limit``."""
    opened: list[int] = []
    partners: dict[int, int] = {}
    for match in _BRACE.finditer(text, position, limit):
        if match[0] == "{":
            opened.append(match.start())
        elif opened:
            partners[opened.pop()] = match.start()
    return partners


def field_break(text: str, position: int, limit: int) -> re.Match[str] | None:
    """Find the first separator between a value and the next field: ``, name = {`` or a well-known name on a new line."""
    return _FIELD_BREAK.search(text, position, limit)


def recovered_end(text: str, position: int, limit: int) -> tuple[int, int] | None:
    """Return a likely end for an unclosed value: the offset of the end of its text and the offset to resume at.

    This is before the next field, before a closing delimiter on its own line, or before one that ends the block; None if the
    text just breaks off.
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
    """Return the brace that really ends a value which a surplus brace seemed to end before ``position``, or None.

    ``closer`` ends the entry; if it is a brace too, one must be left for it.
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
    r"""Balance the text of a value that lacks one closing brace and may therefore end with a brace of the entry.

    In ``{A {Title}`` the inner group is complete; in ``{Herv{\'e and Li}`` an accent was cut off, and the last brace closed the
    value.
    """
    if content.endswith("}"):
        repaired = _CUT_ACCENT.sub(r"\1}", content[:-1])
        if repaired != content[:-1] and not _unmatched(repaired):
            return repaired
        if _unmatched(content):
            return balance(content[:-1])
    return balance(content)


def balance(value: str) -> str:
    r"""Close accents that were cut off (``Herv{\'e and``), then drop unmatched braces.

    A value with balanced braces is returned unchanged.
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


_BLANK = lazy_pattern(r"\s*")
_BARE = lazy_pattern(r"[^\s,#{}\"=()%“”„‘’']+")
_FOLLOW = lazy_pattern(rf"\s*(?:[#}})]|,\s*(?:[}})%,]|{FIELD_NAME}\s*[={{\"]|$)|{FIELD_NAME}\s*=|$)")
"""Text allowed after a value: a concatenation, the end of the entry, or another field."""
_BARE_FOLLOW = lazy_pattern(rf"\s*(?:[#}}),%]|{FIELD_NAME}\s*=|$)")
_UNQUOTED = lazy_pattern(
    r"[^\n]*?(?=[ \t]{0,80}+(?:(?:,[ \t]{0,80}+)?(?:\n|$)"
    rf"|,\s{{0,80}}+{FIELD_NAME}\s{{0,20}}+=|[}})][ \t]{{0,80}}+(?:\n|$)))"
)
_QUOTE_OR_BRACE = lazy_pattern(r'["{]')
_OPEN_FIELD = lazy_pattern(rf"[,\n]\s{{0,200}}{FIELD_NAME}\s{{0,20}}=\s{{0,20}}$")
_LONGEST_BREAK = 400
"""Maximum number of characters that `field_break` needs to see, including blanks."""
_WELL_KNOWN_FIELD = lazy_pattern(rf"(?:{WELL_KNOWN})\s*=", re.IGNORECASE)


class Part(NamedTuple):
    """A piece of a value: literal text, or the name of a macro."""

    text: str
    macro: bool = False


class OffsetDefect(NamedTuple):
    """A defect located by offset instead of line."""

    code: str
    message: str
    at: int


@dataclass(slots=True)
class Value:
    """A parsed value: its parts, the offset after it and its defects; ``cut`` is True if the text breaks off inside it."""

    parts: list[Part]
    end: int
    problems: list[OffsetDefect] = field(default_factory=list)
    cut: bool = False


def read_value(source: Source, at: int, limit: int, name: str) -> Value:
    """Read the value at or after ``at``. name: the field, used for messages and for the rules on prose.

    The end may be past ``limit`` if the value contains a whole entry as text.
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
        goes_on = beyond >= 0 and _skip_blank(text, beyond + 1, further) < further
        if goes_on and _FOLLOW.match(text, beyond + 1, further):
            close, limit = beyond, further
    if close < 0:
        _recover(text, at, limit, name, value)
    elif not _swallows_field(text, at, close, limit, name):
        value.parts.append(Part(text[at + 1 : close]))
        value.end = close + 1
    else:
        _recover(text, at, close, name, value)


def _swallows_field(text: str, at: int, close: int, limit: int, name: str) -> bool:
    """Return True if a closed value contains fields of the entry because its own closing delimiter is missing."""
    if text.find("=", at, close) < 0:
        return False
    separator = field_break(text, at + 1, close)
    if separator is None:
        return False
    if _skip_blank(text, close + 1, limit) >= limit:
        return True  # the value swallowed the closing delimiter of the entry
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
                if close < 0:  # later values may be unclosed too, and each would be searched up to the limit
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
    """Cut a value without a closing delimiter."""
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
        balanced = balanced[:-1]  # the other kind of delimiter closed the value
    value.parts.append(Part(balanced))
    if "}" in content:
        problem = OffsetDefect("unbalanced-braces", f"missing closing brace in the field `{name}`", at)
    else:
        closing = "quotation mark" if text[at] == '"' else "brace"
        problem = OffsetDefect("unclosed-value", f"missing closing {closing} after the value of `{name}`", at)
    value.problems.append(problem)


def _unopened_end(text: str, at: int, limit: int) -> int | None:
    """Return the closing brace of a value without an opening one: it ends the text before the next field."""
    equals = text.find("=", at, limit)
    end = closing_brace(text, at - 1, equals if equals >= 0 else limit)
    if end < 0:
        return None
    following = _skip_blank(text, end + 1, limit)
    separator = field_break(text, end + 1, min(limit, following + _LONGEST_BREAK))
    return end if separator is not None and separator.start() <= following else None


def _read_bare(text: str, at: int, limit: int, name: str, value: Value) -> None:
    if not value.parts and (end := _unopened_end(text, at, limit)) is not None:
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


STANDARD_MACROS: dict[str, str] = table("journal_macros")["macros"]
"""Months and journals defined by the standard BibTeX styles (``plain.bst``)."""
AAS_JOURNALS: dict[str, str] = table("journal_macros")["commands"]
r"""Journals for the LaTeX commands (``\apj``) in exports of the Astrophysics Data System (its page on journal macros)."""

_LONGEST = 10_000
"""Characters that macros may add to one value: definitions can double each other to any length."""
_MOST_ADDED, _MOST_ADDED_PER_CHARACTER = 1_000_000, 4
"""Characters that macros may add to all values of a file: a fixed number plus a number per character of the file. Thousands of
definitions could add 10,000 each. A 100-character journal in every entry adds about a third of a character per character of the
file.
"""

_COMMAND = lazy_pattern(r"\s*+\{?\\([A-Za-z]++)\s*+(?:\{\})?\}?\s*+(?P<rest>[^\\]*+)")


class Macros:
    """Macros in force at a point of the file; names are case-insensitive. left: length that macros may still add. state: the same
    for the same definitions."""

    def __init__(self, length: int = 0) -> None:
        """length: size of the file in characters, which limits the text that macros may add."""
        self._defined = dict(STANDARD_MACROS)
        self.left = _MOST_ADDED + _MOST_ADDED_PER_CHARACTER * length
        self.state = 0

    def define(self, name: str, text: str) -> None:
        """Define a macro for the rest of the file, replacing any earlier definition."""
        self._defined[name.lower()] = text
        self.state = hash((self.state, name, text))

    def spend(self, expanded: int) -> bool:
        """Count the text of macros that need no expansion again; False if the limit is too close to be sure of that."""
        ample = self.left - expanded >= _LONGEST
        self.left -= expanded if ample else 0
        return ample

    def expand(self, parts: Sequence[Part], later: Macros | None = None) -> tuple[str, tuple[str, ...]]:
        """Join the parts of a value; return the text and the names of undefined macros, which stay in the text.

        A macro that only ``later`` defines is expanded and still reported. A defined macro that would make the value, or all
        values of the file together, too long is also left in the text and reported.
        """
        if len(parts) == 1 and not parts[0].macro:
            return parts[0].text, ()
        texts: list[str] = []
        undefined: list[str] = []
        budget = min(_LONGEST, self.left)
        for text, macro in parts:
            known = self.get(text) if macro else text
            if known is None:
                undefined.append(text)
                known = later.get(text) if later else None
            if macro and known is not None:
                if len(known) > budget:
                    undefined.append(text)
                    known = None
                else:
                    budget -= len(known)
                    self.left -= len(known)
            texts.append(text if known is None else known)
        return "".join(texts), tuple(undefined)

    def get(self, name: str) -> str | None:
        """Return the text of a macro, or None if it is not defined."""
        return self._defined.get(name.lower())


def journal_command(value: str) -> str:
    r"""Expand an AAS journal command (``\apj``), keeping text after it (``\jgr (Planets)``); return other values unchanged."""
    match = _COMMAND.fullmatch(value)
    name = AAS_JOURNALS.get(match[1]) if match else None
    return value if match is None or name is None else f"{name} {match['rest']}".rstrip()


_KEY = lazy_pattern(r"\s*([^\s,{}=\"%]+)\s*,")
_LONE_KEY = lazy_pattern(r"\s*+([^\s,{}=\"()]*+)\s*+(?=\))")
_HEAD_END = lazy_pattern(r"[,{}=\"]")
_KEY_WITH_EQUALS = lazy_pattern(rf"\s*([^\s,{{}}\"]+)\s*,(?=\s*(?:[}})]|{FIELD_NAME}\s*=))")
_COMMENT = lazy_pattern(r"%[^\n]*")
_WELL_KNOWN_NAME = lazy_pattern(WELL_KNOWN, re.IGNORECASE)


class Key(NamedTuple):
    """A parsed key, the offset of the first field, and the defects."""

    key: str
    end: int
    problems: tuple[OffsetDefect, ...] = ()


def read_key(text: str, begin: int, limit: int, closer: str) -> Key:
    """Read the key after the opening delimiter; ``closer`` is the delimiter that ends the entry.

    BibTeX allows nearly every character in a key (``weird:key/1+2``, ``Müller (2020)``); runs of blanks become one.
    """
    if plain := _KEY.match(text, begin, limit):
        return Key(plain[1], plain.end())
    if closer == ")" and (lone := _LONE_KEY.match(text, begin, limit)):
        return _named(lone[1].split(), lone.end(), begin)
    end = _HEAD_END.search(text, begin, limit)
    stop = end.start() if end else limit
    sign = end[0] if end else ""
    words = _COMMENT.sub("", text[begin:stop]).split()
    if sign == "=":
        return _before_equals(text, begin, limit, words)
    if sign in ('"', "{"):
        return _before_delimiter(text, begin, limit, stop, words)
    return _named(words, stop + (sign == ","), begin)


def _named(words: list[str], end: int, begin: int) -> Key:
    problems = () if words else (OffsetDefect("missing-key", "the entry has no key", begin),)
    return Key(" ".join(words), end, problems)


def _before_equals(text: str, begin: int, limit: int, words: list[str]) -> Key:
    """Handle an equals sign before any comma: the comma or the key is missing, or the key contains the sign."""
    if not words:
        return _named(words, begin, begin)
    with_equals = _KEY_WITH_EQUALS.match(text, begin, limit)
    if with_equals and len(words) == 1 and not _WELL_KNOWN_NAME.fullmatch(words[0]):
        return Key(with_equals[1], with_equals.end())
    return _without_comma(text, begin, limit, words)


def _without_comma(text: str, begin: int, limit: int, words: list[str]) -> Key:
    """Treat the last of the words as the name of the first field."""
    position = begin
    for word in words:
        position = text.find(word, position, limit) + len(word)
    end = position - len(words[-1])
    if len(words) == 1:
        return _named([], end, begin)
    message = "missing comma after the key"
    return Key(" ".join(words[:-1]), end, (OffsetDefect("missing-comma", message, begin),))


def _before_delimiter(text: str, begin: int, limit: int, stop: int, words: list[str]) -> Key:
    """Handle a brace or quotation mark before any comma: it belongs to the key, or an equals sign is missing."""
    if words and _WELL_KNOWN_NAME.fullmatch(words[-1]):
        return _without_comma(text, begin, limit, words)
    line_end = text.find("\n", stop, limit)
    comma = text.find(",", stop, line_end if line_end >= 0 else limit)
    if comma < 0:
        return _named(words, stop, begin)
    key = " ".join(re.sub(r'[{}"]', "", text[begin:comma]).split())
    problem = OffsetDefect("malformed-key", "BibTeX allows no braces or quotation marks in a key", begin)
    return Key(key, comma + 1, (problem,))


KNOWN_TYPES = frozenset((
    "article", "book", "booklet", "conference", "inbook", "incollection", "inproceedings", "manual", "mastersthesis", "misc",
    "phdthesis", "proceedings", "techreport", "unpublished",
    "mvbook", "bookinbook", "suppbook", "collection", "mvcollection", "suppcollection", "dataset", "online", "patent",
    "periodical", "suppperiodical", "mvproceedings", "reference", "mvreference", "inreference", "report", "set", "software",
    "thesis", "xdata", "electronic", "www", "artwork", "audio", "bibnote", "commentary", "image", "jurisdiction",
    "legislation", "legal", "letter", "movie", "music", "performance", "review", "standard", "video", "newspaper",
))  # fmt: skip
"""Entry types of BibTeX's standard styles and of biblatex (manual, section 2.1), and ``newspaper``."""
_FIELDS = frozenset((
    "author", "editor", "title", "booktitle", "journal", "journaltitle", "year", "date", "publisher", "howpublished",
    "school", "institution", "organization", "doi", "url", "eprint", "isbn", "issn", "crossref", "xref", "xdata", "note",
))  # fmt: skip


def is_bibliography(kind: str, fields: Collection[str]) -> bool:
    """Return True if an entry of this type (lower case) with these fields may describe a work.

    An unknown type counts if the entry has a bibliographic field: the type may be misspelt.
    """
    return not kind or kind in KNOWN_TYPES or not _FIELDS.isdisjoint(fields)
