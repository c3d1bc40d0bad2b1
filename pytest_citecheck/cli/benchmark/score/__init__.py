"""``citecheck score``: score tools on a split of labelled references.

Exit codes: 0 scored; 1 a file was not scored, or is incomplete under ``--strict``; 4 usage error; 130 interrupted.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.running import guarded

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

_PREDICTIONS = """\
Score prediction files against the labels of a split. docs/metrics.md defines all metrics. The ECE in the table keeps tied
confidences together; the JSON file also contains the ECE in file order. Warnings go to standard error: unreadable lines, low
coverage, almost only one label, inverted confidences."""

_JUNIT = """\
Compute the scores of a run over labelled references from its JUnit XML. Give the files of all shards of a run together: their
cases are merged and scored as one run. All shards must run from the same folder, so that they name the split alike."""


def add_parser(commands: Commands) -> None:
    """Add ``citecheck score`` with its actions."""
    score = commands.add_parser("score", help="score tools on a benchmark", description="Score tools on a benchmark.")
    actions = score.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_predictions(actions)
    _add_junit(actions)


def _add_predictions(actions: Commands) -> None:
    from pytest_citecheck.cli.benchmark.score.arguments import add_input_arguments  # noqa: PLC0415
    from pytest_citecheck.cli.benchmark.score.breakdown import PARTS  # noqa: PLC0415

    parser = actions.add_parser("predictions", help="score prediction files", description=_PREDICTIONS)
    add_input_arguments(parser)
    parser.add_argument(
        "--tool-name",
        metavar="NAME",
        help="name of the tool, if there is one file (default: the file name without its suffix)",
    )
    _add_computing(parser)
    parser.add_argument(
        "--eval-mode",
        choices=("conservative", "aggressive", "both"),
        default="conservative",
        help="aggressive: uncertain and missing predictions count as hallucinated (default: conservative)",
    )
    parser.add_argument(
        "--strict", action="store_true", help="exit with 1 if an entry has no prediction or a line is unreadable"
    )
    parser.add_argument(
        "--format",
        choices=("text", "csv", "latex", "json", "markdown"),
        default="text",
        help="output format (default: text)",
    )
    parser.add_argument(
        "--by",
        choices=tuple(PARTS),
        help="print this part of the scores instead of the summary (the JSON formats contain all parts)",
    )
    parser.set_defaults(run=guarded("citecheck score predictions", _score_predictions))


def _add_computing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all metrics to this JSON file")
    parser.add_argument(
        "--bootstrap",
        metavar="N",
        type=int,
        default=0,
        help="add 95 %% intervals from N bootstrap replicates, such as 10000 (default: none)",
    )


def _score_predictions(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.benchmark.score.predictions import score_predictions  # noqa: PLC0415 - needs numpy

    return score_predictions(chosen)


def _add_junit(actions: Commands) -> None:
    parser = actions.add_parser("junit", help="score the JUnit XML of a run or of its shards", description=_JUNIT)
    parser.add_argument("files", metavar="XML", nargs="+", type=Path, help="file written by pytest --junitxml")
    _add_computing(parser)
    parser.add_argument(
        "--fail-under",
        metavar="GATES",
        default="",
        help="thresholds such as f1=0.95,fpr<=0.03; exit with 1 if one is missed",
    )
    parser.add_argument(
        "--format",
        choices=("text", "csv", "latex", "markdown"),
        default="text",
        help="output format (default: text)",
    )
    parser.add_argument(
        "-p",
        dest="plugins",
        metavar="PLUGIN",
        action="append",
        default=[],
        help="call the hooks of this module or .py file (pytest_citecheck_metrics, pytest_citecheck_results)",
    )
    parser.set_defaults(run=guarded("citecheck score junit", _score_junit))


def _score_junit(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.benchmark.score.junit import score_junit  # noqa: PLC0415 - needs numpy and junitparser

    return score_junit(chosen)
