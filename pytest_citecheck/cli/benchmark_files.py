"""Splits and predictions that a command line names: read from disk, and told what was wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.index.screen import UsageError, complain, count

if TYPE_CHECKING:
    from pytest_citecheck.hallmark.json_lines import Problem
    from pytest_citecheck.hallmark.prediction_file import PredictionFile
    from pytest_citecheck.hallmark.split import Split

__all__ = ["named_predictions", "named_split"]

_TOLD = 20
"""Problems of a file that are printed one by one."""


def named_split(path: Path) -> Split:
    """A split with entries; its problems go to standard error. Raises UsageError if there is no such file, or no entry in it."""
    from pytest_citecheck.hallmark.split import load_split  # noqa: PLC0415 - heavy for a --help

    try:
        split = load_split(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    _tell(split.problems)
    if not split.entries:
        raise UsageError(f"{path}: no entry in this file")
    return split


def named_predictions(path: Path) -> PredictionFile:
    """A file with predictions, likewise."""
    from pytest_citecheck.hallmark.prediction_file import load_predictions  # noqa: PLC0415

    try:
        file = load_predictions(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    _tell(file.problems)
    if not file.predictions:
        raise UsageError(f"{path}: no prediction in this file")
    return file


def _tell(problems: Sequence[Problem]) -> None:
    for problem in problems[:_TOLD]:
        complain(str(problem))
    if len(problems) > _TOLD:
        complain(f"{problems[0].path}: and {count(len(problems) - _TOLD, 'more problem')}")
