"""Scores of models for the reports: rates over decided references, and the Arena's own scores separately."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_citecheck.reports.groups import (
    READING_SCORES,
    GroupTable,
    Rate,
    Words,
    bounds_of,
    number,
    readings_of,
    score_text,
    share,
    share_with_interval,
    unasked_dois,
    whole,
)

Scores = Mapping[str, Any]
Data = Mapping[str, Any]
Models = Sequence[tuple[str, Data]]
ModelTable = tuple[list[str], list[list[str]]]
"""The head and the rows of a table; without rows there is nothing to show."""

FIELDS = ("title", "author", "year", "doi", "venue")
"""Fields of a reference in the order of the Arena; ``…_accuracy`` in ``wording``."""

ARENA_FIELDS = (*FIELDS, "overall")
"""Fields of the Arena's chart, with their overall counts."""

MODEL_RATES = ("verification_rate", "hallucination_rate", "years_kept", "delivered", "checked")
"""The rates of `model_rates`, in the order of the tables."""


def arena_models(result: Scores) -> dict[str, Scores]:
    """The scores by model in the order of ``arena.rankings`` (benchmark/arena/scores.py), as `without_empty` gives them."""
    rankings = (result.get("arena") or {}).get("rankings") or ()
    return {str(scores.get("model")): without_empty(scores) for scores in rankings}


_OF_CHECKED = (
    "verification_rate",
    "overall_accuracy",
    "overall_score",
    "hallucination_rate",
    "completeness",
    *(f"{name}_accuracy" for name in FIELDS),
)


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
    counts = [whole(scores.get(name)) for name in names]
    given = [count for count in counts if count is not None]
    return sum(given) if len(given) == len(counts) else None


_YEARS = ("compliant", "noncompliant", "unknown")
_RESULTS = ("right", "wrong", "absent", "undecided")


def _sums(scores: Scores, names: Sequence[str]) -> tuple[int | None, int | None, int | None]:
    """The part, the decided (the first two) and the whole, of counts with these names."""
    return _sum(scores, *names[:1]), _sum(scores, *names[:2]), _sum(scores, *names)


def model_rates(scores: Scores) -> dict[str, Rate]:
    """The rates in `MODEL_RATES`.

    Verified and hallucinated are shares of checked references, ``years_kept`` of verified references with a known year,
    ``delivered`` of requested references, and ``checked`` of all references, unread ones included.
    """
    years = scores.get("year_compliance") or {}
    requested = whole(scores.get("requested")) or 0
    return {
        **discipline_rates(scores),
        "years_kept": Rate.of(years.get("rate"), *_sums(years, _YEARS), years.get("interval")),
        "delivered": Rate.of(scores.get("coverage"), whole(scores.get("delivered")), requested, requested)
        if requested
        else Rate(),
        "checked": _coverage(scores),
    }


def _coverage(scores: Scores) -> Rate:
    checked, total = _checked(scores), whole(scores.get("total_refs"))
    unread = (whole(scores.get("unchecked")) or 0) - (whole(scores.get("errors")) or 0)
    count = None if total is None else total + max(unread, 0)
    rate = scores.get("checked_rate", checked / count if checked is not None and count else None)
    return Rate.of(rate, checked, count, count)


def with_coverage(name: str, scores: Scores, words: Mapping[str, str]) -> str:
    """The name of a model with the share of its references that was not checked, if there is one."""
    rate = _coverage(scores).value
    return name if rate is None or rate == 1 else f"{name} ({words['unchecked']}: {share(1 - rate)})"


def rank_text(scores: Scores, position: object = None) -> str:
    """The rank that the scores state, else the position; a dash if there is none."""
    rank = scores.get("rank", position)
    return "–" if rank is None else str(rank)


def ranking_table(
    models: Models, words: Words, write: Callable[[Rate], str], shown: Callable[[str], str]
) -> ModelTable:
    """The rates of each model; a rate that no model has is left out. write, shown: format a rate and a text as markup."""
    rates = [model_rates(scores) for _, scores in models]
    used = [
        name for name in MODEL_RATES if any(of[name].value is not None or of[name].decided is not None for of in rates)
    ]
    rows = []
    for place, ((name, scores), of) in enumerate(zip(models, rates, strict=True), start=1):
        texts = (rank_text(scores, place), name, *(str(scores.get(one, "–")) for one in ("total_refs", "errors")))
        rows.append([*map(shown, texts), *(write(of[one]) for one in used)])
    return [words[name] for name in ("rank", "model", "total_refs", "not_checked", *used)], rows


