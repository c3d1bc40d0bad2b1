"""One note of OpenReview that is a submission, or one paper of a conference's list, as a record.

Source: OpenReview API documentation, "Note" and the default fields of submissions (docs.openreview.net/reference/api-v2/
entities/note). In version 2 each field of the content is an object with its ``value``, in version 1 the value itself.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.catalogue_keys import openreview_id
from pytest_citecheck.model import Person, Record, RecordType
from pytest_citecheck.services.parsing.identifiers import arxiv_id, doi_name
from pytest_citecheck.services.parsing.json_body import first_text, listing, mapping, text, year_of
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.text.blanks import BLANKS, MAYBE_BLANKS
from pytest_citecheck.text.latex import decode
from pytest_citecheck.text.markup import without_markup
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["note_id", "parse_note", "parse_paper"]

# Where a submission stands, as venues and their ids say it: nothing of this is a publication.
_UNDECIDED = lazy_pattern(
    r"submi(?:tted|ssions?)|reject|withdraw|under[\s_]*review|pending|retracted|\binvite\b|anonymous",
    re.IGNORECASE,
)
# Notes that were not submitted for review: authors put them on their profiles, or had them fetched from elsewhere.
_COLLECTED = lazy_pattern(r"(?:dblp\.org|arxiv\.org|orcid\.org|openreview\.net|pubmed|crossref)\b", re.IGNORECASE)
_JOURNALS = frozenset({"tmlr", "dmlr", "jmlr"})
_PREPRINT_GROUPS = lazy_pattern(
    r"dblp\.org/journals/corr\b|arxiv\.org\b|openreview\.net/(?:anonymous_preprint|archive)\b", re.IGNORECASE
)
_BIBTEX_TYPE = lazy_pattern(r"\s*@(\w+)\s*\{")
_BIBTEX_FIELD = lazy_pattern(r"\b(booktitle|journal|year)\s*=\s*\{((?:[^{}]|\{[^{}]*\})*)\}", re.IGNORECASE)
_SEPARATOR = lazy_pattern(r"(?:(?<!\s)[^\S\n]++|(?<=\n)[^\S\n]++)?[;\n]\s*")
_AND = lazy_pattern(BLANKS + r"and\s+|" + MAYBE_BLANKS + r",\s*")
_LONGEST_BIBTEX = 5000
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def note_id(note: object) -> str:
    """The id of a note, or empty."""
    return text(mapping(note).get("id"))


def parse_note(note: object) -> Record | None:
    """The record of one note, or None if the value is no note.

    A submission that is under review, rejected or withdrawn stands on OpenReview only, like a preprint. A review or comment
    gives a record without title. The year is that of the venue, then those of decision and submission: the decisions
    of a conference often fall into the year before it.
    """
    fields = mapping(note)
    identifier = note_id(fields)
    if not identifier or not isinstance(fields.get("content"), dict):
        return None
    content = {name: _value(field) for name, field in mapping(fields["content"]).items()}
    is_work = text(fields.get("forum")) in ("", identifier)
    venue, group = without_markup(text(content.get("venue"))), text(content.get("venueid"))
    origin = group or text(fields.get("invitation")) or first_text(fields.get("invitations"))
    entry_type, entry = _bibtex(text(content.get("_bibtex")))
    published = bool(venue) and not _UNDECIDED.search(f"{venue} {group}")
    kind = _type(origin, entry_type) if published else "preprint"
    container = entry.get("booktitle") or entry.get("journal") or ""
    names = [venue, "" if _UNDECIDED.search(container) or kind == "preprint" else container]
    venues = tuple(dict.fromkeys(filter(None, names))) if published else ("OpenReview",)
    years = [year_of(group), year_of(venue), year_of(entry.get("year")), _year(fields.get("pdate"))]
    if not published:
        years.append(_year(fields.get("cdate")))
    collected = _COLLECTED.match(origin) is not None
    link = text(content.get("html")) if collected else ""
    return Record(
        source="openreview",
        id=identifier,
        url=f"https://openreview.net/forum?id={identifier}",
        title=without_markup(text(content.get("title"))) if is_work else "",
        authors=_people(content.get("authors")),
        years=tuple(dict.fromkeys(year for year in years if year)),
        venues=venues,
        type=kind,
        doi=doi_name(link),
        arxiv=arxiv_id(link) if kind == "preprint" else "",
        compiled=collected,
    )


def parse_paper(paper: Mapping[str, Any]) -> Record:
    """The record of one paper in a list that a conference, or somebody for it, publishes; its fields follow no standard."""

    def first(*fields: str) -> str:
        return next(filter(None, (without_markup(text(paper.get(field))) for field in fields)), "")

    addresses = [text(paper.get(field)) for field in ("url", "site", "link", "openreview", "pdf")]
    submissions = (openreview_id(address) for address in addresses if "openreview.net" in address)
    submission = next(filter(None, submissions), "")
    venue = first("venue", "conference", "booktitle", "journal")
    undecided = _UNDECIDED.search(f"{text(paper.get('status'))} {venue}") is not None
    years = (year_of(paper.get("year")) or year_of(paper.get("date")), year_of(venue))
    return Record(
        source="openreview",
        id=first("id", "paper_id") or submission,
        url=next(filter(None, addresses), ""),
        title=without_markup(decode(text(paper.get("title")))),
        authors=_people(paper.get("authors") or paper.get("author")),
        years=tuple(year for year in years if year)[:1],
        venues=(venue,) if venue else (),
        type="submission" if undecided else "inproceedings",
        doi=doi_name(text(paper.get("doi"))),
        arxiv=arxiv_id(text(paper.get("arxiv"))),
        related=(("openreview", submission),) if submission else (),
    )


def _value(field: object) -> object:
    """What a field of the content holds, in either version."""
    return field["value"] if isinstance(field, dict) and "value" in field else field


def _people(stated: object) -> tuple[Person, ...]:
    """Names in an array, as text or as objects; or in one string, parted by semicolons, or else by commas and "and"."""
    parts: list[Any] = listing(stated)
    if isinstance(stated, str):
        parts = _SEPARATOR.split(stated)
        if len(parts) == 1 and all(" " in part for part in _AND.split(stated.strip())):
            parts = _AND.split(stated)
    # Newer submissions state authors as objects with their profile.
    names = (
        stated_name(mapping(one).get("fullname")) or stated_name(mapping(one).get("name")) or stated_name(one)
        for one in parts
    )
    return tuple(undivided(name) for name in names if name)


def _type(origin: str, entry_type: str) -> RecordType:
    if _PREPRINT_GROUPS.match(origin):
        return "preprint"
    if origin.lower() in _JOURNALS or entry_type == "article" or origin.lower().startswith("dblp.org/journals/"):
        return "article"
    return "inproceedings"


def _bibtex(entry: str) -> tuple[str, Mapping[str, str]]:
    """Entry type, container and year of the entry that OpenReview offers for citing."""
    kind = _BIBTEX_TYPE.match(entry)
    found = {
        name.lower(): without_markup(decode(value)) for name, value in _BIBTEX_FIELD.findall(entry[:_LONGEST_BIBTEX])
    }
    return kind[1].lower() if kind else "", found


def _year(milliseconds: object) -> int | None:
    """The year (UTC) of a moment in milliseconds since 1970, or None if it is none."""
    if not isinstance(milliseconds, int | float) or isinstance(milliseconds, bool):
        return None
    try:
        return year_of((_EPOCH + dt.timedelta(milliseconds=milliseconds)).year)
    except (OverflowError, ValueError):
        return None
