"""The syntax finding: what the reader had to repair, or why a block could not be read at all."""

from __future__ import annotations

from pytest_citecheck.checks.base import finding
from pytest_citecheck.checks.corrections import in_bibtex
from pytest_citecheck.model import Finding, NameList, Reference
from pytest_citecheck.readers.bibtex.names import NAME_FIELDS, name_list, separated_otherwise

__all__ = ["check_syntax"]


def check_syntax(reference: Reference) -> Finding:
    """Passed if the entry is written well (or merely noted upon), else failed with every defect and its line."""
    defects = [defect for defect in reference.defects if not defect.note]
    if not defects:
        return finding("syntax", "passed", "syntax-ok", "well-formed BibTeX")
    first = next((defect for defect in defects if defect.fatal), defects[0])
    message = "; ".join(
        defect.message if defect.line == reference.location.line else f"{defect.message} (line {defect.line})"
        for defect in (first, *(defect for defect in defects if defect is not first))
    )
    return finding("syntax", "failed", first.code, message, fixes=_name_lists(reference))


def _name_lists(reference: Reference) -> dict[str, str]:
    """The fields of names as BibTeX wants them, where something else separates the names."""
    if all(defect.code != "name-separators" for defect in reference.defects):
        return {}
    wrong = [name for name in NAME_FIELDS if separated_otherwise(reference.raw.get(name, ""))]
    return {name: _joined(name_list(reference.raw[name])) for name in wrong}


def _joined(people: NameList) -> str:
    return " and ".join([*map(in_bibtex, people.names), *(["others"] if people.others else [])])
