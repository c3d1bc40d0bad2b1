"""The checks, and the one way to run them.

A new check is one new file here, ``NAME.py`` with the function ``check_NAME``, and its codes in ``codes.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module

from pytest_citecheck.checks.base import ReferenceCase
from pytest_citecheck.checks.codes import CHECKS
from pytest_citecheck.checks.corrections import sound_fixes
from pytest_citecheck.evidence import source_name
from pytest_citecheck.model import Finding

_CHECKS: Mapping[str, Callable[[ReferenceCase], Finding]] = {
    name: getattr(import_module(f"pytest_citecheck.checks.{name}"), f"check_{name}") for name in CHECKS
}

_OF_THE_WHOLE_STRING = frozenset({
    "doi-malformed", "doi-unregistered", "doi-retraction", "doi-removal", "doi-concern", "arxiv-malformed", "arxiv-unknown",
    "rfc-unknown", "url-gone",
})  # fmt: skip
"""Identifiers found anywhere in a reference string."""


def findings(case: ReferenceCase) -> dict[str, Finding]:
    """The finding of each check, in the order of the checks.

    A compiled record may confirm a citation, but an error must follow without it: corrupt records of aggregators caused
    one in six false positives of another tool (rpatrik96/bibtexupdater#71).
    """
    found = {name: _judged(case, name) for name in CHECKS}
    doubtful = [
        name
        for name, finding in found.items()
        if (finding.outcome == "failed" or finding.likelihood_ratio) and name != "completeness"
    ]
    if not doubtful or not case.compiled:
        return found
    strict = case.without_compiled()
    for name in doubtful:
        again = _judged(strict, name)
        if again.outcome == "failed" or again.likelihood_ratio:
            found[name] = again
            continue
        first = found[name]
        if first.code == "doi-other-number":
            found[name] = replace(
                first, outcome="unverifiable"
            )  # numbers are copied verbatim, so this deserves a warning
            continue
        source = source_name(first.record.source) if first.record else "a compiling service"
        found[name] = replace(
            first,
            outcome="unverifiable",
            code="compiled-only",
            message=f"{first.message}; only {source} reports this, and it copies data from other sources",
            fixes={},
            likelihood_ratio=0.0,
        )
    return found


def _judged(case: ReferenceCase, name: str) -> Finding:
    """The finding of one check. It offers no correction that would damage the entry."""
    found = _as_read(case, _CHECKS[name](case))
    return replace(found, fixes=sound_fixes(case, found)) if found.fixes else found


def _as_read(case: ReferenceCase, finding: Finding) -> Finding:
    """Downgrade a finding that depends on fields from the most probable reading of a string."""
    if not case.reference.uncertain:
        return finding
    speaks_against = finding.outcome == "failed" or finding.likelihood_ratio
    if speaks_against and not _OF_THE_WHOLE_STRING.issuperset(finding.codes):
        return replace(
            finding,
            outcome="unverifiable",
            code="reading-uncertain",
            message=f"{finding.message}; the reference string is ambiguous and was read as {_shown(case)}",
            fixes={},
            also=(),
            likelihood_ratio=0.0,
        )
    if finding.check == "title" and finding.code == "not-found":
        return replace(
            finding,
            code="reading-uncertain",
            message=f"{finding.message}; it is ambiguous and was read as {_shown(case)}",
        )
    return finding


def _shown(case: ReferenceCase) -> str:
    """The parts of the most probable reading."""
    cited = case.cited
    parts = {
        "title": cited.title,
        "authors": ", ".join(map(str, cited.people.names[:3])) + (" …" if len(cited.people.names) > 3 else ""),
        "venue": cited.venue,
        "year": cited.year_text,
    }
    return "; ".join(f"{name} “{value}”" for name, value in parts.items() if value)
