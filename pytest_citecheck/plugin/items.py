"""The run protocol of a check: the hooks of a test in one phase, and one report.

A check has no fixtures, so setup and teardown reports would only say "passed". Sending one report instead of three
saves a third of pytest's cost a test, and keeps pytest's failure summary from searching all setup and teardown reports
once a failure (pytest-dev/pytest#13360).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import _pytest.main
import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback
from _pytest.outcomes import Exit
from _pytest.runner import CallInfo, check_interactive_exception

from pytest_citecheck import DuplicateWarning
from pytest_citecheck.checks import DUPLICATES, Conflict, PolicyContext, duplicates_finding
from pytest_citecheck.inputs import escape_key, escape_name
from pytest_citecheck.matching import lazy_pattern, safe_line, safe_lines
from pytest_citecheck.model import Location
from pytest_citecheck.reports import headline

if TYPE_CHECKING:
    from pytest_citecheck.checks import Policy
    from pytest_citecheck.plugin.session import CitecheckSession

_PHASELESS = frozenset({
    "_pytest", "pytest_citecheck", "pytest_timeout", "hypothesis", "_hypothesis_pytestplugin", "pytest_cov",
    "xdist", "__channelexec__",  # the name of pytest-xdist's module in a worker
})  # fmt: skip
"""Packages whose hooks take a test with a single report."""
REPORT_HOOKS = ("pytest_runtest_protocol", "pytest_runtest_makereport", "pytest_runtest_logreport")
"""Hooks whose users may rely on reports of setup and teardown."""
PHASE_HOOKS = ("pytest_runtest_setup", "pytest_runtest_call", "pytest_runtest_teardown")


@dataclass(frozen=True, slots=True)
class Parameters:
    """Stand-in for a ``callspec``: reporters use it to distinguish the checks of a reference."""

    params: Mapping[str, str]
    id: str


def add_parameters(item: pytest.Item) -> None:
    """Set the parameters of an item, only while it runs: at collection, pytest expects more of a ``callspec``."""
    if type(item).__module__.partition(".")[0] == "pytest_citecheck":
        check = str(getattr(item, "check", item.name))
        item.callspec = _parameters(item.nodeid.partition("::")[0], check)  # type: ignore[attr-defined]


@lru_cache(maxsize=1 << 10)
def _parameters(file: str, check: str) -> Parameters:
    return Parameters({"file": file, "check": check}, check)


def others_implement(manager: pytest.PytestPluginManager, hooks: Iterable[str]) -> bool:
    """Return True if a conftest.py or a plugin that is not known to take single reports implements one of these hooks."""
    return any(
        implementation.function.__module__.partition(".")[0] not in _PHASELESS
        for name in hooks
        for implementation in getattr(manager.hook, name).get_hookimpls()
    )


def run_check(item: pytest.Item, nextitem: pytest.Item | None, *, alone: bool) -> None:
    """Run one item and emit its report. alone: without the hooks of the phases, which capture output and log records."""
    ihook = item.ihook
    ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)

    def phases() -> None:
        try:
            ihook.pytest_runtest_setup(item=item)
            ihook.pytest_runtest_call(item=item)
        finally:
            ihook.pytest_runtest_teardown(item=item, nextitem=nextitem)

    reraise = (Exit,) if item.config.getoption("usepdb", False) else (Exit, KeyboardInterrupt)
    call = CallInfo.from_call(item.runtest if alone else phases, when="call", reraise=reraise)
    report = ihook.pytest_runtest_makereport(item=item, call=call)
    ihook.pytest_runtest_logreport(report=report)
    if check_interactive_exception(call, report):
        ihook.pytest_exception_interact(node=item, call=call, report=report)
    ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


class CheckFailure(AssertionError):  # noqa: N818 - an outcome, not an error: reporters call anything else "broken"
    """A check failed: ``headline`` is the line for summaries, ``explanation`` the full text."""

    def __init__(self, headline: str, explanation: str, location: Location) -> None:
        super().__init__(headline)
        self.headline = headline
        self.explanation = explanation
        self.location = location


def represent(failure: CheckFailure) -> ReprExceptionInfo:
    """The failure in pytest's own classes, the only ones that survive the way from an xdist worker.

    ``reprcrash`` gives the short summary line, the JUnit message and ``--tb=line``; the "traceback" is the explanation.
    """
    return ReprExceptionInfo(
        reprtraceback=ReprTraceback([ReprEntryNative([failure.explanation + "\n"])], extraline=None, style="native"),
        reprcrash=ReprFileLocation(failure.location.path, failure.location.line, failure.headline),
    )


_CHECK_AT_END = lazy_pattern(r"(?P<name>.*)(?P<check>\[[\w-]+\])", re.DOTALL)
_NAME_AND_CHECK = lazy_pattern(r"(?P<name>[^\[\]]+)\[(?P<check>[\w-]+)\]")


FETCHED = "citecheck-documents"
"""Folder of fetched documents in the cache and beside cassettes; each is in a folder with the name that the user typed.
"""


def fetched_name(path: Path) -> str:
    """The identifier or address by which the user named a fetched document; empty for any other file."""
    return unquote(path.parent.name) if path.parent.parent.name == FETCHED else ""


def file_nodeid(path: Path, rootpath: Path) -> str:
    """The node id of a file, also for one outside the root folder (pytest itself would leave it empty)."""
    if fetched := fetched_name(path):
        return fetched
    try:
        relative = os.path.relpath(path, rootpath)
    except ValueError:  # another drive on Windows
        relative = str(path)
    return relative.replace(os.sep, "/")


def typed_nodeid(argument: str) -> str:
    """Convert a command-line argument to pytest's form: a key may be typed as in its file, or percent-encoded."""
    file, colons, rest = argument.partition("::")
    named = _CHECK_AT_END.fullmatch(rest)
    if not colons or file.endswith(".py") or (named is None and "[" in rest):
        return argument
    name, check = (named["name"], named["check"]) if named else (rest, "")
    if not file.endswith((".json", ".jsonl", ".yaml", ".yml")):
        return f"{file}::{escape_key(name if name == escape_key(name) else unquote(name))}{check}"
    # In node ids of answers, model and query precede the key.
    *groups, key = name.split("::")
    typed = [one if "%" in one else escape_name(one) for one in groups] + [key if "%" in key else escape_key(key)]
    return f"{file}::{'::'.join(typed)}{check}"


