"""``citecheck compare``: comparisons of several tools, or of several parts of a split.

Exit codes: 0 compared; 1 a file was not scored; 2 usage error; 130 interrupted.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pytest_citecheck.benchmark.commands.score_inputs import add_arguments, add_input_arguments, add_split_argument
from pytest_citecheck.cli import add_format, argument, command

if TYPE_CHECKING:
    from pytest_citecheck.cli import Commands


_ABOUT = "Compare tools on a benchmark. For a leaderboard with paired tests, run citecheck rank."
_UNION = """\
Print the share of hallucinated entries that at least one of the first k tools finds. The order is the order of the
files, or with --by-cost ascending by mean seconds per entry."""
_EQUIVALENCE = """\
Test for each pair of tools if their accuracy differs by less than a margin (two one-sided permutation tests).
The last column is the smallest difference that a sample of this size detects (two-sided α 0.05, power 0.8)."""
_CUTOFF = """\
Compare each tool on entries published up to a day with those published later. Entries of that day count as before.
Entries with imprecise dates are counted separately."""
_CONTAMINATION = """\
Compare each tool on entries that it may have seen in training with the rest. These are entries with a title in a
corpus, or published up to the cut-off day."""
_POWER = """\
Print the smallest difference between two tools that each part of a split can detect (two-sided α 0.05, power 0.8).
Also print the entries needed for a given difference. A part is underpowered if it cannot detect 0.20."""
_DATES = "YYYY-MM-DD for all tools, or TOOL=YYYY-MM-DD for one; repeat for several"


def add_parser(commands: Commands) -> None:
    """Add ``citecheck compare`` with its actions."""
    compare = commands.add_parser("compare", help="compare tools on a benchmark", description=_ABOUT)
    actions = compare.add_subparsers(dest="action", required=True, metavar="ACTION")
    union = _tools(actions, "union", "combined detection of several tools", _UNION)
    argument(union, "--by-cost", "order the tools by mean seconds per entry")
    equivalence = _tools(actions, "equivalence", "equivalence of tools within a margin", _EQUIVALENCE)
    add_arguments(
        equivalence,
        ("--margin SHARE", "largest difference that does not matter (default: .02)", {"type": _share, "default": 0.02}),
        ("--permutations N", "permutations of each test", {"shown": 10_000}),
    )
    cutoff = _tools(actions, "cutoff", "before and after a day", _CUTOFF)
    argument(cutoff, "--date DATE", f"the day: {_DATES}", action="append", required=True)
    summary = "on entries that a model may have seen, and others"
    contamination = _tools(actions, "contamination", summary, _CONTAMINATION)
    corpus = "titles that the tool may have seen: a bibliography, a split, or a .txt file with a title per line"
    argument(contamination, "--corpus FILE...", corpus, default=[])
    argument(contamination, "--cutoff DATE", f"last day of training: {_DATES}", repeat=True)
    power = _action(actions, "power", "smallest differences that a split can show", _POWER)
    add_split_argument(power)
    effect = "difference to show, for the entries needed (default: .1)"
    argument(power, "--effect SHARE", effect, type=_share, default=0.1)


def _tools(actions: Commands, name: str, summary: str, about: str) -> argparse.ArgumentParser:
    parser = _action(actions, name, summary, about)
    add_input_arguments(parser)
    return parser


def _action(actions: Commands, name: str, summary: str, about: str) -> argparse.ArgumentParser:
    parser = command(actions, name, summary, about, f"benchmark.commands.compare_actions:compare_{name}")
    argument(parser, "--json FILE", "write the numbers to this JSON file")
    add_format(parser, "json")
    return parser


def _share(text: str) -> float:
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"must be between 0 and 1: {text}")
    return value
