"""``citecheck doctor``: each source, whether it would be asked, and with ``--live`` whether it answers as expected."""

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
    "Show each source: whether a run asks it (else which key or mirror is needed), whether a key is found, its limits, when it "
    "last answered (from the cache), its terms, and what nobody has confirmed of its API. Sends nothing without --live. Exit "
    "code: 0 all well, 1 something is wrong, 4 a usage error."
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck doctor``."""
    parser = commands.add_parser(
        "doctor", help="show whether the services are reachable and answer as expected", description=_ABOUT
    )
    parser.add_argument(
        "--live",
        action="store_true",
        help="ask each source for a work that it certainly has, once for each kind of question, and compare the answer with what "
        "its parser expects",
    )
    parser.add_argument(
        "--source", action="append", metavar="NAME", help="only this source (repeatable); shows all of it"
    )
    parser.add_argument(
        "--models",
        type=Path,
        metavar="FILE",
        help="instead of the sources, show the endpoints of language models that this configuration names; with --live, call "
        "each once",
    )
    parser.add_argument(
        "--allow-endpoint",
        action="append",
        metavar="HOST",
        help="with --models --live: let the configuration send environment variables to this host, although its folder is not "
        "trusted (repeatable)",
    )
    parser.add_argument(
        "--shapes",
        type=Path,
        nargs="?",
        const=Path("conformance-bodies"),
        metavar="DIR",
        help="ask as with --live, and write what the parsers read of the answers into this folder, for the conformance tests "
        "(default: conformance-bodies)",
    )
    parser.add_argument(
        "--calibrate",
        type=Path,
        nargs="?",
        const=Path(),
        metavar="DIR",
        help="draw random works from the services, search for each at the others, and keep the counts for a few months: runs "
        "then know how often a search misses a real work. Keeps them in DIR, such as a folder of cassettes (default: the cache)",
    )
    parser.add_argument(
        "--works",
        type=int,
        default=40,
        metavar="N",
        help="with --calibrate: works to draw of each type and period (default: 40)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_settings(parser)
    parser.set_defaults(run=guarded("citecheck doctor", _run))


def _run(chosen: argparse.Namespace) -> int:
    if chosen.models is not None:
        from pytest_citecheck.cli.doctor.models import examine_models  # noqa: PLC0415 - heavy for a --help

        return examine_models(chosen)
    from pytest_citecheck.cli.doctor.examining import calibrate_searches, examine, write_shapes  # noqa: PLC0415

    if chosen.calibrate is not None:
        return calibrate_searches(chosen)

    return write_shapes(chosen) if chosen.shapes is not None else examine(chosen)
