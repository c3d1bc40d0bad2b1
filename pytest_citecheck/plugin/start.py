"""The pytest plugin. Without ``--citecheck`` (or ``citecheck_files``) it only adds its options: nothing else is imported."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator

import pytest

from pytest_citecheck.plugin.options import add_options, existing_files, requested


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    from pytest_citecheck.plugin import hookspecs  # noqa: PLC0415

    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Load the conftest.py files beside and above the bibliographies, not those of the project's test suite.

    pytest would treat the current folder as the test suite, and load ``tests/conftest.py`` with all its requirements.
    """
    known = early_config.known_args_namespace
    if known.citecheck and not known.file_or_dir:
        known.file_or_dir = existing_files(known.citecheck)


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
