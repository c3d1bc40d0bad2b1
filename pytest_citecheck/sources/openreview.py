"""OpenReview: submissions to conferences and journals that review in the open, by id and by title.

Written from the documentation (docs.openreview.net, "API v2 Reference" and "API v1 Reference") and not from recorded
answers, so it accepts documented forms only. Submissions before about 2023 are in version 1, later ones in version 2; each
answers for its own. Absence: a note that one version does not have may be in the other, private or deleted, and a search
ranks; so none is evidence. Author order: as submitted, reliable; anonymous during review. Limits: none are published; since
2026 a note is shown by its id to those who are logged in only (others get status 403, ChallengeRequired); the search answers
everybody, and is asked for the title of a work whose id is cited. A list is counted only where that is asked for.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_citecheck.matching import BLANKS, MAYBE_BLANKS, decode, lazy_pattern, openreview_id, without_markup
from pytest_citecheck.model import Absent, Answer, CitedMetadata, Person, Query, QueryKind, Record, RecordType
from pytest_citecheck.sources import base
from pytest_citecheck.sources.dump_json import JsonRecords
from pytest_citecheck.sources.parsing import (
    Fields,
    answer_with,
    answered,
    arxiv_id,
    doi_name,
    listing,
    mapping,
    parse_json,
    query_url,
    stated_name,
    undivided,
    unique,
    year_of,
)
from pytest_citecheck.sources.proceedings import VenueYearLists
from pytest_citecheck.sources.search import plain_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_citecheck.matching import VenueYearList

LOGIN = base.Login("/login", ("OPENREVIEW_USERNAME", "OPENREVIEW_PASSWORD"), ("id", "password"), "token", 3600.0)
"""Logs in like its own client (openreview-py, ``OpenReviewClient.login_user``). A token is valid for an hour by
default."""

_MOST_WORDS = 25
_HITS = 10
_VERSIONS = {
    1: ("https://api.openreview.net", "https://docs.openreview.net/reference/api-v1"),
    2: ("https://api2.openreview.net", "https://docs.openreview.net/reference/api-v2"),
}
"""Address and documentation of each version of the API."""


class OpenReview(base.Source):
    """One version of the OpenReview API as a source of records (see the module)."""

    batch: Mapping[QueryKind, int] = {"openreview": 1, "title": 1}
    limits = "none published; 1 request a second is customary; ids need a login since 2026"
    absence = (
        "no evidence: a submission may be private, deleted or in the other version of the API; searches may miss it"
    )
    unconfirmed = "raw bodies of answers"
    authoritative_for = ("identifier", "title", "authors")
    role = base.Role(catalogue=("openreview",), titles=(base.TitleSearch("single", 5),))
    credentials = base.Credentials(
        variable="OPENREVIEW_TOKEN", header="Authorization", scheme="Bearer", required=("openreview",), login=LOGIN
    )
    version = 2

    def __init__(self, version: int, suffix: str, name: str, known: tuple[str, str]) -> None:
        """``known`` are the id and the title of a submission that this version of the API certainly has."""
        self.name = name
        self.label = f"OpenReview{suffix}"
        self.base_url, self.documentation = _VERSIONS[version]
        self.controls = {"openreview": Query("openreview", known[0]), "title": Query("title", known[1])}

    def may_list(self, cited: CitedMetadata) -> bool:
        """If one of its ids is cited."""
        return bool(cited.identifiers.openreview)

    def request(self, queries: Sequence[Query]) -> base.Request:
        """``notes?id=…``, or ``notes/search`` for the words of a title among submissions."""
        query = queries[0]
        if query.kind == "openreview":
            return base.Request(self.name, query_url(f"{self.base_url}/notes", ("id", query.value)))
        url = query_url(
            f"{self.base_url}/notes/search",
            ("term", " ".join(plain_words(query.value)[:_MOST_WORDS])),
            ("content", "title"),
            ("group", "all"),
            ("source", "forum"),
            ("limit", _HITS),
        )
        return base.Request(self.name, url)

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError for all but whole lists of notes and the 404 of a note."""
        body = mapping(parse_json(response.body))
        if response.status == 404:
            return dict.fromkeys(queries, _no_such_note(queries, body))
        notes = _notes(body, response.status)
        return answered(self.label, queries, notes, parse_note, self._answer)

    def _answer(self, query: Query, records: list[Record]) -> Answer:
        if query.kind == "openreview" and any(record.id != query.value for record in records):
            raise base.MalformedAnswerError(f"OpenReview answered with another note than {query.value}")
        return answer_with(
            replace(record, source=self.name) for record in records if record.title or query.kind != "title"
        )


