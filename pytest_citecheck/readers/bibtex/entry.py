"""Reading one BibTeX entry, however damaged, without ever reading into the next one.

Entries that are certainly sound do not come here, bibtexparser reads them (see `readers.bibtex.library`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pytest_citecheck.readers.bibtex.key import read_key
from pytest_citecheck.readers.bibtex.repair import (
    FIELD_NAME,
    WELL_KNOWN,
    balance,
    closing_brace,
    field_break,
    overhang_end,
)
from pytest_citecheck.readers.bibtex.value import OffsetDefect, Part, read_value
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from pytest_citecheck.readers.bibtex.starts import Source, Start

__all__ = ["ScannedEntry", "ScannedField", "scan_entry"]

_FIELD = lazy_pattern(
    r"\s*([^\s\"#%'(),={}\d@][^\s\"#%'(),={}]*)\s*=\s*(?:\{([^{}]*)\}|\"([^\"{}]*)\"|(\d+))\s*(?:,|(?=[})]))"
)
"""A field as nearly all are, in damaged entries too: no inner braces, and a comma or the end of the entry after it."""
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
"""What follows a closing delimiter that does not end the entry: more of its fields."""
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
    """A field with its name in lower case, the parts of its value, and the offset of its name."""

    name: str
    parts: list[Part]
    at: int


@dataclass(slots=True)
class ScannedEntry:
    """An entry as it stands in the text from offset ``start`` to ``end``, with what was wrong.

    ``notes`` holds what was read rightly and is only mentioned.
    ``unreadable`` says in one sentence why it could not be read at all; it is empty if it could.
    """

    start: int
    end: int
    type: str
    key: str = ""
    fields: list[ScannedField] = field(default_factory=list)
    problems: list[OffsetDefect] = field(default_factory=list)
    notes: list[OffsetDefect] = field(default_factory=list)
    unreadable: str = ""


def scan_entry(source: Source, start: Start, *, keyed: bool = True) -> ScannedEntry:
    """Read the entry that begins at ``start``; with ``keyed`` false, a block of bare fields such as ``@string``."""
    return _EntryScanner(source, start).scan(keyed)


class _EntryScanner:
    """One reading from left to right. ``position`` only grows, and never passes ``limit``, where the next entry is."""

    def __init__(self, source: Source, start: Start) -> None:
        self.source = source
        self.text = source.text
        self.limit = source.limit(start.at)
        self.position = start.opener + 1
        self.closer = "}" if self.text[start.opener] == "{" else ")"
        self.closed = False
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
        """The last value took the closing brace of the entry, and with it the comma that should follow it."""
        if self.entry.fields and not self.entry.fields[-1].parts[-1].macro:
            last = self.entry.fields[-1]
            text = last.parts[-1].text.rstrip()
            last.parts[-1] = Part(text.removesuffix(","))

    def _problem(self, code: str, message: str, at: int) -> None:
        """Note a problem; of several with the same words only the first."""
        if not any(known.message == message for known in self.entry.problems):
            self.entry.problems.append(OffsetDefect(code, message, at))

    def _next(self) -> str:
        """Move over blanks; the character that follows, empty at the limit."""
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
        """Read what stands where a field name is due; False at the limit."""
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
        """Move over the comma after a value; True if something else follows that does not belong there."""
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
        """Text that is no field stands here: the rest of the last value, closed too early by a surplus brace, or stray."""
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
        """Move over text that is nothing, to the next field or the end of the entry."""
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
        """A closing delimiter of the kind that did not open the entry."""
        at = self.position
        self.position = at + 1
        if self.text.find(self.closer, at + 1, self.limit) < 0:
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
        """Whether the fields after a closing delimiter are those of an entry without a head: they stand apart, or state anew what
        the entry has stated."""
        if "," not in gap[0] and _EMPTY_LINE.search(gap[0]):
            return True
        stop = _BLOCK_WORD.search(self.text, gap.end(), self.limit)
        following = _FIELD_LINE.finditer(self.text, gap.end(), stop.start() if stop else self.limit)
        stated = {one.name for one in self.entry.fields} & _OF_EVERY_WORK
        return any(field[1].lower() in stated for field in following)

    def _fields_after_closer(self) -> int | None:
        """Where the entry continues after a closing delimiter that came too early; None if it does not."""
        if more := _CLOSED_TOO_EARLY.match(self.text, self.position, self.limit):
            return None if self._is_headless(more) else more.end()
        if not _GLUED.match(self.text, self.position, self.limit):
            return None
        paragraph = _EMPTY_LINE.search(self.text, self.position, self.limit)
        separator = field_break(self.text, self.position, paragraph.start() if paragraph else self.limit)
        return separator.end() if separator else None
