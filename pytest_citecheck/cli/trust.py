"""``citecheck trust``: manage the folders whose settings files you trust."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pytest_citecheck.cli.commands import UsageError, argument, say
from pytest_citecheck.cli.running import command
from pytest_citecheck.plugin import TrustError, distrust, trust, trusted_folders

if TYPE_CHECKING:
    from pytest_citecheck.cli.commands import Commands


_ABOUT = """\
Trust the settings files (pytest.ini, pyproject.toml …) in a folder. `citecheck check` then reads its options from
them, and pytest accepts their servers and rates. Trust only files that you wrote or have read. Each user has a separate list."""


def add_parser(commands: Commands) -> None:
    """Add ``citecheck trust``."""
    parser = command(commands, "trust", "trust the settings files in a folder", _ABOUT, _run)
    argument(parser, "folder FOLDER", "the folder (without its subfolders)", nargs="?")
    what = parser.add_mutually_exclusive_group()
    argument(what, "--list", "print the trusted folders")
    argument(what, "--remove", "stop trusting the folder")


def _run(chosen: argparse.Namespace) -> int:
    if chosen.list == bool(chosen.folder):
        raise UsageError("pass a folder or --list")
    try:
        if chosen.list:
            for folder in trusted_folders():
                say(str(folder))
        elif chosen.remove:
            say(f"no longer trusted: {distrust(chosen.folder)}")
        else:
            say(f"trusted: {trust(chosen.folder)}")
    except TrustError as error:
        raise UsageError(str(error)) from error
    return 0
