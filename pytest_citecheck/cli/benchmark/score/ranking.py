"""The ranking that ``citecheck rank`` computes and prints."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pytest_citecheck.benchmark.metrics.table import METRICS
from pytest_citecheck.benchmark.ranking.leaderboard import SORT_KEYS, Leaderboard, Row, leaderboard
from pytest_citecheck.benchmark.ranking.ranking import PlackettLuce, mean_scores, plackett_luce, scores
from pytest_citecheck.benchmark.ranking.stability import TypeStability, ranking_stability
from pytest_citecheck.cli.benchmark.score.inputs import Inputs, is_result_file, read_inputs
from pytest_citecheck.cli.benchmark.score.predictions import write_json
from pytest_citecheck.cli.running import NotDoneError
from pytest_citecheck.cli.screen import UsageError, say
from pytest_citecheck.cli.tables import TABLE_FORMATS, number

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["rank_tools"]

_COLUMNS: Mapping[str, str] = {
    row.column: row.name for row in METRICS if row.column and row.name not in ("precision", "auroc")
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
    document = _document(ranking, inputs.split, chosen.sort)
    if chosen.json:
        write_json(chosen.json, document)
    if chosen.format == "json":
        print(json.dumps(document, indent=2, allow_nan=False))
    else:
        print(_leaderboard(ranking, TABLE_FORMATS[chosen.format]))
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


def _document(ranking: _Ranking, split: str, sort: str) -> dict[str, Any]:
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


def _leaderboard(ranking: _Ranking, render: Callable[[Sequence[str], Sequence[Sequence[str]]], str]) -> str:
    mixed = any(row.published for row in ranking.board.rows)
    header = [
        "tool",
        *(["result"] if mixed else []),
        "rank",
        "letter",
        *_COLUMNS,
        "mean score",
        "Plackett-Luce",
        "its rank",
    ]
    rows = []
    for row in ranking.board.rows:
        result = [_PUBLISHED if row.published else "recomputed"] if mixed else []
        metrics = [number(row.score[field]) for field in _COLUMNS.values()]
        stated = _model(ranking, row)
        interval = stated["plackett_luce_rank_ci"]
        model = [
            number(None if row.published else ranking.means[row.tool]),
            number(stated["plackett_luce"]),
            "-" if interval is None else f"{interval[0]:g}..{interval[1]:g}",
        ]
        rows.append([row.tool, *result, str(row.rank), row.letter or "-", *metrics, *model])
    return render(header, rows)


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
