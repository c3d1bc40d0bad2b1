"""Keeps what lies in the working folder from being run: it may be somebody else's, and only files named are read.

Python imports from the working folder when it stands in the search path, pytest takes plugins, import paths and default
arguments from settings and metadata that it finds there.
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
    """Take the working folder out of this process's search path for imports."""
    sys.path[:] = _elsewhere(sys.path)


def pytest_command() -> list[str]:
    """The start of a command that runs pytest with this plugin alone, its own settings, and nothing of the working folder."""
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
    """The environment for `pytest_command`: no plugins, no arguments, and no import path that depends on the folder."""
    kept = {name: value for name, value in environment.items() if name not in {"PYTEST_ADDOPTS", "PYTEST_PLUGINS"}}
    path = os.pathsep.join(_elsewhere(kept.pop("PYTHONPATH", "").split(os.pathsep)))
    return {**kept, **({"PYTHONPATH": path} if path else {}), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def _elsewhere(paths: Iterable[str]) -> list[str]:
    """The paths that are absolute and not the working folder, unless this very package was imported from there."""
    refused = {Path.cwd().resolve()} - {_PACKAGES}
    return [path for path in paths if Path(path).is_absolute() and Path(path).resolve() not in refused]
