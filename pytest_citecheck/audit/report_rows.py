"""A judged reference as a row, and as it stands in the JSON report of a run of the plugin."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from pytest_citecheck.checks.syntax import check_syntax
from pytest_citecheck.model import CHECKS, Found
from pytest_citecheck.reports.json_report import reference_data
from pytest_citecheck.reports.places import placed_finding_json
from pytest_citecheck.reports.results import ReferenceResult, asked_json, notice_json, verdict_json
from pytest_citecheck.verdict.policies import SEVERITIES, PolicyContext

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_citecheck.audit.inputs.reading import Cited
    from pytest_citecheck.model import Evidence, Finding, Reference
    from pytest_citecheck.verdict import Evaluation
    from pytest_citecheck.verdict.policies import Policy

__all__ = ["as_row"]


def as_row(
    cited: Cited, evaluation: Evaluation | None, policy: Policy, *, strict: bool, settled: bool
) -> dict[str, Any]:
    """The row of a reference. evaluation: None of what is no reference to a work, or cannot be read."""
    data = reference_data(_result(cited, evaluation, policy, strict=strict))
    checks = data["checks"]
    severities = [finding["severity"] for finding in checks.values()]
    metadata = evaluation.case.cited if evaluation is not None else None
    verdict = data["verdict"] or {}
    return {
        "document": cited.document,
        "id": data["id"],
        "key": data["key"],
        "line": data["line"],
        "type": data["type"],
        "title": data["title"],
        "year": metadata.year if metadata is not None else None,
        "venue": metadata.venue if metadata is not None else "",
        "verdict": verdict.get("name"),
        "probability": verdict.get("probability"),
        "reason": verdict.get("reason"),
        "hallucination": verdict.get("type", ""),
        "severity": min(severities, key=SEVERITIES.index) if severities else None,
        **{
            f"check_{check}": {name: checks[check][name] for name in ("outcome", "code", "also", "severity", "message")}
            for check in checks
        },
        "evidence": _evidence_ids(evaluation.case.evidence) if evaluation is not None else [],
        "settled": settled,
        "report": json.dumps(data, ensure_ascii=False),
    }


def _evidence_ids(evidence: Evidence) -> list[str]:
    found = (
        f"{asked.source} {record.source}:{record.id or record.url}"
        for asked in evidence.asked
        if isinstance(asked.answer, Found)
        for record in asked.answer.records
    )
    return list(dict.fromkeys(found))


def _result(cited: Cited, evaluation: Evaluation | None, policy: Policy, *, strict: bool) -> ReferenceResult:
    reference = cited.reference
    found: dict[str, Finding] = {}
    if any(not defect.note for defect in reference.defects):
        found["syntax"] = check_syntax(reference)
    notices: tuple[Any, ...] = ()
    if evaluation is not None:
        found |= {check: evaluation.findings[check] for check in CHECKS}
        notices = tuple(
            notice_json(notice) | {"alarming": notice in evaluation.case.alarming_notices}
            for notice in evaluation.case.notices
        )
    findings = {check: _finding(one, reference, check, evaluation, policy, strict) for check, one in found.items()}
    return ReferenceResult.of(
        reference,
        cited.id,
        cast("Any", verdict_json(evaluation.verdict, evaluation.case.miss_probability))
        if evaluation is not None
        else None,
        cast("Mapping[str, Any]", findings),
        notices=notices,
        evidence=asked_json(evaluation.case.evidence) if evaluation is not None else (),
    )


def _finding(
    finding: Finding, reference: Reference, check: str, evaluation: Evaluation | None, policy: Policy, strict: bool
) -> dict[str, Any]:
    of_syntax = check == "syntax" or evaluation is None
    context = PolicyContext() if of_syntax or evaluation is None else PolicyContext.of(evaluation)
    decision = policy.decide(finding, context, demanded=strict)
    return placed_finding_json(finding, reference, check) | {
        "severity": decision.severity,
        "said": decision.said,
        "demanded": decision.demanded,
        "waived": False,
    }
