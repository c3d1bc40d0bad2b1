"""``citecheck rank``: rank tools on a benchmark, with significance tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.benchmark.commands.score_inputs import add_arguments, add_input_arguments
from pytest_citecheck.cli import add_format, command

if TYPE_CHECKING:
    from pytest_citecheck.cli import Commands


_DESCRIPTION = """\
Rank tools by a metric. Tools that a paired bootstrap cannot tell apart share a letter. The table also ranks by a Plackett-Luce
model of which tool is right with more confidence, entry by entry; it does not need complete predictions. The last line shows how
stable the order is for each hallucination type. docs/metrics.md defines all of these. A FILE may also be a published result (one
JSON object with metrics): it is ranked as published, without what needs predictions."""


def add_parser(commands: Commands) -> None:
    """Add ``citecheck rank``."""
    run = "benchmark.commands.score_predictions:rank_tools"
    parser = command(commands, "rank", "rank tools on a benchmark", _DESCRIPTION, run)
    add_input_arguments(parser)
    keys = ("f1", "coverage_adjusted_f1", "mcc", "tw_f1", "detection_rate", "fpr", "ece")
    corrections = ("holm", "bonferroni", "bh")
    add_arguments(
        parser,
        ("--sort", "metric to rank by", {"shown": "f1", "choices": keys}),
        ("--bootstrap N", "replicates of each paired test", {"shown": 10_000}),
        ("--correction", "correction of the p-values for multiple tests", {"shown": "holm", "choices": corrections}),
        ("--json FILE", "write the ranking and all tests to this JSON file"),
    )
    add_format(parser, "json", about="output format; csv, latex and markdown contain the leaderboard only")
