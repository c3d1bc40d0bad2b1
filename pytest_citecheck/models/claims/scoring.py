"""The metrics of answers to claims, with everything that an accuracy alone hides.

An answer without a verdict is a class of its own: wrong by every measure, also where the truth is "not supported". Each accuracy
stands beside its count, its interval and that of the most frequent label.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from pytest_citecheck.benchmark import (
    Pairs,
    auroc,
    brier,
    ece_fixed_width,
    harmonic,
    reliability,
    risk_coverage,
    share_of,
    wilson,
)
from pytest_citecheck.inputs import LabelledEntry, Prediction
from pytest_citecheck.models.claims.answers import (
    FLAGGED,
    PARSE_ERROR,
    REVIEWED,
    UNDECIDED,
    VERDICTS,
    canonical,
    is_supporting,
)
from pytest_citecheck.models.claims.review import ResultRow, plain_total, providers_of


def normalised(text: str) -> str:
    """One of the four verdicts, ``Error`` or ``Unknown``."""
    verdict = canonical(text)
    if verdict is not None:
        return verdict
    return "Error" if "error" in text.lower() else "Unknown"


def metrics(rows: Sequence[ResultRow]) -> dict[str, Any]:
    """The block of metrics of one provider; the truth comes from the rows."""
    valid = [row for row in rows if row.answered]
    judged = [(normalised(row.verdict), normalised(row.truth), row) for row in valid]
    exact, lenient, binary = (sum(rule(said, truth) for said, truth, _ in judged) for rule in _RULES.values())
    rest = sum(_rest(said, truth) for said, truth, _ in judged if {said, truth} <= set(VERDICTS))
    count, times = len(valid), [row.latency for row in rows if row.latency > 0]
    return {
        "total": len(rows),
        "valid": count,
        "errors": len(rows) - count,
        "quotes": _published_quotes(judged),
        "exactMatches": exact,
        "partialMatches": lenient - exact,
        "exactAccuracy": _published_share(exact, count),
        "lenientAccuracy": _published_share(lenient, count),
        "binaryAccuracy": _published_share(binary, count),
        "supportedVsRestCorrect": rest,
        "supportedVsRestAccuracy": _published_share(rest, count),
        "confusionMatrix": {
            truth: {said: sum(one == said and label == truth for one, label, _ in judged) for said in VERDICTS}
            for truth in VERDICTS
        },
        "latency": _spread(times, plain_total) if times else {"avg": 0, "min": 0, "max": 0},
        "confidence": _confidence(judged),
    }


def _published_quotes(judged: Iterable[tuple[str, str, ResultRow]]) -> dict[str, Any]:
    eligible = [
        (said == truth, row)
        for said, truth, row in judged
        if is_supporting(said) or (said == "Not supported" and row.reason_type == "contradiction")
    ]
    found = _quotes(eligible, _published_share, "Quote")
    gap = found.pop("gap")
    return {
        **found,
        "verifiedRows": found["verified"],
        "unverifiedRows": found["offered"] - found["verified"],
        "gap": gap,
    }


def _quotes(
    eligible: Sequence[tuple[bool, ResultRow]], share: Callable[[int, int], float | None], mark: str = ""
) -> dict[str, Any]:
    """How many answers have a quote that is in the source, and how often these are right. eligible: right or not, and the row."""
    offered = [(right, row) for right, row in eligible if row.quote]
    verified = [right for right, row in offered if row.quote_verified]
    unverified = [right for right, row in offered if not row.quote_verified]
    with_, without = share(sum(verified), len(verified)), share(sum(unverified), len(unverified))
    return {
        "eligible": len(eligible),
        "offered": len(offered),
        "verified": len(verified),
        "offerRate": share(len(offered), len(eligible)),
        "fidelity": share(len(verified), len(offered)),
        f"accuracyWhen{mark}Verified": with_,
        f"accuracyWhen{mark}Unverified": without,
        "gap": None if with_ is None or without is None else with_ - without,
    }


def _spread(values: Sequence[float], total: Callable[[Sequence[float]], float]) -> dict[str, float]:
    return {"avg": total(values) / len(values), "min": min(values), "max": max(values)}


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
    return plain_total(values) / len(values) if values else 0


def _published_share(part: int, whole: int) -> float:
    return part / whole if whole else 0


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


Labels = Sequence[tuple[str, str]]
"""Pairs of verdict and truth."""


def kappa(labels: Labels) -> float | None:
    """Cohen's kappa. None without labels, and where chance alone would agree always."""
    count = len(labels)
    said, true = Counter(verdict for verdict, _ in labels), Counter(label for _, label in labels)
    chance = sum(said[name] * true[name] for name in true)
    if not count or chance == count * count:
        return None
    agreed = sum(one == label for one, label in labels)
    return (agreed * count - chance) / (count * count - chance)


