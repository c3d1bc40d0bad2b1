"""What a check may say of a reference string whose parts nobody has confirmed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_citecheck.model import Finding

if TYPE_CHECKING:
    from pytest_citecheck.checks.base import Case

__all__ = ["as_read"]

_OF_THE_WHOLE_STRING = frozenset({
    "doi-malformed", "doi-unregistered", "doi-retraction", "doi-removal", "doi-concern", "arxiv-malformed", "arxiv-unknown",
    "rfc-unknown", "url-gone",
})  # fmt: skip
"""What an identifier shows, wherever in the string it stands and whatever stands beside it."""


def as_read(case: Case, finding: Finding) -> Finding:
    """The finding, which is no accusation if it rests on fields that only the most probable reading of a string delimits."""
    if not case.reference.uncertain:
        return finding
    if finding.outcome == "failed" and not _OF_THE_WHOLE_STRING.issuperset(finding.codes):
        return replace(
            finding,
            outcome="unverifiable",
            code="reading-uncertain",
            message=f"{finding.message}; the string is read, without certainty, as {_shown(case)}",
            fixes={},
            also=(),
        )
    if finding.check == "title" and finding.code == "not-found":
        return replace(
            finding,
            code="reading-uncertain",
            message=f"{finding.message}; it is read, without certainty, as {_shown(case)}",
        )
    return finding


def _shown(case: Case) -> str:
    """The parts of the most probable reading."""
    cited = case.cited
    parts = {
        "title": cited.title,
        "authors": ", ".join(map(str, cited.people.names[:3])) + (" …" if len(cited.people.names) > 3 else ""),
        "venue": cited.venue,
        "year": cited.year_text,
    }
    return "; ".join(f"{name} “{value}”" for name, value in parts.items() if value)
