"""Rates of tools and models for reports and charts, from their scores: each with the counts behind it.

Scores have the names of docs/reports.md; any may be missing or None, because files of others are read too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

from pytest_citecheck.benchmark import metric_table
from pytest_citecheck.benchmark.metric_table import METRICS
from pytest_citecheck.reports import (
    TEXTS,
    Inline,
    Language,
    Rate,
    Words,
    best,
    number,
    pair_of,
    read_texts,
    share,
    whole,
    written,
)
from pytest_citecheck.reports import with_interval as _with_interval

Scores = Mapping[str, Any]
Named = Sequence[tuple[str, Scores]]
"""The scores of tools or models, with their names."""

SCORES = tuple(row.name for row in METRICS if row.label)
"""The scores that reports show, in the order of the table of metrics."""
READINGS = ("excluded", "as_valid", "as_hallucinated")
"""The ways to count undecided references; keys of ``readings``."""
READING_SCORES = tuple(row.name for row in METRICS if row.group == "headline" and row.column)
"""The scores that depend on the reading."""
FIELDS = ("title", "author", "year", "doi", "venue")
"""Fields of a reference in the order of the Arena."""
ARENA_SCORES = (
    *("overall_accuracy", *(f"{name}_accuracy" for name in FIELDS)),
    *("completeness", "year_compliance_rate", "avg_confidence", "hallucination_rate"),
)
"""The scores of a model in the Reference Hallucination Arena (agentscope-ai/OpenJudge)."""
MODEL_RATES = ("verification_rate", "hallucination_rate", "years_kept", "delivered", "checked")
"""The rates of `model_rates`, in the order of the tables."""

LOWER_IS_BETTER = frozenset({"hallucination_rate", *metric_table.LOWER_IS_BETTER})
_SHARES = {"verification_rate", "verified_of_requested", *(row.name for row in METRICS if row.share), *ARENA_SCORES}
# Intervals with special names in HALLMARK's and the Arena's files.
_INTERVALS = {
    **{row.name: row.interval for row in METRICS if row.interval},
    "overall_accuracy": "verification_interval",
    "verification_rate": "verification_interval",
    "hallucination_rate": "hallucination_interval",
}
_CELLS = ("tp", "fp", "tn", "fn")


@cache
def texts(language: Language) -> Words:
    """All texts of reports about scores."""
    labels = {row.name: row.label if language == "en" else row.translation for row in METRICS if row.label}
    return {**TEXTS[language], **read_texts(__package__)[language], **labels}


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


def _matrix(scores: Scores) -> tuple[int, ...] | None:
    """TP, FP, TN and FN, if the scores state all of them."""
    counts = scores.get("counts")
    cells = tuple(whole(counts.get(name)) for name in _CELLS) if isinstance(counts, Mapping) else (None,)
    return None if None in cells else tuple(cell for cell in cells if cell is not None)


def _empty(matrix: Sequence[int] | None) -> dict[str, None]:
    if matrix is None:
        return {}
    tp, fp, tn, fn = matrix
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
    known = [name for name in READINGS if isinstance(given.get(name), Mapping)]
    return [(name, {**given[name], **_empty(_as_read(scores, name))}) for name in known]


def _as_read(scores: Scores, reading: str) -> Sequence[int] | None:
    """The matrix with the undecided references added; the totals show how many of them are hallucinated."""
    matrix = _matrix(scores)
    hallucinated, valid = whole(scores.get("num_hallucinated")), whole(scores.get("num_valid"))
    if reading == "excluded" or matrix is None or hallucinated is None or valid is None:
        return matrix
    tp, fp, tn, fn = matrix
    return (tp, fp, valid - fp, hallucinated - tp) if reading == "as_valid" else (hallucinated - fn, valid - tn, tn, fn)


def score_cell(scores: Scores, name: str, words: Words) -> Inline:
    """A score for a table: a share in per cent, others with three digits, with the interval if there is one."""
    if number(scores.get(name)) is None and name == "doi_accuracy" and unasked_dois(scores):
        return words["registry_unasked"]
    write = share if name in _SHARES else "{:.3f}".format
    value = scores.get(name)
    shown = share(value) if name in _SHARES else written(value, "{:.3f}")
    interval = scores.get(_INTERVALS.get(name, f"{name}_ci"))
    return shown if number(value) is None else _with_interval(shown, interval, write)


def best_rows(tools: Sequence[Scores], name: str) -> set[int]:
    """The positions of the tools with the best score; empty if none differ, or if unchecked references could change it."""
    values = [number(tool.get(name)) for tool in tools]
    top = best(values, lower=name in LOWER_IS_BETTER)
    if top is None or any(bounds_of(tool, name) for tool in tools):
        return set()
    return {place for place, value in enumerate(values) if value == top}


def points_of(value: object, keys: tuple[str, str] | None = None) -> list[tuple[float, float]]:
    """Pairs of numbers from a list of pairs, or of objects with these two keys; other items are skipped."""
    items = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
    pairs = ([item.get(key) for key in keys] if keys and isinstance(item, Mapping) else item for item in items)
    return [point for point in map(pair_of, pairs) if point is not None]


def _detected(values: Scores) -> Rate | None:
    """The detection rate of a group; None if it has no hallucinated entries."""
    count = whole(values.get("num_hallucinated"))
    if count == 0:
        return None
    decided = _sum(values, "tp", "fn")
    given = whole(values.get("count")) if count is None else count
    return Rate.of(values.get("detection_rate"), whole(values.get("tp")), decided, given)


def _false_positives(values: Scores) -> Rate | None:
    """The false positive rate of a group; None if it has no valid entries."""
    count = whole(values.get("num_valid"))
    decided = _sum(values, "fp", "tn")
    return Rate.of(values.get("false_positive_rate"), whole(values.get("fp")), decided, count) if count else None


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
    """Rates of several tools: group → one rate per column. title, first: keys of the texts.

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
    ("per_kind", "type", "per_kind_metrics", {"": _detected, "named": _named}),
    ("per_method", "method", "per_generation_method", {"": _detected}),
    ("accused_per_method", "method", "per_generation_method", {"": _false_positives}),
    ("subtests", "subtest", "subtest_metrics", {"published": _agreeing, "cleaned": _agreeing_cleaned}),
)


