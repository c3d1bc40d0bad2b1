"""The scores that reports show, their order, and the format of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_citecheck.benchmark.metrics.table import METRICS

__all__ = [
    "ARENA_SCORES",
    "LOWER_IS_BETTER",
    "READINGS",
    "READING_SCORES",
    "SCORES",
    "best",
    "best_rows",
    "bounds_of",
    "defined",
    "number",
    "points_of",
    "ranked_tools",
    "readings_of",
    "score_text",
    "share",
    "share_with_interval",
    "whole",
]

Scores = Mapping[str, Any]
"""The scores of one tool or model under the names of docs/reports.md; any may be missing or None."""

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

_SHARES = {
    "verification_rate",
    "verified_of_requested",
    *(row.name for row in METRICS if row.share),
    *ARENA_SCORES,
}
# Intervals with a name of their own in HALLMARK's and the Arena's files.
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


def score_text(scores: Scores, name: str) -> str:
    """A score for a table: a share in per cent, others with three digits, with the interval if there is one."""
    given = number(scores.get(name))
    if given is None:
        return _NONE
    write = share if name in _SHARES else "{:.3f}".format
    return _with_interval(write, given, scores.get(_INTERVALS.get(name, f"{name}_ci")))


def best(values: Sequence[float | None], *, lower: bool = False) -> float | None:
    """The best of several values; None if they do not differ."""
    given = {value for value in values if value is not None}
    if len(given) < 2:
        return None
    return min(given) if lower else max(given)


def bounds_of(scores: Scores, name: str) -> tuple[float, float] | None:
    """The bounds of a score of a model; None if no unchecked reference could change it."""
    pair = (scores.get("bounds") or {}).get(name)
    if not isinstance(pair, Sequence) or len(pair) != 2:
        return None
    low, high = map(number, pair)
    return None if low is None or high is None or low == high else (low, high)


def best_rows(tools: Sequence[Scores], name: str) -> set[int]:
    """The positions of the tools with the best score; empty if none differ, or if unchecked references could change it."""
    values = [number(tool.get(name)) for tool in tools]
    top = best(values, lower=name in LOWER_IS_BETTER)
    if top is None or any(bounds_of(tool, name) for tool in tools):
        return set()
    return {place for place, value in enumerate(values) if value == top}


def ranked_tools(result: Scores) -> list[Scores]:
    """The scores of the run and of other tools, best first: tier-weighted F1, then F1, then detection rate, then name."""
    tools = [scores for scores in (result.get("metrics"), *(result.get("tools") or ())) if isinstance(scores, Mapping)]
    keys = ("tier_weighted_f1", "f1_hallucination", "detection_rate")

    def key(scores: Scores) -> tuple[list[float], str]:
        given = (number(scores.get(name)) for name in keys)
        return [float("inf") if value is None else -value for value in given], str(scores.get("tool_name"))

    return sorted(map(defined, tools), key=key)


def defined(scores: Scores) -> dict[str, Any]:
    """The scores with None for rates and F1s that are undefined according to ``counts``; files state them as 0."""
    return {**scores, **_empty(_matrix(scores))}


def _matrix(scores: Scores) -> Mapping[str, int] | None:
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


def readings_of(scores: Scores) -> list[tuple[str, Scores]]:
    """The scores of each stated reading in `READINGS`, with None for undefined ones as in `defined`."""
    readings = scores.get("readings")
    given = readings if isinstance(readings, Mapping) else {}
    return [
        (name, {**given[name], **_empty(_as_read(scores, name))})
        for name in READINGS
        if isinstance(given.get(name), Mapping)
    ]


def _as_read(scores: Scores, reading: str) -> Mapping[str, int] | None:
    """The matrix with the undecided references added; the totals tell how many of them are hallucinated."""
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
