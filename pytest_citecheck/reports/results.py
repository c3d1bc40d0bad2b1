"""The result of a run as plain data: the input of every report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, NotRequired, Self, TypedDict, Unpack, get_args

from pytest_citecheck.checks import CHECKS, ReferenceCase, Severity
from pytest_citecheck.evidence import MissProbability, source_name
from pytest_citecheck.model import (
    Evidence,
    EvidenceKind,
    Finding,
    Found,
    Location,
    NoticeKind,
    Outcome,
    QueryKind,
    QueryResult,
    Record,
    Reference,
    Unavailable,
    Verdict,
    VerdictName,
)

_UNDECIDED: Final = "undecided"
_ANSWERS: Final = frozenset({"found", "absent"})
_SHOWN: Final = 4  # sources in a sentence


_IN_WORDS: Final = {
    "allowance": "its free daily budget is spent",
    "breaker": "failed repeatedly",
    "browser": "demands a browser",
    "connection": "no connection",
    "damaged-recording": "recordings changed after recording",
    "deadline": "timed out",
    "dns": "address not found",
    "silent": "no answer in time",
    "timeout": "timed out",
    "uncontrolled": "did not find its control",
}
"""Reasons of `Unavailable` whose names say too little."""


def in_words(reason: str) -> str:
    """The reason why a service did not answer."""
    return _IN_WORDS.get(reason, reason)


@dataclass(frozen=True, slots=True)
class Coverage:
    """References with a verdict, and the numbers of decided and checked ones.

    A reference is *decided* if its verdict is not ``undecided``. It is *checked* if it is decided, or if every source
    queried for it answered. deciding: decided references by source with a record of them. unreached: unchecked
    references by source that did not answer and by reason. required: the lowest share of checked references that
    passes.
    """

    references: int = 0
    decided: int = 0
    checked: int = 0
    deciding: Mapping[str, int] = field(default_factory=dict)
    unreached: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    required: float = 0.0

    @property
    def share(self) -> float:
        """Share of references that were checked; 1 if there are none."""
        return self.checked / self.references if self.references else 1.0

    @property
    def is_complete(self) -> bool:
        """True if every reference was checked."""
        return self.checked == self.references

    @property
    def is_enough(self) -> bool:
        """True if the run checked enough references."""
        return self.share >= self.required

    @property
    def level(self) -> Literal["error", "warning", "info"]:
        """Severity of the problem in `sentence`."""
        return "info" if self.is_complete else "warning" if self.is_enough else "error"

    @property
    def sentence(self) -> str:
        """``41 of 44 references decided (Crossref 38, DBLP 12); 3 not checked: timeout (arXiv)``."""
        if not self.references:
            return ""
        by = listed([f"{source_name(name)} {number}" for name, number in _most(self.deciding)])
        said = f"{self.decided} of {number_of(self.references, 'reference')} decided{f' ({by})' if by else ''}"
        return f"{said}; {self.gap}" if self.gap else said

    @property
    def gap(self) -> str:
        """References that could not be checked, with the reasons and the sources; empty if there are none."""
        if self.is_complete:
            return ""
        by_reason: dict[str, Counter[str]] = {}
        for name, reasons in self.unreached.items():
            for reason, number in reasons.items():
                by_reason.setdefault(reason, Counter())[name] += number
        totals = {reason: max(sources.values()) for reason, sources in by_reason.items()}
        why = [
            f"{in_words(reason)} ({listed([source_name(name) for name, _ in _most(by_reason[reason])])})"
            for reason, _ in _most(totals)
        ]
        said = f"{self.references - self.checked} not checked: {listed(why) or 'no source was queried'}"
        return said if self.is_enough else f"{said}. {self.shortfall}"

    @property
    def shortfall(self) -> str:
        """The share that was checked and the share that the run requires; empty if enough were checked."""
        return "" if self.is_enough else f"{self.share:.0%} were checked, {self.required:.0%} are required"

    def data(self) -> dict[str, Any]:
        """The coverage as in the JSON report."""
        return {
            "references": self.references,
            "decided": self.decided,
            "checked": self.checked,
            "required": self.required,
            "deciding": dict(self.deciding),
            "unreached": {name: dict(reasons) for name, reasons in self.unreached.items()},
        }


class CoverageCount:
    """Counts the coverage of a run, reference by reference."""

    def __init__(self) -> None:
        self._references = self._decided = self._checked = 0
        self._deciding: Counter[str] = Counter()
        self._unreached: dict[str, Counter[str]] = {}

    def add(self, verdict: str, answers: Mapping[str, str]) -> None:
        """Count a reference. answers: for each source queried ``found``, ``absent``, or the reason why it did not answer."""
        self._references += 1
        if verdict != _UNDECIDED:
            self._decided += 1
            self._checked += 1
            self._deciding.update(name for name, answer in answers.items() if answer == "found")
            return
        silent = {name: answer for name, answer in answers.items() if answer not in _ANSWERS}
        if answers and not silent:
            self._checked += 1
        for name, reason in silent.items():
            self._unreached.setdefault(name, Counter())[reason] += 1

    def coverage(self, required: float = 0.0) -> Coverage:
        """The result."""
        return Coverage(
            self._references,
            self._decided,
            self._checked,
            dict(sorted(self._deciding.items())),
            {name: dict(sorted(reasons.items())) for name, reasons in sorted(self._unreached.items())},
            required,
        )


def coverage_of(payloads: Iterable[Mapping[str, Mapping[str, Any]]], required: float) -> Coverage:
    """The coverage of a run. payloads: the findings of each reference by check, as they travel in test reports."""
    count = CoverageCount()
    for by_check in payloads:
        data = next((one for one in by_check.values() if one["verdict"]), None)
        if data is not None:
            is_open = any(one["outcome"] == "unverifiable" for one in by_check.values())
            # Without an open finding among the selected checks, it does not matter who was silent.
            count.add(data["verdict"]["name"], data["sources"] if is_open else {"": "absent"})
    return count.coverage(required)


def coverage_properties(coverage: Coverage) -> list[tuple[str, str]]:
    """The coverage as name and value of properties in JUnit XML."""
    silent = {name: sum(reasons.values()) for name, reasons in coverage.unreached.items()}
    return [
        ("citecheck.coverage", coverage.sentence),
        *((f"citecheck.coverage.{name}", str(getattr(coverage, name))) for name in ("decided", "checked", "required")),
        *((f"citecheck.deciding.{name}", str(number)) for name, number in coverage.deciding.items()),
        *((f"citecheck.unreached.{name}", str(number)) for name, number in silent.items()),
    ]


def coverage_of_report(report: Mapping[str, Any]) -> Coverage | None:
    """The coverage stated in a JSON report; None if it states none or none that can be read."""
    stated = (report.get("summary") or {}).get("coverage")
    if not isinstance(stated, Mapping):
        return None
    try:
        return Coverage(
            int(stated["references"]),
            int(stated["decided"]),
            int(stated["checked"]),
            {str(name): int(number) for name, number in stated["deciding"].items()},
            {
                str(name): {str(reason): int(number) for reason, number in reasons.items()}
                for name, reasons in stated["unreached"].items()
            },
            float(stated["required"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _most(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def listed(parts: list[str]) -> str:
    """The first parts of a list, and how many there are besides."""
    more = [f"and {len(parts) - _SHOWN} more"] if len(parts) > _SHOWN else []
    return ", ".join([*parts[:_SHOWN], *more])


UNREADABLE = "unreadable-document"
"""Code of the finding for a submission that cannot be read."""


class RecordData(TypedDict):
    """The record that a finding rests on: at most ten ``authors``, of ``author_count``; ``venue`` is the primary one."""

    source: str
    id: str
    url: str
    title: str
    authors: list[str]
    author_count: int
    years: list[int]
    venue: str
    doi: str
    arxiv: str


class FindingData(TypedDict):
    """Finding of one check, with the effect of policy, waivers and ``--citecheck-strict`` (docs/json-report.md)."""

    outcome: Outcome
    severity: Severity
    said: str
    demanded: bool
    waived: bool
    code: str
    also: list[str]
    evidence: NotRequired[EvidenceKind]
    likelihood_ratio: NotRequired[float]
    message: str
    cited: str
    found: str
    diff: str
    rule: str
    fixes: dict[str, str]
    record: RecordData | None
    place: NotRequired[list[int]]


class EscapeData(TypedDict):
    """The probability that a real work of this kind would not have been found, with its 95 % interval (docs/verdicts.md)."""

    probability: float
    interval: list[float]
    kind: str
    sources: list[str]
    looked_for: int
    found: int
    enough: bool


class VerdictData(TypedDict):
    """The verdict; ``type`` of hallucination of a wrong citation, ``label`` under a policy that labels references."""

    name: VerdictName
    probability: float
    reason: str
    type: NotRequired[str]
    escape: NotRequired[EscapeData]
    label: NotRequired[str]


class NoticeData(TypedDict):
    """A retraction, correction or the like; ``alarming``: a reader of the citation has to know it."""

    kind: NoticeKind
    date: str
    doi: str
    stated_by: str
    alarming: bool


class QueryData(TypedDict):
    """Query sent to a source."""

    kind: QueryKind
    value: str


class EvidenceData(TypedDict):
    """One query with its answer: ``records`` if found, ``scope`` if absent, ``reason`` and ``detail`` if unavailable."""

    source: str
    question: QueryData
    endpoint: str
    date: str
    answer: Literal["found", "absent", "unavailable"]
    records: NotRequired[list[str]]
    scope: NotRequired[str]
    reason: NotRequired[str]
    detail: NotRequired[str]


class GoldData(TypedDict):
    """Labels of a reference in a benchmark."""

    label: str
    hallucination_type: str | None
    difficulty_tier: int | None
    generation_method: str


@dataclass(frozen=True, slots=True)
class SourceUse:
    """Queries of a run to one source. ``unavailable`` counts failed queries by reason."""

    name: str
    label: str
    requests: int
    replayed: int
    cached: int
    local: int
    answered: int
    unavailable: Mapping[str, int]


class _Further(TypedDict, total=False):
    notices: tuple[NoticeData, ...]
    evidence: Iterable[EvidenceData]
    gold: GoldData | None
    corrected: str
    submission: str


@dataclass(frozen=True, slots=True)
class ReferenceResult:
    """One reference with the findings of the checks that ran, in the order of the checks, as JSON-able data.

    ``gold``: labels of a benchmark, if any. ``unit``: unit of ``line``: ``line``, ``page`` or ``paragraph``.
    ``submission``: the citing submission, if there are several. ``corrected``: the corrected entry; empty if none is
    known.
    """

    id: str
    key: str
    type: str
    title: str
    path: str
    line: int
    end_line: int
    verdict: VerdictData | None
    findings: Mapping[str, FindingData]
    notices: tuple[NoticeData, ...]
    evidence: Iterable[EvidenceData]
    gold: GoldData | None = None
    corrected: str = ""
    unit: str = "line"
    submission: str = ""

    @classmethod
    def of(
        cls,
        reference: Reference,
        name: str,
        verdict: VerdictData | None,
        findings: Mapping[str, FindingData],
        **further: Unpack[_Further],
    ) -> Self:
        """Data of a reference. name: its id in the reports."""
        where = reference.location
        return cls(
            id=name,
            key=reference.key,
            type=reference.type,
            title=reference.fields.get("title", ""),
            path=where.path,
            line=where.line,
            end_line=where.end_line,
            unit=where.unit,
            verdict=verdict,
            findings=findings,
            notices=further.get("notices", ()),
            evidence=further.get("evidence", ()),
            gold=further.get("gold"),
            corrected=further.get("corrected", ""),
            submission=further.get("submission", ""),
        )

    @property
    def place(self) -> str:
        """Place of the reference, in words: ``refs.bib:12``; ``paper.pdf, page 12``."""
        return str(Location(self.path, self.line, self.end_line, self.unit))


@dataclass(frozen=True, slots=True)
class FurtherFailure:
    """A failed item that is no check of a reference, such as entries of a bibliography that contradict each other."""

    path: str
    line: int
    code: str
    message: str


_UNANSWERED: Final[tuple[tuple[set[str], str], ...]] = (
    (set(), "no source was queried"),
    ({"offline"}, "the run is offline, and no index or cache has an answer"),
    ({"not-recorded"}, "the cassettes contain no answer"),
)
"""Reasons of all unanswered queries of a run, and the sentence."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """All data of a run for reports, in file order. ``references`` may be created again on each iteration.

    ``scores``: of each file of labelled references. ``arena``: of the models whose answers were checked.
    ``claims``: verdicts of judges on claims. ``selfcheck``: how far models agree with themselves. ``policy``: the name
        of the one that says how severe the findings are. ``calls``: what it calls a reference with a finding of a
        severity.
    ``strict``: whether everything that is unverifiable fails besides. ``checks``: the names of all checks, in order.
        ``further``: what else failed. ``coverage``: the references that were decided, and by which sources; None if
        that is unknown. ``command``: the command that repeats the run. ``passed_over``: the files of folders that no
        submission reads, with the reason.
    """

    version: str
    references: Sequence[ReferenceResult]
    sources: tuple[SourceUse, ...]
    notes: tuple[str, ...] = field(default=())
    scores: tuple[Mapping[str, Any], ...] = ()
    arena: Mapping[str, Any] | None = None
    claims: Mapping[str, Any] | None = None
    selfcheck: Mapping[str, Any] | None = None
    policy: str = "default"
    calls: Mapping[Severity, str] = field(default_factory=dict)
    strict: bool = False
    checks: tuple[str, ...] = ("syntax", *CHECKS)
    further: tuple[FurtherFailure, ...] = ()
    coverage: Coverage | None = None
    command: str = ""
    passed_over: Mapping[str, str] = field(default_factory=dict)

    def unread(self) -> dict[str, str]:
        """Every file that was not read, by path, with the reason: broken submissions and skipped files."""
        broken = {
            reference.path: data["message"]
            for reference in self.references
            for data in reference.findings.values()
            if data["code"] == UNREADABLE
        }
        return dict(sorted({**self.passed_over, **broken}.items()))

    @property
    def unanswered(self) -> str:
        """The reason why no source answered any query, if findings are open for it; empty otherwise."""
        if any(source.answered for source in self.sources):
            return ""
        if not any(data["outcome"] == "unverifiable" for one in self.references for data in one.findings.values()):
            return ""
        reasons = Counter(reason for source in self.sources for reason in source.unavailable)
        silent = number_of(sum(bool(source.unavailable) for source in self.sources), "service")
        first = [reason for reason, _ in reasons.most_common() if reason != "breaker"]  # it follows from the others
        why = ", ".join(dict.fromkeys(map(in_words, first or reasons)))
        return next((said for only, said in _UNANSWERED if {*reasons} == only), f"no service answered: {silent}, {why}")

    def verdicts(self) -> dict[str, int]:
        """Number of references by verdict."""
        return named_verdicts(Counter(result.verdict["name"] for result in self.references if result.verdict))

    def counts(self) -> str:
        """``38 verified, 2 misdescribed, 1 unreadable``: parts that add up to all references; empty if none has a verdict."""
        counts = Counter(one.verdict["name"] if one.verdict else _without_verdict(one) for one in self.references)
        named = {**named_verdicts(counts), **{name: counts[name] for name in _WITHOUT}}
        return (
            ", ".join(f"{count} {name}" for name, count in named.items() if count)
            if any(self.verdicts().values())
            else ""
        )


_WITHOUT: Final = ("unreadable", "without a verdict")


def _without_verdict(one: ReferenceResult) -> str:
    """An unreadable entry has no other check than syntax. Others lack a verdict if the checks that decide were not selected."""
    return _WITHOUT[0 if one.findings.keys() == {"syntax"} else 1]


def number_of(number: int, noun: str, plural: str = "") -> str:
    """``1 reference``, ``2 references``."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


