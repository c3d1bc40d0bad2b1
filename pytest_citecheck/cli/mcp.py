"""``citecheck mcp``: a server for agents (docs/agents.md)."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pytest_citecheck.cli.entries import add_root_option, add_source_options
from pytest_citecheck.cli.running import guarded

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
    parser = commands.add_parser("mcp", help="serve tools for agents (MCP)", description=_ABOUT)
    add_source_options(parser)
    parser.add_argument(
        "--http", nargs="?", type=int, const=8765, metavar="PORT", help="serve HTTP on 127.0.0.1 (default port: 8765)"
    )
    add_root_option(parser)
    parser.add_argument("--allow-write", action="store_true", help="with --http: let tools correct .bib files")
    parser.add_argument(
        "--budget", type=int, default=_BUDGET, metavar="N", help="look up at most N references (default: %(default)s)"
    )
    parser.set_defaults(run=guarded("citecheck mcp", _run, extra="mcp"))


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.doors import serve_agents  # noqa: PLC0415 - needs the extra

    return serve_agents(chosen)
