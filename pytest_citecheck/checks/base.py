"""Input of a check, and helpers for its findings.

A check is a pure function from a case to a finding. ``failed`` needs positive evidence; an outage or an absence without a
scope is ``unverifiable``.
"""

from __future__ import annotations

import datetime
import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Final, Protocol, TypedDict, Unpack

from pytest_citecheck.checks.codes import default_severity
from pytest_citecheck.checks.levels import level_of
from pytest_citecheck.evidence import (
    AbsenceContext,
    Candidate,
    Field,
    ListAbsence,
    MissProbability,
    Stratum,
    agreed_date,
    candidates,
    first_hand_evidence,
    is_corroborated,
    is_covered_search,
    kind_of_evidence,
    miss_probability,
    missing_from_list,
    newest_answer,
    registered,
    resolved,
    same_venue,
    search_failed,
    searches,
    source_name,
    stratum,
    unseen_identifiers,
    workshop_of_cited,
    year_fits,
)
from pytest_citecheck.inputs import cited_metadata
from pytest_citecheck.matching import lazy_pattern, lookup
from pytest_citecheck.model import (
    Absent,
    CitedMetadata,
    Evidence,
    EvidenceKind,
    Finding,
    Found,
    Notice,
    Outcome,
    QueryResult,
    Record,
    Reference,
    Unavailable,
)
from pytest_citecheck.thresholds import PRIOR_OF_PAPERS, SOMETHING_IN_COMMON

LABELS: Mapping[str, str] = MappingProxyType({
    "doi": "DOI", "arxiv": "arXiv id", "rfc": "RFC", "w3c": "W3C report", "package": "package", "repository": "repository",
})  # fmt: skip
"""Display names of identifier kinds in messages."""
_SAYS_SO = lazy_pattern(r"\b(?:retract|withdraw|remov|expression of concern)", re.IGNORECASE)
_UNCHECKED = " could not be checked: "