@dataclass(frozen=True, slots=True)
class Report:
    """A file that a run writes besides its own reports.

    path: an existing file is replaced only by a complete new one. render: function from the result to the text of the
    file.
    """

    path: Path
    render: Callable[[RunResult], str]


def named_verdicts(counts: Counter[str]) -> dict[str, int]:
    """The counts of all verdicts, in the order of the reports."""
    return {name: counts[name] for name in get_args(VerdictName)}


def finding_json(finding: Finding) -> dict[str, Any]:
    """A finding in the JSON report and between processes."""
    return {
        "outcome": finding.outcome,
        "code": finding.code,
        "also": list(finding.also),
        **({"evidence": finding.evidence, "likelihood_ratio": finding.likelihood_ratio} if finding.evidence else {}),
        "message": finding.message,
        "cited": finding.cited,
        "found": finding.found,
        "diff": finding.diff,
        "rule": finding.rule,
        "fixes": dict(finding.fixes),
        "record": record_json(finding.record) if finding.record else None,
    }


def notices_json(case: ReferenceCase) -> tuple[NoticeData, ...]:
    """Retractions, corrections and the like of the cited work."""
    alarming = case.alarming_notices
    return tuple(
        {"kind": one.kind, "date": one.date, "doi": one.doi, "stated_by": one.stated_by, "alarming": one in alarming}
        for one in case.notices
    )


