"""Values of reports: numbers from a file, shares, and rates with their counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_citecheck.reports.wording import Words

NONE = "–"


def number(value: object) -> float | None:
    """The value as a finite number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        given = float(value)
    except OverflowError:  # JSON has no largest whole number
        return None
    return given if abs(given) < float("inf") else None


def whole(value: object) -> int | None:
    """The value as a count; None for anything else."""
    given = number(value)
    return int(given) if given is not None and given >= 0 else None


def written(value: object, form: str) -> str:
    """The number in this format; a dash for anything else."""
    given = number(value)
    return NONE if given is None else form.format(given)


def share(value: object) -> str:
    """A share from 0 to 1 in per cent with one digit; a dash for None."""
    given = number(value)
    return NONE if given is None else f"{100 * given:.1f} %"


def best(values: Iterable[float | None], *, lower: bool = False) -> float | None:
    """The best of several values; None if they do not differ."""
    given = {value for value in values if value is not None}
    if len(given) < 2:
        return None
    return min(given) if lower else max(given)


def pair_of(value: object) -> tuple[float, float] | None:
    """The value as two numbers; None for anything else."""
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        return None
    first, second = map(number, value)
    return None if first is None or second is None else (first, second)


Count = int | None


@dataclass(frozen=True, slots=True)
class Rate:
    """A share from 0 to 1 and its counts.

    value: ``part`` / ``decided``; None if unknown, or if nothing was decided, even if the file states a value. count: all
    references, including undecided ones. A count that the file does not state is None. interval: the confidence interval, as
    in the file. bounds: the value if all unchecked references are wrong, and if all are right; None if there are none.
    unasked: number of DOIs for which doi.org was not asked; the value is then unknown.
    """

    value: float | None = None
    part: Count = None
    decided: Count = None
    count: Count = None
    interval: object = None
    bounds: tuple[float, float] | None = None
    unasked: int = 0

    @classmethod
    def of(
        cls,
        value: object,
        part: Count,
        decided: Count,
        count: Count,
        interval: object = None,
        bounds: tuple[float, float] | None = None,
    ) -> Rate:
        """The rate that a file states, with these counts."""
        return cls(None if decided == 0 or count == 0 else number(value), part, decided, count, interval, bounds)


def counted(rate: Rate, words: Words) -> str:
    """``15 of 15 decided, 47 in all`` in the language of the words; empty without counts."""
    if rate.unasked:
        return words["registry_unasked"]
    if rate.decided is None:
        return "" if rate.count is None else words["in_all"].format(count=rate.count)
    if rate.decided == 0:
        return words["none_decided"].format(count=rate.count) if rate.count else ""
    if rate.part is None:
        return words["in_all"].format(count=rate.decided)
    key = "part_of_all" if rate.count in (None, rate.decided) else "part_of_decided"
    return words[key].format(part=rate.part, decided=rate.decided, count=rate.count)
