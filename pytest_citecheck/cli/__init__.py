"""The ``citecheck`` command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from pytest_citecheck import __version__
from pytest_citecheck.cli.check.isolation import isolate

__all__ = ["command_parser", "main"]


class _Parser(argparse.ArgumentParser):
    """A parser that exits with pytest's code for a usage error."""

    def error(self, message: str) -> NoReturn:
        from pytest_citecheck.cli.screen import USAGE  # noqa: PLC0415 - after `isolate`

        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: error: {message}\n")


def command_parser(only: str = "") -> argparse.ArgumentParser:
    """The parser of all commands, or of this one if there is one of the name, with the examples in their help."""
    from pytest_citecheck.cli.commands import COMMANDS, add_command  # noqa: PLC0415 - after `isolate`
    from pytest_citecheck.cli.reference.examples import add_examples  # noqa: PLC0415

    parser = _Parser(
        prog="citecheck",
        description="Check the references of a paper, and score tools that do.",
        epilog="citecheck COMMAND --help shows the options of a command, with examples.",
    )
    parser.add_argument("--version", action="version", version=f"citecheck {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in [only] if only in COMMANDS else [] if only == "--version" else COMMANDS:
        add_command(name, commands)
    add_examples(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code (0: success, 1: a failure, 4: a usage error, others as in pytest)."""
    isolate()
    typed = list(sys.argv[1:] if arguments is None else arguments)
    parser = command_parser(typed[0] if typed else "")
    chosen, unknown = parser.parse_known_args(typed)
    if unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    code: int = chosen.run(chosen)
    return code
