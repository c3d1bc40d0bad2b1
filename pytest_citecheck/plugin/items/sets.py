"""The item of a bibliography as a set: entries that do not go together (``refs.bib::[duplicates]``)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck import DuplicateWarning
from pytest_citecheck.checks.sets.duplicates import DUPLICATES, Conflict, duplicates_finding
from pytest_citecheck.plugin.items.failures import CheckFailure, represent
from pytest_citecheck.reports.explanation import headline
from pytest_citecheck.reports.safe_text import safe_line, safe_lines
from pytest_citecheck.verdict.policies import PolicyContext

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_citecheck.plugin.session import CitecheckSession
    from pytest_citecheck.verdict.policies import Policy

__all__ = ["DuplicatesItem", "duplicates_item"]


class DuplicatesItem(pytest.Item):
    """Fails for entries that contradict each other, or cite one work twice; with another policy a warning, or nothing.

    Skipped if both of each pair may be meant.
    """

    problems: Sequence[Conflict]
    policy: Policy

    def __init__(self, *, problems: Sequence[Conflict], policy: Policy, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.problems = problems
        self.policy = policy
        self.add_marker(pytest.mark.duplicates)
        self.add_marker(pytest.mark.citecheck(check=DUPLICATES))

    def runtest(self) -> None:
        """Raise CheckFailure, warn, or skip."""
        finding = duplicates_finding(self.problems)
        first = next((one for one in self.problems if not one.open), self.problems[0]).second
        where = f"{first.location} [{DUPLICATES}] {finding.code}"
        if finding.outcome == "unverifiable":
            said = "; ".join(one.message for one in self.problems)
            raise pytest.skip.Exception(safe_line(f"[{DUPLICATES}] {finding.code}: {said}"), _use_item_location=True)
        text = safe_lines(f"{where}: {finding.message}")
        severity = self.policy.severity(finding, PolicyContext())
        if severity == "error":
            raise CheckFailure(headline(finding), text, first.location)
        if severity == "warning":
            self.warn(DuplicateWarning(text))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **kwargs: Any) -> Any:
        if isinstance(excinfo.value, CheckFailure):
            return represent(excinfo.value)
        return super().repr_failure(excinfo, *args, **kwargs)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return self.path, self.problems[0].second.location.line - 1, f"[{DUPLICATES}]"


def duplicates_item(parent: pytest.Collector, path: Path, citecheck: CitecheckSession) -> Iterator[pytest.Item]:
    """The item of a file, if there is something to say: of pairs, those whose second entry is told of in this file."""
    if citecheck.settings.expect_truth or (citecheck.settings.shard is not None and citecheck.settings.shard.part != 1):
        return
    problems = citecheck.conflicts(path)
    if not problems:
        return
    item: DuplicatesItem = DuplicatesItem.from_parent(
        parent,
        name=f"[{DUPLICATES}]",
        nodeid=f"{parent.nodeid}::[{DUPLICATES}]",
        problems=problems,
        policy=citecheck.settings.policy,
    )
    waivers = [citecheck.waivers.match(one.second.key, DUPLICATES) for one in problems]
    if all(waivers):
        reason = next(waiver.reason for waiver in waivers if waiver is not None)
        item.add_marker(pytest.mark.xfail(raises=CheckFailure, reason=reason, strict=False))
    yield item
