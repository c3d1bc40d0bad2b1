"""Scopes in which an absence is evidence: venues and years of which a source lists every paper.

That DBLP lists a venue completely is declared in the table of venues; that it lists the year in question at all has to be shown
by an answer: to the question for the volume, or by works of the cited authors in it. Both are needed, and the year must have been
over long enough to be in. A publisher's own list (`pytest_citecheck.venues.lists`) shows both by itself, from the year after. It
convicts only where a search by title has been answered too: of what is cited with a conference and stands beside its proceedings
a search may know.
"""

from __future__ import annotations

import datetime
import re

from pytest_citecheck.linking.provenance import independent_sources, label
from pytest_citecheck.model import Absent, Asked, CitedMetadata, Evidence, Found, Unavailable
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import LISTED_AFTER, SETTLED_AFTER
from pytest_citecheck.venues.comparison import compare_venues, lookup
from pytest_citecheck.venues.lists import VenueYearList, venue_year_list, venue_year_lists
from pytest_citecheck.venues.table import Venue

__all__ = ["closed_stream", "is_corroborated", "missing_from_scope", "publishers_lists"]


_IN_PROCEEDINGS = frozenset({"booktitle", "maintitle", "eventtitle", "journal", "journaltitle"})
_VOLUMES = frozenset({"proceedings", "mvproceedings", "collection", "mvcollection", "book", "mvbook", "periodical"})
_FREE_FIELDS = (
    "note",
    "addendum",
    "howpublished",
    "type",
    "titleaddon",
    "booktitleaddon",
    "eventtitle",
    "eventtitleaddon",
)
_HELD = (
    r"(?:tutorials?|keynotes?|plenary|(?:(?:keynote|plenary|invited)\s+)(?:talks?|lectures?|address|speech|presentation)"
    r"|panel\s+discussion)"
)
_SAID_BESIDE = lazy_pattern(rf"\b(?:{_HELD}|posters?|workshops?(?!\s+(?:and|&)\s+conference\b))\b", re.IGNORECASE)
# "NIPS 2016 Tutorial: ...", "Keynote: ...", "... (invited talk)"; "A Tutorial on ..." and "...: A Tutorial" are papers too.
_TITLED_BESIDE = lazy_pattern(
    rf"^(?:[A-Z][\w/&'’-]{{0,15}}[A-Z]\w{{0,15}}\s*)?(?:['’]?\d\d(?:\d\d)?\s+)?(?i:{_HELD}|talk)(?:\s+\d+)?\s*(?::|\s[-–—]+\s)"
    rf"|[(\[](?i:{_HELD})[)\]]$"
)


def closed_stream(metadata: CitedMetadata, today: datetime.date) -> str:
    """The DBLP stream that holds every paper of the claimed venue in the claimed year; empty if none is known to."""
    venue = _claimed_volume(metadata)
    if venue is None or not venue.dblp_stream or metadata.year is None:
        return ""
    first = venue.complete_in.get("dblp")
    return venue.dblp_stream if first is not None and first <= metadata.year <= today.year - SETTLED_AFTER else ""


def publishers_lists(metadata: CitedMetadata, today: datetime.date) -> tuple[VenueYearList, ...]:
    """The lists that publishers keep of the claimed venue and year; none if the year is not over long enough."""
    venue = _claimed_volume(metadata)
    if venue is None or metadata.year is None or metadata.year > today.year - LISTED_AFTER:
        return ()
    return venue_year_lists(venue.id, metadata.year)


def missing_from_scope(metadata: CitedMetadata, evidence: Evidence, today: datetime.date) -> str:
    """What lists the claimed venue and year completely and has no work by any of the claimed authors that fits.

    Whether one of the works listed fits is the caller's to judge; this says that the list is whole, and of what. Empty
    if any part of the proof is lacking: the venue declared complete, the year listed, the list whole, and whoever lists it not
    silent about the title. What other sources would have said takes nothing away from it: a complete list of the cited place
    says what is there, whatever else there may be elsewhere.
    """
    venue = _claimed_volume(metadata)
    # Services name a series of volumes in their own way, an index by the table of venues.
    places = {closed_stream(metadata, today), venue.id if venue else ""} - {""}
    if not places:
        return ""
    silent = {asked.source for asked in evidence.asked if isinstance(asked.answer, Unavailable)}
    listed = scope = ""
    for asked in evidence.asked:
        if asked.source in silent:
            continue
        question, answer = asked.question, asked.answer
        if question.value not in places or question.year != metadata.year:
            continue
        if question.kind == "venue_year" and isinstance(answer, Found):
            listed = answer.scope
        elif question.kind == "author_search" and isinstance(answer, (Found, Absent)):
            if venue and not _counts(asked, metadata, evidence, today, venue):
                continue
            scope = f"{answer.scope} (retrieved {asked.date[:10]})" if answer.scope and asked.date else answer.scope
            if isinstance(answer, Found):
                listed = answer.scope  # what holds works of theirs is listed
    return scope if listed else ""


def is_corroborated(metadata: CitedMetadata, evidence: Evidence, today: datetime.date) -> bool:
    """Return True if more than one catalogue's word proves that the lists of the claimed venue and year are complete.

    An index computes completeness from several collections; a publisher's list states its own count. A single catalogue may lack
    some papers of a volume, and whatever repeats it then lacks the same ones.
    """
    venue = _claimed_volume(metadata)
    places = {closed_stream(metadata, today), venue.id if venue else ""} - {""}
    catalogues = set()
    for asked in evidence.asked:
        question = asked.question
        if question.kind != "author_search" or question.year != metadata.year or question.value not in places:
            continue
        if not isinstance(asked.answer, (Found, Absent)) or not asked.answer.scope:
            continue
        by_publisher = venue is not None and venue_year_list(asked.source, venue.id, metadata.year) is not None
        if by_publisher or not label(asked.source):
            return True
        catalogues.add(asked.source)
    return independent_sources(catalogues) > 1


def _counts(asked: Asked, metadata: CitedMetadata, evidence: Evidence, today: datetime.date, venue: Venue) -> bool:
    """Whether a list that a publisher keeps, if it is one, says what is not in the cited place."""
    listed = venue_year_list(asked.source, venue.id, metadata.year)
    if listed is None:
        return True
    if not publishers_lists(metadata, today):
        return False
    parts = {
        line.question.value for line in evidence.asked if line.source == asked.source and isinstance(line.answer, Found)
    }
    searched = any(
        line.question.kind == "title" and not isinstance(line.answer, Unavailable) for line in evidence.asked
    )
    return searched and set(listed.values) <= parts


def _is_volume(metadata: CitedMetadata) -> bool:
    """Whether a whole volume is cited, which is not listed among its papers."""
    return metadata.reference.type in _VOLUMES or compare_venues(metadata.title, metadata.venue) == "same"


def _claimed_volume(metadata: CitedMetadata) -> Venue | None:
    """The venue whose proceedings the reference claims to be in; None for what it calls a talk, a tutorial or a workshop."""
    if (
        metadata.venue_field not in _IN_PROCEEDINGS
        or _TITLED_BESIDE.search(metadata.title.strip())
        or _is_volume(metadata)
    ):
        return None  # naming an organizer, or where something was shown, claims no paper in the proceedings
    if any(_SAID_BESIDE.search(metadata.reference.fields.get(name, "")) for name in _FREE_FIELDS):
        return None
    return lookup(metadata.venue, metadata.year)