def matthews(labels: Labels) -> float | None:
    """Matthews' correlation coefficient of many classes. None where only one class is said, or only one true."""
    count = len(labels)
    said, true = Counter(verdict for verdict, _ in labels), Counter(label for _, label in labels)
    agreed = sum(one == label for one, label in labels)
    covariance = agreed * count - sum(said[name] * true[name] for name in true)
    squares = [sum(times**2 for times in counts.values()) for counts in (said, true)]
    spread = (count**2 - squares[0]) * (count**2 - squares[1])
    return covariance / math.sqrt(spread) if spread else None


def mcnemar(better: int, worse: int) -> float:
    """The exact two-sided p of so many improvements and regressions, if each were as likely; 1 without any."""
    count = better + worse
    tail: int = sum(math.comb(count, number) for number in range(min(better, worse) + 1))
    return min(1.0, float(2 * tail / (1 << count)))


FLAG_ERROR = 0.1
"""The share of wrong flags to which `flag_threshold` keeps where none is stated."""

_Judged = tuple[str, str, ResultRow]
"""The verdict (`PARSE_ERROR` if there is none), the truth, and the row."""


def strict_metrics(rows: Sequence[ResultRow], *, flag_error: float = FLAG_ERROR) -> dict[str, Any]:
    """All figures of one provider. None means undefined: no such label, no stated confidence, no known cost.

    Pairs about which a judge abstains count for its coverage only.

    flag_error: the share of wrong flags that ``flags.threshold`` keeps to.
    """
    labelled = [(truth, row) for row in rows if row.answered and (truth := canonical(row.truth)) is not None]
    judged = [
        (canonical(row.verdict) or PARSE_ERROR, truth, row) for truth, row in labelled if row.verdict != UNDECIDED
    ]
    labels = [(said, truth) for said, truth, _ in judged]
    parsed = [answer for answer in judged if answer[0] != PARSE_ERROR]
    flagged = [(said, truth) for said, truth in labels if said in FLAGGED]
    quotable = [
        (said == truth, row) for said, truth, row in parsed if is_supporting(said) or row.reason_type == "contradiction"
    ]
    classes = {verdict: _of_class(labels, verdict) for verdict in VERDICTS}
    present = [block["f1"] for block in classes.values() if block["support"]]
    return {
        "total": len(rows),
        "answered": len(judged),
        "errors": sum(not row.answered for row in rows),
        "abstained": len(labelled) - len(judged),
        "coverage": share_of(len(judged), len(labelled)),
        "parseErrors": len(judged) - len(parsed),
        **{name: _accuracy(labels, rule) for name, rule in _STRICT_RULES.items()},
        "classes": classes,
        "macroF1": math.fsum(present) / len(present) if present else None,
        "kappa": kappa(labels),
        "mcc": matthews(labels),
        "confusionMatrix": {
            truth: {said: labels.count((said, truth)) for said in (*VERDICTS, PARSE_ERROR)} for truth in VERDICTS
        },
        "needsReview": _detection(labels, REVIEWED),
        "flags": {
            "predicted": len(flagged),
            "precision": share_of(sum(truth in FLAGGED for _, truth in flagged), len(flagged)),
            "threshold": flag_threshold([row for _, _, row in judged], flag_error),
        },
        "calibration": _calibration(parsed),
        "quotes": {
            **_quotes(quotable, share_of),
            "statuses": dict(sorted(Counter(row.quote_status for _, _, row in parsed if row.quote_status).items())),
        },
        "cost": _cost(rows, judged),
        "canaries": sum("canary" in row.flags for row in rows),
    }


