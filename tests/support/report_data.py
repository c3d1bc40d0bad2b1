"""A small report as the tests of the pages and charts read it, with titles that want to do harm."""

from __future__ import annotations

from typing import Any, Literal

from pytest_citecheck import reports
from pytest_citecheck.plugin import report_layouts

HOSTILE = (
    "</script><img src=x onerror=\"document.title='owned'\">'|`a`\u202e\x00*b* {{$x}} [l](javascript:alert(1))\u2028"
)
"""Closes elements, runs code, breaks tables, turns text around, ends strings."""


def finding(outcome: str = "passed", code: str = "title-ok", **other: Any) -> dict[str, Any]:
    """Return one check of a reference; fields are empty by default."""
    empty = {
        "waived": False,
        "message": "",
        "cited": "",
        "found": "",
        "diff": "",
        "rule": "",
        "fixes": {},
        "record": None,
    }
    return {"outcome": outcome, "code": code, **empty, **other}


def reference(key: str, verdict: str = "verified", **other: Any) -> dict[str, Any]:
    """Return a reference whose title check passed."""
    return {
        "id": f"refs.bib::{key}",
        "key": key,
        "type": "article",
        "path": "refs.bib",
        "line": 1,
        "end_line": 5,
        "verdict": {"name": verdict, "probability": 0.9 if verdict == "fabricated" else 0.0, "reason": "because"},
        "checks": {"title": finding(found=f"The title of {key}")},
        "notices": [],
        "evidence": [],
        **other,
    }


def report(*references: dict[str, Any], **other: Any) -> dict[str, Any]:
    """A run over these references; its summary counts their verdicts and title checks."""
    names = [one["verdict"]["name"] for one in references]
    outcomes = [one["checks"]["title"]["outcome"] for one in references]
    verdicts = {name: names.count(name) for name in ("verified", "misdescribed", "fabricated", "undecided")}
    titles = {name: outcomes.count(name) for name in ("passed", "failed", "unverifiable")}
    return {
        "schema": "citecheck-report/1",
        "version": "1.2.3",
        "summary": {"references": len(references), "verdicts": verdicts, "checks": {"title": titles}},
        "references": list(references),
        "sources": [],
        "notes": [],
        **other,
    }


def scores(name: str, detection_rate: float, **other: Any) -> dict[str, Any]:
    """The scores of a tool."""
    return {
        "tool_name": name,
        "detection_rate": detection_rate,
        "f1_hallucination": detection_rate,
        "per_type_metrics": {"near_miss_title": {"detection_rate": detection_rate}, "valid": {"detection_rate": 0.0}},
        **other,
    }


def html_page(result: dict[str, Any]) -> str:
    """The page with the sections of all features."""
    return reports.html_page(result, report_layouts())


def markdown_page(result: dict[str, Any], language: Literal["en", "zh", "both"] = "en") -> str:
    """The Markdown report with the sections of all features."""
    return reports.markdown_page(result, language, report_layouts())
