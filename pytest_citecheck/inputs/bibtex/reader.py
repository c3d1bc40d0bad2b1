"""Reader for BibTeX and biblatex files.

The grammar is BibTeX's (O. Patashnik, *BibTeXing*, 1988, and ``bibtex.web``) with the fields of biblatex. bibtexparser
parses well-formed entries; our own scanner parses damaged and doubtful ones and repairs them if it can. Every entry yields one
reference: read correctly, repaired and marked with a defect, or marked as unreadable.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_citecheck.inputs.base import (
    SUPPRESSION_FIELD,
    Bibliography,
    FileReader,
    LineIndex,
    beside,
    decode_bytes,
    in_field,
    unify_line_ends,
    within_budget,
)
from pytest_citecheck.inputs.bibtex.blocks import Blocks, scan_blocks
from pytest_citecheck.inputs.bibtex.entry import EntryValues
from pytest_citecheck.inputs.bibtex.names import NAME_FIELDS, separated_otherwise, split_items
from pytest_citecheck.inputs.bibtex.values import Macros, balance, is_bibliography, journal_command
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.matching import PEOPLE, decode, longest, longest_written, unescape
from pytest_citecheck.model import Defect, Location, Reading, Reference, Suppression

if TYPE_CHECKING:
    from pytest_citecheck.inputs.bibtex.entry import ScannedEntry
    from pytest_citecheck.inputs.bibtex.values import OffsetDefect

_LINKS = ("xdata", "crossref", "entryset")
_GRANULAR = lazy_pattern(
    r"\{?xdata=\{?(?P<key>[^\s{}-]+)-(?P<field>[^\s{}-]+)(?:-(?P<index>\d{1,4}))?\}?\}?", re.IGNORECASE
)
"""Item of a value taken from an entry (biblatex manual, "Granular XDATA"): key, field and place in its list, from 1."""

_CHILD_TITLES = {
    "proceedings": "booktitle", "mvproceedings": "maintitle", "book": "booktitle", "mvbook": "maintitle",
    "collection": "booktitle", "mvcollection": "maintitle", "reference": "booktitle", "mvreference": "maintitle",
    "periodical": "journaltitle",
}  # fmt: skip
"""Field name for the title of a parent of this type in a child of another type."""
_PARTS = frozenset((
    "inproceedings", "conference", "inbook", "bookinbook", "suppbook", "incollection", "suppcollection",
    "inreference", "article", "suppperiodical", "book", "collection", "proceedings", "reference",
))  # fmt: skip
_NOT_HANDED_DOWN = frozenset((
    "crossref", "xref", "xdata", "ids", "entryset", "entrysubtype", "execute", "label", "options",
    "presort", "related", "relatedoptions", "relatedstring", "relatedtype", "shorthand", "shorthandintro",
    "sortkey", "sorttitle", "key", "doi", "url", "urldate", "urlyear", "eprint", "eprinttype",
    "eprintclass", "archiveprefix", "primaryclass", "pmid", "pmcid", "arxivid", "pages", "abstract",
    "keywords", "annote", "annotation", "file", "pagetotal", "numpages", "bdsk-url-1", "timestamp",
    "owner", "date-added", "date-modified", "biburl", "bibsource", "ee", "link", "aclid", "anthology", "arxiv", "pubmed", "pmc",
))  # fmt: skip


_MOST_HANDED_DOWN, _MOST_PER_FIELD = 10_000, 10
"""Inherited fields allowed for a whole file, and additionally per field in it. In a chain of n entries with one field each,
n²/2 fields would be inherited. Five hundred papers in one volume inherit about three for each of their own.
"""


@dataclass(slots=True)
class Heir:
    """An entry under construction: fields as readable text and as written. ``faults`` collects (code, message)."""

    key: str
    type: str
    fields: dict[str, str]
    raw: dict[str, str]
    faults: list[tuple[str, str]] = field(default_factory=list)


_NOWHERE: Mapping[str, Heir] = MappingProxyType({})


def inherit(entries: list[Heir], elsewhere: Mapping[str, Heir] = _NOWHERE) -> None:
    """Fill in missing fields of all entries from their parents, in place; fields of the child take precedence.

    If several entries share a key, the first is the parent. elsewhere: entries of other files, by lower-case key.

    Faults: ``crossref-missing``, ``crossref-cycle``, ``xdata-missing``, ``xdata-cycle``, ``entryset-missing``,
    ``inheritance-overflow``.
    """
    needy = [entry for entry in entries if has_links(entry.raw)]
    if not needy:
        return
    by_key: dict[str, Heir] = {}
    for entry in entries:
        if entry.key:
            by_key.setdefault(entry.key, entry)
    for entry in entries:
        if entry.key:
            by_key.setdefault(entry.key.lower(), entry)  # BibTeX keys are case-insensitive
    for key, entry in elsewhere.items():
        by_key.setdefault(key, entry)
    most = _MOST_HANDED_DOWN + _MOST_PER_FIELD * sum(len(entry.raw) for entry in entries)
    for link in _LINKS:
        _Inheritance(link, by_key, most).run(needy)


def has_links(raw: Mapping[str, str]) -> bool:
    """Return True if an entry with these fields refers to others."""
    return any(link in raw for link in _LINKS) or any(map(_is_granular, raw.values()))


def linked_keys(link: str, raw: Mapping[str, str]) -> list[str]:
    """Return the keys of the entries in the field ``crossref``, ``xdata`` or ``entryset``."""
    value = raw.get(link, "")
    keys = [value] if link == "crossref" else value.split(",")
    return [key.strip() for key in keys if key.strip()]


def granular_keys(raw: Mapping[str, str]) -> list[str]:
    """Return the keys of the entries from which single fields are taken (``author = {xdata=key-author-1}``)."""
    items = (item for value in raw.values() if _is_granular(value) for item in split_items(value))
    return [found["key"] for found in map(_GRANULAR.fullmatch, items) if found]


def _is_granular(value: str) -> bool:
    return "xdata=" in value.lower()


class _Inheritance:
    """One kind of link, followed with an explicit stack so that a long chain cannot exceed Python's recursion limit."""

    def __init__(self, link: str, by_key: dict[str, Heir], most: int) -> None:
        self.link = link
        self.left = most
        self.by_key = by_key
        self.done: set[int] = set()

    def run(self, entries: list[Heir]) -> None:
        for entry in entries:
            self._resolve(entry)

    def _parents(self, entry: Heir) -> list[tuple[str, Heir | None]]:
        keys = linked_keys(self.link, entry.raw) + (granular_keys(entry.raw) if self.link == "xdata" else [])
        return [(key, self.by_key.get(key) or self.by_key.get(key.lower())) for key in keys]

    def _resolve(self, entry: Heir) -> None:
        if id(entry) in self.done:
            return
        parents = self._parents(entry)
        stack = [(entry, parents, iter(parents))]  # each with its parents and an iterator over the unvisited ones
        path = {id(entry)}
        while stack:
            heir, parents, rest = stack[-1]
            waiting = next((p for _, p in rest if p is not None and id(p) not in self.done and id(p) not in path), None)
            if waiting is not None:
                parents = self._parents(waiting)
                stack.append((waiting, parents, iter(parents)))
                path.add(id(waiting))
                continue
            whole = linked_keys(self.link, heir.raw) if self.link != "entryset" else ()
            for key, parent in parents:
                if self._is_usable(heir, key, parent, path) and parent is not None and key in whole:
                    self._hand_down(heir, key, parent)
            if self.link == "xdata":
                self._fill(heir)
            self.done.add(id(heir))
            path.discard(id(heir))
            stack.pop()

    def _is_usable(self, heir: Heir, key: str, parent: Heir | None, path: set[int]) -> bool:
        if parent is None:
            message = f"`{self.link}` refers to the entry `{key}`, which does not exist"
            heir.faults.append((f"{self.link}-missing", message))
        elif id(parent) in path:
            message = f"circular `{self.link}`: the entry `{key}` leads back to this one"
            heir.faults.append((f"{self.link}-cycle", message))
        else:
            return True
        return False

    def _fill(self, heir: Heir) -> None:
        """Replace granular references in the values of an entry; those that lead nowhere stay."""
        for name, value in heir.raw.items():
            if not _is_granular(value):
                continue
            taken = " and ".join(part for item in split_items(value) for part in self._taken(heir, item))
            if len(taken) <= longest_written(name):
                heir.raw[name], heir.fields[name] = taken, readable_value(name, taken)

    def _taken(self, heir: Heir, item: str) -> list[str]:
        """Resolve a granular reference to its items; return any other item unchanged."""
        found = _GRANULAR.fullmatch(item)
        parent = self.by_key.get(found["key"]) or self.by_key.get(found["key"].lower()) if found else None
        if found is None or parent is None or id(parent) not in self.done:
            return [item]
        parts = split_items(parent.raw.get(found["field"].lower(), ""))
        if found["index"] and len(parts) > 1:
            parts = parts[int(found["index"]) - 1 :][:1]
        if not parts:
            heir.faults.append(("xdata-missing", f"`{item}` refers to a field that `{parent.key}` does not have"))
        return parts or [item]

    def _hand_down(self, heir: Heir, key: str, parent: Heir) -> None:
        for name, raw in parent.raw.items():
            target = self._target(name, parent, heir)
            if target and not heir.raw.get(target, "").strip():
                if self.left <= 0:
                    message = (
                        f"too many inherited fields in this file: the remaining fields of `{key}` are not inherited"
                    )
                    heir.faults.append(("inheritance-overflow", message))
                    return
                self.left -= 1
                heir.raw[target] = raw
                heir.fields[target] = parent.fields.get(name, raw)

    def _target(self, name: str, parent: Heir, child: Heir) -> str:
        """Return the name in the child of a field of the parent, or `""` if the field is not inherited."""
        if self.link == "xdata":
            return "" if name in ("xdata", "ids") else name
        if name in _NOT_HANDED_DOWN:
            return ""
        title = _CHILD_TITLES.get(parent.type, "")
        if name not in ("title", "subtitle", "titleaddon") or not title or child.type not in _PARTS:
            return name
        if child.type == parent.type:
            return name
        if title in parent.raw or (title == "journaltitle" and "journal" in child.raw):
            return ""  # classic BibTeX: the parent itself has the field name for its children
        return title.replace("title", name)


