"""What is kept if only rows with high scores are: the share of wrong ones among them, and thresholds for a wanted share.

Source: Agrawal et al., EACL 2024 (false discovery rate against the fraction preserved). Rows of one score are not told apart: at
the border each of them is kept with the same probability, and the share is the expected one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from pytest_citecheck.benchmark.metrics import wilson
from pytest_citecheck.benchmark.resampling import percentile_interval


@dataclass(frozen=True, slots=True)
class Agreement:
    """observed: the share of agreeing pairs of ratings. kappa: None without rows, or if chance alone gives full agreement."""

    observed: float | None
    kappa: float | None


def _beyond(observed: float, expected: float) -> Agreement:
    if math.isclose(expected, 1.0, abs_tol=1e-12):
        return Agreement(observed, None)
    return Agreement(observed, (observed - expected) / (1 - expected))


def cohen(one: Sequence[Hashable], other: Sequence[Hashable]) -> Agreement:
    """The agreement of two raters. Raises ValueError if they rated different numbers of rows."""
    if not one:
        return Agreement(None, None)
    first, second, rows = Counter(one), Counter(other), len(one)
    observed = sum(a == b for a, b in zip(one, other, strict=True)) / rows
    return _beyond(observed, sum(first[label] * second[label] for label in first) / rows**2)


def fleiss(ratings: Sequence[Sequence[Hashable]]) -> Agreement:
    """The agreement of several raters. ratings: for each row those of all raters. Raises ValueError if their numbers differ."""
    if not ratings:
        return Agreement(None, None)
    raters = len(ratings[0])
    if raters < 2 or any(len(row) != raters for row in ratings):
        raise ValueError("every row needs the same number of ratings, at least two")
    totals: Counter[Hashable] = Counter()
    agreeing = 0
    for row in ratings:
        counts = Counter(row)
        totals += counts
        agreeing += sum(count * (count - 1) for count in counts.values())
    observed = agreeing / (len(ratings) * raters * (raters - 1))
    expected = math.fsum((count / (len(ratings) * raters)) ** 2 for count in totals.values())
    return _beyond(observed, expected)


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """scores: higher means more likely positive. positive: the class of each row. groups: which rows belong together."""

    scores: Floats
    positive: NDArray[np.bool_]
    groups: NDArray[np.int64] | None = None

    @classmethod
    def of(
        cls, scores: Sequence[float] | Floats, positive: Sequence[bool], groups: Sequence[object] | None = None
    ) -> Labelled:
        """From lists. Raises ValueError for lists of different lengths and for scores that are no numbers."""
        if len(scores) != len(positive) or (groups is not None and len(groups) != len(scores)):
            raise ValueError(f"{len(scores)} scores with {len(positive)} labels")
        if not all(math.isfinite(score) for score in scores):
            raise ValueError("a score is not a number")
        numbers: dict[object, int] = {}
        places = None if groups is None else [numbers.setdefault(group, len(numbers)) for group in groups]
        return cls(
            np.asarray(scores, dtype=np.float64),
            np.asarray(positive, dtype=np.bool_),
            None if places is None else np.asarray(places, dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def positives(self) -> Floats:
        return self.scores[self.positive]

    @property
    def negatives(self) -> Floats:
        return self.scores[~self.positive]

    def levels(self) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
        """Each distinct score, the highest first, with the number of rows and of negative ones that have at least it."""
        values, places = np.unique(-self.scores, return_inverse=True)
        negative = np.bincount(places[~self.positive], minlength=len(values))
        return -values, np.bincount(places, minlength=len(values)).cumsum(), negative.cumsum()


ONE_CLASS = "the rows are of one class only"
TIED = "all scores are equal"
SEPARATED = "the classes are separated, so the error cannot be estimated"
_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Area:
    """value: None with rows of one class only. se: standard error; None with the reason in ``note``."""

    value: float | None
    se: float | None
    note: str = ""

    @property
    def interval(self) -> tuple[float, float] | None:
        """The normal interval of 95 %, clipped to [0, 1]."""
        if self.value is None or self.se is None:
            return None
        return max(0.0, self.value - _Z * self.se), min(1.0, self.value + _Z * self.se)

    @property
    def logit_interval(self) -> tuple[float, float] | None:
        """The interval of 95 % on the logit scale, which stays inside (0, 1) near its ends."""
        if self.value is None or self.se is None or not 0 < self.value < 1:
            return None
        centre = math.log(self.value / (1 - self.value))
        half = _Z * self.se / (self.value * (1 - self.value))
        return 1 / (1 + math.exp(half - centre)), 1 / (1 + math.exp(-half - centre))


@dataclass(frozen=True, slots=True)
class Difference:
    """value: first minus second area. z, p: of the two-sided test; None with the reason in ``note``."""

    value: float | None
    se: float | None
    z: float | None
    p: float | None
    note: str = ""


def _placements(of: Floats, among: Floats) -> Floats:
    """For each value the share of the others that it exceeds, ties counted half."""
    ordered = np.sort(among)
    below = np.searchsorted(ordered, of, side="left")
    not_above = np.searchsorted(ordered, of, side="right")
    return np.asarray((below + not_above) / (2 * len(among)), dtype=np.float64)


def components(rows: Labelled) -> tuple[Floats, Floats]:
    """V10 of each positive and V01 of each negative row. Both classes must be there."""
    return _placements(rows.positives, rows.negatives), 1 - _placements(rows.negatives, rows.positives)


def value_of(rows: Labelled) -> float | None:
    """The area: P(positive > negative) + P(equal) / 2. None with rows of one class only."""
    if not len(rows.positives) or not len(rows.negatives):
        return None
    return float(components(rows)[0].mean())


def _se(v10: Floats, v01: Floats) -> float | None:
    if len(v10) < 2 or len(v01) < 2:
        return None
    return math.sqrt(float(v10.var(ddof=1)) / len(v10) + float(v01.var(ddof=1)) / len(v01))


def area(rows: Labelled) -> Area:
    """The area under the ROC curve with DeLong's standard error."""
    value = value_of(rows)
    if value is None:
        return Area(None, None, ONE_CLASS)
    if rows.scores.min() == rows.scores.max():
        return Area(0.5, None, TIED)
    se = _se(*components(rows))
    if se is None:
        return Area(value, None, "a class has one row only")
    return Area(value, se) if se > 0 else Area(value, None, SEPARATED)


