"""The Arena's own scores and ranking under its strict rule, or under its lenient profile, from the same run.

Names and formulas are those of ``evaluation_results.json`` (agentscope-ai/OpenJudge, ``cookbooks/ref_hallucination_arena``). As
there, a reference that an answer repeats counts each time and answers without references count nowhere. Unlike there, a
reference whose sources did not answer is an error and part of no rate; scores have bounds, and ranks a least coverage, as in
`pytest_citecheck.benchmark.arena_scoring`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from pytest_citecheck.benchmark import arena_scoring as arena
from pytest_citecheck.benchmark.arena_scoring import LEAST_COVERAGE, ArenaReference, Status
from pytest_citecheck.benchmark.metrics import ratio
from pytest_citecheck.benchmark.strict_rule import StrictResult, lenient_status

_FIELDS = ("title", "author", "year", "doi")
_RATES = ("total_refs", "verified", "suspect", "not_found", "errors", "checked_rate")
_BOUNDS = ("verification_rate", "overall_accuracy", "hallucination_rate", "year_compliance_rate", "avg_confidence")
_VERDICTS: Mapping[Status, str] = {
    "VERIFIED": "verified",
    "SUSPECT": "misdescribed",
    "NOT_FOUND": "fabricated",
    "ERROR": "undecided",
}


def strict_scores(
    references: Iterable[ArenaReference],
    profile: Literal["strict", "lenient"] = "strict",
    least: float = LEAST_COVERAGE,
) -> dict[str, Any]:
    """The Arena's document of scores. least: the coverage below which a model has no rank."""
    everything = list(references)
    models: dict[str, list[ArenaReference]] = {reference.model: [] for reference in everything}
    for reference in everything:
        if reference.strict is not None and reference.delivery == "reference":
            models[reference.model].append(_judged(reference, reference.strict, profile))
    scores = [{"model": model, **_scores(judged)} for model, judged in models.items()]
    counted = [reference for judged in models.values() for reference in judged]
    return {"rankings": arena.ranked(scores, arena.ARENA_RANKING, least), **arena.totals(everything, counted)}


def _judged(reference: ArenaReference, found: StrictResult, profile: str) -> ArenaReference:
    """The reference with the verdict, confidence, year and source that the rule gives it."""
    status = found.status if profile == "strict" else lenient_status(found)
    return replace(
        reference,
        verdict=_VERDICTS[status],
        codes={"title": "unavailable"} if status == "ERROR" else {},
        confidence=found.confidence,
        found_years=() if found.found_year is None else (found.found_year,),
        source=found.source,
    )


def _scores(judged: Sequence[ArenaReference]) -> dict[str, Any]:
    rates, bounds = arena.rates_of(judged), arena.bounds_of(judged)
    rate, decided = rates["verification_rate"], len(judged) - rates["errors"]
    asked = [reference for reference in judged if reference.constrained]
    compliant = sum(map(arena.complies, asked))
    return {
        **{name: rates[name] for name in _RATES},
        "bounds": {name: bounds[name] for name in _BOUNDS},
        "verification_rate": rate,
        "overall_accuracy": rate,
        "overall_score": rate,
        "hallucination_rate": rates["hallucination_rate"],
        "avg_confidence": arena.mean_of(arena.confidences(judged)),
        **{f"{name}_accuracy": ratio(sum(getattr(each.strict, name) for each in judged), decided) for name in _FIELDS},
        "completeness": arena.completeness(judged),
        "year_constrained_refs": len(asked),
        "year_compliant_count": compliant,
        "year_compliance_rate": ratio(compliant, len(asked)),
        "by_discipline": arena.by(judged, lambda reference: reference.discipline, _discipline),
        "verified_by_source": arena.by_source(judged),
    }


def _discipline(judged: Sequence[ArenaReference]) -> dict[str, Any]:
    rates = arena.rates_of(judged)
    return {
        **{name: rates[name] for name in ("total_refs", "verified", "verification_rate")},
        "hallucination_rate": 1 - rates["verification_rate"],
        "avg_confidence": arena.mean_of(arena.confidences(judged)),
    }
