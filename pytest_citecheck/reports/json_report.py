"""The JSON report: findings, verdicts and evidence of a run. Its schema is described in docs/json-report.md."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.checks import TABLE
from pytest_citecheck.reports.results import FindingData, FurtherFailure, ReferenceResult, RunResult, named_verdicts

SCHEMA = "citecheck-report/1"
"""Increase it when a field changes its meaning or is removed, but not for new fields."""


def report_data(result: RunResult, *, evidence: bool = True) -> dict[str, Any]:
    """The report as plain data. It contains no clock time, duration or path of the machine, so that reports can be
    compared.

    evidence: include the evidence of references, which is most of the report.
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
    """Scores by kind of run: ``metrics`` of a single labelled file; ``tools`` for several, as if each were a tool;
    ``arena`` of models; ``claims`` with the verdicts of their judges; ``selfcheck`` with the scores of models about
    references."""
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
    """A reference in the report."""
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
    # This text occurs nowhere else in JSON: a quotation mark within a value has a backslash before it.
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


DEEPEST = 100
"""The most levels of lists and objects in a report, which is read recursively; the report of a run has nine."""

_ONE_OF = frozenset({"schema", "tools", "arena"})

# A shape is a type name (`_TYPES`), a list with the shape of its items, or an object with shapes by name: "*" means every
# name, "!" after a name means required. Null and names that are not listed may be anything.
Shape = Any
_COUNTS: Shape = {"*": "number"}
_TEXTS: Shape = {"*": "text"}
_FINDING: Shape = {
    "outcome!": "text",
    "severity": "text",
    "code": "text",
    "also": ["text"],
    "evidence": "text",
    "likelihood_ratio": "number",
    "fixes": _TEXTS,
    "record": {},
}
_REFERENCE: Shape = {
    "verdict": {},
    "checks": {"*": _FINDING},
    "notices": [{}],
    "evidence": [{"question": {}, "records": []}],
    "gold": {},
    "corrected": "text",
}
_TOOL: Shape = {
    "reliability": [{}],
    "type_confusion": {"rows": ["text"], "columns": ["text"], "counts": [["number"]]},
    "cost": {},
}
_MODEL: Shape = {
    "year_compliance": {},
    "by_discipline": {"*": {}},
    "by_language": {"*": {}},
    "by_sample": {"*": {}},
    "verified_by_source": {},
    "fields": {},
    "usage": {},
    "patterns": [{"cases": ["text"]}],
}
_RANKED: Shape = {"rankings": [_MODEL]}
_NUMBERS: Shape = {"*": "number"}
_JUDGE: Shape = {
    "answered!": "number",
    "parseErrors!": "number",
    "errors!": "number",
    "exact!": {"n!": "number", "correct!": "number", "interval": ["number"], "value": "number", "majority": "number"},
    "lenient!": {"value": "number"},
    "binary!": {"value": "number"},
    "supportedVsRest!": {"value": "number"},
    "macroF1": "number",
    "kappa": "number",
    "confusionMatrix!": {"*": _NUMBERS},
    "calibration!": {"ece": "number"},
    "quotes!": {"verified!": "number", "offered!": "number"},
    "flags!": {"predicted!": "number", "precision": "number", "threshold": _NUMBERS},
    "cost!": {"perCorrect": "number"},
}
_ANSWER: Shape = {
    **{
        f"{name}!": "text" for name in ("judge", "verdict", "comments", "reason_type", "quote", "quote_status", "error")
    },
    "confidence": "number",
    "passage!": ["text"],
    "nearest": ["text"],
    "seen": "text",
    "flags!": ["text"],
}
_PAIR: Shape = {"id!": "text", "path!": "text", "line!": "number", "claim!": "text", "answers!": [_ANSWER]}
_SCORE: Shape = {"score": "number", "threshold": "number", "answers!": [], "reason!": "text"}
_SELFCHECK: Shape = {
    "note!": "text",
    "methods!": ["text"],
    "references!": [{"id!": "text", "models!": ["text"], "scores!": {"*": _SCORE}}],
}
_REPORT: Shape = {
    "summary": {"verdicts": _COUNTS, "checks": {"*": {}}},
    "calls": {},
    "references": [_REFERENCE],
    "sources": [{"unavailable": _COUNTS}],
    "notes": [],
    "metrics": _TOOL,
    "tools": [_TOOL],
    "claims": {"judges!": {"*": _JUDGE}, "pairs!": [_PAIR]},
    "selfcheck": _SELFCHECK,
    "arena": {**_RANKED, "comparisons": [{}], "strict": _RANKED, "lenient": _RANKED},
}
_TYPES: Mapping[str, tuple[type, ...]] = {"text": (str,), "number": (int, float)}


class ReportFileError(ValueError):
    """A file is not a valid report; the message names the file, the place in it, and the problem."""


def read_report(path: Path) -> dict[str, Any]:
    """Read the report of a run, or scores of tools and models. Raises OSError, ReportFileError."""
    try:
        data = json.loads(path.read_bytes())
    except RecursionError:
        raise ReportFileError(f"{path}: invalid JSON: nested too deeply") from None
    except ValueError as error:
        raise ReportFileError(f"{path}: invalid JSON: {error}") from error
    if not isinstance(data, dict) or not data.keys() & _ONE_OF:
        raise ReportFileError(f"{path}: neither the report of a run ({SCHEMA}) nor scores with 'tools' or 'arena'")
    if data.get("schema", SCHEMA) != SCHEMA:
        raise ReportFileError(f"{path}: unsupported schema {data['schema']!r}; this version reads {SCHEMA}")
    if _depth(data) > DEEPEST:
        raise ReportFileError(f"{path}: nested deeper than {DEEPEST} levels")
    for problem in _problems(data, _REPORT, ""):
        raise ReportFileError(f"{path}: {problem}")
    return data


def _depth(data: Any) -> int:
    levels, depth = [data], 0
    while levels:
        depth += 1
        values_of = (value.values() if isinstance(value, dict) else value for value in levels)
        levels = [value for values in values_of for value in values if isinstance(value, dict | list)]
    return depth


def _problems(value: Any, shape: Shape, where: str) -> Iterator[str]:
    """The problems of a value, each with its place in the file."""
    if value is None:
        return
    if isinstance(shape, str):
        if not isinstance(value, _TYPES[shape]) or isinstance(value, bool):
            yield f"{where}: expected {_WORDS[shape]}, found {_named(value)}"
    elif isinstance(shape, list):
        if not isinstance(value, list):
            yield f"{where}: expected a list, found {_named(value)}"
            return
        for place, item in enumerate(value if shape else ()):
            if item is None:
                yield f"{where}[{place}]: expected an item, found null"
            yield from _problems(item, shape[0], f"{where}[{place}]")
    elif not isinstance(value, dict):
        yield f"{where}: expected an object, found {_named(value)}"
    else:
        yield from _problems_of_fields(value, shape, where)


def _problems_of_fields(value: dict[str, Any], shape: Mapping[str, Shape], where: str) -> Iterator[str]:
    for stated, inner in shape.items():
        if stated == "*":
            for name, item in value.items():
                if item is None:
                    yield f"{_within(where, name)}: expected a value, found null"
                yield from _problems(item, inner, _within(where, name))
            continue
        name = stated.removesuffix("!")
        if name != stated and value.get(name) is None:
            yield f"{_within(where, name)}: missing"
        yield from _problems(value.get(name), inner, _within(where, name))


def _within(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


_WORDS = {"text": "text", "number": "a number"}


def _named(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else "an object" if isinstance(value, dict) else "a number"
