"""All metrics of a tool on a split, as one document with the field names of HALLMARK's result files (arXiv:2607.18360)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

import numpy as np

from pytest_citecheck.benchmark import calibration, strata
from pytest_citecheck.benchmark.metric_table import METRICS, Scored
from pytest_citecheck.benchmark.metrics import (
    Confusion,
    DuplicatePolicy,
    Pairs,
    aggressive,
    pair,
    share_of,
    uncertain_as,
)
from pytest_citecheck.benchmark.resampling import bootstrap_intervals
from pytest_citecheck.inputs import LabelledEntry, Prediction

_OVERLAP = 0.5
_ONE_LABEL = 0.95
_INVERTED = 0.7
_UNDECIDED = 0.5


def cautions(pairs: Pairs) -> list[str]:
    """One sentence each: keys used twice, few entries answered, nearly one label only, inverted confidences.

    Source: HALLMARK, arXiv:2607.18360 (overlap below half, one label above 95 %, more than 70 % of the correct VALID
    predictions with a confidence below .5).
    """
    found = []
    answered = list(pairs.answered())
    if pairs.repeated:
        found.append(f"{pairs.repeated} further predictions of keys that have one already were left out")
    if pairs.predictions and len(answered) < _OVERLAP * len(pairs):
        found.append(f"only {len(answered)} of {len(pairs)} entries have a prediction: is it another split?")
    labels = Counter(answer.label for _, answer in answered)
    most = _ONE_LABEL * labels.total()
    found += [f"{count} of {labels.total()} predictions are {label}" for label, count in labels.items() if count > most]
    sure = [answer.confidence for entry, answer in answered if entry.label == answer.label == "VALID"]
    low = sum(confidence < _UNDECIDED for confidence in sure)
    if low > _INVERTED * len(sure):
        found.append(
            f"{low} of {len(sure)} correct VALID predictions have a confidence below .5: it should be the probability that "
            "the label is right, not that the entry is hallucinated"
        )
    return found


_FALLBACK = "[Error fallback]"  # begins the reason of a prediction that stands for a failed request


def cost(pairs: Pairs) -> dict[str, float | int | None]:
    """Time and calls. Means, quantiles and rates are None without predictions or times.

    ``fallbacks``: predictions that replace a failed request.
    """
    answers = [answer for _, answer in pairs.answered()]
    seconds = [answer.seconds for answer in answers]
    total, count = math.fsum(seconds), len(answers)
    median, high = np.quantile(seconds, (0.5, 0.95)).tolist() if count else (None, None)
    return {
        "total_seconds": total,
        "entries_per_second": share_of(count, total),
        "mean_api_calls": share_of(sum(answer.calls for answer in answers), count),
        "mean_seconds": share_of(total, count),
        "median_seconds": median,
        "p95_seconds": high,
        "fallbacks": sum(answer.reason.startswith(_FALLBACK) for answer in answers),
    }


EvaluationMode = Literal["conservative", "aggressive"]


def score(
    entries: Sequence[LabelledEntry],
    predictions: Sequence[Prediction],
    *,
    duplicates: DuplicatePolicy = "last",
    mode: EvaluationMode = "conservative",
    **more: Any,
) -> dict[str, Any]:
    """Score predictions. The result can be written as JSON: None means undefined.

    more: as for `score_pairs`. Raises ValueError for an entry without label, NoOverlapError if the predictions are about other
    entries.
    """
    paired = pair(entries, predictions, duplicates)
    return score_pairs(aggressive(paired) if mode == "aggressive" else paired, **more)


def score_pairs(
    pairs: Pairs,
    *,
    tool_name: str = "",
    split_name: str = "",
    replicates: int = 0,
    seed: int = 42,
    year: int | None = None,
) -> dict[str, Any]:
    """The same for entries that are already paired with their predictions.

    replicates: of the bootstrap; 0 for no intervals. year: in which the tool was trained, for temporal robustness.
    """
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
        **{field: compute(pairs) for field, compute in strata.STRATA.values()},
        "type_confusion": strata.type_confusion(pairs),
        "subtask_diagnostic": _subtasks(pairs, scored.counts),
        "union_recall_at_k": {},
        "temporal_robustness": None if year is None else strata.temporal_robustness(pairs, year),
        "cost_efficiency": spent["entries_per_second"],
        "mean_api_calls": spent["mean_api_calls"],
        "cost": spent,
    }


def _group(scored: Scored, group: str) -> dict[str, float | None]:
    return {row.name: row.compute(scored) for row in METRICS if row.group == group}


def _readings(pairs: Pairs) -> dict[str, dict[str, float | None]]:
    """Headline numbers with other readings of UNCERTAIN."""
    readings = {
        "excluded": pairs,
        "as_valid": uncertain_as(pairs, "VALID"),
        "as_hallucinated": uncertain_as(pairs, "HALLUCINATED"),
    }
    return {name: _group(Scored(read), "headline") for name, read in readings.items()}


def _curves(pairs: Pairs) -> dict[str, Any]:
    return {
        "reliability": [asdict(part) for part in calibration.reliability(pairs)],
        "risk_coverage": [{"coverage": share, "risk": risk} for share, risk in calibration.risk_coverage(pairs)],
        "roc": [list(point) for point in calibration.roc(pairs)],
        "pr": [list(point) for point in calibration.pr(pairs)],
    }


def _intervals(pairs: Pairs, replicates: int, seed: int) -> dict[str, list[float] | None]:
    found = bootstrap_intervals(pairs, replicates, seed) if replicates else {}
    intervals = {row.interval: found.get(row.name) for row in METRICS if row.interval}
    return {field: None if interval is None else list(interval) for field, interval in intervals.items()}


def _subtasks(pairs: Pairs, counts: Confusion) -> dict[str, float | int | None]:
    """Recognising hallucinations, naming their type, and being calibrated, each over what it can be judged on."""
    types = strata.type_accuracy(pairs)
    return {
        "recognition_accuracy": share_of(counts.tp + counts.tn, counts.decided),
        "recognition_count": counts.decided,
        "matching_accuracy": types["overall"],
        "matching_count": types["num_evaluated"],
        "calibration": calibration.ece_file_order(pairs),
    }
