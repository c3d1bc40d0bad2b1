"""Reading the splits and prediction files that a command line names, and reporting their problems."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.screen import UsageError, complain, count

if TYPE_CHECKING:
    import argparse

    from pytest_citecheck.benchmark.hallmark.prediction_file import PredictionFile
    from pytest_citecheck.readers.hallmark.json_lines import Problem
    from pytest_citecheck.readers.hallmark.split import Split

__all__ = ["UnfitFileError", "add_split_argument", "named_predictions", "named_split", "predictions_given"]

_SHOWN = 20
"""How many problems of a file are printed."""
_PREDICTIONS_GIVEN = "this file contains predictions, not labelled entries of a split"
_SPLIT_GIVEN = "this file contains labelled entries of a split, not predictions"


class UnfitFileError(UsageError):
    """A file is readable but contains something else; the message says what."""


def add_split_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--split``, as every command that works on one split has it."""
    parser.add_argument("--split", metavar="SPLIT", type=Path, required=True, help="labelled entries (JSON Lines)")


def named_split(path: Path) -> Split:
    """Read a split and print its problems to standard error.

    Raises UsageError if the file cannot be read, UnfitFileError if it has no entry.
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
    """Read a prediction file; prints and raises as `named_split` does."""
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
    """The message for a file that contains predictions instead of entries; otherwise empty."""
    return f"{path}: {_PREDICTIONS_GIVEN}" if _is(path, "predictions") else ""


def _is(path: Path, kind: str) -> bool:
    from pytest_citecheck.benchmark.hallmark.file_kind import file_kind  # noqa: PLC0415

    if not path.is_file():  # a pipe can be read only once
        return False
    with path.open("rb") as file:
        return file_kind(file) == kind


def _tell(problems: Sequence[Problem]) -> None:
    for problem in problems[:_SHOWN]:
        complain(str(problem))
    if len(problems) > _SHOWN:
        complain(f"{problems[0].path}: and {count(len(problems) - _SHOWN, 'more problem')}")
