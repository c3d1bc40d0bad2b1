"""``citecheck score``: score tools on a split of labelled references.

Exit codes: 0 scored; 1 a file was not scored, or is incomplete under ``--strict``; 4 usage error; 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck import __version__
from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.benchmark.baselines import as_published
from pytest_citecheck.benchmark.leaderboard import SORT_KEYS, Leaderboard, Row, leaderboard
from pytest_citecheck.benchmark.metrics import aggressive
from pytest_citecheck.benchmark.ranking import (
    PlackettLuce,
    TypeStability,
    mean_scores,
    plackett_luce,
    ranking_stability,
    scores,
)
from pytest_citecheck.benchmark.score import METRICS, score_pairs
from pytest_citecheck.cli.commands import UsageError, complain, say
from pytest_citecheck.cli.running import TABLE_FORMATS, NotDoneError, guarded, number
from pytest_citecheck.cli.score_inputs import Inputs, is_result_file, read_inputs

__all__ = ["PARTS", "add_parser", "breakdown", "rank_tools", "score_predictions", "score_table", "write_json"]

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else


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


def add_parser(commands: Commands) -> None:
    """Add ``citecheck score`` with its actions."""
    score = commands.add_parser("score", help="score tools on a benchmark", description="Score tools on a benchmark.")
    actions = score.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_predictions(actions)
    _add_junit(actions)
    _add_selfcheck(actions)


def _add_predictions(actions: Commands) -> None:
    from pytest_citecheck.cli.score_inputs import add_input_arguments  # noqa: PLC0415

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
    parser.add_argument(
        "--history",
        metavar="FILE",
        type=Path,
        help="append one line for each tool to this file (JSON Lines): date, version, split and scores",
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

    return score_predictions(chosen)


def _share(text: str) -> float:
    share = float(text)
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not a share from 0 to 1")
    return share


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
        "--min-checked",
        metavar="SHARE",
        type=_share,
        default=0.9,
        help="models: rank only models with at least this share of checked references (default: 0.9)",
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
    from pytest_citecheck.cli.score_junit import score_junit  # noqa: PLC0415 - needs numpy and junitparser

    return score_junit(chosen)


def _add_selfcheck(actions: Commands) -> None:
    parser = actions.add_parser("selfcheck", help="compare self-checks of language models", description=_SELFCHECK)
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        type=Path,
        help="labelled scores or answers, the calls of a run, or a published study, such as gpt-4 for "
        "gpt-4_results.csv; several files are compared one after another or as raters",
    )
    parser.add_argument("--labels", metavar="FILE", type=Path, help="labels of a file of calls: columns key and label")
    parser.add_argument(
        "--report",
        metavar="FILE",
        type=Path,
        help="JSON report with the verdicts of databases on the references of a file of calls",
    )
    parser.add_argument(
        "--raters",
        metavar="COLUMN,…",
        default="",
        help="label columns: print only their agreement",
    )
    parser.add_argument(
        "--combine",
        metavar="COLUMN,…",
        default="",
        help="label each row by the majority of these raters; rows without one are left out",
    )
    parser.add_argument(
        "--score", metavar="COLUMN", action="append", default=[], help="a column with scores from 0 to 1 (repeatable)"
    )
    parser.add_argument(
        "--weights", metavar="METHOD=N,…", default="", help="weights of a further ensemble, such as iq=0.7,dq1=0.3"
    )
    parser.add_argument(
        "--group", metavar="COLUMN", default="", help="rows with the same value here are not independent"
    )
    parser.add_argument(
        "--group-size", metavar="N", type=int, default=0, help="each N rows after one another are not independent"
    )
    parser.add_argument(
        "--threshold", metavar="T", type=float, default=0.5, help="keep references with a score above T (default: 0.5)"
    )
    parser.add_argument(
        "--target-fdr",
        metavar="F",
        type=float,
        default=0.1,
        help="find the threshold for this share of false discoveries (default: 0.1)",
    )
    parser.add_argument("--seed", metavar="N", type=int, default=42, help="seed of the bootstrap (default: 42)")
    parser.add_argument(
        "--adaptive", action="store_true", help="for published answers: savings and loss of area with early stopping"
    )
    parser.add_argument(
        "--prices", metavar="FILE", type=Path, help="prices of models (TOML) instead of the built-in ones"
    )
    parser.add_argument("--charts", metavar="DIR", type=Path, help="draw the curves into this folder")
    _add_computing(parser)
    parser.add_argument(
        "--format", choices=("text", "csv", "latex", "markdown"), default="text", help="output format (default: text)"
    )
    parser.set_defaults(run=guarded("citecheck score selfcheck", _score_selfcheck))


def _score_selfcheck(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.score_selfcheck import score_selfcheck  # noqa: PLC0415 - needs numpy

    return score_selfcheck(chosen)


# One part of the scores as a table: ``citecheck score predictions --by``.


PARTS: Mapping[str, str] = {
    "tier": "per_tier_metrics",
    "type": "per_type_metrics",
    "generation-method": "per_generation_method",
    "source": "per_source_combination",
    "stage": "cascade_breakdown_stats",
    "subtest": "subtest_metrics",
    "type-accuracy": "type_accuracy",
    "subtask": "subtask_diagnostic",
    "timing": "cost",
}
"""The parts by their names on the command line, and the field of a score that holds each."""

Render = Callable[[Sequence[str], Sequence[Sequence[str]]], str]


def breakdown(scores: Sequence[Mapping[str, Any]], part: str, render: Render) -> str:
    """One row per tool and group, with every number of the group; per value where the part has no groups."""
    several = len({score["evaluation_mode"] for score in scores}) > 1
    rows: list[list[str]] = []
    columns: list[str] = []
    for score in scores:
        tool = [score["tool_name"], *([score["evaluation_mode"]] if several else [])]
        for name, block in score[PARTS[part]].items():
            numbers = _numbers(block)
            columns = columns or list(numbers)
            rows.append([*tool, name, *(number(numbers.get(column)) for column in columns)])
    return render(["tool", *(["mode"] if several else []), part, *columns], rows)


def _numbers(block: Any) -> dict[str, float | None]:
    if not isinstance(block, Mapping):
        return {"value": block}
    return {name: value for name, value in block.items() if value is None or isinstance(value, int | float)}


# ``citecheck score predictions``: score prediction files against a split.


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


# The ranking that ``citecheck rank`` computes and prints.


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
    document = _ranking_document(ranking, inputs.split, chosen.sort)
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
