"""From a reference and its evidence to findings and a verdict; pure, no I/O."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_citecheck.absence import AbsenceContext
from pytest_citecheck.checks import findings
from pytest_citecheck.checks.base import Case
from pytest_citecheck.model import Evidence, Finding, Reference, Verdict
from pytest_citecheck.verdict.hallucination_types import hallucination_type
from pytest_citecheck.verdict.probability import probability
from pytest_citecheck.verdict.rules import decide

__all__ = ["Evaluation", "evaluate", "opened"]

_WRONG = ("misdescribed", "fabricated")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is known of one reference: the case, its six findings, the verdict."""

    case: Case
    findings: Mapping[str, Finding]
    verdict: Verdict


def opened(reference: Reference, today: datetime.date) -> Case:
    """The case of a reference before any answer."""
    return Case(reference, Evidence(), today)


def evaluate(
    reference: Reference,
    evidence: Evidence,
    today: datetime.date,
    earlier: Case | None = None,
    absences: AbsenceContext | None = None,
) -> Evaluation:
    """Run the six checks and draw the verdict; pure, no I/O.

    earlier: the case of the same reference before further answers came. It saves time and changes nothing.
    absences: what the run knows of absences, once all evidence is gathered; None: an absence says nothing yet.
    """
    case = Case(reference, evidence, today, earlier, absences)
    found = findings(case)
    ruling = decide(case, found)
    kind = hallucination_type(case, found) if ruling.name in _WRONG else ""
    verdict = Verdict(ruling.name, probability(case, found, ruling), ruling.reason, kind)
    return Evaluation(case, found, verdict)
