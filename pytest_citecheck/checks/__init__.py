"""The six checks and the one way to run them.

A new check is one new file here and one line in ``_CHECKS`` (and its name in ``model.CHECKS``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pytest_citecheck.checks.authors import check_authors
from pytest_citecheck.checks.base import Case
from pytest_citecheck.checks.completeness import check_completeness
from pytest_citecheck.checks.cross_db import check_cross_db
from pytest_citecheck.checks.doi import check_doi
from pytest_citecheck.checks.readings import as_read
from pytest_citecheck.checks.title import check_title
from pytest_citecheck.checks.venue import check_venue
from pytest_citecheck.linking.source_names import source_name
from pytest_citecheck.model import CHECKS, Finding

__all__ = ["findings"]

_CHECKS: dict[str, Callable[[Case], Finding]] = {
    "doi": check_doi,
    "title": check_title,
    "authors": check_authors,
    "venue": check_venue,
    "completeness": check_completeness,
    "cross_db": check_cross_db,
}


def findings(case: Case) -> dict[str, Finding]:
    """The six findings of a case, in the order of the checks.

    A compiled record may show that a work exists and is what the citation says; that a citation is wrong has to follow without
    it (corrupt records of aggregators were the reason of one false accusation in six of another tool,
    rpatrik96/bibtexupdater#71).
    """
    found = {name: as_read(case, _CHECKS[name](case)) for name in CHECKS}
    doubtful = [name for name, finding in found.items() if finding.outcome == "failed" and name != "completeness"]
    if not doubtful or not case.compiled:
        return found
    strict = case.without_compiled()
    for name in doubtful:
        again = as_read(strict, _CHECKS[name](strict))
        if again.outcome == "failed":
            found[name] = again
            continue
        first = found[name]
        source = source_name(first.record.source) if first.record else "a compiling service"
        found[name] = replace(
            first,
            outcome="unverifiable",
            code="compiled-only",
            message=f"{first.message}; only {source} says so, which compiles data from other sources",
            fixes={},
        )
    return found
