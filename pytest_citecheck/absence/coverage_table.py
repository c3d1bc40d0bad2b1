"""The table of coverage: how much of each stratum a search is expected to find before anything was counted in the run.

``data/coverage.toml`` holds it; every row names the study or the count that it rests on.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from pytest_citecheck.absence.strata import Stratum

__all__ = ["Prior", "floor_of", "search_of"]


@dataclass(frozen=True, slots=True)
class Prior:
    """What is expected of real works: the share found, and how many trials this expectation is worth. source: whose works they
    are, empty for those of all; why: the study or the count."""

    share: float
    size: float
    source: str
    why: str

    @property
    def found(self) -> float:
        return self.share * self.size

    @property
    def missed(self) -> float:
        return (1 - self.share) * self.size


def search_of(source: str, place: Stratum) -> Prior | None:
    """What is expected of the search of a source in a stratum; None if it is not made for such works."""
    return _first("search", place, source)


def floor_of(place: Stratum) -> Prior:
    """Which share of the works of a stratum some service holds."""
    found = _first("any", place, "")
    assert found is not None  # noqa: S101 - the last row fits every stratum
    return found


@cache
def _first(table: str, place: Stratum, source: str) -> Prior | None:
    for row in _rows()[table]:
        named = row.get("source", "")
        if source in row.get("searches", [named]) and _fits(row, place):
            return Prior(row["share"], row["size"], named, row["why"])
    return None


def _fits(row: dict[str, Any], place: Stratum) -> bool:
    return all(
        value in row.get(name, (value,))
        for name, value in (("kinds", place.kind), ("disciplines", place.discipline), ("periods", place.period))
    )


@cache
def _rows() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(files("pytest_citecheck.absence").joinpath("data/coverage.toml").read_text(encoding="utf-8"))
