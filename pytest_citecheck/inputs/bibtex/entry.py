"""Parser for one BibTeX entry, however damaged, that never reads into the next one.

bibtexparser reads entries that are certainly well formed (second half of this module); the scanner reads the others.
"""

from __future__ import annotations

import logging
import re
from bisect import bisect_left
from collections import OrderedDict
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from bibtexparser.model import Entry, String
from bibtexparser.splitter import Splitter

from pytest_citecheck.inputs.bibtex.values import (
    FIELD_NAME,
    WELL_KNOWN,
    OffsetDefect,
    Part,
    balance,
    closing_brace,
    field_break,
    overhang_end,
    read_key,
    read_value,
)
from pytest_citecheck.inputs.budget import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_citecheck.inputs.bibtex.blocks import Source, Start
    from pytest_citecheck.model import Defect

_FIELD = lazy_pattern(
    r"\s*([^\s\"#%'(),={}\d@][^\s\"#%'(),={}]*)\s*=\s*(?:\{([^{}]*)\}|\"([^\"{}]*)\"|(\d+))\s*(?:,|(?=[})]))"
)
"""Typical field, in damaged entries too: no inner braces, followed by a comma or the end of the entry."""
_NAME = lazy_pattern(rf"({FIELD_NAME})\s*")
_NAME_WITH_BLANKS = lazy_pattern(rf"({FIELD_NAME}(?:[ \t]+{FIELD_NAME}){{1,4}})\s*=")
_EQUALS = lazy_pattern(r"=(?:\s*=)*")
_NEXT_FIELD = lazy_pattern(rf"{FIELD_NAME}\s*=")
_FIELD_WITH_AT = lazy_pattern(rf"@\s*{FIELD_NAME}\s*=")
_BLANK = lazy_pattern(r"\s*")
_LINE_REST = lazy_pattern(r"[^\n]*")
_CONFLICT = lazy_pattern(r"(?:<{7}|={7}|>{7}|\|{7})(?:[ \t][^\n]*)?(?=\n|$)")
_CLOSED_TOO_EARLY = lazy_pattern(
    rf"(?:\s*\}})*\s*(?:,\s*(?={FIELD_NAME}\s*=\s*[{{\"\w])|(?=(?:{WELL_KNOWN})\s*=\s*[{{\"\d]))", re.IGNORECASE
)
"""Further fields after a closing delimiter, which therefore does not end the entry."""
_FIELD_LINE = lazy_pattern(rf"^[ \t]*({FIELD_NAME})\s{{0,20}}+=", re.MULTILINE)
_OF_EVERY_WORK = frozenset(("author", "title"))
_GLUED = lazy_pattern(r"(?:[ \t]*\})*[ \t]*[^\s%@}]")
"""Text after a closing delimiter on the same line."""
_KNOWN = lazy_pattern(WELL_KNOWN)
_BARE_VALUE = lazy_pattern(r"[^\s,{}\"=()#%]+\s*[,#})]")
_OPENING = lazy_pattern(r"[^={}]*+[=\s]*+\{")
_EMPTY_LINE = lazy_pattern(r"\n[ \t]*\n")
_MORE_CLOSERS = lazy_pattern(r"(?:\s*\})+")
_PERCENT = "BibTeX has no comments inside an entry: % does not start one"
_BLOCK_WORD = lazy_pattern(r"@[ \t]*[^\W\d_][\w-]*\s*[{(]")


class ScannedField(NamedTuple):
    """A field: its name in lower case, the parts of its value and the offset of its name."""

    name: str
    parts: list[Part]
    at: int


class EntryValues(NamedTuple):
    """Fields of an entry as written and as readable text, and their defects, with lines from 0 at its start.

    expanded: length of the macros in them.
    """

    raw: dict[str, str]
    fields: dict[str, str]
    defects: tuple[Defect, ...]
    expanded: int


