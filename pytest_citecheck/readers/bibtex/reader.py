"""The reader of BibTeX and biblatex files.

The grammar is that of BibTeX (O. Patashnik, *BibTeXing*, 1988, and ``bibtex.web``) with the fields of biblatex. Sound
entries are parsed by bibtexparser, damaged and doubtful ones by a scanner of our own that repairs what it can. Every entry
of the file ends as one reference: read rightly, repaired and marked with a defect, or marked as unreadable.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_citecheck.model import Defect, Location, Reference, Suppression
from pytest_citecheck.readers.base import Bibliography
from pytest_citecheck.readers.bibtex.blocks import Blocks, scan_blocks
from pytest_citecheck.readers.bibtex.inherit import Heir, inherit
from pytest_citecheck.readers.bibtex.kinds import is_bibliography
from pytest_citecheck.readers.bibtex.macros import Macros, journal_command
from pytest_citecheck.readers.bibtex.names import NAME_FIELDS, separated_otherwise
from pytest_citecheck.readers.content import SUPPRESSION_FIELD
from pytest_citecheck.readers.encoding import decode_bytes
from pytest_citecheck.readers.field_lengths import readable_within_length, written_within_length
from pytest_citecheck.readers.lines import LineIndex, unify_line_ends
from pytest_citecheck.readers.suppressions import beside, in_field
from pytest_citecheck.text.latex import decode, unescape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_citecheck.readers.bibtex.entry import ScannedEntry
    from pytest_citecheck.readers.bibtex.value import OffsetDefect

__all__ = ["BIBTEX", "BibtexReader", "Draft", "read_bibtex", "readable_value"]

_IDENTIFIERS = frozenset((
    "doi", "url", "urls", "eprint", "arxivid", "arxiv", "isbn", "issn", "pmid", "pmcid", "pages", "eid",
    "year", "date", "urldate", "volume", "number", "archiveprefix", "primaryclass", "eprinttype",
    "eprintclass", "crossref", "xref", "xdata", "ids", "related", "zblnumber", "mrnumber", "lccn",
    "bibcode", "adsurl",
))  # fmt: skip
"""Fields in which LaTeX only escapes characters."""
_VERBATIM = frozenset((
    "abstract", "annote", "annotation", "comment", "file", "keywords", "keyword", "review", "groups",
    "timestamp", "owner", "bibsource", "biburl", "code", "verba", "verbb", "verbc",
))  # fmt: skip
"""Fields that no check reads as text: decoding an abstract costs more than the rest of the entry."""
_UNPRINTED = _VERBATIM | {
    "mendeley-tags", "mendeley-groups", "date-added", "date-modified", "bdsk-url-1", "ee", "link", "arxivid",
}  # fmt: skip
"""Fields that no style prints: what is wrong with them is a note."""
MACRO_OVERFLOW = "macro-overflow"
_NO_PARENTS: Mapping[str, Heir] = MappingProxyType({})
_JOURNALS = frozenset(("journal", "journaltitle"))


_SIGNATURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF-", b"PK\x03\x04", b"RIFF", b"\x1f\x8b")
"""The first bytes of images, PDFs and archives."""


class BibtexReader:
    """Reads ``.bib``, ``.bibtex`` and ``.biblatex`` files; see `read_bibtex`."""

    suffixes = frozenset((".bib", ".bibtex", ".biblatex"))
    format = "a BibTeX file"
    lenient = True

    def reads(self, head: bytes) -> bool:
        """Accept any content except images, PDFs and archives: BibTeX allows arbitrary text between entries."""
        return not head.startswith(_SIGNATURES)

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a whole file; ``path`` is only repeated in locations."""
        return read_bibtex(path, data)


BIBTEX = BibtexReader()


def read_bibtex(path: str, data: bytes) -> Bibliography:
    """Read a BibTeX file from its bytes. Never raises on account of the content.

    Field names are in lower case and otherwise as written (``journaltitle`` stays ``journaltitle``). Of a repeated field
    the first counts, as in BibTeX. Macros may be defined by the file (``@string``) or by the standard styles; an
    undefined one leaves its name. ``@comment``, ``@preamble``, text between entries and entries after ``%`` yield no
    reference (see `readers.bibtex.blocks`), nor do glossaries and the like, which a note counts;
    ``@xdata`` and ``@set`` entries do, with their type. Every defect that was repaired stands in the reference's ``defects``;
    what concerns the file is in the bibliography's ``notes``.
    """
    return Draft(path, data).finished()


