"""The metrics of answers to claims, with everything that an accuracy alone hides.

An answer without a verdict is a class of its own: wrong by every measure, also where the truth is "not supported". Each accuracy
stands beside its count, its interval and that of the most frequent label.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pytest_citecheck.benchmark.metrics.calibration import brier, ece_fixed_width, reliability
from pytest_citecheck.benchmark.metrics.confusion import harmonic, share_of, wilson
from pytest_citecheck.benchmark.metrics.curves import auroc, risk_coverage
from pytest_citecheck.benchmark.metrics.pairs import Pairs
from pytest_citecheck.claims.results import ResultRow
from pytest_citecheck.claims.scoring.agreement import kappa, matthews
from pytest_citecheck.claims.verdicts import FLAGGED, PARSE_ERROR, REVIEWED, VERDICTS, canonical, is_supporting
from pytest_citecheck.readers.hallmark.schema import LabelledEntry, Prediction

__all__ = ["FLAG_ERROR", "flag_threshold", "latency", "strict_metrics"]

FLAG_ERROR = 0.1
"""The share of wrong flags to which `flag_threshold` keeps where none is stated."""

_Judged = tuple[str, str, ResultRow]
"""What was said (`PARSE_ERROR` without a verdict), the truth, and the row."""


def strict_metrics(rows: Sequence[ResultRow], *, flag_error: float = FLAG_ERROR) -> dict[str, Any]:
    """All figures of one provider. None stands for what is undefined: no such label, no stated confidence, no known cost.

    flag_error: the share of wrong flags that ``flags.threshold`` keeps to.
    """
    judged = [
        (canonical(row.verdict) or PARSE_ERROR, truth, row)
        for row in rows
        if row.answered and (truth := canonical(row.truth)) is not None
    ]
    labels = [(said, truth) for said, truth, _ in judged]
    parsed = [one for one in judged if one[0] != PARSE_ERROR]
    classes = {verdict: _of_class(labels, verdict) for verdict in VERDICTS}
    present = [block["f1"] for block in classes.values() if block["support"]]
    return {
        "total": len(rows),
        "answered": len(judged),
        "errors": sum(not row.answered for row in rows),
        "parseErrors": len(judged) - len(parsed),
        **{name: _accuracy(labels, rule) for name, rule in _RULES.items()},
        "classes": classes,
        "macroF1": math.fsum(present) / len(present) if present else None,
        "kappa": kappa(labels),
        "mcc": matthews(labels),
        "confusionMatrix": {
            truth: {said: labels.count((said, truth)) for said in (*VERDICTS, PARSE_ERROR)} for truth in VERDICTS
        },
        "needsReview": _detection(labels, REVIEWED),
        "flags": {
            "predicted": sum(said in FLAGGED for said, _ in labels),
            "precision": _share(labels, lambda said, _: said in FLAGGED, lambda _, truth: truth in FLAGGED),
            "threshold": flag_threshold([row for _, _, row in judged], flag_error),
        },
        "calibration": _calibration(parsed),
        "quotes": _quotes(parsed),
        "cost": _cost(rows, judged),
        "canaries": sum("canary" in row.flags for row in rows),
    }


def _binary(said: str, truth: str) -> bool:
    return said != PARSE_ERROR and is_supporting(said) == is_supporting(truth)


def _rest(said: str, truth: str) -> bool:
    return said == truth or (said in FLAGGED and truth in FLAGGED)


_RULES: dict[str, Callable[[str, str], bool]] = {
    "exact": lambda said, truth: said == truth,
    "lenient": lambda said, truth: said == truth or {said, truth} == {"Supported", "Partially supported"},
    "binary": _binary,
    "supportedVsRest": _rest,
}


def _accuracy(labels: Sequence[tuple[str, str]], right: Callable[[str, str], bool]) -> dict[str, Any]:
    """The accuracy with its interval, and that of the best answer that is always the same."""
    count = len(labels)
    correct = sum(right(said, truth) for said, truth in labels)
    always = max((sum(right(one, truth) for _, truth in labels) for one in VERDICTS), default=0)
    return {
        "n": count,
        "correct": correct,
        "value": share_of(correct, count),
        "interval": list(wilson(correct, count)) if count else None,
        "majority": share_of(always, count),
        "belowMajority": correct < always,
    }


def _of_class(labels: Sequence[tuple[str, str]], verdict: str) -> dict[str, Any]:
    said, true = sum(one == verdict for one, _ in labels), sum(truth == verdict for _, truth in labels)
    both = sum(one == truth == verdict for one, truth in labels)
    precision, recall = share_of(both, said), share_of(both, true)
    return {
        "support": true,
        "predicted": said,
        "precision": precision,
        "recall": recall,
        "f1": None if recall is None else harmonic(precision or 0.0, recall),
    }


def _share(
    labels: Iterable[tuple[str, str]], of: Callable[[str, str], bool], what: Callable[[str, str], bool]
) -> float | None:
    chosen = [what(said, truth) for said, truth in labels if of(said, truth)]
    return share_of(sum(chosen), len(chosen))


def _detection(labels: Sequence[tuple[str, str]], positive: frozenset[Any]) -> dict[str, Any]:
    """An answer without a verdict has to be looked at too."""
    wanted = {*positive, PARSE_ERROR}
    tp = sum(said in wanted and truth in positive for said, truth in labels)
    fp = sum(said in wanted and truth not in positive for said, truth in labels)
    fn = sum(said not in wanted and truth in positive for said, truth in labels)
    precision, recall = share_of(tp, tp + fp), share_of(tp, tp + fn)
    return {
        "tp": tp,
        "fp": fp,
        "fn": fn,
        "tn": len(labels) - tp - fp - fn,
        "precision": precision,
        "recall": recall,
        "f1": harmonic(precision or 0.0, recall or 0.0),
    }


def _calibration(judged: Sequence[_Judged]) -> dict[str, Any]:
    """A confidence of 0 is stated; an absent one is left out.

    The AUC also by class, because models are told to put the verdict into the confidence.
    """
    whole = _correctness(judged)
    right = [row.confidence for said, truth, row in judged if said == truth and row.confidence is not None]
    wrong = [row.confidence for said, truth, row in judged if said != truth and row.confidence is not None]
    points = risk_coverage(whole) if len(whole) else []
    return {
        "stated": len(whole),
        "ece": ece_fixed_width(whole),
        "brier": brier(whole),
        "auc": auroc(whole),
        "aucWithin": {name: auroc(_correctness([one for one in judged if one[0] == name])) for name in VERDICTS},
        "gap": math.fsum(right) / len(right) - math.fsum(wrong) / len(wrong) if right and wrong else None,
        "bins": [
            {"low": one.low, "high": one.high, "n": one.count, "confidence": one.confidence, "accuracy": one.accuracy}
            for one in reliability(whole)
        ],
        "riskCoverage": [list(point) for point in points],
    }


def _correctness(judged: Iterable[_Judged]) -> Pairs:
    """Each answer as a prediction that it is right: what measures confidences takes such pairs."""
    stated = [
        (said == truth, row.entry, row.confidence / 100)
        for said, truth, row in judged
        if row.confidence is not None and 0 <= row.confidence <= 100
    ]
    entries = tuple(LabelledEntry(entry, "", {}, "HALLUCINATED" if right else "VALID") for right, entry, _ in stated)
    answers = tuple(Prediction(entry, "HALLUCINATED", confidence) for _, entry, confidence in stated)
    return Pairs(entries, answers, answers)


def flag_threshold(rows: Sequence[ResultRow], most_wrong: float) -> dict[str, Any] | None:
    """The lowest confidence from which flags (partially, not supported) are wrong in at most this share, by Wilson's upper bound.

    None if no threshold keeps to it.
    """
    flags = sorted(
        (
            (row.confidence, canonical(row.truth) in FLAGGED)
            for row in rows
            if row.answered and canonical(row.verdict) in FLAGGED and row.confidence is not None and row.truth
        ),
        reverse=True,
    )
    best = None
    wrong = 0
    for place, (confidence, right) in enumerate(flags, start=1):
        wrong += not right
        tied = place < len(flags) and flags[place][0] == confidence
        bound = wilson(wrong, place)[1]
        if not tied and bound <= most_wrong:
            best = {"confidence": confidence, "flags": place, "wrong": wrong, "bound": bound}
    return best


def latency(rows: Iterable[ResultRow]) -> dict[str, float] | None:
    """Milliseconds of the calls that took time, retries included; None if there are none."""
    times = [row.latency for row in rows if row.latency > 0]
    return {"avg": math.fsum(times) / len(times), "min": min(times), "max": max(times)} if times else None


def _quotes(judged: Sequence[_Judged]) -> dict[str, Any]:
    eligible = [
        (said == truth, row) for said, truth, row in judged if is_supporting(said) or row.reason_type == "contradiction"
    ]
    offered = [(right, row) for right, row in eligible if row.quote]
    verified = [right for right, row in offered if row.quote_verified]
    unverified = [right for right, row in offered if not row.quote_verified]
    with_, without = share_of(sum(verified), len(verified)), share_of(sum(unverified), len(unverified))
    return {
        "eligible": len(eligible),
        "offered": len(offered),
        "verified": len(verified),
        "offerRate": share_of(len(offered), len(eligible)),
        "fidelity": share_of(len(verified), len(offered)),
        "accuracyWhenVerified": with_,
        "accuracyWhenUnverified": without,
        "gap": None if with_ is None or without is None else with_ - without,
        "statuses": dict(sorted(Counter(row.quote_status for _, _, row in judged if row.quote_status).items())),
    }


def _cost(rows: Iterable[ResultRow], judged: Iterable[_Judged]) -> dict[str, Any]:
    priced = [row.cost for row in rows if row.cost is not None]
    right = sum(said == truth for said, truth, row in judged if row.cost is not None)
    total = math.fsum(priced) if priced else None
    return {
        "dollars": total,
        "priced": len(priced),
        "perCall": None if total is None else total / len(priced),
        "perCorrect": None if total is None or not right else total / right,
    }
