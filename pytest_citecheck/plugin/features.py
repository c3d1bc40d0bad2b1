"""Features: kinds of items besides the checks of references, with their options and results.

A folder of the package with a file ``feature.py`` is a feature; runs also work without the folder, because the core knows no
feature by name. Every run of pytest loads the file, so it imports only this module. It holds the rows `OPTIONS`, `SECTIONS`,
`COMMANDS` and `CHECK_SETTINGS` (for ``citecheck check``) and the function `layouts` (sections of reports), and implements the
hooks below as functions. What it registers with pytest can implement them too.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from types import ModuleType

    from pytest_citecheck.checks import Evaluation
    from pytest_citecheck.inputs import Answered, Bibliography, Reader
    from pytest_citecheck.model import Finding, Reference
    from pytest_citecheck.plugin.collection import CheckItem
    from pytest_citecheck.plugin.extensions import Extensions
    from pytest_citecheck.plugin.session import CitecheckSession
    from pytest_citecheck.plugin.settings import Settings
    from pytest_citecheck.reports import Layout, RunResult
    from pytest_citecheck.screen import SafeReporter

Kind = Literal["text", "flag", "lines"]


class Option:  # every run of pytest makes this class: a dataclass or a NamedTuple takes ten times as long
    """One option: its flag (empty: none), its ini name (empty: none) and its environment variable (empty: none).

    const: the value of the flag without an argument; None if it needs one. trusted: a settings file can set it, also with
    ``addopts``, only in a trusted folder (`pytest_citecheck.plugin.trust_store`). for_check: whether ``citecheck check`` reads
    it from a settings file. is_path: the value is a path, relative to the settings file.
    """

    def __init__(
        self, dest: str, kind: Kind, help: str, flag: str = "", ini: str = "", env: str = "",  # noqa: A002
        metavar: str | None = None,
        choices: tuple[str, ...] | None = None, const: str | None = None,
        *, trusted: bool = False, for_check: bool = True, is_path: bool = False,
    ) -> None:  # fmt: skip
        self.dest, self.kind, self.help = dest, kind, help
        self.flag, self.ini, self.env = flag, ini, env
        self.metavar, self.choices, self.const = metavar, choices, const
        self.trusted, self.for_check, self.is_path = trusted, for_check, is_path


@cache
def all_features() -> tuple[ModuleType, ...]:
    """The modules ``feature.py`` of the package, in the order of their folders. They are loaded without their folders' faces."""
    return tuple(map(_load, sorted(Path(__file__).parents[1].glob("*/feature.py"))))


def _load(file: Path) -> ModuleType:
    name = f"pytest_citecheck.{file.parent.name}.feature"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None  # noqa: S101, PT018 - there is a loader for .py
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def report_layouts() -> list[Layout]:
    """Return the functions that make the sections of features in a report, in order."""
    return [layout for feature in all_features() for layout in feature.layouts()]


def register_features(config: pytest.Config) -> None:
    """Let pytest call the hooks of all features."""
    for feature in all_features():
        config.pluginmanager.register(feature, f"citecheck-feature-{feature.__name__}")


@dataclass
class Opening:
    """A run before its files are collected, which a feature may change.

    readers: of files, before those of the package. outputs: further files that the run writes. starts: make what takes part in
    the run, a plugin of pytest. These are registered after pytest-xdist, so their schedulers are asked first.
    """

    settings: Settings
    extensions: Extensions
    readers: tuple[Reader, ...] = ()
    outputs: list[Path] = field(default_factory=list)
    starts: list[Callable[[CitecheckSession], object]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of the labelled files of a run.

    splits: one score document per split. gates: each threshold with the score reached, and whether it passed; they decide the
    result of the run if there are any. arena: the scores of the models whose answers were checked. problem: why there are no
    scores although there are labels; otherwise empty. failed: an error of a metric from a hook; otherwise empty.
    """

    splits: tuple[dict[str, Any], ...] = ()
    gates: tuple[tuple[str, bool], ...] = ()
    arena: Mapping[str, Any] | None = None
    problem: str = ""
    failed: str = ""

    @property
    def passed(self) -> bool:
        """True if all thresholds passed."""
        return all(passed for _, passed in self.gates)


@pytest.hookspec
def pytest_citecheck_settings(  # type: ignore[empty-body]
    config: pytest.Config, value: Callable[[str], Any], base: Path, extensions: Extensions
) -> dict[str, Any]:
    """Return the settings of a feature by name, from the values of its options. base: the folder of the settings file."""


@pytest.hookspec
def pytest_citecheck_open(config: pytest.Config, opening: Opening) -> None:
    """Read those files of the run that belong to the feature. Raises pytest.UsageError for an unusable file."""


@pytest.hookspec(firstresult=True)
def pytest_citecheck_read(path: Path, bibliography: Bibliography) -> Bibliography | None:
    """Return the references to check instead of those that were read; None for these."""


@pytest.hookspec
def pytest_citecheck_items(  # type: ignore[empty-body]
    parent: pytest.Collector, name: str, reference: Reference, place: Answered | None
) -> Iterator[pytest.Item]:
    """Return further items of a reference. place: its place in a model's answer."""


@pytest.hookspec(firstresult=True)
def pytest_citecheck_disagreement(item: CheckItem, finding: Finding, evaluation: Evaluation) -> str | None:
    """Return how a finding contradicts the label of its reference: empty if it does not, None if they cannot be compared."""


@pytest.hookspec
def pytest_citecheck_payload(item: CheckItem, evaluation: Evaluation | None, data: dict[str, Any]) -> None:
    """Add to the data that the report of a check contains. evaluation: None for an entry that cannot be read."""


@pytest.hookspec
def pytest_citecheck_plan(config: pytest.Config, reporter: SafeReporter) -> str:  # type: ignore[empty-body]
    """Write what a run would do besides requests to services; return what remains unknown about those requests."""


@pytest.hookspec
def pytest_citecheck_excuses(report: pytest.TestReport) -> bool:  # type: ignore[empty-body]
    """Return True if a failure of this item, which is no check, does not decide the result where scores do."""


@pytest.hookspec
def pytest_citecheck_sections() -> dict[str, Any]:  # type: ignore[empty-body]
    """Return the fields of `RunResult` that belong to the feature."""


@pytest.hookspec(firstresult=True)
def pytest_citecheck_scores(sections: Mapping[str, Any]) -> Scores | None:
    """Return the scores of the run. sections: of `pytest_citecheck_sections`."""


@pytest.hookspec
def pytest_citecheck_write_scores(reporter: SafeReporter, scores: Scores, result: RunResult) -> None:
    """Write the scores on the terminal."""


@pytest.hookspec
def pytest_citecheck_scope(scores: dict[str, Any]) -> None:
    """Add to the scores of models which part of the whole they are of."""


@pytest.hookspec
def pytest_citecheck_is_open() -> bool:  # type: ignore[empty-body]
    """Return True if there was something to judge and nothing was decided: such a run must not be green."""


@pytest.hookspec
def pytest_citecheck_files(result: RunResult) -> list[str]:  # type: ignore[empty-body]
    """Write the files of a feature; return a message for each that could not be written."""