OVERLONG = "overlong-field"
_AND_OTHERS = " and others"


def written_within_length(name: str, value: str, line: int, key: str) -> tuple[str, Defect | None]:
    """Return the raw value, truncated to the maximum length of its field, and the defect (None if it was short enough).

    A list of people is truncated between two names and ends in "and others", like any truncated author list.
    """
    limit = longest_written(name)
    if len(value) <= limit:
        return value, None
    cut = value[:limit]
    if name in PEOPLE:
        last = cut.rfind(" and ")
        cut = (cut[:last] if last > 0 else cut) + _AND_OTHERS
    return balance(cut), _defect(name, len(value), limit, line, key)


def readable_within_length(name: str, value: str, line: int, key: str) -> tuple[str, Defect | None]:
    """Return the readable text of a value, truncated in the same way."""
    limit = longest(name) + (len(_AND_OTHERS) if name in PEOPLE else 0)
    return (value, None) if len(value) <= limit else (value[:limit], _defect(name, len(value), limit, line, key))


def _defect(name: str, length: int, limit: int, line: int, key: str) -> Defect:
    message = f"the field `{name}` of `{key[:100]}` has {length:,} characters: only the first {limit:,} are compared"
    return Defect(OVERLONG, message, line)


_IDENTIFIERS = frozenset((
    "doi", "url", "urls", "eprint", "arxivid", "arxiv", "isbn", "issn", "pmid", "pmcid", "pages", "eid",
    "year", "date", "urldate", "volume", "number", "archiveprefix", "primaryclass", "eprinttype",
    "eprintclass", "crossref", "xref", "xdata", "ids", "related", "zblnumber", "mrnumber", "lccn",
    "bibcode", "adsurl",
))  # fmt: skip
"""Fields in which LaTeX occurs only as escaped characters."""
_VERBATIM = frozenset((
    "abstract", "annote", "annotation", "comment", "file", "keywords", "keyword", "review", "groups",
    "timestamp", "owner", "bibsource", "biburl", "code", "verba", "verbb", "verbc",
))  # fmt: skip
"""Fields that no check reads as text: decoding an abstract costs more than the rest of the entry."""
_UNPRINTED = _VERBATIM | {
    "mendeley-tags", "mendeley-groups", "date-added", "date-modified", "bdsk-url-1", "ee", "link", "arxivid",
}  # fmt: skip
"""Fields that no style prints; their defects become notes."""
MACRO_OVERFLOW = "macro-overflow"
_NO_PARENTS: Mapping[str, Heir] = MappingProxyType({})
_JOURNALS = frozenset(("journal", "journaltitle"))


_SIGNATURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF-", b"PK\x03\x04", b"RIFF", b"\x1f\x8b")
"""Signatures of images, PDFs and archives."""


class BibtexReader(FileReader):
    """Reader for ``.bib``, ``.bibtex`` and ``.biblatex`` files; see `read_bibtex`."""

    suffixes = frozenset((".bib", ".bibtex", ".biblatex"))
    format = "a BibTeX file"

    def reads(self, head: bytes) -> bool:
        """Accept any content except images, PDFs and archives: BibTeX allows arbitrary text between entries."""
        return not head.startswith(_SIGNATURES)

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a whole file; ``path`` is only used in locations."""
        return read_bibtex(path, data)


BIBTEX = BibtexReader()


def read_bibtex(path: str, data: bytes) -> Bibliography:
    """Parse the bytes of a BibTeX file. Never raises because of the content.

    Field names are in lower case and otherwise as written (``journaltitle`` stays ``journaltitle``). The first of several
    fields with the same name counts, as in BibTeX. Macros are defined by the file (``@string``) or by the standard styles; an
    undefined macro is replaced with its name. ``@comment``, ``@preamble``, text between entries and entries after ``%`` yield
    no reference (see `inputs.bibtex.blocks`). Neither do glossaries and similar entries; a note reports their number.
    ``@xdata`` and ``@set`` entries yield references with their type. Repaired defects are in the reference's ``defects``;
    file-level problems are in the bibliography's ``notes``.
    """
    return Draft(path, data).finished()


class Draft:
    """A file cut into blocks, waiting for definitions from other files before it is turned into references."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.decoded, notes = decode_bytes(data)
        self.text = unify_line_ends(self.decoded)
        self.lines = LineIndex(self.text)
        self.notes = list(notes)
        self.holds_nul = "\0" in self.text
        self.waives = SUPPRESSION_FIELD in self.text.lower()

        self.scanned = scan_blocks(self.text)
        self.entries: list[tuple[ScannedEntry, Heir, list[Defect]]] = []
        self.macros: Mapping[str, str] = {}

    def definitions(self, elsewhere: Mapping[str, str]) -> dict[str, str]:
        """Return the macros that the file defines, by lower-case name. elsewhere: macros of other files."""
        macros = self._macros(elsewhere)
        for block in self.scanned.blocks:
            if block.type == "string":
                _define(block, macros)
        return {name: macros.get(name) or "" for name in self._defined()}

    def missing_macros(self) -> bool:
        """Return True if a value uses a macro that the file does not define."""
        known, macros = self._defined(), Macros()
        return any(
            part.macro and part.text.lower() not in known and macros.get(part.text) is None
            for block in self.scanned.blocks
            for one in block.fields
            for part in one.parts
        )

    def missing_parents(self) -> frozenset[str]:
        """Return the lower-case keys of linked entries that no entry of the file has."""
        blocks = [block for block in self.scanned.blocks if block.type != "string"]
        named: set[str] = set()
        for block in blocks:
            raw = {one.name: "".join(part.text for part in one.parts) for one in block.fields}
            keys = [key for link in _LINKS for key in linked_keys(link, raw)] + granular_keys(raw)
            named.update(key.lower() for key in keys)
        return frozenset(named - {block.key.lower() for block in blocks} - {""})

    def expand(self, elsewhere: Mapping[str, str]) -> list[Heir]:
        """Expand macros, including those of other files, and return the entries before inheritance."""
        self.entries = self._with_values(self.scanned, elsewhere)
        return [heir for _, heir, _ in self.entries]

    def finished(self, parents: Mapping[str, Heir] = _NO_PARENTS) -> Bibliography:
        """Return the references of the file. parents: entries of other files, by key."""
        scanned = self.scanned
        self.notes += [self._defect(problem, note=True) for problem in scanned.notes]
        entries = self.entries or self._with_values(scanned, {})
        inherit([heir for _, heir, _ in entries], parents)
        seen: dict[str, int] = {}
        works: list[tuple[ScannedEntry, Heir, list[Defect]]] = []
        others: list[tuple[ScannedEntry, Heir, list[Defect]]] = []
        for entry in entries:
            block, heir, _ = entry
            (works if block.unreadable or is_bibliography(heir.type, heir.fields) else others).append(entry)
        if others:
            self.notes.append(self._passed_over([block for block, _, _ in others]))
        references = [self._reference(block, heir, defects, seen) for block, heir, defects in works]
        references += [self._lost(offset) for offset in scanned.lost]
        if scanned.lost:
            references.sort(key=lambda reference: reference.location.line)
        if self.holds_nul:
            line = self.lines.line(self.text.index("\0"))
            self.notes.append(
                Defect("nul-byte", "the file contains NUL characters, which are ignored", line, note=True)
            )
        return Bibliography(self.path, tuple(references), tuple(self.notes))

    def _defined(self) -> set[str]:
        return {one.name for block in self.scanned.blocks if block.type == "string" for one in block.fields}

    def _macros(self, elsewhere: Mapping[str, str]) -> Macros:
        """Return the macros of other files that this file does not define."""
        own, macros = self._defined(), Macros(len(self.text))
        for name, text in elsewhere.items():
            if name not in own:
                macros.define(name, text)
        return macros

    def _with_values(
        self, scanned: Blocks, elsewhere: Mapping[str, str]
    ) -> list[tuple[ScannedEntry, Heir, list[Defect]]]:
        """Expand macros in file order and decode all values."""
        macros, all_macros = self._macros(elsewhere), self._macros(elsewhere)
        for block in scanned.blocks:
            if block.type == "string":
                _define(block, all_macros)
        self.macros = {name: all_macros.get(name) or "" for name in (*elsewhere, *self._defined())}
        entries = []
        for block in scanned.blocks:
            if block.type == "string":
                if (kept := _define(block, macros)) and not any(note.code == MACRO_OVERFLOW for note in self.notes):
                    self.notes.append(replace(self._overflow(kept, block.start), note=True))
                self.notes += [self._defect(problem, note=True) for problem in block.problems]
            else:
                entries.append(self._entry(block, macros, all_macros))
        return entries

    def _entry(
        self, block: ScannedEntry, macros: Macros, all_macros: Macros
    ) -> tuple[ScannedEntry, Heir, list[Defect]]:
        """Return the values of a block, from the memory of its text if it has one."""
        first, problems = self.lines.line(block.start), [self._defect(problem) for problem in block.problems]
        if block.values is None or self.holds_nul:
            raw, fields, defects = self._values(block, macros, all_macros)
            return block, Heir(block.key, block.type, fields, raw), problems + defects
        state, left = (macros.state, all_macros.state), macros.left
        known = block.values.get(None) or block.values.get(state)
        if known is None or not macros.spend(known.expanded):
            raw, fields, defects = self._values(block, macros, all_macros)
            relative = tuple(replace(one, line=one.line - first) for one in defects)
            known = EntryValues(raw, fields, relative, left - macros.left)
            if macros.spend(0):
                uses_macros = any(part.macro for one in block.fields for part in one.parts)
                block.values[state if uses_macros else None] = known
        raw, fields = known.raw, known.fields
        if has_links(raw):  # it inherits fields
            raw, fields = dict(raw), dict(fields)
        defects = [replace(one, line=one.line + first) for one in known.defects]
        return block, Heir(block.key, block.type, fields, raw), problems + defects

    def _values(
        self, block: ScannedEntry, macros: Macros, all_macros: Macros
    ) -> tuple[dict[str, str], dict[str, str], list[Defect]]:
        """Return the values as written and as readable text, and their defects."""
        defects: list[Defect] = []
        raw: dict[str, str] = {}
        fields: dict[str, str] = {}
        for name, parts, place in block.fields:
            at = place + block.moved_by
            value, undefined = macros.expand(parts, all_macros)
            for macro in undefined:
                if macros.get(macro) is not None:
                    defects.append(self._overflow(macro, at))
                    continue
                if all_macros.get(macro) is not None:
                    message, left = f"the macro `{macro}` is used before its definition", ""
                else:
                    message = f"undefined macro `{macro}`: put the text in braces or define it with @string"
                    left = macro
                unprinted = name in _UNPRINTED
                defects.append(Defect("undefined-macro", message, self.lines.line(at), note=unprinted, macro=left))
            if name in raw:
                message = f"duplicate field `{name}`: the first one counts"
                defects.append(Defect("duplicate-field", message, self.lines.line(at), note=name in _UNPRINTED))
                continue
            if self.holds_nul:
                value = value.replace("\0", "")
            line = self.lines.line(at)
            raw[name], overlong = written_within_length(name, value, line, block.key)
            fields[name], unreadable = readable_within_length(name, readable_value(name, raw[name]), line, block.key)
            if (told := overlong or unreadable) is not None:
                defects.append(replace(told, note=told.note or name in _UNPRINTED))
            elif name in NAME_FIELDS and separated_otherwise(raw[name]):
                message = f"the names in `{name}` are not separated by “and”, so BibTeX reads several names as one"
                defects.append(Defect("name-separators", message, line))
        return raw, fields, defects

    def _reference(self, block: ScannedEntry, heir: Heir, defects: list[Defect], seen: dict[str, int]) -> Reference:
        line = self.lines.line(block.start)
        if block.unreadable:
            defects.insert(0, Defect("unreadable-entry", block.unreadable, line, fatal=True))
        if block.key:
            if block.key in seen:
                message = f"duplicate key: the entry on line {seen[block.key]} has the same key"
                defects.append(Defect("duplicate-key", message, line))
            else:
                seen[block.key] = line
        defects += [Defect(code, message, line) for code, message in dict.fromkeys(heir.faults)]
        defects += [self._defect(problem, note=True) for problem in block.notes]
        source = self.decoded[block.start : block.end]
        if self.holds_nul and "\0" in source:
            defects.append(Defect("nul-byte", "the entry contains NUL characters, which are ignored", line))
        return Reference(
            key=block.key,
            type=block.type,
            fields=heir.fields,
            location=Location(self.path, line, self.lines.line(max(block.start, block.end - 1))),
            raw=heir.raw,
            text=source,
            defects=tuple(defects),
            macros=self.macros,
            suppressions=self._suppressions(block, heir, line) if self.waives else (),
        )

    def _suppressions(self, block: ScannedEntry, heir: Heir, line: int) -> tuple[Suppression, ...]:
        field = heir.raw.get(SUPPRESSION_FIELD, "")
        return (*beside(self.text, block.start, block.end, line), *in_field(field, line))

    def _lost(self, offset: int) -> Reference:
        """Return a placeholder reference for an entry start that produced nothing."""
        line = self.lines.line(offset)
        end = self.text.find("\n", offset)
        source = self.decoded[offset : end if end >= 0 else len(self.decoded)]
        message = "the entry that starts here was not read"
        defect = Defect("unreadable-entry", message, line, fatal=True)
        return Reference("", "", {}, Location(self.path, line, line), text=source, defects=(defect,))

    def _passed_over(self, blocks: list[ScannedEntry]) -> Defect:
        counts = Counter(block.type for block in blocks)
        kinds = ", ".join(f"{count} @{kind}" for kind, count in counts.items())
        message = f"skipped, because their type is unknown and they have no bibliographic field: {kinds}"
        return Defect("no-bibliography", message, self.lines.line(blocks[0].start), note=True)

    def _overflow(self, macro: str, at: int) -> Defect:
        message = f"the macro `{macro[:100]}` is too long to expand: values that use it contain its name instead"
        return Defect(MACRO_OVERFLOW, message, self.lines.line(at))

    def _defect(self, problem: OffsetDefect, *, note: bool = False) -> Defect:
        return Defect(problem.code, problem.message, self.lines.line(problem.at), note=note)


