"""Reading and validating a JSON report, so that the other reports can rely on docs/json-report.md."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_citecheck.reports.json_report import SCHEMA

__all__ = ["DEEPEST", "ReportFileError", "read_report"]

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
        held = (value.values() if isinstance(value, dict) else value for value in levels)
        levels = [value for values in held for value in values if isinstance(value, dict | list)]
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
