"""From the escape probability to the probability that a reference is invented, by Bayes' rule."""

from __future__ import annotations

from pytest_citecheck.thresholds import INVENTED_NOT_FOUND

__all__ = ["probability_invented"]


def probability_invented(escape: float, prior: float) -> float:
    """The probability that a reference which nobody has found is invented.

    escape: the probability that a real one is not found. prior: the share of invented ones among references like this, before
    anything was looked for. P = π·d / (π·d + (1 - π)·e), where d is the probability that an invented one is not found: nearly 1,
    but for namesakes.
    """
    invented = prior * INVENTED_NOT_FOUND
    real = (1 - prior) * escape
    return invented / (invented + real) if invented + real else 0.0