def _define(block: ScannedEntry, macros: Macros) -> str:
    """Define the macros of the block; return the name of a macro that would have become too long, or `""`."""
    overflow = ""
    for name, parts, _ in block.fields:
        text, kept = macros.expand(parts)
        overflow = overflow or next((macro for macro in kept if macros.get(macro) is not None), "")
        macros.define(name, text)
    return overflow


def reference_of(
    key: str, kind: str, raw: Mapping[str, str], location: Location, text: str, readings: tuple[Reading, ...] = ()
) -> Reference:
    """Return the reference with these values as written."""
    fields = {name: readable_value(name, value) for name, value in raw.items()}
    return Reference(key, kind, fields, location, raw, text, readings=readings)


def readable_value(name: str, value: str) -> str:
    """Return the readable text of a value: LaTeX decoded, blanks collapsed. name: the field, in lower case."""
    if name in _IDENTIFIERS:
        value = unescape(value)
    elif name in _JOURNALS and "\\" in value:
        value = decode(journal_command(value))
    elif name not in _VERBATIM:
        value = decode(value)
    return " ".join(value.split())


def read_together(files: Iterable[tuple[str, bytes]]) -> list[Bibliography]:
    """Return the bibliographies of these files (path for locations, content), in order.

    Files are read one at a time; only a file that depends on another one is kept as a draft until all are read.
    """
    macros: dict[str, str] = {}
    defined_by: dict[str, int] = {}
    waiting: dict[int, tuple[Draft, bytes]] = {}
    done: dict[int, Bibliography] = {}

    def begin(number: int, path: str, data: bytes) -> Bibliography:
        draft = Draft(path, data)
        defined = draft.definitions(macros)
        macros.update((name, text) for name, text in defined.items() if defined_by.setdefault(name, number) == number)
        if draft.missing_macros() or draft.missing_parents():
            waiting[number] = draft, data
            return Bibliography(path, ())
        return draft.finished()

    for number, (path, data) in enumerate(files):
        done[number] = within_budget(path, data, partial(begin, number, path, data))
    wanted = frozenset().union(*(draft.missing_parents() for draft, _ in waiting.values()))
    for number, (draft, _) in waiting.items():  # drafts that use macros of a later file
        macros |= {name: text for name, text in draft.definitions(macros).items() if defined_by[name] == number}
    heirs = [heir for draft, _ in waiting.values() for heir in draft.expand(macros)]
    parents = _parents(wanted, heirs, done)
    while waiting:
        number, (draft, data) = waiting.popitem()
        done[number] = within_budget(draft.path, data, partial(draft.finished, parents))
    return [bibliography for _, bibliography in sorted(done.items())]


def _parents(wanted: frozenset[str], heirs: Iterable[Heir], done: Mapping[int, Bibliography]) -> dict[str, Heir]:
    """Return the entries with these lower-case keys and all entries of the drafts."""
    found: dict[str, Heir] = {}
    if not wanted:
        return found
    for bibliography in done.values():
        for one in bibliography.references:
            if one.key.lower() in wanted:
                found.setdefault(one.key.lower(), Heir(one.key, one.type, dict(one.fields), dict(one.raw)))
    for heir in heirs:
        if heir.key:
            found.setdefault(heir.key.lower(), heir)
    return found
