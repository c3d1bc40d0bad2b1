"""The corrected BibTeX entry of a reference, ready to paste, with the changed fields marked."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pytest_citecheck.checks.corrections import macro_for
from pytest_citecheck.model import Finding, Reference
from pytest_citecheck.text.blanks import MAYBE_BLANKS
from pytest_citecheck.text.latex import decode
from pytest_citecheck.text.normal_form import fold

__all__ = ["corrected_entry"]

_CHANGED, _TO_REMOVE = "\ue000", "\ue001"
_ESCAPES = str.maketrans({"&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$", "_": r"\_"})
_VERBATIM = frozenset({"doi", "url", "eprint", "isbn", "issn", "pages", "year", "date", "volume", "number"})
_AND = re.compile(r"[{}]|(?<!\s)\s++and\s++", re.IGNORECASE)
_PROTECTED = re.compile(r"\{([^{}\\]+)\}")
_TAIL = re.compile(MAYBE_BLANKS + r"(?:,\s*+)?[})]\s*+$")


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
    year = fixes.get("year", reference.fields.get("year", ""))
    macros = {name: macro_for(reference, name, value, year) for name, value in fixes.items()}
    spans = {name: _field_span(reference.text, name) for name in fixes}
    text, changed = reference.text, set()
    for name, span in sorted(spans.items(), key=lambda item: -(item[1] or (0, 0))[0]):
        if span is None:
            continue
        start, end = span
        if fixes[name]:
            value = macros.get(name) or _delimited(text[start:end], _latex(reference, name, fixes[name]))
            text = f"{text[:start]}{_CHANGED}{value}{text[end:]}"
        else:
            text = _without(text, name, start, end)
        changed.add(name)
    added = [name for name in fixes if name not in changed and fixes[name]]
    if not changed and not added:
        return []
    if added:
        body = _TAIL.sub("", text)
        written = {name: macros[name] or f"{{{_latex(reference, name, fixes[name])}}}" for name in added}
        new = ",\n".join(f"{_CHANGED}  {name} = {value}" for name, value in written.items())
        text = f"{body},\n{new},\n}}"
    return [_marked(line) for line in text.splitlines()]


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


def _delimited(before: str, value: str) -> str:
    """The value in the delimiters of the one that it replaces: quotation marks, doubled braces, or braces."""
    if before.startswith('"') and before.endswith('"') and "#" not in before and '"' not in value:
        return f'"{value}"'
    doubled = before.startswith("{{") and before.endswith("}}") and "}" not in before[2:-2]
    return f"{{{{{value}}}}}" if doubled else f"{{{value}}}"


def _names(reference: Reference, name: str, value: str) -> str:
    """The names in the order of the record, each as the entry writes it if it has it; new ones in the entry's style."""
    written = _written(reference.raw.get(name, ""))
    as_cited = {_words(one): one for one in reversed(written)}
    inverted = 2 * sum("," in one for one in written) >= len([one for one in written if one != "others"])
    return " and ".join(
        as_cited.get(_words(one)) or (one if inverted or not written[0] else _given_first(one)).replace("&", r"\&")
        for one in value.split(" and ")
    )


def _written(field: str) -> list[str]:
    """The names of a field as they are written: split at each "and" outside braces."""
    names, start, depth = [], 0, 0
    for found in _AND.finditer(field):
        if found[0] in "{}":
            depth += 1 if found[0] == "{" else -1
        elif depth <= 0:
            names.append(field[start : found.start()].strip())
            start = found.end()
    return [*names, field[start:].strip()]


def _words(name: str) -> tuple[str, ...]:
    return tuple(sorted(re.findall(r"\w+", fold(decode(name)))))


def _given_first(name: str) -> str:
    family, comma, given = name.partition(", ")
    if not comma or "," in given:  # one with a suffix has no other form
        return name
    return f"{given} {{{family}}}" if " " in family and not family[0].islower() else f"{given} {family}"


def _latex(reference: Reference, name: str, value: str) -> str:
    if name in _VERBATIM:
        return value
    if name in ("author", "editor"):
        return _names(reference, name, value)
    value = value.translate(_ESCAPES)
    if name == "title":
        # Keep the braces around words whose capitals the author protects.
        for word in dict.fromkeys(_PROTECTED.findall(reference.raw.get(name, ""))):
            value = re.sub(rf"(?<![\w{{]){re.escape(word)}(?![\w}}])", lambda match: f"{{{match[0]}}}", value)
    return value