def field_table(models: Models, words: Words, write: Callable[[Rate], str], shown: Callable[[str], str]) -> ModelTable:
    """The accuracy of each field of each model; without rows if no file states any. write, shown: as in `ranking_table`."""
    rates = [(name, field_rates(scores)) for name, scores in models]
    rows = [[shown(name), *(write(of.get(field, Rate())) for field in FIELDS)] for name, of in rates]
    return [words["model"], *(words[f"{field}_accuracy"] for field in FIELDS)], rows if any(
        of for _, of in rates
    ) else []


def unranked_text(arena: Scores, words: Words) -> str:
    """Names the models without a rank, because too few of their references were checked; empty without any."""
    left = [str(one.get("model")) for one in arena.get("rankings") or () if "rank" in one and one["rank"] is None]
    return words["unranked"].format(models=", ".join(left), least=share(arena.get("least_coverage"))) if left else ""


def discipline_table(models: Models) -> GroupTable:
    """The verified share of each discipline, one column per model."""
    parts = [scores.get("by_discipline") or {} for _, scores in models]
    names = sorted({name for part in parts for name in part})
    rows = {
        name: tuple(discipline_rates(part.get(name) or {})["verification_rate"] for part in parts) for name in names
    }
    return GroupTable("per_discipline", "type", tuple((name, "") for name, _ in models), rows)


def readings_table(tools: Models, words: Words, write: Callable[[str], str], shown: Callable[[str], str]) -> ModelTable:
    """The scores with undecided references excluded, counted as valid, and counted as hallucinated."""
    rows = [
        [shown(name), words[reading], *(write(score_text(scores, score, words)) for score in READING_SCORES)]
        for name, tool in tools
        for reading, scores in readings_of(tool)
    ]
    return [words["tool"], words["undecided_ones"], *(words[score] for score in READING_SCORES)], rows


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


def _share_bounds(scores: Scores, names: Sequence[str]) -> tuple[float, float] | None:
    """Share of these counts if no unchecked reference has this result, and if all have; None if it is exact."""
    part, checked = _sum(scores, *names), _checked(scores)
    unchecked = whole(scores.get("unchecked", scores.get("errors"))) or 0
    if part is None or checked is None or not unchecked:
        return None
    return part / (checked + unchecked), (part + unchecked) / (checked + unchecked)


def field_rates(scores: Scores) -> dict[str, Rate]:
    """The accuracy of each of `FIELDS` where it is stated and decided; empty if the file has none."""
    fields = scores.get("fields")
    if not isinstance(fields, Mapping):
        return {}
    return {
        name: Rate(unasked=unasked_dois(scores))
        if name == "doi" and unasked_dois(scores)
        else Rate.of(part.get("accuracy"), *_sums(part, _RESULTS))
        for name in FIELDS
        if isinstance(part := fields.get(name), Mapping)
    }


def arena_rates(scores: Scores, fields: Sequence[str]) -> list[Rate]:
    """The Arena's accuracy of each of these fields: shares of all checked references."""
    return [
        Rate(number(scores.get(name)), bounds=bounds_of(scores, name)) for name in map("{}_accuracy".format, fields)
    ]


# Rows of tables about models, as text that each report escapes: delivered references, comparisons, cost of the answers.


_COVERAGE = ("answers", "failed_calls", "refusals", "cut_off", "not_asked", "duplicates", "requested", "delivered")
_USAGE = ("calls", "prompt_tokens", "completion_tokens", "searches", "iterations", "fallbacks", "unpriced")


def invention_text(arena: Data) -> str:
    """Answer which model invents references, in one line, most first; empty without models. A range allows for unchecked ones."""
    found = []
    for scores in arena.get("rankings") or ():
        total, checked = whole(scores.get("total_refs")) or 0, whole(scores.get("errors")) or 0
        checked = total - checked
        low, high = bounds_of(scores, "hallucination_rate") or (scores.get("hallucination_rate"),) * 2
        name, noun = scores.get("model"), "reference" if checked == 1 else "references"
        if not total:
            found.append((-1.0, f"{name}: no references."))
        elif not checked:
            found.append((-0.5, f"{name}: not known, none of {total} references could be checked."))
        else:
            rate = share(scores.get("hallucination_rate"))
            limits = f", {share(low)} to {share(high)} of all" if low != high else ""
            found.append(
                (
                    number(scores.get("hallucination_rate")) or 0.0,
                    f"{name}: {rate} of {checked} checked {noun}{limits}.",
                )
            )
    ordered = sorted(found, key=lambda one: -one[0])
    return " ".join(["Which model invents references?", *(said for _, said in ordered)]) if found else ""


