"""``citecheck completion``: a script that lets a shell complete commands and options."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pytest_citecheck.cli.commands import argument
from pytest_citecheck.cli.running import command
from pytest_citecheck.screen import send

if TYPE_CHECKING:
    from pytest_citecheck.cli.commands import Commands


_ABOUT = "Print a completion script for your shell: commands, options and file names."


def add_parser(commands: Commands) -> None:
    """Add ``citecheck completion``."""
    parser = command(commands, "completion", "print a script that completes commands", _ABOUT, _run, extra="completion")
    argument(parser, "shell", "your shell", choices=("bash", "zsh", "tcsh"))


def _run(chosen: argparse.Namespace) -> int:
    import shtab  # noqa: PLC0415 - of an extra

    from pytest_citecheck.cli.entry import command_parser  # noqa: PLC0415 - it imports this module

    parser = command_parser()
    for action in _file_arguments(parser):
        action.complete = shtab.FILE  # type: ignore[attr-defined]
    send([f"{shtab.complete(parser, chosen.shell)}\n".encode()])
    return 0


def _file_arguments(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    found = []
    for action in parser._actions:  # noqa: SLF001 - there is no other way to them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            found += [one for inner in action.choices.values() for one in _file_arguments(inner)]
        elif isinstance(action.metavar, str) and any(
            word in action.metavar for word in ("FILE", "PATH", "DIR", "FOLDER")
        ):
            found.append(action)
    return found
