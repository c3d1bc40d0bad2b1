"""``citecheck validate``: whether entries can be added to a benchmark."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.benchmark.files import named_split, predictions_given
from pytest_citecheck.cli.running import guarded
from pytest_citecheck.cli.screen import UsageError, count, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_citecheck.readers.hallmark.json_lines import Problem
    from pytest_citecheck.readers.hallmark.split import Split

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

_SHOWN = 50
"""Problems of a file that are printed one by one."""
_ABOUT = """\
Check labelled entries (JSON Lines) before they are added to a benchmark: whether they follow the schema, say what is wrong
with a hallucinated entry, and are not there already. Exit code 1 if one of them has an error; warnings are no failure."""


def add_parser(commands: Commands) -> None:
    """Add ``citecheck validate``."""
    validate = commands.add_parser("validate", help="check entries for a benchmark", description=_ABOUT)
    validate.add_argument("files", metavar="FILE", nargs="+", type=Path, help="a file of labelled entries")
    validate.add_argument(
        "--against",
        metavar="SPLIT",
        nargs="+",
        type=Path,
        default=[],
        help="splits that may hold neither the keys nor the titles of the entries",
    )
    validate.add_argument(
        "--all", action="store_true", help=f"print all that is wrong, not only the first {_SHOWN} of a file"
    )
    validate.set_defaults(run=guarded("citecheck validate", _run))


def _run(chosen: argparse.Namespace) -> int:
    splits = [named_split(path) for path in chosen.against]
    sound = [_is_sound(path, splits, None if chosen.all else _SHOWN) for path in chosen.files]
    return 0 if all(sound) else 1


def _is_sound(path: Path, splits: Sequence[Split], most: int | None) -> bool:
    """Say what is wrong with a file, and whether it has entries and no error. Raises UsageError."""
    from pytest_citecheck.benchmark.hallmark.contribution import validate  # noqa: PLC0415 - heavy for a --help

    try:
        with path.open("rb") as file:
            entries, problems = validate(str(path), file, splits)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    wrong = [problem for problem in problems if problem.severity == "error"]
    if len({problem.line for problem in wrong}) == entries and (said := _instead(path, entries)):
        say(f"error: {said}")
        return False
    _show(path, problems, most)
    lines = f"{entries:,} {'entry' if entries == 1 else 'entries'}"
    say(f"{path}: {lines}, {count(len(wrong), 'error')}, {count(len(problems) - len(wrong), 'warning')}")
    return not wrong


def _instead(path: Path, entries: int) -> str:
    """What is wrong with a file as a whole, if something is, of which no entry is right."""
    return predictions_given(path) if entries else f"{path}: no entry in this file"


def _show(path: Path, problems: Sequence[Problem], most: int | None) -> None:
    """Print them by line; of more than ``most`` the errors before the warnings."""
    if most is None or len(problems) <= most:
        shown = problems
    else:
        shown = sorted(problems, key=lambda problem: problem.severity != "error")[:most]
    for problem in shown:
        say(str(problem))
    if len(shown) < len(problems):
        say(f"{path}: and {len(problems) - len(shown):,} more (--all prints them)")
