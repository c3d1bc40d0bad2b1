"""``citecheck dataset``: look at a split, and add to it.

Exit codes: 0 done; 1 an error in a contribution, a step that is not allowed, or errors under ``--gate``; 4 usage error.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.benchmark import baseline
from pytest_citecheck.cli.benchmark.files import add_split_argument
from pytest_citecheck.cli.running import guarded
from pytest_citecheck.readers.hallmark.schema import TIERS

if TYPE_CHECKING:
    from collections.abc import Callable

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

_ABOUT = "Look at a split of labelled references, find its faults, and add contributions to it."
_STATS = "Print how many entries a split has by label, tier, type, generation method, year, venue and sub-test."
_INSPECT = "Print entries of a split, all or those that match every option given."
_DIAGNOSE = """\
Without --predictions: print the faults of a split (lines that cannot be read, sub-tests that contradict label or type) and how
often one property of an entry gives its label away. With --predictions: print the entries that the tool gets wrong, and its
reasons."""
_BLIND = """\
Write the entries as a checker may see them: key, type, fields without the url, and raw BibTeX. Labels, types, tiers,
explanations, sub-tests and dates are left out."""
_MANIFEST = """\
With FILE, write size and SHA-256 of each file. Without, compare the files with the list, relative to its folder; exit with 1 if
one differs or is missing."""
_SUBMIT = "Check new entries and put them into a queue for review. A file with an error is not queued."
_REVIEW = """\
Print the contributions in a queue with their state, or one of them with its entries and log. With --approve or --reject, change
the state of one. Nobody reviews what they submitted."""
_ACCEPT = "Add the entries of an approved contribution to a split, after checking them against it again."


def add_parser(commands: Commands) -> None:
    """Add ``citecheck dataset`` with its actions."""
    dataset = commands.add_parser("dataset", help="look at a split and add to it", description=_ABOUT)
    actions = dataset.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_looking(actions)
    _add_contributing(actions)
    baseline.add_parser(actions)


def _add_looking(actions: Commands) -> None:
    stats = _action(actions, "stats", "count the parts of a split", _STATS, _look)
    add_split_argument(stats)
    stats.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    inspect = _action(actions, "inspect", "print entries of a split", _INSPECT, _look)
    add_split_argument(inspect)
    inspect.add_argument("--key", metavar="KEY", nargs="+", help="entries with these keys")
    inspect.add_argument("--title", metavar="TEXT", help="entries with this text in the title, in any case")
    inspect.add_argument("--label", choices=("VALID", "HALLUCINATED"), help="entries with this label")
    inspect.add_argument("--type", choices=sorted(TIERS), help="entries of this hallucination type")
    inspect.add_argument("--tier", metavar="N", type=int, choices=(1, 2, 3), help="hallucinated entries of this tier")
    inspect.add_argument("--method", metavar="NAME", help="entries made by this generation method")
    inspect.add_argument(
        "--max-entries",
        metavar="N",
        type=_positive,
        help="at most N entries, drawn with seed 42 so that labels keep their proportion",
    )
    inspect.add_argument("-o", "--output", metavar="FILE", type=Path, help="write the entries to this split instead")
    blind = _action(actions, "blind", "write a split without its labels", _BLIND, _look)
    add_split_argument(blind)
    blind.add_argument(
        "-o", "--output", metavar="FILE", type=Path, required=True, help="write the blind split to this file"
    )
    manifest = _action(actions, "manifest", "write or check a list of checksums", _MANIFEST, _look)
    manifest.add_argument("files", metavar="FILE", nargs="*", type=Path, help="splits and results to list")
    manifest.add_argument("--manifest", metavar="JSON", type=Path, required=True, help="the list of checksums")
    diagnose = _action(actions, "diagnose", "find faults of a split, or of a tool", _DIAGNOSE, _look)
    add_split_argument(diagnose)
    diagnose.add_argument("--predictions", metavar="FILE", type=Path, help="predictions of a tool (JSON Lines)")
    diagnose.add_argument("--gate", action="store_true", help="exit with 1 if anything is wrong")


def _add_contributing(actions: Commands) -> None:
    submit = _action(actions, "submit", "put new entries into a queue", _SUBMIT, _contribute)
    submit.add_argument("file", metavar="FILE", type=Path, help="new labelled entries (JSON Lines)")
    submit.add_argument(
        "--against",
        metavar="SPLIT",
        nargs="+",
        type=Path,
        default=[],
        help="existing splits; new entries must not repeat their keys or titles",
    )
    review = _action(actions, "review", "list contributions, approve or reject one", _REVIEW, _contribute)
    review.add_argument("id", metavar="ID", nargs="?", help="a contribution")
    decision = review.add_mutually_exclusive_group()
    decision.add_argument("--approve", action="store_true", help="let it be accepted")
    decision.add_argument("--reject", action="store_true", help="do not let it be accepted")
    review.add_argument("--note", metavar="TEXT", default="", help="reason, for the log")
    accept = _action(actions, "accept", "add an approved contribution to a split", _ACCEPT, _contribute)
    accept.add_argument("id", metavar="ID", help="an approved contribution")
    accept.add_argument("--split", metavar="SPLIT", type=Path, required=True, help="the split to add it to; may be new")
    for parser in (submit, review, accept):
        parser.add_argument("--queue", metavar="FOLDER", type=Path, required=True, help="folder of the contributions")
        parser.add_argument("--by", metavar="NAME", default="", help="who does this, for the log")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more: {number}")
    return number


def _action(
    actions: Commands, name: str, summary: str, about: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=summary, description=about)
    parser.set_defaults(run=guarded(f"citecheck dataset {name}", run))
    return parser


def _look(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.benchmark.dataset import looking  # noqa: PLC0415 - heavy for a --help

    return looking.ACTIONS[chosen.action](chosen)


def _contribute(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.benchmark.dataset import contributing  # noqa: PLC0415

    return contributing.ACTIONS[chosen.action](chosen)
