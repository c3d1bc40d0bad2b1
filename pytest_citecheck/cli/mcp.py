"""``citecheck mcp``: a server for agents (docs/agents.md)."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pytest_citecheck.cli.commands import argument
from pytest_citecheck.cli.entries import add_root_option, add_source_options
from pytest_citecheck.cli.running import command

if TYPE_CHECKING:
    from pytest_citecheck.cli.commands import Commands


_ABOUT = (
    "Serve tools that check and find references to an agent, over the Model Context Protocol: on standard input and "
    "output, or with --http on this machine. Files are read only within the client's roots and --root; over HTTP only within "
    "--root, and clients need a token: the one in CITECHECK_MCP_TOKEN, or one that is printed at the start."
)
_BUDGET = 2000


def add_parser(commands: Commands) -> None:
    """Add ``citecheck mcp``."""
    parser = command(commands, "mcp", "serve tools for agents (MCP)", _ABOUT, _run, extra="mcp")
    add_source_options(parser)
    argument(parser, "--http PORT", "serve HTTP on 127.0.0.1 (default port: 8765)", nargs="?", const=8765)
    add_root_option(parser)
    argument(parser, "--allow-write", "with --http: let tools correct .bib files")
    argument(parser, "--budget N", "look up at most N references (default: %(default)s)", default=_BUDGET)


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.doors import serve_agents  # noqa: PLC0415 - needs the extra

    return serve_agents(chosen)