@contextmanager
def bracketed_paths() -> Iterator[None]:
    """Let pytest collect files with brackets in their names, in the block: it takes these for parameters of a test."""
    resolve = _pytest.main.resolve_collection_argument

    def resolved(invocation_path: Path, arg: str, *given: Any, **named: Any) -> Any:
        file, colons, rest = arg.partition("::")
        path = Path(os.path.abspath(invocation_path / file))  # noqa: PTH100 - links keep their names
        if "[" not in file or not path.is_file():
            return resolve(invocation_path, arg, *given, **named)
        # The part after the colons is parsed with another file that exists; the path is then replaced.
        return replace(resolve(invocation_path, f"{__file__}{colons}{rest}", *given, **named), path=path)

    _pytest.main.resolve_collection_argument = resolved
    try:
        yield
    finally:
        _pytest.main.resolve_collection_argument = resolve


def split_nodeid(nodeid: str) -> tuple[str, str, str] | None:
    """File, reference name and check of a check's node id; None for any other item's."""
    # The first separator counts: the name may contain more, for nodes between the file and its references.
    file, _, rest = nodeid.partition("::")
    match = _NAME_AND_CHECK.fullmatch(rest)
    return (file, match["name"], match["check"]) if file and match else None


class FindingItem(pytest.Item):
    """An item whose failure is a finding, shown without a traceback."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **kwargs: Any) -> Any:
        if isinstance(excinfo.value, CheckFailure):
            return represent(excinfo.value)
        return super().repr_failure(excinfo, *args, **kwargs)


class DuplicatesItem(FindingItem):
    """Fails for entries that contradict each other, or cite the same work twice; other policies may warn or ignore.

    Skipped if both entries of each pair may be intended.
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

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return self.path, self.problems[0].second.location.line - 1, f"[{DUPLICATES}]"


def duplicates_item(parent: pytest.Collector, path: Path, citecheck: CitecheckSession) -> Iterator[pytest.Item]:
    """Return the item of a file if it has pairs to report: pairs whose second entry is in this file."""
    if citecheck.compares or (citecheck.settings.shard is not None and citecheck.settings.shard.part != 1):
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
