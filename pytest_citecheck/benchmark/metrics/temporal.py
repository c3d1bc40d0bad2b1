"""Whether a tool does worse on works that it cannot have seen in training: younger ones, or those outside a corpus.

Source: HALLMARK, arXiv:2607.18360 (segments around a year, comparison around a cut-off date).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pytest_citecheck.benchmark.metrics.confusion import Confusion, confusion, share_of
from pytest_citecheck.benchmark.metrics.pairs import Pairs
from pytest_citecheck.readers.hallmark.schema import LabelledEntry
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = [
    "CutoffComparison",
    "KnownComparison",
    "Side",
    "compare_around",
    "compare_known",
    "segments",
    "temporal_robustness",
]

_HISTORICAL_FROM = 2015
_DATE = lazy_pattern(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")


@dataclass(frozen=True, slots=True)
class Side:
    """count: entries. uncertain_rate: the share that is UNCERTAIN or missing. coverage: the share with a prediction.

    The rates are None where nothing was decided that they count.
    """

    count: int
    detection_rate: float | None
    false_positive_rate: float | None
    uncertain_rate: float | None
    coverage: float | None


@dataclass(frozen=True, slots=True)
class KnownComparison:
    """open: entries of which nobody knows whether the tool has seen them."""

    known: Side
    unknown: Side
    open: int


@dataclass(frozen=True, slots=True)
class CutoffComparison:
    """before: up to the day itself. undated: entries without date, or whose date is too coarse to say on which side they are."""

    before: Side
    after: Side
    undated: int


def _year(entry: LabelledEntry) -> int | None:
    found = _DATE.match(entry.publication_date)
    return int(found[1]) if found else None


def segments(pairs: Pairs, year: int) -> dict[str, Confusion]:
    """The confusion matrices of works of 2015 to year-2 (historical), year-1 to year (recent), year+1 to year+5 (future)."""
    bounds = {
        "historical": (_HISTORICAL_FROM, year - 2),
        "recent": (year - 1, year),
        "future": (year + 1, year + 5),
    }
    dated = [(_year(entry), entry, answer) for entry, answer in pairs]
    return {
        name: confusion(
            (entry, answer) for published, entry, answer in dated if published is not None and low <= published <= high
        )
        for name, (low, high) in bounds.items()
    }


def temporal_robustness(pairs: Pairs, year: int) -> float | None:
    """The DR on historical works minus that on future ones. None if either segment has no decided hallucinated entry."""
    parts = segments(pairs, year)
    historical, future = parts["historical"], parts["future"]
    if not historical.tp + historical.fn or not future.tp + future.fn:
        return None
    return historical.detection_rate - future.detection_rate


def compare_around(pairs: Pairs, cutoff: str) -> CutoffComparison:
    """Works published on a day or before it against those published later, as HALLMARK divides them.

    cutoff: ISO 8601, YYYY-MM-DD. Raises ValueError for anything else.
    """
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", cutoff):
        raise ValueError(f"the cut-off date must be YYYY-MM-DD, not {cutoff!r}")
    before, after, undated = _parted(pairs, lambda entry: _is_before(entry, cutoff))
    return CutoffComparison(before, after, undated)


def compare_known(pairs: Pairs, is_known: Callable[[LabelledEntry], bool | None]) -> KnownComparison:
    """Entries that a tool may have seen before against those that it has not; None where that cannot be said."""
    return KnownComparison(*_parted(pairs, is_known))


def _parted(pairs: Pairs, is_first: Callable[[LabelledEntry], bool | None]) -> tuple[Side, Side, int]:
    sides = {entry.key: is_first(entry) for entry in pairs.entries}
    first = pairs.where(lambda entry, _: sides[entry.key] is True)
    second = pairs.where(lambda entry, _: sides[entry.key] is False)
    return _side(first), _side(second), len(pairs) - len(first) - len(second)


def _is_before(entry: LabelledEntry, cutoff: str) -> bool | None:
    """None if the entry has no date, or only the year or month in which the cut-off lies."""
    found = _DATE.match(entry.publication_date)
    if not found:
        return None
    same = cutoff[: len(found[0])]
    if found[0] == same and len(same) < len(cutoff):
        return None
    return found[0] <= same


def _side(pairs: Pairs) -> Side:
    counts = confusion(pairs)
    return Side(
        count=len(pairs),
        detection_rate=share_of(counts.tp, counts.tp + counts.fn),
        false_positive_rate=share_of(counts.fp, counts.fp + counts.tn),
        uncertain_rate=share_of(counts.uncertain + counts.missing, len(pairs)),
        coverage=share_of(len(pairs) - counts.missing, len(pairs)),
    )
