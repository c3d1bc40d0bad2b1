"""Rows of tables about models, as text that each report escapes: what was delivered, comparisons, what the answers took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_citecheck.reports.scores import bounds_of, number, share, share_with_interval, whole

__all__ = [
    "ModelTable",
    "comparison_table",
    "cost_text",
    "coverage_table",
    "invention_text",
    "scope_text",
    "usage_table",
]

Data = Mapping[str, Any]
Words = Mapping[str, str]
Models = Sequence[tuple[str, Data]]
ModelTable = tuple[list[str], list[list[str]]]
"""The head and the rows of a table; without rows there is nothing to show."""

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
    """What was delivered of what was asked: a failed call, a refusal and a repeated reference are all short of it."""
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
    """What a verified reference cost: a range if unchecked references could be real; a dash if it is not known."""
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
