"""``citecheck lsp``: a server for editors (docs/editors.md)."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pytest_citecheck.cli.commands import argument
from pytest_citecheck.cli.entries import add_root_option, add_source_options
from pytest_citecheck.cli.running import command

if TYPE_CHECKING:
    from pytest_citecheck.cli.commands import Commands


_ABOUT = (
    "Serve diagnostics, corrections and evidence to an editor, over the Language Server Protocol on standard input and "
    "output. Editors start this command; settings for them are in docs/editors.md."
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck lsp``."""
    parser = command(commands, "lsp", "serve editors (LSP)", _ABOUT, _run, extra="lsp")
    add_source_options(parser)
    add_root_option(parser)
    argument(parser, "--code-lens", "show above each verified entry which sources have it")


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.doors import serve_editor  # noqa: PLC0415 - needs the extra

    return serve_editor(chosen)
