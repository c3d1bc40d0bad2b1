"""The pytest plugin. Without ``--citecheck`` (or ``citecheck_files``) it only adds its options: nothing else is imported."""

from __future__ import annotations

import pytest

from pytest_citecheck.plugin.settings.options import add_options, existing_files, requested

__all__ = ["pytest_addhooks", "pytest_addoption", "pytest_configure", "pytest_load_initial_conftests"]


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    from pytest_citecheck.plugin import hookspecs  # noqa: PLC0415

    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Load the conftest.py files that lie beside and above the bibliographies, not those of the project's test suite.

    pytest would take the current folder for what is to be tested, and load ``tests/conftest.py`` with all its demands.
    """
    known = early_config.known_args_namespace
    if known.citecheck and not known.file_or_dir:
        known.file_or_dir = existing_files(known.citecheck)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if requested(config):
        from pytest_citecheck.plugin.active import activate  # noqa: PLC0415

        activate(config)
