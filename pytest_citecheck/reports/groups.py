"""Rates by group (tier, hallucination type, origin, sub-test), each with its counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_citecheck.reports.scores import number, share, share_with_interval, whole

__all__ = ["GroupTable", "Rate", "counted", "group_tables", "rate_text"]

Scores = Mapping[str, Any]
Words = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rate:
    """A share from 0 to 1 and its counts.

    value: ``part`` / ``decided``; None if unknown, or if nothing was decided, even if the file states a value. count: all
    references, including undecided ones. A count that the file does not state is None. interval: the confidence interval, as
    in the file. bounds: the value if all unchecked references are wrong, and if all are right; None if there are none.
    """

    value: float | None = None
    part: int | None = None
    decided: int | None = None
    count: int | None = None
    interval: object = None
    bounds: tuple[float, float] | None = None

    @classmethod
    def of(
        cls,
        value: object,
        part: int | None,
        decided: int | None,
        count: int | None,
        interval: object = None,
        bounds: tuple[float, float] | None = None,
    ) -> Rate:
        """The rate that a file states, with these counts."""
        return cls(None if decided == 0 or count == 0 else number(value), part, decided, count, interval, bounds)


NO_RATE = Rate()


def counted(rate: Rate, words: Words) -> str:
    """``15 of 15 decided, 47 in all`` in the language of the words; empty without counts."""
    if rate.decided is None:
        return "" if rate.count is None else words["in_all"].format(count=rate.count)
    if rate.decided == 0:
        return words["none_decided"].format(count=rate.count) if rate.count else ""
    if rate.part is None:
        return words["in_all"].format(count=rate.decided)
    key = "part_of_all" if rate.count in (None, rate.decided) else "part_of_decided"
    return words[key].format(part=rate.part, decided=rate.decided, count=rate.count)


def rate_text(rate: Rate, words: Words) -> str:
    """The rate in per cent, with its interval and counts in brackets; a dash for None."""
    written = share(rate.value) if rate.value is None else share_with_interval(rate.value, rate.interval)
    counts = counted(rate, words)
    return f"{written} ({counts})" if counts else written


def _detected(values: Scores) -> Rate | None:
    """The detection rate of a group; None if it has no hallucinated entries."""
    count = whole(values.get("num_hallucinated"))
    if count == 0:
        return None
    tp, fn = whole(values.get("tp")), whole(values.get("fn"))
    decided = None if tp is None or fn is None else tp + fn
    return Rate.of(values.get("detection_rate"), tp, decided, whole(values.get("count")) if count is None else count)


def _false_positives(values: Scores) -> Rate | None:
    """The false positive rate of a group; None if it has no valid entries."""
    count = whole(values.get("num_valid"))
    if not count:
        return None
    fp, tn = whole(values.get("fp")), whole(values.get("tn"))
    decided = None if fp is None or tn is None else fp + tn
    return Rate.of(values.get("false_positive_rate"), fp, decided, count)


def _agreeing(values: Scores) -> Rate | None:
    """The accuracy of a sub-test as HALLMARK counts it."""
    decided = whole(values.get("count"))
    return Rate.of(values.get("accuracy"), whole(values.get("correct")), decided, decided)


def _agreeing_cleaned(values: Scores) -> Rate | None:
    """The accuracy of a sub-test over its non-null labels."""
    cleaned = values.get("cleaned")
    return _agreeing(cleaned) if isinstance(cleaned, Mapping) else None


@dataclass(frozen=True, slots=True)
class GroupTable:
    """Rates of several tools: group → one rate per column. title, first: keys of ``wording``.

    columns: the name of the tool, and the key of the rate if a tool has several (otherwise empty).
    """

    title: str
    first: str
    columns: tuple[tuple[str, str], ...]
    rows: Mapping[str, tuple[Rate, ...]]


_RateOf = Callable[[Scores], Rate | None]
_TABLES: tuple[tuple[str, str, str, Mapping[str, _RateOf]], ...] = (
    ("per_tier", "type", "per_tier_metrics", {"": _detected}),
    ("per_type", "type", "per_type_metrics", {"": _detected}),
    ("per_method", "method", "per_generation_method", {"": _detected}),
    ("accused_per_method", "method", "per_generation_method", {"": _false_positives}),
    ("subtests", "subtest", "subtest_metrics", {"published": _agreeing, "cleaned": _agreeing_cleaned}),
)


def group_tables(tools: Sequence[tuple[str, Scores]]) -> list[GroupTable]:
    """The group tables of the tools (name, scores). A table contains the groups for which the rate is defined."""
    tables = []
    for title, first, field, rates in _TABLES:
        columns: list[tuple[str, str]] = []
        found: list[dict[str, Rate]] = []
        for name, scores in tools:
            for kind, rate_of in rates.items():
                by_group = _rates(scores.get(field), rate_of)
                if by_group or not kind:
                    columns.append((name, kind))
                    found.append(by_group)
        groups = sorted({group for by_group in found for group in by_group})
        if groups:
            rows = {group: tuple(by_group.get(group, NO_RATE) for by_group in found) for group in groups}
            tables.append(GroupTable(title, first, tuple(columns), rows))
    return tables


def _rates(table: object, rate_of: _RateOf) -> dict[str, Rate]:
    if not isinstance(table, Mapping):
        return {}
    # Valid entries have no hallucination to detect, even if a file lists them as a type.
    found = {
        str(group): rate_of(values)
        for group, values in table.items()
        if isinstance(values, Mapping) and group != "valid"
    }
    return {group: rate for group, rate in found.items() if rate is not None}