@dataclass(frozen=True)
class ReferenceCase:
    """One reference with its evidence, and values that the checks share, computed once.

    A reference string is in the reading that the records select. today: that of the clock, or a later day that the
    evidence shows. earlier: the case of the same reference before further
    answers, to reuse comparisons. absences: the run's statistics of absences; None while evidence is still gathered,
    when an absence means nothing.
    """

    reference: Reference
    evidence: Evidence
    today: datetime.date
    earlier: InitVar[ReferenceCase | None] = None
    absences: AbsenceContext | None = None
    cited: CitedMetadata = field(init=False)
    _compared: tuple[Candidate, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self, earlier: ReferenceCase | None) -> None:
        reference = self.reference
        object.__setattr__(self, "today", max(self.today, agreed_date(self.evidence.asked) or self.today))
        if reference.readings:
            # The string readers take 0.1 s to import, which is too slow for a hook.
            from pytest_citecheck.evidence import beside_records  # noqa: PLC0415

            reference = beside_records(reference, self.evidence)
        object.__setattr__(self, "reference", reference)
        same = earlier is not None and (
            not reference.readings or earlier.cited.reference.readings[:1] == reference.readings[:1]
        )
        cited = earlier.cited if earlier and same else cited_metadata(reference)
        if doi := resolved(self.evidence, cited.identifiers):
            identifiers = replace(cited.identifiers, doi=doi, short_doi="", doi_literal="")
            cited, same = replace(cited, identifiers=identifiers), False
        object.__setattr__(self, "cited", cited)
        object.__setattr__(self, "_compared", earlier.candidates if earlier and same else ())
        if earlier and same and _same_records(earlier.evidence, self.evidence):
            known = vars(earlier)
            vars(self).update((name, known[name]) for name in _OF_RECORDS if name in known)

    def adds_no_record(self, earlier: ReferenceCase) -> bool:
        """True if this is an earlier case with further answers that neither have records nor deny identifiers."""
        known = len(earlier.evidence.asked)
        asked = self.evidence.asked
        return (
            self.cited is earlier.cited
            and all(map(operator.is_, earlier.evidence.asked, asked))
            and all(map(_is_without_record, asked[known:]))
        )

    @cached_property
    def as_of(self) -> datetime.date:
        """The day of the newest answer, after which a work may have appeared; today if no answer has a date."""
        return min(newest_answer(self.evidence.asked) or self.today, self.today)

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """Every record found, compared with the cited metadata."""
        return candidates(self.cited, self.evidence, self._compared)

    @cached_property
    def works(self) -> tuple[Candidate, ...]:
        """Records of the cited work under the cited title; those named by an identifier first."""
        return self._related("work")

    @cached_property
    def near_matches(self) -> tuple[Candidate, ...]:
        """Records of the cited work whose title differs in words."""
        return self._related("near")

    @cached_property
    def identifier_targets(self) -> tuple[Candidate, ...]:
        """Records of the cited identifiers that have another title."""
        return self._related("target")

    @cached_property
    def has_lookalikes(self) -> bool:
        """True if a record may be the cited work, but not certainly: it has a similar title, or is by the same people.

        No absence counts then: the work may have been retitled, or be listed with a different spelling.
        """
        # The authors are compared last, since that takes longest.
        return any(map(is_lookalike, sorted(self.candidates, key=lambda candidate: candidate.relation == "other")))

    @cached_property
    def retitled_there(self) -> bool:
        """True if the cited venue and year, or a workshop there, have a work that the citation may refer to under a
        different title.

        Such a work is not known to be by others, and has a similar title, or a partly similar one by the same people.
        During an outage, any work by the same people counts: the service may have a preprint with the cited title.
        """
        return any(map(self._is_retitled_there, self.candidates))

    def _is_retitled_there(self, candidate: Candidate) -> bool:
        # Titles and years cost nothing more; whose names of venues and people are worth a look they decide first.
        namesake = candidate.title.relation != "different"
        if not (namesake or self.outage or candidate.title.similarity >= SOMETHING_IN_COMMON):
            return False
        if not year_fits(self.cited, candidate.record):
            return False
        at_venue = same_venue(self.cited.venue, candidate.record) == "same"
        if not (at_venue or (namesake and workshop_of_cited(self.cited, candidate.record))):
            return False
        return candidate.people_agree is not False if namesake else bool(candidate.people_agree)

    @cached_property
    def unseen_doi(self) -> bool:
        """True if the cited DOI is registered but its record is not available.

        Other records may then describe a different work.
        """
        doi = self.cited.identifiers.doi
        return (
            bool(doi)
            and registered(self.evidence, "doi", doi)
            and not any(candidate.matched_identifier == "doi" for candidate in self.candidates)
        )

    @cached_property
    def unresolved_identifier(self) -> bool:
        """True if no source has shown or denied the publication behind a cited identifier."""
        named = self.cited.identifiers
        return any(
            value
            and not any(_states(candidate, kind, value) for candidate in self.candidates)
            and not any(
                isinstance(asked.answer, Absent) and asked.answer.scope
                for asked in self.asked(kind)
                if asked.query.value == value
            )
            for kind, value in (("doi", named.doi), ("openreview", named.openreview), ("acl", named.acl))
        )

    @cached_property
    def unseen_identifiers(self) -> tuple[tuple[str, str], ...]:
        """Kind (``doi``, ``arxiv``) and value of each cited identifier that neither a record of the work nor any other
        record has."""
        of_the_work = (
            candidate.record
            for candidate in self.candidates
            if candidate.matched_identifier or candidate.relation in ("work", "near")
        )
        return unseen_identifiers(self.cited, self.evidence, of_the_work)

    @cached_property
    def missing_from_list(self) -> ListAbsence:
        """The list in which the claimed work is missing, see `evidence.missing_from_list`."""
        return missing_from_list(self.cited, first_hand_evidence(self.evidence), self.as_of)

    @property
    def missing_from_scope(self) -> str:
        """The complete list in which the claimed work is missing; empty if there is none."""
        return "" if self.missing_from_list.lacks else self.missing_from_list.scope

    @cached_property
    def proven_absence(self) -> ListAbsence:
        """The list that does not contain the cited work, if its completeness rests on more than one catalogue; else empty."""
        missing = self.missing_from_list
        told = missing.scope and is_corroborated(self.cited, self.evidence, self.as_of)
        return missing if told else ListAbsence()

    @property
    def alarming_notices(self) -> tuple[Notice, ...]:
        """Notices that a reader of the citation needs, unless the citation mentions them."""
        said = " ".join((self.cited.title, *(self.reference.fields.get(name, "") for name in ("note", "addendum"))))
        if _SAYS_SO.search(said):
            return ()
        return tuple(notice for notice in self.notices if notice.kind != "correction")

    def _related(self, relation: str) -> tuple[Candidate, ...]:
        found = [candidate for candidate in self.candidates if candidate.relation == relation]
        return tuple(sorted(found, key=self._distance))

    def _distance(self, candidate: Candidate) -> tuple[bool, ...]:
        """Versions of a work, the most likely cited one first; equal ones keep their order."""
        return (
            not candidate.matched_identifier,
            candidate.record.compiled,
            candidate.title.relation != "same",
            self.cited.year not in candidate.record.years,
            same_venue(self.cited.venue, candidate.record) != "same",
        )

    def asked(self, *kinds: str) -> list[QueryResult]:
        """Queries of these kinds, with their answers."""
        return [asked for asked in self.evidence.asked if asked.query.kind in kinds]

    @cached_property
    def silent(self) -> bool:
        """True if a source queried by title or venue did not answer."""
        kinds = ("title", "author_search", "venue_year")
        return any(item.query.kind in kinds and not item.compiled for item in self.evidence.unanswered)

    @cached_property
    def outage(self) -> bool:
        """True if a source failed to answer, other than by the user's wish to ask none (``--citecheck-offline``)."""
        return any(answer.reason != "offline" for _, answer in self.unavailable)

    @cached_property
    def works_unseen(self) -> bool:
        """True if a source failed to answer a query about the work itself.

        Queries for the list of a volume do not count: their answer could only prove an absence.
        """
        lists = ("author_search", "venue_year")
        missed = [one for one in self.evidence.unanswered if one.query.kind not in lists and not one.compiled]
        return any(isinstance(one.answer, Unavailable) and one.answer.reason != "offline" for one in missed)

    @cached_property
    def search_failed(self) -> bool:
        """True if a source failed to answer a search by title, see `works.search_failed`."""
        return search_failed(self.evidence)

    @property
    def unavailable(self) -> list[tuple[str, Unavailable]]:
        """Sources that could not be queried, with the reason, except sources that only compile."""
        return [
            (asked.source, asked.answer)
            for asked in self.evidence.unanswered
            if isinstance(asked.answer, Unavailable) and not asked.compiled
        ]

    @cached_property
    def lists_missed(self) -> bool:
        """True if all sources that failed are venue lists, and another venue list covers the cited venue.

        Their answer is then known; title searches cover other venues and years.
        """
        keepers = {item.source for item in self.asked("author_search", "venue_year")}
        searches = [item.answer for item in self.asked("title") if item.source not in keepers]
        searched = bool(searches) and not any(isinstance(answer, Unavailable) for answer in searches)
        missed = all(source in keepers and answer.reason != "offline" for source, answer in self.unavailable)
        return missed and searched and bool(self.missing_from_scope)

    @cached_property
    def is_missing(self) -> bool:
        """True if services answered the title search, and nothing they or an identifier returned may be the cited work."""
        found = self.works or self.near_matches or self.identifier_targets
        return not found and bool(self._searched)

    @cached_property
    def _searched(self) -> list[str]:
        """The services that answered the title search."""
        return [search.source for search in searches(self) if is_covered_search(search.source)]

    @cached_property
    def open_absence(self) -> str:
        """The reason why the absence of this reference is no evidence; empty if it is evidence, or the work was found."""
        if self.absences is None or not self.is_missing:
            return ""
        if self.reference.uncertain:
            return "the reference string can be read in several ways"
        place = stratum(self.cited, self.as_of)
        if not isinstance(place, Stratum):
            return place.reason
        if self.unresolved_identifier:
            return "the cited identifier could not be looked up"
        if registered(self.evidence, "doi", self.cited.identifiers.doi):
            return "the cited DOI is registered"
        holdings = self.absences.controls.holdings
        if holdings is not None and not holdings.covers(self.cited, self._searched):
            return "no source returned other works of this venue and year"
        return ""

    @cached_property
    def miss_probability(self) -> MissProbability | None:
        """The probability that all sources which answered missed a real work; None unless the absence is evidence."""
        if self.absences is None or not self.is_missing or self.open_absence:
            return None
        place = stratum(self.cited, self.as_of)
        if not isinstance(place, Stratum):
            return None
        path = self.reference.location.path
        return miss_probability(place, self._searched, self.absences.controls, self.absences.prior, path)

    @property
    def prior(self) -> float:
        """Expected share of wrong references in this file, 0 to 1; defaults to the share in published papers."""
        return self.absences.share_of_file(self.reference.location.path) if self.absences else PRIOR_OF_PAPERS

    @cached_property
    def covers_place(self) -> bool:
        """True if a source that answered the title search covers the cited venue and year.

        Without such a source, a missing record is no evidence for that venue.
        """
        if self.missing_from_scope:
            return True
        venue = lookup(self.cited.venue, self.cited.year)
        if venue is None or self.cited.year is None:
            return False
        searched = {asked.source for asked in self.asked("title") if not isinstance(asked.answer, Unavailable)}
        return any(
            asked.source in searched
            and asked.query.value in (venue.id, venue.dblp_stream)
            and asked.query.year == self.cited.year
            and isinstance(asked.answer, Found)
            for asked in self.asked("venue_year")
        )

    @property
    def perhaps_meant(self) -> Candidate | None:
        """The record that is most like the citation, where none is of the cited work."""
        titled = (candidate for candidate in self.candidates if candidate.record.title)
        # The most similar ones first: comparing the authors takes longest, and one lookalike is enough.
        by_similarity = sorted(titled, key=lambda candidate: -candidate.title.similarity)
        return next(filter(is_lookalike, by_similarity), None)

    @cached_property
    def notices(self) -> tuple[Notice, ...]:
        """Notices about the cited work since its publication (retractions, corrections), without duplicates."""
        found = [notice for candidate in (*self.works, *self.near_matches) for notice in candidate.record.notices]
        return tuple({(notice.kind, notice.doi or notice.date): notice for notice in reversed(found)}.values())[::-1]