def _exact(said: str, truth: str) -> bool:
    return said == truth


def _lenient(said: str, truth: str) -> bool:
    return said == truth or {said, truth} == {"Supported", "Partially supported"}


def _binary(said: str, truth: str) -> bool:
    return is_supporting(said) == is_supporting(truth)


def _rest(said: str, truth: str) -> bool:
    return said == truth or (said in FLAGGED and truth in FLAGGED)


_RULES: dict[str, Callable[[str, str], bool]] = {"exact": _exact, "lenient": _lenient, "binary": _binary}
"""When an answer is right."""
_STRICT_RULES: dict[str, Callable[[str, str], bool]] = {
    **_RULES,
    "binary": lambda said, truth: said != PARSE_ERROR and _binary(said, truth),
    "supportedVsRest": _rest,
}


def _accuracy(labels: Sequence[tuple[str, str]], right: Callable[[str, str], bool]) -> dict[str, Any]:
    """The accuracy with its interval, and that of the best answer that is always the same."""
    count = len(labels)
    correct = sum(right(said, truth) for said, truth in labels)
    always = max((sum(right(verdict, truth) for _, truth in labels) for verdict in VERDICTS), default=0)
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
    rates = _rates(both, said, true)
    return {"support": true, "predicted": said, **rates, **({} if true else {"f1": None})}


def _rates(both: int, said: int, true: int) -> dict[str, float | None]:
    """The precision, the recall and their harmonic mean."""
    precision, recall = share_of(both, said), share_of(both, true)
    return {"precision": precision, "recall": recall, "f1": harmonic(precision or 0.0, recall or 0.0)}


