"""``citecheck serve``: a local page for people without a terminal (docs/serve.md)."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pytest_citecheck.cli.commands import argument
from pytest_citecheck.cli.entries import add_source_options
from pytest_citecheck.cli.running import command

if TYPE_CHECKING:
    from pytest_citecheck.cli.commands import Commands


_ABOUT = (
    "Open a page in your browser that checks files and pasted references. Only this machine can reach it, with the token in its "
    "address. Files are deleted when you close the page. Ctrl-C ends the server."
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck serve``."""
    parser = command(commands, "serve", "check files on a local page", _ABOUT, _run, extra="web")
    add_source_options(parser)
    argument(parser, "--port PORT", "port on 127.0.0.1 (default: a free one)", default=0)
    argument(parser, "--no-browser", "only print the address of the page")


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.doors import serve_page  # noqa: PLC0415 - needs the extra

    return serve_page(chosen)
