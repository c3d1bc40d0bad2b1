"""The Arena's own scores and ranking under its strict rule, or under its lenient profile, from the same run.

Names and formulas are those of ``evaluation_results.json`` (agentscope-ai/OpenJudge, ``cookbooks/ref_hallucination_arena``). As
there, a reference that an answer repeats counts each time and answers without references count nowhere. Unlike there, a
reference whose sources did not answer is an error and part of no rate; scores have bounds, and ranks a least coverage, as in
`pytest_citecheck.benchmark.arena_scoring`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pytest_citecheck.benchmark.arena_scoring import (
    ARENA_RANKING,
    LEAST_COVERAGE,
    ArenaReference,
    Bounds,
    bounded_share,
    is_allowed,
    mean_of,
    ranked,
)
from pytest_citecheck.benchmark.metrics import ratio
from pytest_citecheck.benchmark.strict_rule import StrictResult, lenient_status

_FIELDS = ("title", "author", "year", "doi")
_Judged = tuple[ArenaReference, StrictResult, str]


def strict_scores(
    references: Iterable[ArenaReference],
    profile: Literal["strict", "lenient"] = "strict",
    threshold: float = 0.7,
    least: float = LEAST_COVERAGE,
) -> dict[str, Any]:
    """The Arena's document of scores. threshold: of the confidence that verifies in the lenient profile. least: the coverage
    below which a model has no rank.
    """
    models: dict[str, list[_Judged]] = {}
    queries: set[str] = set()
    for one in references:
        queries.add(one.query)
        judged = models.setdefault(one.model, [])
        if one.strict is not None and one.delivery == "reference":
            status = one.strict.status if profile == "strict" else lenient_status(one.strict, threshold)
            judged.append((one, one.strict, status))
    everything = [one for judged in models.values() for one in judged]
    verified, errors = _count(everything, "VERIFIED"), _count(everything, "ERROR")
    return {
        "rankings": ranked(
            [{"model": model, **_scores(judged)} for model, judged in models.items()], ARENA_RANKING, least
        ),
        "total_queries": len(queries),
        "total_references": len(everything),
        "total_verified": verified,
        "overall_accuracy": ratio(verified, len(everything) - errors),
    }


def _scores(judged: Sequence[_Judged]) -> dict[str, Any]:
    total = len(judged) - _count(judged, "ERROR")
    verified = _count(judged, "VERIFIED")
    wrong = _count(judged, "SUSPECT") + _count(judged, "NOT_FOUND")
    asked = [one for one in judged if one[0].constrained]
    rate = ratio(verified, total)
    return {
        "total_refs": len(judged),
        "verified": verified,
        "suspect": _count(judged, "SUSPECT"),
        "not_found": _count(judged, "NOT_FOUND"),
        "errors": _count(judged, "ERROR"),
        "checked_rate": total / len(judged) if judged else None,
        "bounds": _bounds(judged, asked),
        "verification_rate": rate,
        "overall_accuracy": rate,
        "overall_score": rate,
        "hallucination_rate": ratio(wrong, total),
        "avg_confidence": mean_of([found.confidence for _, found, status in judged if status == "VERIFIED"]),
        **{f"{name}_accuracy": ratio(sum(getattr(one[1], name) for one in judged), total) for name in _FIELDS},
        "completeness": mean_of([len(one.cited & {"doi", "year", "authors"}) / 3 for one, _, _ in judged]),
        "year_constrained_refs": len(asked),
        "year_compliant_count": sum(map(_complies, asked)),
        "year_compliance_rate": ratio(sum(map(_complies, asked)), len(asked)),
        "by_discipline": {
            name: _discipline([one for one in judged if one[0].discipline == name])
            for name in dict.fromkeys(one[0].discipline for one in judged)
        },
        "verified_by_source": dict(Counter(found.source for _, found, status in judged if status == "VERIFIED")),
    }


def _bounds(judged: Sequence[_Judged], asked: Sequence[_Judged]) -> dict[str, Bounds]:
    errors, verified = _count(judged, "ERROR"), _count(judged, "VERIFIED")
    confidences = [found.confidence for _, found, status in judged if status == "VERIFIED"]
    sure = len(confidences) + errors
    compliant = sum(_complies(one) for one in asked if one[2] != "ERROR")
    rate = bounded_share(verified, errors, len(judged))
    return {
        "verification_rate": rate,
        "overall_accuracy": rate,
        "hallucination_rate": bounded_share(len(judged) - verified - errors, errors, len(judged)),
        "year_compliance_rate": bounded_share(compliant, _count(asked, "ERROR"), len(asked)),
        "avg_confidence": (sum(confidences) / sure, (sum(confidences) + errors) / sure) if sure else (0.0, 0.0),
    }


def _discipline(judged: Sequence[_Judged]) -> dict[str, Any]:
    verified, total = _count(judged, "VERIFIED"), len(judged) - _count(judged, "ERROR")
    rate = ratio(verified, total)
    return {
        "total_refs": len(judged),
        "verified": verified,
        "verification_rate": rate,
        "hallucination_rate": 1 - rate,
        "avg_confidence": mean_of([found.confidence for _, found, status in judged if status == "VERIFIED"]),
    }


def _complies(judged: _Judged) -> bool:
    """With the year of the record, a near one too, else the cited one; unknown counts against."""
    reference, found, _ = judged
    year = found.found_year if found.found_year is not None else reference.year
    return is_allowed(reference, year)


def _count(judged: Iterable[_Judged], status: str) -> int:
    return sum(one[2] == status for one in judged)
