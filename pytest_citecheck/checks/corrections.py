"""What to write instead of a wrong venue or year, and in a missing field. What the record does not contradict stays."""

from __future__ import annotations

import re

from pytest_citecheck.checks.base import Case
from pytest_citecheck.linking.candidates import same_venue
from pytest_citecheck.linking.projects import is_project
from pytest_citecheck.model import Person, Record, Reference
from pytest_citecheck.names.comparison import parse
from pytest_citecheck.names.groups import without_affiliations
from pytest_citecheck.text.blanks import MAYBE_BLANKS
from pytest_citecheck.text.latex import decode
from pytest_citecheck.text.normal_form import fold
from pytest_citecheck.venues.comparison import compare_venues
from pytest_citecheck.venues.publishers import is_publisher
from pytest_citecheck.venues.wording import worded_as

__all__ = ["as_preprint", "in_bibtex", "macro_for", "missing_field", "of_other_venue", "of_other_year", "year_field"]

_STATED = {"volume": "volume", "number": "number", "issue": "number", "pages": "pages"}
"""Fields of an entry, and what a record calls them."""
_OF_THE_VENUE = ("eid", "articleno", "isbn", "issn")
"""Fields of an entry that are wrong as well where its venue is, and for which a record has nothing to put in their place."""
_JOURNAL_FIELDS = ("journal", "journaltitle")
_VENUE_FIELDS = (*_JOURNAL_FIELDS, "booktitle", "maintitle", "eventtitle")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DASHES = re.compile(MAYBE_BLANKS + r"[-‐‑‒–—−]+\s*")


def of_other_venue(case: Case, record: Record | None, venue: str) -> dict[str, str]:
    """The fixes for an entry that cites another venue than the right one (``venue``), worded like the cited one.

    record: the work as it appeared there; None if it was not seen. The year is the record's too, unless it fits already. Volume,
    number and pages change if the record has others; what it does not state stays if it agrees in the rest. Publisher and
    organization follow the venue; numbers of the other go.
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
        if any(value != fields[name] for name, value in stated.items()):  # so the others are of the cited venue, too
            fixes |= dict.fromkeys((name for name in _STATED if fields.get(name)), "")
        fixes |= stated
        if year is not None:
            fixes[year_field(case)] = str(year)
    return _changes(case, fixes)


def _publishers(case: Case, record: Record | None, venue: str) -> dict[str, str]:
    """Who publishes the right venue. Who stands in its name stays; of others only what the record states is known."""
    stated = record.publisher if record is not None else ""
    found: dict[str, str] = {}
    for name in ("publisher", "organization"):
        cited = case.reference.fields.get(name, "")
        if cited and name != case.cited.venue_field and fold(cited) not in fold(f"{venue} {stated}"):
            found[name] = stated if name == "publisher" else ""
    return found


def as_preprint(case: Case, record: Record) -> dict[str, str]:
    """The fixes for an entry that cites a preprint with a venue where it did not appear: it is cited as it is in arXiv.

    Volume, number, pages and publisher of the cited venue go; a year that no version has becomes that of the first.
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


def of_other_year(case: Case, record: Record) -> dict[str, str]:
    """The fixes for an entry with the year of another version: the record's, and where it is of the cited venue also what it
    states of volume, number and pages."""
    fixes = {year_field(case): str(record.years[0])}
    if same_venue(case.cited.venue, record) == "same":
        fixes |= _stated(case, record)
    return _changes(case, fixes)


def macro_for(reference: Reference, name: str, value: str, year: str) -> str:
    """The macro of the file that stands for the right venue; empty if it defines none. year: that of the corrected entry, which
    is the only one that the text of the macro may name."""
    if name not in _VENUE_FIELDS:
        return ""
    for macro, text in reference.macros.items():
        meant = decode(text)
        years = set(_YEAR.findall(meant))
        if meant and years <= {year} and (meant == value or compare_venues(meant, value) == "same"):
            return macro
    return ""


def year_field(case: Case) -> str:
    """The field that holds the year of the entry."""
    return "year" if case.reference.fields.get("year") or not case.reference.fields.get("date") else "date"


def missing_field(case: Case, name: str) -> tuple[str, Record] | None:
    """What to write into a field that the entry lacks, and the record that states it; None if no record of the work does."""
    # A version of the cited kind first: the year of a preprint is not that of its publication.
    for work in sorted((*case.works, *case.near_matches), key=lambda work: work.preprint != case.cited.preprint):
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
    named = record.venues and not is_publisher(record.venues[0])
    return (
        worded_as("", record.venues, None)
        if named and published and fits and name in (*_JOURNAL_FIELDS, "booktitle")
        else ""
    )


def in_bibtex(person: Person) -> str:
    """A name as it stands in a field of BibTeX: family name, suffix, given names."""
    if person.group:
        return f"{{{person}}}"
    name = parse(person)
    family = f"{name.particles} {name.family}".strip()
    return ", ".join(part for part in (family, name.suffix, " ".join(name.given)) if part)


def _stated(case: Case, record: Record) -> dict[str, str]:
    """Volume, number and pages as the record has them, of those that the entry has; as cited where only dashes differ."""
    found = {}
    for name, part in _STATED.items():
        cited, stated = case.reference.fields.get(name, ""), str(getattr(record, part))
        if cited and stated:
            same = _DASHES.sub("-", cited) == _DASHES.sub("-", stated)
            found[name] = cited if same else _DASHES.sub("--", stated) if name == "pages" else stated
    return found


def _changes(case: Case, fixes: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in fixes.items() if value != case.reference.fields.get(name, "")}
