"""The protocol of a metric that a hook adds to the scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeVar

from pytest_citecheck.inputs import LabelledEntry, Prediction, is_canary

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class Metric(Protocol):
    """One number that says how well predictions agree with labels.

    name: an identifier; reports and ``--citecheck-fail-under`` contain it. higher_is_better: how ``name=0.9`` is read there.
    """

    @property
    def name(self) -> str: ...

    @property
    def higher_is_better(self) -> bool: ...

    def compute(self, pairs: Pairs) -> float | None:
        """The value over labelled references with their predictions; None where it is undefined."""
        ...


class MetricError(Exception):
    """A metric from a hook failed; the text names it."""


def further_scores(metrics: Iterable[Metric], pairs: Pairs) -> dict[str, float | None]:
    """The value of each of these metrics by its name. Raises MetricError."""
    scores: dict[str, float | None] = {}
    for metric in metrics:
        try:
            value = metric.compute(pairs)
            scores[metric.name] = None if value is None else float(value)
        except Exception as error:
            raise MetricError(f"the metric {metric.name!r} failed: {type(error).__name__}: {error}") from error
    return scores


TIER_WEIGHTS: Mapping[int, float] = {1: 1, 2: 2, 3: 3}
"""How much a hallucination counts by its tier, in TW-F1 (HALLMARK, arXiv:2607.18360)."""
_UNKNOWN_TIER = 1  # of an entry that states none


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """The items by their keys, in the order of the first item of each."""
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def ratio(part: float, whole: float) -> float:
    """part / whole, and 0 if the whole is 0."""
    return part / whole if whole else 0.0


def share_of(part: float, whole: float) -> float | None:
    """part / whole, and None if the whole is 0: nothing was decided."""
    return part / whole if whole else None


def harmonic(a: float, b: float) -> float:
    """The harmonic mean, and 0 if both are 0."""
    return ratio(2 * a * b, a + b)


def wilson(successes: int, count: int, z: float = 1.96) -> tuple[float, float]:
    """The score interval of a share (Wilson 1927), clipped to [0, 1]; (0, 0) if the count is 0. z = 1.96 means 95 %."""
    if not count:
        return 0.0, 0.0
    share, square = successes / count, z * z
    centre = (share + square / (2 * count)) / (1 + square / count)
    half = z / (1 + square / count) * math.sqrt(share * (1 - share) / count + square / (4 * count * count))
    return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of entries. uncertain: left out of the other four. missing: counted as VALID in tn and fn.

    Rates are None if nothing is decided that they count.
    """

    tp: int = 0
    fp: int = 0
    tn: int = 0
    fn: int = 0
    uncertain: int = 0
    missing: int = 0

    @property
    def decided(self) -> int:
        """How many are in the matrix."""
        return self.tp + self.fp + self.tn + self.fn

    @property
    def detection_rate(self) -> float | None:
        """TP / (TP + FN), also called recall."""
        return share_of(self.tp, self.tp + self.fn)

    @property
    def false_positive_rate(self) -> float | None:
        """FP / (FP + TN)."""
        return share_of(self.fp, self.fp + self.tn)

    @property
    def precision(self) -> float | None:
        """TP / (TP + FP), and 0 if nothing is flagged."""
        return ratio(self.tp, self.tp + self.fp) if self.decided else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and detection rate; None where that is."""
        recall = self.detection_rate
        return None if recall is None else harmonic(ratio(self.tp, self.tp + self.fp), recall)

    @property
    def macro_f1(self) -> float | None:
        """The mean of F1 and of the same for VALID as the positive class, 0 for a class without entries."""
        mirrored = Confusion(tp=self.tn, fp=self.fn, tn=self.tp, fn=self.fp)
        return ((self.f1 or 0) + (mirrored.f1 or 0)) / 2 if self.decided else None

    @property
    def mcc(self) -> float | None:
        """Matthews' correlation coefficient; 0 if a row or column of the matrix is empty."""
        tp, fp, tn, fn = self.tp, self.fp, self.tn, self.fn
        root = math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        return ratio(tp * tn - fp * fn, root) if self.decided else None


def confusion(pairs: Iterable[tuple[LabelledEntry, Prediction | None]]) -> Confusion:
    """Count. A missing prediction is read as VALID, an UNCERTAIN one is in no cell of the matrix."""
    tp = fp = tn = fn = uncertain = missing = 0
    for entry, answer in pairs:
        missing += answer is None
        if answer is not None and answer.label == "UNCERTAIN":
            uncertain += 1
            continue
        flagged = answer is not None and answer.label == "HALLUCINATED"
        if entry.label == "HALLUCINATED":
            tp, fn = tp + flagged, fn + (not flagged)
        else:
            fp, tn = fp + flagged, tn + (not flagged)
    return Confusion(tp, fp, tn, fn, uncertain, missing)


TierCounts = Mapping[int, Confusion]
"""By tier, the hallucinated entries of that tier alone."""