def group_tables(tools: Named) -> list[GroupTable]:
    """The group tables of the tools (name, scores). A table contains the groups for which the rate is defined."""
    tables = []
    for title, first, field, rates in _TABLES:
        found = {
            (name, kind): by_group
            for name, scores in tools
            for kind, rate_of in rates.items()
            if (by_group := _rates(scores.get(field), rate_of)) or not kind
        }
        groups = sorted({group for by_group in found.values() for group in by_group})
        if groups:
            rows = {group: tuple(by_group.get(group, Rate()) for by_group in found.values()) for group in groups}
            tables.append(GroupTable(title, first, tuple(found), rows))
    return tables


def _rates(table: object, rate_of: _RateOf) -> dict[str, Rate]:
    # Valid entries have no hallucination to detect, even if a file lists them as a type.
    return {
        str(group): rate
        for group, values in (table.items() if isinstance(table, Mapping) else ())
        if isinstance(values, Mapping) and group != "valid" and (rate := rate_of(values)) is not None
    }


_OF_CHECKED = (
    "verification_rate",
    "overall_score",
    *(name for name in ARENA_SCORES if name not in ("avg_confidence", "year_compliance_rate")),
)
_YEARS = ("compliant", "noncompliant", "unknown")
_RESULTS = ("right", "wrong", "absent", "undecided")


def arena_models(result: Scores) -> dict[str, Scores]:
    """The scores by model in the order of ``arena.rankings`` (benchmark/arena_scoring.py), as `without_empty` gives them."""
    rankings = (result.get("arena") or {}).get("rankings") or ()
    return {str(scores.get("model")): without_empty(scores) for scores in rankings}


def without_empty(scores: Scores) -> dict[str, Any]:
    """The scores of a model or of one of its disciplines, with None for each score of an empty set.

    Such sets are the checked references, the verified references, and the references to queries that limit the years.
    """
    known = {**scores}
    if _checked(scores) == 0:
        known |= dict.fromkeys(_OF_CHECKED)
    if scores.get("verified") == 0:
        known["avg_confidence"] = None
    if not scores.get("year_constrained_refs"):
        known["year_compliance_rate"] = None
    return known


def _checked(scores: Scores) -> int | None:
    """The number of checked references; None if the file does not state it."""
    total = whole(scores.get("total_refs"))
    return None if total is None else total - (whole(scores.get("errors")) or 0)


def _sum(scores: Scores, *names: str) -> int | None:
    given = [count for count in (whole(scores.get(name)) for name in names) if count is not None]
    return sum(given) if len(given) == len(names) else None


def _sums(scores: Scores, names: Sequence[str]) -> tuple[int | None, int | None, int | None]:
    """The part, the decided (the first two) and the whole, of counts with these names."""
    return _sum(scores, *names[:1]), _sum(scores, *names[:2]), _sum(scores, *names)


def model_rates(scores: Scores) -> dict[str, Rate]:
    """The rates in `MODEL_RATES`.

    Verified and hallucinated are shares of checked references, ``years_kept`` of verified references with a known year,
    ``delivered`` of requested references, and ``checked`` of all references, unread ones included.
    """
    years = scores.get("year_compliance") or {}
    delivered, requested = whole(scores.get("delivered")), whole(scores.get("requested")) or 0
    return {
        **discipline_rates(scores),
        "years_kept": Rate.of(years.get("rate"), *_sums(years, _YEARS), years.get("interval")),
        "delivered": Rate.of(scores.get("coverage"), delivered, requested, requested) if requested else Rate(),
        "checked": _coverage(scores),
    }


