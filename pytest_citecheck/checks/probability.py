"""The probability that a citation is wrong, from the table of levels: prior odds times the likelihood ratios that decided.

The numbers are those that decide about errors and warnings (`pytest_citecheck.checks.levels`), so no probability contradicts a
level or a verdict. docs/evidence/probability.md shows how often it is right.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from pytest_citecheck.checks.base import ReferenceCase
from pytest_citecheck.checks.levels import level_of, posterior
from pytest_citecheck.checks.places import OF_THE_LOCATOR
from pytest_citecheck.evidence import probability_invented
from pytest_citecheck.model import Finding, VerdictName
from pytest_citecheck.thresholds import EARNED, MISSED_WHERE_OPEN, PRIOR_OF_PAPERS, PROBABLE

_ACCUSING: Final = ("misdescribed", "fabricated")
_WRONG_IN_PAPERS: Final = 0.033
"""Share of wrong references in real bibliographies: 105 of 3,212 (`python -m benchmarks.real_bibliographies`)."""
_VERIFIED: Final = 0.05
"""How many times as often wrong references are verified as right ones: .01 for made-up damages (`benchmarks.export_rule`), .24
for mistakes of people; this is the geometric mean."""
_OPEN: Final = 2.4
"""The same of works that are known and stay open: 24% of the damaged ones, 10% of the right ones (`benchmarks.export_rule`).
Where no source has the work, and no absence counts, nothing was learned: 59 of 140 such references of two splits are wrong."""
_DEPENDENCE: Final = 0.5
"""Exponent of all likelihoods but the strongest: findings about one reference often have one cause."""
_LEAST: Final = 0.001


def probability(case: ReferenceCase, findings: Mapping[str, Finding], verdict: VerdictName) -> float:
    """Return the probability that the citation is wrong, 0.001 to 0.999: at least `EARNED` if it is judged wrong, at most 0.5 if
    it is verified.

    If an absence is evidence, it is the probability that the reference is invented (`pytest_citecheck.evidence.absence`).
    """
    absent = _of_absence(case, findings, verdict)
    if absent is not None:
        return absent
    first, *rest = sorted(_against(case, findings), reverse=True) or [0.0]
    known = case.works or case.near_matches or case.identifier_targets
    ratio = _VERIFIED if verdict == "verified" else _OPEN if known else 1.0
    start = posterior(max(_prior(case), _WRONG_IN_PAPERS), ratio)
    right = (1 - start) * (1 - first) * math.prod(1 - chance for chance in rest) ** _DEPENDENCE
    least, most = (EARNED, 1.0) if verdict in _ACCUSING else (0.0, 0.5 if verdict == "verified" else 1.0)
    return round(min(max(1 - right, least, _LEAST), most, 1 - _LEAST), 4)


def _against(case: ReferenceCase, findings: Mapping[str, Finding]) -> list[float]:
    """The probabilities that the findings against the citation are right."""
    chances = []
    for finding in findings.values():
        failed = finding.outcome == "failed" and finding.check != "completeness"
        if finding.code in OF_THE_LOCATOR or not (failed or finding.evidence):
            continue
        chance = EARNED if failed else PROBABLE if finding.level == "warning" else 0.0
        if finding.evidence:
            row = level_of(finding.code, finding.evidence)
            chance = max(chance, row.precision, posterior(_prior(case), finding.likelihood_ratio))
        chances.append(chance)
    return chances


def _prior(case: ReferenceCase) -> float:
    """The expected share of wrong references of the run: the probability does not depend on the other references of a file."""
    return case.absences.prior if case.absences else PRIOR_OF_PAPERS


def _of_absence(case: ReferenceCase, findings: Mapping[str, Finding], verdict: VerdictName) -> float | None:
    """The probability of a reference whose absence is all the evidence; None of any other."""
    elsewhere = any(finding.outcome == "failed" for name, finding in findings.items() if name != "title")
    if verdict in _ACCUSING or verdict == "verified" or case.absences is None or not case.is_missing or elsewhere:
        return None
    if findings["title"].evidence:
        return None  # a list or a work speaks against it
    if case.miss_probability is not None:
        return case.miss_probability.invented
    return round(probability_invented(MISSED_WHERE_OPEN, case.absences.prior), 4) if case.open_absence else None
