"""Splits and predictions that a command line names: read from disk, and told what was wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.screen import UsageError, complain, count

if TYPE_CHECKING:
    from pytest_citecheck.benchmark.hallmark.prediction_file import PredictionFile
    from pytest_citecheck.readers.hallmark.json_lines import Problem
    from pytest_citecheck.readers.hallmark.split import Split

__all__ = ["UnfitFileError", "named_predictions", "named_split", "predictions_given"]

_TOLD = 20
"""Problems of a file that are printed one by one."""
_PREDICTIONS_GIVEN = "these are predictions, not labelled entries of a split"
_SPLIT_GIVEN = "this is a split, whose entries are labelled, and not a tool's predictions"


class UnfitFileError(UsageError):
    """A file can be read, but holds nothing of what it was named for; the text says what is there instead."""


def named_split(path: Path) -> Split:
    """A split with entries; its problems go to standard error.

    Raises UsageError if there is no such file, UnfitFileError if no entry is in it.
    """
    from pytest_citecheck.readers.hallmark.split import load_split  # noqa: PLC0415 - heavy for a --help

    try:
        split = load_split(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    if not split.entries and (said := predictions_given(path)):
        raise UnfitFileError(said)
    _tell(split.problems)
    if not split.entries:
        raise UnfitFileError(f"{path}: no entry in this file")
    return split


def named_predictions(path: Path) -> PredictionFile:
    """A file with predictions, likewise."""
    from pytest_citecheck.benchmark.hallmark.prediction_file import load_predictions  # noqa: PLC0415

    try:
        file = load_predictions(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    if not file.predictions and _is(path, "split"):
        raise UnfitFileError(f"{path}: {_SPLIT_GIVEN}")
    _tell(file.problems)
    if not file.predictions:
        raise UnfitFileError(f"{path}: no prediction in this file")
    return file


def predictions_given(path: Path) -> str:
    """What to say of a file without a readable entry if it holds predictions; else empty."""
    return f"{path}: {_PREDICTIONS_GIVEN}" if _is(path, "predictions") else ""


def _is(path: Path, kind: str) -> bool:
    from pytest_citecheck.benchmark.hallmark.file_kind import file_kind  # noqa: PLC0415

    if not path.is_file():  # a pipe can be read only once
        return False
    with path.open("rb") as file:
        return file_kind(file) == kind


def _tell(problems: Sequence[Problem]) -> None:
    for problem in problems[:_TOLD]:
        complain(str(problem))
    if len(problems) > _TOLD:
        complain(f"{problems[0].path}: and {count(len(problems) - _TOLD, 'more problem')}")
