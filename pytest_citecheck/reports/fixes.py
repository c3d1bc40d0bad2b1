"""The corrected BibTeX entry, ready to paste, with only the changed fields marked."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_citecheck.model import Finding, Reference

__all__ = ["corrected_entry"]

_ESCAPES = str.maketrans({"&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$", "_": r"\_"})
_VERBATIM = frozenset({"doi", "url", "eprint", "isbn", "issn", "pages", "year", "date", "volume", "number", "author"})


def corrected_entry(reference: Reference, findings: Iterable[Finding]) -> list[str]:
    """The lines of the entry with every fix of these findings applied; empty if there is none.

    Untouched fields keep their value as written (inherited ones included). A changed or new field is marked with ``>``
    in the first column, one to remove with ``-``.
    """
    fixes: dict[str, str] = {}
    for finding in findings:
        if finding.outcome == "failed":
            for name, value in finding.fixes.items():
                fixes.setdefault(name, value)
    fixes = {name: value for name, value in fixes.items() if value != reference.fields.get(name, "")}
    if not fixes:
        return []
    lines = [f"@{reference.type}{{{reference.key},"]
    width = max(len(name) for name in (*reference.raw, *fixes))
    for name in (*reference.raw, *(name for name in fixes if name not in reference.raw)):
        if name not in fixes:
            lines.append(f"  {name.ljust(width)} = {{{reference.raw[name]}}},")
        elif fixes[name]:
            lines.append(f"> {name.ljust(width)} = {{{_latex(name, fixes[name])}}},")
        else:
            lines.append(f"- {name.ljust(width)} = {{{reference.raw[name]}}},")
    lines.append("}")
    return lines


def _latex(name: str, value: str) -> str:
    return value if name in _VERBATIM else value.translate(_ESCAPES)