def record_json(record: Record) -> RecordData:
    """The record that a finding rests on, with its link."""
    return {
        "source": record.source,
        "id": record.id,
        "url": record.url,
        "title": record.title,
        "authors": [str(person) for person in record.authors[:10]],
        "author_count": len(record.authors),
        "years": list(record.years),
        "venue": record.venues[0] if record.venues else "",
        "doi": record.doi,
        "arxiv": record.arxiv,
    }


def gold_json(truth: Mapping[str, str]) -> GoldData | None:
    """Benchmark labels of a reference, from its properties (`benchmark.predictions.truth_properties`)."""
    gold = {name.removeprefix("citecheck.truth."): value for name, value in truth.items()}
    if "label" not in gold:
        return None
    return {
        "label": gold["label"],
        "hallucination_type": gold.get("hallucination_type"),
        "difficulty_tier": int(gold["tier"]) if "tier" in gold else None,
        "generation_method": gold.get("generation_method", ""),
    }


def verdict_json(verdict: Verdict, missed: MissProbability | None = None) -> dict[str, Any]:
    """Return a verdict in the form of the JSON report. missed: the probability that a real work would not have been found."""
    return {
        "name": verdict.name,
        "probability": verdict.probability,
        "reason": verdict.reason,
        **({"type": verdict.type} if verdict.type else {}),
        **({"escape": _escape_json(missed)} if missed is not None else {}),
    }


