"""The corrected BibTeX entry, ready to paste, with only the changed fields marked."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pytest_citecheck.model import Finding, Reference

__all__ = ["corrected_entry"]

_ESCAPES = str.maketrans({"&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$", "_": r"\_"})
_VERBATIM = frozenset({"doi", "url", "eprint", "isbn", "issn", "pages", "year", "date", "volume", "number"})
_PROTECTED = re.compile(r"\{([^{}\\]+)\}")
_TAIL = re.compile(r"\s*,?\s*[})]\s*$")


def corrected_entry(reference: Reference, findings: Iterable[Finding]) -> list[str]:
    """The lines of the entry with every fix of these findings applied; empty if there is none.

    Untouched fields stay as they stand in the file. A changed or new field is marked with ``>`` in the margin, one to
    remove with ``-``.
    """
    fixes: dict[str, str] = {}
    for finding in findings:
        if finding.outcome == "failed":
            for name, value in finding.fixes.items():
                fixes.setdefault(name, value)
    fixes = {name: value for name, value in fixes.items() if value != reference.fields.get(name, "")}
    if not fixes or not reference.text.lstrip().startswith("@"):  # nothing can be marked in a plain sentence
        return []
    spans = {name: _field_span(reference.text, name) for name in fixes}
    text, marks = reference.text, {}
    for name, span in sorted(spans.items(), key=lambda item: -(item[1] or (0, 0))[0]):
        if span is None:
            continue
        mark = ">" if fixes[name] else "-"
        value = text[span[0] : span[1]] if mark == "-" else f"{{{_latex(reference, name, fixes[name])}}}"
        text = f"{text[: span[0]]}\ue000{mark}{value}{text[span[1] :]}"
        marks[name] = mark
    added = [name for name in fixes if name not in marks and fixes[name]]
    if not marks and not added:
        return []
    if added:
        body = _TAIL.sub("", text)
        new = ",\n".join(f"\ue000>  {name} = {{{_latex(reference, name, fixes[name])}}}" for name in added)
        text = f"{body},\n{new},\n}}"
    return [_marked(line) for line in text.splitlines()]


def _marked(line: str) -> str:
    """The line behind a margin that says whether a field on it was changed."""
    if "\ue000" not in line:
        return f"  {line}"
    mark = line[line.index("\ue000") + 1]
    return f"{mark} {line.replace(chr(0xE000) + mark, '')}"


def _field_span(text: str, name: str) -> tuple[int, int] | None:
    """Where the value of a field stands in the source of an entry, delimiters included; None if it is not found there."""
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


def _latex(reference: Reference, name: str, value: str) -> str:
    if name in _VERBATIM:
        return value
    value = value.translate(_ESCAPES) if name not in ("author", "editor") else value.replace("&", r"\&")
    if name == "title":
        # Words whose capitals the author protected stay protected.
        for word in dict.fromkeys(_PROTECTED.findall(reference.raw.get(name, ""))):
            value = re.sub(rf"(?<![\w{{]){re.escape(word)}(?![\w}}])", lambda match: f"{{{match[0]}}}", value)
    return value
