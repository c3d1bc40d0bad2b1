"""Score prediction files against a split, show one part of the scores, and rank tools."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pytest_citecheck import __version__
from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.benchmark import (
    METRICS,
    SORT_KEYS,
    Leaderboard,
    PlackettLuce,
    Row,
    TypeStability,
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
    if chosen.json:
        write_json(chosen.json, {"tools": list(map(as_published, scores))})
    if chosen.history:
        _append(chosen.history, list(map(as_published, scores)))
    if chosen.format == "json":
        show(_document(list(map(as_published, scores))))
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


_PUBLISHED = "as published"


@dataclass(frozen=True, slots=True)
class _Ranking:
    """means to stability: of the tools with predictions; the model is None for fewer than two of them."""

    board: Leaderboard
    means: Mapping[str, float | None]
    model: PlackettLuce | None
    stability: Mapping[str, TypeStability]


def rank_tools(chosen: argparse.Namespace) -> int:
    """Print the ranking and return the exit code: 1 if a file was skipped. Raises UsageError, NotDoneError."""
    if chosen.bootstrap < 1:
        raise UsageError("--bootstrap needs at least one replicate")
    if len(chosen.files) == 1 and not is_result_file(chosen.files[0]):
        raise UsageError(f"nothing to rank: {chosen.files[0]} is the only tool ({_ONE_TOOL})")
    inputs = read_inputs(chosen, with_results=True)
    if len(inputs.tools) + len(inputs.published) == 1:
        name = min((*inputs.tools, *(result.name for result in inputs.published)))
        raise NotDoneError(f"nothing to rank: only {name} fits the split ({_ONE_TOOL})")
    ranking = _ranked(chosen, inputs)
    document = _ranking_document(ranking, inputs.split, chosen.sort)
    mixed = any(row.published for row in ranking.board.rows)
    records = [
        {**row, "letter": row["letter"] or None, "places": places and f"{places[0]:g}..{places[1]:g}"}
        for row in document["leaderboard"]
        for places in [row["plackett_luce_rank_ci"]]
    ]
    print_records(chosen, document, records, {**(_FIRST if mixed else {"tool": "tool_name"}), **_RANKING})
    if chosen.format == "text":
        _say_more(ranking, chosen.sort)
    return 1 if inputs.unfit else 0


def _ranked(chosen: argparse.Namespace, inputs: Inputs) -> _Ranking:
    try:
        board = leaderboard(
            inputs.tools,
            published=inputs.published,
            sort=chosen.sort,
            replicates=chosen.bootstrap,
            correction=chosen.correction,
        )
    except ValueError as error:
        raise NotDoneError(str(error)) from error
    if not inputs.tools:
        return _Ranking(board, {}, None, {})
    table = scores(inputs.tools)
    model = plackett_luce(table) if len(inputs.tools) > 1 else None
    return _Ranking(board, mean_scores(table), model, ranking_stability(inputs.tools) if model else {})


def _ranking_document(ranking: _Ranking, split: str, sort: str) -> dict[str, Any]:
    return {
        "split_name": split,
        "sort": SORT_KEYS[sort],
        "leaderboard": [
            {
                "rank": row.rank,
                "tool_name": row.tool,
                "result": _PUBLISHED if row.published else "recomputed",
                "letter": row.letter,
                **{field: row.score[field] for field in _COLUMNS.values()},
                "coverage_adjusted_f1": row.score["coverage_adjusted_f1"],
                "mean_score": None if row.published else ranking.means[row.tool],
                **_model(ranking, row),
            }
            for row in ranking.board.rows
        ],
        "plackett_luce_fitted": ranking.model is not None and ranking.model.fitted,
        "tests": [asdict(test) for test in ranking.board.tests],
        "stability": {name: asdict(one) for name, one in ranking.stability.items()},
    }


def _model(ranking: _Ranking, row: Row) -> dict[str, Any]:
    """The strength of a tool and the interval of its rank; None where its predictions are not known."""
    if row.published or ranking.model is None:
        return {"plackett_luce": None, "plackett_luce_rank_ci": None}
    model = ranking.model
    return {"plackett_luce": model.strength[row.tool], "plackett_luce_rank_ci": list(model.ranks[row.tool])}


def _say_more(ranking: _Ranking, sort: str) -> None:
    say(f"Sorted by {sort}. Tools that share a letter do not differ significantly.")
    if any(row.published for row in ranking.board.rows):
        say(
            "Results as published have no predictions: no paired test, no letter, no mean score, no place in the "
            "Plackett-Luce model, no tie-safe ECE."
        )
    if ranking.model is None:
        say("Fewer than two tools have predictions: no tests, no model and no stability.")
        return
    if not ranking.model.fitted:
        say("The Plackett-Luce model has no estimate for these tools; the table shows their mean scores instead.")
    stable = [name for name, one in ranking.stability.items() if one.stable]
    say(
        f"The order by detection rate is stable for {len(stable)} of {len(ranking.stability)} hallucination types: "
        f"{', '.join(stable) or '-'}"
    )