_ENOUGH = 20
"""References of the run that were searched for in the same way, from which on a report calls them enough."""


def _escape_json(missed: MissProbability) -> EscapeData:
    return {
        "probability": missed.mean,
        "interval": [missed.low, missed.high],
        "kind": missed.kind,
        "sources": list(missed.sources),
        "looked_for": missed.looked_for,
        "found": missed.found,
        "enough": missed.looked_for >= _ENOUGH,
    }


def answer_word(asked: QueryResult) -> str:
    """One word for an answer: ``found``, ``absent`` or the reason for its absence."""
    if isinstance(asked.answer, Found):
        return "found"
    return asked.answer.reason if isinstance(asked.answer, Unavailable) else "absent"


def asked_json(evidence: Evidence) -> tuple[EvidenceData, ...]:
    """All answers for one reference, each with source, query, endpoint and date."""
    lines = []
    for asked in evidence.asked:
        answer = asked.answer
        line: EvidenceData = {
            "source": asked.source,
            "question": {"kind": asked.query.kind, "value": asked.query.value},
            "endpoint": asked.endpoint,
            "date": asked.date,
            "answer": "absent",
        }
        if isinstance(answer, Found):
            line["answer"] = "found"
            line["records"] = [record.url or record.id for record in answer.records]
        elif isinstance(answer, Unavailable):
            line["answer"], line["reason"], line["detail"] = "unavailable", answer.reason, answer.detail
        else:
            line["scope"] = answer.scope
        lines.append(line)
    return tuple(lines)
