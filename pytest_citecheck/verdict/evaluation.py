"""From a reference and its evidence to findings and a verdict; pure, no I/O."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_citecheck.checks import findings
from pytest_citecheck.checks.base import Case
from pytest_citecheck.matching.claim import Claim
from pytest_citecheck.model import Evidence, Finding, Reference, Verdict
from pytest_citecheck.verdict.rules import decide

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is known of one reference: the case, its six findings, the verdict."""

    case: Case
    findings: Mapping[str, Finding]
    verdict: Verdict


def evaluate(
    reference: Reference, evidence: Evidence, today: datetime.date, known_claim: Claim | None = None
) -> Evaluation:
    """Run the six checks and draw the verdict; pure, no I/O. Reading what the reference claims can be spared."""
    case = Case(reference, evidence, today, known_claim)
    found = findings(case)
    return Evaluation(case, found, decide(case, found))