@dataclass(slots=True)
class ScannedEntry:
    """An entry between the offsets ``start`` and ``end``, with its defects.

    ``notes`` lists oddities that were read correctly. ``unreadable`` is a sentence that explains why the entry could not be
    read, or `""`. ``values`` are the values of a remembered entry, by the macros that they depend on; None if it is not one.
    ``moved_by`` is to be added to the offsets of the fields.
    """

    start: int
    end: int
    type: str
    key: str = ""
    fields: list[ScannedField] = field(default_factory=list)
    problems: list[OffsetDefect] = field(default_factory=list)
    notes: list[OffsetDefect] = field(default_factory=list)
    unreadable: str = ""
    moved_by: int = 0
    values: dict[object, EntryValues] | None = None

    def moved(self, by: int) -> ScannedEntry:
        """Return the entry of the same text at another place, without defects."""
        moved = ScannedEntry(self.start + by, self.end + by, self.type, self.key, self.fields, values=self.values)
        if self.values is None:
            moved.fields = [ScannedField(name, parts, at + by) for name, parts, at in self.fields]
        else:
            moved.moved_by = by  # a remembered entry hardly ever needs these places
        return moved


def scan_entry(source: Source, start: Start, *, keyed: bool = True) -> ScannedEntry:
    """Read the entry at ``start``; if ``keyed`` is false, a block of fields without a key, such as ``@string``."""
    return _EntryScanner(source, start).scan(keyed)


