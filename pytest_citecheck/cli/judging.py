"""Findings of references as lines, and the references without recorded answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from pytest_citecheck import __version__
from pytest_citecheck.checks import DUPLICATES, PolicyContext, check_syntax, conflicts, duplicates_finding
from pytest_citecheck.model import Unavailable
from pytest_citecheck.reports import (
    FurtherFailure,
    ReferenceResult,
    RunResult,
    asked_json,
    corrected_text,
    headline,
    line_of,
    notices_json,
    placed_finding_json,
    problems,
    verdict_json,
)

if TYPE_CHECKING:
    from pytest_citecheck.checks import Evaluation
    from pytest_citecheck.model import Finding, Reference
    from pytest_citecheck.plugin import CitecheckSession
    from pytest_citecheck.reports import EvidenceData, FindingData, NoticeData, Problem, VerdictData

_NOT_ASKED = frozenset({"not-recorded", "offline", "damaged-recording"})


def is_unanswered(evaluation: Evaluation) -> bool:
    """Return True if sources were needed, and none answered."""
    asked = evaluation.case.evidence.asked
    return bool(asked) and all(isinstance(one.answer, Unavailable) for one in asked)


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
    return list(problems(RunResult(__version__, [result_of(reference, evaluation, session)], ())))


def result_of(reference: Reference, evaluation: Evaluation | None, session: CitecheckSession) -> ReferenceResult:
    """The result for a reference as in the reports of a run. evaluation: None for one that cannot be looked up."""
    findings = {"syntax": check_syntax(reference)} if _badly_written(reference) else {}
    verdict: VerdictData | None = None
    notices: tuple[NoticeData, ...] = ()
    if evaluation is not None:
        findings |= evaluation.findings
        verdict = cast("VerdictData", verdict_json(evaluation.verdict, evaluation.case.miss_probability))
        notices = notices_json(evaluation.case)
    context = PolicyContext.of(evaluation) if evaluation is not None else PolicyContext()
    return ReferenceResult.of(
        reference,
        reference.key,
        verdict,
        cast("Mapping[str, FindingData]", dict(_judged(findings, reference, context, session))),
        notices=notices,
        evidence=cast("Iterable[EvidenceData]", asked_json(evaluation.case.evidence) if evaluation is not None else ()),
        corrected=corrected_text(reference, evaluation.findings.values()) if evaluation is not None else "",
    )


def conflicts_of(references: Sequence[Reference], session: CitecheckSession) -> tuple[FurtherFailure, ...]:
    """The failure of the entries of a file as a set: they contradict each other, or cite a work twice."""
    found = conflicts(references)
    if not found or all(session.waivers.match(one.second.key, DUPLICATES) for one in found):
        return ()
    finding = duplicates_finding(found)
    if session.settings.policy.severity(finding, PolicyContext()) != "error" or finding.outcome != "failed":
        return ()
    where = next((one for one in found if not one.open), found[0]).second.location
    return (FurtherFailure(where.path, where.line, finding.code, headline(finding).partition(": ")[2]),)


def _badly_written(reference: Reference) -> bool:
    return any(not defect.note for defect in reference.defects)


def _judged(
    findings: Mapping[str, Finding], reference: Reference, context: PolicyContext, session: CitecheckSession
) -> Iterator[tuple[str, dict[str, object]]]:
    settings = session.settings
    for check, finding in findings.items():
        decision = settings.policy.decide(finding, context, demanded=settings.strict)
        waived = session.waivers.of_finding(reference, finding, decision.severity) is not None
        yield (
            check,
            {
                **placed_finding_json(finding, reference, check),
                "severity": decision.severity,
                "said": decision.said,
                "demanded": decision.demanded,
                "waived": waived,
            },
        )


def lines(found: list[Problem]) -> Iterator[str]:
    """A line for each error and warning without a waiver."""
    return (line_of(one) for one in found if one.level != "info" and not one.waived)
