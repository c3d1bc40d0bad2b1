"""The table of metrics: meaning, computation, and where each is printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from pytest_citecheck.benchmark import calibration
from pytest_citecheck.benchmark.metrics import (
    Confusion,
    Pairs,
    TierCounts,
    confusion,
    ratio,
    share_of,
    tier_counts,
    tier_weighted_f1,
)


class Scored:
    """Labelled entries with their predictions, and the counts that several metrics need."""

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs

    @cached_property
    def counts(self) -> Confusion:
        """Metrics of the whole split."""
        return confusion(self.pairs)

    @cached_property
    def tiers(self) -> TierCounts:
        """Metrics of the hallucinated entries of each tier."""
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
    of the command line; empty if they do not. interval: the field of its interval, if a bootstrap gives it one. gates: what gates
    call it. share: printed in per cent.
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


def _of_hallucinated(scored: Scored, value: float | None) -> float | None:
    """The value of a metric that is about hallucinated entries, if one is decided."""
    return value if scored.counts.tp + scored.counts.fn else None


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
    MetricRow("detection_rate", "headline", lambda scored: scored.counts.detection_rate,
              "TP/(TP+FN); null if no hallucinated entry is decided", label="Detection rate",
              translation="检出率", column="DR", interval="detection_rate_ci",
              gates=("detection_rate", "dr", "recall"), share=True),
    MetricRow("false_positive_rate", "headline", lambda scored: scored.counts.false_positive_rate,
              "FP/(FP+TN); null if no valid entry is decided",
              higher_is_better=False, label="False positive rate", translation="误报率", column="FPR", interval="fpr_ci",
              gates=("fpr", "false_positive_rate"), share=True),
    MetricRow("precision", "headline", lambda scored: scored.counts.precision,
              "TP/(TP+FP); 0 if none is flagged, null if none is decided", label="Precision",
              translation="精确率", column="precision", gates=("precision",), share=True),
    MetricRow("f1_hallucination", "headline", lambda scored: scored.counts.f1,
              "harmonic mean of precision and detection rate; null where that is",
              label="F1", translation="F1", column="F1", interval="f1_hallucination_ci", gates=("f1", "f1_hallucination")),
    MetricRow("tier_weighted_f1", "headline",
              lambda scored: _of_hallucinated(scored, tier_weighted_f1(scored.tiers, scored.counts.fp)),
              "F1 with TP and FN weighted 1, 2, 3 by tier (1 without tier) and FP always 1. Its precision "
              "wTP/(wTP+FP) also depends on the weights", label="Tier-weighted F1", translation="分级加权 F1", column="TW-F1",
              interval="tier_weighted_f1_ci", gates=("tw_f1", "tier_weighted_f1")),
    MetricRow("mcc", "headline", lambda scored: scored.counts.mcc,
              "(TP·TN - FP·FN)/√((TP+FP)(TP+FN)(TN+FP)(TN+FN)); 0 if a factor is 0", "-1 to 1", source="Matthews, 1975",
              label="MCC", translation="MCC", column="MCC", interval="mcc_ci", gates=("mcc",)),
    MetricRow("macro_f1", "headline", lambda scored: scored.counts.macro_f1,
              "mean of F1 and of the same with VALID as the positive class", label="Macro F1", translation="宏平均 F1",
              gates=("macro_f1",)),
    MetricRow("tier3_f1", "headline", _tier3_f1,
              "F1 of the tier-3 entries and all valid ones; null if none of tier 3 is decided",
              interval="tier3_f1_ci", gates=("tier3_f1",)),
    MetricRow("coverage", "coverage", lambda scored: scored.answered, "entries with a prediction / entries", label="Coverage",
              translation="覆盖率", column="coverage", gates=("coverage",), share=True),
    MetricRow("coverage_adjusted_f1", "coverage",
              lambda scored: _of_hallucinated(scored, (scored.counts.f1 or 0) * scored.answered), "F1 · coverage",
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
              "expected calibration error as published: a stable sort by confidence, ten bins of ⌊N/10⌋ predictions. The first "
              "N mod 10 have one more; the sum of bin share · |accuracy - mean confidence|. Depends on the order of entries "
              "with equal confidence. null with two or fewer distinct confidences", higher_is_better=False,
              source="Guo et al., ICML 2017; bins of HALLMARK", label="ECE (file order)", translation="ECE(按文件顺序)",
              interval="ece_ci", gates=("ece_file_order",)),
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
    MetricRow("auroc", "probability", lambda scored: calibration.auroc(scored.pairs),
              "area under the ROC curve: the score is the confidence of a HALLUCINATED, 1 - confidence of a VALID; trapezoid "
              "rule, ties count half. null with one class", source="Fawcett, 2006", label="AUROC", translation="AUROC",
              column="AUROC", gates=("auroc",)),
    MetricRow("auprc", "probability", lambda scored: calibration.auprc(scored.pairs),
              "the sum of recall steps · highest precision at that or any later threshold; null without hallucinated entries",
              label="AUPRC", translation="AUPRC", gates=("auprc",)),
    MetricRow("fpr_at_coverage", "operating point", lambda scored: calibration.fpr_at_coverage(scored.pairs),
              "FPR of the most confident answers that make 90 % of all entries. Of the answers tied at the border the needed "
              "share is taken. null if the tool answers less", higher_is_better=False, source="El-Yaniv and Wiener, 2010",
              gates=("fpr_at_coverage",)),
)
# fmt: on
LOWER_IS_BETTER: Final = frozenset(row.name for row in METRICS if not row.higher_is_better)
