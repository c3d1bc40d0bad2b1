"""Results of runs that were never made, for tests of reports."""

from __future__ import annotations

from typing import Any, cast

from pytest_citecheck.reports import ReferenceResult, RunResult
from tests.support.report_data import finding, reference


def failing(
    key: str, code: str = "title-near-miss", check: str = "title", verdict: str = "misdescribed", **other: Any
) -> Any:
    """Return a reference whose check fails with this code."""
    place = {name: other.pop(name) for name in ("line", "end_line", "path") if name in other}
    found = finding("failed", code, severity="error", demanded=False, said="", also=[], **other)
    return reference(key, verdict, checks={check: found}, **place)


def result_of(*references: dict[str, Any], version: str = "1.2.3") -> RunResult:
    """A run over these references (`report_data.reference`)."""
    return RunResult(version, [_result(one) for one in references], (), ())


def _result(one: dict[str, Any]) -> ReferenceResult:
    return ReferenceResult(
        id=one["id"],
        key=one["key"],
        type=one["type"],
        title=one.get("title", ""),
        path=one["path"],
        line=one["line"],
        end_line=one["end_line"],
        verdict=one["verdict"],
        findings=cast("Any", {name: {**finding(), "also": [], **data} for name, data in one["checks"].items()}),
        notices=tuple(one["notices"]),
        evidence=one["evidence"],
    )
