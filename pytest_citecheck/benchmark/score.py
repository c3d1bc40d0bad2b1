"""All metrics of a tool on a split, as one document with the field names of HALLMARK's result files (arXiv:2607.18360)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final, Literal

from pytest_citecheck.benchmark import calibration, strata
from pytest_citecheck.benchmark import calibration as curves
from pytest_citecheck.benchmark.metrics import (
    Confusion,
    DuplicatePolicy,
    Pairs,
    TierCounts,
    aggressive,
    confusion,
    pair,
    ratio,
    share_of,
    tier_counts,
    tier_weighted_f1,
    uncertain_as,
)
from pytest_citecheck.benchmark.resampling import bootstrap_intervals
from pytest_citecheck.benchmark.strata import (
    recognised,
    subtest_scores,
    subtest_scores_cleaned,
    temporal_robustness,
    type_accuracy,
    type_confusion,
)
from pytest_citecheck.inputs.hallmark_lines import LabelledEntry, Prediction

__all__ = [
    "METRICS",
    "Cost",
    "EvaluationMode",
    "MetricRow",
    "Scored",
    "cautions",
    "cost",
    "percentile",
    "score",
    "score_pairs",
]


# The table of metrics: what each says, how it is computed, and where it is printed.


class Scored:
    """Labelled entries with their predictions, and the counts that several metrics need."""

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs

    @cached_property
    def counts(self) -> Confusion:
        """Of the whole split."""
        return confusion(self.pairs)

    @cached_property
    def tiers(self) -> TierCounts:
        """Of the hallucinated entries of each tier."""
        return tier_counts(self.pairs)

    @property
    def answered(self) -> float:
        """The share of the entries that have a prediction."""
        return ratio(len(list(self.pairs.answered())), len(self.pairs))


@dataclass(frozen=True, slots=True)
class MetricRow:
    """A row of the table.

    name: the field of a score. group: where it stands there; ``headline`` is computed again for each of the ``readings``. span:
    the range of values. label, translation: in reports, in English and Chinese; empty if they do not show it. column: in tables
    of the command line; empty if they do not. gates: what gates call it. share: printed in per cent.
    """

    name: str
    group: Literal["headline", "coverage", "probability", "operating point"]
    compute: Callable[[Scored], float | None]
    definition: str
    span: str = "0 to 1"
    higher_is_better: bool = True
    source: str = "HALLMARK, arXiv:2607.18360"
    label: str = ""
    translation: str = ""
    column: str = ""
    interval: str = ""
    gates: tuple[str, ...] = ()
    share: bool = False


def _false_positive_rate(scored: Scored) -> float | None:
    return share_of(scored.counts.fp, scored.counts.fp + scored.counts.tn)


def _detection_rate(scored: Scored) -> float | None:
    return share_of(scored.counts.tp, scored.counts.tp + scored.counts.fn)


def _of_hallucinated(scored: Scored, value: float) -> float | None:
    """The value of a metric that is about hallucinated entries, if one is decided."""
    return value if scored.counts.tp + scored.counts.fn else None


def _of_decided(scored: Scored, value: float) -> float | None:
    return value if scored.counts.decided else None


def _tier3_f1(scored: Scored) -> float | None:
    counts, hardest = scored.counts, scored.tiers.get(3)
    if hardest is None or not hardest.decided:
        return None
    return Confusion(hardest.tp, counts.fp, counts.tn, hardest.fn).f1


def _uncertain_precision(scored: Scored) -> float | None:
    labels = [entry.label for entry, answer in scored.pairs.answered() if answer.label == "UNCERTAIN"]
    return share_of(labels.count("HALLUCINATED"), len(labels))


# fmt: off
METRICS: Final = (
    MetricRow("detection_rate", "headline", _detection_rate,
              "TP/(TP+FN); null if no hallucinated entry is decided", label="Detection rate",
              translation="检出率", column="DR", interval="detection_rate_ci",
              gates=("detection_rate", "dr", "recall"), share=True),
    MetricRow("false_positive_rate", "headline", _false_positive_rate, "FP/(FP+TN); null if no valid entry is decided",
              higher_is_better=False, label="False positive rate", translation="误报率", column="FPR", interval="fpr_ci",
              gates=("fpr", "false_positive_rate"), share=True),
    MetricRow("precision", "headline", lambda scored: _of_decided(scored, scored.counts.precision),
              "TP/(TP+FP); 0 if none is flagged, null if none is decided", label="Precision",
              translation="精确率", column="precision", gates=("precision",), share=True),
    MetricRow("f1_hallucination", "headline", lambda scored: _of_hallucinated(scored, scored.counts.f1),
              "harmonic mean of precision and detection rate; null where that is",
              label="F1", translation="F1", column="F1", interval="f1_hallucination_ci", gates=("f1", "f1_hallucination")),
    MetricRow("tier_weighted_f1", "headline",
              lambda scored: _of_hallucinated(scored, tier_weighted_f1(scored.tiers, scored.counts.fp)),
              "F1 with TP and FN weighted 1, 2, 3 by tier (1 without tier) and FP always 1. Its precision "
              "wTP/(wTP+FP) also depends on the weights", label="Tier-weighted F1", translation="分级加权 F1", column="TW-F1",
              interval="tier_weighted_f1_ci", gates=("tw_f1", "tier_weighted_f1")),
    MetricRow("mcc", "headline", lambda scored: _of_decided(scored, scored.counts.mcc),
              "(TP·TN - FP·FN)/√((TP+FP)(TP+FN)(TN+FP)(TN+FN)); 0 if a factor is 0", "-1 to 1", source="Matthews, 1975",
              label="MCC", translation="MCC", column="MCC", interval="mcc_ci", gates=("mcc",)),
    MetricRow("macro_f1", "headline", lambda scored: _of_decided(scored, scored.counts.macro_f1),
              "mean of F1 and of the same with VALID as the positive class", label="Macro F1", translation="宏平均 F1",
              gates=("macro_f1",)),
    MetricRow("tier3_f1", "headline", _tier3_f1,
              "F1 of the tier-3 entries and all valid ones; null if none of tier 3 is decided",
              gates=("tier3_f1",)),
    MetricRow("coverage", "coverage", lambda scored: scored.answered, "entries with a prediction / entries", label="Coverage",
              translation="覆盖率", column="coverage", gates=("coverage",), share=True),
    MetricRow("coverage_adjusted_f1", "coverage",
              lambda scored: _of_hallucinated(scored, scored.counts.f1 * scored.answered), "F1 · coverage",
              gates=("coverage_adjusted_f1",)),
    MetricRow("committed_coverage", "coverage", lambda scored: 1 - ratio(scored.counts.uncertain, len(scored.pairs)),
              "1 - UNCERTAIN/entries", label="Coverage, decided", translation="有判定的覆盖率", column="committed",
              gates=("committed_coverage",), share=True),
    MetricRow("num_uncertain", "coverage",
              lambda scored: sum(answer.label == "UNCERTAIN" for answer in scored.pairs.predictions), "UNCERTAIN predictions",
              "0 or more", higher_is_better=False, gates=("num_uncertain",)),
    MetricRow("uncertain_precision", "coverage", _uncertain_precision,
              "the share of hallucinated entries among the UNCERTAIN ones; null without any", gates=("uncertain_precision",)),
    MetricRow("ece", "probability", lambda scored: calibration.ece_file_order(scored.pairs),
              "expected calibration error as published: a stable sort by confidence, ten bins of ⌊N/10⌋ predictions (the first "
              "N mod 10 have one more), the sum of bin share · |accuracy - mean confidence|. Depends on the order of entries "
              "with equal confidence. null with two or fewer distinct confidences", higher_is_better=False,
              source="Guo et al., ICML 2017; bins of HALLMARK", label="ECE (file order)", translation="ECE(按文件顺序)",
              gates=("ece_file_order",)),
    MetricRow("ece_tie_safe", "probability", lambda scored: calibration.ece_tie_safe(scored.pairs),
              "the same bins, but equal confidences stay together, in the bin of their middle one. Does not depend on the order; "
              "it is the ECE of tables, ranks and gates. null with two or fewer distinct confidences among what is scored",
              higher_is_better=False, source="this project", label="ECE", translation="ECE", column="ECE",
              gates=("ece", "ece_tie_safe")),
    MetricRow("ece_fixed_width", "probability", lambda scored: calibration.ece_fixed_width(scored.pairs),
              "over ten bins of equal width, bin min(⌊10c⌋, 9)", higher_is_better=False, source="Guo et al., ICML 2017",
              gates=("ece_fixed_width",)),
    MetricRow("brier", "probability", lambda scored: calibration.brier(scored.pairs),
              "mean of (confidence - right)²; null without committed predictions", higher_is_better=False, source="Brier, 1950",
              label="Brier score", translation="Brier 分数", gates=("brier",)),
    MetricRow("auroc", "probability", lambda scored: curves.auroc(scored.pairs),
              "area under the ROC curve: the score is the confidence of a HALLUCINATED, 1 - confidence of a VALID; trapezoid "
              "rule, ties count half. null with one class", source="Fawcett, 2006", label="AUROC", translation="AUROC",
              column="AUROC", gates=("auroc",)),
    MetricRow("auprc", "probability", lambda scored: curves.auprc(scored.pairs),
              "the sum of recall steps · highest precision at that or any later threshold; null without hallucinated entries",
              label="AUPRC", translation="AUPRC", gates=("auprc",)),
    MetricRow("fpr_at_coverage", "operating point", lambda scored: curves.fpr_at_coverage(scored.pairs),
              "FPR of the most confident answers that make 90 % of all entries. Of the answers tied at the border the needed "
              "share is taken. null if the tool answers less", higher_is_better=False, source="El-Yaniv and Wiener, 2010",
              gates=("fpr_at_coverage",)),
)
# fmt: on


# What makes a score doubtful although it can be computed.


_OVERLAP = 0.5
_ONE_LABEL = 0.95
_INVERTED = 0.7
_UNDECIDED = 0.5


def cautions(pairs: Pairs) -> list[str]:
    """One sentence each: keys used twice, few entries answered, nearly one label only, inverted confidences.

    Source: HALLMARK, arXiv:2607.18360 (overlap below half, one label above 95 %, more than 70 % of the correct VALID
    predictions with a confidence below .5).
    """
    return [text for text in (_repeated(pairs), _overlap(pairs), _one_label(pairs), _inverted(pairs)) if text]


def _repeated(pairs: Pairs) -> str:
    if not pairs.repeated:
        return ""
    return f"{pairs.repeated} further predictions of keys that have one already were left out"


def _overlap(pairs: Pairs) -> str:
    answered = len(list(pairs.answered()))
    if not pairs.predictions or answered >= _OVERLAP * len(pairs):
        return ""
    return f"only {answered} of {len(pairs)} entries have a prediction: is it another split?"


def _one_label(pairs: Pairs) -> str:
    labels = Counter(answer.label for _, answer in pairs.answered())
    for label, count in labels.items():
        if count > _ONE_LABEL * labels.total():
            return f"{count} of {labels.total()} predictions are {label}"
    return ""


def _inverted(pairs: Pairs) -> str:
    sure = [answer.confidence for entry, answer in pairs.answered() if entry.label == answer.label == "VALID"]
    low = sum(confidence < _UNDECIDED for confidence in sure)
    if low <= _INVERTED * len(sure):
        return ""
    return (
        f"{low} of {len(sure)} correct VALID predictions have a confidence below .5: it should be the probability that the "
        "label is right, not that the entry is hallucinated"
    )


# What predictions cost: seconds of the wall clock and calls to services, over the predictions about entries of the split.


_FALLBACK = "[Error fallback]"  # begins the reason of a prediction that stands for a failed request


@dataclass(frozen=True, slots=True)
class Cost:
    """entries_per_second: None if no time was stated. fallbacks: predictions that stand for a failed request."""

    total_seconds: float
    entries_per_second: float | None
    mean_api_calls: float | None
    mean_seconds: float | None
    median_seconds: float | None
    p95_seconds: float | None
    fallbacks: int


def percentile(values: Sequence[float], share: float) -> float | None:
    """By linear interpolation at position share * (n - 1) of the sorted values; None without values."""
    if not values:
        return None
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (position - low) * (ordered[high] - ordered[low])


def cost(pairs: Pairs) -> Cost:
    """Add up. All of it is None or 0 without predictions."""
    answers = [answer for _, answer in pairs.answered()]
    seconds = [answer.seconds for answer in answers]
    total, count = math.fsum(seconds), len(answers)
    return Cost(
        total_seconds=total,
        entries_per_second=count / total if total else None,
        mean_api_calls=sum(answer.calls for answer in answers) / count if count else None,
        mean_seconds=total / count if count else None,
        median_seconds=percentile(seconds, 0.5),
        p95_seconds=percentile(seconds, 0.95),
        fallbacks=sum(answer.reason.startswith(_FALLBACK) for answer in answers),
    )


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
