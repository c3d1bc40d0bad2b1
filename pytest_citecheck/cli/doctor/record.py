"""``citecheck record --shapes``: the services' answers of today as bodies for the conformance tests."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.doctor.options import add_settings
from pytest_citecheck.cli.running import guarded

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

_ABOUT = (
    "Ask each source for the works that it certainly has, as `citecheck doctor --live` does, and write what its parser reads of "
    "the answers into a folder that the conformance tests read (docs/doctor.md). Bibliographies are recorded with pytest "
    "(--citecheck-record)."
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck record``."""
    parser = commands.add_parser(
        "record", help="write answers of the services for the conformance tests", description=_ABOUT
    )
    parser.add_argument(
        "--shapes",
        type=Path,
        nargs="?",
        const=Path("conformance-bodies"),
        required=True,
        metavar="DIR",
        help="the folder to write into (default: conformance-bodies)",
    )
    parser.add_argument("--source", action="append", metavar="NAME", help="only this source (repeatable)")
    add_settings(parser)
    parser.set_defaults(run=guarded("citecheck record", _run))


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.doctor.examining import record  # noqa: PLC0415 - heavy for a --help

    return record(chosen)
