"""``citecheck demo``: four references, checked offline with recorded answers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.commands import say
from pytest_citecheck.cli.running import command

if TYPE_CHECKING:
    from pytest_citecheck.checks import Evaluation
    from pytest_citecheck.cli.commands import Commands
    from pytest_citecheck.model import Reference


DEMO = Path(__file__).with_name("demo_data")
"""Folder with the bibliography and the recorded answers."""

_ABOUT = (
    "Check four references offline, with recorded answers: two invented papers, a paper with the wrong authors, and a report "
    "that no service lists."
)
_WIDTH = 60
_NOT_PROOF = "no service lists this report, which is not proof that it is invented, so no check fails"


def add_parser(commands: Commands) -> None:
    """Add ``citecheck demo``."""
    command(commands, "demo", "check four references offline, as an example", _ABOUT, _run)


def _run(_: argparse.Namespace) -> int:
    from pytest_citecheck.cli.entries import Engine, bibtex_files  # noqa: PLC0415
    from pytest_citecheck.cli.isolation import SETTINGS, without_settings  # noqa: PLC0415 - heavy for a --help

    file = str(DEMO / "demo.bib")
    engine = Engine(argparse.Namespace(config=SETTINGS, citecheck_cassettes=str(DEMO)), "citecheck demo")
    say(f"Four references of {file}, checked offline with recorded answers:")
    with without_settings():
        evaluations = engine.evaluations(bibtex_files([file]))
    for reference, evaluation in evaluations.values():
        say(f"  {evaluation.verdict.name}: {reference.key} “{reference.fields.get('title', '')}”")
        say(f"    {_fault_line(reference, evaluation)}")
    engine.close()
    say("Check your own references: citecheck refs.bib")
    return 0


def _fault_line(reference: Reference, evaluation: Evaluation) -> str:
    from pytest_citecheck.plugin import contrast  # noqa: PLC0415 - heavy for a --help
    from pytest_citecheck.reports import shortened  # noqa: PLC0415

    wrong = next((one for one in evaluation.findings.values() if one.outcome == "failed"), None)
    if wrong is None:
        return _NOT_PROOF
    if not wrong.fixes:
        return shortened(wrong.message, 2 * _WIDTH)
    name, value = next(iter(wrong.fixes.items()))
    old, new = contrast(reference.fields.get(name, ""), value, _WIDTH)
    return f"{name}: {old} → {new}{f' ({wrong.record.url})' if wrong.record else ''}"
