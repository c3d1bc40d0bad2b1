"""Rates by group (tier, hallucination type, origin, sub-test), each with its counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_citecheck.benchmark import METRICS

# The scores that reports show, their order, and the format of numbers.


ScoresOfRun = Mapping[str, Any]
"""The scores of one tool or model under the names of docs/reports.md; any may be missing or None."""
Words = Mapping[str, str]
"""The texts of one language (`reports.wording`)."""

SCORES = tuple(row.name for row in METRICS if row.label)
"""The scores that reports show, in the order of the table of metrics."""

READINGS = ("excluded", "as_valid", "as_hallucinated")
"""The ways to count undecided references; keys of ``readings``."""

READING_SCORES = tuple(row.name for row in METRICS if row.group == "headline" and row.column)
"""The scores that depend on the reading."""

ARENA_SCORES = (
    "overall_accuracy",
    "title_accuracy",
    "author_accuracy",
    "year_accuracy",
    "doi_accuracy",
    "venue_accuracy",
    "completeness",
    "year_compliance_rate",
    "avg_confidence",
    "hallucination_rate",
)
"""The scores of a model in the Reference Hallucination Arena (agentscope-ai/OpenJudge)."""

LOWER_IS_BETTER = frozenset({"hallucination_rate", *(row.name for row in METRICS if not row.higher_is_better)})

_SHARES = {"verification_rate", "verified_of_requested", *(row.name for row in METRICS if row.share), *ARENA_SCORES}
# Intervals with special names in HALLMARK's and the Arena's files.
_INTERVALS = {
    "false_positive_rate": "fpr_ci",
    "overall_accuracy": "verification_interval",
    "verification_rate": "verification_interval",
    "hallucination_rate": "hallucination_interval",
}
_NONE = "–"
_CELLS = ("tp", "fp", "tn", "fn")


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


def share(value: object) -> str:
    """A share from 0 to 1 in per cent with one digit; a dash for None."""
    given = number(value)
    return _NONE if given is None else f"{100 * given:.1f} %"


def share_with_interval(value: object, interval: object) -> str:
    """A share in per cent, with its interval in brackets if it is valid."""
    return _with_interval(share, value, interval)


def _with_interval(write: Callable[[Any], str], value: object, interval: object) -> str:
    if not isinstance(interval, Sequence) or len(interval) != 2 or None in map(number, interval):
        return write(value)
    return f"{write(value)} [{write(interval[0])}, {write(interval[1])}]"


def unasked_dois(scores: ScoresOfRun) -> int:
    """The number of DOIs of a model for which doi.org was not asked."""
    part = (scores.get("fields") or {}).get("doi")
    return whole(part.get("not_asked")) or 0 if isinstance(part, Mapping) else 0


def score_text(scores: ScoresOfRun, name: str, words: Words) -> str:
    """A score for a table: a share in per cent, others with three digits, with the interval if there is one."""
    given = number(scores.get(name))
    if given is None:
        return words["registry_unasked"] if name == "doi_accuracy" and unasked_dois(scores) else _NONE
    write = share if name in _SHARES else "{:.3f}".format
    return _with_interval(write, given, scores.get(_INTERVALS.get(name, f"{name}_ci")))


def scored_rows(
    names: Sequence[str], tools: Sequence[tuple[str, ScoresOfRun]], words: Words, mark: Callable[[str, bool], str]
) -> tuple[list[str], list[list[str]]]:
    """The names of columns with scores, and one row of cells per tool. mark: cell of a score, and whether it is the best."""
    written = {name: [score_text(scores, name, words) for _, scores in tools] for name in names}
    shown = [name for name in names if any(text != _NONE for text in written[name])]
    tops = {name: best_rows([scores for _, scores in tools], name) for name in shown}
    return shown, [[mark(written[name][row], row in tops[name]) for name in shown] for row in range(len(tools))]


def best(values: Sequence[float | None], *, lower: bool = False) -> float | None:
    """The best of several values; None if they do not differ."""
    given = {value for value in values if value is not None}
    if len(given) < 2:
        return None
    return min(given) if lower else max(given)


def bounds_of(scores: ScoresOfRun, name: str) -> tuple[float, float] | None:
    """The bounds of a score of a model; None if no unchecked reference could change it."""
    pair = (scores.get("bounds") or {}).get(name)
    if not isinstance(pair, Sequence) or len(pair) != 2:
        return None
    low, high = map(number, pair)
    return None if low is None or high is None or low == high else (low, high)


def best_rows(tools: Sequence[ScoresOfRun], name: str) -> set[int]:
    """The positions of the tools with the best score; empty if none differ, or if unchecked references could change it."""
    values = [number(tool.get(name)) for tool in tools]
    top = best(values, lower=name in LOWER_IS_BETTER)
    if top is None or any(bounds_of(tool, name) for tool in tools):
        return set()
    return {place for place, value in enumerate(values) if value == top}


def ranked_tools(result: ScoresOfRun) -> list[ScoresOfRun]:
    """The scores of the run and of other tools, best first: tier-weighted F1, then F1, then detection rate, then name."""
    tools = [scores for scores in (result.get("metrics"), *(result.get("tools") or ())) if isinstance(scores, Mapping)]
    keys = ("tier_weighted_f1", "f1_hallucination", "detection_rate")

    def key(scores: ScoresOfRun) -> tuple[list[float], str]:
        given = (number(scores.get(name)) for name in keys)
        return [float("inf") if value is None else -value for value in given], str(scores.get("tool_name"))

    return sorted(map(defined, tools), key=key)


def defined(scores: ScoresOfRun) -> dict[str, Any]:
    """The scores with None for rates and F1s that are undefined according to ``counts``; files state them as 0."""
    return {**scores, **_empty(_matrix(scores))}


def _matrix(scores: ScoresOfRun) -> Mapping[str, int] | None:
    """TP, FP, TN and FN, if the scores state all of them."""
    counts = scores.get("counts")
    cells = {name: whole(counts.get(name)) for name in _CELLS} if isinstance(counts, Mapping) else {}
    known = {name: count for name, count in cells.items() if count is not None}
    return known if len(known) == len(_CELLS) else None


def _empty(matrix: Mapping[str, int] | None) -> dict[str, None]:
    if matrix is None:
        return {}
    tp, fp, tn, fn = (matrix[name] for name in _CELLS)
    groups = (
        (tp + fn, ("detection_rate", "f1_hallucination", "tier_weighted_f1")),
        (fp + tn, ("false_positive_rate",)),
        (tp + fp, ("precision",)),
        (tp + fp + tn + fn, ("macro_f1", "mcc")),
    )
    return {name: None for count, names in groups if not count for name in names}


def readings_of(scores: ScoresOfRun) -> list[tuple[str, ScoresOfRun]]:
    """The scores of each stated reading in `READINGS`, with None for undefined ones as in `defined`."""
    readings = scores.get("readings")
    given = readings if isinstance(readings, Mapping) else {}
    return [
        (name, {**given[name], **_empty(_as_read(scores, name))})
        for name in READINGS
        if isinstance(given.get(name), Mapping)
    ]


def _as_read(scores: ScoresOfRun, reading: str) -> Mapping[str, int] | None:
    """The matrix with the undecided references added; the totals show how many of them are hallucinated."""
    matrix = _matrix(scores)
    hallucinated, valid = whole(scores.get("num_hallucinated")), whole(scores.get("num_valid"))
    if reading == "excluded" or matrix is None or hallucinated is None or valid is None:
        return matrix
    tp, fp, tn, fn = (matrix[name] for name in _CELLS)
    if reading == "as_valid":
        return {"tp": tp, "fp": fp, "tn": valid - fp, "fn": hallucinated - tp}
    return {"tp": hallucinated - fn, "fp": valid - tn, "tn": tn, "fn": fn}


def points_of(value: object, keys: tuple[str, str] | None = None) -> list[tuple[float, float]]:
    """Pairs of numbers from a list of pairs, or of objects with these two keys; other items are skipped."""
    points = []
    for item in value if isinstance(value, Sequence) and not isinstance(value, str) else ():
        if keys is not None and isinstance(item, Mapping):
            pair: Sequence[Any] = [item.get(key) for key in keys]
        else:
            pair = item if isinstance(item, Sequence) and not isinstance(item, str) else ()
        if len(pair) == 2:
            x, y = number(pair[0]), number(pair[1])
            if x is not None and y is not None:
                points.append((x, y))
    return points


Scores = Mapping[str, Any]
Count = int | None
Ends = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Rate:
    """A share from 0 to 1 and its counts.

    value: ``part`` / ``decided``; None if unknown, or if nothing was decided, even if the file states a value. count: all
    references, including undecided ones. A count that the file does not state is None. interval: the confidence interval, as
    in the file. bounds: the value if all unchecked references are wrong, and if all are right; None if there are none.
    unasked: number of DOIs for which doi.org was not asked; the value is then unknown.
    """

    value: float | None = None
    part: int | None = None
    decided: int | None = None
    count: int | None = None
    interval: object = None
    bounds: tuple[float, float] | None = None
    unasked: int = 0

    @classmethod
    def of(
        cls, value: object, part: Count, decided: Count, count: Count, interval: object = None, bounds: Ends = None
    ) -> Rate:
        """The rate that a file states, with these counts."""
        return cls(None if decided == 0 or count == 0 else number(value), part, decided, count, interval, bounds)


NO_RATE = Rate()


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


def _named(values: Scores) -> Rate | None:
    """The share of predictions with the right kind of hallucination; None if no prediction names a kind."""
    named, naming = whole(values.get("named")), whole(values.get("naming"))
    return Rate(named / naming, named, naming, naming) if naming and named is not None else None


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

    def heads(self, words: Words, shown: Callable[[str], str], *, alone: bool) -> list[str]:
        """The names of the columns; without the tool if it is ``alone`` and has several rates. shown: a name as markup."""
        kinds = [words[kind] if kind else "" for _, kind in self.columns]
        tools = ["" if alone and kind else shown(tool) for (tool, _), kind in zip(self.columns, kinds, strict=True)]
        return [", ".join(filter(None, pair)) for pair in zip(tools, kinds, strict=True)]


_RateOf = Callable[[Scores], Rate | None]
_TABLES: tuple[tuple[str, str, str, Mapping[str, _RateOf]], ...] = (
    ("per_tier", "type", "per_tier_metrics", {"": _detected}),
    ("per_type", "type", "per_type_metrics", {"": _detected}),
    ("per_kind", "type", "per_kind_metrics", {"": _detected, "named": _named}),
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
