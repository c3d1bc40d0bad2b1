"""The pytest plugin. Without ``--citecheck`` (or ``citecheck_files``) it only adds its options: nothing else is imported."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

import pytest

from pytest_citecheck.plugin.options import (
    add_options,
    added_options,
    existing_files,
    files_beside,
    is_bibliography,
    names_reference,
    requested,
)


class _OwnModules:
    """Finds the modules of this package, in which pytest has no assertion to rewrite.

    pytest reads the modules of a plugin with `marshal.load` from a file, which takes eight times as long as Python's own
    way, and compiles them anew in each new environment.
    """

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, path, target) if name.startswith("pytest_citecheck.") else None


def pytest_addoption(parser: pytest.Parser) -> None:
    if _OwnModules not in sys.meta_path:
        sys.meta_path.insert(0, _OwnModules)
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    from pytest_citecheck.plugin import features, hookspecs  # noqa: PLC0415

    pluginmanager.add_hookspecs(hookspecs)
    pluginmanager.add_hookspecs(features)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Load the conftest.py files beside and above the bibliographies, not those of the project's test suite.

    pytest would treat the current folder as the test suite, and load ``tests/conftest.py`` with all its requirements.
    """
    known = early_config.known_args_namespace
    if known.citecheck and not known.file_or_dir and added_options(early_config).citecheck != known.citecheck:
        if any(known.citecheck):
            known.file_or_dir = existing_files(known.citecheck) or files_beside(known.citecheck) or [_NO_CONFTEST]
    elif known.file_or_dir and (known.citecheck or early_config.getini("citecheck_files")):
        tests = early_config.getini("python_files")
        kept = [one for one in known.file_or_dir if not names_reference(one, tests)]
        known.file_or_dir = kept or [_NO_CONFTEST]


_NO_CONFTEST = str(Path(__file__).parent)
"""A folder without a conftest.py, for runs without a bibliography: other conftest.py files may import the project."""


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Iterator[None]:
    """Escape the text of usage errors, which pytest prints as it is: names of files and settings come from strangers.

    Name the missing option if a bibliography was passed without it.
    """
    try:
        return (yield)
    except pytest.UsageError as error:
        from pytest_citecheck.matching import safe_lines  # noqa: PLC0415 - only for errors

        files = [] if requested(config) else [one for one in config.args if is_bibliography(one) and Path(one).exists()]
        missing = [f"to check its references, pass --citecheck: pytest --citecheck={one}" for one in files[:1]]
        raise pytest.UsageError(*(safe_lines(str(one)) for one in (*error.args, *missing))) from error


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if requested(config):
        with lasting_imports():
            from pytest_citecheck.plugin.active import activate  # noqa: PLC0415

        activate(config)


@contextlib.contextmanager
def lasting_imports() -> Iterator[None]:
    """Exclude the modules that are first imported in the block from garbage collection.

    They live to the end of the process. Collections during the imports, and the five in which pytest visits every object at
    the end, take a quarter of a short run (``python -m benchmarks.start``).
    """
    if "pytest_citecheck.plugin.active" in sys.modules or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
