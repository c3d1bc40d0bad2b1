"""What makes a score doubtful although it can be computed."""

from __future__ import annotations

from collections import Counter

from pytest_citecheck.benchmark.metrics.pairs import Pairs

__all__ = ["cautions"]

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
