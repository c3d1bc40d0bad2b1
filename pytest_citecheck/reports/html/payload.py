"""The references of a run as compact JSON for the page: what is said often is stored once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_citecheck.reports.safe_text import safe_line
from pytest_citecheck.reports.scores import verdict_is_right

__all__ = ["payload_json"]

_MARKUP = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


class _Table:
    """Values under their numbers, each stored once."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[str, int] = {}

    def number(self, value: object) -> int:
        key = json.dumps(value, sort_keys=True)
        if key not in self._numbers:
            self._numbers[key] = len(self.values)
            self.values.append(value)
        return self._numbers[key]


def payload_json(result: Mapping[str, Any]) -> str:
    """``{"references": […], "records": […], "endpoints": […]}`` for a script element of type application/json.

    result: the JSON report of a run (docs/json-report.md). In a reference, ``record`` and ``endpoint`` are places in the
    two lists, and what is empty is left out. Control and direction characters are visible (``safe_text``); no character
    that means something to an HTML parser is left.
    """
    records, endpoints = _Table(), _Table()
    references = [_reference(reference, records, endpoints) for reference in result.get("references") or ()]
    data = {"references": references, "records": records.values, "endpoints": endpoints.values}
    return json.dumps(_visible(data), ensure_ascii=False, separators=(",", ":")).translate(_MARKUP)


def _reference(reference: Mapping[str, Any], records: _Table, endpoints: _Table) -> dict[str, Any]:
    checks = {
        name: _filled(check) | ({"record": records.number(_filled(check["record"]))} if check.get("record") else {})
        for name, check in (reference.get("checks") or {}).items()
    }
    evidence = [
        _filled(asked) | ({"endpoint": endpoints.number(asked["endpoint"])} if asked.get("endpoint") else {})
        for asked in reference.get("evidence") or ()
    ]
    shown = _filled(reference) | {"checks": checks, "title": _title(reference), "evidence": evidence}
    right = verdict_is_right(reference)
    if reference.get("gold"):
        shown["decision"] = "undecided" if right is None else "right" if right else "wrong"
    return shown


def _title(reference: Mapping[str, Any]) -> str:
    """The title as cited. A title that was found stands for it only where the check passed: else it is of another work."""
    check = (reference.get("checks") or {}).get("title") or {}
    found = check.get("found") if check.get("outcome") == "passed" else ""
    return str(reference.get("title") or check.get("cited") or found or "")


def _filled(data: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is empty; a zero is not."""
    return {
        name: value
        for name, value in data.items()
        if value is not None and value is not False and value not in ("", [], {}, ())
    }


def _visible(value: Any) -> Any:
    if isinstance(value, str):
        return safe_line(value)
    if isinstance(value, Mapping):
        return {safe_line(str(name)): _visible(part) for name, part in value.items()}
    return [_visible(part) for part in value] if isinstance(value, list | tuple) else value
