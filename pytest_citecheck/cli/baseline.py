"""``citecheck baseline``: accept today's findings, so that later runs fail only for new ones."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck import __version__
from pytest_citecheck.cli.commands import argument, count, say
from pytest_citecheck.cli.entries import add_engine_options
from pytest_citecheck.cli.running import NotDoneError, command, refuse_overwrite

if TYPE_CHECKING:
    from pytest_citecheck.cli.commands import Commands


_ABOUT = "Accept the current findings, so that runs with --citecheck-baseline=FILE fail only for new ones."
_WRITE = (
    "Check these .bib files and write the failures into a file. Runs with --citecheck-baseline=FILE show these "
    "failures as waived. Editing an entry voids its waiver."
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck baseline``."""
    parser = commands.add_parser("baseline", help="accept the current findings", description=_ABOUT)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    write = command(actions, "write", "write the findings into a file", _WRITE, _run)
    add_engine_options(write)
    argument(
        write,
        "-o --output FILE",
        "the file (default: citecheck-baseline.json)",
        default=Path("citecheck-baseline.json"),
    )


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.atomic_write import content_of, rewrite  # noqa: PLC0415
    from pytest_citecheck.cli.entries import Engine, bibtex_files  # noqa: PLC0415 - heavy for a --help
    from pytest_citecheck.cli.judging import problems_of  # noqa: PLC0415 - heavy for a --help
    from pytest_citecheck.inputs import content_hash  # noqa: PLC0415

    refuse_overwrite([chosen.output], map(Path, chosen.files))
    contents, before = bibtex_files(chosen.files), content_of(chosen.output)
    chosen.citecheck_baseline = None  # all of today's findings
    engine = Engine(chosen, "citecheck baseline write", ("-o", "citecheck_baseline="))
    try:
        found = [
            {
                "key": reference.key,
                "entry": content_hash(reference),
                "check": one.check,
                "codes": [one.code, *one.also],
                "message": one.message,
            }
            for reference, evaluation in engine.evaluations(
                contents, set(engine.references(contents, unreadable=True))
            ).values()
            for one in problems_of(reference, evaluation, engine.session)
            if one.level == "error" and not one.waived
        ]
    finally:
        engine.close()
    text = json.dumps({"version": __version__, "findings": found}, indent=1, ensure_ascii=False) + "\n"

    def change(now: bytes | None) -> bytes:
        if now is not None and now != before:
            raise NotDoneError(f"{chosen.output} was changed while citecheck ran, and is left as it is")
        return text.encode(errors="backslashreplace")

    rewrite(chosen.output, change)
    say(f"accepted {count(len(found), 'finding')} in {chosen.output}; run with --citecheck-baseline={chosen.output}")
    return 0
