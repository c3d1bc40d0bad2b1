"""The syntax finding: what the reader had to repair, or why a block could not be read at all."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from pytest_citecheck.checks.base import finding
from pytest_citecheck.checks.codes import Severity, default_severity
from pytest_citecheck.checks.corrections import in_bibtex
from pytest_citecheck.model import Defect, Finding, NameList, Reference
from pytest_citecheck.readers.bibtex.names import NAME_FIELDS, name_list, separated_otherwise

__all__ = ["check_syntax"]

_SEVERITIES = get_args(Severity)


def check_syntax(reference: Reference) -> Finding:
    """Pass a well-formed entry; otherwise fail with every defect and its line, the worst defect first."""
    defects = [defect for defect in reference.defects if not defect.note]
    if not defects:
        return finding("syntax", "passed", "syntax-ok", "well-formed BibTeX")
    first = min(defects, key=_rank)
    message = "; ".join(
        defect.message if defect.line == reference.location.line else f"{defect.message} (line {defect.line})"
        for defect in (first, *(defect for defect in defects if defect is not first))
    )
    found = finding("syntax", "failed", first.code, message, fixes=_name_lists(reference))
    return replace(found, also=tuple(dict.fromkeys(one.code for one in defects if one.code != first.code)))


def _rank(defect: Defect) -> tuple[bool, int]:
    return not defect.fatal, _SEVERITIES.index(default_severity("failed", defect.code))


def _name_lists(reference: Reference) -> dict[str, str]:
    """The fields of names as BibTeX wants them, where something else separates the names."""
    if all(defect.code != "name-separators" for defect in reference.defects):
        return {}
    wrong = [name for name in NAME_FIELDS if separated_otherwise(reference.raw.get(name, ""))]
    return {name: _joined(name_list(reference.raw[name])) for name in wrong}


def _joined(people: NameList) -> str:
    return " and ".join([*map(in_bibtex, people.names), *(["others"] if people.others else [])])
