"""The metrics of alex-o-748/citation-checker-script, bit for bit, with its peculiarities.

An answer that cannot be parsed is valid: wrong for the exact accuracy, absent from the matrix, and "not supported" for the binary
one. `pytest_citecheck.claims.scoring.strict` counts such answers apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pytest_citecheck.claims.results import ResultRow, providers_of
from pytest_citecheck.claims.verdicts import FLAGGED, VERDICTS, canonical, is_supporting

__all__ = ["analysis", "metrics", "needs_review", "normalised"]


def normalised(text: str) -> str:
    """One of the four verdicts, ``Error`` or ``Unknown``."""
    verdict = canonical(text)
    if verdict is not None:
        return verdict
    return "Error" if "error" in text.lower() else "Unknown"


def metrics(rows: Sequence[ResultRow]) -> dict[str, Any]:
    """The block of metrics of one provider; the truth is that of the rows."""
    valid = [row for row in rows if row.answered]
    judged = [(normalised(row.verdict), normalised(row.truth), row) for row in valid]
    exact = sum(said == truth for said, truth, _ in judged)
    partial = sum({said, truth} == {"Supported", "Partially supported"} for said, truth, _ in judged)
    binary = sum(is_supporting(said) == is_supporting(truth) for said, truth, _ in judged)
    rest = sum(_same_side(said, truth) for said, truth, _ in judged)
    count = len(valid)
    return {
        "total": len(rows),
        "valid": count,
        "errors": len(rows) - count,
        "quotes": _quotes(judged),
        "exactMatches": exact,
        "partialMatches": partial,
        "exactAccuracy": _share(exact, count),
        "lenientAccuracy": _share(exact + partial, count),
        "binaryAccuracy": _share(binary, count),
        "supportedVsRestCorrect": rest,
        "supportedVsRestAccuracy": _share(rest, count),
        "confusionMatrix": {
            truth: {said: sum(one == said and label == truth for one, label, _ in judged) for said in VERDICTS}
            for truth in VERDICTS
        },
        "latency": _latency([row.latency for row in rows if row.latency > 0]),
        "confidence": _confidence(judged),
    }


def _same_side(said: str, truth: str) -> bool:
    if said not in VERDICTS or truth not in VERDICTS:
        return False
    return said == truth or (said in FLAGGED and truth in FLAGGED)


def _quotes(judged: Iterable[tuple[str, str, ResultRow]]) -> dict[str, Any]:
    eligible = [
        (said == truth, row)
        for said, truth, row in judged
        if is_supporting(said) or (said == "Not supported" and row.reason_type == "contradiction")
    ]
    offered = [(right, row) for right, row in eligible if row.quote]
    verified = [right for right, row in offered if row.quote_verified]
    unverified = [right for right, row in offered if not row.quote_verified]
    with_, without = _share(sum(verified), len(verified)), _share(sum(unverified), len(unverified))
    return {
        "eligible": len(eligible),
        "offered": len(offered),
        "verified": len(verified),
        "offerRate": _share(len(offered), len(eligible)),
        "fidelity": _share(len(verified), len(offered)),
        "accuracyWhenQuoteVerified": with_,
        "accuracyWhenQuoteUnverified": without,
        "verifiedRows": len(verified),
        "unverifiedRows": len(unverified),
        "gap": with_ - without,
    }


def _latency(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {"avg": 0, "min": 0, "max": 0}
    return {"avg": _total(values) / len(values), "min": min(values), "max": max(values)}


def _confidence(judged: Sequence[tuple[str, str, ResultRow]]) -> dict[str, float]:
    stated = [row.confidence for _, _, row in judged if row.confidence is not None and row.confidence > 0]
    right = [row.confidence or 0 for said, truth, row in judged if said == truth]
    wrong = [row.confidence or 0 for said, truth, row in judged if said != truth]
    when_right, when_wrong = _mean(right), _mean(wrong)
    return {
        "avg": _mean(stated),
        "avgWhenCorrect": when_right,
        "avgWhenWrong": when_wrong,
        "calibration": when_right - when_wrong,
    }


def _mean(values: Sequence[float]) -> float:
    return _total(values) / len(values) if values else 0


def _total(values: Sequence[float]) -> float:
    """One after the other, without compensation: the sum of the reference to the last bit."""
    total: float = 0
    for value in values:
        total += value
    return total


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0


def needs_review(rows: Iterable[ResultRow]) -> dict[str, Any]:
    """Precision, recall and F1 of "a person has to look at it": everything but supported."""
    judged = [(normalised(row.verdict), normalised(row.truth)) for row in rows if row.answered]
    known = [(said != "Supported", truth != "Supported") for said, truth in judged if truth in VERDICTS]
    tp = sum(said and truth for said, truth in known)
    fp = sum(said and not truth for said, truth in known)
    fn = sum(truth and not said for said, truth in known)
    return {
        "tp": tp,
        "fp": fp,
        "fn": fn,
        "tn": len(known) - tp - fp - fn,
        "precision": _share(tp, tp + fp),
        "recall": _share(tp, tp + fn),
        "f1": _share(2 * tp, 2 * tp + fp + fn),
    }


def analysis(rows: Iterable[ResultRow], generated: str, version: str = "all") -> dict[str, Any]:
    """The whole file of the reference: an overview, and a block for each provider in the order of the rows."""
    rows = list(rows)
    given = providers_of(rows)
    return {
        "generated": generated,
        "overview": {
            "datasetVersion": version,
            "totalEntries": len({row.entry for row in rows}),
            "totalCalls": len(rows),
            "providers": list(given),
        },
        "providers": {
            name: {
                "name": name[:1].upper() + name[1:],
                "model": own[0].model,
                "sampleCount": len(own),
                "metrics": metrics(own),
            }
            for name, own in given.items()
        },
    }
