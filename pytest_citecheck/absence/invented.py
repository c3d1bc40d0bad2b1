"""From the escape probability to the probability that a reference is invented, by Bayes' rule."""

from __future__ import annotations

from pytest_citecheck.absence.controls import Trials
from pytest_citecheck.thresholds import INVENTED_NOT_FOUND, WORTH_OF_A_PRIOR

__all__ = ["probability_invented", "share_of_file"]


def probability_invented(escape: float, prior: float) -> float:
    """The probability that a reference which nobody has found is invented.

    escape: the probability that a real one is not found. prior: the share of invented ones among references like this, before
    anything was looked for. P = π·d / (π·d + (1 - π)·e), where d is the probability that an invented one is not found: nearly 1,
    but for namesakes.
    """
    invented = prior * INVENTED_NOT_FOUND
    real = (1 - prior) * escape
    return invented / (invented + real) if invented + real else 0.0


def share_of_file(prior: float, convicted: Trials) -> float:
    """The share of invented references in a file of which some are convicted of being invented.

    prior: the share elsewhere, which is worth `WORTH_OF_A_PRIOR` references. convicted: how many references of the file positive
    evidence has convicted (``found``), and how many others were checked. Never less than the prior, as most invented ones cannot
    be convicted.
    """
    share = (prior * WORTH_OF_A_PRIOR + convicted.found) / (WORTH_OF_A_PRIOR + convicted.looked_for)
    return max(prior, share)
