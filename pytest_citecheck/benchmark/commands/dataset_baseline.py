"""``citecheck dataset baseline``: write the predictions of a baseline or of an ensemble of tools."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.benchmark import BASELINES, BaselineError, Voting
from pytest_citecheck.benchmark.commands.score_inputs import (
    add_arguments,
    add_split_argument,
    named_predictions,
    named_split,
)
from pytest_citecheck.cli import UsageError, argument, complain, count, guarded, refuse_overwrite, say

if TYPE_CHECKING:
    from pytest_citecheck.benchmark import Baseline
    from pytest_citecheck.cli import Commands


_ABOUT = "Write the predictions of a baseline for a split, one line per entry, to compare tools with."
_PREDICTIONS = """\
predictions of one run (doi_only), several tools (ensemble), or a tool and a model (cascade); the last \
prediction for an entry counts"""


def add_parser(commands: Commands) -> None:
    """Add ``citecheck dataset baseline``."""
    baseline = commands.add_parser(
        "baseline",
        help="write the predictions of a baseline",
        description=_ABOUT,
        epilog="NAME:\n\n" + "\n".join(map(_line, BASELINES.values())),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    argument(baseline, "name NAME", "a baseline from the list below", choices=sorted(BASELINES))
    add_split_argument(baseline)
    weights = "ensemble_vote: weight of each file of --predictions, in their order (default: 1 each)"
    threshold = "ensemble_vote: an entry is HALLUCINATED above this share (default: 0.5)"
    add_arguments(
        baseline,
        ("-o --output FILE", "write the predictions to this file", {"required": True}),
        ("--predictions FILE...", _PREDICTIONS, {"default": []}),
        ("--pool SPLIT...", "other splits with VALID entries for title_oracle and venue_oracle", {"default": []}),
        ("--weights N...", weights, {"type": _weight, "default": []}),
        ("--voting-threshold SHARE", threshold, {"type": float}),
    )
    baseline.set_defaults(run=guarded("citecheck dataset baseline", _run))


def _line(baseline: Baseline) -> str:
    needs = ["--pool"] if baseline.pooled else []
    if least := baseline.runs[0]:
        needs.append("--predictions" if least == 1 else f"--predictions of {_tools(baseline)}")
    needed = f" (needs {' and '.join(needs)})" if needs else ""
    leaks = " (diagnostic: reads gold labels)" if baseline.leaks else ""
    return f"  {baseline.name:24} {baseline.summary}{needed}{leaks}"


def _tools(baseline: Baseline) -> str:
    least, most = baseline.runs
    if least == most:
        return "one tool" if least == 1 else f"{least} tools, one file each"
    return f"at least {least} tools, one file each"


def _run(chosen: argparse.Namespace) -> int:
    try:
        return _write(chosen)
    except BaselineError as error:
        read = ", ".join(map(str, chosen.predictions or chosen.pool or [chosen.split]))
        raise UsageError(f"{read}: {error}") from error


def _weight(text: str) -> float:
    weight = float(text)
    if not 0 <= weight < float("inf"):
        raise argparse.ArgumentTypeError(f"a weight is a number from 0: {text}")
    return weight


def _voting(chosen: argparse.Namespace) -> Voting | None:
    if not chosen.weights and chosen.voting_threshold is None:
        return None
    threshold = 0.5 if chosen.voting_threshold is None else chosen.voting_threshold
    if not 0 <= threshold <= 1:
        raise UsageError(f"--voting-threshold must be a share from 0 to 1, not {threshold:g}")
    return Voting(tuple(chosen.weights), threshold)


def _write(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.benchmark import predictions_text  # noqa: PLC0415 - heavy for a --help

    baseline, split, out = BASELINES[chosen.name], chosen.split, chosen.output
    runs, pools = chosen.predictions, chosen.pool
    if len(runs) < baseline.runs[0]:
        raise UsageError(f"{baseline.name} needs the predictions of {_tools(baseline)}: name them with --predictions")
    if baseline.pooled and not pools:
        raise UsageError(f"{baseline.name} needs another split: name it with --pool")
    refuse_overwrite([out], [split, *runs, *pools])
    entries = named_split(split).entries
    known = [entry for pool in pools for entry in named_split(pool).entries]
    given = [named_predictions(path).predictions for path in runs]
    predictions = baseline.predict(entries, given, known, _voting(chosen))
    write_whole(out, predictions_text(predictions))
    if baseline.leaks:
        complain(f"{baseline.name} reads gold labels: it is a diagnostic of the split, not a tool")
    say(f"wrote {count(len(predictions), 'prediction')} to {out}")
    return 0
