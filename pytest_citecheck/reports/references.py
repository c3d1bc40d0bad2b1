"""References of a JSON report: severity of their findings, agreement with their labels, model and query of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import unquote

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = [
    "REPORT_SEVERITIES",
    "WRONG_SHOWN",
    "ReportSeverity",
    "answer_of",
    "codes_of",
    "is_reported",
    "place_of",
    "report_severity",
    "verdict_is_right",
    "verdict_text",
    "wrong_verdicts",
]

Reference = Mapping[str, Any]

ReportSeverity = Literal["error", "demanded", "warning", ""]
REPORT_SEVERITIES: tuple[ReportSeverity, ...] = ("error", "demanded", "warning")
"""The severities that reports show, worst first; ``demanded``: an error only because of ``--citecheck-strict``."""

WRONG_SHOWN = 50
"""How many references with a wrong verdict a report lists."""

_LABELS = {"verified": "VALID", "misdescribed": "HALLUCINATED", "fabricated": "HALLUCINATED"}
_QUERY = lazy_pattern(r"q\d+(?:~\d+)?")


def place_of(reference: Reference) -> str:
    """Where it stands, in words: ``refs.bib:12``; ``paper.pdf, page 12``."""
    path, line = reference.get("path", ""), reference.get("line", "")
    return f"{path}, {reference['unit']} {line}" if reference.get("unit") else f"{path}:{line}"


def verdict_is_right(reference: Reference) -> bool | None:
    """Whether the verdict agrees with the label of the reference; None if either is missing or undecided.

    If the policy predicts labels itself, its label counts (``label`` beside the verdict).
    """
    label = (reference.get("gold") or {}).get("label")
    verdict = reference.get("verdict") or {}
    predicted = verdict.get("label") or _LABELS.get(str(verdict.get("name")))
    if label not in _LABELS.values() or predicted not in _LABELS.values():
        return None
    return bool(predicted == label)


def wrong_verdicts(result: Reference) -> list[Reference]:
    """The labelled references with a wrong verdict: false positives, then missed hallucinations."""
    wrong = [reference for reference in result.get("references") or () if verdict_is_right(reference) is False]
    return sorted(wrong, key=lambda reference: reference["gold"]["label"] != "VALID")


def report_severity(finding: Reference) -> ReportSeverity:
    """The severity of a finding: ``error``, ``demanded``, ``warning``, or empty for none.

    In a report without severities, a failed check is an error.
    """
    severity = finding.get("severity") or ("error" if finding.get("outcome") == "failed" else "ignore")
    if severity == "error" and finding.get("demanded"):
        return "demanded"
    return severity if severity in REPORT_SEVERITIES else ""


def is_reported(finding: Reference) -> bool:
    """Whether reports show a finding as an error or a warning."""
    return bool(report_severity(finding))


def codes_of(finding: Reference) -> list[str]:
    """All codes of a finding, the main one first."""
    return [str(finding.get("code") or ""), *map(str, finding.get("also") or ())]


def verdict_text(reference: Reference) -> tuple[str, str]:
    """The name of the verdict and, for a labelled reference, the predicted hallucination type; each empty if there is none.

    Hallucination types belong to benchmarks; they do not help to correct one's own bibliography.
    """
    verdict = reference.get("verdict") or {}
    return str(verdict.get("name") or ""), str(verdict.get("type") or "") if reference.get("gold") else ""


def answer_of(reference: Reference) -> tuple[str, str] | None:
    """Model and query (``1``; ``1~2`` for its second sample) of a reference in a model's answer; None for other references.

    They are read from its id, ``answers.jsonl::some-model::q1::key``, which is percent-encoded.
    """
    _, *parts = str(reference.get("id") or "").split("::")
    if len(parts) < 3 or not _QUERY.fullmatch(parts[-2]):
        return None
    return unquote(parts[-3]), parts[-2][1:]