class _EntryScanner:
    """A single pass from left to right. ``position`` only grows and never passes ``limit``, the start of the next entry."""

    def __init__(self, source: Source, start: Start) -> None:
        self.source = source
        self.text = source.text
        self.limit = source.limit(start.at)
        self.position = start.opener + 1
        self.closer = "}" if self.text[start.opener] == "{" else ")"
        self.closed = False
        self.last_closer = -1, -1
        self.entry = ScannedEntry(start.at, start.opener + 1, start.kind)

    def scan(self, keyed: bool) -> ScannedEntry:
        entry = self.entry
        if not entry.type:
            self._problem("missing-type", "missing entry type after the @", entry.start)
        if keyed:
            entry.key, self.position, problems = read_key(self.text, self.position, self.limit, self.closer)
            entry.problems.extend(problems)
        self._read_fields()
        entry.end = self.position
        if not self.closed:
            self._problem("unclosed-entry", f"missing closing “{self.closer}” of the entry", entry.start)
            entry.end = entry.start + len(self.text[entry.start : self.position].rstrip())
            self._strip_last_comma()
        damaged = any(found.code in ("stray-text", "unclosed-entry") for found in entry.problems)
        if damaged and not entry.fields and not entry.unreadable:
            entry.unreadable = "no field of the entry can be read"
        return entry

    def _strip_last_comma(self) -> None:
        """Remove the trailing comma if the last value swallowed it with the closing brace of the entry."""
        if self.entry.fields and not self.entry.fields[-1].parts[-1].macro:
            last = self.entry.fields[-1]
            text = last.parts[-1].text.rstrip()
            last.parts[-1] = Part(text.removesuffix(","))

    def _problem(self, code: str, message: str, at: int) -> None:
        """Record a problem, once per message."""
        if not any(known.message == message for known in self.entry.problems):
            self.entry.problems.append(OffsetDefect(code, message, at))

    def _next(self) -> str:
        """Skip blanks and return the next character, or `""` at the limit."""
        match = _BLANK.match(self.text, self.position, self.limit)
        if match:
            self.position = match.end()
        return self.text[self.position] if self.position < self.limit else ""

    def _read_fields(self) -> None:
        fields = self.entry.fields
        while not self.closed:
            plain = _FIELD.match(self.text, self.position, self.limit)
            if plain is not None:
                content = plain[plain.lastindex or 2]
                if "=" not in content or "\n" not in content:
                    fields.append(ScannedField(plain[1].lower(), [Part(content)], plain.start(1)))
                    self.position = plain.end()
                    continue
            if not self._read_item(self._next()):
                return

    def _read_item(self, sign: str) -> bool:
        """Read the text at the position of a field name; return False at the limit."""
        at = self.position
        if not sign:
            return False
        if sign == self.closer:
            self._close()
        elif sign == ",":
            self._problem("double-comma", "two commas in a row", at)
            self.position += 1
        elif sign == "%":
            self._skip_line("comment-in-entry", _PERCENT)
        elif sign in "<=>|" and _CONFLICT.match(self.text, at, self.limit):
            self._skip_line("git-conflict-marker", "git conflict markers in the entry")
        elif sign in "})":
            self._read_other_closer()
        elif sign == "@" and self._begins_block(at):
            self.limit = at
            return False
        elif sign == "@" and _FIELD_WITH_AT.match(self.text, at, self.limit):
            self._problem("stray-text", "a field name cannot start with “@”", at)
            self.position += 1
        elif name := _NAME.match(self.text, at, self.limit):
            self._read_named(name)
        else:
            self._skip_stray()
        return True

    def _begins_block(self, at: int) -> bool:
        line = self.text.rfind("\n", self.entry.start, at) + 1
        if _BLOCK_WORD.match(self.text, at, self.limit):
            return True
        return not self.text[line:at].strip() and not _FIELD_WITH_AT.match(self.text, at, self.limit)

    def _skip_line(self, code: str, message: str) -> None:
        self._problem(code, message, self.position)
        rest = _LINE_REST.match(self.text, self.position, self.limit)
        self.position = rest.end() if rest else self.limit

    def _read_named(self, name: re.Match[str]) -> None:
        label = name[1].rstrip(":").lower()
        sign = self.text[name.end()] if name.end() < self.limit else ""
        if sign == "=" and label:
            self._read_field(label, name.start(), self._after_equals(label, name.end()))
        elif label and (
            (sign and sign in '{"')
            or (_KNOWN.fullmatch(label) and _BARE_VALUE.match(self.text, name.end(), self.limit))
        ):
            self._problem("missing-equals", f"missing equals sign after the field name `{label}`", name.start())
            self._read_field(label, name.start(), name.end())
        elif several := _NAME_WITH_BLANKS.match(self.text, name.start(), self.limit):
            self._problem("blank-in-field-name", f"blank in the field name `{several[1]}`", several.start())
            self._read_field("-".join(several[1].lower().split()), several.start(), several.end())
        else:
            self._take_overhang()

    def _after_equals(self, label: str, at: int) -> int:
        signs = _EQUALS.match(self.text, at, self.limit)
        if signs is None or signs.end() == at + 1:
            return at + 1
        self._problem("double-equals", f"two equals signs after the field name `{label}`", at)
        return signs.end()

    def _read_field(self, label: str, at: int, value_at: int) -> None:
        value = read_value(self.source, value_at, self.limit, label)
        if value.end > self.limit:
            self.limit = self.source.limit(value.end - 1)
        self.position = value.end
        self.entry.problems.extend(value.problems)
        if value.cut:
            self.entry.unreadable = "the entry is incomplete"
        self.entry.fields.append(ScannedField(label, value.parts, at))
        if self._has_overhang(label):
            self._take_overhang()

    def _has_overhang(self, label: str) -> bool:
        """Skip the comma after a value; return True if unexpected text follows."""
        sign = self._next()
        while sign == "%":
            self._skip_line("comment-in-entry", _PERCENT)
            sign = self._next()
        if sign == ",":
            self.position += 1
        elif not sign or sign in "})@" or _CONFLICT.match(self.text, self.position, self.limit):
            return False
        elif _NEXT_FIELD.match(self.text, self.position, self.limit):
            self._problem("missing-comma", f"missing comma after the field `{label}`", self.position)
        else:
            return True
        return False

    def _take_overhang(self) -> None:
        """Handle text that is not a field: stray, or the rest of a value that a surplus brace closed too early."""
        if not self._extend_last_value() or self._has_overhang(self.entry.fields[-1].name):
            self._skip_stray()

    def _extend_last_value(self) -> bool:
        begin = self.position
        if not self.entry.fields:
            return False
        last = self.entry.fields[-1]
        opening = _OPENING.match(self.text, last.at, begin)
        end = overhang_end(self.text, begin, self.limit, self.closer)
        if end is None or opening is None or len(last.parts) != 1:
            return False
        self.entry.fields[-1] = last._replace(parts=[Part(balance(self.text[opening.end() : end]))])
        self._problem("extra-brace", f"extra closing brace in the field `{last.name}`", begin)
        self.position = end + 1
        return True

    def _skip_stray(self) -> None:
        """Skip stray text up to the next field or the end of the entry."""
        begin = self.position
        separator = field_break(self.text, begin, self.limit)
        stop = separator.start() if separator else self.limit
        brace = self.closer == "}"
        close = closing_brace(self.text, begin - 1, stop) if brace else self.text.find(")", begin, stop)
        end = close if close >= 0 else stop
        excerpt = " ".join(self.text[begin : min(end, begin + 60)].split())
        self._problem("stray-text", f"unexpected text “{excerpt}”", begin)
        self.position = separator.end() if separator and close < 0 else end

    def _read_other_closer(self) -> None:
        """Handle a closing delimiter that does not match the opening one."""
        at = self.position
        self.position = at + 1
        if self.last_closer[1] != self.limit:
            self.last_closer = self.text.rfind(self.closer, at + 1, self.limit), self.limit
        if self.last_closer[0] <= at:
            self._problem("mismatched-delimiter", f"the entry must end with “{self.closer}”", at)
            self.closed = True
        else:
            self._problem("extra-brace", f"unexpected “{self.text[at]}” before a field", at)

    def _close(self) -> None:
        at = self.position
        self.position = at + 1
        further = self._fields_after_closer()
        if further is not None:
            self._problem("extra-brace", "extra closing brace: it ends the entry before its last fields", at)
            self.position = further
            return
        self.closed = True
        if self.closer == "}" and (surplus := _MORE_CLOSERS.match(self.text, self.position, self.limit)):
            self._problem("extra-brace", "extra closing brace at the end of the entry", at)
            self.position = surplus.end()

    def _is_headless(self, gap: re.Match[str]) -> bool:
        """Return True if the fields after a closing delimiter belong to an entry without a head.

        Such fields are set apart, or repeat fields of this entry.
        """
        if "," not in gap[0] and _EMPTY_LINE.search(gap[0]):
            return True
        stop = _BLOCK_WORD.search(self.text, gap.end(), self.limit)
        following = _FIELD_LINE.finditer(self.text, gap.end(), stop.start() if stop else self.limit)
        stated = {one.name for one in self.entry.fields} & _OF_EVERY_WORK
        return any(field[1].lower() in stated for field in following)

    def _fields_after_closer(self) -> int | None:
        """Return the offset at which the entry continues after a premature closing delimiter, or None."""
        if more := _CLOSED_TOO_EARLY.match(self.text, self.position, self.limit):
            return None if self._is_headless(more) else more.end()
        if not _GLUED.match(self.text, self.position, self.limit):
            return None
        paragraph = _EMPTY_LINE.search(self.text, self.position, self.limit)
        separator = field_break(self.text, self.position, paragraph.start() if paragraph else self.limit)
        return separator.end() if separator else None