def _detection(labels: Sequence[tuple[str, str]], positive: frozenset[Any]) -> dict[str, Any]:
    """An answer without a verdict has to be looked at too."""
    wanted = {*positive, PARSE_ERROR}
    tp = sum(said in wanted and truth in positive for said, truth in labels)
    fp = sum(said in wanted and truth not in positive for said, truth in labels)
    fn = sum(said not in wanted and truth in positive for said, truth in labels)
    counts = {"tp": tp, "fp": fp, "fn": fn, "tn": len(labels) - tp - fp - fn}
    return {**counts, **_rates(tp, tp + fp, tp + fn)}


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
        "aucWithin": {name: auroc(_correctness([row for row in judged if row[0] == name])) for name in VERDICTS},
        "gap": math.fsum(right) / len(right) - math.fsum(wrong) / len(wrong) if right and wrong else None,
        "bins": [
            {"low": box.low, "high": box.high, "n": box.count, "confidence": box.confidence, "accuracy": box.accuracy}
            for box in reliability(whole)
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
    return _spread(times, math.fsum) if times else None


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


def comparison_csv(rows: Iterable[ResultRow]) -> str:
    """The table, byte for byte as alex-o-748/citation-checker-script writes it, save that quotation marks are doubled.

    Entries and providers are sorted; an entry that a provider was not asked about has an empty cell.
    """
    truths: dict[str, str] = {}
    said: dict[tuple[str, str], str] = {}
    for row in rows:
        truths.setdefault(row.entry, row.truth)
        said[row.entry, row.provider] = row.verdict
    providers = sorted({provider for _, provider in said})
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerow(("entry_id", "ground_truth", *providers))
    cells = ((entry, truths[entry], *(said.get((entry, name), "") for name in providers)) for entry in sorted(truths))
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(cells)
    return text.getvalue().removesuffix("\n")


Direction = Literal["improvement", "regression", "lateral", "unchanged-correct", "unchanged-wrong"]
DIRECTIONS: Final[tuple[Direction, ...]] = get_args(Direction)
_FLOOR = 0.05


@dataclass(frozen=True, slots=True)
class Cell:
    """One claim in both runs. lateral: wrong in both, in different ways."""

    entry: str
    provider: str
    truth: str
    control: str
    treatment: str

    @property
    def direction(self) -> Direction:
        """Result."""
        before, after = self.control == self.truth, self.treatment == self.truth
        if before and after:
            return "unchanged-correct"
        if before != after:
            return "improvement" if after else "regression"
        return "unchanged-wrong" if self.control == self.treatment else "lateral"


@dataclass(frozen=True, slots=True)
class Comparison:
    """All claims that both runs answered. floor: differences of accuracies below it are noise."""

    cells: tuple[Cell, ...]
    floor: float = _FLOOR

    def counts(self) -> dict[Direction, int]:
        """How many cells went in each direction."""
        found = [cell.direction for cell in self.cells]
        return {direction: found.count(direction) for direction in DIRECTIONS}

    @property
    def p(self) -> float:
        """McNemar's exact two-sided p of improvements and regressions."""
        counts = self.counts()
        return mcnemar(counts["improvement"], counts["regression"])

    def accuracies(self, run: Literal["control", "treatment"]) -> dict[str, float]:
        """The exact, the lenient and the binary accuracy of one run; 0 without cells."""
        return {
            name: sum(rule(getattr(cell, run), cell.truth) for cell in self.cells) / max(1, len(self.cells))
            for name, rule in _RULES.items()
        }

    def deltas(self) -> dict[str, float | None]:
        """Treatment minus control of the exact, the lenient and the binary accuracy; None without cells."""
        return {
            name: share_of(
                sum(rule(cell.treatment, cell.truth) - rule(cell.control, cell.truth) for cell in self.cells),
                len(self.cells),
            )
            for name, rule in _RULES.items()
        }

    @property
    def is_noise(self) -> bool:
        """True if all differences are below the floor."""
        return all(abs(delta or 0.0) < self.floor for delta in self.deltas().values())

    @property
    def is_worse(self) -> bool:
        """True if the treatment is less often exact, by the floor at least."""
        return (self.deltas()["exact"] or 0.0) <= -self.floor

    def summary(self) -> dict[str, Any]:
        """The figures, as reports state them."""
        counts: dict[str, Any] = {str(direction): count for direction, count in self.counts().items()}
        runs = {"control": self.accuracies("control"), "treatment": self.accuracies("treatment")}
        return {
            "cells": len(self.cells),
            **counts,
            **runs,
            "deltas": self.deltas(),
            "p": self.p,
            "noise": self.is_noise,
        }


def compare(
    control: Iterable[ResultRow],
    treatment: Iterable[ResultRow],
    *,
    providers: tuple[str, str] | None = None,
    floor: float = _FLOOR,
) -> Comparison:
    """The claims that both runs answered without an error, provider by provider.

    The truth comes from the rows: join it with the data set first. providers: compare these two, whatever they
    are called; None: each with its namesake.
    """
    if providers is None:
        before, after = _answered(control), _answered(treatment)
    else:
        before = {(entry, ""): row for (entry, name), row in _answered(control).items() if name == providers[0]}
        after = {(entry, ""): row for (entry, name), row in _answered(treatment).items() if name == providers[1]}
    cells: Sequence[Cell] = [
        Cell(entry, name, normalised(row.truth), normalised(row.verdict), normalised(after[entry, name].verdict))
        for (entry, name), row in before.items()
        if (entry, name) in after
    ]
    return Comparison(tuple(cells), floor)


def _answered(rows: Iterable[ResultRow]) -> dict[tuple[str, str], ResultRow]:
    # Keys are pairs: names such as ``hf:org/model`` contain every separator.
    return {(row.entry, row.provider): row for row in rows if row.answered}
