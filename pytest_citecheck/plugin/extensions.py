"""Extensions from hooks in conftest.py files and plugins, collected once per process and validated before the run."""

from __future__ import annotations

import importlib.util
import inspect
import os
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.checks import CHECKS, CODES, SHARED_CODES, Named, PolicyError, check_policy
from pytest_citecheck.model import Finding, Judge, Record

if TYPE_CHECKING:
    from pluggy import HookCaller

    from pytest_citecheck.api import Metric
    from pytest_citecheck.checks import Check, ReferenceCase
    from pytest_citecheck.inputs import Reader
    from pytest_citecheck.reports import Report
    from pytest_citecheck.sources import Source

_RESERVED = frozenset({
    *("syntax", "citecheck", "skip", "skipif", "xfail", "parametrize", "usefixtures", "filterwarnings"),
    *("tryfirst", "trylast"),
})  # fmt: skip
"""Markers that mean something else to pytest or to this plugin."""

_TEXTS = ("message", "cited", "found", "rule", "diff")


class CheckError(Exception):
    """A check from a hook returned something other than its own finding."""


@dataclass(frozen=True, slots=True)
class Extensions:
    """Checks, readers, policies, metrics, reports and judges of claims added by hooks.

    named: names that policies can use in addition to the package's codes and checks.
    """

    checks: tuple[Check, ...]
    readers: tuple[Reader, ...]
    named: Named
    metrics: tuple[Metric, ...]
    reports: tuple[Report, ...]
    judges: tuple[Judge, ...] = ()

    @property
    def check_names(self) -> tuple[str, ...]:
        """The names of all checks, in the order of their items."""
        return (*CHECKS, *self.named.checks)

    def finding(self, name: str, case: ReferenceCase) -> Finding:
        """Return the finding of a check from a hook. Raise CheckError for an invalid result; exceptions of the check
        propagate."""
        check = next(check for check in self.checks if check.name == name)
        finding = check.check(case)
        for problem in _problems(finding, check):
            raise CheckError(f"the check {name!r} ({type(check).__qualname__}) returned {problem}")
        return finding


def _problems(finding: Finding, check: Check) -> Iterator[str]:
    if not isinstance(finding, Finding):
        yield f"{type(finding).__name__}, not a Finding"
        return
    if finding.check != check.name:
        yield f"a finding of the check {finding.check!r}"
    if finding.outcome not in ("passed", "failed", "unverifiable"):
        yield f"the outcome {finding.outcome!r}"
    for code in finding.codes:
        if code not in check.codes and code not in SHARED_CODES:
            yield f"the code {code!r}, which is not in its declared codes"
    texts = [*(getattr(finding, name) for name in _TEXTS), *finding.fixes, *finding.fixes.values()]
    if not all(isinstance(text, str) for text in texts) or not isinstance(finding.record, Record | None):
        yield "a finding with a value of the wrong type"  # it could not travel between processes


def collect_extensions(config: pytest.Config) -> Extensions:
    """Call the hooks for extensions. Raises pytest.UsageError if one fails or adds an invalid object."""
    hook = config.hook
    checks = _listed(hook.pytest_citecheck_checks, config, "checks", ("name", "description", "codes", "check"))
    _refuse_names(checks)
    readers = _listed(
        hook.pytest_citecheck_readers, config, "readers", ("suffixes", "format", "lenient", "reads", "read")
    )
    named = Named(frozenset(code for check in checks for code in check.codes), tuple(check.name for check in checks))
    policies = _listed(hook.pytest_citecheck_policies, config, "policies", ("name", "codes", "failed", "unverifiable"))
    for policy in policies:
        try:
            check_policy(policy, named)
        except PolicyError as error:
            raise pytest.UsageError(f"pytest_citecheck_policies: {error}") from error
        named = named.with_policy(policy)
    metrics = _listed(hook.pytest_citecheck_metrics, config, "metrics", ("name", "higher_is_better", "compute"))
    reports = _listed(hook.pytest_citecheck_reports, config, "reports", ("path", "render"))
    judges = _listed(hook.pytest_citecheck_judges, config, "judges", ("name", "judge"))
    return Extensions(tuple(checks), tuple(readers), named, tuple(metrics), tuple(reports), tuple(judges))