def _coverage(scores: Scores) -> Rate:
    checked, total = _checked(scores), whole(scores.get("total_refs"))
    unread = (whole(scores.get("unchecked")) or 0) - (whole(scores.get("errors")) or 0)
    count = None if total is None else total + max(unread, 0)
    rate = scores.get("checked_rate", checked / count if checked is not None and count else None)
    return Rate.of(rate, checked, count, count)


def with_coverage(name: str, scores: Scores, words: Words) -> str:
    """The name of a model with the share of its references that was not checked, if there is one."""
    rate = _coverage(scores).value
    return name if rate is None or rate == 1 else f"{name} ({words['unchecked']}: {share(1 - rate)})"


def discipline_rates(scores: Scores) -> dict[str, Rate]:
    """The verified and hallucinated shares of checked references, of a model or of one of its disciplines."""
    checked, total = _checked(scores), whole(scores.get("total_refs"))
    verified = scores.get("verification_rate", scores.get("overall_accuracy"))
    rates = {}
    for what, value, parts in (
        ("verification", verified, ("verified",)),
        ("hallucination", scores.get("hallucination_rate"), ("suspect", "not_found")),
    ):
        interval, bounds = scores.get(f"{what}_interval"), _share_bounds(scores, parts)
        rates[f"{what}_rate"] = Rate.of(value, _sum(scores, *parts), checked, total, interval, bounds)
    return rates


def _share_bounds(scores: Scores, names: Iterable[str]) -> tuple[float, float] | None:
    """Share of these counts if no unchecked reference has this result, and if all have; None if it is exact."""
    part, checked = _sum(scores, *names), _checked(scores)
    unchecked = whole(scores.get("unchecked", scores.get("errors"))) or 0
    if part is None or checked is None or not unchecked:
        return None
    return part / (checked + unchecked), (part + unchecked) / (checked + unchecked)


def unasked_dois(scores: Scores) -> int:
    """The number of DOIs of a model for which doi.org was not asked."""
    part = (scores.get("fields") or {}).get("doi")
    return whole(part.get("not_asked")) or 0 if isinstance(part, Mapping) else 0


def field_rates(scores: Scores) -> dict[str, Rate]:
    """The accuracy of each of `FIELDS` where it is stated and decided; empty if the file has none."""
    fields = scores.get("fields")
    return {
        name: Rate(unasked=unasked_dois(scores))
        if name == "doi" and unasked_dois(scores)
        else Rate.of(part.get("accuracy"), *_sums(part, _RESULTS))
        for name in (FIELDS if isinstance(fields, Mapping) else ())
        if isinstance(part := (fields or {}).get(name), Mapping)
    }


def bounds_of(scores: Scores, name: str) -> tuple[float, float] | None:
    """The bounds of a score of a model; None if no unchecked reference could change it."""
    pair = pair_of((scores.get("bounds") or {}).get(name))
    return None if pair is None or pair[0] == pair[1] else pair


def arena_rates(scores: Scores, fields: Iterable[str]) -> list[Rate]:
    """The Arena's accuracy of each of these fields: shares of all checked references."""
    return [
        Rate(number(scores.get(name)), bounds=bounds_of(scores, name)) for name in map("{}_accuracy".format, fields)
    ]


def cost_text(scores: Scores) -> str:
    """Cost of a verified reference: a range if unchecked references could be real; a dash if unknown."""
    low, high = (scores.get("bounds") or {}).get("cost_per_verified") or (None, None)
    if low == high:
        return written((scores.get("usage") or {}).get("cost_per_verified"), "${:.4f}")
    least = written(low, "${:.4f}")
    return f"≥ {least}" if high is None else f"{least} – {written(high, '${:.4f}')}"


def scope_text(arena: Scores, words: Words) -> str:
    """The models and queries that the scores cover, and the number of answers; empty if the file does not state them."""
    scope = arena.get("scope")
    if not isinstance(scope, Mapping) or not scope.get("models"):
        return ""
    of = scope.get("of") or {}
    lists = {"models": ", ".join(map(str, scope["models"])), "queries": _ranges(map(str, scope.get("queries") or ()))}
    said = {
        name: words["part_of"].format(names=names, part=len(scope[name]), whole=of.get(name, len(scope[name])))
        for name, names in lists.items()
    }
    answers = scope.get("answers", 0)
    return words["scope"].format(**said, answers=f"{answers} / {of['answers']}" if of else answers)


def _ranges(names: Iterable[str]) -> str:
    """``1–3, 7, graphs``: consecutive numbers as ranges, other names as they are."""
    known = list(names)
    numbers = enumerate(sorted({int(name) for name in known if name.isdecimal()}))
    runs = [[number for _, number in run] for _, run in groupby(numbers, key=lambda item: item[1] - item[0])]
    ranges = [f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    return ", ".join(dict.fromkeys([*ranges, *(name for name in known if not name.isdecimal())]))
