"""``citecheck trust``: the folders whose settings ``citecheck check`` and pytest may take."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.running import guarded
from pytest_citecheck.cli.screen import UsageError, say
from pytest_citecheck.plugin.settings.trust import TrustError, distrust, trust, trusted_folders

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

_ABOUT = """\
Trust the settings files (pytest.ini, pyproject.toml …) in a folder: `citecheck check` takes the plugin's options from them, and
pytest takes servers and rates. Trust only what you wrote yourself, or have read. The list is kept for this user."""


def add_parser(commands: Commands) -> None:
    """Add ``citecheck trust``."""
    parser = commands.add_parser("trust", help="trust the settings files in a folder", description=_ABOUT)
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="the folder, not those below it")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="print the trusted folders")
    what.add_argument("--remove", action="store_true", help="trust the folder no longer")
    parser.set_defaults(run=guarded("citecheck trust", _run))


def _run(chosen: argparse.Namespace) -> int:
    if chosen.list == bool(chosen.folder):
        raise UsageError("give a folder, or --list")
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
