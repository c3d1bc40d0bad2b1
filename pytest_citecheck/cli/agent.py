"""``citecheck agent``: rules for the agents of a project."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.commands import argument
from pytest_citecheck.cli.entries import add_root_option
from pytest_citecheck.cli.running import command

if TYPE_CHECKING:
    from pytest_citecheck.cli.commands import Commands


_ABOUT = (
    "Write rules for the agents of a project: AGENTS.md, a skill, the server in .mcp.json and .vscode/mcp.json, and a git hook "
    "that fails a commit with unverified references. Other content of these files stays."
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck agent``."""
    group = commands.add_parser("agent", help="tell agents to verify references", description=_ABOUT)
    actions = group.add_subparsers(dest="action", required=True, metavar="ACTION")
    parser = command(actions, "init", "write the rules", _ABOUT, _run)
    argument(parser, "folder FOLDER", "the project (default: .)", nargs="?", default=Path())
    add_root_option(parser)
    argument(parser, "--no-hook", "write no git hook")


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.doors import write_rules  # noqa: PLC0415 - rarely used

    return write_rules(chosen)
