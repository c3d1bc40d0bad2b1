"""Reading a JSON report: whoever shows it gets what docs/json-report.md describes, or one line that says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_citecheck.reports.json_report import SCHEMA

__all__ = ["DEEPEST", "ReportFileError", "read_report"]

DEEPEST = 100
"""Levels of lists and objects in a report; one that a run wrote has nine. What is shown is walked through recursively."""

_ONE_OF = frozenset({"schema", "tools", "arena"})

# A shape is the name of a kind (below), a list with the shape of its items, or an object: shapes by name, "*" for all names,
# a name with "!" for what has to be there. What is null or not named here may be anything.
Shape = Any
_COUNTS: Shape = {"*": "number"}
_TEXTS: Shape = {"*": "text"}
_FINDING: Shape = {
    "outcome!": "text",
    "severity": "text",
    "code": "text",
    "also": ["text"],
    "fixes": _TEXTS,
    "record": {},
}
_REFERENCE: Shape = {
    "verdict": {},
    "checks": {"*": _FINDING},
    "notices": [{}],
    "evidence": [{"question": {}, "records": []}],
    "gold": {},
}
_TOOL: Shape = {
    "reliability": [{}],
    "type_confusion": {"rows": ["text"], "columns": ["text"], "counts": [["number"]]},
    "cost": {},
}
_MODEL: Shape = {"year_compliance": {}, "by_discipline": {"*": {}}, "verified_by_source": {}, "fields": {}}
_REPORT: Shape = {
    "summary": {"verdicts": _COUNTS, "checks": {"*": {}}},
    "calls": {},
    "references": [_REFERENCE],
    "sources": [{"unavailable": _COUNTS}],
    "notes": [],
    "metrics": _TOOL,
    "tools": [_TOOL],
    "arena": {"rankings": [_MODEL]},
}
_KINDS: Mapping[str, tuple[type, ...]] = {"text": (str,), "number": (int, float)}


class ReportFileError(ValueError):
    """A file is no report that can be shown; the text names the file, the place in it, and what is wrong there."""


def read_report(path: Path) -> dict[str, Any]:
    """The report in a file: of a run, or scores of tools and models. Raises OSError, ReportFileError."""
    try:
        data = json.loads(path.read_bytes())
    except RecursionError:
        raise ReportFileError(f"{path}: no JSON that can be read: nested too deep") from None
    except ValueError as error:
        raise ReportFileError(f"{path}: no JSON: {error}") from error
    if not isinstance(data, dict) or not data.keys() & _ONE_OF:
        raise ReportFileError(f"{path}: neither the report of a run ({SCHEMA}) nor scores with 'tools' or 'arena'")
    if data.get("schema", SCHEMA) != SCHEMA:
        raise ReportFileError(f"{path}: schema {data['schema']!r}; this version reads {SCHEMA}")
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
    """What is wrong with a value, with its place in the file."""
    if value is None:
        return
    if isinstance(shape, str):
        if not isinstance(value, _KINDS[shape]) or isinstance(value, bool):
            yield f"{where}: {_named(value)} stands where {_WORDS[shape]} is needed"
    elif isinstance(shape, list):
        if not isinstance(value, list):
            yield f"{where}: {_named(value)} stands where a list is needed"
            return
        for place, item in enumerate(value if shape else ()):
            if item is None:
                yield f"{where}[{place}]: null stands where an item is needed"
            yield from _problems(item, shape[0], f"{where}[{place}]")
    elif not isinstance(value, dict):
        yield f"{where}: {_named(value)} stands where an object is needed"
    else:
        yield from _problems_of_fields(value, shape, where)


def _problems_of_fields(value: dict[str, Any], shape: Mapping[str, Shape], where: str) -> Iterator[str]:
    for stated, inner in shape.items():
        if stated == "*":
            for name, item in value.items():
                if item is None:
                    yield f"{_within(where, name)}: null stands where a value is needed"
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
