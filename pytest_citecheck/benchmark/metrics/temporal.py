"""Whether a tool does worse on works that are younger than its training. Over entries with a publication date.

Source: HALLMARK, arXiv:2607.18360 (segments around a year, comparison around a cut-off date).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_citecheck.benchmark.metrics.confusion import Confusion, confusion, share_of
from pytest_citecheck.benchmark.metrics.pairs import Pairs
from pytest_citecheck.readers.hallmark.schema import LabelledEntry

__all__ = ["CutoffComparison", "Side", "compare_around", "segments", "temporal_robustness"]

_HISTORICAL_FROM = 2015
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")


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
class CutoffComparison:
    """undated: entries without date, or whose date is too coarse to say on which side they are."""

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
    """Works published before a day against those published on it or later.

    cutoff: ISO 8601, YYYY-MM-DD. Raises ValueError for anything else.
    """
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", cutoff):
        raise ValueError(f"the cut-off date must be YYYY-MM-DD, not {cutoff!r}")
    before = pairs.where(lambda entry, _: _is_before(entry, cutoff) is True)
    after = pairs.where(lambda entry, _: _is_before(entry, cutoff) is False)
    return CutoffComparison(_side(before), _side(after), len(pairs) - len(before) - len(after))


def _is_before(entry: LabelledEntry, cutoff: str) -> bool | None:
    """None if the entry has no date, or only the year or month in which the cut-off lies."""
    found = _DATE.match(entry.publication_date)
    if not found:
        return None
    same = cutoff[: len(found[0])]
    if found[0] == same and len(same) < len(cutoff):
        return None
    return found[0] < same


def _side(pairs: Pairs) -> Side:
    counts = confusion(pairs)
    return Side(
        count=len(pairs),
        detection_rate=share_of(counts.tp, counts.tp + counts.fn),
        false_positive_rate=share_of(counts.fp, counts.fp + counts.tn),
        uncertain_rate=share_of(counts.uncertain + counts.missing, len(pairs)),
        coverage=share_of(len(pairs) - counts.missing, len(pairs)),
    )
