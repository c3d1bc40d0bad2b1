"""All metrics of a tool on a split, as one document with the field names of HALLMARK's result files (arXiv:2607.18360)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

from pytest_citecheck.benchmark.metrics import calibration, curves, strata
from pytest_citecheck.benchmark.metrics.confusion import Confusion, share_of
from pytest_citecheck.benchmark.metrics.cost import cost
from pytest_citecheck.benchmark.metrics.intervals import bootstrap_intervals
from pytest_citecheck.benchmark.metrics.pairs import DuplicatePolicy, Pairs, aggressive, pair, uncertain_as
from pytest_citecheck.benchmark.metrics.subtests import subtest_scores, subtest_scores_cleaned
from pytest_citecheck.benchmark.metrics.table import METRICS, Scored
from pytest_citecheck.benchmark.metrics.temporal import temporal_robustness
from pytest_citecheck.benchmark.metrics.type_confusion import recognised, type_accuracy, type_confusion
from pytest_citecheck.readers.hallmark.schema import LabelledEntry, Prediction

__all__ = ["EvaluationMode", "score", "score_pairs"]

EvaluationMode = Literal["conservative", "aggressive"]

_INTERVAL_FIELDS = {
    "detection_rate_ci": "detection_rate",
    "f1_hallucination_ci": "f1_hallucination",
    "tier_weighted_f1_ci": "tier_weighted_f1",
    "fpr_ci": "false_positive_rate",
    "ece_ci": "ece",
    "mcc_ci": "mcc",
    "tier3_f1_ci": "tier3_f1",
}


def score(
    entries: Sequence[LabelledEntry],
    predictions: Sequence[Prediction],
    *,
    tool_name: str = "",
    split_name: str = "",
    duplicates: DuplicatePolicy = "last",
    mode: EvaluationMode = "conservative",
    replicates: int = 0,
    seed: int = 42,
    year: int | None = None,
) -> dict[str, Any]:
    """Score predictions. The result can be written as JSON: None stands for what is undefined.

    replicates: of the bootstrap; 0 for no intervals. year: in which the tool was trained, for temporal robustness.
    Raises ValueError for an entry without label, NoOverlapError if the predictions are about other entries.
    """
    paired = pair(entries, predictions, duplicates)
    return score_pairs(
        aggressive(paired) if mode == "aggressive" else paired,
        tool_name=tool_name,
        split_name=split_name,
        replicates=replicates,
        seed=seed,
        year=year,
    )


def score_pairs(
    pairs: Pairs,
    *,
    tool_name: str = "",
    split_name: str = "",
    replicates: int = 0,
    seed: int = 42,
    year: int | None = None,
) -> dict[str, Any]:
    """The same for entries that are already paired with their predictions."""
    hallucinated = sum(entry.label == "HALLUCINATED" for entry in pairs.entries)
    scored = Scored(pairs)
    spent = cost(pairs)
    return {
        "tool_name": tool_name,
        "split_name": split_name,
        "num_entries": len(pairs),
        "num_hallucinated": hallucinated,
        "num_valid": len(pairs) - hallucinated,
        "counts": asdict(scored.counts),
        **_group(scored, "headline"),
        **_group(scored, "coverage"),
        "readings": _readings(pairs),
        **_group(scored, "probability"),
        **_curves(pairs),
        **_group(scored, "operating point"),
        **_intervals(pairs, replicates, seed),
        **_strata(pairs),
        "subtask_diagnostic": _subtasks(pairs, scored.counts),
        "union_recall_at_k": {},
        "temporal_robustness": None if year is None else temporal_robustness(pairs, year),
        "cost_efficiency": spent.entries_per_second,
        "mean_api_calls": spent.mean_api_calls,
        "cost": asdict(spent),
    }


def _group(scored: Scored, group: str) -> dict[str, float | None]:
    return {row.name: row.compute(scored) for row in METRICS if row.group == group}


def _readings(pairs: Pairs) -> dict[str, dict[str, float | None]]:
    """What the headline numbers would be if UNCERTAIN were read otherwise."""
    return {
        "excluded": _group(Scored(pairs), "headline"),
        "as_valid": _group(Scored(uncertain_as(pairs, "VALID")), "headline"),
        "as_hallucinated": _group(Scored(uncertain_as(pairs, "HALLUCINATED")), "headline"),
    }


def _curves(pairs: Pairs) -> dict[str, Any]:
    return {
        "reliability": [asdict(one) for one in calibration.reliability(pairs)],
        "risk_coverage": [{"coverage": share, "risk": risk} for share, risk in curves.risk_coverage(pairs)],
        "roc": [list(point) for point in curves.roc(pairs)],
        "pr": [list(point) for point in curves.pr(pairs)],
    }


def _intervals(pairs: Pairs, replicates: int, seed: int) -> dict[str, list[float] | None]:
    found = bootstrap_intervals(pairs, replicates, seed) if replicates else {}
    intervals = {field: found.get(name) for field, name in _INTERVAL_FIELDS.items()}
    return {field: None if interval is None else list(interval) for field, interval in intervals.items()}


def _strata(pairs: Pairs) -> dict[str, Any]:
    confused = type_confusion(pairs)
    cleaned = subtest_scores_cleaned(pairs)
    return {
        "per_tier_metrics": strata.per_tier(pairs),
        "per_type_metrics": strata.per_type(pairs),
        "per_generation_method": strata.per_generation_method(pairs),
        "per_source_combination": strata.per_source_combination(pairs),
        "cascade_breakdown_stats": strata.per_stage(pairs),
        "subtest_metrics": {
            name: {**asdict(one), "cleaned": asdict(cleaned[name])} for name, one in subtest_scores(pairs).items()
        },
        "type_accuracy": type_accuracy(pairs),
        "type_confusion": {
            "rows": list(confused.rows),
            "columns": list(confused.columns),
            "counts": [list(row) for row in confused.counts],
        },
    }


def _subtasks(pairs: Pairs, counts: Confusion) -> dict[str, float | int | None]:
    """Recognising hallucinations, naming their type, and being calibrated, each over what it can be judged on."""
    typed = recognised(pairs)
    return {
        "recognition_accuracy": share_of(counts.tp + counts.tn, counts.decided),
        "recognition_count": counts.decided,
        "matching_accuracy": share_of(
            sum(answer.type == entry.hallucination_type for entry, answer in typed), len(typed)
        ),
        "matching_count": len(typed),
        "calibration": calibration.ece_file_order(pairs),
    }
