"""The JSON report: findings, verdicts and evidence of a run. Its schema is described in docs/json-report.md."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_citecheck.checks.codes import TABLE
from pytest_citecheck.reports.results import FindingData, FurtherFailure, ReferenceResult, RunResult, named_verdicts
from pytest_citecheck.whole_file import write_whole

__all__ = ["SCHEMA", "json_pieces", "reference_data", "report_data", "write_json"]

SCHEMA = "citecheck-report/1"
"""Raised when a field changes its meaning or goes away; new fields do not raise it."""


def report_data(result: RunResult, *, evidence: bool = True) -> dict[str, Any]:
    """The report as plain data. It holds no clock, no duration and no path of the machine, so that it can be compared.

    evidence: whether references have theirs, which is most of the report.
    """
    references = map(reference_data, result.references)
    return _framed(result, [one if evidence else {**one, "evidence": []} for one in references])


def _framed(result: RunResult, references: list[dict[str, Any]]) -> dict[str, Any]:
    counts: Counter[tuple[str, str]] = Counter()
    verdicts: Counter[str] = Counter()
    for reference in result.references:
        counts.update((check, finding["outcome"]) for check, finding in reference.findings.items())
        if reference.verdict:
            verdicts[reference.verdict["name"]] += 1
    outcomes = {
        check: {name: counts[check, name] for name in ("passed", "failed", "unverifiable")}
        for check in result.checks
        if any(counts[check, name] for name in ("passed", "failed", "unverifiable"))
    }
    return (
        {
            "schema": SCHEMA,
            "version": result.version,
            "policy": result.policy,
            "calls": dict(result.calls),
            "strict": result.strict,
            **({"command": result.command} if result.command else {}),
            "summary": {
                "references": len(result.references),
                "verdicts": named_verdicts(verdicts),
                "checks": outcomes,
                **({"coverage": result.coverage.data()} if result.coverage is not None else {}),
            },
            "references": references,
            "sources": [
                {
                    "name": source.name,
                    "label": source.label,
                    "requests": source.requests,
                    "replayed": source.replayed,
                    "cached": source.cached,
                    "local": source.local,
                    "answered": source.answered,
                    "unavailable": dict(source.unavailable),
                }
                for source in result.sources
            ],
            "notes": list(result.notes),
        }
        | _unread(result)
        | ({"further": [_further(one) for one in result.further]} if result.further else {})
        | _scores(result)
    )


def _unread(result: RunResult) -> dict[str, Any]:
    files = [{"path": path, "reason": reason} for path, reason in result.unread().items()]
    return {"unread": files} if files else {}


def _further(failure: FurtherFailure) -> dict[str, Any]:
    check = next(row.check for row in TABLE if row.name == failure.code)
    return {
        "path": failure.path,
        "line": max(failure.line, 1),
        "check": check,
        "code": failure.code,
        "message": failure.message,
    }


def _scores(result: RunResult) -> dict[str, Any]:
    """``metrics`` of a single labelled file; of several, ``tools`` as if each had been a tool of its own; ``arena`` of models;
    ``claims`` with the verdicts of their judges; ``selfcheck`` with the scores of models about references.
    """
    scored: dict[str, Any] = {}
    if len(result.scores) == 1:
        scored["metrics"] = result.scores[0]
    elif result.scores:
        scored["tools"] = [{**scores, "tool_name": scores["split_name"]} for scores in result.scores]
    if result.arena:
        scored["arena"] = result.arena
    if result.claims:
        scored["claims"] = result.claims
    if result.selfcheck:
        scored["selfcheck"] = result.selfcheck
    return scored


def reference_data(reference: ReferenceResult) -> dict[str, Any]:
    """A reference as it stands in the report."""
    return {
        "id": reference.id,
        "key": reference.key,
        "type": reference.type,
        "title": reference.title,
        "path": reference.path,
        "line": reference.line,
        "end_line": reference.end_line,
        "verdict": reference.verdict,
        "checks": {check: _finding(finding) for check, finding in reference.findings.items()},
        "notices": list(reference.notices),
        "evidence": list(reference.evidence),
        **({"gold": reference.gold} if reference.gold else {}),
        **({"corrected": reference.corrected} if reference.corrected else {}),
        **({"unit": reference.unit} if reference.unit != "line" else {}),
        **({"submission": reference.submission} if reference.submission else {}),
    }


def _finding(finding: Mapping[str, Any]) -> dict[str, Any]:
    # The payload of a check has more keys, and the likelihood ratio only on single evidence.
    return {name: finding[name] for name in FindingData.__annotations__ if name in finding}


def write_json(path: Path, result: RunResult) -> None:
    """Write the report; an existing file is replaced only by a whole new one. Raises OSError."""
    write_whole(path, json_pieces(result))


def json_pieces(result: RunResult) -> Iterator[str]:
    """`report_data` as text, a reference at a time: of all of them together it takes gigabytes."""
    # In a text of JSON this stands nowhere else: a quotation mark within a value has a backslash before it.
    before, after = _text(_framed(result, [])).split('"references": []')
    if not result.references:
        yield f'{before}"references": []{after}\n'
        return
    yield f'{before}"references": ['
    for place, reference in enumerate(result.references):
        yield f"{',' if place else ''}\n  {_reference_text(reference_data(reference))}"
    yield f"\n ]{after}\n"


def _reference_text(reference: dict[str, Any]) -> str:
    """A reference with a line for each value, check and answer: with ``indent``, json does not use its fast encoder."""
    parts = []
    for name, value in reference.items():
        if name == "checks" and value:
            checks = ",\n".join(f"    {_line(check)}: {_line(finding)}" for check, finding in value.items())
            parts.append(f'   "checks": {{\n{checks}\n   }}')
        elif name == "evidence" and value:
            answers = ",\n".join(f"    {_line(answer)}" for answer in value)
            parts.append(f'   "evidence": [\n{answers}\n   ]')
        else:
            parts.append(f"   {_line(name)}: {_line(value)}")
    return "{\n" + ",\n".join(parts) + "\n  }"


_line = json.JSONEncoder(ensure_ascii=False).encode


def _text(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1)
