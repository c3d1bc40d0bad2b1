"""What to write instead of a wrong venue or year. Volume, number and pages belong to one version of a work and go with it."""

from __future__ import annotations

import re

from pytest_citecheck.checks.base import Case
from pytest_citecheck.linking.candidates import same_venue
from pytest_citecheck.model import Person, Record
from pytest_citecheck.names.comparison import parse
from pytest_citecheck.names.groups import without_affiliations
from pytest_citecheck.text.blanks import MAYBE_BLANKS

__all__ = ["in_bibtex", "missing_field", "of_other_venue", "of_other_year", "year_field"]

_STATED = {"volume": "volume", "number": "number", "issue": "number", "pages": "pages"}
"""Fields of an entry, and what a record calls them."""
_OF_THE_VENUE = ("eid", "articleno", "isbn", "issn")
"""Fields of an entry that are wrong as well where its venue is, and for which a record has nothing to put in their place."""
_JOURNAL_FIELDS = ("journal", "journaltitle")
_DASHES = re.compile(MAYBE_BLANKS + r"[-‐‑‒–—−]+\s*")


def of_other_venue(case: Case, record: Record | None, venue: str) -> dict[str, str]:
    """The fixes for an entry that cites another venue than the right one; ``venue`` is how to write that.

    record: the work as it appeared there; None if it was not seen. The year is the record's too, unless it fits already. Of
    volume, number and pages the entry gets what the record states and loses the rest: they are those of the venue cited.
    """
    fields = case.reference.fields
    fixes = {case.cited.venue_field: venue}
    fixes |= dict.fromkeys((name for name in (*_STATED, *_OF_THE_VENUE) if fields.get(name)), "")
    if record is not None:
        fixes |= _stated(case, record)
        if case.cited.year is not None and record.years and case.cited.year not in record.years:
            fixes[year_field(case)] = str(record.years[0])
    return _changes(case, fixes)


def of_other_year(case: Case, record: Record) -> dict[str, str]:
    """The fixes for an entry with the year of another version: the record's, and where it is of the cited venue also what it
    states of volume, number and pages."""
    fixes = {year_field(case): str(record.years[0])}
    if same_venue(case.cited.venue, record) == "same":
        fixes |= _stated(case, record)
    return _changes(case, fixes)


def year_field(case: Case) -> str:
    """The field that holds the year of the entry."""
    return "year" if case.reference.fields.get("year") or not case.reference.fields.get("date") else "date"


def missing_field(case: Case, name: str) -> tuple[str, Record] | None:
    """What to write into a field that the entry lacks, and the record that states it; None if no record of the work does."""
    for work in (*case.works, *case.near_matches):
        if value := _as_field(work.record, name, published=not work.preprint):
            return value, work.record
    return None


def _as_field(record: Record, name: str, *, published: bool) -> str:
    if name in ("year", "date"):
        return str(record.years[0]) if record.years else ""
    if name == "publisher":
        return record.publisher
    if name == "author" and record.authors_complete:
        return " and ".join(in_bibtex(person) for person in without_affiliations(record.authors))
    fits = record.type not in ("inproceedings", "chapter") if name in _JOURNAL_FIELDS else record.type != "article"
    return record.venue if published and fits and name in (*_JOURNAL_FIELDS, "booktitle") else ""


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
