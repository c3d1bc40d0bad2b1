"""The ranking that ``citecheck rank`` computes and prints."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pytest_citecheck.benchmark.metrics.table import METRICS
from pytest_citecheck.benchmark.ranking.leaderboard import SORT_KEYS, Leaderboard, leaderboard
from pytest_citecheck.benchmark.ranking.ranking import PlackettLuce, mean_scores, plackett_luce, scores
from pytest_citecheck.benchmark.ranking.stability import TypeStability, ranking_stability
from pytest_citecheck.cli.benchmark.score.inputs import read_inputs
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


@dataclass(frozen=True, slots=True)
class _Ranking:
    board: Leaderboard
    means: Mapping[str, float | None]
    model: PlackettLuce
    stability: Mapping[str, TypeStability]


def rank_tools(chosen: argparse.Namespace) -> int:
    """Print the ranking and return the exit code: 1 if a file was skipped. Raises UsageError, NotDoneError."""
    if chosen.bootstrap < 1:
        raise UsageError("--bootstrap needs at least one replicate")
    if len(chosen.files) == 1:
        raise UsageError(f"nothing to rank: {chosen.files[0]} is the only tool ({_ONE_TOOL})")
    inputs = read_inputs(chosen)
    if len(inputs.tools) == 1:
        raise NotDoneError(f"nothing to rank: only {min(inputs.tools)} fits the split ({_ONE_TOOL})")
    table = scores(inputs.tools)
    try:
        board = leaderboard(inputs.tools, sort=chosen.sort, replicates=chosen.bootstrap, correction=chosen.correction)
    except ValueError as error:
        raise NotDoneError(str(error)) from error
    ranking = _Ranking(
        board=board,
        means=mean_scores(table),
        model=plackett_luce(table),
        stability=ranking_stability(inputs.tools),
    )
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


def _document(ranking: _Ranking, split: str, sort: str) -> dict[str, Any]:
    return {
        "split_name": split,
        "sort": SORT_KEYS[sort],
        "leaderboard": [
            {
                "rank": row.rank,
                "tool_name": row.tool,
                "letter": row.letter,
                **{field: row.score[field] for field in _COLUMNS.values()},
                "coverage_adjusted_f1": row.score["coverage_adjusted_f1"],
                "mean_score": ranking.means[row.tool],
                "plackett_luce": ranking.model.strength[row.tool],
                "plackett_luce_rank_ci": list(ranking.model.ranks[row.tool]),
            }
            for row in ranking.board.rows
        ],
        "plackett_luce_fitted": ranking.model.fitted,
        "tests": [asdict(test) for test in ranking.board.tests],
        "stability": {name: asdict(one) for name, one in ranking.stability.items()},
    }


def _leaderboard(ranking: _Ranking, render: Callable[[Sequence[str], Sequence[Sequence[str]]], str]) -> str:
    header = ["tool", "rank", "letter", *_COLUMNS, "mean score", "Plackett-Luce", "its rank"]
    rows = []
    for row in ranking.board.rows:
        low, high = ranking.model.ranks[row.tool]
        metrics = [number(row.score[field]) for field in _COLUMNS.values()]
        model = [number(ranking.means[row.tool]), number(ranking.model.strength[row.tool]), f"{low:g}..{high:g}"]
        rows.append([row.tool, str(row.rank), row.letter or "-", *metrics, *model])
    return render(header, rows)


def _say_more(ranking: _Ranking, sort: str) -> None:
    say(f"Sorted by {sort}. Tools that share a letter do not differ significantly.")
    if not ranking.model.fitted:
        say("The Plackett-Luce model has no estimate for these tools; the table shows their mean scores instead.")
    stable = [name for name, one in ranking.stability.items() if one.stable]
    say(
        f"The order by detection rate is stable for {len(stable)} of {len(ranking.stability)} hallucination types: "
        f"{', '.join(stable) or '-'}"
    )