def scope_text(arena: Data, words: Words) -> str:
    """The models and queries that the scores cover, and the number of answers; empty if the file does not state them."""
    scope = arena.get("scope")
    if not isinstance(scope, Mapping) or not scope.get("models"):
        return ""
    whole = scope.get("of") or {}
    lists = {
        "models": ", ".join(map(str, scope["models"])),
        "queries": _ranges([str(query) for query in scope.get("queries") or ()]),
    }
    said = {
        name: words["part_of"].format(names=names, part=len(scope[name]), whole=whole.get(name, len(scope[name])))
        for name, names in lists.items()
    }
    answers = scope.get("answers", 0)
    return words["scope"].format(**said, answers=f"{answers} / {whole['answers']}" if whole else answers)


def _ranges(names: Sequence[str]) -> str:
    """``1–3, 7, graphs``: consecutive numbers as ranges, other names as they are."""
    numbers = sorted({int(name) for name in names if name.isdecimal()})
    parts: list[list[int]] = []
    for number_ in numbers:
        if parts and number_ == parts[-1][-1] + 1:
            parts[-1].append(number_)
        else:
            parts.append([number_])
    shown = [f"{part[0]}–{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts]
    return ", ".join([*shown, *dict.fromkeys(name for name in names if not name.isdecimal())])


def coverage_table(models: Models, words: Words) -> ModelTable:
    """Delivered share of the requested references: failed calls, refusals and repeated references count as missing."""
    rows = []
    for name, scores in models:
        if whole(scores.get("answers")) is not None:
            counts = {**scores, "cut_off": (scores.get("usage") or {}).get("cut_off", 0)}
            verified = share(scores.get("verified_of_requested"))
            rows.append([name, *(_count(counts.get(one)) for one in _COVERAGE), verified])
    columns = (words["delivered_refs"] if one == "delivered" else words[one] for one in _COVERAGE)
    return [words["model"], *columns, words["verified_of_requested"]], rows


def comparison_table(arena: Data, words: Words) -> ModelTable:
    """Each two models with queries in common."""
    rows = [
        [
            f"{pair.get('first', '')} – {pair.get('second', '')}",
            words["kind_tool"] if pair.get("kind") == "tool" else words["kind_models"],
            _count(pair.get("queries")),
            share_with_interval(pair.get("difference"), pair.get("interval")),
            " / ".join(_count(pair.get(name)) for name in ("better", "equal", "worse", "undecided")),
            *(_written(pair.get(name), "{:.4f}") for name in ("p_value", "p_adjusted")),
            str(pair.get("winner") or "–"),
        ]
        for pair in arena.get("comparisons") or ()
        if isinstance(pair, Mapping)
    ]
    names = ("pair", "kind", "queries", "difference", "better_worse", "p_value", "p_adjusted", "winner")
    return [words[name] for name in names], rows


def usage_table(models: Models, words: Words) -> ModelTable:
    """Tokens, searches and money of each model of which an answer states some."""
    rows = []
    for name, scores in models:
        usage = scores.get("usage") or {}
        if any(usage.get(one) for one in ("prompt_tokens", "completion_tokens", "searches", "cost")):
            money = (_written(usage.get("cost"), "${:.4f}"), cost_text(scores))
            rows.append([name, *(_count(usage.get(one)) for one in _USAGE), *money])
    return [words[name] for name in ("model", *_USAGE, "cost", "cost_per_verified")], rows


def cost_text(scores: Data) -> str:
    """Cost of a verified reference: a range if unchecked references could be real; a dash if unknown."""
    low, high = (scores.get("bounds") or {}).get("cost_per_verified") or (None, None)
    if low == high:
        return _written((scores.get("usage") or {}).get("cost_per_verified"), "${:.4f}")
    return (
        f"≥ {_written(low, '${:.4f}')}" if high is None else f"{_written(low, '${:.4f}')} – {_written(high, '${:.4f}')}"
    )


def _count(value: object) -> str:
    given = whole(value)
    return "–" if given is None else f"{given:,}"


def _written(value: object, form: str) -> str:
    given = number(value)
    return "–" if given is None else form.format(given)


# Description of an arena in its report.


@dataclass(frozen=True, slots=True)
class AskedEndpoint:
    """One endpoint: its name, the model behind it, whether it could search."""

    name: str
    model: str
    search: bool


@dataclass(frozen=True, slots=True)
class ArenaFacts:
    """task, scenario: from the configuration. dataset: file of the queries; in_file: number of its queries.

    queries: text by number, for this run. examples: maximum number of cases for each model.
    """

    task: str
    scenario: str
    dataset: str
    in_file: int
    endpoints: tuple[AskedEndpoint, ...]
    queries: Mapping[str, str] = field(default_factory=dict)
    examples: int = 3
