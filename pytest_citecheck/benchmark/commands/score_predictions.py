"""Score prediction files against a split, show one part of the scores, and rank tools."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pytest_citecheck import __version__
from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.benchmark import (
    METRICS,
    SORT_KEYS,
    aggressive,
    as_published,
    leaderboard,
    mean_scores,
    plackett_luce,
    ranking_stability,
    score_pairs,
    scores,
)
from pytest_citecheck.benchmark.commands.score_breakdown import breakdown
from pytest_citecheck.benchmark.commands.score_inputs import Inputs, is_result_file, read_inputs
from pytest_citecheck.cli import NotDoneError, UsageError, complain, say, table_of
from pytest_citecheck.screen import show
from pytest_citecheck.today import stamp

_COUNTS = ("tp", "fp", "tn", "fn", "uncertain", "missing")
_METRICS: Mapping[str, str] = {row.column: row.name for row in METRICS if row.column}
_INTERVALS: Mapping[str, str] = {row.name: row.interval for row in METRICS if row.interval and row.column}
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
    published = list(map(as_published, scores))
    if chosen.json:
        write_json(chosen.json, {"tools": published})
    if chosen.history:
        _append(chosen.history, published)
    if chosen.format == "json":
        show(_document(published))
    elif chosen.by:
        show(breakdown(scores, chosen.by, chosen.format))
    else:
        show(score_table(scores, chosen.format))
    if chosen.strict and inputs.flawed:
        complain("citecheck score predictions: --strict: entries without a prediction, or unreadable lines")
        return 1
    return 1 if inputs.unfit else 0


def _append(path: Path, scores: Sequence[Mapping[str, Any]]) -> None:
    """Add a line for each score to a history. Raises NotDoneError."""
    known = {"timestamp": stamp(), "version": __version__}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="ascii", newline="\n") as file:
            file.writelines(json.dumps({**known, **score}, allow_nan=False) + "\n" for score in scores)
    except OSError as error:
        raise NotDoneError(f"{path}: {error.strerror}") from error


def _document(scores: object) -> str:
    return json.dumps(scores, indent=2, allow_nan=False)


def print_records(
    chosen: argparse.Namespace, document: object, records: Iterable[Mapping[str, Any]], columns: Mapping[str, str]
) -> None:
    """Write a document to ``--json``, and print it in the chosen format: as a table of these records, or as JSON."""
    if chosen.json:
        write_json(chosen.json, document)
    show(_document(document) if chosen.format == "json" else table_of(records, columns, chosen.format))


def write_json(path: Path, document: object) -> None:
    """Write a document to a file. Raises NotDoneError if that is not possible."""
    try:
        write_whole(path, _document(document) + "\n")
    except OSError as error:
        raise NotDoneError(f"{path}: {error.strerror}") from error


def score_table(scores: Sequence[Mapping[str, Any]], style: str) -> str:
    """One row per score, and with a bootstrap a second row with its 95 % intervals."""
    several = len({score["evaluation_mode"] for score in scores}) > 1
    columns = {"tool": "tool_name", **({"mode": "evaluation_mode"} if several else {})}
    blank = dict.fromkeys(("evaluation_mode", *_COUNTS, *_METRICS.values()), "")
    rows: list[Mapping[str, Any]] = []
    for score in scores:
        rows.append({**score, **score["counts"]})
        intervals = {name: score[field] for name, field in _INTERVALS.items() if score[field]}
        rows += [{**blank, "tool_name": "95 % interval", **intervals}] if intervals else []
    return table_of(rows, {**columns, **{name: name for name in _COUNTS}, **_METRICS}, style)


_COLUMNS: Mapping[str, str] = {
    row.column: row.name for row in METRICS if row.column and row.name not in ("precision", "auroc")
}
_FIRST = {"tool": "tool_name", "result": "result"}
_RANKING = {
    "rank": "rank",
    "letter": "letter",
    **_COLUMNS,
    "mean score": "mean_score",
    "Plackett-Luce": "plackett_luce",
    "its rank": "places",
}
_ONE_TOOL = "for its scores, run citecheck score predictions"


def rank_tools(chosen: argparse.Namespace) -> int:
    """Print the ranking and return the exit code: 1 if a file was skipped. Raises UsageError, NotDoneError."""
    if chosen.bootstrap < 1:
        raise UsageError("--bootstrap needs at least one replicate")
    if len(chosen.files) == 1 and not is_result_file(chosen.files[0]):
        raise UsageError(f"nothing to rank: {chosen.files[0]} is the only tool ({_ONE_TOOL})")
    inputs = read_inputs(chosen, with_results=True)
    names = [*inputs.tools, *(result.name for result in inputs.published)]
    if len(names) == 1:
        raise NotDoneError(f"nothing to rank: only {names[0]} fits the split ({_ONE_TOOL})")
    document = _ranking(chosen, inputs)
    records = [
        {**row, "letter": row["letter"] or None, "places": places and f"{places[0]:g}..{places[1]:g}"}
        for row in document["leaderboard"]
        for places in [row["plackett_luce_rank_ci"]]
    ]
    print_records(chosen, document, records, {**(_FIRST if inputs.published else {"tool": "tool_name"}), **_RANKING})
    if chosen.format == "text":
        _say_more(chosen, inputs, document)
    return 1 if inputs.unfit else 0


def _ranking(chosen: argparse.Namespace, inputs: Inputs) -> dict[str, Any]:
    """The ranking as JSON data; values of the predictions are None for published results. Raises NotDoneError."""
    tools, comparable = inputs.tools, len(inputs.tools) > 1
    try:
        rows, tests = leaderboard(
            tools,
            published=inputs.published,
            sort=chosen.sort,
            replicates=chosen.bootstrap,
            correction=chosen.correction,
        )
    except ValueError as error:
        raise NotDoneError(str(error)) from error
    means = mean_scores(scores(tools)) if tools else {}
    model = plackett_luce(scores(tools)) if comparable else None
    stability = ranking_stability(tools) if comparable else {}
    return {
        "split_name": inputs.split,
        "sort": SORT_KEYS[chosen.sort],
        "leaderboard": [
            {
                "rank": row.rank,
                "tool_name": row.tool,
                "result": "as published" if row.published else "recomputed",
                "letter": row.letter,
                **{field: row.score[field] for field in _COLUMNS.values()},
                "coverage_adjusted_f1": row.score["coverage_adjusted_f1"],
                "mean_score": None if row.published else means[row.tool],
                "plackett_luce": model.strength[row.tool] if model and not row.published else None,
                "plackett_luce_rank_ci": list(model.ranks[row.tool]) if model and not row.published else None,
            }
            for row in rows
        ],
        "plackett_luce_fitted": model is not None and model.fitted,
        "tests": [asdict(test) for test in tests],
        "stability": {name: asdict(of_type) for name, of_type in stability.items()},
    }


def _say_more(chosen: argparse.Namespace, inputs: Inputs, ranking: Mapping[str, Any]) -> None:
    say(f"Sorted by {chosen.sort}. Tools that share a letter do not differ significantly.")
    if inputs.published:
        say(
            "Results as published have no predictions: no paired test, no letter, no mean score, no place in the "
            "Plackett-Luce model, no tie-safe ECE."
        )
    if len(inputs.tools) < 2:
        say("Fewer than two tools have predictions: no tests, no model and no stability.")
        return
    if not ranking["plackett_luce_fitted"]:
        say("The Plackett-Luce model has no estimate for these tools; the table shows their mean scores instead.")
    stable = [name for name, of_type in ranking["stability"].items() if of_type["stable"]]
    say(
        f"The order by detection rate is stable for {len(stable)} of {len(ranking['stability'])} hallucination types: "
        f"{', '.join(stable) or '-'}"
    )
