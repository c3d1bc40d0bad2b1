"""Isolation from the working folder, which may hold a stranger's files: nothing in it is run, and only named files are read.

Python imports from the working folder if it is in the search path. pytest takes plugins, import paths and default arguments
from settings and metadata that it finds there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest_citecheck

__all__ = ["child_environment", "isolate", "pytest_command"]

_PACKAGES = Path(pytest_citecheck.__file__).resolve().parent.parent
_SETTINGS = Path(__file__).with_name("check.ini")


def isolate() -> None:
    """Remove the working folder from this process's import path."""
    sys.path[:] = _elsewhere(sys.path)


def pytest_command() -> list[str]:
    """The start of a command that runs pytest with only this plugin, its own settings, and nothing from the working folder."""
    return [
        sys.executable,
        "-P",  # https://docs.python.org/3/using/cmdline.html#cmdoption-P
        "-m",
        "pytest",
        f"-c{_SETTINGS}",
        f"--rootdir={Path.cwd()}",
        "--noconftest",
        "-p",
        "no:cacheprovider",
        "-p",
        "pytest_citecheck.plugin",
    ]


def child_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for `pytest_command`, without plugins, default arguments and relative import paths."""
    kept = {name: value for name, value in environment.items() if name not in {"PYTEST_ADDOPTS", "PYTEST_PLUGINS"}}
    path = os.pathsep.join(_elsewhere(kept.pop("PYTHONPATH", "").split(os.pathsep)))
    return {**kept, **({"PYTHONPATH": path} if path else {}), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def _elsewhere(paths: Iterable[str]) -> list[str]:
    """The absolute paths other than the working folder; the working folder stays if this package was imported from it."""
    refused = {Path.cwd().resolve()} - {_PACKAGES}
    return [path for path in paths if Path(path).is_absolute() and Path(path).resolve() not in refused]
