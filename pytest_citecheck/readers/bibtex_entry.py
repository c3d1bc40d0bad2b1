"""Reading one BibTeX entry, however damaged, without ever reading into the next one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pytest_citecheck.readers.bibtex_key import read_key
from pytest_citecheck.readers.bibtex_repair import FIELD_NAME, WELL_KNOWN, closing_brace, field_break
from pytest_citecheck.readers.bibtex_value import Part, Problem, read_value

if TYPE_CHECKING:
    from pytest_citecheck.readers.bibtex_starts import Source, Start

__all__ = ["ScannedEntry", "ScannedField", "scan_entry"]

_FIELD = re.compile(
    r"\s*([^\s\"#%'(),={}\d@][^\s\"#%'(),={}]*)\s*=\s*(?:\{([^{}]*)\}|\"([^\"{}]*)\"|(\d+))\s*(?:,|(?=[})]))"
)
"""A field as nearly all are: a value without inner braces, and a comma or the end of the entry behind it."""
_NAME = re.compile(rf"({FIELD_NAME})\s*")
_NAME_WITH_BLANKS = re.compile(rf"({FIELD_NAME}(?:[ \t]+{FIELD_NAME}){{1,4}})\s*=")
_NEXT_FIELD = re.compile(rf"{FIELD_NAME}\s*=")
_BLANK = re.compile(r"\s*")
_LINE_REST = re.compile(r"[^\n]*")
_CONFLICT = re.compile(r"(?:<{7}|={7}|>{7}|\|{7})(?:[ \t][^\n]*)?(?=\n|$)")
_CLOSED_TOO_EARLY = re.compile(
    rf"(?:\s*\}})*\s*(?:,\s*(?={FIELD_NAME}\s*=\s*[{{\"\w])|(?=(?:{WELL_KNOWN})\s*=\s*[{{\"\d]))", re.IGNORECASE
)
"""What follows a closing delimiter that does not end the entry: more of its fields."""
_MORE_CLOSERS = re.compile(r"(?:\s*\})+")
_BLOCK_WORD = re.compile(r"@[ \t]*[^\W\d_][\w-]*\s*[{(]")


class ScannedField(NamedTuple):
    """A field with its name in lower case, the parts of its value, and the offset of its name."""

    name: str
    parts: list[Part]
    at: int


@dataclass(slots=True)
class ScannedEntry:
    """An entry as it stands in the text from offset ``start`` to ``end``, with what was wrong.

    ``unreadable`` says in one sentence why it could not be read at all; it is empty if it could.
    """

    start: int
    end: int
    type: str
    key: str = ""
    fields: list[ScannedField] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
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
            self._problem("missing-type", "The entry has no type behind its @.", entry.start)
        if keyed:
            entry.key, self.position, problems = read_key(self.text, self.position, self.limit, self.closer)
            entry.problems.extend(problems)
        self._read_fields()
        if not self.closed:
            self._problem("unclosed-entry", "The closing delimiter of the entry is missing.", entry.start)
            self.position -= len(self.text[entry.start : self.position]) - len(
                self.text[entry.start : self.position].rstrip()
            )
        entry.end = self.position
        if not entry.fields and not entry.unreadable:
            damage = [found.message for found in entry.problems if found.code in ("stray-text", "unclosed-entry")]
            if damage:
                entry.unreadable = f"No field of the entry could be read. {damage[0]}"
        return entry

    def _problem(self, code: str, message: str, at: int) -> None:
        self.entry.problems.append(Problem(code, message, at))

    def _next(self) -> str:
        """Move over blanks; the character that follows, empty at the limit."""
        match = _BLANK.match(self.text, self.position, self.limit)
        if match:
            self.position = match.end()
        return self.text[self.position] if self.position < self.limit else ""

    def _read_fields(self) -> None:
        fields = self.entry.fields
        plain = _FIELD.match
        while not self.closed:
            match = plain(self.text, self.position, self.limit)
            if match is not None:
                content = match[match.lastindex or 2]
                if "=" not in content:
                    fields.append(ScannedField(match[1].lower(), [Part(content)], match.start(1)))
                    self.position = match.end()
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
            self._problem("double-comma", "Two commas follow each other.", at)
            self.position += 1
        elif sign == "%":
            self._skip_line("comment-in-entry", "A % does not begin a comment inside an entry for BibTeX.")
        elif sign in "<=>|" and _CONFLICT.match(self.text, at, self.limit):
            self._skip_line("git-conflict-marker", "The entry holds a conflict marker of git.")
        elif sign in "})":
            self._read_other_closer(sign)
        elif sign == "@" and _BLOCK_WORD.match(self.text, at, self.limit):
            self.limit = at
            return False
        elif name := _NAME.match(self.text, at, self.limit):
            self._read_named(name)
        else:
            self._skip_stray()
        return True

    def _skip_line(self, code: str, message: str) -> None:
        self._problem(code, message, self.position)
        rest = _LINE_REST.match(self.text, self.position, self.limit)
        self.position = rest.end() if rest else self.limit

    def _read_named(self, name: re.Match[str]) -> None:
        label = name[1].rstrip(":")
        sign = self.text[name.end() : name.end() + 1] if name.end() < self.limit else ""
        if sign == "=" and label:
            self._read_field(label, name.start(), name.end() + 1)
        elif sign in ("{", '"') and label:
            self._problem("missing-equals", f"The equals sign behind “{label}” is missing.", name.start())
            self._read_field(label, name.start(), name.end())
        elif several := _NAME_WITH_BLANKS.match(self.text, name.start(), self.limit):
            self._problem("blank-in-field-name", f"The field name “{several[1]}” holds a blank.", several.start())
            self._read_field("-".join(several[1].split()), several.start(), several.end())
        else:
            self._skip_stray()

    def _read_field(self, label: str, at: int, value_at: int) -> None:
        label = label.lower()
        value = read_value(self.source, value_at, self.limit, label)
        self.limit = max(self.limit, self.source.limit(value.end - 1) if value.end > self.limit else self.limit)
        self.position = value.end
        self.entry.problems.extend(value.problems)
        if value.cut:
            self.entry.unreadable = value.problems[-1].message
        self.entry.fields.append(ScannedField(label, value.parts, at))
        self._leave_field(label)

    def _leave_field(self, label: str) -> None:
        """Move over the comma behind a value, or find out why there is none."""
        sign = self._next()
        while sign == "%":
            self._skip_line("comment-in-entry", "A % does not begin a comment inside an entry for BibTeX.")
            sign = self._next()
        if sign == ",":
            self.position += 1
        elif sign in ("", self.closer) or sign in "})@":
            return
        elif _NEXT_FIELD.match(self.text, self.position, self.limit):
            self._problem("missing-comma", f"A comma is missing behind “{label}”.", self.position)
        elif not _CONFLICT.match(self.text, self.position, self.limit):
            self._read_overhang(label)

    def _read_overhang(self, label: str) -> None:
        """Text stands behind a value: an inner brace closed it too early, or it does not belong here at all."""
        begin = self.position
        separator = field_break(self.text, begin, self.limit)
        stop = separator.start() if separator else self.limit
        inner = closing_brace(self.text, begin - 1, stop)
        ends_entry = inner >= 0 and separator is None and closing_brace(self.text, inner, self.limit) < 0
        if inner < 0 or ends_entry:
            self._skip_stray()
            return
        end = inner
        while (further := closing_brace(self.text, end, stop)) >= 0 and (separator or self._closes(further)):
            end = further
        last = self.entry.fields[-1]
        text = self.text[last.at : end]
        opening = text.find("{", text.find("=") + 1)
        self.entry.fields[-1] = last._replace(parts=[Part(balance_of(text[opening + 1 :]))])
        self._problem("extra-brace", f"“{label}” holds one closing brace too many.", begin)
        self.position = end + 1
        self._leave_field(label)