def notice_details(notice: Notice) -> str:
    """Date, DOI and origin of a notice, in one line."""
    return ", ".join(filter(None, (notice.date, notice.doi, f"stated by {source_name(notice.stated_by)}")))


_OF_RECORDS = ("candidates", "works", "near_matches", "identifier_targets", "has_lookalikes", "notices")
"""The parts of a case that depend only on the cited metadata and the records found."""


def _same_records(earlier: Evidence, evidence: Evidence) -> bool:
    """Return True if the later answers found nothing: most of them are then of services that were not queried."""
    if search_failed(earlier) != search_failed(evidence):
        return False
    before, now = ([one for one in asked if isinstance(one.answer, Found)] for asked in (earlier.asked, evidence.asked))
    return len(before) == len(now) and all(map(operator.is_, before, now))


def _is_without_record(asked: QueryResult) -> bool:
    """Return True for a list without works by the cited people, and for a source that the user wants not to be queried."""
    answer = asked.answer
    if isinstance(answer, Unavailable):
        return answer.reason == "offline"
    return asked.query.kind in _OF_LISTS and not (isinstance(answer, Found) and answer.records)


_OF_LISTS = ("author_search", "venue_year", "word")


def _states(candidate: Candidate, kind: str, value: str) -> bool:
    """True if the record belongs to this cited identifier."""
    return candidate.matched_identifier == kind or (kind, value) in candidate.record.related


