"""Absence as evidence: the probability that the sources queried would have missed a real work.

A search that finds nothing says as much as the sources that answered cover works of this kind. `coverage` lists what studies and
counts say about that, `controls` what the run itself shows, `miss` combines both into the probability that a missing reference is
real or invented. docs/absence.md explains the model.
"""

from __future__ import annotations

from pytest_citecheck.absence.calibration import Calibration, CalibrationError
from pytest_citecheck.absence.controls import (
    Controls,
    FileCounts,
    Holdings,
    Known,
    Search,
    Trials,
    is_identified,
    searches,
    trials_of,
)
from pytest_citecheck.absence.coverage import (
    Kind,
    Period,
    Stratum,
    Uncovered,
    expected_misses,
    is_covered_search,
    stratum,
)
from pytest_citecheck.absence.miss import (
    MISS_LIMIT,
    PRIOR_OF_MODELS,
    PRIOR_OF_PAPERS,
    AbsenceContext,
    MissProbability,
    miss_probability,
    probability_invented,
)

__all__ = [
    "MISS_LIMIT",
    "PRIOR_OF_MODELS",
    "PRIOR_OF_PAPERS",
    "AbsenceContext",
    "Calibration",
    "CalibrationError",
    "Controls",
    "FileCounts",
    "Holdings",
    "Kind",
    "Known",
    "MissProbability",
    "Period",
    "Search",
    "Stratum",
    "Trials",
    "Uncovered",
    "expected_misses",
    "is_covered_search",
    "is_identified",
    "miss_probability",
    "probability_invented",
    "searches",
    "stratum",
    "trials_of",
]
