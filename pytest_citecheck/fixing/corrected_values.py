"""Corrected values of the fields of a reference, and the sources that back them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from textwrap import shorten
from typing import TYPE_CHECKING

from pytest_citecheck.checks import Evaluation, ReferenceCase, fits_type, in_bibtex, macro_for, people_of, unsound
from pytest_citecheck.evidence import (
    Candidate,
    Field,
    independent_sources,
    is_compiler,
    is_own_library,
    is_registry,
    same_venue,
    source_name,
    upstream,
)
from pytest_citecheck.fixing.style import Style, delimited, written_value
from pytest_citecheck.inputs import Source, cited_metadata, find_starts, read_value
from pytest_citecheck.matching import MAYBE_BLANKS, compare_authors, compare_titles, fold, lazy_pattern, worded_as
from pytest_citecheck.model import Absent, CitedMetadata, Finding, NameList, Record, Reference
from pytest_citecheck.rows import Rule, Table, always
from pytest_citecheck.thresholds import SOMETHING_IN_COMMON

if TYPE_CHECKING:
    from pytest_citecheck.inputs import Draft, ScannedEntry

_VENUE_FIELDS = frozenset({"journal", "journaltitle", "booktitle", "maintitle", "eventtitle"})
_IMPRINT = {"volume": "volume", "number": "number", "issue": "number", "pages": "pages", "publisher": "publisher"}
_KINDS: dict[str, Field] = {
    "title": "title", "author": "authors", "editor": "authors", "year": "year", "date": "year", "doi": "identifier",
    **dict.fromkeys((*_VENUE_FIELDS, *_IMPRINT), "venue"),
}  # fmt: skip
_DASHES = lazy_pattern(MAYBE_BLANKS + r"[-‐‑‒–—−]++\s*+")
_SEVERAL = 2
_GIVEN_NAME = "authors-given-name"


@dataclass(frozen=True)
class _Value:
    """A field of a reference that is corrected as in ``meant``, and the records that state its value."""

    case: ReferenceCase
    meant: Reference
    name: str

    @property
    def kind(self) -> Field | None:
        return _KINDS.get(self.name)

    @property
    def value(self) -> str:
        return self.meant.fields.get(self.name, "")

    @cached_property
    def cited(self) -> CitedMetadata:
        return cited_metadata(self.meant)

    @cached_property
    def stating(self) -> list[Candidate]:
        return [
            one
            for one in self.case.candidates
            if not is_own_library(one.record.source)
            and fits_type(self.meant, one.record)
            and _is_meant(one, self.cited)
            and _states(one, self.name, self.value, self.cited)
        ]

    @property
    def first_hand(self) -> list[Candidate]:
        return [one for one in self.stating if not one.record.compiled and not is_compiler(one.upstream)]

    @property
    def registries(self) -> list[Candidate]:
        """Registries have author lists that publishers deposited incomplete: theirs must be the cited record."""
        kind = self.kind
        own = [one for one in self.first_hand if kind and is_registry(one.upstream, kind) and _registered(one)]
        return [one for one in own if kind != "authors" or _gave_out_cited(one)]

    @cached_property
    def preprints(self) -> list[Candidate]:
        """The preprints of the corrected year: witnesses beside a publication."""
        if self.kind != "year" or not self.stating:
            return []
        works = (*self.case.works, *self.case.near_matches)
        return [one for one in works if one.preprint and self.cited.year in one.record.years]

    @property
    def witnesses(self) -> list[Candidate]:
        return [*self.stating, *self.preprints]

    @property
    def seen_there(self) -> bool:
        """True if several sources state the venue or year, one of them first-hand, and none contradicts."""
        kind = self.kind
        if kind not in ("venue", "year") or len({upstream(one.record.source) for one in self.witnesses}) < _SEVERAL:
            return False
        known = self.first_hand or any(not one.record.compiled for one in self.preprints)
        return bool(known) and not _contradicted(self.case, self.cited, self.name, self.value, kind)


_SUPPORT: Table[_Value] = Table(
    "sources of corrections",
    "fix",
    Rule("no field of a work", lambda f: f.kind is None),
    Rule("removed value", lambda f: not f.value, gives=lambda f: _deniers(f.case, f.name)),
    Rule("venue of a preprint", lambda f: f.name in _VENUE_FIELDS and f.cited.preprint,
         gives=lambda f: _archives(f.case, f.cited)),
    Rule("published otherwise",
         lambda f: f.kind in ("title", "authors") and _published_otherwise(f.case, f.stating, f.cited)),
    # Nobody asked for the people whom the entry leaves out.
    Rule("and others", lambda f: f.kind == "authors" and f.case.cited.people.others and not f.cited.people.others),
    Rule("registry", lambda f: f.registries, gives=lambda f: _named(f.registries)),
    Rule("other identifier", lambda f: f.kind == "identifier" and f.case.reference.fields.get(f.name),
         gives=lambda f: () if _other_dois(f.case, f.value) else _named(f.first_hand)),
    Rule("other people", lambda f: f.kind == "authors" and not _all_stay(f.case.cited.people, f.cited.people)),
    Rule("independent sources", lambda f: independent_sources({one.upstream for one in f.first_hand}) >= _SEVERAL,
         gives=lambda f: _named(f.first_hand)),
    Rule("several sources of venue or year", lambda f: f.seen_there, gives=lambda f: _named(f.witnesses)),
    Rule("too few sources", always),
)  # fmt: skip


def supporting_sources(case: ReferenceCase, meant: Reference, name: str) -> tuple[str, ...]:
    """Names of the sources that back the value of this field in ``meant``; empty if they are too few."""
    facts = _Value(case, meant, name)
    rule = _SUPPORT.deciding(facts)
    return tuple(rule.gives(facts)) if rule.gives else ()


def _named(candidates: Iterable[Candidate]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(source_name(one.record.source) for one in candidates))


def _is_meant(candidate: Candidate, cited: CitedMetadata) -> bool:
    """Return True if a record is of the cited work, or would be if the correction stood."""
    if candidate.relation in ("work", "near"):
        return True
    if candidate.relation == "target":
        return bool(candidate.matched_identifier)
    return candidate.relation == "similar" and _same_title(candidate, cited.title) and _same_people(candidate, cited)


def _registered(candidate: Candidate) -> bool:
    record = candidate.record
    return bool(
        record.doi or record.arxiv or record.pmid or candidate.compared.same_number or candidate.matched_identifier
    )


def _gave_out_cited(candidate: Candidate) -> bool:
    """True for the record that a cited identifier leads to, by the source that gave the identifier out."""
    own = {"arxiv": "arxiv", "dblp": "dblp"}
    kept = own.get(candidate.matched_identifier, "")
    return (
        candidate.upstream == kept
        if kept
        else bool(candidate.matched_identifier) and not candidate.upstream.startswith("dblp")
    )


def _same_title(candidate: Candidate, title: str) -> bool:
    record = candidate.record
    return compare_titles(title, record.title, record.subtitle, record.other_titles).relation == "same"


def _same_people(candidate: Candidate, cited: CitedMetadata, *, but_given_names: bool = False) -> bool:
    compared = compare_authors(cited.people, people_of(candidate.record, edited=cited.edited))
    return not compared.abstain and (not compared.code or (but_given_names and compared.code == _GIVEN_NAME))


def _other_dois(case: ReferenceCase, value: str) -> bool:
    """True if records of the cited work have different DOIs. In two collections that state DOIs, 32,538 of 32,566 works
    agree, so one record is enough to replace a DOI that is wrong."""
    works = (one.record for one in (*case.works, *case.near_matches) if not (one.preprint or one.record.compiled))
    return any(record.doi not in ("", value) for record in works)


def _all_stay(before: NameList, after: NameList) -> bool:
    """True if a corrected list has everybody of the cited one, in that order. Lists of proceedings have the order and the people
    of one of several versions, so others are replaced only by the registry of the cited work."""
    places = [j for i, j, _ in compare_authors(before, after.names).pairs if i is not None]
    found = [place for place in places if place is not None]
    return len(found) == len(places) and found == sorted(found)


def _published_otherwise(case: ReferenceCase, stating: list[Candidate], cited: CitedMetadata) -> bool:
    """Return True if a publication is cited, and its records have other people or another title than the preprint that states
    these."""
    if cited.preprint or any(not one.preprint for one in stating):
        return False
    works = [one for one in (*case.works, *case.near_matches) if not one.preprint and one.record.authors]
    return any(not _same_title(one, cited.title) or not _same_people(one, cited, but_given_names=True) for one in works)


def _states(candidate: Candidate, name: str, value: str, cited: CitedMetadata) -> bool:
    record, kind = candidate.record, _KINDS[name]
    if kind == "title":
        return _same_title(candidate, value)
    if kind == "authors":
        return _same_people(candidate, cited)
    if kind == "year":
        return cited.year in record.years and (not candidate.preprint or cited.preprint or not cited.venue)
    if kind == "identifier":
        return record.doi == value
    if name in _VENUE_FIELDS:
        return not candidate.preprint and same_venue(value, record) == "same"
    return _plain(str(getattr(record, _IMPRINT[name]))) == _plain(value)


def _plain(text: str) -> str:
    return fold(_DASHES.sub("-", text))


def _contradicted(case: ReferenceCase, cited: CitedMetadata, name: str, value: str, kind: Field) -> bool:
    """Return True if a record that may convict has the published work elsewhere, or in no year near this one."""
    works = [one for one in (*case.works, *case.near_matches) if not one.preprint and not one.record.compiled]
    if kind == "year":
        return any(one.record.years and cited.year not in one.record.years for one in works)
    return name in _VENUE_FIELDS and any(same_venue(value, one.record) == "different" for one in works)


def _archives(case: ReferenceCase, cited: CitedMetadata) -> tuple[str, ...]:
    """Archives of the preprint that is cited in place of a publication."""
    kept = [one for one in (*case.works, *case.near_matches) if one.preprint and not one.record.compiled]
    arxiv = cited.identifiers.arxiv
    return _named(one for one in kept if is_registry(one.upstream, "title") and arxiv and one.record.arxiv == arxiv)


def _deniers(case: ReferenceCase, name: str) -> tuple[str, ...]:
    """Registries that report that the identifier in this field does not exist, or belongs to another work."""
    doi = case.cited.identifiers.doi
    if name != "doi" or not doi:
        return ()
    asked = [one for one in case.asked("doi") if one.query.value == doi]
    denied = [one.source for one in asked if isinstance(one.answer, Absent) and one.answer.scope]
    others = [
        one.record.source
        for one in case.identifier_targets
        if one.matched_identifier == "doi" and not one.record.compiled
    ]
    return tuple(dict.fromkeys(source_name(source) for source in (*denied, *others)))


_EQUALS = lazy_pattern(r"[^={}\",]+=\s*")
_TYPE = lazy_pattern(r"@[ \t]*([^\W\d_][\w-]*)")


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """A field: the offset of its name, and start and end of its value with its delimiters."""

    name: str
    at: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EntryPlace:
    """An entry: start and end, start and end of the word after the ``@``, and its fields in their order; of a repeated field the
    first."""

    start: int
    end: int
    type: tuple[int, int]
    fields: Mapping[str, FieldPlace]


class Layout:
    """Well-formed entries of a file, by their place; others are not edited.

    Offsets refer to the decoded text: `inputs.base.unify_line_ends` moves no character.
    """

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._source = Source(draft.text, find_starts(draft.text))
        self._blocks = {
            (draft.lines.line(block.start), block.key): block
            for block in reversed(draft.scanned.blocks)
            if block.type != "string"
        }

    def place(self, reference: Reference) -> EntryPlace | None:
        """The place of this reference of the file; None if its entry is badly written, or is not in this text."""
        block = self._blocks.get((reference.location.line, reference.key))
        if block is None or block.problems or block.unreadable:
            return None
        if self._draft.decoded[block.start : block.end] != reference.text:
            return None
        word = _TYPE.match(self._draft.text, block.start)
        fields = list(self._fields(block))
        if word is None or len(fields) != len(block.fields):
            return None
        return EntryPlace(block.start, block.end, word.span(1), {field.name: field for field in reversed(fields)})

    def _fields(self, block: ScannedEntry) -> Iterator[FieldPlace]:
        for name, parts, at in block.fields:
            head = _EQUALS.match(self._draft.text, at, block.end)
            if head is None:
                return
            value = read_value(self._source, head.end(), block.end, name)
            if value.problems or value.cut or value.parts != parts:
                return
            yield FieldPlace(name, at, head.end(), value.end)


TYPE = "@"
"""The name under which a correction gives an entry another type."""
Edit = tuple[int, int, str]
"""Start and end of a piece of the text, and what replaces it."""

_COMMA = lazy_pattern(r"[ \t]*,")
_LINE_END = lazy_pattern(r"[ \t]*(?: \n|\r\n|\n|\r|$)")
_NEW_LINE = lazy_pattern(r"\r\n|\n|\r")


def entry_edits(
    text: str, place: EntryPlace, reference: Reference, fixes: Mapping[str, str], style: Style
) -> list[Edit]:
    """The edits that give the fields of an entry these values; an empty value removes the field.

    text: decoded text of the file. A new field is written after the last one, in the same style. Inherited fields are
    not edited. Raises ValueError if a value cannot be written.
    """
    edits: list[Edit] = []
    added: list[tuple[str, str]] = []
    for name, value in fixes.items():
        if name == TYPE:
            edits.append((*place.type, value))
            continue
        field = place.fields.get(name)
        if field is None and name in reference.fields:
            raise ValueError(f"`{name}` is inherited from another entry")
        if any(sign in value for sign in "{}\\") and name not in ("author", "editor"):
            raise ValueError(f"the value of `{name}` contains a brace or a backslash")
        if field is None and value:
            added.append((name, _value(reference, name, value, fixes, "", style)))
        elif field is not None and value:
            before = text[field.start : field.end]
            edits.append((field.start, field.end, _value(reference, name, value, fixes, before, style)))
        elif field is not None:
            edits.append(_removal(text, field, place))
    if added:
        edits.append(_insertion(text, place, added))
    return edits


def _value(reference: Reference, name: str, value: str, fixes: Mapping[str, str], before: str, style: Style) -> str:
    macro = macro_for(reference, name, value, fixes.get("year", reference.fields.get("year", "")))
    return macro or delimited(before, written_value(reference, name, value, style))


def _removal(text: str, field: FieldPlace, place: EntryPlace) -> Edit:
    """The field with its comma, and its line if it is alone on it. The last field takes the comma before it."""
    start, end = field.at, field.end
    comma = _COMMA.match(text, end)
    if comma:
        end = comma.end()
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    rest = _LINE_END.match(text, end)
    if not text[line:start].strip() and rest and line > place.start:
        return (line, rest.end(), "")
    if rest:  # the last one on its line
        return (line + len(text[line:start].rstrip()), end, "")
    return (start, end + len(text[end:]) - len(text[end:].lstrip(" \t")), "")


def _insertion(text: str, place: EntryPlace, added: Iterable[tuple[str, str]]) -> Edit:
    """The new fields after the last one of the entry: indented, aligned, delimited and ended like it."""
    last = max(place.fields.values(), key=lambda field: field.at)
    line = max(text.rfind("\n", 0, last.at), text.rfind("\r", 0, last.at)) + 1
    alone = not text[line : last.at].strip() and line > place.start
    indent = text[line : last.at] if alone else ""
    ends = _NEW_LINE.search(text, place.start, last.at)
    gap = f"{ends[0] if ends else chr(10)}{indent}" if alone else " "
    left, _, right = text[last.at : last.start].partition("=")
    heads = [text[field.at : field.start].partition("=")[0] for field in place.fields.values()]
    aligned = len({len(head) for head in heads}) == 1 and len({len(head.rstrip()) for head in heads}) > 1
    blanks = left[len(left.rstrip()) :]
    comma = _COMMA.match(text, last.end)
    written = "".join(
        f"{gap}{name.ljust(len(left)) if aligned else name + blanks}={right}{value}," for name, value in added
    )
    if comma:
        return (comma.end(), comma.end(), written)
    return (last.end, last.end, f",{written.removesuffix(',')}")


_FIELDS = {"article": "journal", "inproceedings": "booktitle"}
"""Types of records, and the field for the name of their container."""
_VENUES = ("journal", "journaltitle", "booktitle", "howpublished")
_OF_THE_PREPRINT = ("number", "volume", "pages", "publisher", "institution")


def published_version(evaluation: Evaluation) -> tuple[Finding, Mapping[str, str]] | None:
    """Finding that a preprint has been published, and the fields of its publication; None without one."""
    finding = evaluation.findings["venue"]
    if finding.code != "venue-preprint-published":
        return None
    published = (work.record for work in evaluation.case.works if not work.preprint and not work.record.compiled)
    usable = (one for one in published if one.type in _FIELDS and one.years and one.venues)
    record = next(usable, None)
    return (finding, _as_published(evaluation.case.reference, record)) if record is not None else None


def _as_published(reference: Reference, record: Record) -> dict[str, str]:
    fields = reference.fields
    name = _FIELDS[record.type]
    if name == "journal" and "journaltitle" in fields:
        name = "journaltitle"
    fixes: dict[str, str] = {} if reference.type == record.type else {TYPE: record.type}
    fixes |= {field: "" for field in (*_VENUES, *_OF_THE_PREPRINT) if field in fields and field != name}
    fixes[name] = worded_as("", record.venues, record.years[0])
    fixes |= {part: str(getattr(record, part)) for part in ("volume", "number", "pages") if getattr(record, part)}
    year = "year" if "year" in fields or "date" not in fields else "date"
    if str(record.years[0]) != fields.get(year):
        fixes[year] = str(record.years[0])
    if record.doi and not record.doi.startswith("10.48550/"):
        fixes["doi"] = record.doi
    return fixes


_ADDED = "doi-to-add"
_SHOWN = 80
"""Characters of a value in a message."""


def _none_waived(reference: Reference, finding: Finding) -> bool:  # noqa: ARG001
    return False


@dataclass(frozen=True, slots=True)
class FieldEdit:
    """Selection of corrections by check or code (none: all).

    add_doi: add missing DOIs. unsafe: include uncertain corrections. upgrade: replace preprints that have been
    published. picked: a person saw the values and picked them. waived: True if a finding on a reference is waived.
    """

    select: frozenset[str] = frozenset()
    add_doi: bool = False
    unsafe: bool = False
    upgrade: bool = False
    picked: bool = False
    waived: Callable[[Reference, Finding], bool] = _none_waived

    def covers(self, finding: Finding) -> bool:
        return not self.select or not self.select.isdisjoint({finding.check, *finding.codes})


@dataclass(frozen=True, slots=True)
class Correction:
    """A field and its correct value; an empty one removes the field.

    check, code: of the finding. sources: display names of those that back the value; empty if it is uncertain.
    """

    field: str
    value: str
    check: str
    code: str
    sources: tuple[str, ...]

    @property
    def certain(self) -> bool:
        return bool(self.sources)


def corrections(evaluation: Evaluation, wanted: FieldEdit, original: Reference | None = None) -> tuple[Correction, ...]:
    """The corrections of one reference; only certain ones, unless others are wanted. original: the reference before
    any.

    Corrections of one finding belong together: a venue is not corrected if its new year is uncertain.
    """
    found: dict[str, Correction] = {}
    for finding, fixes in _proposals(evaluation, wanted):
        is_earned = finding.outcome == "failed" or not finding.evidence  # else too many of these corrections are wrong
        if not (is_earned or wanted.picked) or not wanted.covers(finding):
            continue
        if wanted.waived(original or evaluation.case.reference, finding):
            continue
        group = _with_sources(evaluation.case, finding, fixes, found)
        if group and (wanted.unsafe or wanted.picked or all(one.certain for one in group)):
            for one in group:
                found.setdefault(one.field, one)
    return tuple(found.values())


def why_not_corrected(evaluation: Evaluation, wanted: FieldEdit, original: Reference) -> str:
    """Reasons why failed checks of a reference, and those with single evidence, lead to no correction; empty without
    any."""
    failed = [one for one in evaluation.findings.values() if _speaks_against(one)]
    covered = [one for one in failed if wanted.covers(one) and not wanted.waived(original, one)]
    if not covered:
        return ""
    codes = ", ".join(dict.fromkeys(one.code for one in covered))
    proposals = [fixes for finding, fixes in _proposals(evaluation, wanted) if finding in covered]
    uncertain = {name: value for fixes in proposals for name, value in fixes.items()}
    if uncertain:
        values = "; ".join(
            f"{name} = {{{shorten(value, _SHOWN, placeholder=' …')}}}" if value else f"no {name}"
            for name, value in uncertain.items()
        )
        if all(one.outcome != "failed" for one in covered):
            return f"{codes}: only one record supports {values}; if it is right, correct the entry yourself"
        return f"{codes}: too few sources support {values}; pass --unsafe to write it"
    return f"{codes}: no correction is known"


def corrected_reference(reference: Reference, fixes: Mapping[str, str]) -> Reference:
    """The reference as it would be read with these values."""
    kept = {name: value for name, value in reference.fields.items() if fixes.get(name, value)}
    raw = {name: value for name, value in reference.raw.items() if fixes.get(name, value)}
    given = {name: value for name, value in fixes.items() if value and name != TYPE}
    return replace(reference, fields={**kept, **given}, raw={**raw, **given})


def _proposals(evaluation: Evaluation, wanted: FieldEdit) -> Iterator[tuple[Finding, Mapping[str, str]]]:
    if wanted.upgrade and (upgraded := published_version(evaluation)):
        yield upgraded
    for finding in evaluation.findings.values():
        if _speaks_against(finding) or (wanted.add_doi and finding.code == _ADDED):
            fixes = finding.fixes or _of_the_identifier(evaluation.case, finding)
            written = evaluation.case.reference.fields
            fixes = {name: value for name, value in fixes.items() if value != written.get(name, "")}
            if fixes and not unsound(evaluation.case.reference, fixes, finding.record):
                yield finding, fixes


def _speaks_against(finding: Finding) -> bool:
    return finding.outcome == "failed" or finding.evidence is not None


def _of_the_identifier(case: ReferenceCase, finding: Finding) -> dict[str, str]:
    """Title and authors of the work of the cited DOI, if venue, year and pages match that work.

    A completely different title is a citation of another work, which no source has.
    """
    if finding.code != "doi-other-work":
        return {}
    cited, fields = case.cited, case.reference.fields
    for target in case.identifier_targets:
        record = target.record
        pages = [part for part in fields.get("pages", "").replace("–", "-").split("-") if part]
        same_pages = pages and pages == [part for part in record.pages.replace("–", "-").split("-") if part]
        dated = cited.year in record.years and same_venue(cited.venue, record) == "same"
        if (
            target.matched_identifier == "doi"
            and same_pages
            and dated
            and target.title.similarity >= SOMETHING_IN_COMMON
        ):
            if not record.authors_complete or record.compiled:
                continue
            return {"title": target.title.found, "author": " and ".join(map(in_bibtex, record.authors))}
    return {}


def _with_sources(
    case: ReferenceCase, finding: Finding, fixes: Mapping[str, str], earlier: Mapping[str, Correction]
) -> list[Correction]:
    meant = corrected_reference(case.reference, {**{one.field: one.value for one in earlier.values()}, **fixes})
    stated = {name: supporting_sources(case, meant, name) for name, value in fixes.items() if value and name != TYPE}
    group = [Correction(name, fixes[name], finding.check, finding.code, names) for name, names in stated.items()]
    controls = group[0].sources if group else ()
    for name, value in fixes.items():
        if not value or name == TYPE:  # corrected together with others; alone, it needs an absence from a registry
            names = controls or supporting_sources(case, meant, name)
            group.append(Correction(name, value, finding.check, finding.code, names))
    return group
