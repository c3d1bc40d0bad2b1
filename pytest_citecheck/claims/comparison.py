"""Two runs over the same claims compared: what became right, what wrong, and whether that may be chance."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from pytest_citecheck.benchmark.metrics.confusion import share_of
from pytest_citecheck.claims.results import ResultRow
from pytest_citecheck.claims.scoring.agreement import mcnemar
from pytest_citecheck.claims.scoring.published import normalised
from pytest_citecheck.claims.verdicts import is_supporting

__all__ = ["DIRECTIONS", "Cell", "Comparison", "Direction", "compare"]

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
        """What became of it."""
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

    def deltas(self) -> dict[str, float | None]:
        """Treatment minus control of the exact, the lenient and the binary accuracy; None without cells."""
        rules = {"exact": _exact, "lenient": _lenient, "binary": _binary}
        return {
            name: share_of(
                sum(rule(cell.treatment, cell.truth) - rule(cell.control, cell.truth) for cell in self.cells),
                len(self.cells),
            )
            for name, rule in rules.items()
        }

    @property
    def is_noise(self) -> bool:
        """Whether all differences are below the floor."""
        return all(abs(delta or 0.0) < self.floor for delta in self.deltas().values())

    @property
    def is_worse(self) -> bool:
        """Whether the treatment is less often exact, by the floor at least."""
        return (self.deltas()["exact"] or 0.0) <= -self.floor

    def summary(self) -> dict[str, Any]:
        """The figures, as reports state them."""
        counts: dict[str, Any] = {str(direction): count for direction, count in self.counts().items()}
        return {"cells": len(self.cells), **counts, "deltas": self.deltas(), "p": self.p, "noise": self.is_noise}


def _exact(said: str, truth: str) -> bool:
    return said == truth


def _lenient(said: str, truth: str) -> bool:
    return said == truth or {said, truth} == {"Supported", "Partially supported"}


def _binary(said: str, truth: str) -> bool:
    return is_supporting(said) == is_supporting(truth)


def compare(
    control: Iterable[ResultRow],
    treatment: Iterable[ResultRow],
    *,
    runnable: Collection[str] | None = None,
    providers: tuple[str, str] | None = None,
    floor: float = _FLOOR,
) -> Comparison:
    """The claims that both runs answered without an error, provider by provider.

    The truth is that of the rows: join it with the data set first. runnable: entries that count; None for all. providers: compare
    these two, whatever they are called; None: each with its namesake.
    """
    if providers is None:
        before, after = _answered(control), _answered(treatment)
    else:
        before = {(entry, ""): row for (entry, name), row in _answered(control).items() if name == providers[0]}
        after = {(entry, ""): row for (entry, name), row in _answered(treatment).items() if name == providers[1]}
    cells: Sequence[Cell] = [
        Cell(entry, name, normalised(row.truth), normalised(row.verdict), normalised(after[entry, name].verdict))
        for (entry, name), row in before.items()
        if (entry, name) in after and (runnable is None or entry in runnable)
    ]
    return Comparison(tuple(cells), floor)


def _answered(rows: Iterable[ResultRow]) -> dict[tuple[str, str], ResultRow]:
    # Keys are pairs: names such as ``hf:org/model`` contain every separator.
    return {(row.entry, row.provider): row for row in rows if row.answered}
