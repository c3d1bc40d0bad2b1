"""The ``citecheck`` command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pytest_citecheck import __version__
from pytest_citecheck.cli.isolation import isolate

if TYPE_CHECKING:
    from types import TracebackType

_GLOBAL = frozenset({"-h", "--help", "--version"})


class _Parser(argparse.ArgumentParser):
    """A parser that exits with pytest's code for a usage error."""

    def error(self, message: str) -> NoReturn:
        from pytest_citecheck.cli.commands import USAGE, complain  # noqa: PLC0415 - after `isolate`

        self.print_usage(sys.stderr)
        complain(f"{self.prog}: error: {message}")
        self.exit(USAGE)


def command_parser(only: str = "") -> argparse.ArgumentParser:
    """The parser of all commands, or of this one if there is one of the name, with the examples in their help."""
    from pytest_citecheck.cli.commands import COMMANDS, add_command  # noqa: PLC0415 - after `isolate`
    from pytest_citecheck.cli.explain import add_examples  # noqa: PLC0415

    parser = _Parser(
        prog="citecheck",
        description="Check the references of a paper, and score tools that check references. `citecheck refs.bib` is short for "
        "`citecheck check refs.bib`.",
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
    sys.excepthook = _show_error
    typed = _with_command(list(sys.argv[1:] if arguments is None else arguments))
    parser = command_parser(typed[0])
    chosen, unknown = parser.parse_known_args(typed)
    if unknown:
        known = _flags(parser, typed[0])
        said = [f"{one}{_suggestion(one.partition('=')[0], known)}" for one in unknown]
        parser.error(f"unrecognized arguments: {' '.join(said)}")
    code: int = chosen.run(chosen)
    return code


def _show_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an unexpected error; its message may be text of a file."""
    import traceback  # noqa: PLC0415 - rarely needed

    from pytest_citecheck.screen import show  # noqa: PLC0415 - after `isolate`

    show("".join(traceback.format_exception(kind, error, trace)), error=True)


def _with_command(typed: list[str]) -> list[str]:
    """The command line with its command: ``check`` if it begins with a file or an option of ``check``."""
    from pytest_citecheck.cli.commands import COMMANDS  # noqa: PLC0415 - after `isolate`

    if not typed:
        return ["--help"]
    first = typed[0]
    if first not in COMMANDS and first not in _GLOBAL:
        if not (first.startswith("-") or any(mark in first for mark in "./\\*?:,") or Path(first).exists()):
            command_parser("--version").error(
                f"unknown command or file {first!r}{_suggestion(first, COMMANDS) or '; citecheck --help lists the commands'}"
            )
        typed = ["check", *typed]
    if typed[0] == "check":  # the options of the plugin are known by both names
        typed = [f"--{one.removeprefix('--citecheck-')}" if one.startswith("--citecheck-") else one for one in typed]
    return typed


def _flags(parser: argparse.ArgumentParser, command: str) -> list[str]:
    inner = [
        action.choices[command]
        for action in parser._actions  # noqa: SLF001 - there is no other way to them
        if isinstance(action.choices, dict) and command in action.choices
    ]
    return [flag for one in (parser, *inner) for action in one._actions for flag in action.option_strings]  # noqa: SLF001


def _suggestion(typed: str, known: Iterable[str]) -> str:
    """The nearest name, as the end of a message; empty if none is near."""
    near = get_close_matches(typed, list(known), n=1)
    return f" (did you mean {near[0]}?)" if near else ""
