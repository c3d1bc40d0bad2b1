"""How probable it is that a citation is wrong, given what the checks found: a logistic regression over the findings.

``data/probability.json`` holds the coefficients, and says over which references they were fitted and when
(``benchmarks/fit_probability.py``). They are log odds ratios; the features are switches:

- the verdict is ``verified``; it accuses, or some check that decides fails; where neither is so, the verdict is open;
- the rule that decided, except of ``verified``, of which the findings say it all;
- for each check that decides: it did not pass; it failed; the code. What is not passed never counts for a citation, what
  failed no less than what is open, and a code more than its outcome or just as much: so does one of which there were no data;
- two, and three, independent origins agree with the citation, which never counts against it;
- a source could not be asked.

That an identifier, a venue or people are not cited is no feature: it says what the reference looks like, not whether it is
right. Nor is completeness, which never decides.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from pytest_citecheck.absence import probability_invented
from pytest_citecheck.checks.base import Case
from pytest_citecheck.model import Finding, VerdictName
from pytest_citecheck.thresholds import MISSED_WHERE_OPEN, MOST_ORIGINS
from pytest_citecheck.verdict.rules import Ruling

__all__ = ["Model", "features", "probability"]

_DECISIVE = ("doi", "title", "authors", "venue", "cross_db")
_ACCUSING = ("misdescribed", "fabricated")
_NOT_CITED = frozenset({"doi-not-cited", "doi-to-add", "title-missing", "authors-missing", "venue-missing"})
_EVEN = 0.5
_BOUNDS: Mapping[VerdictName, tuple[float, float]] = {
    "verified": (0.001, _EVEN),
    "unfindable": (0.0, 0.999),
    "undecided": (0.1, 0.9),
    "misdescribed": (_EVEN, 0.999),
    "fabricated": (_EVEN, 0.999),
}
"""What no coefficients can leave: no probability says the opposite of the verdict, nothing is certain, and what is open is
far from it."""


@dataclass(frozen=True, slots=True)
class Model:
    """Log odds that a citation is wrong before anything is known, and what each feature adds to them."""

    intercept: float
    coefficients: Mapping[str, float]

    def probability(self, verdict: VerdictName, on: Iterable[str]) -> float:
        """The probability, to four decimals, of a citation with this verdict and these features; unknown ones count 0."""
        odds = self.intercept + math.fsum(self.coefficients.get(name, 0.0) for name in on)
        lowest, highest = _BOUNDS[verdict]
        return round(min(max(1 / (1 + math.exp(-odds)), lowest), highest), 4)


@lru_cache(maxsize=1)
def _fitted() -> Model:
    text = files("pytest_citecheck.verdict").joinpath("data/probability.json").read_text(encoding="utf-8")
    stated = json.loads(text)
    return Model(stated["intercept"], stated["coefficients"])


def features(case: Case, findings: Mapping[str, Finding], ruling: Ruling) -> tuple[str, ...]:
    """The switches that are on, as they are named in the data file."""
    on = ["verified"] if ruling.name == "verified" else [f"rule:{ruling.rule}"]
    if ruling.name in _ACCUSING or any(findings[check].outcome == "failed" for check in _DECISIVE):
        on.append("failed")
    for check in _DECISIVE:
        finding = findings[check]
        if finding.outcome != "passed" and finding.code not in _NOT_CITED:
            on += (f"{check}:open", f"{check}:{finding.outcome}:{finding.code}")
            if finding.outcome == "failed":
                on.append(f"{check}:failed")
    agreeing = {work.upstream for work in case.works if not work.authors.code}
    on += (f"agree:{count}" for count in range(2, min(len(agreeing), MOST_ORIGINS) + 1))
    if case.unavailable:
        on.append("unavailable")
    return tuple(on)


def _denied(findings: Mapping[str, Finding]) -> bool:
    """True if another check than the title's fails: then the absence is not all the evidence."""
    return any(finding.outcome == "failed" for name, finding in findings.items() if name != "title")


def probability(case: Case, findings: Mapping[str, Finding], ruling: Ruling) -> float:
    """The probability (0 to 1) that the citation is wrong: at least .5 if it is accused, at most .5 if it is verified.

    Where an absence is evidence it is the probability that the reference is invented (`pytest_citecheck.absence`); a missing
    reference whose absence is none states no more than the references expected to be wrong.
    """
    if (
        ruling.name in ("unfindable", "undecided")
        and case.absences is not None
        and case.is_missing
        and not _denied(findings)
    ):
        if case.miss_probability is not None:
            return case.miss_probability.invented
        if case.open_absence:
            return round(probability_invented(MISSED_WHERE_OPEN, case.absences.prior), 4)
    return _fitted().probability(ruling.name, features(case, findings, ruling))
