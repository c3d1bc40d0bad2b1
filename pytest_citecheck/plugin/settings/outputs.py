"""The files that a run writes, as options name them."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

__all__ = ["chart_file", "output_file"]


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
    """The file of a chart, whose ending says the format. Raises pytest.UsageError."""
    path = output_file(text)
    if path is None:
        return None
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise pytest.UsageError(f"a chart is a .png, .svg or .pdf file, not {path.name}")
    if importlib.util.find_spec("matplotlib") is None:
        raise pytest.UsageError("charts need matplotlib: pip install 'pytest-citecheck[charts]'")
    return path
