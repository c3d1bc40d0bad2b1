"""``citecheck score``: score tools on a split of labelled references.

Exit codes: 0 scored; 1 a file was not scored, or is incomplete under ``--strict``; 2 usage error; 130 interrupted.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pytest_citecheck.benchmark.commands.score_inputs import add_arguments, add_input_arguments
from pytest_citecheck.cli import add_format, argument, command

if TYPE_CHECKING:
    from pytest_citecheck.cli import Commands


_PREDICTIONS = """\
Score prediction files against the labels of a split. docs/metrics.md defines all metrics. The ECE in the table keeps tied
confidences together; the JSON file also contains the ECE in file order. Warnings go to standard error: unreadable lines, low
coverage, almost only one label, inverted confidences."""

_JUNIT = """\
Compute the scores of a run over labelled references from its JUnit XML. Pass the files of all shards of a run
together: their cases are merged. All shards must run from the same folder, so that they use the same path for the
split."""


_SELFCHECK = """\
Compare methods of self-check over labelled references: areas under the ROC curve with DeLong's error, false discoveries against
the fraction kept, thresholds for a wanted share of them, paired tests. FILE is a table (CSV, JSON, JSON Lines) with
a label and a column per method. It may also be an answer file of the published code, or the calls of a run (with
--labels). All that it
says is about a language model's word: it proves nothing."""
_SELFCHECK_FILES = """\
labelled scores or answers, the calls of a run, or a published study: gpt-4 for gpt-4_results.csv, or a \
folder of raters; several files are compared one after another or as raters"""
_COMBINE = """\
label each row by the majority of these raters, in --labels if passed; ties are left out. With --raters: \
compare their majority with the other raters"""


def add_parser(commands: Commands) -> None:
    """Add ``citecheck score`` with its actions."""
    score = commands.add_parser("score", help="score tools on a benchmark", description="Score tools on a benchmark.")
    actions = score.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_predictions(actions)
    _add_junit(actions)
    _add_selfcheck(actions)


def _add_predictions(actions: Commands) -> None:
    from pytest_citecheck.benchmark.commands.score_breakdown import PARTS  # noqa: PLC0415

    run = "benchmark.commands.score_predictions:score_predictions"
    parser = command(actions, "predictions", "score prediction files", _PREDICTIONS, run)
    add_input_arguments(parser)
    modes = ("conservative", "aggressive", "both")
    add_arguments(
        parser,
        ("--tool-name NAME", "name of the tool, if there is one file (default: the file name without its suffix)"),
        _JSON,
        _BOOTSTRAP,
        (
            "--eval-mode",
            "aggressive: uncertain and missing predictions count as hallucinated",
            {"shown": "conservative", "choices": modes},
        ),
        ("--strict", "exit with 1 if an entry has no prediction or a line is unreadable"),
    )
    add_format(parser, "json")
    about = "print this part of the scores instead of the summary (the JSON formats contain all parts)"
    add_arguments(
        parser,
        ("--by", about, {"choices": tuple(PARTS)}),
        ("--history FILE", "append one line for each tool to this file (JSON Lines): date, version, split and scores"),
    )


_JSON = "--json FILE", "write all metrics to this JSON file"
_BOOTSTRAP = (
    "--bootstrap N",
    "add 95 %% intervals from N bootstrap replicates, such as 10000 (default: none)",
    {"default": 0},
)


def _share(text: str) -> float:
    share = float(text)
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not a share from 0 to 1")
    return share


def _add_junit(actions: Commands) -> None:
    run = "benchmark.commands.score_junit:score_junit"
    parser = command(actions, "junit", "score the JUnit XML of a run or of its shards", _JUNIT, run)
    checked = "models: rank only models with at least this share of checked references"
    hooks = "call the hooks of this module or .py file (pytest_citecheck_metrics, pytest_citecheck_results)"
    add_arguments(
        parser,
        ("files XML...", "file written by pytest --junitxml"),
        _JSON,
        _BOOTSTRAP,
        ("--fail-under GATES", "thresholds such as f1=0.95,fpr<=0.03; exit with 1 if one is missed", {"default": ""}),
        ("--min-checked SHARE", checked, {"shown": 0.9, "type": _share}),
    )
    add_format(parser)
    argument(parser, "-p PLUGIN", hooks, dest="plugins", repeat=True)


def _add_selfcheck(actions: Commands) -> None:
    run = "models.commands.score_selfcheck:score_selfcheck"
    parser = command(actions, "selfcheck", "compare self-checks of language models", _SELFCHECK, run)
    add_arguments(
        parser,
        ("files FILE...", _SELFCHECK_FILES),
        ("--labels FILE", "labels of calls or scores, by key or title"),
        ("--report FILE", "JSON report with the verdicts of databases on the references of a file of calls"),
        ("--raters COLUMN,…", "label columns: print only their agreement", {"default": ""}),
        ("--combine COLUMN,…", _COMBINE, {"default": ""}),
        ("--score COLUMN", "a column with scores from 0 to 1 (repeatable)", {"repeat": True}),
        ("--weights METHOD=N,…", "weights of a further ensemble, such as iq=0.7,dq1=0.3", {"default": ""}),
        ("--group COLUMN", "rows with the same value here are not independent", {"default": ""}),
        ("--group-size N", "each N rows after one another are not independent", {"default": 0}),
        ("--threshold T", "keep references with a score above T", {"shown": 0.5, "type": float}),
        ("--target-fdr F", "find the threshold for this share of false discoveries", {"shown": 0.1, "type": float}),
        ("--seed N", "seed of the bootstrap", {"shown": 42}),
        ("--adaptive", "for published answers: savings and loss of area with early stopping"),
        ("--prices FILE", "prices of models (TOML) instead of the built-in ones"),
        ("--charts DIR", "draw the curves into this folder"),
        _JSON,
        _BOOTSTRAP,
    )
    add_format(parser)
