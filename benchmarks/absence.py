"""How true the stated risk of absences is: bibliographies whose works a known share of sources lack (docs/absence.md).

    python -m benchmarks.absence [--bibliographies 300]

Each bibliography is drawn from twelve strata (papers and articles, in computer science and elsewhere, of three periods). Of each
stratum a share of the real works is hidden from all sources, which the table of coverage does not know; each source lacks a share
of its own besides, and may silently answer "nothing" to a share of its queries. A share of the references is invented. The room
`pytest_citecheck.absence` then judges what no search has found, with the controls of that bibliography alone. Prints, for three
limits, the largest share of real references of a stratum (of those with 200 or more) that are called unfindable, and the share of
the invented ones that are.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from pytest_citecheck.absence import Controls, Stratum, Trials, escape
from pytest_citecheck.absence.strata import Period

LIMITS = (0.002, 0.01, 0.05)
STRATA = tuple(
    Stratum(kind, discipline, period)
    for kind in ("paper", "article")
    for discipline in ("computer_science", "other")
    for period in get_args(Period)
)
HIDDEN = (0.0, 0.01, 0.03, 0.1, 0.3)
_FEWEST = 200
_LACKING = {"semantic_scholar": 0.1, "dblp": 0.04, "crossref": 0.03}
_PAPERS_WITHOUT_DOI = 0.25
_OTHER_SEARCHES = 2


@dataclass(frozen=True, slots=True)
class Setting:
    """What a row of the table supposes.

    hidden: the share of works that no source has, by stratum. size: references of a bibliography. identified: share that cites an
    identifier. invented: share of the references. silent: share of the queries that a source answers with nothing.
    """

    name: str
    hidden: Mapping[Stratum, float]
    size: int = 40
    identified: float = 0.5
    invented: float = 0.02
    silent: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Drawn:
    place: Stratum
    invented: bool
    identified: bool
    found: Mapping[str, bool]


def _lacking(source: str, place: Stratum) -> float:
    return _PAPERS_WITHOUT_DOI if source == "crossref" and place.kind == "paper" else _LACKING[source]


def _bibliography(setting: Setting, chance: random.Random) -> list[_Drawn]:
    weights = [chance.random() ** 2 for _ in STRATA]
    drawn = []
    for place in chance.choices(STRATA, weights, k=setting.size):
        invented = chance.random() < setting.invented
        held = not invented and chance.random() >= setting.hidden[place]
        found = {
            source: held
            and chance.random() >= _lacking(source, place)
            and chance.random() >= setting.silent.get(source, 0)
            for source in _LACKING
            if source != "dblp" or place.discipline == "computer_science"
        }
        drawn.append(_Drawn(place, invented, not invented and chance.random() < setting.identified, found))
    return drawn


def _controls(drawn: list[_Drawn]) -> Controls:
    by_source: dict[str, dict[Stratum, Trials]] = defaultdict(dict)
    counts: dict[bool, dict[Stratum, Counter[frozenset[str]]]] = {True: {}, False: {}}
    for one in drawn:
        finding = frozenset(source for source, found in one.found.items() if found)
        for source, found in one.found.items():
            if one.identified or len(finding - {source}) >= _OTHER_SEARCHES:
                trials = by_source[source]
                trials[one.place] = trials.get(one.place, Trials()) + Trials(found, not found)
        counts[one.identified].setdefault(one.place, Counter())[finding] += 1
    return Controls(by_source, counts[True], counts[False])


def measured(setting: Setting, bibliographies: int) -> tuple[dict[float, float], dict[float, float]]:
    """By limit: the largest share of real references of a stratum called unfindable, and the share of invented ones."""
    chance = random.Random(1)
    real: Counter[Stratum] = Counter()
    called: Counter[tuple[Stratum, float]] = Counter()
    caught: Counter[float] = Counter()
    invented = 0
    for _ in range(bibliographies):
        drawn = _bibliography(setting, chance)
        controls = _controls(drawn)
        for one in drawn:
            invented += one.invented
            real[one.place] += not one.invented
            judged = (
                None
                if one.identified or any(one.found.values())
                else escape(one.place, one.found, controls, setting.invented)
            )
            for limit in LIMITS if judged is not None else ():
                if judged is not None and judged.bound <= limit:
                    caught[limit] += one.invented
                    called[one.place, limit] += not one.invented
    risk = {
        limit: max((called[place, limit] / count for place, count in real.items() if count >= _FEWEST), default=0.0)
        for limit in LIMITS
    }
    return risk, {limit: caught[limit] / max(1, invented) for limit in LIMITS}


def settings() -> list[Setting]:
    """The rows of the table."""
    chance = random.Random(3)
    whole = dict.fromkeys(STRATA, 0.0)
    mixed = {place: chance.choice(HIDDEN) for place in STRATA}
    rows = [Setting(f"{share:.0%} hidden", dict.fromkeys(STRATA, share)) for share in HIDDEN]
    rows += [
        Setting(f"another share by stratum, {share:.0%} with an identifier", mixed, identified=share)
        for share in (0.0, 0.1, 0.5)
    ]
    rows += [Setting("another share by stratum, 30 % invented", mixed, identified=0.5, invented=0.3)]
    rows += [Setting(f"another share by stratum, {size} references", mixed, size=size) for size in (5, 12, 1000)]
    rows += [Setting("1,000 references", whole, size=1000)]
    rows += [
        Setting(f"Crossref silent for {share:.0%} of the queries", whole, silent={"crossref": share})
        for share in (0.1, 0.5, 1.0)
    ]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--bibliographies", type=int, default=300, help="of 40 references for each row")
    wanted = parser.parse_args().bibliographies
    print(
        "| sources and bibliographies | real ones called unfindable, worst stratum (limit .2, 1, 5 %) | invented ones |"
    )
    print("|---|---|---|")
    for setting in settings():
        risk, caught = measured(setting, max(1, wanted * 40 // setting.size))
        shares = (", ".join(f"{values[limit]:.2%}" for limit in LIMITS) for values in (risk, caught))
        print(f"| {setting.name} | {' | '.join(shares)} |")


if __name__ == "__main__":
    main()
