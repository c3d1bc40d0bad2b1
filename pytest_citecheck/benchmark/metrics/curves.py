"""Curves over all thresholds of the score (or confidence) of committed predictions.

None of them depends on the order of entries: ties move together.

Sources: Fawcett, "An introduction to ROC analysis", 2006; El-Yaniv and Wiener, "On the Foundations of Noise-free
Selective Classification", 2010 (risk and coverage); HALLMARK, arXiv:2607.18360 (AUPRC as the area under the upper envelope).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from pytest_citecheck.benchmark.metrics.confusion import Confusion, confusion, ratio
from pytest_citecheck.benchmark.metrics.pairs import AnsweredEntry, Pairs

__all__ = ["Scored", "auprc", "auroc", "fpr_at_coverage", "pr", "risk_coverage", "roc", "scored"]


@dataclass(frozen=True, slots=True)
class Scored:
    """How many hallucinated and valid entries have a score of at least this threshold. Thresholds descend."""

    threshold: float
    hallucinated: int
    valid: int


def scored(pairs: Pairs) -> list[Scored]:
    """One for each distinct score: the confidence if the prediction is HALLUCINATED, else 1 - confidence."""
    rows: dict[float, list[int]] = {}
    for entry, answer in pairs.committed():
        score = answer.confidence if answer.label == "HALLUCINATED" else 1 - answer.confidence
        rows.setdefault(score, [0, 0])[entry.label != "HALLUCINATED"] += 1
    steps: list[Scored] = []
    hallucinated = valid = 0
    for score in sorted(rows, reverse=True):
        hallucinated, valid = hallucinated + rows[score][0], valid + rows[score][1]
        steps.append(Scored(score, hallucinated, valid))
    return steps


def roc(pairs: Pairs) -> list[tuple[float, float]]:
    """(FPR, DR) from (0, 0) to (1, 1). Empty with entries of one class only."""
    steps = scored(pairs)
    if not steps or not steps[-1].hallucinated or not steps[-1].valid:
        return []
    positives, negatives = steps[-1].hallucinated, steps[-1].valid
    return [(0.0, 0.0), *((step.valid / negatives, step.hallucinated / positives) for step in steps)]


def auroc(pairs: Pairs) -> float | None:
    """The area under the ROC curve by the trapezoid rule: ties count half. None with entries of one class only."""
    points = roc(pairs)
    if not points:
        return None
    return math.fsum((x - x0) * (y + y0) / 2 for (x0, y0), (x, y) in pairwise(points))


def pr(pairs: Pairs) -> list[tuple[float, float]]:
    """(recall, precision) at each threshold, recall ascending. Empty without hallucinated entries."""
    steps = scored(pairs)
    if not steps or not steps[-1].hallucinated:
        return []
    positives = steps[-1].hallucinated
    return [(step.hallucinated / positives, ratio(step.hallucinated, step.hallucinated + step.valid)) for step in steps]


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
    rows: dict[float, list[AnsweredEntry]] = {}
    for entry, answer in pairs.committed():
        rows.setdefault(answer.confidence, []).append((entry, answer))
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
