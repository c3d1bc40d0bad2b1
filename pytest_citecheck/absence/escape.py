"""The escape probability: how probable it is that the sources which answered would all have missed a real work.

With the share f of real works that no service holds, and the probability q of each independent search to show one that is held,
it is e = f + (1 - f) · Π (1 - q). Each q has a Beta distribution from the table of coverage, updated by the trials of that search
in the run (Beta-binomial). What follows for e is in turn the expectation from which the trials of all searches together start:
how many real references none of them has found.

Beside each expectation stands, with little weight, a broad one: for a search that is broken, and for a stratum that is held
poorly. A few trials that fail are then enough to take a search its vote. Trials of other strata count too, but no more than a few
trials of the stratum itself.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from pytest_citecheck.absence.controls import Controls, Trials
from pytest_citecheck.absence.coverage_table import Prior, floor_of, search_of
from pytest_citecheck.absence.invented import probability_invented
from pytest_citecheck.absence.strata import Stratum
from pytest_citecheck.linking.provenance import share_upstreams
from pytest_citecheck.thresholds import (
    DOUBT_OF_A_SEARCH,
    DOUBT_OF_A_STRATUM,
    ENOUGH_CONTROLS,
    EXPECTED_SIZE,
    FEWEST_IDENTIFIED,
    TRIALS_ELSEWHERE,
)

__all__ = ["Escape", "escape"]

_DRAWS = 2_000
_LEVEL = 0.95
_BROKEN = (1.0, 1.0)
"""The distribution of what a doubtful search misses: anything."""
_HELD_POORLY = (1.0, 3.0)
"""The distribution of what no service holds of a doubtful stratum: a quarter of it, or any other share."""


@dataclass(frozen=True, slots=True)
class Escape:
    """The probability that all sources which answered would have missed a real work of this kind, with an interval of 95 %.

    kind: of works, in words. sources: the independent ones that count. looked_for, found: the references of the run that were
    searched for in the same way, and of these. enough: whether the mean may be relied on.
    """

    mean: float
    low: float
    high: float
    kind: str
    sources: tuple[str, ...]
    found: int
    looked_for: int
    enough: bool

    @property
    def bound(self) -> float:
        """What has to be below a limit before an absence counts: the mean, or the upper end where too little was counted."""
        return self.mean if self.enough else self.high


@dataclass(frozen=True, slots=True)
class _Component:
    """A Beta distribution of the share missed, with its weight."""

    weight: float
    missed: float
    found: float

    @property
    def mean(self) -> float:
        return self.missed / (self.missed + self.found)


_Share = tuple[_Component, _Component]


def escape(place: Stratum, answered: Iterable[str], controls: Controls, prior: float) -> Escape | None:
    """The escape probability of a work of this stratum which none of the sources that answered has shown.

    prior: the share of invented references in the file. The reference that is judged may be one of those counted in the controls.
    None if no source is made for such works.
    """
    sources = tuple(dict.fromkeys(answered))
    searched = {search: row for search in sources if (row := search_of(search, place)) is not None}
    shares = {
        search: _share(prior, controls.of_source(search), place, DOUBT_OF_A_SEARCH, _BROKEN)
        for search, prior in searched.items()
    }
    best = sorted(shares, key=lambda search: (_mean(shares[search]), search))
    independent = _independent({search: searched[search].source for search in best})
    if not independent:
        return None
    held_by_nobody = 1 - floor_of(place).share
    missed = held_by_nobody + (1 - held_by_nobody) * math.prod(_mean(shares[source]) for source in independent)
    expected = Prior(1 - missed, EXPECTED_SIZE, "", "")
    all_of_them = sum(controls.everything(sources, 1.0).values(), Trials())
    real = _share_real(missed, prior, all_of_them)
    everything = controls.everything(sources, real)
    everything[place] = everything.get(place, Trials()).without_missed(real)
    identified = controls.identified(sources)
    known = _reliable(controls.known(sources), place)
    shown_by_searches = all_of_them.without_missed(1)
    counts = [(everything, real * _reliable(everything, place) + (1 - real) * known, shown_by_searches)]
    if sum(trials.looked_for for trials in identified.values()) >= FEWEST_IDENTIFIED:
        counts.append((identified, _reliable(identified, place), sum(identified.values(), Trials())))
    escapes = []
    for trials, reliable, shown in counts:
        mean, low, high = _interval(_share(expected, trials, place, DOUBT_OF_A_STRATUM, _HELD_POORLY))
        enough = reliable >= ENOUGH_CONTROLS
        escapes.append(Escape(mean, low, high, str(place), independent, shown.found, round(shown.looked_for), enough))
    return min(escapes, key=lambda found: found.bound)


def _share_real(missed: float, prior: float, searched_for: Trials) -> float:
    """How much of what no search has found is real: what follows from the expected escape probability, and all that is more
    than the share of invented references explains."""
    expected = 1 - probability_invented(missed, prior)
    if not searched_for.missed:
        return expected
    return max(expected, 1 - prior * searched_for.looked_for / searched_for.missed)


def _share(
    prior: Prior, trials: Mapping[Stratum, Trials], place: Stratum, doubt: float, broad: tuple[float, float]
) -> _Share:
    """The distribution of the share missed, after the trials."""
    own, others = trials.get(place, Trials()), _elsewhere(trials, place)
    scale = min(1.0, TRIALS_ELSEWHERE / others.looked_for) if others.looked_for else 0.0
    missed, found = own.missed + scale * others.missed, own.found + scale * others.found
    usual = _log_beta(prior.missed + missed, prior.found + found) - _log_beta(prior.missed, prior.found)
    doubtful = _log_beta(broad[0] + missed, broad[1] + found) - _log_beta(*broad)
    weight = 1 / (1 + doubt / (1 - doubt) * math.exp(min(700.0, doubtful - usual)))
    return (
        _Component(weight, prior.missed + missed, prior.found + found),
        _Component(1 - weight, broad[0] + missed, broad[1] + found),
    )


def _reliable(trials: Mapping[Stratum, Trials], place: Stratum) -> float:
    """How many trials of this stratum may be relied on: its own, and some of others."""
    own, others = trials.get(place, Trials()), _elsewhere(trials, place)
    return own.looked_for + min(others.looked_for, TRIALS_ELSEWHERE)


def _elsewhere(trials: Mapping[Stratum, Trials], place: Stratum) -> Trials:
    return sum((counted for other, counted in trials.items() if other != place), Trials())


def _independent(sources: Mapping[str, str]) -> tuple[str, ...]:
    """Of searches with their sources, the best first, those whose sources do not take from one another or from the same third
    one: a group finds at most what its best member finds."""
    chosen: list[str] = []
    for search, source in sources.items():
        if not any(share_upstreams(source, sources[other]) for other in chosen):
            chosen.append(search)
    return tuple(chosen)


def _mean(share: _Share) -> float:
    return math.fsum(component.weight * component.mean for component in share)


@lru_cache(maxsize=1 << 12)
def _interval(share: _Share) -> tuple[float, float, float]:
    """The mean, and the interval by simulation with a fixed seed; all rounded to four decimals."""
    chance = random.Random(0)  # noqa: S311 - a simulation
    drawn = sorted(_draw(share, chance) for _ in range(_DRAWS))
    tail = (1 - _LEVEL) / 2
    low, high = drawn[int(tail * _DRAWS)], drawn[math.ceil((1 - tail) * _DRAWS) - 1]
    return round(_mean(share), 4), round(low, 4), round(high, 4)


def _draw(share: _Share, chance: random.Random) -> float:
    component = share[0] if chance.random() < share[0].weight else share[1]
    return chance.betavariate(component.missed, component.found)


def _log_beta(first: float, second: float) -> float:
    return math.lgamma(first) + math.lgamma(second) - math.lgamma(first + second)
