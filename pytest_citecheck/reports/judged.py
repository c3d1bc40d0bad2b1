"""References of the JSON report beside their labels, and beside the model and query that they answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import unquote

__all__ = [
    "HELD",
    "WRONG_SHOWN",
    "Held",
    "answer_of",
    "codes_of",
    "held_against",
    "held_as",
    "verdict_is_right",
    "verdict_text",
    "wrongly_judged",
]

Reference = Mapping[str, Any]

Held = Literal["error", "demanded", "warning", ""]
HELD: tuple[Held, ...] = ("error", "demanded", "warning")
"""As what findings are held against references, the worst first."""

WRONG_SHOWN = 50
"""How many wrongly judged references a report lists."""

_LABELS = {"verified": "VALID", "misdescribed": "HALLUCINATED", "fabricated": "HALLUCINATED"}
_QUERY = re.compile(r"q\d+(?:~\d+)?")


def verdict_is_right(reference: Reference) -> bool | None:
    """Whether the verdict agrees with the label of the reference; None where either is lacking or nothing was decided.

    Under a policy that labels references itself, what it says counts (``label`` beside the verdict).
    """
    label = (reference.get("gold") or {}).get("label")
    verdict = reference.get("verdict") or {}
    predicted = verdict.get("label") or _LABELS.get(str(verdict.get("name")))
    if label not in _LABELS.values() or predicted not in _LABELS.values():
        return None
    return bool(predicted == label)


def wrongly_judged(result: Reference) -> list[Reference]:
    """The labelled references of which the verdict is wrong: valid ones that were accused, then hallucinations not seen."""
    wrong = [reference for reference in result.get("references") or () if verdict_is_right(reference) is False]
    return sorted(wrong, key=lambda reference: reference["gold"]["label"] != "VALID")


def held_as(finding: Reference) -> Held:
    """As what a finding is held against a reference: an error of the policy, one that only ``--citecheck-strict`` demanded, a
    warning, or nothing (empty). A report without severities has no policy.
    """
    severity = finding.get("severity") or ("error" if finding.get("outcome") == "failed" else "ignore")
    if severity == "error" and finding.get("demanded"):
        return "demanded"
    return severity if severity in HELD else ""


def held_against(finding: Reference) -> bool:
    """Whether a finding of the report is to be shown as a failure or a warning."""
    return bool(held_as(finding))


def codes_of(finding: Reference) -> list[str]:
    """All codes of a finding of the report, the first one first."""
    return [str(finding.get("code") or ""), *map(str, finding.get("also") or ())]


def verdict_text(reference: Reference) -> tuple[str, str]:
    """The name of the verdict and, beside a label, the type of hallucination that it looks like; each empty if there is none.

    The types are those of a benchmark: whoever mends a bibliography of his own has no use for them.
    """
    verdict = reference.get("verdict") or {}
    return str(verdict.get("name") or ""), str(verdict.get("type") or "") if reference.get("gold") else ""


def answer_of(reference: Reference) -> tuple[str, str] | None:
    """Model and query (``1``; ``1~2`` in its second sample) of a reference of a model's answer.

    They stand in its id: ``answers.jsonl::some-model::q1::key``, with percent-encoding. None for any other reference.
    """
    _, *parts = str(reference.get("id") or "").split("::")
    if len(parts) < 3 or not _QUERY.fullmatch(parts[-2]):
        return None
    return unquote(parts[-3]), parts[-2][1:]
