"""What a model does wrong, how often, and cases that show it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_citecheck.benchmark.arena.scores import ArenaReference

__all__ = ["error_patterns"]

_CASES = 3  # of a pattern


def error_patterns(references: Iterable[ArenaReference]) -> list[dict[str, Any]]:
    """The codes of failed checks, and of titles that are nowhere to be found, most frequent first.

    cases: ids of references, of different queries if possible.

    share: of the references that failed it among all that are given.
    """
    found: dict[str, list[ArenaReference]] = {}
    total = 0
    for one in references:
        total += 1
        for check, outcome in one.outcomes.items():
            unfindable = check == "title" and one.verdict == "unfindable"
            if (outcome == "failed" or unfindable) and one.codes.get(check):
                found.setdefault(one.codes[check], []).append(one)
    return [
        {"code": code, "count": len(theirs), "share": len(theirs) / total, "cases": _cases(theirs)}
        for code, theirs in sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    ]


def _cases(references: list[ArenaReference]) -> list[str]:
    """Those that are certainly invented first, one of each query before a second of any."""
    ordered = sorted(references, key=lambda one: (one.verdict != "fabricated", -one.confidence))
    first: dict[str, ArenaReference] = {}
    for one in ordered:
        first.setdefault(one.query, one)
    others = [one for one in ordered if all(one is not chosen for chosen in first.values())]
    return [one.id for one in (*first.values(), *others) if one.id][:_CASES]
