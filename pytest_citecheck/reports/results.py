"""The result of a run as plain data: what every report is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_citecheck.model import Asked, Evidence, Finding, Found, Notice, Record, Unavailable, Verdict
from pytest_citecheck.verdict.policies import Severity

__all__ = [
    "ReferenceResult",
    "RunResult",
    "SourceUse",
    "answer_word",
    "asked_json",
    "finding_json",
    "named_verdicts",
    "notice_json",
    "verdict_json",
]


@dataclass(frozen=True, slots=True)
class SourceUse:
    """What a run asked of one source. ``unavailable`` counts questions without an answer, by reason."""

    name: str
    label: str
    requests: int
    replayed: int
    cached: int
    local: int
    answered: int
    unavailable: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ReferenceResult:
    """One reference with the findings of the checks that ran, in the order of the checks, as JSON-able data.

    ``gold``: what a benchmark says of it, if it does.
    """

    id: str
    key: str
    type: str
    title: str
    path: str
    line: int
    end_line: int
    verdict: Mapping[str, Any] | None
    findings: Mapping[str, Mapping[str, Any]]
    notices: tuple[Mapping[str, Any], ...]
    evidence: Iterable[Mapping[str, Any]]
    gold: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """Everything that a report may say of a run, in file order. ``references`` may be made anew whenever they are gone through.

    ``scores``: of each file of labelled references. ``arena``: of the models whose answers were checked. ``policy``: the name
    of the one that says how severe the findings are. ``calls``: what it calls a reference with a finding of a severity.
    ``strict``: whether everything that is unverifiable fails besides.
    """

    version: str
    references: Sequence[ReferenceResult]
    sources: tuple[SourceUse, ...]
    notes: tuple[str, ...] = field(default=())
    scores: tuple[Mapping[str, Any], ...] = ()
    arena: Mapping[str, Any] | None = None
    policy: str = "default"
    calls: Mapping[Severity, str] = field(default_factory=dict)
    strict: bool = False

    def verdicts(self) -> dict[str, int]:
        """How many references have which verdict."""
        return named_verdicts(Counter(result.verdict["name"] for result in self.references if result.verdict))


def named_verdicts(counts: Counter[str]) -> dict[str, int]:
    """The counts of all verdicts, in the order of the reports."""
    return {name: counts[name] for name in ("verified", "misdescribed", "fabricated", "unverified")}


def finding_json(finding: Finding) -> dict[str, Any]:
    """A finding as it stands in the JSON report and travels between processes."""
    return {
        "outcome": finding.outcome,
        "code": finding.code,
        "also": list(finding.also),
        "message": finding.message,
        "cited": finding.cited,
        "found": finding.found,
        "diff": finding.diff,
        "rule": finding.rule,
        "fixes": dict(finding.fixes),
        "record": record_json(finding.record) if finding.record else None,
    }


def notice_json(notice: Notice) -> dict[str, Any]:
    """A retraction, correction or the like of the cited work."""
    return {"kind": notice.kind, "date": notice.date, "doi": notice.doi, "stated_by": notice.stated_by}


def record_json(record: Record) -> dict[str, Any]:
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


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict as it stands in the JSON report."""
    return {
        "name": verdict.name,
        "probability": verdict.probability,
        "reason": verdict.reason,
        **({"type": verdict.type} if verdict.type else {}),
    }


def answer_word(asked: Asked) -> str:
    """One word for an answer: ``found``, ``absent`` or the reason why there is none."""
    if isinstance(asked.answer, Found):
        return "found"
    return asked.answer.reason if isinstance(asked.answer, Unavailable) else "absent"


def asked_json(evidence: Evidence) -> tuple[dict[str, Any], ...]:
    """All answers for one reference, each with source, question, endpoint and date."""
    lines = []
    for asked in evidence.asked:
        answer = asked.answer
        line: dict[str, Any] = {
            "source": asked.source,
            "question": {"kind": asked.question.kind, "value": asked.question.value},
            "endpoint": asked.endpoint,
            "date": asked.date,
        }
        if isinstance(answer, Found):
            line["answer"] = "found"
            line["records"] = [record.url or record.id for record in answer.records]
        elif isinstance(answer, Unavailable):
            line |= {"answer": "unavailable", "reason": answer.reason, "detail": answer.detail}
        else:
            line |= {"answer": "absent", "scope": answer.scope}
        lines.append(line)
    return tuple(lines)
