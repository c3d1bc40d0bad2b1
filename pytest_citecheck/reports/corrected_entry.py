"""The corrected BibTeX entry of a reference, ready to paste, with the changed fields marked."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pytest_citecheck.checks.corrections import macro_for
from pytest_citecheck.model import Finding, Reference
from pytest_citecheck.text.blanks import MAYBE_BLANKS
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["corrected_entry", "corrected_text"]

_CHANGED, _TO_REMOVE = "\ue000", "\ue001"
_TAIL = lazy_pattern(MAYBE_BLANKS + r"(?:,\s*+)?[})]\s*+$")


def corrected_entry(reference: Reference, findings: Iterable[Finding]) -> list[str]:
    """The lines of the entry with all fixes of these findings applied; empty if nothing of it is wrong.

    What a finding that did not fail knows of a field that the entry lacks (a DOI) is added with them.

    Other fields stay as they are in the file. In the margin, ``>`` marks a changed or new field and ``-`` one to remove. A
    field to remove that shares its line with others is removed from that line, which is marked as changed.
    """
    fixes: dict[str, str] = {}
    findings = list(findings)
    for finding in findings:
        if finding.outcome == "failed":
            for name, value in finding.fixes.items():
                fixes.setdefault(name, value)
    if fixes:
        for finding in findings:
            if finding.outcome != "failed":
                for name, value in finding.fixes.items():
                    if name not in reference.fields:
                        fixes.setdefault(name, value)
    fixes = {name: value for name, value in fixes.items() if value != reference.fields.get(name, "")}
    if not fixes or not reference.text.lstrip().startswith("@"):  # a plain-text reference has no fields to mark
        return []
    from pytest_citecheck.fixing.values import delimited, written_value  # noqa: PLC0415 - for what is wrong only

    year = fixes.get("year", reference.fields.get("year", ""))
    macros = {name: macro_for(reference, name, value, year) for name, value in fixes.items()}
    spans = {name: _field_span(reference.text, name) for name in fixes}
    text, changed = reference.text, set()
    for name, span in sorted(spans.items(), key=lambda item: -(item[1] or (0, 0))[0]):
        if span is None:
            continue
        start, end = span
        if fixes[name]:
            value = macros.get(name) or delimited(text[start:end], written_value(reference, name, fixes[name]))
            text = f"{text[:start]}{_CHANGED}{value}{text[end:]}"
        else:
            text = _without(text, name, start, end)
        changed.add(name)
    added = [name for name in fixes if name not in changed and fixes[name]]
    if not changed and not added:
        return []
    if added:
        body = _TAIL.sub("", text)
        written = {name: macros[name] or f"{{{written_value(reference, name, fixes[name])}}}" for name in added}
        new = ",\n".join(f"{_CHANGED}  {name} = {value}" for name, value in written.items())
        text = f"{body},\n{new},\n}}"
    return [_marked(line) for line in text.splitlines()]


def corrected_text(reference: Reference, findings: Iterable[Finding]) -> str:
    """The corrected entry, ready to paste: without marks, and without the fields to remove; empty if nothing of it is wrong."""
    return "\n".join(line[2:] for line in corrected_entry(reference, findings) if not line.startswith("-"))


def _without(text: str, name: str, start: int, end: int) -> str:
    """The text with the field marked for removal, or without it if it shares its line with other fields."""
    head = re.search(rf"{re.escape(name)}\s*=\s*\Z", text[:start], re.IGNORECASE)
    first = head.start() if head else start
    comma = re.match(r"\s*,[ \t]*", text[end:])
    last = end + (comma.end() if comma else 0)
    before, after = text[text.rfind("\n", 0, first) + 1 : first], text[last:].partition("\n")[0]
    if before.strip() or after.strip():
        return f"{text[:first]}{_CHANGED}{text[last:]}"
    return f"{text[:start]}{_TO_REMOVE}{text[start:]}"


def _marked(line: str) -> str:
    """The line with a mark in its margin."""
    mark = ">" if _CHANGED in line else "-" if _TO_REMOVE in line else " "
    return f"{mark} {line.replace(_CHANGED, '').replace(_TO_REMOVE, '')}".rstrip()


def _field_span(text: str, name: str) -> tuple[int, int] | None:
    """Start and end of the value of a field in the source of an entry, with its delimiters; None if it is not found."""
    match = re.search(rf"(?:^|[,{{(])\s*{re.escape(name)}\s*=\s*", text, re.IGNORECASE | re.MULTILINE)
    if match is None:
        return None
    start = end = match.end()
    depth, quoted = 0, False
    while end < len(text):
        character = text[end]
        if character == "\\":
            end += 2
            continue
        if character == '"' and depth == 0:
            quoted = not quoted
        elif character == "{":
            depth += 1
        elif character == "}":
            if depth == 0:
                break
            depth -= 1
        elif character in ",)" and depth == 0 and not quoted:
            break
        end += 1
    return start, start + len(text[start:end].rstrip())
