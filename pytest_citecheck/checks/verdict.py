"""From a reference and its evidence to findings and a verdict; pure, no I/O."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from pytest_citecheck.checks.base import ReferenceCase
from pytest_citecheck.checks.codes import ADVICE, CHECKS, OF_THE_WORK, earned_severity
from pytest_citecheck.checks.places import OF_THE_LOCATOR
from pytest_citecheck.checks.probability import probability
from pytest_citecheck.checks.registry import Findings
from pytest_citecheck.evidence import AbsenceContext, Candidate, same_venue
from pytest_citecheck.matching import lookup
from pytest_citecheck.model import Evidence, Finding, Reference, Verdict, VerdictName
from pytest_citecheck.rows import Rule, Table, always
from pytest_citecheck.thresholds import CHANGED, CHANGED_TITLE_AT_VENUE

_NO_SUCH_DOI = frozenset({
    "doi-unregistered", "doi-registrant", "doi-malformed", "doi-other-number", "doi-prefix", "doi-beyond-volume",
    "arxiv-unknown", "arxiv-malformed", "arxiv-other-number", "arxiv-beyond-month", "rfc-unknown", "package-unknown",
})  # fmt: skip
_AGAINST_ITSELF = frozenset({"doi-venue", "doi-year"})
_OTHER_WORK = frozenset({
    "doi-other-work", "arxiv-other-work", "number-other-work", "rfc-other-work", "w3c-other-work",
})  # fmt: skip
_ELSEWHERE = frozenset({"venue-other", "venue-elsewhere", "venue-version"})
_OTHER_PEOPLE = frozenset({"authors-other", "authors-partly-other"})


def hallucination_type(case: ReferenceCase, findings: Mapping[str, Finding]) -> str:
    """The type that fits the failed checks best; empty if nothing failed that one of them explains."""
    failed = {name: finding.code for name, finding in findings.items() if finding.outcome == "failed"}
    if "year-future" in findings["completeness"].codes:
        return "future_date"
    if "title" in failed or (case.near_matches and "authors" in failed):
        return _title(case, failed)
    if failed.get("doi") in _OTHER_WORK and not case.works:
        return _no_such_title(case)
    if "authors" in failed:
        return _authors(case, findings)
    if "venue" in failed:
        return _no_such_title(case) if failed["venue"] in _NOT_AT_PLACE else _venue(case, failed)
    if failed.get("doi") in _AGAINST_ITSELF and not case.works:
        return _venue(case, failed) if failed["doi"] == "doi-venue" else "arxiv_version_mismatch"
    if failed.get("doi") in _NO_SUCH_DOI | _OTHER_WORK | _AGAINST_ITSELF:
        return "fabricated_doi"
    return "arxiv_version_mismatch" if "cross_db" in failed else ""


def _title(case: ReferenceCase, failed: Mapping[str, str]) -> str:
    if case.near_matches or failed["title"] in ("title-near-miss", "title-misspelt"):
        return "hybrid_fabrication" if failed.get("authors") in _OTHER_PEOPLE else "near_miss_title"
    return _no_such_title(case)


def _no_such_title(case: ReferenceCase) -> str:
    """A title that does not exist for the cited people, venue and year: a work by others elsewhere, attributed to real
    people, changed from another title, or all invented."""
    if any(candidate.title.relation == "same" for candidate in case.candidates):
        return "merged_citation" if _have_worked_together(case) else "swapped_authors"
    if any(_is_near(candidate) and candidate.people_agree for candidate in case.candidates):
        return "near_miss_title"
    if _have_worked_together(case):
        return "chimeric_title"
    if any(_changed(case, candidate) for candidate in case.candidates):
        return "hybrid_fabrication"
    return "plausible_fabrication"


def _changed(case: ReferenceCase, candidate: Candidate) -> bool:
    """Return True if the cited title looks like the title of a record with words changed, by its words or by its place."""
    if _is_near(candidate):
        return True
    at_venue = case.cited.year in candidate.record.years and same_venue(case.cited.venue, candidate.record) == "same"
    return at_venue and candidate.title.similarity >= CHANGED_TITLE_AT_VENUE


def _is_near(candidate: Candidate) -> bool:
    return candidate.title.relation == "near" and candidate.title.similarity >= CHANGED


def _have_worked_together(case: ReferenceCase) -> bool:
    """Return True if some record has the cited people together: invented groups have none."""
    # Searches for works by these people come last, and comparing people takes long.
    return any(candidate.people_agree for candidate in reversed(case.candidates))


def _authors(case: ReferenceCase, findings: Mapping[str, Finding]) -> str:
    code = findings["authors"].code
    if code in ("authors-truncated", "authors-left-out", "authors-run-together"):
        return "partial_author_list"
    year_fails = findings["cross_db"].outcome == "failed"
    if code in _OTHER_PEOPLE and (findings["venue"].code in _ELSEWHERE or year_fails):
        whole = code == "authors-other" and _have_worked_together(case)
        return "merged_citation" if whole else "swapped_authors"
    # Sources searched for works by these people together: real people have some.
    looked = [asked for asked in case.asked("author_search") if not asked.query.value]
    return "placeholder_authors" if looked and not _have_worked_together(case) else "swapped_authors"


def _venue(case: ReferenceCase, failed: Mapping[str, str]) -> str:
    if lookup(case.cited.venue) is None:
        return "nonexistent_venue"
    published = {year for work in case.works if not work.preprint for year in work.record.years}
    if "cross_db" in failed or (published and case.cited.year not in published):
        return "arxiv_version_mismatch"  # venue and year of no version
    return "preprint_as_published" if failed.get("venue") == "venue-preprint-only" else "wrong_venue"


_DENIED = ("doi-unregistered", "arxiv-unknown", "rfc-unknown", "package-unknown")
_RULES_OTHER_WORK = ("doi-other-work", "arxiv-other-work", "rfc-other-work", "w3c-other-work")
_NOTHING_ELSE = ("rfc-unknown", "package-unknown")
"""Absences of works from the only catalogue of the cited number or name."""
_NO_SUCH_WORK = ("title-not-in-venue", "title-not-listed", "title-not-found")
_UNFINDABLE = {"title-unfindable", "title-not-listed"}
_NOT_AT_PLACE = ("place-other-work", "not-in-volume")
_PLACED_ELSEWHERE = ("venue-elsewhere", "venue-version", "venue-preprint-only", "venue-unclear")
_OF_ONE_YEAR = ("article", "inproceedings", "conference")  # other works may appear again, in editions and versions
_LABELS = {"doi": "DOI", "arxiv": "arXiv id"}
_DECISIVE = tuple(name for name in CHECKS if name not in ADVICE)


@dataclass(frozen=True, slots=True)
class Ruling:
    """Result of a rule: name of the verdict, name of the rule, and the reason in words."""

    name: VerdictName
    rule: str
    reason: str


@dataclass(frozen=True)
class _Evaluated:
    """A case with its findings. Completeness is advice: it decides only for years in the future."""

    case: ReferenceCase
    findings: Mapping[str, Finding]

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """The codes of the failed checks that decide."""
        failed = (self.findings[name] for name in _DECISIVE if self.findings[name].outcome == "failed")
        return tuple(finding.code for finding in failed)

    @property
    def wrong(self) -> str:
        return ", ".join(self.codes)

    def fails(self, codes: Iterable[str]) -> bool:
        return not set(self.codes).isdisjoint(codes)

    @property
    def exists(self) -> bool:
        """True if a record of the work is known."""
        known = self.case.works or self.case.near_matches
        return bool(known) or any(target.same_people for target in self.case.identifier_targets)

    @property
    def may_exist(self) -> bool:
        """True if a work that a complete list lacks may exist under another title, or elsewhere."""
        return (self.case.unavailable and not self.case.lists_missed) or self.case.has_lookalikes

    @property
    def other_work(self) -> bool:
        return not self.exists and self.fails(_RULES_OTHER_WORK)

    @property
    def denied(self) -> bool:
        return not self.exists and self.fails(_DENIED)

    @property
    def doubt(self) -> str:
        return (_warned(self.findings) if self.exists else "") or _doubtful(self.case, self.findings)

    @property
    def matches(self) -> bool:
        return all(self.findings[name].outcome == "passed" for name in ("title", "authors"))

    @property
    def open(self) -> str:
        return ", ".join(name for name in _DECISIVE if self.findings[name].outcome == "unverifiable")


_VERDICTS: Table[_Evaluated] = Table(
    "verdict",
    "verdicts",
    Rule("absent-but-alike", lambda f: f.fails(_NO_SUCH_WORK) and f.may_exist,
         "the cited venue and year do not contain this work: {0.wrong}", "misdescribed"),
    Rule("absent", lambda f: f.fails(_NO_SUCH_WORK),
         "a complete list that should contain this work does not: {0.wrong}", "fabricated"),
    Rule("not-there-but-alike", lambda f: f.fails(_NOT_AT_PLACE) and f.may_exist,
         "the cited volume and pages do not contain this work: {0.wrong}", "misdescribed"),
    Rule("not-there", lambda f: f.fails(_NOT_AT_PLACE),
         "the cited volume has a different work on these pages, or ends before them, and no work has this title", "fabricated"),
    Rule("other-work-while-silent", lambda f: f.other_work and f.case.silent,
         "the cited identifier leads to a different work; not all sources could be queried for the cited title",
         "misdescribed"),
    Rule("other-work-behind", lambda f: f.other_work,
         "the cited identifier leads to a different work, and no work has this title", "fabricated"),
    Rule("denied-while-silent", lambda f: f.denied and f.case.unavailable,
         "the cited identifier does not exist; not all sources could be queried for the work", "undecided"),
    Rule("denied-preprint", lambda f: f.denied and f.case.cited.preprint and "arxiv-unknown" in f.codes,
         "cited as a preprint that is not in its archive", "fabricated"),
    Rule("denied-catalogued", lambda f: f.denied and f.fails(_NOTHING_ELSE),
         "cited with a number or name that its catalogue has never had", "fabricated"),
    Rule(
         "denied", lambda f: f.denied, "the cited identifier does not exist; the work itself was not found", "undecided"),
    Rule("unfindable", lambda f: _UNFINDABLE.issuperset(f.codes) and not _UNFINDABLE.isdisjoint(f.findings["title"].codes),
         "no source queried has this work, although these sources have nearly all works of this kind", "unfindable"),
    Rule("in-itself", lambda f: f.codes and not f.exists, "the citation is wrong in itself: {0.wrong}", "misdescribed"),
    Rule(
         "wrong", lambda f: f.codes, "the work exists, but the citation describes it wrongly: {0.wrong}", "misdescribed"),
    Rule("future", lambda f: "year-future" in f.findings["completeness"].codes, "the cited year is in the future",
         "misdescribed"),
    Rule("doubtful", lambda f: f.doubt, "{0.doubt}", "undecided"),
    Rule("all-pass", lambda f: f.matches and not f.open, "every decided check passed", "verified"),
    Rule("some-open", lambda f: f.matches, "title and authors match a record; undecided: {0.open}", "verified"),
    Rule("silent", lambda f: f.case.unavailable, "sources could not be queried", "undecided"),
    Rule("too-little", always, "no source queried has sufficient data", "undecided"),
)  # fmt: skip


def decide(case: ReferenceCase, findings: Mapping[str, Finding]) -> Ruling:
    """Return the verdict that follows from the findings."""
    facts = _Evaluated(case, findings)
    rule = _VERDICTS.deciding(facts)
    return Ruling(rule.gives, rule.name, rule.said(facts))


def _warned(findings: Mapping[str, Finding]) -> str:
    """Probable errors; empty if no warning concerns a check that decides. Volume and pages only help to find the work."""
    warned = [
        finding.code
        for finding in (findings[name] for name in _DECISIVE)
        if finding.code not in OF_THE_LOCATOR
        if any(earned_severity(finding, code) == "warning" for code in finding.codes if code not in OF_THE_WORK)
    ]
    return "the work exists, but the citation is probably wrong: " + ", ".join(warned) if warned else ""


def _doubtful(case: ReferenceCase, findings: Mapping[str, Finding]) -> str:
    """Doubts about a citation of a known work that do not prove it wrong; empty without doubts."""
    if findings["title"].outcome != "passed" or findings["authors"].outcome != "passed":
        return ""
    if findings["venue"].code in _PLACED_ELSEWHERE:
        return "the work exists, but no record has the cited venue: " + findings["venue"].code
    contradicted = [
        findings[name].code
        for name in _DECISIVE
        if findings[name].evidence and findings[name].code not in OF_THE_LOCATOR
    ]
    if contradicted:
        return f"the work exists, but a record contradicts it: {', '.join(contradicted)}"
    if findings["doi"].code == "doi-short":
        return "the work exists, but the cited short DOI was not resolved"
    undated = findings["cross_db"].code == "year-unclear" and case.reference.type in _OF_ONE_YEAR
    if undated or findings["cross_db"].code == "year-preprint":
        return "the work exists, but no record has the cited year"
    unseen = " and ".join(f"{_LABELS[kind]} {value}" for kind, value in case.unseen_identifiers)
    return f"the work exists, but no source queried has a record of the cited identifier: {unseen}" if unseen else ""


_WRONG = ("misdescribed", "fabricated")


@dataclass(frozen=True)
class Evaluation:
    """Result for one reference: the case, its findings, and the verdict; the last two are computed when they are read."""

    case: ReferenceCase
    findings: Mapping[str, Finding]

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict that follows from the findings of the checks, without those that hooks add."""
        found = {name: self.findings[name] for name in CHECKS}
        ruling = decide(self.case, found)
        kind = hallucination_type(self.case, found) if ruling.name in _WRONG else ""
        return Verdict(ruling.name, probability(self.case, found, ruling.name), ruling.reason, kind)

    @cached_property
    def need(self) -> Need:
        """Evidence that is still worth a query."""
        return Need(self)


