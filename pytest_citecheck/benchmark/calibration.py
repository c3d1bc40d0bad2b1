"""Do stated confidences agree with how often the tool is right? Over committed predictions (VALID or HALLUCINATED).

Sources: Guo et al., "On Calibration of Modern Neural Networks", ICML 2017 (expected calibration error, reliability bins);
Brier, "Verification of forecasts expressed in terms of probability", 1950; HALLMARK, arXiv:2607.18360 (equal counts a bin).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise

from pytest_citecheck.benchmark.metrics import Confusion, Pairs, confusion, grouped, ratio, share_of

BINS = 10
_TOO_FEW = 2  # distinct confidences: a tool that states no more of them states no probability


@dataclass(frozen=True, slots=True)
class Bin:
    """Predictions with a confidence of low ≤ c < high (the last bin: ≤ high). Means are None where count is 0."""

    low: float
    high: float
    count: int
    confidence: float | None
    accuracy: float | None


Outcome = tuple[float, bool]
"""The confidence, and whether the label is right."""


def outcomes(pairs: Pairs) -> list[Outcome]:
    """All committed predictions, in the order of the entries."""
    return [(answer.confidence, answer.label == entry.label) for entry, answer in pairs.committed()]


def is_calibratable(pairs: Pairs) -> bool:
    """Return True if the tool's committed predictions, those about keys outside the split too, have three distinct
    confidences."""
    return len({answer.confidence for answer in pairs.predictions if answer.label != "UNCERTAIN"}) > _TOO_FEW


def bin_edges(count: int) -> list[int]:
    """The 11 positions between 10 consecutive bins of ``count`` predictions; the first count mod 10 have one more."""
    size, more = divmod(count, BINS)
    return [number * size + min(number, more) for number in range(BINS + 1)]


def _gap(members: Iterable[Outcome]) -> float:
    """Bin size times |accuracy - mean confidence|, which is |right answers - sum of confidences|."""
    return abs(math.fsum(right - confidence for confidence, right in members))


def ece_file_order(pairs: Pairs) -> float | None:
    """ECE as HALLMARK computes it: bins of equal counts after a stable sort by confidence.

    Where confidences are tied, it depends on the order of the entries. None where `is_calibratable` is false, and
    without committed predictions.
    """
    rows = sorted(outcomes(pairs), key=lambda outcome: outcome[0])
    if not rows or not is_calibratable(pairs):
        return None
    edges = bin_edges(len(rows))
    return math.fsum(_gap(rows[low:high]) for low, high in pairwise(edges)) / len(rows)


def ece_tie_safe(pairs: Pairs) -> float | None:
    """ECE in the same bins, but predictions of one confidence stay together: all go to the bin of their middle one.

    It does not depend on the order of entries. None with at most two distinct confidences among what is scored.
    """
    rows = sorted(outcomes(pairs))
    if len({confidence for confidence, _ in rows}) <= _TOO_FEW:
        return None
    edges = bin_edges(len(rows))
    bins: dict[int, list[Outcome]] = {}
    start = 0
    for _, tied in groupby(rows, key=lambda outcome: outcome[0]):
        group = list(tied)
        middle = start + (len(group) - 1) // 2
        place = sum(edge <= middle for edge in edges[1:])
        bins.setdefault(place, []).extend(group)
        start += len(group)
    return math.fsum(_gap(members) for members in bins.values()) / len(rows)


def _by_tenths(pairs: Pairs) -> list[list[Outcome]]:
    """Ten bins of equal width; a confidence c is in bin min(floor(10c), 9)."""
    members: list[list[Outcome]] = [[] for _ in range(BINS)]
    for confidence, right in outcomes(pairs):
        members[min(math.floor(BINS * confidence), BINS - 1)].append((confidence, right))
    return members


def reliability(pairs: Pairs) -> list[Bin]:
    """Ten bins of equal width; a confidence c is in bin min(floor(10c), 9)."""
    bins = []
    for number, rows in enumerate(_by_tenths(pairs)):
        confidence = share_of(math.fsum(confidence for confidence, _ in rows), len(rows))
        accuracy = share_of(sum(right for _, right in rows), len(rows))
        bins.append(Bin(number / BINS, (number + 1) / BINS, len(rows), confidence, accuracy))
    return bins


def ece_fixed_width(pairs: Pairs) -> float | None:
    """ECE over the bins of `reliability`. None where `is_calibratable` is false, and without committed predictions."""
    bins = _by_tenths(pairs)
    gap = share_of(math.fsum(map(_gap, bins)), sum(map(len, bins)))
    return gap if is_calibratable(pairs) else None


def brier(pairs: Pairs) -> float | None:
    """The mean of (confidence - right)², right being 1 or 0. None without committed predictions."""
    rows = outcomes(pairs)
    return share_of(math.fsum((confidence - right) ** 2 for confidence, right in rows), len(rows))


def _steps(pairs: Pairs) -> list[tuple[int, ...]]:
    """How many hallucinated and valid entries have at least a score, for each distinct score, the highest first.

    The score is the confidence if the prediction is HALLUCINATED, else 1 - confidence.
    """
    rows: dict[float, list[int]] = {}
    for entry, answer in pairs.committed():
        score = answer.confidence if answer.label == "HALLUCINATED" else 1 - answer.confidence
        rows.setdefault(score, [0, 0])[entry.label != "HALLUCINATED"] += 1
    columns = zip(*(rows[score] for score in sorted(rows, reverse=True)), strict=True)
    return list(zip(*map(accumulate, columns), strict=True))


def roc(pairs: Pairs) -> list[tuple[float, float]]:
    """(FPR, DR) from (0, 0) to (1, 1). Empty with entries of one class only."""
    steps = _steps(pairs)
    if not steps or not all(steps[-1]):
        return []
    positives, negatives = steps[-1]
    return [(0.0, 0.0), *((valid / negatives, hallucinated / positives) for hallucinated, valid in steps)]


def auroc(pairs: Pairs) -> float | None:
    """The area under the ROC curve by the trapezoid rule: ties count half. None with entries of one class only."""
    points = roc(pairs)
    if not points:
        return None
    return math.fsum((x - x0) * (y + y0) / 2 for (x0, y0), (x, y) in pairwise(points))


def pr(pairs: Pairs) -> list[tuple[float, float]]:
    """(recall, precision) at each threshold, recall ascending. Empty without hallucinated entries."""
    steps = _steps(pairs)
    if not steps or not steps[-1][0]:
        return []
    positives = steps[-1][0]
    return [(hallucinated / positives, ratio(hallucinated, hallucinated + valid)) for hallucinated, valid in steps]


def auprc(pairs: Pairs) -> float | None:
    """The area under the upper envelope of the PR curve: each step of recall times the best precision from there on.

    None without hallucinated entries among the committed predictions.
    """
    points = pr(pairs)
    if not points:
        return None
    best, areas = 0.0, []
    earlier = [0.0, *(recall for recall, _ in points[:-1])]
    for (recall, precision), before in zip(reversed(points), reversed(earlier), strict=True):
        best = max(best, precision)
        areas.append((recall - before) * best)
    return math.fsum(areas)


def _by_confidence(pairs: Pairs) -> list[Confusion]:
    """The confusion matrix of the answers of each distinct confidence, the highest first."""
    rows = grouped(pairs.committed(), lambda pair: pair[1].confidence)
    return [confusion(rows[confidence]) for confidence in sorted(rows, reverse=True)]


def risk_coverage(pairs: Pairs) -> list[tuple[float, float]]:
    """(coverage, risk) if only answers of at least some confidence count, for each distinct confidence.

    coverage: the share of all entries, uncertain and unanswered ones included. risk: the share of wrong ones in it.
    """
    points = []
    kept = wrong = 0
    for counts in _by_confidence(pairs):
        kept, wrong = kept + counts.decided, wrong + counts.fp + counts.fn
        points.append((kept / len(pairs), wrong / kept))
    return points


def fpr_at_coverage(pairs: Pairs, coverage: float = 0.9) -> float | None:
    """The FPR of the most confident answers that are ``coverage`` of all entries.

    Of the answers with the confidence at the border the needed share is taken of each kind, so that it does not depend
    on order. None if the tool commits itself less often, or to no valid entry.
    """
    wanted = coverage * len(pairs)
    kept = fp = valid = 0.0
    for counts in _by_confidence(pairs):
        share = min(1.0, (wanted - kept) / counts.decided)
        kept, fp = kept + share * counts.decided, fp + share * counts.fp
        valid += share * (counts.fp + counts.tn)
        if share < 1:
            break
    reached = kept >= wanted * (1 - 1e-12)
    return fp / valid if reached and valid else None
