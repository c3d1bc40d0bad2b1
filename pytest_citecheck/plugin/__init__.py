"""The pytest plugin. Without ``--citecheck`` (or ``citecheck_files``) it only adds its options: nothing else is imported."""

from __future__ import annotations

import pytest

from pytest_citecheck.plugin.options import add_options, resolve_settings

__all__ = ["pytest_addhooks", "pytest_addoption", "pytest_configure"]


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    from pytest_citecheck.plugin import hookspecs  # noqa: PLC0415

    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    settings = resolve_settings(config)
    if settings is not None:
        from pytest_citecheck.plugin.active import activate  # noqa: PLC0415

        activate(config, settings)