def is_lookalike(candidate: Candidate) -> bool:
    """Return True if a record may be the cited work, but not certainly: it has a similar title, or is by the same people."""
    return candidate.relation in ("similar", "target") or (
        candidate.relation == "other" and bool(candidate.people_agree)
    )


class Check(Protocol):
    """A check that a hook adds.

    name: an identifier; node ids, ``-m`` and reports contain it. description: one line, of the marker. codes: each code that
    its findings can have, with its meaning. A finding may also have a shared code (`checks.codes.SHARED_CODES`).
    """

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def codes(self) -> Mapping[str, str]: ...

    def check(self, case: ReferenceCase) -> Finding:
        """The finding of this check on one reference. Pure: no I/O, and the same for the same case."""
        ...


class Shown(TypedDict, total=False):
    """Parts of a finding that reports show with its message; see `model.Finding`."""

    cited: str
    found: str
    record: Record | None
    rule: str
    diff: str
    fixes: Mapping[str, str]


def finding(check: str, outcome: Outcome, code: str, message: str, **shown: Unpack[Shown]) -> Finding:
    """A finding; see the model for the meaning of its parts."""
    return Finding(check, outcome, code, message, **shown)


_FIELDS: Final[Mapping[str, Field]] = {
    "doi": "identifier", "title": "title", "authors": "authors", "venue": "venue", "cross_db": "year",
}  # fmt: skip