def call_hook(hook: HookCaller, **arguments: object) -> None:
    """Call a plugin hook. Raise `pytest.UsageError` naming the hook and the plugin if an implementation fails."""
    try:
        hook(**arguments)
    except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
        what = str(error) if isinstance(error, pytest.UsageError) else f"{type(error).__name__}: {error}"
        raise pytest.UsageError(f"{hook.name} failed in {_culprit(hook, error)}: {what}") from error


def plugins_of_command(names: Iterable[str]) -> pytest.Config:
    """A configuration with these plugins and no others, for a command that calls hooks without running tests.

    names: modules, or .py files such as a conftest.py. Raises pytest.UsageError if one cannot be imported.
    """
    own = ["-s", "--noconftest", "--disable-plugin-autoload", f"-c{os.devnull}", "-p", "pytest_citecheck.plugin"]
    try:
        config = pytest.Config.fromdictargs({}, [*own, f"--rootdir={Path.cwd()}"])
        for name in names:
            if name.endswith(".py"):
                spec = importlib.util.spec_from_file_location(Path(name).stem, name)
                assert spec is not None and spec.loader is not None  # noqa: S101, PT018 - there is a loader for .py
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                config.pluginmanager.register(module, name)
            else:
                config.pluginmanager.import_plugin(name)
    except Exception as error:
        raise pytest.UsageError(f"the plugin cannot be imported: {type(error).__name__}: {error}") from error
    return config


def _culprit(hook: HookCaller, error: BaseException) -> str:
    """The plugin whose implementation raised the error: a path for a conftest.py, else its name."""
    plugins = {
        getattr(inspect.unwrap(implementation.function), "__code__", None): implementation.plugin_name
        for implementation in hook.get_hookimpls()
    }
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__) if frame.f_code in plugins)
    return next((plugins[frame.f_code] for frame in frames), "a plugin")


def _listed(hook: HookCaller, config: pytest.Config, name: str, attributes: tuple[str, ...]) -> list[Any]:
    """Return the objects that the hook appends; check that each has these attributes and a unique name."""
    return _changed(hook, config, name, [], attributes)


def changed_sources(config: pytest.Config, sources: Iterable[Source]) -> list[Source]:
    """The sources of a run, as the hook leaves them. Raises pytest.UsageError if it fails or adds an invalid source."""
    attributes = ("name", "label", "base_url", "batch", "rate", "accepts", "request", "parse")
    return _changed(config.hook.pytest_citecheck_sources, config, "sources", list(sources), attributes)


def _changed(
    hook: HookCaller, config: pytest.Config, name: str, things: list[Any], attributes: tuple[str, ...]
) -> list[Any]:
    call_hook(hook, config=config, **{name: things})
    names = set()
    for thing in things:
        missing = [attribute for attribute in attributes if not hasattr(thing, attribute)]
        if missing:
            raise pytest.UsageError(f"{hook.name}: {thing!r} has no attribute {', '.join(missing)}")
        if not hasattr(thing, "name"):
            continue
        if thing.name in names:
            raise pytest.UsageError(f"{hook.name}: the name {thing.name!r} is taken")
        names.add(thing.name)
    return things


def _refuse_names(checks: Iterable[Check]) -> None:
    for check in checks:
        name = check.name
        if not (name.isascii() and name.isidentifier()) or name in _RESERVED or name in CHECKS:
            raise pytest.UsageError(
                f"pytest_citecheck_checks: {name!r} is not a valid check name, because node ids and markers contain "
                "it; choose another identifier"
            )
        for code in sorted(CODES.keys() & check.codes.keys()):
            raise pytest.UsageError(
                f"pytest_citecheck_checks: the code {code!r} of {name!r} is one of pytest-citecheck"
            )
