"""Fixtures of the suite."""

from __future__ import annotations

import functools
import gc
import importlib.metadata
import itertools
import os
import signal
import sys
import threading
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from _pytest.outcomes import OutcomeException
from _pytest.pytester import SysModulesSnapshot
from hypothesis import settings

# Runs in this process forget numpy and others, which cannot be imported twice: they are imported here.
import pytest_citecheck.benchmark.runs
import pytest_citecheck.plugin.active
import pytest_citecheck.plugin.xdist_hooks  # noqa: F401
from tests.stand_ins.server import LocalServices
from tests.support.parameter_ids import readable_id

# With this package, jsonschema builds a grammar for IRIs when it is imported: four seconds for what no schema here has.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

pytest_plugins = ["pytester", "tests.support.network_guard"]


def _is_installed(name: str) -> bool:
    """Return True for modules of installed packages, of Python, and of this package."""
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    return file.startswith((sys.prefix, sys.base_prefix)) or name.startswith("pytest_citecheck")


def _snapshot(_: pytest.Pytester) -> SysModulesSnapshot:
    return SysModulesSnapshot(_is_installed)


# A run in this process forgets the modules that it imported. It must keep those of this package: imported again, they have other
# classes than those that earlier modules hold. Installed ones do not change either, and vcrpy alone takes a second to import.
pytest.Pytester._Pytester__take_sys_modules_snapshot = _snapshot  # type: ignore[attr-defined]

ROOT = Path(__file__).parent.parent
_REPORTERS = ("allure_pytest", "html", "metadata", "pytest_cov", "pytest_jsonreport", "randomly", "rerunfailures")


# Property tests belong to both suites: with few examples to the fast one, with many to the exhaustive one.
settings.register_profile("fast", max_examples=25, derandomize=True, deadline=None, database=None)
settings.register_profile("exhaustive", settings.get_profile("fast"), max_examples=300)


_OF_ALL_TESTS = frozenset(
    {"_only_needed_plugins", "_light_processes", "_installed_once", "_interruptible", "_own_environment"}
)
"""The fixtures of this file that all tests use."""


def _is_fast(config: pytest.Config) -> bool:
    return "not exhaustive" in config.getoption("markexpr")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that takes a share of the exhaustive tests."""
    parser.addoption("--share", default="0/1", help="run share K of N of the exhaustive tests, K/N with K from 0")


def pytest_configure(config: pytest.Config) -> None:
    """Choose how many examples a property is tried with."""
    settings.load_profile("fast" if _is_fast(config) else "exhaustive")


def pytest_report_header(config: pytest.Config) -> str:
    """Print the selected suite and its expected duration."""
    if _is_fast(config):
        return "suite: fast (1 to 3 min on two cores with -n 2); -m exhaustive runs the other tests"
    return (
        f"suite: -m {config.getoption('markexpr')!r} (the exhaustive suite takes about 40 min on two cores with -n 2)"
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Disable garbage collection during collection: thousands of items are created and stay until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def _leave_cases_to_the_exhaustive_suite(items: list[pytest.Item]) -> None:
    """Of each test with the marker ``sample(n)``, leave ``n`` cases, evenly spread, in the fast suite."""
    cases: dict[tuple[Path, str], list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sample") and not item.get_closest_marker("exhaustive"):
            cases.setdefault((item.path, getattr(item, "originalname", item.name)), []).append(item)
    for tests in cases.values():
        number = tests[0].get_closest_marker("sample").args[0]  # type: ignore[union-attr]
        left = {len(tests) * place // number for place in range(number)}
        for place, item in enumerate(tests):
            if place not in left:
                item.add_marker(pytest.mark.exhaustive)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Set the same time limit (seconds) for all tests, unless their module has another one, and take the share of them.

    The limit is far above the duration of any test on a busy machine. The share of a test depends on its name alone.
    """
    _leave_cases_to_the_exhaustive_suite(items)
    for item in items:
        if not _is_fast(config) and getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.exhaustive)
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(600))
    share, shares = map(int, config.getoption("share").split("/"))
    others = [item for item in items if shares > 1 and zlib.crc32(item.nodeid.encode()) % shares != share % shares]
    if others:
        config.hook.pytest_deselected(items=others)
        left = set(others)
        items[:] = [item for item in items if item not in left]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Make one item of the cases of a test that needs no fixture, in the fast suite: most take less time than an item."""
    if _is_fast(session.config):
        groups = itertools.groupby(session.items, key=lambda item: (item.parent, getattr(item, "originalname", "")))
        session.items[:] = [item for _, cases in groups for item in _as_one(list(cases))]


def _as_one(cases: list[pytest.Item]) -> list[pytest.Item]:
    if len(cases) < 2 or not all(isinstance(case, pytest.Function) and _is_pure(case) for case in cases):
        return cases
    rows = [case for case in cases if isinstance(case, pytest.Function)]

    def each_case(subtests: pytest.Subtests) -> None:
        for row in rows:
            try:
                row.obj(**row.callspec.params)
            except (Exception, OutcomeException):
                with subtests.test(row.name):
                    raise

    whole = pytest.Function.from_parent(rows[0].parent, name=rows[0].originalname, callobj=each_case)
    whole.own_markers[:] = rows[0].own_markers
    return [whole]


def _is_pure(case: pytest.Function) -> bool:
    """Return True if a case has parameters only: no fixture of its own or of its module, and no marker of its own."""
    info, rows = case._fixtureinfo, getattr(case, "callspec", None)
    return (
        rows is not None
        and not rows.marks
        and not getattr(case.obj, "is_hypothesis_test", False)
        and {*info.argnames} <= rows.params.keys()
        and {*info.initialnames} <= {*info.argnames} | _OF_ALL_TESTS
    )


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name parameters by their value, not by their position in the list."""
    return readable_id(val)


