"""Ensembles: the predictions of several tools combined by confidence-weighted vote, mean or maximum.

Source: HALLMARK, arXiv:2607.18360, section on ensembles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum

from pytest_citecheck.readers.hallmark.schema import Prediction

__all__ = ["RULES", "ensemble"]

_LIMIT = 0.5
"""An entry counts as hallucinated above this probability."""


def _suspicion(prediction: Prediction) -> float:
    """The probability that the entry is hallucinated, according to a tool."""
    return prediction.confidence if prediction.label == "HALLUCINATED" else 1 - prediction.confidence


def _vote(votes: Sequence[Prediction]) -> float:
    total = fsum(vote.confidence for vote in votes)
    against = fsum(vote.confidence for vote in votes if vote.label == "HALLUCINATED")
    return against / total if total else _LIMIT


def _mean(votes: Sequence[Prediction]) -> float:
    return fsum(map(_suspicion, votes)) / len(votes)


def _maximum(votes: Sequence[Prediction]) -> float:
    return max(map(_suspicion, votes))


RULES: Mapping[str, Callable[[Sequence[Prediction]], float]] = {"vote": _vote, "mean": _mean, "max": _maximum}
"""Rules that turn the decided predictions for an entry into the probability that it is hallucinated.

``vote``: the share of HALLUCINATED in the sum of all confidences. ``mean``, ``max``: of the probabilities of the tools.
"""


def ensemble(keys: Iterable[str], runs: Sequence[Iterable[Prediction]], rule: str) -> list[Prediction]:
    """One prediction per key, in the order of the keys.

    runs: the predictions of each tool; if a tool has several for a key, the last counts. rule: a name in `RULES`. An entry is
    hallucinated if the rule gives more than one half. UNCERTAIN and missing predictions are ignored; an entry that no tool
    decides is UNCERTAIN.
    """
    tools = [{prediction.key: prediction for prediction in run} for run in runs]
    return [_decision(key, [tool[key] for tool in tools if key in tool], rule) for key in keys]


def _decision(key: str, said: Sequence[Prediction], rule: str) -> Prediction:
    source = f"ensemble_{rule}"
    sources = tuple(sorted({name for prediction in said for name in prediction.sources}))
    votes = [prediction for prediction in said if prediction.label != "UNCERTAIN"]
    seconds, calls = fsum(prediction.seconds for prediction in said), sum(prediction.calls for prediction in said)
    if not votes:
        reason = "no tool decides"
        return Prediction(key, "UNCERTAIN", reason=reason, sources=sources, seconds=seconds, calls=calls, source=source)
    suspicion = RULES[rule](votes)
    hallucinated = suspicion > _LIMIT
    suspecting = sum(vote.label == "HALLUCINATED" for vote in votes)
    return Prediction(
        key,
        "HALLUCINATED" if hallucinated else "VALID",
        confidence=suspicion if hallucinated else 1 - suspicion,
        reason=f"{suspecting} of {len(votes)} deciding tools predict HALLUCINATED",
        sources=sources,
        seconds=seconds,
        calls=calls,
        source=source,
    )
