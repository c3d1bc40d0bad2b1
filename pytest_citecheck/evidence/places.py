"""Places as evidence: what the records at the cited journal, volume and page show.

A place decides only within one journal: by ISSN, or by the same name. A table of contents is evidence of absence only if it is
whole, which its pages show: the volume is paged through, and nearly every page belongs to some article.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from pytest_citecheck.evidence.provenance import same_venue
from pytest_citecheck.matching import (
    Locator,
    LocatorRelation,
    cited_locator_of,
    compare_locators,
    locator,
    lookup,
    parse_venue,
    same_volume,
)
from pytest_citecheck.model import CitedMetadata, Evidence, Found, QueryResult, Record, derived
from pytest_citecheck.thresholds import BEYOND_THE_END, PAGES_COVERED, SEVERAL_WORKS, VOLUMES_AHEAD

PLACES = frozenset({"place", "volume"})
"""Kinds of queries about a place."""


@derived
def cited_locator(cited: CitedMetadata) -> Locator:
    """Return the cited volume, number and pages in normal form."""
    return cited_locator_of(cited.reference.fields)


def record_locator(record: Record) -> Locator:
    """Return volume, number and pages of a record in normal form."""
    return locator(record.volume, record.number, record.pages)


def same_journal(cited: CitedMetadata, record: Record) -> bool:
    """Return True if a record is certainly of the cited journal: both state one ISSN, or the same name."""
    if not _bare(cited.identifiers.issn).isdisjoint(_bare(record.issn)):
        return True
    return same_venue(cited.venue, record) == "same"


def is_certainly_of_journal(cited: CitedMetadata, record: Record) -> bool:
    """Return True if a record is certainly of the cited journal, and not of another one with the same abbreviation.

    "JCP" and "Ann. Phys." are short for several journals, so an abbreviation counts only if it is known or stated by the record.
    """
    if not _bare(cited.identifiers.issn).isdisjoint(_bare(record.issn)):
        return True
    known, name = lookup(cited.venue), parse_venue(cited.venue)
    return any(
        (known is not None and lookup(venue) == known) or (name.core and name.core == parse_venue(venue).core)
        for venue in record.venues
    ) and same_journal(cited, record)


def _bare(numbers: Iterable[str]) -> set[str]:
    return {number.replace("-", "").upper() for number in numbers}


def compare_places(cited: CitedMetadata, record: Record) -> LocatorRelation:
    """Compare the cited place with the place of a record; ``unknown`` unless both are in one journal."""
    if not (record.volume and record.pages and cited_locator(cited).volume):
        return "unknown"
    relation = compare_locators(cited_locator(cited), record_locator(record), record.years)
    return relation if relation == "unknown" or same_journal(cited, record) else "unknown"


def is_at_place(cited: CitedMetadata, record: Record) -> bool:
    """Return True if a record has the cited journal, volume and first page, and these identify a work."""
    return cited_locator(cited).identifies and compare_places(cited, record) == "same"


def answers_about_places(evidence: Evidence) -> Iterator[tuple[QueryResult, Found]]:
    """The answers with records to queries about places."""
    for asked in evidence.asked:
        if asked.query.kind in PLACES and isinstance(asked.answer, Found):
            yield asked, asked.answer


@dataclass(frozen=True)
class Contents:
    """The works of the cited volume in one source. source: that answered; scope: why its list is whole, if it states that."""

    source: str
    scope: str
    works: Sequence[Record]

    @cached_property
    def ranges(self) -> list[tuple[int, int, Record]]:
        """The works with pages in numbers, by their first pages."""
        stated = ((record_locator(work).page_range, work) for work in self.works)
        return sorted(((*pages, work) for pages, work in stated if pages), key=lambda row: row[:2])

    @cached_property
    def last(self) -> int:
        """The last page of the volume, as far as known."""
        return max((end for _, end, _ in self.ranges), default=0)

    @cached_property
    def paged_through(self) -> bool:
        """True if several works are known, and each begins after the one before, or on its last page."""
        several = len(self.ranges) >= SEVERAL_WORKS
        return several and all(
            one[0] < other[0] and one[1] <= other[0] for one, other in zip(self.ranges, self.ranges[1:], strict=False)
        )

    @cached_property
    def whole(self) -> bool:
        """True if nearly all pages up to the last one belong to some work, and the works are paged through."""
        pages: set[int] = set()
        for start, end, _ in self.ranges:
            pages.update(range(start, min(end, self.last) + 1))
        return bool(pages) and self.paged_through and len(pages) >= PAGES_COVERED * self.last

    def holder(self, page: int) -> Record | None:
        """The work to which a page certainly belongs: works may share the page on which one ends and the next begins."""
        return next((work for start, end, work in self.ranges if page == start or start < page < end), None)

    def is_beyond(self, page: int) -> bool:
        """Return True if a page is so far beyond the last one that no single missing work can begin there."""
        longest = max((end - start + 1 for start, end, _ in self.ranges), default=0)
        return page > self.last + longest

    def is_far_beyond(self, page: int) -> bool:
        """Return True if a page beyond the last one is certainly not in the volume.

        Its last works may be missing, unless the source counts them.
        """
        return bool(self.scope) or page > BEYOND_THE_END * self.last


def contents(cited: CitedMetadata, evidence: Evidence) -> list[Contents]:
    """The works of the cited volume, by collection: two of them have each work twice."""
    wanted = cited_locator(cited).volume
    works: dict[tuple[str, str], list[Record]] = {}
    for _, answer in answers_about_places(evidence):
        for one in answer.records:
            if same_volume(wanted, record_locator(one).volume) and is_certainly_of_journal(cited, one):
                works.setdefault((one.source, answer.scope), []).append(one)
    return [Contents(source, scope, found) for (source, scope), found in works.items()]


class LastVolume(NamedTuple):
    """The last known volume of a journal, its year, and the highest number that a volume can have by now."""

    number: int
    year: int
    most: int


def last_volume(cited: CitedMetadata, evidence: Evidence, today: int) -> LastVolume | None:
    """Return the last known volume of the cited journal; None unless another one shows how many volumes a year has.

    today: a year.
    """
    known = {
        (int(volume), record.years[0])
        for asked, answer in answers_about_places(evidence)
        for record in answer.records
        if asked.query.kind == "volume" and (volume := record_locator(record).volume).isdigit() and record.years
        if is_certainly_of_journal(cited, record)
    }
    (first, start), (last, year) = min(known, default=(0, 0)), max(known, default=(0, 0))
    if first == last or year <= start:
        return None
    by_now = last + (last - first) / (year - start) * max(today - year, 0)
    return LastVolume(last, year, round(by_now * VOLUMES_AHEAD))
