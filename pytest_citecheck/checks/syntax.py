"""The syntax finding: what the reader had to repair, or why a block could not be read at all."""

from __future__ import annotations

from pytest_citecheck.checks.base import finding
from pytest_citecheck.model import Finding, Reference

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
    return finding("syntax", "failed", first.code, message)