def paired(one: Labelled, other: Labelled) -> Difference:
    """DeLong's test for two scores of the same rows. Raises ValueError if their labels differ."""
    if not np.array_equal(one.positive, other.positive):
        raise ValueError("the scores are not of the same rows")
    first, second = value_of(one), value_of(other)
    if first is None or second is None:
        return Difference(None, None, None, None, ONE_CLASS)
    (a10, a01), (b10, b01) = components(one), components(other)
    se = _se(a10 - b10, a01 - b01)
    difference = first - second
    if not se:
        return Difference(difference, None, None, None, "the error of the difference cannot be estimated")
    z = difference / se
    return Difference(difference, se, z, 2 * NormalDist().cdf(-abs(z)))


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """mean, sd: of the replicates. percentile, normal: intervals of 95 %; the second is the value ± 1.96 sd.

    A band of such intervals is never narrowed by the number of replicates: more of them make it surer, not smaller.
    """

    mean: float
    sd: float
    percentile: tuple[float, float]
    normal: tuple[float, float]
    replicates: int


def draws(rows: Labelled, replicates: int, seed: int = 42, *, by_group: bool = False) -> Iterator[NDArray[np.int64]]:
    """The positions of the rows of each replicate. by_group: whole groups are drawn. Raises ValueError without groups.

    `RandomState` draws what the published code draws.
    """
    random = np.random.RandomState(seed)
    if not by_group:
        for _ in range(replicates):
            yield random.randint(0, len(rows), len(rows)).astype(np.int64)
        return
    if rows.groups is None:
        raise ValueError("the rows have no groups")
    order = np.argsort(rows.groups, kind="stable").astype(np.int64)
    members = np.split(order, np.flatnonzero(np.diff(rows.groups[order])) + 1)
    for _ in range(replicates):
        yield np.concatenate([members[group] for group in random.randint(0, len(members), len(members))])


def bootstrap(rows: Labelled, replicates: int = 1000, seed: int = 42, *, by_group: bool = False) -> Bootstrap | None:
    """The error of the area; None where it is undefined. by_group: rows of one group are not independent."""
    point = value_of(rows)
    if point is None or replicates < 2:
        return None
    drawn = draws(rows, replicates, seed, by_group=by_group)
    areas = [value_of(Labelled(rows.scores[positions], rows.positive[positions])) for positions in drawn]
    values = np.array(areas, dtype=np.float64)  # NaN for a replicate that has rows of one class only
    interval = percentile_interval(values)
    defined = values[~np.isnan(values)]
    if interval is None or len(defined) < 2:
        return None
    sd = float(defined.std())
    return Bootstrap(float(defined.mean()), sd, interval, (point - _Z * sd, point + _Z * sd), len(defined))


_VIEWED = (-0.05, 0.99, 50)


@dataclass(frozen=True, slots=True)
class Kept:
    """rows: kept with a score above the threshold. fdr: the share of negative ones; None if nothing is kept."""

    rows: int
    fraction: float
    fdr: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Flagged:
    """The other side of a threshold: negative rows are to be flagged. None where it is undefined."""

    precision: float | None
    recall: float | None


@dataclass(frozen=True, slots=True)
class Threshold:
    """Rows with a score above ``value`` are kept."""

    value: float
    kept: Kept


