"""Compare the cited volume and pages with records: they confirm the work, show a slip, or belong to another work.

The venue check uses it. A work that was found is only compared: then a different volume or page is a finding about the locator. A
title that was found nowhere is contradicted by the work that has the cited pages, if its source searched for the title, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pytest_citecheck.checks.base import ReferenceCase, accusation, describe, finding
from pytest_citecheck.checks.corrections import of_other_place
from pytest_citecheck.evidence import (
    Candidate,
    Contents,
    LastVolume,
    answers_about_places,
    cited_locator,
    compare_places,
    contents,
    is_at_place,
    is_certainly_of_journal,
    last_volume,
    record_locator,
    same_journal,
    source_name,
)
from pytest_citecheck.matching import Locator, compare_authors, is_damaged, same_number
from pytest_citecheck.model import EvidenceKind, Finding, Record, Unavailable
from pytest_citecheck.rows import Rule, Table, always
from pytest_citecheck.thresholds import AGREEING

OF_THE_LOCATOR = frozenset({"volume-other", "pages-other"})
"""Codes that concern the locator only: the work is the cited one."""
_REGISTERED = frozenset({"crossref", "pubmed"})
"""Sources in which journals themselves deposit the pages of their articles."""
_SHORTEST = 2
"""Pages after the first one of an article that surely shares its first page with none: letters and notes share pages."""


@dataclass(frozen=True)
class _Placed:
    """The cited place beside the evidence."""

    case: ReferenceCase

    @cached_property
    def cited(self) -> Locator:
        return cited_locator(self.case.cited)

    @cached_property
    def pages(self) -> tuple[int, ...]:
        """The cited first page, and one in the middle of the cited range; empty if they cannot be compared.

        Page 1 counts only in a volume that is known to be paged through.
        """
        pages = self.cited.page_range
        if not pages or self.cited.supplement or not (self.cited.identifies or self.table):
            return ()
        return tuple(dict.fromkeys((pages[0], sum(pages) // 2)))

    # The work was found.

    @cached_property
    def works(self) -> Sequence[tuple[Candidate, str]]:
        """The published records of the cited work in the cited journal, with the relation of their places to the cited one."""
        known = [work for work in (*self.case.works, *self.case.near_matches) if not work.preprint]
        placed = [(work, compare_places(self.case.cited, work.record)) for work in known]
        # The same people may have a similar work on other pages, and proceedings number their volumes in several ways.
        return [
            (work, relation)
            for work, relation in placed
            if relation in ("same", "inside")
            or (relation != "unknown" and work.relation == "work" and work.record.type == "article")
        ]

    @cached_property
    def work(self) -> Candidate | None:
        """The record of the work that decides: one that agrees if there is any."""
        agreeing = (work for work, relation in self.works if relation in ("same", "inside"))
        return next(agreeing, self.works[0][0] if self.works else None)

    @property
    def relation(self) -> str:
        return next((relation for work, relation in self.works if work is self.work), "")

    @property
    def at_work(self) -> str:
        """The place of the work in words."""
        assert self.work is not None  # noqa: S101 - only rules about a work say it
        return place_in_words(self.work.record)

    @property
    def source(self) -> str:
        record = self.work.record if self.work else self.other or self.table.works[0]  # type: ignore[union-attr]
        return source_name(record.source)

    # The work was not found.

    @property
    def unknown(self) -> bool:
        """True if the work was found nowhere, under no similar title, although a source that has the place searched for it."""
        case = self.case
        if case.works or case.near_matches or case.identifier_targets or not case.cited.title:
            return False
        if any(one.relation == "similar" and _may_be_meant(case, one) for one in case.candidates):
            return False
        return not case.unresolved_identifier and not case.reference.uncertain and self._searched

    @property
    def _searched(self) -> bool:
        asking = {asked.source for asked in self.case.asked("title") if not isinstance(asked.answer, Unavailable)}
        return any(asked.source in asking for asked, _ in answers_about_places(self.case.evidence))

    @cached_property
    def tables(self) -> Sequence[Contents]:
        return contents(self.case.cited, self.case.evidence)

    @cached_property
    def table(self) -> Contents | None:
        """The whole table of contents of the cited volume."""
        return next((one for one in self.tables if one.whole), None)

    @cached_property
    def other(self) -> Record | None:
        """The different work, by other people, at the cited place."""
        return next(filter(self._is_different, self._there()), None)

    def _there(self) -> Sequence[Record]:
        """The works on the cited pages: in a volume that is paged through, also those that the cited pages are part of."""
        paged = [self.table] if self.table else [one for one in self.tables if one.paged_through]
        if paged and self.pages:
            return [holder for page in self.pages for one in paged if (holder := one.holder(page))]
        found = [record for _, answer in answers_about_places(self.case.evidence) for record in answer.records]
        found += [one.record for one in self.case.candidates]
        at_place = (record for record in found if is_at_place(self.case.cited, record) and _fills_its_page(record))
        return [
            record
            for record in at_place
            if self.cited.supplement == record_locator(record).supplement
            and is_certainly_of_journal(self.case.cited, record)
        ]

    def _is_different(self, record: Record) -> bool:
        relation = next((one.relation for one in self.case.candidates if one.record == record), "other")
        return relation == "other" and not (record.compiled or is_damaged(record.title) or self._shared(record))

    def _shared(self, record: Record) -> float:
        """The share of the cited people that a record has."""
        return compare_authors(self.case.cited.people, record.authors, complete=record.authors_complete).overlap

    @cached_property
    def by_them(self) -> bool:
        """True if the cited people have a work in the cited volume: it may be meant, under another title and page."""
        return any(self._shared(work) >= AGREEING for table in self.tables for work in table.works)

    @property
    def beyond(self) -> bool:
        """True if the cited page is beyond the end of a whole volume that has been closed."""
        if not (self.table and self.pages and self.table.is_beyond(self.pages[0])):
            return False
        years = {year for work in self.table.works for year in work.years}
        return bool(years) and max(years) < self.case.as_of.year

    @cached_property
    def last_volume(self) -> LastVolume | None:
        """The last volume, its year and the highest possible number, if the cited volume is not known."""
        if self.tables or not self.cited.volume.isdigit():
            return None
        return last_volume(self.case.cited, self.case.evidence, self.case.as_of.year)

    @property
    def no_such_volume(self) -> bool:
        return self.last_volume is not None and int(self.cited.volume) > self.last_volume.most

    @property
    def at_other(self) -> str:
        return place_in_words(self.other) if self.other else ""

    @property
    def described(self) -> str:
        return describe(self.other) if self.other else ""

    @property
    def journal(self) -> str:
        return self.case.cited.venue


_RULES: Table[_Placed] = Table(
    "venue: volume and pages",
    "checks/venue",
    Rule("cited place", lambda f: f.relation in ("same", "inside"),
         "{0.source}'s record has the cited volume and pages", "place-ok"),
    Rule("other volume", lambda f: f.relation == "volume", "{0.source} has this work in {0.at_work}", "volume-other"),
    Rule("other pages", lambda f: f.relation == "pages", "{0.source} has this work in {0.at_work}", "pages-other"),
    Rule("another work there", lambda f: f.unknown and f.other and not f.by_them,
         "{0.journal} has a different work there ({0.at_other}): {0.described}", "place-other-work"),
    Rule("beyond the end", lambda f: f.unknown and f.beyond and not f.by_them,
         "volume {0.cited.volume} of {0.journal} ends on page {0.table.last}: {0.source} lists nearly all its pages, and no work "
         "with this title", "not-in-volume"),
    Rule("no such volume", lambda f: f.unknown and f.no_such_volume,
         "{0.journal} has no volume {0.cited.volume}: the last one known is {0.last_volume.number} of {0.last_volume.year}, "
         "and no work has this title", "not-in-volume"),
    Rule("nothing known of the place", always),
)  # fmt: skip


def check_place(case: ReferenceCase) -> Finding | None:
    """The finding on volume and pages; None if they are not cited, or nothing is known of them."""
    if not cited_locator(case.cited).volume or case.cited.preprint:
        return None
    facts = _Placed(case)
    rule = _RULES.deciding(facts)
    code: str = rule.gives
    if not code:
        return None
    if code == "place-ok" and facts.work:
        return finding("venue", "passed", code, rule.said(facts), record=facts.work.record)
    cited, evidence = _cited_in_words(facts.cited), _evidence(facts, code)
    if code in OF_THE_LOCATOR and facts.work:
        against = [work for work, relation in facts.works if relation == facts.relation]
        record = facts.work.record
        made = accusation(
            case, "venue", code, rule.said(facts), against, cited=cited, found=facts.at_work, record=record,
            rule="a record of the work in the cited journal has a different place", fixes=of_other_place(case, record),
        )  # fmt: skip
        return made if made.outcome == "failed" else replace(made, outcome="passed")
    return accusation(
        case, "venue", code, rule.said(facts), (), evidence, cited=cited, found=facts.at_other,
        record=facts.other, rule="one volume has one work on a page, and no source has a work with the cited title",
    )  # fmt: skip


def _may_be_meant(case: ReferenceCase, one: Candidate) -> bool:
    """Return True if a record with a similar title may be the cited work: not by other people on other pages."""
    if one.people_agree is not False:
        return True
    elsewhere = compare_places(case.cited, one.record) in ("volume", "pages")
    return one.title.relation == "same" or (same_journal(case.cited, one.record) and not elsewhere)


def _evidence(facts: _Placed, code: str) -> EvidenceKind:
    if code == "not-in-volume" and facts.table and not facts.table.is_far_beyond(facts.pages[0]):
        return "single record"
    if facts.cited.last and facts.cited.last == facts.cited.first:
        return "single record"  # abstracts of meetings have one page of a supplement, and are in few databases
    if facts.table or code == "not-in-volume":
        return "complete list"
    # Many journals begin each issue on page 1.
    same_issue = facts.other is not None and same_number(facts.cited.number, facts.other.number)
    registered = facts.other is not None and facts.other.source in _REGISTERED
    return "registry" if registered and same_issue else "single record"


def _fills_its_page(record: Record) -> bool:
    """Return True if no other work can begin where a record does: it has several pages, or an article number."""
    place = record_locator(record)
    pages = place.page_range
    return pages is None or pages[1] - pages[0] >= _SHORTEST


def place_in_words(record: Record) -> str:
    """``volume 12, pages 345-367``."""
    pages = f"page{'s' if '-' in record.pages else ''} {record.pages}" if record.pages else ""
    return ", ".join(filter(None, (f"volume {record.volume}", pages)))


def _cited_in_words(cited: Locator) -> str:
    pages = "-".join(filter(None, (cited.starts[0] if cited.starts else "", cited.last)))
    return ", ".join(filter(None, (f"volume {cited.volume}", f"page {pages}" if pages else "")))