@pytest.fixture(scope="session")
def root() -> Path:
    """The root folder of the project."""
    return ROOT


@pytest.fixture
def services() -> Iterator[LocalServices]:
    """The local bibliographic services over the facts behind the fixtures."""
    with LocalServices() as local:
        yield local


@pytest.fixture
def live(services: LocalServices) -> list[str]:
    """Options that send every question to the local services, without waiting, and keep no answer for the next run."""
    urls = services.base_urls
    return [
        "--citecheck-cache=off",
        *(f"--citecheck-base-url={name}={url}" for name, url in urls.items()),
        *(f"--citecheck-rate={name}=1000" for name in urls),
    ]


@pytest.fixture(autouse=True)
def _only_needed_plugins(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of pytester load none of the plugins that tests/plugin/test_reporters.py alone is about."""
    if "pytester" in request.fixturenames:
        request.getfixturevalue("pytester")  # it removes the variable
        monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(f"-p no:{name}" for name in _REPORTERS))


@pytest.fixture(scope="session", autouse=True)
def _light_processes() -> Iterator[None]:
    """Runs inside tests reuse compiled modules, and load no plugin and rewrite no assertion that only this suite needs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        patch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:benchmark -p no:anyio --assert=plain")
        yield


@pytest.fixture(scope="session", autouse=True)
def _installed_once() -> Iterator[None]:
    """Cache the list of installed packages for runs inside this process: it takes a fifth of a small run."""
    distributions = tuple(importlib.metadata.distributions())
    with pytest.MonkeyPatch.context() as patch:
        for name in ("entry_points", "files", "metadata"):
            read_once = functools.cached_property(getattr(importlib.metadata.Distribution, name).fget)
            read_once.__set_name__(importlib.metadata.Distribution, name)
            patch.setattr(importlib.metadata.Distribution, name, read_once)
        patch.setattr(importlib.metadata, "distributions", lambda: iter(distributions))
        yield


@pytest.fixture(scope="session", autouse=True)
def _interruptible() -> Iterator[None]:
    """Make child processes interruptible, even if a shell started this one with SIGINT ignored."""
    if (
        signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@pytest.fixture(scope="session")
def _caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders of caches, made by the runs that keep something: most tests have none."""
    folder = tmp_path_factory.mktemp("caches")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, _caches: Iterator[Path]) -> None:
    """Runs inside tests neither see the settings, the cache and the trusted folders of the user nor reach the network."""
    for name in ("CITECHECK_CASSETTES", "CITECHECK_RECORD", "CITECHECK_OFFLINE", "CITECHECK_STRICT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests" / "guarded")]))
    folder = next(_caches)
    monkeypatch.setenv("CITECHECK_CACHE", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", f"{folder}-config")
