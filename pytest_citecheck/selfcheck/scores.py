"""From the answers of a model to scores between 0 and 1; higher means that the model agrees with itself.

Source: Agrawal et al., EACL 2024.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_citecheck.selfcheck.answers import share_of_yes
from pytest_citecheck.selfcheck.overlap import agreement, dice, name_keys, names_in, pairwise, venue_keys, year_keys
from pytest_citecheck.selfcheck.subject import DIRECT

if TYPE_CHECKING:
    from pytest_citecheck.selfcheck.subject import Method, Options, Subject

__all__ = ["MethodScore", "agree", "cross_model", "ensemble", "score"]


@dataclass(frozen=True, slots=True)
class MethodScore:
    """The score of one method for one reference; None with the reason. answers: what was said; None: no answer came."""

    method: Method
    value: float | None
    answers: tuple[str | None, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()


def _keys(method: Method, answer: str | None) -> frozenset[str]:
    if answer is None:
        return frozenset()
    if method == "year":
        return year_keys(answer)
    return venue_keys(answer) if method == "venue" else name_keys(names_in(answer))


def _cited_keys(method: Method, subject: Subject) -> frozenset[str]:
    if method == "year":
        return frozenset() if subject.year is None else frozenset({str(subject.year)})
    return venue_keys(subject.venue) if method == "venue" else name_keys(subject.authors)


def agree(method: Method, answers: Sequence[str | None], options: Options) -> bool:
    """Whether these answers are enough, because all of them say the same."""
    if options.agree_after is None:
        return False
    if method in DIRECT:
        if len(answers) < options.agree_after:
            return False
        return len({share_of_yes((answer,), options.yes) for answer in answers}) == 1
    return len(answers) > 1 and len({_keys(method, answer) for answer in answers}) == 1


def score(
    method: Method,
    subject: Subject,
    answers: Sequence[str | None],
    options: Options,
    judged: Mapping[tuple[int, int], float] | None = None,
) -> MethodScore:
    """The score of one method from its answers. judged: what the engine ``lm`` says of each pair."""
    given = tuple(answers)
    if all(answer is None for answer in given):
        return MethodScore(method, None, given, "the model gave no answer")
    notes = tuple(
        f"answer {number}: no answer, which counts against the reference"
        for number, answer in enumerate(given, start=1)
        if answer is None
    )
    if method in DIRECT:
        return MethodScore(method, share_of_yes(given, options.yes), given, notes=notes)
    sets = [_keys(method, answer) for answer in given]
    notes += tuple(
        f"answer {number} names nothing: {' '.join(answer.split())[:80]}"
        for number, (answer, found) in enumerate(zip(given, sets, strict=True), start=1)
        if answer is not None and not found
    )
    if options.engine == "cited":
        cited = _cited_keys(method, subject)
        if not cited:
            return MethodScore(method, None, given, "the entry cites nothing to compare with", notes)
        return MethodScore(method, math.fsum(dice(cited, found) for found in sets) / len(sets), given, notes=notes)
    if len(given) < 2:
        return MethodScore(method, None, given, "one answer cannot be compared", notes)
    if options.engine == "lm" and method == "iq":
        shares = judged or {}
        value = agreement(len(given), lambda later, earlier: shares.get((later, earlier), 0.0))
        return MethodScore(method, value, given, notes=notes)
    return MethodScore(method, pairwise(sets), given, notes=notes)


def cross_model(method: Method, one: Sequence[str | None], other: Sequence[str | None]) -> float | None:
    """The mean overlap of the answers of two models, over all pairs of one answer of each; None without answers."""
    if not one or not other:
        return None
    found = [dice(_keys(method, first), _keys(method, second)) for first in one for second in other]
    return math.fsum(found) / len(found)


def ensemble(scores: Mapping[Method, float | None], weights: Mapping[Method, float]) -> float | None:
    """The weighted mean over the methods that were asked; None if one of them has no score, or none has a weight."""
    weighed = {method: weights.get(method, 0.0) for method in scores if weights.get(method, 0.0) > 0}
    values = [(scores[method], weight) for method, weight in weighed.items()]
    if not values or any(value is None for value, _ in values):
        return None
    total = math.fsum(weight for _, weight in values)
    return math.fsum(value * weight for value, weight in values if value is not None) / total
