"""``citecheck validate``: check entries before they are added to a benchmark."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.benchmark.commands.score_inputs import (
    add_against_argument,
    entries_text,
    named_split,
    predictions_given,
)
from pytest_citecheck.cli import argument, command, count, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_citecheck.cli import Commands
    from pytest_citecheck.inputs import Problem, Split


_SHOWN = 50
"""Maximum number of problems of a file to print."""
_ABOUT = """\
Check labelled entries (JSON Lines) before they are added to a benchmark. An entry must follow the schema, explain
its error if it is hallucinated, and not repeat another entry. Exit code 1: an entry has an error; warnings do not count."""


def add_parser(commands: Commands) -> None:
    """Add ``citecheck validate``."""
    validate = command(commands, "validate", "check new entries for a benchmark", _ABOUT, _run)
    argument(validate, "files FILE...", "file of labelled entries (JSON Lines)")
    add_against_argument(validate)
    argument(validate, "--all", f"print all problems, not only the first {_SHOWN} of each file")


def _run(chosen: argparse.Namespace) -> int:
    splits = [named_split(path) for path in chosen.against]
    sound = [_is_sound(path, splits, None if chosen.all else _SHOWN) for path in chosen.files]
    return 0 if all(sound) else 1


def _is_sound(path: Path, splits: Sequence[Split], most: int | None) -> bool:
    """Print the problems of a file; return whether it has entries and no error. Raises OSError."""
    from pytest_citecheck.benchmark import validate  # noqa: PLC0415 - heavy for a --help

    with path.open("rb") as file:
        entries, problems = validate(str(path), file, splits)
    wrong = [problem for problem in problems if problem.severity == "error"]
    if len({problem.line for problem in wrong}) == entries:  # the whole file is something else
        said = predictions_given(path) if entries else f"{path}: no entry in this file"
        if said:
            say(f"error: {said}")
            return False
    _show(path, problems, most)
    warnings = count(len(problems) - len(wrong), "warning")
    say(f"{path}: {entries_text(entries)}, {count(len(wrong), 'error')}, {warnings}")
    return not wrong


def _show(path: Path, problems: Sequence[Problem], most: int | None) -> None:
    """Print the problems by line. Unless ``most`` is None, similar warnings share a line, and errors come first."""
    lines = _grouped(problems) if most is not None else [(str(problem.severity), str(problem)) for problem in problems]
    most = len(lines) if most is None else most
    if len(lines) > most:
        lines.sort(key=lambda line: line[0] != "error")
    for _, text in lines[:most]:
        say(text)
    if len(lines) > most:
        say(f"{path}: and {len(lines) - most:,} more (--all prints them)")


def _grouped(problems: Sequence[Problem]) -> list[tuple[str, str]]:
    """Severity and text of each problem; warnings with one message are one, at the place of the first."""
    from pytest_citecheck.benchmark.metrics import grouped  # noqa: PLC0415 - heavy for a --help

    lines = []
    alike = grouped(problems, lambda one: one.message if one.severity == "warning" else id(one))
    for first, *others in alike.values():
        entries = f"{len(others):,} more {'entry' if len(others) == 1 else 'entries'}"
        lines.append((str(first.severity), f"{first} (and {entries}: --all prints them)" if others else str(first)))
    return lines
