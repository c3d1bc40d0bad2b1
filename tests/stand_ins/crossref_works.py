"""Crossref's description of one work: the members of a ``work`` message.

Members, their order and their conventions follow real responses of 2022 to 2026. Data that the facts lack (counts, deposit
dates, member numbers) is derived from the DOI alone, so that bodies never change between runs.
"""

from __future__ import annotations

import datetime as dt
import html
from typing import TYPE_CHECKING, Any

from tests.stand_ins.replies import stable_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.stand_ins.facts import DateParts, Event, Name, Notice, Work

SELECTABLE = frozenset(
    """
    abstract URL resource member posted score created degree update-policy short-title license ISSN
    container-title issued update-to issue prefix approved indexed article-number clinical-trial-number
    accepted author group-title DOI is-referenced-by-count updated-by event chair standards-body
    original-title funder translator published archive published-print alternative-id subject subtitle
    published-online publisher-location content-domain reference title link type publisher volume
    references-count ISBN issn-type assertion deposited page content-created short-container-title
    relation editor
    """.split()  # noqa: SIM905 - a list of forty lines would say less
)
"""Members that ``select`` accepts; it denies that others, such as ``institution``, exist."""

_FIRST_DEPOSITS = 2002
_BOOKS = frozenset({"book", "monograph", "edited-book", "reference-book", "book-set", "book-series"})
_HELD_BY_INSTITUTION = frozenset({"posted-content", "dissertation", "report"})


def work_message(work: Work, score: float) -> dict[str, Any]:
    """Return the message of one work; ``score`` is its relevance to the query, 1 for a DOI query."""
    doi = work.doi.lower()
    by_institution = work.type in _HELD_BY_INSTITUTION
    created = _deposit_date(work)
    cited = stable_number(doi + "cited", 900)
    references = stable_number(doi + "references", 80)
    message: dict[str, Any] = {}
    if by_institution:
        message["institution"] = [{"name": _escaped(work.container or work.publisher)}]
    message["indexed"] = _moment(dt.date(2025, 1 + stable_number(doi, 10), 1 + stable_number(doi, 28))) | {
        "version": "3.50.1"
    }
    message["reference-count"] = references
    message["publisher"] = work.publisher
    if work.issue:
        message["issue"] = work.issue
    message["content-domain"] = {"domain": [], "crossmark-restriction": False}
    message["short-container-title"] = [_escaped(work.short_container)] if work.short_container else []
    message |= _publication_dates(work)
    message["DOI"] = doi
    message["type"] = work.type
    if work.type == "posted-content":
        message["subtype"] = "preprint"
    message["created"] = _moment(created)
    if work.pages:
        message["page"] = work.pages
    message["source"] = "Crossref"
    message["is-referenced-by-count"] = cited
    message["title"] = [work.crossref_title or _escaped(work.title)]
    message["prefix"] = doi.partition("/")[0]
    if work.volume:
        message["volume"] = work.volume
    if work.authors:
        message["author"] = _contributors(work.authors, "author")
    message["member"] = str(50 + stable_number(message["prefix"], 9000))
    if work.event:
        message["event"] = _event(work.event)
    message["container-title"] = [_escaped(work.container)] if work.container and not by_institution else []
    message["original-title"] = []
    message["language"] = "en"
    message["link"] = []
    message["deposited"] = _moment(created + dt.timedelta(days=stable_number(doi + "deposited", 700)))
    message["score"] = score
    message["resource"] = {"primary": {"URL": f"https://publisher.example/{doi}"}}
    message["subtitle"] = [_escaped(work.subtitle)] if work.subtitle else []
    if work.editors:
        message["editor"] = _contributors(work.editors, "editor")
    message["short-title"] = []
    message["issued"] = _parts(work.issued)
    message["references-count"] = references
    if work.issue:
        message["journal-issue"] = {"issue": work.issue} | {
            name: message[name] for name in ("published-print", "published-online") if name in message
        }
    if work.isbn:
        message["ISBN"] = list(work.isbn)
        message["isbn-type"] = [{"value": isbn, "type": "print"} for isbn in work.isbn]
    message["URL"] = f"https://doi.org/{doi}"
    message["relation"] = {}
    if work.issn:
        message["ISSN"] = list(work.issn)
        message["issn-type"] = [
            {"value": issn, "type": "electronic" if position else "print"} for position, issn in enumerate(work.issn)
        ]
    if work.notices:
        message["updated-by"] = [_update(notice) for notice in work.notices]
    message["subject"] = []
    message["published"] = _parts(work.issued)
    return message


def _update(notice: Notice) -> dict[str, Any]:
    """Return the entry that a notice with its own DOI adds to the work that it is about."""
    kind = "expression_of_concern" if notice.kind == "concern" else notice.kind
    update = {"updated": _moment(dt.date(*(*notice.date, 1, 1)[:3]))} if notice.date else {}
    return update | {
        "DOI": notice.doi.lower(),
        "type": kind,
        "source": "publisher",
        "label": kind.replace("_", " ").capitalize(),
    }


def _publication_dates(work: Work) -> dict[str, Any]:
    if work.type == "posted-content":
        return {"posted": _parts(work.online or work.issued)}
    dates = {}
    if work.print or not work.online:
        dates["published-print"] = _parts(work.print or work.issued)
    if work.online:
        dates["published-online"] = _parts(work.online)
    return dates


def _deposit_date(work: Work) -> dt.date:
    """Return the date on which the metadata was deposited: after publication, or when back issues were digitised."""
    year, month, day = (*work.issued, 1 + stable_number(work.doi, 12), 1 + stable_number(work.doi, 28))[:3]
    if year < _FIRST_DEPOSITS:
        year = _FIRST_DEPOSITS + stable_number(work.doi + "year", 8)
    return dt.date(year, month, min(day, 28))


def _parts(date: DateParts) -> dict[str, Any]:
    return {"date-parts": [list(date)]}


def _moment(date: dt.date) -> dict[str, Any]:
    moment = dt.datetime(date.year, date.month, date.day, 12, 30, 15, tzinfo=dt.UTC)
    return _parts((date.year, date.month, date.day)) | {
        "date-time": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "timestamp": int(moment.timestamp() * 1000),
    }


def _contributors(names: Sequence[Name], role: str) -> list[dict[str, Any]]:
    contributors = []
    for position, name in enumerate(names):
        person: dict[str, Any] = {}
        if name.literal:
            person["name"] = name.literal
        if name.given:
            person["given"] = name.given
        if name.family:
            person["family"] = name.family
        if name.suffix:
            person["suffix"] = name.suffix
        person["sequence"] = "additional" if position else "first"
        person["affiliation"] = []
        person["role"] = [{"role": role, "vocabulary": "crossref"}]
        contributors.append(person)
    return contributors


def _event(event: Event) -> dict[str, str]:
    stated = {"name": event.name, "acronym": event.acronym}
    return {key: value for key, value in stated.items() if value}


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)
