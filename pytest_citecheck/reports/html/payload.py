"""The references of a run as compact JSON for the page; repeated values are stored once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_citecheck.linking.source_names import source_name
from pytest_citecheck.reports.html.tables import has_severities
from pytest_citecheck.reports.references import answer_of, verdict_is_right, verdict_text
from pytest_citecheck.reports.safe_text import safe_line, safe_lines

__all__ = ["payload_json"]

_MARKUP = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


_sorted = json.JSONEncoder(sort_keys=True).encode


class _Table:
    """Numbered values, each stored once."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[str, int] = {}

    def number(self, value: object) -> int:
        key = _sorted(value)
        if key not in self._numbers:
            self._numbers[key] = len(self.values)
            self.values.append(value)
        return self._numbers[key]


class _Tables:
    """Values that several references share; a reference contains their numbers."""

    def __init__(self) -> None:
        self.findings = _Table()
        self.records = _Table()
        self.questions = _Table()
        self.answers = _Table()
        self.endpoints = _Table()
        self.tails = _Table()

    def finding(self, finding: Mapping[str, Any]) -> int:
        shown = _filled(finding)
        if finding.get("record"):
            shown["record"] = self.records.number(_filled(_named(finding["record"], "source")))
        return self.findings.number(shown)

    def asked(self, asked: Mapping[str, Any]) -> list[int | str]:
        """Source, date, question, answer, endpoint. Many requests share the parameters after the first one."""
        head, ampersand, tail = str(asked.get("endpoint") or "").partition("&")
        answer = {name: asked[name] for name in ("answer", "reason", "detail", "scope", "records") if asked.get(name)}
        return [
            source_name(str(asked.get("source", ""))),
            str(asked.get("date") or ""),
            self.questions.number(asked.get("question") or {}),
            self.answers.number(answer),
            self.endpoints.number([head, self.tails.number(ampersand + tail)]),
        ]


def payload_json(result: Mapping[str, Any]) -> str:
    """``{"references": […], "severities": …, "findings": […], …}`` for a script element of type application/json.

    result: the JSON report of a run (docs/json-report.md). Empty values are omitted. Control and direction characters are
    visible (``safe_text``), and characters that an HTML parser treats specially are escaped.
    """
    tables = _Tables()
    references = [_reference(reference, tables) for reference in result.get("references") or ()]
    data = {
        "references": references,
        "severities": has_severities(result),
        **{name: table.values for name, table in vars(tables).items()},
    }
    shown = _visible(data)
    for reference, of_page in zip(result.get("references") or (), shown["references"], strict=True):
        if reference.get("corrected"):
            of_page["corrected"] = safe_lines(str(reference["corrected"]))
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":")).translate(_MARKUP)


def _reference(reference: Mapping[str, Any], tables: _Tables) -> dict[str, Any]:
    shown = {
        name: value for name, value in _filled(reference).items() if name not in ("id", "end_line", "corrected")
    } | {
        "checks": {name: tables.finding(finding) for name, finding in (reference.get("checks") or {}).items()},
        "title": _title(reference),
        "evidence": [tables.asked(asked) for asked in reference.get("evidence") or ()],
    }
    if reference.get("notices"):
        shown["notices"] = [_named(notice, "stated_by") for notice in reference["notices"]]
    answer = answer_of(reference)
    if answer is not None:
        shown["model"], shown["query"] = answer
    name, kind = verdict_text(reference)
    if name and not kind:
        shown["verdict"] = {part: value for part, value in reference["verdict"].items() if part != "type"}
    if reference.get("gold"):
        right = verdict_is_right(reference)
        shown["decision"] = "undecided" if right is None else "right" if right else "wrong"
    return shown


def _title(reference: Mapping[str, Any]) -> str:
    """The cited title, or the title found if the check passed; otherwise that title belongs to another work."""
    check = (reference.get("checks") or {}).get("title") or {}
    found = check.get("found") if check.get("outcome") == "passed" else ""
    return str(reference.get("title") or check.get("cited") or found or "")


def _named(data: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    """The data with the display name of the source in this field instead of its id."""
    return {**data, field: source_name(str(data[field]))} if data.get(field) else data


def _filled(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data without empty values; zero is not empty."""
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
