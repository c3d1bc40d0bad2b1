"""Scores of models for the reports: rates over decided references, and the Arena's own scores separately."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_citecheck.reports.groups import Rate
from pytest_citecheck.reports.scores import bounds_of, number, share, whole

__all__ = [
    "ARENA_FIELDS",
    "FIELDS",
    "MODEL_RATES",
    "arena_models",
    "arena_rates",
    "discipline_rates",
    "field_rates",
    "model_rates",
    "unranked",
    "with_coverage",
    "without_empty",
]

Scores = Mapping[str, Any]

FIELDS = ("title", "author", "year", "doi", "venue")
"""Fields of a reference in the order of the Arena; ``…_accuracy`` in ``wording``."""

ARENA_FIELDS = (*FIELDS, "overall")
"""The fields of the Arena's chart, with what counts there for all of them together."""

MODEL_RATES = ("verification_rate", "hallucination_rate", "years_kept", "delivered", "checked")
"""The rates of `model_rates`, in the order of the tables."""


def arena_models(result: Scores) -> dict[str, Scores]:
    """The scores by model in the order of ``arena.rankings`` (benchmark/arena/scores.py), as `without_empty` gives them."""
    rankings = (result.get("arena") or {}).get("rankings") or ()
    return {str(scores.get("model")): without_empty(scores) for scores in rankings}


_OF_CHECKED = (
    "verification_rate",
    "overall_accuracy",
    "overall_score",
    "hallucination_rate",
    "completeness",
    *(f"{name}_accuracy" for name in FIELDS),
)


def without_empty(scores: Scores) -> dict[str, Any]:
    """The scores of a model or of one of its disciplines, with None for each score of an empty set.

    Such sets are the checked references, the verified references, and the references to queries that limit the years.
    """
    known = {**scores}
    if _checked(scores) == 0:
        known |= dict.fromkeys(_OF_CHECKED)
    if scores.get("verified") == 0:
        known["avg_confidence"] = None
    if not scores.get("year_constrained_refs"):
        known["year_compliance_rate"] = None
    return known


def _checked(scores: Scores) -> int | None:
    """The number of checked references; None if the file does not state it."""
    total = whole(scores.get("total_refs"))
    return None if total is None else total - (whole(scores.get("errors")) or 0)


def _sum(scores: Scores, *names: str) -> int | None:
    counts = [whole(scores.get(name)) for name in names]
    given = [count for count in counts if count is not None]
    return sum(given) if len(given) == len(counts) else None


def model_rates(scores: Scores) -> dict[str, Rate]:
    """The rates in `MODEL_RATES`.

    Verified and hallucinated are shares of checked references, ``years_kept`` of verified references with a known year,
    ``delivered`` of requested references, and ``checked`` of all references, unread ones included.
    """
    years = scores.get("year_compliance") or {}
    requested = whole(scores.get("requested")) or 0
    return {
        **discipline_rates(scores),
        "years_kept": Rate.of(
            years.get("rate"),
            _sum(years, "compliant"),
            _sum(years, "compliant", "noncompliant"),
            _sum(years, "compliant", "noncompliant", "unknown"),
            years.get("interval"),
        ),
        "delivered": Rate.of(scores.get("coverage"), whole(scores.get("delivered")), requested, requested)
        if requested
        else Rate(),
        "checked": _coverage(scores),
    }


def _coverage(scores: Scores) -> Rate:
    checked, total = _checked(scores), whole(scores.get("total_refs"))
    unread = (whole(scores.get("unchecked")) or 0) - (whole(scores.get("errors")) or 0)
    count = None if total is None else total + max(unread, 0)
    rate = scores.get("checked_rate", checked / count if checked is not None and count else None)
    return Rate.of(rate, checked, count, count)


def with_coverage(name: str, scores: Scores, words: Mapping[str, str]) -> str:
    """The name of a model with the share of its references that was not checked, if there is one."""
    rate = _coverage(scores).value
    return name if rate is None or rate == 1 else f"{name} ({words['unchecked']}: {share(1 - rate)})"


def unranked(arena: Scores) -> list[str]:
    """The models without a rank, because too few of their references were checked."""
    return [str(one.get("model")) for one in arena.get("rankings") or () if "rank" in one and one["rank"] is None]


def discipline_rates(scores: Scores) -> dict[str, Rate]:
    """The verified and hallucinated shares of checked references, of a model or of one of its disciplines."""
    checked, total = _checked(scores), whole(scores.get("total_refs"))
    verified = scores.get("verification_rate", scores.get("overall_accuracy"))
    return {
        "verification_rate": Rate.of(
            verified,
            _sum(scores, "verified"),
            checked,
            total,
            scores.get("verification_interval"),
            _share_bounds(scores, ("verified",)),
        ),
        "hallucination_rate": Rate.of(
            scores.get("hallucination_rate"),
            _sum(scores, "suspect", "not_found"),
            checked,
            total,
            scores.get("hallucination_interval"),
            _share_bounds(scores, ("suspect", "not_found")),
        ),
    }


def _share_bounds(scores: Scores, names: Sequence[str]) -> tuple[float, float] | None:
    """The share of these counts if all unchecked references count otherwise, and if all count as these; None if it is known."""
    part, checked = _sum(scores, *names), _checked(scores)
    unchecked = whole(scores.get("unchecked", scores.get("errors"))) or 0
    if part is None or checked is None or not unchecked:
        return None
    return part / (checked + unchecked), (part + unchecked) / (checked + unchecked)


def field_rates(scores: Scores) -> dict[str, Rate]:
    """The accuracy of each of `FIELDS` where it is stated and decided; empty if the file has none."""
    fields = scores.get("fields")
    if not isinstance(fields, Mapping):
        return {}
    return {
        name: Rate.of(
            part.get("accuracy"),
            _sum(part, "right"),
            _sum(part, "right", "wrong"),
            _sum(part, "right", "wrong", "absent", "undecided"),
        )
        for name in FIELDS
        if isinstance(part := fields.get(name), Mapping)
    }


def arena_rates(scores: Scores, fields: Sequence[str]) -> list[Rate]:
    """The Arena's accuracy of each of these fields: shares of all checked references."""
    return [
        Rate(number(scores.get(name)), bounds=bounds_of(scores, name)) for name in map("{}_accuracy".format, fields)
    ]
