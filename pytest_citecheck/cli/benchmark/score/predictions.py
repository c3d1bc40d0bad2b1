"""``citecheck score predictions``: score prediction files against a split."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pytest_citecheck import __version__
from pytest_citecheck.benchmark.hallmark.published_scores import as_published
from pytest_citecheck.benchmark.metrics.pairs import aggressive
from pytest_citecheck.benchmark.metrics.score import score_pairs
from pytest_citecheck.benchmark.metrics.table import METRICS
from pytest_citecheck.cli.benchmark.score.breakdown import breakdown
from pytest_citecheck.cli.benchmark.score.inputs import read_inputs
from pytest_citecheck.cli.running import NotDoneError
from pytest_citecheck.cli.screen import UsageError, complain
from pytest_citecheck.cli.tables import TABLE_FORMATS, number
from pytest_citecheck.whole_file import write_whole

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

__all__ = ["score_predictions", "score_table", "write_json"]

_COUNTS = ("tp", "fp", "tn", "fn", "uncertain", "missing")
_METRICS: Mapping[str, str] = {row.column: row.name for row in METRICS if row.column}
_INTERVALS: Mapping[str, str] = {row.column: row.interval for row in METRICS if row.interval}
"""The interval of each metric. ECE has none here: its interval belongs to the ECE in file order, the table shows another."""


def score_predictions(chosen: argparse.Namespace) -> int:
    """Print the scores and return the exit code: 1 if a file was skipped, or under ``--strict`` if a prediction is missing or
    a line is unreadable. Raises UsageError, NotDoneError.
    """
    if chosen.bootstrap < 0:
        raise UsageError("--bootstrap must be 0 or a number of replicates")
    inputs = read_inputs(chosen, chosen.tool_name or "")
    modes = ("conservative", "aggressive") if chosen.eval_mode == "both" else (chosen.eval_mode,)
    scores = [
        {
            **score_pairs(
                aggressive(pairs) if mode == "aggressive" else pairs,
                tool_name=name,
                split_name=inputs.split,
                replicates=chosen.bootstrap,
            ),
            "evaluation_mode": mode,
        }
        for name, pairs in inputs.tools.items()
        for mode in modes
    ]
    if chosen.json:
        write_json(chosen.json, {"tools": list(map(as_published, scores))})
    if chosen.history:
        _append(chosen.history, list(map(as_published, scores)))
    if chosen.format == "json":
        print(_document(list(map(as_published, scores))))
    elif chosen.by:
        print(breakdown(scores, chosen.by, TABLE_FORMATS[chosen.format]))
    else:
        print(score_table(scores, TABLE_FORMATS[chosen.format]))
    if chosen.strict and inputs.flawed:
        complain("citecheck score predictions: --strict: entries without a prediction, or unreadable lines")
        return 1
    return 1 if inputs.unfit else 0


def _append(path: Path, scores: Sequence[Mapping[str, Any]]) -> None:
    """Add a line for each score to a history. Raises NotDoneError."""
    stamp = {"timestamp": datetime.now(tz=UTC).isoformat(timespec="seconds"), "version": __version__}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="ascii", newline="\n") as file:
            file.writelines(json.dumps({**stamp, **score}, allow_nan=False) + "\n" for score in scores)
    except OSError as error:
        raise NotDoneError(f"{path}: {error.strerror}") from error


def _document(scores: object) -> str:
    return json.dumps(scores, indent=2, allow_nan=False)


def write_json(path: Path, document: object) -> None:
    """Write a document to a file. Raises NotDoneError if that is not possible."""
    try:
        write_whole(path, _document(document) + "\n")
    except OSError as error:
        raise NotDoneError(f"{path}: {error.strerror}") from error


def score_table(
    scores: Sequence[Mapping[str, Any]], render: Callable[[Sequence[str], Sequence[Sequence[str]]], str]
) -> str:
    """One row per score, and with a bootstrap a second row with its 95 % intervals."""
    several = len({score["evaluation_mode"] for score in scores}) > 1
    header = ["tool", *(["mode"] if several else []), *_COUNTS, *_METRICS]
    rows = []
    for score in scores:
        mode = [score["evaluation_mode"]] if several else []
        counts = [number(score["counts"][name]) for name in _COUNTS]
        rows.append([score["tool_name"], *mode, *counts, *(number(score[field]) for field in _METRICS.values())])
        if any(score[field] for field in _INTERVALS.values()):
            blank = [""] * (len(mode) + len(counts))
            rows.append(["95 % interval", *blank, *(_interval(score, column) for column in _METRICS)])
    return render(header, rows)


def _interval(score: Mapping[str, Any], column: str) -> str:
    interval = score[_INTERVALS[column]] if column in _INTERVALS else None
    return f"{interval[0]:.3f}..{interval[1]:.3f}" if interval else ""
