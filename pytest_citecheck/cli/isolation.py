"""Isolation from the working folder, which may contain a stranger's files: nothing in it is executed, and only the
passed files are read.

Python imports from the working folder if it is in the search path. pytest takes plugins, import paths and default
arguments from settings and metadata that it finds there.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest_citecheck

_PACKAGES = Path(pytest_citecheck.__file__).resolve().parent.parent
_OF_PYTEST = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
SETTINGS = Path(__file__).with_name("check.ini")


def isolate() -> None:
    """Remove the working folder from this process's import path."""
    sys.path[:] = _elsewhere(sys.path)


def pytest_arguments() -> list[str]:
    """The arguments that make pytest run only this plugin, with its own settings and nothing from the working folder."""
    from pytest_citecheck.plugin import all_features  # noqa: PLC0415 - it imports pytest

    own = [("-o", f"{name}={value}") for feature in all_features() for name, value in feature.CHECK_SETTINGS.items()]
    off = ("terminal", "cacheprovider", "logging", "junitxml", "unittest", "doctest", "pastebin")
    return [
        f"-c{SETTINGS}",
        f"--rootdir={Path.cwd()}",
        "--noconftest",
        "--capture=no",
        *(part for pair in own for part in pair),
        *(part for name in off for part in ("-p", f"no:{name}")),
        "-p",
        "pytest_citecheck.plugin",
    ]


@contextlib.contextmanager
def own_environment() -> Iterator[None]:
    """An environment without plugins and default arguments for pytest, in the block."""
    kept = dict(os.environ)
    for name in _OF_PYTEST:
        os.environ.pop(name, None)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


@contextlib.contextmanager
def without_settings() -> Iterator[None]:
    """An environment without options of the plugin, in the block."""
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("CITECHECK_")}
    try:
        yield
    finally:
        os.environ.update(kept)


def _elsewhere(paths: Iterable[str]) -> list[str]:
    """The absolute paths other than the working folder; the working folder stays if this package was imported from it."""
    refused = {Path.cwd().resolve()} - {_PACKAGES}
    return [path for path in paths if Path(path).is_absolute() and Path(path).resolve() not in refused]