class Draft:
    """A file cut into blocks, of which references are made when it is known what other files define."""

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
        """The macros that the file defines, by their names in lower case. elsewhere: those of other files."""
        macros = self._macros(elsewhere)
        for block in self.scanned.blocks:
            if block.type == "string":
                _define(block, macros)
        return {name: macros.get(name) or "" for name in self._defined()}

    def missing_macros(self) -> bool:
        """Whether a value names a macro that the file does not define."""
        known, macros = self._defined(), Macros()
        return any(
            part.macro and part.text.lower() not in known and macros.get(part.text) is None
            for block in self.scanned.blocks
            for one in block.fields
            for part in one.parts
        )

    def missing_parents(self) -> frozenset[str]:
        """The keys in lower case that ``crossref`` and ``xdata`` name and no entry of the file has."""
        blocks = [block for block in self.scanned.blocks if block.type != "string"]
        named = {
            key.strip().lower()
            for block in blocks
            for one in block.fields
            if one.name in ("crossref", "xdata")
            for key in "".join(part.text for part in one.parts).split(",")
        }
        return frozenset(named - {block.key.lower() for block in blocks} - {""})

    def expand(self, elsewhere: Mapping[str, str]) -> list[Heir]:
        """Expand the macros, those of other files too; the entries, which inherit from no other yet."""
        self.entries = self._with_values(self.scanned, elsewhere)
        return [heir for _, heir, _ in self.entries]

    def finished(self, parents: Mapping[str, Heir] = _NO_PARENTS) -> Bibliography:
        """The references of the file. parents: entries of other files, by key."""
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
        """The macros of other files, of which this one defines none."""
        own, macros = self._defined(), Macros(len(self.text))
        for name, text in elsewhere.items():
            if name not in own:
                macros.define(name, text)
        return macros

    def _with_values(
        self, scanned: Blocks, elsewhere: Mapping[str, str]
    ) -> list[tuple[ScannedEntry, Heir, list[Defect]]]:
        """Expand macros in the order of the file and decode all values."""
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
        defects = [self._defect(problem) for problem in block.problems]
        raw: dict[str, str] = {}
        fields: dict[str, str] = {}
        for name, parts, at in block.fields:
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
                message = f"the names in `{name}` are not separated by “and”, so that BibTeX takes several for one"
                defects.append(Defect("name-separators", message, line))
        return block, Heir(block.key, block.type, fields, raw), defects

    def _reference(self, block: ScannedEntry, heir: Heir, defects: list[Defect], seen: dict[str, int]) -> Reference:
        line = self.lines.line(block.start)
        if block.unreadable:
            defects.insert(0, Defect("unreadable-entry", block.unreadable, line, fatal=True))
        if block.key:
            if block.key in seen:
                message = f"duplicate key: the entry on line {seen[block.key]} has the same one"
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
        """The reference that stands for the start of an entry for which nothing was produced."""
        line = self.lines.line(offset)
        end = self.text.find("\n", offset)
        source = self.decoded[offset : end if end >= 0 else len(self.decoded)]
        message = "the entry that starts here was not read"
        defect = Defect("unreadable-entry", message, line, fatal=True)
        return Reference("", "", {}, Location(self.path, line, line), text=source, defects=(defect,))

    def _passed_over(self, blocks: list[ScannedEntry]) -> Defect:
        counts = Counter(block.type for block in blocks)
        kinds = ", ".join(f"{count} @{kind}" for kind, count in counts.items())
        message = f"passed over, as no style knows the type and no field is of a bibliography: {kinds}"
        return Defect("no-bibliography", message, self.lines.line(blocks[0].start), note=True)

    def _overflow(self, macro: str, at: int) -> Defect:
        message = f"the macro `{macro[:100]}` is too long to expand: values that use it contain its name instead"
        return Defect(MACRO_OVERFLOW, message, self.lines.line(at))

    def _defect(self, problem: OffsetDefect, *, note: bool = False) -> Defect:
        return Defect(problem.code, problem.message, self.lines.line(problem.at), note=note)


def _define(block: ScannedEntry, macros: Macros) -> str:
    """Define what the block defines; returns the name of a macro that would have made it too long, empty if there is none."""
    overflow = ""
    for name, parts, _ in block.fields:
        text, kept = macros.expand(parts)
        overflow = overflow or next((macro for macro in kept if macros.get(macro) is not None), "")
        macros.define(name, text)
    return overflow


def readable_value(name: str, value: str) -> str:
    """The text that a value of this field (name in lower case) stands for: LaTeX decoded, blanks squeezed."""
    if name in _IDENTIFIERS:
        value = unescape(value)
    elif name in _JOURNALS and "\\" in value:
        value = decode(journal_command(value))
    elif name not in _VERBATIM:
        value = decode(value)
    return " ".join(value.split())
