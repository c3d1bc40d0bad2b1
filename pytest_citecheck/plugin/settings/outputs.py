"""What a run writes: report files, and the formats of ``--citecheck-format``."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from pytest_citecheck.reports.ci.formats import FORMATS

__all__ = ["FULL", "chart_file", "has_prose", "is_plain", "output_file", "read_formats"]

FULL = "full"
"""What a run prints by itself."""


def output_file(text: str | None) -> Path | None:
    """A file to write at the end: that it cannot be written is better said at the start. Raises pytest.UsageError."""
    if not text:
        return None
    path = Path(text).absolute()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise pytest.UsageError(f"cannot write {path}: {error.strerror}") from error
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise pytest.UsageError(f"cannot write {path}")
    return path


def chart_file(text: str | None) -> Path | None:
    """A chart to write at the end. Raises pytest.UsageError."""
    path = output_file(text)
    if path is None:
        return None
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise pytest.UsageError(f"a chart is a .png, .svg or .pdf file, not {path.name}")
    if importlib.util.find_spec("matplotlib") is None:
        raise pytest.UsageError("charts need matplotlib: pip install 'pytest-citecheck[charts]'")
    return path


def is_plain(config: pytest.Config) -> bool:
    """Whether the run prints nothing of pytest's (``citecheck check``), so that a document can be its output."""
    return getattr(config.pluginmanager.getplugin("terminalreporter"), "is_plain", False)


def has_prose(config: pytest.Config) -> bool:
    """Whether standard output is for people: always, but in a run of ``citecheck check`` that prints a format for machines."""
    return getattr(config.pluginmanager.getplugin("terminalreporter"), "prose", True)


def read_formats(given: Iterable[str], *, plain: bool) -> Iterator[tuple[str, str | None]]:
    """Format and file of each ``NAME`` or ``NAME=FILE``; None for the output of the run. Raises pytest.UsageError.

    plain: as `is_plain` says; one document may then be the output.
    """
    on_screen: list[str] = []
    for value in dict.fromkeys(given):
        name, equals, file = value.partition("=")
        if name != FULL and name not in FORMATS:
            raise pytest.UsageError(
                f"--citecheck-format: no format is named {name!r}; there are {', '.join((FULL, *FORMATS))}"
            )
        if equals and (name == FULL or not file):
            raise pytest.UsageError(
                f"--citecheck-format={value}: {'full has no file' if name == FULL else 'no file is named'}"
            )
        if not equals:
            on_screen.append(name)
            if name != FULL and not plain and not FORMATS[name].is_lines:
                raise pytest.UsageError(f"--citecheck-format={name} needs a file: --citecheck-format={name}=FILE")
        if name != FULL:
            yield name, file or None
    if plain and len(on_screen) > 1:
        raise pytest.UsageError(
            f"only one format can be the output, not {' and '.join(on_screen)}; name files: FORMAT=FILE"
        )
