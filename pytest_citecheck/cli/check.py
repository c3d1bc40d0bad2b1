"""``citecheck check``: the same checks where pytest itself is not what people type, as in a pre-commit hook."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from pytest_citecheck.cli.running import guarded
from pytest_citecheck.plugin.options import OPTIONS

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

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


def add_parser(commands: Commands) -> None:
    """Add ``citecheck check``, with all options of the plugin."""
    check = commands.add_parser(
        "check", help="check bibliographies", description="Check the references of bibliographies; prints what fails."
    )
    check.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="references: a .bib file, a split (.jsonl), answers of models (.json, .jsonl)",
    )
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
    check.set_defaults(run=guarded("citecheck check", _check))


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