def _no_such_note(queries: Sequence[Query], body: Fields) -> Absent:
    if all(query.kind == "openreview" for query in queries) and body.text("name") == "NotFoundError":
        return Absent()
    raise base.MalformedAnswerError("a 404 that is not OpenReview's word for an unknown note")


def _notes(body: Fields, status: int) -> list[Any]:
    """Notes of an answer; their number must match its count."""
    if status >= 300 or "errors" in body:
        raise base.MalformedAnswerError(f"OpenReview refused the request: {body.text('message') or status}")
    notes, count = body.get("notes"), body.number("count")
    if not isinstance(notes, list):
        raise base.MalformedAnswerError("OpenReview's answer has no notes")
    if len(notes) < min(count or 0, _HITS):
        raise base.MalformedAnswerError(f"OpenReview's answer contains {len(notes)} of {count} notes")
    return notes


OPENREVIEW = OpenReview(
    2, "", "openreview", ("VTF8yNQM66", "SWE-bench: Can Language Models Resolve Real-world Github Issues?")
)
OPENREVIEW_V1 = OpenReview(
    1,
    " (API 1)",
    "openreview_v1",
    ("Sy2fzU9gl", "beta-VAE: Learning Basic Visual Concepts with a Constrained Variational Framework"),
)


# Status of a submission in venues and their ids: none of these is a publication.
_UNDECIDED = lazy_pattern(
    r"submi(?:tted|ssions?)|reject|withdraw|under[\s_]*review|pending|retracted|\binvite\b|anonymous", re.IGNORECASE
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
    return mapping(note).text("id")


def parse_note(note: object) -> Record | None:
    """The record of one note, or None if the value is no note.

    A submission that is under review, rejected or withdrawn exists on OpenReview only, like a preprint. A review or
    comment gives a record without title. Years: venue, decision, submission; the decisions of a conference often fall
    into the year before it.
    """
    fields = mapping(note)
    identifier = note_id(fields)
    if not identifier or not isinstance(fields.get("content"), dict):
        return None
    content = mapping({name: _value(field) for name, field in fields.at("content").items()})
    is_work = fields.text("forum") in ("", identifier)
    venue, group = content.plain("venue"), content.text("venueid")
    origin = group or fields.text("invitation") or fields.first("invitations")
    entry_type, entry = _bibtex(content.text("_bibtex"))
    published = bool(venue) and not _UNDECIDED.search(f"{venue} {group}")
    kind = _type(origin, entry_type) if published else "preprint"
    container = entry.get("booktitle") or entry.get("journal") or ""
    names = [venue, "" if _UNDECIDED.search(container) or kind == "preprint" else container]
    venues = unique(names) if published else ("OpenReview",)
    years = [year_of(group), year_of(venue), year_of(entry.get("year")), _year(fields.get("pdate"))]
    if not published:
        years.append(_year(fields.get("cdate")))
    collected = _COLLECTED.match(origin) is not None
    link = content.text("html") if collected else ""
    return Record(
        source="openreview",
        id=identifier,
        url=f"https://openreview.net/forum?id={identifier}",
        title=content.plain("title") if is_work else "",
        authors=_people(content.get("authors")),
        years=unique(years),
        venues=venues,
        type=kind,
        doi=doi_name(link),
        arxiv=arxiv_id(link) if kind == "preprint" else "",
        compiled=collected,
    )


def parse_paper(paper: Fields) -> Record:
    """Record of one paper in a list that a conference, or somebody for it, publishes; its fields follow no standard."""

    def first(*fields: str) -> str:
        return next(filter(None, (paper.plain(field) for field in fields)), "")

    addresses = [paper.text(field) for field in ("url", "site", "link", "openreview", "pdf")]
    submissions = (openreview_id(address) for address in addresses if "openreview.net" in address)
    submission = next(filter(None, submissions), "")
    venue = first("venue", "conference", "booktitle", "journal")
    undecided = _UNDECIDED.search(f"{paper.text('status')} {venue}") is not None
    years = (paper.year("year") or paper.year("date"), year_of(venue))
    return Record(
        source="openreview",
        id=first("id", "paper_id") or submission,
        url=next(filter(None, addresses), ""),
        title=without_markup(decode(paper.text("title"))),
        authors=_people(paper.get("authors") or paper.get("author")),
        years=tuple(year for year in years if year)[:1],
        venues=(venue,) if venue else (),
        type="submission" if undecided else "inproceedings",
        doi=paper.doi("doi"),
        arxiv=paper.arxiv("arxiv"),
        related=(("openreview", submission),) if submission else (),
    )


def _value(field: object) -> object:
    """Value of a field of the content, in either version."""
    return field["value"] if isinstance(field, dict) and "value" in field else field


def _people(stated: object) -> tuple[Person, ...]:
    """Names in an array, as text or as objects; or in one string, parted by semicolons, or else by commas and "and"."""
    parts: list[Any] = listing(stated)
    if isinstance(stated, str):
        parts = _SEPARATOR.split(stated)
        if len(parts) == 1 and all(" " in part for part in _AND.split(stated.strip())):
            parts = _AND.split(stated)
    # Newer submissions state authors as objects with their profile.
    names = (mapping(one).name("fullname") or mapping(one).name("name") or stated_name(one) for one in parts)
    return tuple(map(undivided, names))


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
    """Year (UTC) of a timestamp in milliseconds since 1970, otherwise None."""
    if not isinstance(milliseconds, int | float) or isinstance(milliseconds, bool):
        return None
    try:
        return year_of((_EPOCH + dt.timedelta(milliseconds=milliseconds)).year)
    except (OverflowError, ValueError):
        return None


_LIMIT = 1000


class OpenReviewVenue(VenueYearLists):
    """The venues of one version of the API (see the module)."""

    limits = "as for openreview"
    unconfirmed = "raw bodies of answers"
    accept = "application/json"
    credentials = base.Credentials(
        variable="OPENREVIEW_TOKEN", header="Authorization", scheme="Bearer", required=True, login=LOGIN
    )

    def __init__(self, version: int, name: str, label: str, of: str) -> None:
        """``of`` is the name of the source that asks this version for single submissions."""
        self.name = name
        self.label = label
        self.base_url, self.documentation = _VERSIONS[version]
        self.derives_from = (of,)

    def address(self, listed: VenueYearList, part: int) -> str:
        """``notes?content.venueid=…``, a thousand at a time."""
        return query_url(
            f"{self.base_url}/notes",
            ("content.venueid", listed.at),
            ("sort", "number:asc"),
            ("limit", _LIMIT),
            ("offset", (part - 1) * _LIMIT),
        )

    def read(self, listed: VenueYearList, part: int, body: bytes) -> list[Record]:
        """The notes. Raises MalformedAnswerError unless all are there and of this venue."""

        answer = mapping(parse_json(body))
        notes, count = answer.get("notes"), answer.number("count")
        if not isinstance(notes, list):
            raise base.MalformedAnswerError("OpenReview's answer has no notes")
        last = part == listed.parts
        if (len(notes) >= _LIMIT) == last or (count is not None and last and count != (part - 1) * _LIMIT + len(notes)):
            raise base.MalformedAnswerError(f"{len(notes)} notes in part {part} of {listed.parts} of {listed.name}")
        records = [
            record for record in map(parse_note, notes) if record and record.title and listed.year in record.years
        ]
        if len(records) != len(notes):
            raise base.MalformedAnswerError("a note is no paper of this venue and year")
        return [replace(record, source=self.derives_from[0]) for record in records]


OPENREVIEW_VENUE = OpenReviewVenue(2, "openreview_venue", "OpenReview (venues)", "openreview")
OPENREVIEW_V1_VENUE = OpenReviewVenue(1, "openreview_v1_venue", "OpenReview (venues, API 1)", "openreview_v1")


_NOTE = lazy_pattern(rb'"content"\s*:\s*\{')
_PAPER = lazy_pattern(rb'"(?:title|name)"\s*:\s*"')
_AUTHORS = lazy_pattern(rb'"authors?"\s*:\s*["\[]')


def _is_paper(value: dict[str, Any]) -> bool:
    return ("content" in value and "id" in value) or ("title" in value and ("authors" in value or "author" in value))


def _comment(value: Fields) -> str:
    """Reviews and comments are notes on another one, their forum."""
    is_note = "content" in value and value.text("forum") not in ("", note_id(value))
    return "review or comment" if is_note else ""


OPENREVIEW_NOTES = JsonRecords(
    "openreview",
    "",
    lambda data: _NOTE.search(data) or (_PAPER.search(data) and _AUTHORS.search(data)),
    _is_paper,
    lambda value: parse_note(value) if "content" in value else parse_paper(value),
    "the note has no content",
    _comment,
    fallback=True,
)
DUMPS = (OPENREVIEW_NOTES,)
