"""Absence as evidence: the probability that the sources queried would have missed a real work.

The weight of an empty search depends on how well the responding sources cover works of this kind. `coverage` lists
results of studies and counts, `controls` the results of the run itself, and `miss` combines both into the probability
that a missing reference is real or invented. docs/verdicts.md explains the model.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from pytest_citecheck.evidence.control_counts import (
    Controls,
    Expectation,
    FileCounts,
    Stratum,
    Trials,
    expected_misses,
    held_by_nobody,
    trials_of,
)
from pytest_citecheck.evidence.provenance import share_upstreams
from pytest_citecheck.thresholds import (
    DEPENDENCE,
    DOUBT_OF_A_SEARCH,
    DOUBT_OF_A_STRATUM,
    EXPECTED_SIZE,
    EXPLAINED_GAPS,
    INVENTED_NOT_FOUND,
    MISS_LIMIT,
    PRIOR_OF_PAPERS,
    SHARE_WHERE_INVENTED,
    TRIALS_ELSEWHERE,
    WORTH_OF_A_PRIOR,
)

_BROKEN = (1.0, 1.0)
"""Prior of the share missed by a broken search: anything."""
_HELD_POORLY = (1.0, 9.0)
"""Prior of the share missed in a poorly covered stratum: a tenth on average."""
_SPREAD = 0.5
"""First parameter of the distribution of s where it is not 0: most such papers have one or two inventions, some have many."""
_LEVEL = 0.95
_MISSES = tuple(10 ** (-6 + 6 * (step + 0.5) / 90) for step in range(90))
"""The grid of e: 90 points from 1e-6 to 1, evenly spaced in the logarithm."""
_SHARES = tuple((step + 0.5) / 30 for step in range(30))
"""The grid of s above 0."""


@dataclass(frozen=True, slots=True)
class AbsenceContext:
    """Counts and settings for judging absences.

    controls: the counts of the run. limit: the largest miss probability of an unfindable reference. prior: the share of invented
    references to expect, 0 to 1, before anything was searched for.
    """

    controls: Controls = field(default_factory=Controls)
    limit: float = MISS_LIMIT
    prior: float = PRIOR_OF_PAPERS

    def share_of_file(self, path: str) -> float:
        """Return the share of invented references to expect in a file, given those that positive evidence proves invented.

        Never less than the prior, which is worth `WORTH_OF_A_PRIOR` references: most invented ones cannot be proven invented.
        """
        counts = self.controls.files.get(path, FileCounts())
        share = (self.prior * WORTH_OF_A_PRIOR + counts.convicted) / (WORTH_OF_A_PRIOR + counts.references)
        return max(self.prior, share)


@dataclass(frozen=True, slots=True)
class MissProbability:
    """The probability that all searches missed a real work of this kind, with its 95% interval.

    invented: the probability that the missing reference is invented, 0 to 1. kind: the stratum in words. sources: the searches.
    looked_for, found: the references of the run that were searched for in the same way, and the ones that were found.
    """

    mean: float
    low: float
    high: float
    invented: float
    kind: str
    sources: tuple[str, ...]
    found: int
    looked_for: int


def probability_invented(miss: float, prior: float) -> float:
    """Return the probability that a missing reference is invented, by Bayes' rule: π·d / (π·d + (1 - π)·e).

    miss: the probability e that a real one is missing. prior: the share π of invented references.
    """
    invented = prior * INVENTED_NOT_FOUND
    real = (1 - prior) * miss
    return invented / (invented + real) if invented + real else 0.0


def miss_probability(
    place: Stratum, answered: Iterable[str], controls: Controls, prior: float, path: str = ""
) -> MissProbability | None:
    """Return the miss probability of a reference of this stratum that no search found.

    answered: the sources that answered its title search. prior: the share of invented references to expect. path: its file; the
    reference itself is among the counts of that file. None if no search is made for such works.
    """
    sources = tuple(dict.fromkeys(answered))
    expected = _expected(place, sources, controls)
    if expected is None:
        return None
    misses, searched = expected
    controlled = trials_of(sources, controls.identified)
    known = _borrowed(controlled, place)
    own = controls.files.get(path, FileCounts())
    # The reference itself is one of the missing ones of its file; the stated risk is for one more like the others.
    bibliographies = [_bibliography([own], sources, place, without=1)]
    if rest := [counts for name, counts in controls.files.items() if name != path]:
        bibliographies.append(_bibliography(rest, sources, place))
    mean, low, high, invented = _fit(round(misses, 6), known, tuple(bibliographies), prior)
    seen = [*controlled.values(), *trials_of(sources, own.others).values()]
    found, looked_for = (sum(getattr(trials, name) for trials in seen) for name in ("found", "looked_for"))
    return MissProbability(
        mean, low, high, invented, str(place), searched, int(found), max(int(found), int(looked_for) - 1)
    )


def _expected(place: Stratum, sources: Sequence[str], controls: Controls) -> tuple[float, tuple[str, ...]] | None:
    """Expected share that all searches together miss, and the searches for such works, the best one first.

    Searches whose sources copy from each other, or both from a third, miss some of the same works: the share
    `DEPENDENCE` of the works missed by the better one is missing for a common reason.
    """
    rows = {search: row for search in sources if (row := expected_misses(search, place)) is not None}
    if not rows:
        return None
    missed = {search: _search(search, row, controls.of_source(search), place) for search, row in rows.items()}
    best = sorted(missed, key=lambda search: (missed[search], search))
    chosen: dict[str, float] = {}
    for search in best:
        if any(rows[search].source == rows[other].source for other in chosen):
            continue  # the same collection, queried in another way
        dependent = any(share_upstreams(rows[search].source, rows[other].source) for other in chosen)
        share = missed[search]
        chosen[search] = DEPENDENCE + (1 - DEPENDENCE) * share if dependent else share
    nobody = held_by_nobody(place).missed * (1 - EXPLAINED_GAPS)
    return nobody + (1 - nobody) * math.prod(chosen.values()), tuple(chosen)


def _search(search: str, row: Expectation, trials: Mapping[Stratum, Trials], place: Stratum) -> float:
    """The share that one search is expected to miss after its trials in the strata it is made for."""
    counted = _borrowed(
        {other: counted for other, counted in trials.items() if expected_misses(search, other) is not None}, place
    )
    share = row.missed * (1 - EXPLAINED_GAPS)
    usual = (share * row.size, (1 - share) * row.size)
    weights = [
        weight * math.exp(_log_beta(a + counted.missed, b + counted.found) - _log_beta(a, b))
        for weight, (a, b) in ((1 - DOUBT_OF_A_SEARCH, usual), (DOUBT_OF_A_SEARCH, _BROKEN))
    ]
    means = [(a + counted.missed) / (a + b + counted.looked_for) for a, b in (usual, _BROKEN)]
    total = math.fsum(weights)
    return math.fsum(weight * mean for weight, mean in zip(weights, means, strict=True)) / total if total else means[1]


def _borrowed(trials: Mapping[Stratum, Trials], place: Stratum) -> Trials:
    """Add the trials of other strata to a stratum, scaled down to at most `TRIALS_ELSEWHERE`."""
    elsewhere = sum((counted for other, counted in trials.items() if other != place), Trials())
    scale = min(1.0, TRIALS_ELSEWHERE / elsewhere.looked_for) if elsewhere.looked_for else 0.0
    return trials.get(place, Trials()) + elsewhere.scaled(scale)


class _Bibliography(NamedTuple):
    """Counts of one bibliography, or of several as if they were one.

    found: number of found references without an identifier, as far as they count for this stratum. missed: missing
    references. real: references known to be real. convicted: references proven invented.
    """

    found: float
    missed: float
    real: float
    convicted: int


def _bibliography(
    files: Sequence[FileCounts], sources: Sequence[str], place: Stratum, without: int = 0
) -> _Bibliography:
    """The counts of these files. without: missing references to leave out."""
    others: dict[Stratum, Trials] = {}
    for counts in files:
        for other, trials in trials_of(sources, counts.others).items():
            others[other] = others.get(other, Trials()) + trials
    everywhere = sum(others.values(), Trials())
    return _Bibliography(
        _borrowed(others, place).found,
        max(0.0, everywhere.missed - without),
        everywhere.found + sum(counts.identified for counts in files),
        sum(counts.convicted for counts in files),
    )


@lru_cache(maxsize=1 << 12)
def _fit(
    expected: float, known: Trials, bibliographies: tuple[_Bibliography, ...], prior: float
) -> tuple[float, float, float, float]:
    """Return mean and 95% interval of e, and P(invented) of a further missing reference of the first bibliography."""
    shares = _prior_of_shares(prior)
    own, *others = bibliographies
    logs: list[float] = []
    missing: list[
        tuple[float, float]
    ] = []  # for each e, the probability that an invented, and a real reference is missing
    for miss, density in zip(_MISSES, _prior_of_misses(expected), strict=True):
        log = math.log(density) if density else -math.inf
        log += known.missed * math.log(miss) + known.found * math.log1p(-miss)
        log += math.fsum(_log_sum([_log_likelihood(miss, *one, other) for one in shares]) for other in others)
        terms = [_log_likelihood(miss, *one, own) for one in shares]
        top = _log_sum(terms)
        logs.append(log + top)
        share = math.fsum(math.exp(term - top) * one for term, (one, _) in zip(terms, shares, strict=True))
        missing.append((share * INVENTED_NOT_FOUND, (1 - share) * miss))
    whole = _log_sum(logs)
    weights = [math.exp(log - whole) for log in logs]
    mean = math.fsum(weight * miss for weight, miss in zip(weights, _MISSES, strict=True))
    invented, real = (
        math.fsum(weight * one[kind] for weight, one in zip(weights, missing, strict=True)) for kind in (0, 1)
    )
    low, high = (_quantile(weights, level) for level in ((1 - _LEVEL) / 2, (1 + _LEVEL) / 2))
    share = invented / (invented + real) if invented + real else 0.0
    return round(mean, 5), round(low, 5), round(high, 5), round(min(share, 0.999), 4)


def _log_likelihood(miss: float, share: float, weight: float, counts: _Bibliography) -> float:
    real = 1 - share
    log = math.log(weight)
    log += counts.missed * math.log(share * INVENTED_NOT_FOUND + real * miss)
    log += counts.real * math.log(real) + counts.found * math.log1p(-miss)
    if counts.convicted:
        log += counts.convicted * math.log(share) if share else -math.inf
    return log


@lru_cache(maxsize=64)
def _prior_of_shares(prior: float) -> tuple[tuple[float, float], ...]:
    """Values of s with their weights.

    In a bibliography with inventions, `SHARE_WHERE_INVENTED` of the references are invented on average; the weight of
    such bibliographies follows from the prior, which is the mean of s.
    """
    where = max(SHARE_WHERE_INVENTED, prior)
    some = min(1.0, prior / where)
    a = _SPREAD
    b = max(0.5, a / where - a)
    densities = [math.exp((a - 1) * math.log(share) + (b - 1) * math.log1p(-share)) for share in _SHARES]
    total = math.fsum(densities)
    weighted = [(share, some * density / total) for share, density in zip(_SHARES, densities, strict=True)]
    return tuple((share, weight) for share, weight in [(0.0, 1 - some), *weighted] if weight > 0)


@lru_cache(maxsize=1 << 10)
def _prior_of_misses(expected: float) -> tuple[float, ...]:
    """The weight of each point of the grid of e."""
    a = max(1.0, expected * EXPECTED_SIZE)
    usual = _beta_weights(a, a / expected - a)
    poor = _beta_weights(*_HELD_POORLY)
    return tuple(
        (1 - DOUBT_OF_A_STRATUM) * one + DOUBT_OF_A_STRATUM * two for one, two in zip(usual, poor, strict=True)
    )


def _beta_weights(a: float, b: float) -> list[float]:
    """The weights of a Beta distribution on the grid of e, whose points are evenly spaced in the logarithm."""
    weights = [math.exp(a * math.log(miss) + (b - 1) * math.log1p(-miss)) for miss in _MISSES]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def _quantile(weights: Sequence[float], level: float) -> float:
    reached = 0.0
    for miss, weight in zip(_MISSES, weights, strict=True):
        reached += weight
        if reached >= level:
            return miss
    return _MISSES[-1]


def _log_sum(logs: Sequence[float]) -> float:
    top = max(logs)
    return top + math.log(math.fsum(math.exp(log - top) for log in logs)) if top > -math.inf else top


def _log_beta(first: float, second: float) -> float:
    return math.lgamma(first) + math.lgamma(second) - math.lgamma(first + second)
