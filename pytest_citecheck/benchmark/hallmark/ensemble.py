"""Ensembles: the predictions of several tools combined by a vote weighted by confidence, by the surest tool, or by the mean.

Source: HALLMARK, arXiv:2607.18360, section on ensembles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from pytest_citecheck.readers.hallmark.schema import Prediction

__all__ = ["RULES", "SUREST", "VOTES", "Voting", "ensemble"]

_LIMIT = 0.5
"""An entry counts as hallucinated above this probability."""


def _suspicion(prediction: Prediction) -> float:
    """The probability that the entry is hallucinated, according to a tool."""
    return prediction.confidence if prediction.label == "HALLUCINATED" else 1 - prediction.confidence


def _decided(said: Sequence[Prediction]) -> list[Prediction]:
    return [prediction for prediction in said if prediction.label != "UNCERTAIN"]


def _vote(said: Sequence[Prediction], weights: Sequence[float]) -> float:
    decided = [(one, weight) for one, weight in zip(said, weights, strict=True) if one.label != "UNCERTAIN"]
    total = fsum(weight for _, weight in decided)
    against = fsum(weight * one.confidence for one, weight in decided if one.label == "HALLUCINATED")
    return against / total if total else _LIMIT


def _mean(said: Sequence[Prediction]) -> float:
    votes = _decided(said)
    return fsum(map(_suspicion, votes)) / len(votes)


def _surest(said: Sequence[Prediction]) -> Prediction:
    """The decided prediction of the highest confidence; of equal ones that of the tool named first."""
    return max(_decided(said), key=lambda prediction: prediction.confidence)


def _any(said: Sequence[Prediction]) -> float:
    return max(map(_suspicion, _decided(said)))


RULES: Mapping[str, Callable[[Sequence[Prediction]], float]] = {"mean": _mean, "any": _any}
"""Rules that turn the predictions for an entry into the probability that it is hallucinated.

``mean``, ``any``: the mean and the largest of the probabilities of the tools that decide.
"""
VOTES = frozenset({"vote", "vote_decided"})
"""Names of HALLMARK's vote: the confidences of HALLUCINATED, weighted, over the weights of the tools that decide."""
SUREST = "max"
"""The rule that has no such probability: the label of the most confident tool."""


@dataclass(frozen=True, slots=True)
class Voting:
    """weights: of the tools in their order; empty: all 1. threshold: an entry is hallucinated above it. For `VOTES` alone."""

    weights: tuple[float, ...] = ()
    threshold: float = _LIMIT


def ensemble(
    keys: Iterable[str], runs: Sequence[Iterable[Prediction]], rule: str, voting: Voting | None = None
) -> list[Prediction]:
    """One prediction per key, in the order of the keys.

    runs: the predictions of each tool; if a tool has several for a key, the last counts. rule: a name in `VOTES` or `RULES`, by
    which an entry is hallucinated if the rule gives more than the threshold (one half), or `SUREST`. Missing predictions are
    ignored; an entry that no tool decides is UNCERTAIN. Raises ValueError if there are not as many weights as tools.
    """
    voting = voting or Voting()
    weights = voting.weights or (1.0,) * len(runs)
    if len(weights) != len(runs):
        raise ValueError(f"{len(weights)} weights for {len(runs)} tools")
    tools = [{prediction.key: prediction for prediction in run} for run in runs]
    decisions = []
    for key in keys:
        given = [(tool[key], weight) for tool, weight in zip(tools, weights, strict=True) if key in tool]
        decisions.append(
            _decision(key, [one for one, _ in given], rule, Voting(tuple(w for _, w in given), voting.threshold))
        )
    return decisions


def _decision(key: str, said: Sequence[Prediction], rule: str, voting: Voting) -> Prediction:
    source = f"ensemble_{rule}"
    sources = tuple(sorted({name for prediction in said for name in prediction.sources}))
    votes = _decided(said)
    seconds, calls = fsum(prediction.seconds for prediction in said), sum(prediction.calls for prediction in said)
    if not votes:
        reason = "no tool decides"
        return Prediction(key, "UNCERTAIN", reason=reason, sources=sources, seconds=seconds, calls=calls, source=source)
    hallucinated, confidence = _judged(said, rule, voting)
    suspecting = sum(vote.label == "HALLUCINATED" for vote in votes)
    return Prediction(
        key,
        "HALLUCINATED" if hallucinated else "VALID",
        confidence=confidence,
        reason=f"{suspecting} of {len(votes)} deciding tools predict HALLUCINATED",
        sources=sources,
        seconds=seconds,
        calls=calls,
        source=source,
    )


def _judged(said: Sequence[Prediction], rule: str, voting: Voting) -> tuple[bool, float]:
    """Whether the entry is hallucinated, and how sure that is; at least one of the predictions is decided."""
    if rule == SUREST:
        surest = _surest(said)
        return surest.label == "HALLUCINATED", surest.confidence
    if rule in VOTES:
        suspicion, limit = _vote(said, voting.weights), voting.threshold
    else:
        suspicion, limit = RULES[rule](said), _LIMIT
    return suspicion > limit, suspicion if suspicion > limit else 1 - suspicion