_KEY = lazy_pattern(r"[^\s,{}=\"%]+")
_FIELD_NAME = lazy_pattern(r"[^\W\d][\w.+-]{0,60}")
_SIMPLE = lazy_pattern(r"\{([^{}]*)\}|\"([^\"{}]*)\"|(\d+)")
_MACRO = re.compile(r"[^\s,#{}\"=()%“”„‘’']+")
_QUOTE_OR_BRACE = lazy_pattern(r'["{]')
_JOINT = lazy_pattern(r"\s*#\s*")
_SEQUEL = lazy_pattern(rf"[ \t]*+[^\s%@]|\s*+(?:[}},]|(?:{WELL_KNOWN})\s*=)", re.IGNORECASE)
"""Text after a closing brace that may not be the end: text on the same line, another brace, or further fields."""
_LONGEST = 100_000
"""Longest block, in characters, passed to the library: it steps from one brace, comma or line end to the next, and is several
times slower than the scanner on a value with millions of them.
"""
_LONGEST_REMEMBERED = 10_000
_LOGGER = logging.getLogger(Splitter.__module__)


def parse_well_formed(text: str, starts: Sequence[Start]) -> dict[int, ScannedEntry]:
    """Return the entries and ``@string`` blocks that are certainly well formed, by start offset. Never raises.

    ``text`` is the whole file with LF line ends; ``starts`` are the possible block starts. A block is suspect if it contains
    another start, is in parentheses (where a lone brace is not an error) or has no fields. Each block depends only on the text up
    to the next start, so that it can be remembered.
    """
    found: dict[int, ScannedEntry] = {}
    disabled = _LOGGER.disabled
    _LOGGER.disabled = True  # it warns about each failed block, but the scanner reports these errors
    memory = _MEMORY.get()
    try:
        for start, following in pairwise([*starts, None]):
            assert start is not None  # noqa: S101 - only the last one is
            end = len(text) if following is None else following.at
            if end - start.at > _LONGEST:
                continue
            chunk = text[start.at : end]
            entry = _parsed(chunk, start) if memory is None else memory.entry(chunk, start)
            if entry is not None:
                found[start.at] = entry.moved(start.at)
    finally:
        _LOGGER.disabled = disabled
    return found


