"""Findings of references as lines, and the references without recorded answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, cast

from pytest_citecheck import __version__
from pytest_citecheck.checks import PolicyContext, check_syntax
from pytest_citecheck.model import Unavailable
from pytest_citecheck.reports import (
    ReferenceResult,
    RunResult,
    field_place,
    finding_json,
    line_of,
    problems,
    verdict_json,
)

if TYPE_CHECKING:
    from pytest_citecheck.checks import Evaluation
    from pytest_citecheck.model import Finding, Reference
    from pytest_citecheck.plugin import CitecheckSession
    from pytest_citecheck.reports import FindingData, Problem, VerdictData

_NOT_ASKED = frozenset({"not-recorded", "offline", "damaged-recording"})


def is_unrecorded(evaluation: Evaluation) -> bool:
    """Return True if a check is open because answers are not recorded. A work that is settled without them does not
    count."""
    open_ = {finding.code for finding in evaluation.findings.values() if finding.outcome == "unverifiable"}
    if not open_ & {"not-recorded", "unavailable"}:
        return False
    unanswered = [one.answer for one in evaluation.case.evidence.asked if isinstance(one.answer, Unavailable)]
    return not unanswered or any(answer.reason in _NOT_ASKED for answer in unanswered)


def problems_of(reference: Reference, evaluation: Evaluation, session: CitecheckSession) -> list[Problem]:
    """The errors, warnings and hints about a reference, under policy and waivers of the session."""
    findings = {**({"syntax": check_syntax(reference)} if _badly_written(reference) else {}), **evaluation.findings}
    result = ReferenceResult.of(
        reference,
        reference.key,
        cast("VerdictData", verdict_json(evaluation.verdict, evaluation.case.miss_probability)),
        cast("Mapping[str, FindingData]", dict(_judged(findings, reference, evaluation, session))),
    )
    return list(problems(RunResult(__version__, [result], ())))


def _badly_written(reference: Reference) -> bool:
    return any(not defect.note for defect in reference.defects)


def _judged(
    findings: Mapping[str, Finding], reference: Reference, evaluation: Evaluation, session: CitecheckSession
) -> Iterator[tuple[str, dict[str, object]]]:
    settings, context = session.settings, PolicyContext.of(evaluation)
    for check, finding in findings.items():
        decision = settings.policy.decide(finding, context, demanded=settings.strict)
        waived = session.waivers.of_finding(reference, finding, decision.severity) is not None
        data = finding_json(finding)
        place = field_place(reference, check, data)
        yield (
            check,
            {
                **data,
                **({"place": place} if place is not None else {}),
                "severity": decision.severity,
                "said": decision.said,
                "demanded": decision.demanded,
                "waived": waived,
            },
        )


def lines(found: list[Problem]) -> Iterator[str]:
    """A line for each error and warning without a waiver."""
    return (line_of(one) for one in found if one.level != "info" and not one.waived)