def accusation(
    case: ReferenceCase,
    check: str,
    code: str,
    message: str,
    against: Sequence[Candidate] = (),
    evidence: EvidenceKind | None = None,
    ratio: float | None = None,
    **shown: Unpack[Shown],
) -> Finding:
    """Return a finding against the citation, with the outcome and the level that it has earned.

    against: the records that contradict the citation. evidence: its kind, where no records show it. ratio: the likelihood
    ratio of this finding, where it differs from one to the next. The outcome is ``failed`` if the level is an error in this
    run; else ``unverifiable``.
    """
    kind = evidence or kind_of_evidence(case.cited, against, _FIELDS[check])
    if against and all(one.record.compiled for one in against):
        kind = "single record" if code in _BEYOND_DOUBT and any(map(_is_of_cited_doi, against)) else "compiled record"
    row = level_of(code, kind)
    row = row if ratio is None else replace(row, ratio=min(row.ratio, ratio))
    level = row.name(case.prior)
    outcome: Outcome = "failed" if level == "error" else "unverifiable"
    if level == "error" and default_severity("failed", code) == "warning":
        level = "warning"  # certain, and harmless
    if outcome != "failed" and against:
        message = f"{message}; {_why_not(kind, against)}".removesuffix("; ")
    return Finding(
        check, outcome, code, message, evidence=kind, level=level,
        likelihood_ratio=row.ratio, **shown,
    )  # fmt: skip


_BEYOND_DOUBT = frozenset({"authors-other", "venue-other", "venue-elsewhere", "year-other"})
"""Contradictions that are too large for the slips of a compiled record that has the cited DOI and title."""


def _is_of_cited_doi(one: Candidate) -> bool:
    return one.matched_identifier == "doi" and one.title.relation == "same"


def _why_not(evidence: EvidenceKind, against: Sequence[Candidate]) -> str:
    """Why records do not suffice for an error; empty if they might."""
    if evidence not in ("single record", "compiled record"):
        return ""
    names = list(dict.fromkeys(source_name(one.record.source) for one in against))
    return f"only {names[0]} reports this" if len(names) == 1 else f"{listing(names)} may share an error"


def undecided(case: ReferenceCase, check: str, what: str) -> Finding:
    """``unverifiable``, with the reason: sources that could not be asked, or sources that know no such work."""
    unavailable = case.unavailable
    if unavailable:
        details = {answer.detail for _, answer in unavailable if answer.reason == "not-recorded"}
        reasons = _by_reason(unavailable)
        hint = f"; {next(iter(details))}" if len(details) == 1 else ""
        code = "not-recorded" if details and len(unavailable) == len(details) else "unavailable"
        return finding(check, "unverifiable", code, f"{what}{_UNCHECKED}no answer from {reasons}{hint}")
    answered = list(
        dict.fromkeys(
            source_name(asked.source)
            for asked in case.evidence.asked
            if isinstance(asked.answer, (Found, Absent)) and asked.query.kind != "url"
        )
    )
    if not answered:
        return finding(
            check, "unverifiable", "not-asked", f"{what}{_UNCHECKED}no source covers {_kind_of(case.reference)}"
        )
    return finding(
        check,
        "unverifiable",
        "not-found",
        f"{what}{_UNCHECKED}{listing(answered)} {'has' if len(answered) == 1 else 'have'} no record of this work"
        f"{f' ({case.open_absence})' if case.open_absence else ''}",
    )


def cause(finding: Finding) -> str:
    """Why nothing could be looked up: the same words for all checks of a reference that it concerns; else the whole message."""
    return cause_of(finding.message) if finding.outcome == "unverifiable" else finding.message


def cause_of(message: str) -> str:
    """The same, of the message of a check that could not be decided."""
    _, unchecked, why = message.partition(_UNCHECKED)
    return why if unchecked else message


def _kind_of(reference: Reference) -> str:
    return f"references of the type @{reference.type} without an identifier"


def _by_reason(unavailable: Iterable[tuple[str, Unavailable]]) -> str:
    """``DBLP, arXiv (offline) and Crossref (timeout)``."""
    sources: dict[str, list[str]] = {}
    for source, answer in unavailable:
        sources.setdefault(answer.reason, []).append(source_name(source))
    return " and ".join(f"{', '.join(dict.fromkeys(names))} ({reason})" for reason, names in sources.items())


def listing(words: Sequence[str]) -> str:
    """“A”, “A and B”, “A, B and C”."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def describe(record: Record) -> str:
    """A record in one line: title, authors, venue, year."""
    names = [str(person) for person in record.authors[:3]]
    people = ", ".join(names) + (" et al." if len(record.authors) > len(names) else "")
    place = ", ".join(part for part in (record.venues[0] if record.venues else "", _year(record)) if part)
    return f"“{record.title}”" + (f" by {people}" if people else "") + (f" ({place})" if place else "")


def _year(record: Record) -> str:
    return str(record.years[0]) if record.years else ""