def tier_of(entry: LabelledEntry) -> int:
    """The tier of a hallucinated entry; 1 if it states none."""
    return entry.tier or _UNKNOWN_TIER


def tier_counts(pairs: Iterable[tuple[LabelledEntry, Prediction | None]]) -> TierCounts:
    """Count the hallucinated entries apart by tier."""
    hallucinated = ((entry, answer) for entry, answer in pairs if entry.label == "HALLUCINATED")
    by_tier = grouped(hallucinated, lambda pair: tier_of(pair[0]))
    return {tier: confusion(members) for tier, members in sorted(by_tier.items())}


def tier_weighted_f1(tiers: TierCounts, fp: int, weights: Mapping[int, float] = TIER_WEIGHTS) -> float:
    """F1 with TP and FN weighted by tier (1 for a tier without weight), each FP counting 1.

    So precision depends on the weights as well: wTP / (wTP + FP).
    """
    tp = math.fsum(weights.get(tier, 1) * counts.tp for tier, counts in tiers.items())
    fn = math.fsum(weights.get(tier, 1) * counts.fn for tier, counts in tiers.items())
    return harmonic(ratio(tp, tp + fp), ratio(tp, tp + fn))


DuplicatePolicy = Literal["first", "last"]
AnsweredEntry = tuple[LabelledEntry, Prediction]

_AGGRESSIVE_CONFIDENCE = 0.55


class NoOverlapError(ValueError):
    """No prediction is about an entry of the split: most likely they belong to another split."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The entries of a split in file order, each with its prediction or None.

    predictions: all that the tool said, one a key, with those about keys outside the split.
    repeated: how many predictions were left out because their key has another one.
    """

    entries: tuple[LabelledEntry, ...]
    answers: tuple[Prediction | None, ...]
    predictions: tuple[Prediction, ...]
    repeated: int = 0

    def __iter__(self) -> Iterator[tuple[LabelledEntry, Prediction | None]]:
        return zip(self.entries, self.answers, strict=True)

    def __len__(self) -> int:
        return len(self.entries)

    def answered(self) -> Iterator[AnsweredEntry]:
        """Those with a prediction, UNCERTAIN ones too."""
        return ((entry, answer) for entry, answer in self if answer is not None)

    def committed(self) -> Iterator[AnsweredEntry]:
        """Those that the tool called VALID or HALLUCINATED."""
        return ((entry, answer) for entry, answer in self.answered() if answer.label != "UNCERTAIN")

    def where(self, chosen: Callable[[LabelledEntry, Prediction | None], bool]) -> Pairs:
        """The part of them that is chosen; the list of predictions stays whole."""
        kept = [(entry, answer) for entry, answer in self if chosen(entry, answer)]
        return replace(self, entries=tuple(entry for entry, _ in kept), answers=tuple(answer for _, answer in kept))


def pair(
    entries: Iterable[LabelledEntry], predictions: Sequence[Prediction], duplicates: DuplicatePolicy = "last"
) -> Pairs:
    """Pair each entry with its prediction. Of several predictions with one key the first or the last counts.

    Canaries, which mark a data set against its use as training data, are left out.

    Raises ValueError for an entry without label, and NoOverlapError if there are predictions but none for these entries.
    """
    scored = tuple(entry for entry in entries if not is_canary(entry.key))
    for entry in scored:
        if entry.label is None:
            raise ValueError(f"entry {entry.key!r} (line {entry.line}) has no label: a blind split cannot be scored")
    given: dict[str, Prediction] = {}
    for prediction in predictions:
        if duplicates == "last" or prediction.key not in given:
            given[prediction.key] = prediction
    answers = tuple(given.get(entry.key) for entry in scored)
    if predictions and scored and not any(answers):
        raise NoOverlapError(
            f"none of the {len(given)} predicted keys is in the split of {len(scored)} entries: is it another split?"
        )
    return Pairs(scored, answers, tuple(given.values()), len(predictions) - len(given))


def aggressive(pairs: Pairs) -> Pairs:
    """UNCERTAIN and missing become HALLUCINATED at .55; predictions about keys outside the split are left out."""
    said = [answer or Prediction(key=entry.key, label="UNCERTAIN") for entry, answer in pairs]
    forced = tuple(
        replace(answer, label="HALLUCINATED", confidence=_AGGRESSIVE_CONFIDENCE)
        if answer.label == "UNCERTAIN"
        else answer
        for answer in said
    )
    return Pairs(pairs.entries, forced, forced, pairs.repeated)


def uncertain_as(pairs: Pairs, label: Literal["VALID", "HALLUCINATED"]) -> Pairs:
    """Each UNCERTAIN read as ``label``; missing predictions stay missing, which counts as VALID."""
    answers = tuple(
        replace(answer, label=label) if answer is not None and answer.label == "UNCERTAIN" else answer
        for answer in pairs.answers
    )
    return replace(pairs, answers=answers)
