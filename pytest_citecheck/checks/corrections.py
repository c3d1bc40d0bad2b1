"""Corrections of venues, years and missing fields. Values that the record does not contradict stay.

Only sound corrections are offered: no damaged names, no repository as a venue, no value that contradicts other
fields of the entry.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

from pytest_citecheck.checks.base import ReferenceCase, finding
from pytest_citecheck.checks.codes import Severity, default_severity
from pytest_citecheck.evidence import Candidate, is_project, same_venue
from pytest_citecheck.inputs import NAME_FIELDS, name_list, separated_otherwise
from pytest_citecheck.matching import (
    MAYBE_BLANKS,
    compare_venues,
    decode,
    fold,
    foreign_publisher,
    foreign_registrant,
    is_publisher,
    is_repository,
    lazy_pattern,
    lookup,
    match_doi,
    normalise_doi,
    parse,
    without_affiliations,
    worded_as,
)
from pytest_citecheck.model import Defect, Finding, NameList, Person, Record, Reference

_STATED = {"volume": "volume", "number": "number", "issue": "number", "pages": "pages"}
"""Fields of an entry, with the corresponding attributes of a record."""
_OF_THE_VENUE = ("eid", "articleno", "isbn", "issn")
"""Fields of an entry that are wrong if its venue is, and for which records have no replacement."""
_JOURNAL_FIELDS = ("journal", "journaltitle")
_VENUE_FIELDS = (*_JOURNAL_FIELDS, "booktitle", "maintitle", "eventtitle")
_YEAR = lazy_pattern(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NAMES = ("author", "editor")
_PUBLISHERS = ("publisher", "organization", "series")
_TYPES: dict[str, frozenset[str]] = {
    "article": frozenset({"article", "inproceedings", "preprint", "submission"}),
    **dict.fromkeys(
        ("inproceedings", "conference"), frozenset({"inproceedings", "article", "chapter", "preprint", "submission"})
    ),
    **dict.fromkeys(("incollection", "inbook", "inreference"), frozenset({"chapter", "inproceedings", "book"})),
    **dict.fromkeys(("book", "mvbook", "collection", "proceedings"), frozenset({"book", "proceedings"})),
    **dict.fromkeys(("thesis", "phdthesis", "mastersthesis"), frozenset({"thesis"})),
    **dict.fromkeys(("techreport", "report"), frozenset({"report", "preprint"})),
}
"""Types of entries, and of the records whose values they can have."""
_SHORTEST_WORD = 2
_SEVERAL_WORDS = 2
_DASHES = lazy_pattern(MAYBE_BLANKS + r"[-‐‑‒–—−]+\s*")


def of_other_venue(case: ReferenceCase, record: Record | None, venue: str) -> dict[str, str]:
    """Fixes for an entry with a wrong venue; ``venue`` is the correct one in the style of the cited one.

    record: the work in that venue; None without a record. The year is also the record's, unless the cited one fits.
    Volume, number and pages change if the record has different ones; fields that it lacks stay if the others agree.
    Publisher and organization follow the venue; numbers of the wrong venue are removed.
    """
    fields = case.reference.fields
    other_year = record is not None and record.years and case.cited.year not in (None, *record.years)
    year = record.years[0] if record is not None and other_year else None
    names = (venue, *(record.venues if record is not None else ()))
    fixes = {case.cited.venue_field: worded_as(fields.get(case.cited.venue_field, ""), names, year)}
    fixes |= dict.fromkeys((name for name in _OF_THE_VENUE if fields.get(name)), "")
    fixes |= _publishers(case, record, venue)
    if record is not None:
        stated = _stated(case, record)
        if any(
            value != fields[name] for name, value in stated.items()
        ):  # so the other fields also belong to the cited venue
            fixes |= dict.fromkeys((name for name in _STATED if fields.get(name)), "")
        fixes |= stated
        if year is not None:
            fixes[year_field(case)] = str(year)
    return _changes(case, fixes)


def _publishers(case: ReferenceCase, record: Record | None, venue: str) -> dict[str, str]:
    """Return the publisher of the correct venue: the one in its name, otherwise the one in the record."""
    stated = record.publisher if record is not None else ""
    found: dict[str, str] = {}
    for name in ("publisher", "organization"):
        cited = case.reference.fields.get(name, "")
        if cited and name != case.cited.venue_field and fold(cited) not in fold(f"{venue} {stated}"):
            found[name] = stated if name == "publisher" else ""
    return found


def as_preprint(case: ReferenceCase, record: Record) -> dict[str, str]:
    """Return the fixes for a preprint cited with a venue where it did not appear: cite it as an arXiv preprint.

    Volume, number, pages and publisher of the cited venue are removed; a year without a version becomes the year of the first
    version.
    """
    if not record.arxiv:
        return {}
    fields = case.reference.fields
    fixes = {case.cited.venue_field: f"arXiv preprint arXiv:{record.arxiv}"}
    fixes |= dict.fromkeys(
        (name for name in (*_OF_THE_VENUE, *_STATED, "publisher", "organization") if fields.get(name)), ""
    )
    if record.years and case.cited.year not in record.years:
        fixes[year_field(case)] = str(record.years[0])
    return _changes(case, fixes)


def of_other_place(case: ReferenceCase, record: Record) -> dict[str, str]:
    """Fixes for an entry with the volume or pages of another work: volume, number and pages of the record."""
    return _changes(case, _stated(case, record))


def of_other_year(case: ReferenceCase, record: Record) -> dict[str, str]:
    """Fixes for an entry with the year of another version: the record's year, and its volume, number and pages if it is
    from the cited venue."""
    fixes = {year_field(case): str(record.years[0])}
    if same_venue(case.cited.venue, record) == "same":
        fixes |= _stated(case, record)
    return _changes(case, fixes)


def macro_for(reference: Reference, name: str, value: str, year: str) -> str:
    """Return the file's macro for the correct venue, or an empty string. year: year of the corrected entry, the
    only year allowed in the text of the macro."""
    if name not in _VENUE_FIELDS:
        return ""
    for macro, text in reference.macros.items():
        meant = decode(text)
        years = set(_YEAR.findall(meant))
        if meant and years <= {year} and (meant == value or compare_venues(meant, value) == "same"):
            return macro
    return ""


def year_field(case: ReferenceCase) -> str:
    """Name of the field with the year of the entry."""
    return "year" if case.reference.fields.get("year") or not case.reference.fields.get("date") else "date"


def missing_field(case: ReferenceCase, name: str) -> tuple[str, Record] | None:
    """Return the value of a missing field and the record that has it; None if no record does."""
    works = (*case.works, *case.near_matches)
    if name not in ("year", "date") and case.cited.year is not None:
        works = tuple(work for work in works if case.cited.year in work.record.years)  # others belong to other versions
    # Prefer a version of the cited kind: a preprint and its publication have different years.
    for work in sorted(works, key=lambda work: work.preprint != case.cited.preprint):
        if value := _as_field(work.record, name, published=not work.preprint):
            return value, work.record
    return None


def _as_field(record: Record, name: str, *, published: bool) -> str:
    if name in ("year", "date"):
        return str(record.years[0]) if record.years and not is_project(record) else ""
    if name == "publisher":
        return record.publisher
    if name == "author" and record.authors_complete:
        return " and ".join(in_bibtex(person) for person in without_affiliations(record.authors))
    fits = record.type not in ("inproceedings", "chapter") if name in _JOURNAL_FIELDS else record.type != "article"
    named = record.venues and not (is_publisher(record.venues[0]) or is_repository(record.venues[0]))
    return (
        worded_as("", record.venues, None)
        if named and published and fits and name in (*_JOURNAL_FIELDS, "booktitle")
        else ""
    )


def in_bibtex(person: Person) -> str:
    """Return a name in BibTeX notation: family name, suffix, given names."""
    if person.group:
        return f"{{{person}}}"
    name = parse(person)
    family = f"{name.particles} {name.family}".strip()
    return ", ".join(part for part in (family, name.suffix, " ".join(name.given)) if part)


def _stated(case: ReferenceCase, record: Record) -> dict[str, str]:
    """Volume, number and pages as the record has them, of those that the entry has; as cited where only dashes differ."""
    found = {}
    for name, part in _STATED.items():
        cited, stated = case.reference.fields.get(name, ""), str(getattr(record, part))
        if cited and stated:
            same = _DASHES.sub("-", cited) == _DASHES.sub("-", stated)
            found[name] = cited if same else _DASHES.sub("--", stated) if name == "pages" else stated
    return found


def _changes(case: ReferenceCase, fixes: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in fixes.items() if value != case.reference.fields.get(name, "")}


def unsound(reference: Reference, fixes: Mapping[str, str], record: Record | None) -> str:
    """Return why these values must not be written into an entry, as a clause; empty if nothing speaks against them.

    record: the one that the correction rests on, if there is one.
    """
    for name in _NAMES:
        if fixes.get(name) and (reason := _damaged(reference.raw.get(name, ""), fixes[name])):
            return reason
    for name in _VENUE_FIELDS:
        if fixes.get(name) and (reason := _misplaced(reference, name, fixes, record)):
            return reason
    return ""


def sound_fixes(case: ReferenceCase, finding: Finding) -> dict[str, str]:
    """Return the corrections of a finding, without unsound ones. If one field of an error is unsound, drop the others
    too."""
    fixes = dict(finding.fixes)
    if finding.check == "completeness":  # of several faults
        return {name: one for name, one in fixes.items() if not unsound(case.reference, {name: one}, None)}
    if unsound(case.reference, fixes, finding.record) or any(_is_cut(case, fixes.get(name, "")) for name in _NAMES):
        return {}
    return fixes


def _is_cut(case: ReferenceCase, value: str) -> bool:
    """True if another record of the work has all the people of a corrected list and more."""
    people = name_list(value)
    if not people.names or people.others:
        return False
    families = {fold(parse(person).family) for person in people.names}
    others = [without_affiliations(work.record.authors) for work in case.works if not work.record.compiled]
    return any(
        len(other) > len(people.names) and families <= {fold(parse(person).family) for person in other}
        for other in others
    )


def fits_type(reference: Reference, record: Record) -> bool:
    """True if a record may be of the type of work that is cited."""
    return not record.type or record.type in _TYPES.get(reference.type, {record.type})


def has_doi_of_cited(case: ReferenceCase, candidate: Candidate) -> bool:
    """True if the record describes the cited version: same title and people, and no other venue, year or type."""
    cited, record = case.cited, candidate.record
    if not record.doi or candidate.title.relation not in ("same", "short") or candidate.people_agree is False:
        return False
    if not fits_type(case.reference, record):
        return False
    if candidate.preprint or cited.preprint:
        return candidate.preprint == cited.preprint
    dated = cited.year is None or not record.years or cited.year in record.years
    return dated and same_venue(cited.venue, record) != "different"


def _damaged(cited: str, value: str) -> str:
    """Lists of databases run names together, repeat people, and break off."""
    before, after = name_list(cited), name_list(value)
    words = [frozenset(re.findall(r"\w+", fold(str(person)))) for person in after.names]
    whole = [{word for word in one if len(word) >= _SHORTEST_WORD} for one in words]
    for place, one in enumerate(whole):
        others = whole[:place] + whole[place + 1 :]
        if len(one) >= _SEVERAL_WORDS and any(one <= other for other in others):
            return f"the record lists {after.names[place]} twice"
    known = {word for person in before.names for word in re.findall(r"\w{2,}", fold(person.family or str(person)))}
    if len(after.names) < len(before.names) and not after.others and not known.isdisjoint(set().union(*whole)):
        return f"the record has {len(after.names)} people, the entry {len(before.names)}"
    return ""


def _misplaced(reference: Reference, name: str, fixes: Mapping[str, str], record: Record | None) -> str:
    """An invalid venue, or one that other fields of the entry contradict."""
    venue, cited = fixes[name], reference.fields.get(name, "")
    if is_repository(venue) and not venue.startswith("arXiv preprint arXiv:"):
        return f"“{venue}” is a repository, not a venue"
    if cited and compare_venues(cited, venue) == "same":
        return ""
    return (
        _of_another_doi(venue, {**reference.fields, **fixes})
        or _of_another_publisher(venue, reference)
        or (_of_other_editors(venue, reference, record) if record is not None else "")
    )


def _of_another_doi(venue: str, fields: Mapping[str, str]) -> str:
    doi = normalise_doi(fields.get("doi", ""))
    if not doi:
        return ""
    year = _YEAR.search(fields.get("year", "") or fields.get("date", ""))
    pattern = match_doi(doi)
    foreign = foreign_registrant(venue, int(year[0]) if year else None, doi)
    elsewhere = pattern is not None and pattern.place(venue) == "different"
    return f"the DOI {doi} does not belong to “{venue}”" if foreign or elsewhere else ""


def _of_another_publisher(venue: str, reference: Reference) -> str:
    for field in _PUBLISHERS:
        value = reference.fields.get(field, "")
        series = field == "series" and lookup(value) is not None and compare_venues(value, venue) == "different"
        if value and (series or foreign_publisher(venue, value)):
            return f"`{field} = {{{value}}}` does not fit “{venue}”"
    return ""


def _of_other_editors(venue: str, reference: Reference, record: Record) -> str:
    cited = {word for one in name_list(reference.raw.get("editor", "")).names for word in fold(str(one)).split()}
    found = {word for one in record.editors for word in fold(str(one)).split()}
    return f"“{venue}” has different editors" if cited and found and cited.isdisjoint(found) else ""


_SEVERITIES = get_args(Severity)


def check_syntax(reference: Reference) -> Finding:
    """Pass a well-formed entry; otherwise fail with every defect and its line, the worst defect first."""
    defects = [defect for defect in reference.defects if not defect.note]
    if not defects:
        return finding("syntax", "passed", "syntax-ok", "well-formed BibTeX")
    first = min(defects, key=_rank)
    message = "; ".join(
        defect.message if defect.line == reference.location.line else f"{defect.message} (line {defect.line})"
        for defect in (first, *(defect for defect in defects if defect is not first))
    )
    found = finding("syntax", "failed", first.code, message, fixes=_name_lists(reference))
    return replace(found, also=tuple(dict.fromkeys(one.code for one in defects if one.code != first.code)))


def _rank(defect: Defect) -> tuple[bool, int]:
    return not defect.fatal, _SEVERITIES.index(default_severity("failed", defect.code))


def _name_lists(reference: Reference) -> dict[str, str]:
    """The fields of names as BibTeX wants them, where something else separates the names."""
    if all(defect.code != "name-separators" for defect in reference.defects):
        return {}
    wrong = [name for name in NAME_FIELDS if separated_otherwise(reference.raw.get(name, ""))]
    return {name: _joined(name_list(reference.raw[name])) for name in wrong}


def _joined(people: NameList) -> str:
    return " and ".join([*map(in_bibtex, people.names), *(["others"] if people.others else [])])