class EntryMemory:
    """Well-formed blocks of texts that are read again and again while they are edited, the last ones used."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: OrderedDict[str, ScannedEntry | None] = OrderedDict()

    def entry(self, chunk: str, start: Start) -> ScannedEntry | None:
        """Return the block of this text, at offset 0."""
        if chunk in self._entries:
            self._entries.move_to_end(chunk)
            return self._entries[chunk]
        entry = _parsed(chunk, start)
        if len(chunk) <= _LONGEST_REMEMBERED:
            if entry is not None:
                entry.values = {}
            self._entries[chunk] = entry
            if len(self._entries) > self._most:
                self._entries.popitem(last=False)
        return entry

    @contextmanager
    def remembering(self) -> Iterator[None]:
        """Use this memory in all readers of BibTeX that are called meanwhile."""
        token = _MEMORY.set(self)
        try:
            yield
        finally:
            _MEMORY.reset(token)


_MEMORY: ContextVar[EntryMemory | None] = ContextVar("entries", default=None)


def _parsed(chunk: str, start: Start) -> ScannedEntry | None:
    """Return the block at the start of a text without another one, at offset 0; None if it is suspect."""
    try:
        found = next(iter(Splitter(chunk).split().blocks), None)
    except Exception:  # noqa: BLE001 - whatever goes wrong in the library, the scanner reads the entry
        return None
    if not isinstance(found, Entry | String) or not found.raw or not chunk.startswith(found.raw):
        return None  # a comment, a failed block or a repeated field
    raw, opener = found.raw, start.opener - start.at
    if chunk[opener] != "{" or _SEQUEL.match(chunk, len(raw)):
        return None
    if isinstance(found, String):
        if start.kind != "string":
            return None  # the library also accepts @stringent here
        fields = _fields(raw, opener + 1, [(found.key, found.value)])
        return ScannedEntry(0, len(raw), start.kind, "", fields) if fields else None
    if not start.kind or not _KEY.fullmatch(found.key):
        return None
    fields = _fields(raw, raw.find(",") + 1, [(field.key, field.value) for field in found.fields])
    return ScannedEntry(0, len(raw), start.kind, found.key, fields) if fields else None


def _fields(raw: str, begin: int, pairs: Iterable[tuple[str, str]]) -> list[ScannedField]:
    """Return the fields from ``begin`` in a block; empty if one of them is suspect.

    The library provides no offsets. A name is the first text after a comma and a value the first text after an equals sign, so
    a search can only find them in the right place.
    """
    fields = []
    for written, value in pairs:
        name = _field_name(written)
        parts = _parts(value) if name else None
        at = raw.find(written, begin)
        begin = raw.find(value, at + len(written)) + len(value)
        if parts is None or at < 0 or begin < at:
            return []
        fields.append(ScannedField(name, parts, at))
    return fields


@lru_cache(maxsize=1024)
def _field_name(written: str) -> str:
    """Return the name in lower case, or `""` if it is not a plain name."""
    return written.lower() if _FIELD_NAME.fullmatch(written) else ""


def _parts(value: str) -> list[Part] | None:
    """Return the parts of a value, or None unless it consists of complete parts joined with ``#``."""
    if (simple := _SIMPLE.fullmatch(value)) is not None:
        content = simple[simple.lastindex or 1]
        return None if _holds_field(content) else [Part(content)]
    parts = []
    position = 0
    while True:
        found = _part(value, position)
        if found is None:
            return None
        part, position = found
        parts.append(part)
        if position == len(value):
            return parts
        joint = _JOINT.match(value, position)
        if joint is None:
            return None
        position = joint.end()