def fdr_at(rows: Labelled, fraction: float) -> float | None:
    """The expected share of negative rows in this fraction with the highest scores; None if nothing is kept."""
    wanted = min(fraction, 1) * len(rows)
    _, kept, wrong = rows.levels()
    return float(np.interp(wanted, [0, *kept], [0, *wrong])) / wanted if wanted > 0 else None


def fdr_band(
    rows: Labelled, fractions: Sequence[float], replicates: int, seed: int = 42, *, by_group: bool = False
) -> list[tuple[float, float] | None]:
    """The interval of 95 % of `fdr_at` at each fraction, from the percentiles of a bootstrap; None where nothing is kept."""
    found = []
    for positions in draws(rows, replicates, seed, by_group=by_group):
        drawn = Labelled(rows.scores[positions], rows.positive[positions])
        found.append([fdr_at(drawn, fraction) for fraction in fractions])
    values = np.array(found, dtype=np.float64).reshape(-1, len(fractions))
    return [percentile_interval(column) for column in values.T]


def reachable(rows: Labelled) -> float | None:
    """The smallest fraction that can be kept without dividing rows of one score; None without rows."""
    return int(rows.levels()[1][0]) / len(rows) if len(rows) else None


def fdr_curve(rows: Labelled) -> list[tuple[float, float]]:
    """(fraction kept, FDR) at each distinct score, from the smallest fraction that can be reached to 1."""
    _, kept, wrong = rows.levels()
    return list(zip((kept / len(rows)).tolist(), (wrong / kept).tolist(), strict=True))


def kept_above(rows: Labelled, threshold: float) -> Kept:
    """Rows with a score above the threshold, with Wilson's interval of the FDR."""
    above = rows.scores > threshold
    count = int(above.sum())
    wrong = int((above & ~rows.positive).sum())
    if not count:
        return Kept(0, 0.0, None, None)
    return Kept(count, count / len(rows), wrong / count, wilson(wrong, count))


def flagged(rows: Labelled, threshold: float, *, inclusive: bool = True) -> Flagged:
    """Precision and recall of flagging rows with a score of at most (or below) the threshold as negative."""
    below = rows.scores <= threshold if inclusive else rows.scores < threshold
    found, count, negatives = int((below & ~rows.positive).sum()), int(below.sum()), len(rows.negatives)
    return Flagged(found / count if count else None, found / negatives if negatives else None)


def threshold_for(rows: Labelled, fdr: float, *, surely: bool = False) -> Threshold | None:
    """The threshold that keeps most rows with at most this FDR; None if none does.

    surely: the upper end of the interval of the FDR must not exceed it either. The threshold is the highest score that is not
    kept, so it holds for these rows; scores of another model need labels of their own.
    """
    best = None
    for threshold in [*rows.levels()[0].tolist()[1:], -1.0]:
        kept = kept_above(rows, threshold)
        reached = kept.interval[1] if surely and kept.interval else kept.fdr
        if reached is not None and reached <= fdr:
            best = Threshold(threshold, kept)
    return best


def threshold_view(rows: Labelled) -> list[tuple[float, float, float | None]]:
    """(threshold, fraction kept, FDR) at the 50 equally spaced thresholds of the published figure; without rows: none."""
    if not len(rows):
        return []
    found = ((float(value), kept_above(rows, float(value))) for value in np.linspace(*_VIEWED))
    return [(value, kept.fraction, kept.fdr) for value, kept in found]


def interpolated_view(rows: Labelled) -> list[tuple[float, float]]:
    """(fraction kept, FDR) at 101 fractions, drawn through `threshold_view` as the published figure is.

    20 fractions from .01 below the smallest that can be reached; none below it.
    """
    least = reachable(rows)
    points = sorted({(fraction, fdr) for _, fraction, fdr in threshold_view(rows) if fdr is not None})
    if least is None or not points:
        return []
    kept, wrong = zip(*points, strict=True)
    coarse = np.linspace(max(0.0, least - 0.01), 1.0, 20)
    drawn = np.interp(coarse, kept, wrong)
    fractions = np.linspace(0.0, 1.0, 101)
    return [
        (float(fraction), float(value))
        for fraction, value in zip(fractions, np.interp(fractions, coarse, drawn), strict=True)
        if fraction >= least
    ]


def youden(rows: Labelled) -> tuple[float, float] | None:
    """The threshold with the largest true positive rate minus false positive rate of keeping, and that difference.

    None with rows of one class only. Source: Youden 1950.
    """
    positives, negatives = len(rows.positives), len(rows.negatives)
    if not positives or not negatives:
        return None
    values, kept, wrong = rows.levels()
    gains = np.array([0.0, *((kept - wrong) / positives - wrong / negatives)])  # at first nothing is kept
    best = int(gains.argmax())
    return [*values.tolist(), -1.0][best], float(gains[best])
