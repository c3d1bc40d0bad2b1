"""The ``citecheck`` command."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pytest_citecheck import __version__
from pytest_citecheck.cli.isolation import isolate
from pytest_citecheck.exit_codes import USAGE
from pytest_citecheck.nearest import hint

if TYPE_CHECKING:
    from types import TracebackType

_GLOBAL = frozenset({"-h", "--help", "--version"})


class _Parser(argparse.ArgumentParser):
    """A parser whose errors contain no control characters."""

    def error(self, message: str) -> NoReturn:
        from pytest_citecheck.cli.commands import complain  # noqa: PLC0415 - after `isolate`

        complain(f"{self.prog}: error: {message}")
        self.print_usage(sys.stderr)
        self.exit(USAGE)


_WIDTH = 79
_COMMON = ("check", "fix", "explain", "demo", "record", "hook", "waive", "doctor")
"""The commands that the help describes; it names the others."""


class _TopParser(_Parser):
    """The parser of ``citecheck`` itself, whose help fits one screen."""

    def format_help(self) -> str:
        commands = {one.dest: one.help for action in self._actions for one in getattr(action, "_choices_actions", ())}
        if not commands:
            return super().format_help()
        from pytest_citecheck.cli.check import COMMON  # noqa: PLC0415 - slow, and only for the help

        options = ", ".join(f"--{dest.removeprefix('citecheck_').replace('_', '-')}" for dest in COMMON)
        further = ", ".join(name for name in commands if name not in _COMMON)
        lines = [
            f"usage: {self.usage}",
            "",
            *textwrap.wrap(self.description or "", _WIDTH),
            "",
            "commands:",
            *(f"  {name:<10}{commands[name]}" for name in _COMMON),
            *textwrap.wrap(f"and {further}", _WIDTH, initial_indent="  ", subsequent_indent="  "),
            "",
            "common options (citecheck check --help explains all):",
            *textwrap.wrap(options, _WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False),
            "",
            *textwrap.wrap(self.epilog or "", _WIDTH),
        ]
        return "\n".join(lines) + "\n"


def command_parser(only: str = "") -> argparse.ArgumentParser:
    """The parser of all commands, or of this one if there is one of the name, with the examples in their help."""
    from pytest_citecheck.cli.commands import COMMANDS, add_command, all_commands  # noqa: PLC0415 - after `isolate`
    from pytest_citecheck.cli.explain import add_examples  # noqa: PLC0415

    parser = _TopParser(
        prog="citecheck",
        usage="citecheck FILE... [OPTION...], or citecheck COMMAND ...",
        description="Check the references of a paper, and score tools that check references. `citecheck refs.bib` is short for "
        "`citecheck check refs.bib`.",
        epilog="citecheck COMMAND --help shows the options of a command, with examples.",
    )
    parser.add_argument("--version", action="version", version=f"citecheck {__version__}")
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=_Parser, prog="citecheck"
    )
    for name in [] if only == "--version" else [only] if only in COMMANDS or only in all_commands() else all_commands():
        add_command(name, commands)
    add_examples(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code (`exit_codes`)."""
    isolate()
    sys.excepthook = _show_error
    typed = _with_command(list(sys.argv[1:] if arguments is None else arguments))
    parser = command_parser(typed[0])
    chosen, unknown = parser.parse_known_args(typed)
    if unknown:
        known = _flags(parser, typed[0])
        said = [f"{one}{hint(one.partition('=')[0], known)}" for one in unknown]
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
    from pytest_citecheck.cli.commands import COMMANDS, all_commands  # noqa: PLC0415 - after `isolate`

    if not typed:
        return ["--help"]
    first = typed[0]
    if first not in COMMANDS and first not in _GLOBAL and first not in all_commands():
        if not (first.startswith("-") or any(mark in first for mark in "./\\*?:,") or Path(first).exists()):
            command_parser("--version").error(f"unknown command or file {first!r}{hint(first, all_commands())}")
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
