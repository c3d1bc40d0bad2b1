"""What the JUnit XML of shards says together, as the result that `pytest_citecheck_results` receives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from pytest_citecheck import __version__
from pytest_citecheck.model import CHECKS
from pytest_citecheck.reports.results import ReferenceResult, RunResult, SourceUse, gold_json

if TYPE_CHECKING:
    from pytest_citecheck.cli.benchmark.score.junit_file import Suite
    from pytest_citecheck.reports.results import FindingData, VerdictData

__all__ = ["merged_result"]

Properties = Mapping[str, str]


def merged_result(
    suites: Sequence[Suite], documents: Sequence[Mapping[str, Any]], arena: Mapping[str, Any] | None
) -> RunResult:
    """One result of the suites; of a check of a reference that occurs twice the first counts.

    What JUnit XML does not state is empty: titles, messages, cited and found values, evidence.
    """
    references: dict[str, dict[str, Properties]] = {}
    for suite in suites:
        for case in suite.cases:
            if "citecheck.id" in case:
                references.setdefault(case["citecheck.id"], {}).setdefault(case["citecheck.check"], case)
    own = dict.fromkeys(check for checks in references.values() for check in checks if check not in ("syntax", *CHECKS))
    order = ("syntax", *CHECKS, *own)
    return RunResult(
        __version__,
        tuple(_reference(name, checks, order) for name, checks in references.items()),
        _sources(suites),
        scores=tuple(documents),
        arena=arena,
        policy=next(
            (suite.properties["citecheck.policy"] for suite in suites if "citecheck.policy" in suite.properties), ""
        ),
        checks=order,
    )


def _reference(name: str, checks: Mapping[str, Properties], order: Iterable[str]) -> ReferenceResult:
    findings = {check: _finding(checks[check]) for check in order if check in checks}
    one = next((case for case in checks.values() if case.get("citecheck.verdict")), next(iter(checks.values())))
    line = int(one.get("citecheck.line", "0"))
    path = one.get("citecheck.file", "")
    return ReferenceResult(
        name, one.get("citecheck.key", ""), "", "", path, line, line, _verdict(one), findings, (), (), gold_json(one)
    )  # fmt: skip


def _finding(case: Properties) -> FindingData:
    finding: dict[str, Any] = dict.fromkeys(("said", "message", "cited", "found", "diff", "rule"), "")
    finding |= {name: case.get(f"citecheck.{name}", "") for name in ("outcome", "severity", "code")}
    finding |= {"also": case.get("citecheck.also", "").split(), "fixes": {}, "record": None}
    return cast("FindingData", finding | {"demanded": False, "waived": False})


def _verdict(case: Properties) -> VerdictData | None:
    if not case.get("citecheck.verdict"):
        return None
    optional = {name: case[f"citecheck.{name}"] for name in ("type", "label") if case.get(f"citecheck.{name}")}
    stated = {"name": case["citecheck.verdict"], "probability": float(case["citecheck.probability"]), "reason": ""}
    return cast("VerdictData", stated | optional)


def _sources(suites: Iterable[Suite]) -> tuple[SourceUse, ...]:
    """What all runs together asked of each source."""
    counts: dict[str, Counter[str]] = {}
    for suite in suites:
        for name, value in suite.properties.items():
            _, kind, source = (*name.split(".", 2), "", "")[:3]
            if kind in ("requests", "unavailable"):
                counts.setdefault(source, Counter())[kind] += int(value)
    return tuple(
        SourceUse(name, name, count["requests"], 0, 0, 0, 0, {"": count["unavailable"]} if count["unavailable"] else {})
        for name, count in counts.items()
    )
