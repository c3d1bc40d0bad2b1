"""Cited metadata of a reference: title, people, year, venue and identifiers, from all fields that may contain them."""

from __future__ import annotations

from dataclasses import replace

from pytest_citecheck.inputs.bibtex.names import name_list
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.dates import cited_year
from pytest_citecheck.matching import cited_identifiers, is_anonymous, is_preprint_venue
from pytest_citecheck.model import CitedMetadata, NameList, Reference

# The fields that name the venue, by entry type (BibTeX's btxdoc; the biblatex manual, section 2.1.1 "Regular Types").
_JOURNAL = ("journaltitle", "journal", "shortjournal")
_BOOK = ("booktitle", "maintitle", "eventtitle")
_VENUE_FIELDS: dict[str, tuple[str, ...]] = {
    "article": (*_JOURNAL, *_BOOK),
    "periodical": ("title", *_JOURNAL),
    **dict.fromkeys(("book", "mvbook", "collection"), ("publisher",)),
    "booklet": ("howpublished", "publisher"),
    "proceedings": ("publisher", "organization"),
    "manual": ("organization", "publisher", "institution"),
    **dict.fromkeys(("thesis", "phdthesis", "mastersthesis"), ("school", "institution")),
    **dict.fromkeys(("techreport", "report"), ("institution", "organization")),
    **dict.fromkeys(("dataset", "software"), ("publisher", "organization", "howpublished", *_JOURNAL)),
    "misc": (*_JOURNAL, *_BOOK, "howpublished", "publisher", "organization"),
    "online": (*_JOURNAL, "organization", "howpublished", "publisher"),
    "unpublished": (*_JOURNAL, *_BOOK, "howpublished"),
}
_DEFAULT_VENUE = (*_BOOK, *_JOURNAL)
_SECTION = lazy_pattern(r"\s*([A-H])\s?\d{1,4}\s*$")
_ADDRESS = lazy_pattern(r"https?://\S+|www\.\S+")


def cited_metadata(reference: Reference) -> CitedMetadata:
    """Return the cited metadata of this reference."""
    fields = reference.fields
    title = fields.get("title", "").strip()
    subtitle = fields.get("subtitle", "").strip()
    authors = _people(reference, "author")
    if authors.names and is_anonymous(authors.names):
        authors = replace(authors, names=())
    edited = not authors.names
    if edited:
        authors = _people(reference, "editor")
    year_text = fields.get("year", "") or fields.get("date", "")
    identifiers = cited_identifiers(reference)
    venue_field, venue = _venue(reference)
    if not venue and identifiers.arxiv and "arxiv" not in identifiers.unprinted:
        venue_field, venue = "eprint", "arXiv"
    return CitedMetadata(
        reference=reference,
        title=f"{title.rstrip(':')}: {subtitle}" if title and subtitle else title,
        people=authors,
        edited=edited and bool(authors.names),
        year_text=year_text.strip(),
        year=cited_year(fields),
        venue=venue,
        venue_field=venue_field,
        identifiers=identifiers,
        preprint=bool(venue) and is_preprint_venue(venue),
    )


def _people(reference: Reference, field: str) -> NameList:
    """Return the people of a field, leaving out undefined macros, which could stand for anyone."""
    people = name_list(reference.raw.get(field, ""))
    macros = {defect.macro for defect in reference.defects if defect.macro}
    if not macros:
        return people
    known = tuple(person for person in people.names if str(person) not in macros)
    return NameList(known, people.others or len(known) < len(people.names))


def _venue(reference: Reference) -> tuple[str, str]:
    for name in _VENUE_FIELDS.get(reference.type, _DEFAULT_VENUE):
        value = _ADDRESS.sub("", reference.fields.get(name, "")).strip(" .,;")
        if value:
            return name, _with_section(value, reference) if name in _JOURNAL else value
    return "", ""


def _with_section(journal: str, reference: Reference) -> str:
    """Add a section that INSPIRE writes before the volume: "Phys.Lett.", "B716" is Physics Letters B."""
    section = _SECTION.match(reference.fields.get("volume", ""))
    return f"{journal} {section[1]}" if section and not journal.endswith(f" {section[1]}") else journal
