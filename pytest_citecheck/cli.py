"""The ``citecheck`` command: the same checks where pytest itself is not what people type, as in a pre-commit hook."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import NoReturn

from pytest_citecheck import __version__
from pytest_citecheck.plugin.options import OPTIONS

__all__ = ["main"]

# The project whose .bib files are checked may use pytest for other things: its conftest.py, default arguments and
# demands on plugins must not get into the way, and no cache folder may appear in its work tree.
_APART = (
    "-p",
    "citecheck",
    "-o",
    "minversion=",
    "-o",
    "strict_config=false",
    "--noconftest",
    "-o",
    "addopts=",
    "-o",
    "required_plugins=",
    "-o",
    "filterwarnings=",
    "-p",
    "no:cacheprovider",
)
_NOTHING_TO_CHECK = 5
_QUIET = ("-q", "--no-header", "-rN", "--show-capture=no")


class _Parser(argparse.ArgumentParser):
    """Ends with pytest's exit code for wrong usage."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(4, f"{self.prog}: error: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code of pytest (0: nothing failed, 1: something did, others: could not run)."""
    parser = _Parser(prog="citecheck", description=__doc__.partition(":")[2].strip() if __doc__ else None)
    parser.add_argument("--version", action="version", version=f"citecheck {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser(
        "check", help="check bibliographies", description="Check the references of bibliographies; prints what fails."
    )
    check.add_argument("files", nargs="+", metavar="FILE", help="a .bib file")
    for option in OPTIONS:
        if not option.flag:
            continue
        flag = option.flag.replace("--citecheck-", "--")
        if option.kind == "flag":
            check.add_argument(flag, dest=option.dest, action="store_true", help=option.help)
        else:
            action = "append" if option.kind == "lines" else "store"
            check.add_argument(
                flag, dest=option.dest, action=action, metavar=option.metavar, choices=option.choices, help=option.help
            )
    return _check(parser.parse_args(sys.argv[1:] if arguments is None else arguments))


def _check(chosen: argparse.Namespace) -> int:
    given: list[str] = []
    for option in OPTIONS:
        value = getattr(chosen, option.dest, None)
        if value is True:
            given.append(option.flag)
        elif isinstance(value, list):
            given += [f"{option.flag}={item}" for item in value]
        elif value:
            given.append(f"{option.flag}={value}")
    files = [f"--citecheck={name}" for name in chosen.files]
    # A process of its own: pytest wants to import its plugins itself.
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    command = [sys.executable, "-m", "pytest", *_APART, *_QUIET, *given, *files]
    code = subprocess.call(command, env=environment)  # noqa: S603
    return 0 if code == _NOTHING_TO_CHECK else code
