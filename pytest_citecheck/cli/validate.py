"""``citecheck validate``: whether entries can be added to a benchmark."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.benchmark_files import named_split
from pytest_citecheck.cli.index.screen import UsageError, complain, count, say

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

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
    validate.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.hallmark.contribution import validate  # noqa: PLC0415 - heavy for a --help

    failed = False
    try:
        splits = [named_split(path) for path in chosen.against]
        for path in chosen.files:
            try:
                with path.open("rb") as file:
                    lines, problems = validate(str(path), file, splits)
            except OSError as error:
                raise UsageError(f"{path}: {error.strerror}") from error
            for problem in problems:
                say(str(problem))
            errors = sum(problem.severity == "error" for problem in problems)
            entries = f"{lines:,} {'entry' if lines == 1 else 'entries'}"
            say(f"{path}: {entries}, {count(errors, 'error')}, {count(len(problems) - errors, 'warning')}")
            failed = failed or errors > 0
    except UsageError as error:
        complain(f"citecheck validate: error: {error}")
        return 4
    return 1 if failed else 0