def _part(value: str, at: int) -> tuple[Part, int] | None:
    """Return the part at ``at`` and the offset after it, or None if it is not plain."""
    if value.startswith("{", at):
        end = closing_brace(value, at, len(value))
    elif value.startswith('"', at):
        end = _closing_quote(value, at)
    elif bare := _SIMPLE.match(value, at) or _MACRO.match(value, at):
        return Part(bare[0], macro=bare.re is _MACRO), bare.end()
    else:
        return None
    content = value[at + 1 : end]
    if end < 0 or _holds_field(content) or (value[at] == '"' and balance(content) != content):
        return None
    return Part(content), end + 1


def _closing_quote(value: str, at: int) -> int:
    """Return the offset of the first quotation mark after ``at`` outside braces, or -1."""
    position = at + 1
    while mark := _QUOTE_OR_BRACE.search(value, position):
        if mark[0] == '"':
            return mark.start()
        position = closing_brace(value, mark.start(), len(value)) + 1
        if not position:
            return -1
    return -1


def _holds_field(content: str) -> bool:
    """Return True if a field seems to begin inside a value, whose own end or a comma may then be missing."""
    if "=" not in content or ("," not in content and "\n" not in content):
        return False
    return field_break(content, 0, len(content)) is not None


_HEADLESS_FIELD_LINE = lazy_pattern(rf"^[ \t]*(?:{WELL_KNOWN})[ \t]*=[ \t]*[{{\"\w]", re.IGNORECASE | re.MULTILINE)
_BRACKETED_HEAD = lazy_pattern(r"^[ \t]*+@[ \t]*+\w++[ \t]*+[\[<][^\n,=]*+,[^\n=]*+=", re.MULTILINE)
_HEAD_LINE = lazy_pattern(r"^[ \t]*(@[^\n]*)$", re.MULTILINE)
_HEAD = lazy_pattern(
    r"@\W*(?P<type>article|inproceedings|incollection|inbook|proceedings|collection|conference|booklet|book|misc|online"
    r"|phdthesis|mastersthesis|thesis|techreport|report|manual|unpublished|dataset|software)?[\W_]*(?P<key>[^\s,{}()]*)",
    re.IGNORECASE,
)


class Headless(NamedTuple):
    """Stray fields from ``start`` to ``end``; ``head`` is the line with an ``@`` before them, or `""`."""

    start: int
    end: int
    head: str
    type: str = ""
    key: str = ""


def find_headless(text: str, begin: int, end: int) -> list[Headless]:
    """Return the entries without a readable head in the text between two blocks.

    A line that begins with ``@`` and precedes well-known fields was meant as an entry. Fields without such a line may have been
    disabled on purpose by removing the ``@``.
    """
    if text.find("=", begin, end) < 0:
        return []
    fields = [match.start() for match in _HEADLESS_FIELD_LINE.finditer(text, begin, end)]
    fields = sorted(fields + [match.end() for match in _BRACKETED_HEAD.finditer(text, begin, end)])
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
            opened = [] if _BRACKETED_HEAD.match(line) else re.split(r"[{(]", line)[1:]
            key = opened[-1].partition(",")[0].strip() if opened else ""
            key = key or (head["key"] if head else "")
            found.append(Headless(start, stop, line.strip(), type_.lower(), key))
    return found


def _content_end(text: str, start: int, stop: int) -> int:
    return start + len(text[start:stop].rstrip())
