"""The checks, and the one way to run them.

A new check is one new file here, ``NAME.py`` with the function ``check_NAME``, and its codes in ``codes.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module

from pytest_citecheck.checks.base import ReferenceCase
from pytest_citecheck.checks.codes import CHECKS
from pytest_citecheck.checks.corrections import sound_fixes
from pytest_citecheck.model import Finding
from pytest_citecheck.rows import traced

_CHECKS: Mapping[str, Callable[[ReferenceCase], Finding]] = {
    name: getattr(import_module(f"pytest_citecheck.checks.{name}"), f"check_{name}") for name in CHECKS
}

_OF_THE_WHOLE_STRING = frozenset({
    "doi-malformed", "doi-unregistered", "doi-retraction", "doi-removal", "doi-concern", "arxiv-malformed", "arxiv-unknown",
    "rfc-unknown", "url-gone",
})  # fmt: skip
"""Identifiers found anywhere in a reference string."""


class Findings(Mapping[str, Finding]):
    """The finding of each check, in the order of the checks. A check runs when its finding is first read."""

    def __init__(self, case: ReferenceCase) -> None:
        self._case = case
        self._found: dict[str, Finding] = {}

    def after(self, case: ReferenceCase) -> Findings:
        """Findings of a later case of the same reference. Passed checks rest on records, and are kept if it has no further
        ones."""
        later = Findings(case)
        if case.adds_no_record(self._case):
            later._found.update((name, one) for name, one in self._found.items() if one.outcome == "passed")
        return later

    def __getitem__(self, name: str) -> Finding:
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = _judged(self._case, name)
        return found

    def deciding_rows(self, name: str) -> list[str]:
        """The rows of tables that decide while a check runs for the first time: table, row and file of each."""
        with traced() as rows:
            self[name]
        return [f"{table.name}: row “{row}” ({table.module.replace('.', '/')}.py)" for table, row in rows]

    def __iter__(self) -> Iterator[str]:
        return iter(CHECKS)

    def __len__(self) -> int:
        return len(CHECKS)


def _judged(case: ReferenceCase, name: str) -> Finding:
    """The finding of one check. It offers no correction that would damage the entry."""
    found = _as_read(case, _CHECKS[name](case))
    return replace(found, fixes=sound_fixes(case, found)) if found.fixes else found


def _as_read(case: ReferenceCase, finding: Finding) -> Finding:
    """Downgrade a finding that depends on fields from the most probable reading of a string."""
    if not case.reference.uncertain:
        return finding
    if (finding.outcome == "failed" or finding.evidence) and not _OF_THE_WHOLE_STRING.issuperset(finding.codes):
        return replace(
            finding,
            outcome="unverifiable",
            code="reading-uncertain",
            message=f"{finding.message}; the reference string is ambiguous and was read as {_shown(case)}",
            fixes={},
            also=(),
            evidence=None,
            level="",
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
