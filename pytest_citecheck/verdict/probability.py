"""How probable it is that a citation is wrong, given its findings and the rule that decided."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_citecheck.checks.base import Case
from pytest_citecheck.model import Finding
from pytest_citecheck.verdict.rules import Ruling

__all__ = ["probability"]

_BY_RULE = {
    "absent": 0.98, "other-work-behind": 0.97, "denied-preprint": 0.96, "absent-but-alike": 0.95, "wrong": 0.93,
    "denied": 0.9, "denied-while-silent": 0.8, "too-little": 0.5, "silent": 0.3, "doubtful": 0.25, "some-open": 0.04,
    "all-pass": 0.01,
}  # fmt: skip


def probability(case: Case, findings: Mapping[str, Finding], ruling: Ruling) -> float:  # noqa: ARG001
    """The probability (0 to 1) that the citation is wrong."""
    return _BY_RULE[ruling.rule]
