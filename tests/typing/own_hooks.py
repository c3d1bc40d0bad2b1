"""Hooks of a conftest.py as users write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, assert_type

import pytest

from pytest_citecheck.api import (
    Check,
    EvidenceData,
    FindingData,
    GoldData,
    Judge,
    Judgement,
    LabelledEntry,
    Metric,
    NoticeData,
    Pairs,
    Policy,
    Prediction,
    Reader,
    ReferenceResult,
    Report,
    RunResult,
    Severity,
    Source,
    SourceUse,
    VerdictData,
)
from tests.typing.own_check import Pages
from tests.typing.own_reader import Tabs
from tests.typing.own_source import Shelf


class Doubt:
    name = "doubt"
    higher_is_better = False

    def compute(self, pairs: Pairs) -> float | None:
        for entry, answer in pairs:
            assert_type(entry, LabelledEntry)
            assert_type(answer, Prediction | None)
        return len(list(pairs.committed())) / len(pairs) if len(pairs) else None


def pytest_citecheck_sources(config: pytest.Config, sources: list[Source]) -> None:
    sources.append(Shelf())


def pytest_citecheck_checks(checks: list[Check]) -> None:
    checks.append(Pages())


class Verbatim:
    name = "verbatim"

    def judge(self, claim: str, source: str) -> Judgement:
        return Judgement("Supported" if claim in source else None)


def pytest_citecheck_judges(judges: list[Judge]) -> None:
    judges.append(Verbatim())


def pytest_citecheck_readers(readers: list[Reader]) -> None:
    readers.append(Tabs())


def pytest_citecheck_policies(config: pytest.Config, policies: list[Policy]) -> None:
    policies.append(Policy("house", codes={"field-missing": "error"}, calls={"warning": "needs a look"}))


def pytest_citecheck_metrics(metrics: list[Metric]) -> None:
    metrics.append(Doubt())


def pytest_citecheck_reports(reports: list[Report]) -> None:
    def keys(result: RunResult) -> str:
        return "\n".join(reference.key for reference in result.references)

    reports.append(Report(Path("keys.txt"), keys))


def pytest_citecheck_results(result: RunResult) -> None:
    assert_type(result.references, Sequence[ReferenceResult])
    assert_type(result.sources, tuple[SourceUse, ...])
    assert_type(result.verdicts(), dict[str, int])
    assert_type(result.checks, tuple[str, ...])
    for reference in result.references:
        assert_type(reference.verdict, VerdictData | None)
        assert_type(reference.notices, tuple[NoticeData, ...])
        assert_type(reference.gold, GoldData | None)
        for name, finding in reference.findings.items():
            assert_type(name, str)
            assert_type(finding, FindingData)
            assert_type(finding["severity"], Severity)
            assert_type(finding["fixes"], dict[str, str])
        for line in reference.evidence:
            assert_type(line, EvidenceData)
            assert_type(line.get("records"), list[str] | None)
    assert_type(result.arena, Mapping[str, Any] | None)