def evaluate(
    reference: Reference,
    evidence: Evidence,
    today: datetime.date,
    earlier: Evaluation | None = None,
    absences: AbsenceContext | None = None,
) -> Evaluation:
    """Run the checks and draw the verdict; pure, no I/O.

    earlier: the evaluation of the same reference before further answers; it only saves time.
    absences: the run's statistics of absences, once all evidence is gathered; None: absences are not evaluated yet.
    """
    case = ReferenceCase(reference, evidence, today, earlier.case if earlier else None, absences)
    known = earlier.findings if earlier else None
    return Evaluation(case, known.after(case) if isinstance(known, Findings) else Findings(case))


_SETTLING = ("title", "authors", "venue", "cross_db")
_NOTHING_TO_FIND = frozenset({"venue-missing", "authors-missing", "venue-unknown"})


@dataclass(frozen=True)
class Need:
    """Evidence that is worth a query. Only the checks that a need depends on are run."""

    evaluation: Evaluation

    @property
    def known(self) -> tuple[Candidate, ...]:
        """Records of the cited work; without any, title and agreement cannot pass."""
        return (*self.evaluation.case.works, *self.evaluation.case.near_matches)

    @cached_property
    def record(self) -> bool:
        """A deciding record, found by title, until title, authors, venue and agreement all pass and no cited identifier is
        in doubt."""
        findings = self.evaluation.findings
        if not self.known:
            return True
        if not all(findings[name].outcome == "passed" or findings[name].code in _NOTHING_TO_FIND for name in _SETTLING):
            return True
        return findings["doi"].outcome != "passed" and {"doi-not-cited", "doi-to-add"}.isdisjoint(findings["doi"].codes)

    @cached_property
    def preprint(self) -> bool:
        """The work as a preprint, if no publication was found."""
        findings = self.evaluation.findings
        return findings["title"].outcome == "unverifiable" or findings["venue"].code == "venue-preprint-only"

    @cached_property
    def place(self) -> bool:
        """Works of the cited authors in the cited venue and year, if no record of the work was found there; not if the work
        is by others, whom such a list does not cover."""
        by_cited_people = not self.known or any(candidate.people_agree for candidate in self.known)
        return by_cited_people and (
            self.preprint or self.evaluation.findings["venue"].code in ("venue-elsewhere", "venue-version")
        )

    @property
    def former_title(self) -> bool:
        """A preprint with the cited title, if the work was published under a different one."""
        return self.evaluation.findings["title"].code == "title-near-miss"

    @property
    def second_opinion(self) -> bool:
        """Only an independent source that agrees."""
        identified = any(work.matched_identifier for work in self.evaluation.case.works)
        return identified and self.evaluation.findings["cross_db"].code == "agree-registry"
