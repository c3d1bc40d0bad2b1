"""``citecheck baseline``: the predictions of a trivial tool, or of several tools together, to compare with."""

from __future__ import annotations

import argparse
import io
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.benchmark.hallmark.baselines import BASELINES, BaselineError
from pytest_citecheck.cli.benchmark.files import named_predictions, named_split
from pytest_citecheck.cli.outputs import apart
from pytest_citecheck.cli.running import guarded
from pytest_citecheck.cli.screen import UsageError, complain, count, say
from pytest_citecheck.whole_file import whole_file

if TYPE_CHECKING:
    from pytest_citecheck.benchmark.hallmark.baselines import Baseline

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

_ABOUT = "Write the predictions of a baseline for a split, one row an entry."


def add_parser(commands: Commands) -> None:
    """Add ``citecheck baseline``."""
    baseline = commands.add_parser(
        "baseline",
        help="write the predictions of a baseline",
        description=_ABOUT,
        epilog="NAME:\n\n" + "\n".join(map(_line, BASELINES.values())),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    baseline.add_argument("name", metavar="NAME", choices=sorted(BASELINES), help="one of those below")
    baseline.add_argument("split", metavar="SPLIT", type=Path, help="a file of labelled entries")
    baseline.add_argument("--out", metavar="FILE", type=Path, required=True, help="the file of predictions to write")
    baseline.add_argument(
        "--predictions",
        metavar="FILE",
        nargs="+",
        type=Path,
        default=[],
        help="predictions of a run for doi_only, of several tools for an ensemble; of several for an entry the last counts",
    )
    baseline.set_defaults(run=guarded("citecheck baseline", _run))


def _line(baseline: Baseline) -> str:
    needs = {0: "", 1: " (needs --predictions)"}.get(baseline.runs[0], " (needs --predictions of several)")
    leaks = " (a diagnostic: it reads the gold labels)" if baseline.leaks else ""
    return f"  {baseline.name:20} {baseline.summary}{needs}{leaks}"


def _run(chosen: argparse.Namespace) -> int:
    try:
        return _write(BASELINES[chosen.name], chosen.split, chosen.predictions, chosen.out)
    except BaselineError as error:
        read = ", ".join(map(str, chosen.predictions or [chosen.split]))
        raise UsageError(f"{read}: {error}") from error


def _write(baseline: Baseline, split: Path, runs: list[Path], out: Path) -> int:
    from pytest_citecheck.benchmark.hallmark.prediction_file import write_predictions  # noqa: PLC0415 - heavy for a --help

    if len(runs) < (least := baseline.runs[0]):
        tools = "one tool" if least == 1 else f"at least {least} tools, a file each"
        raise UsageError(f"{baseline.name} starts from the predictions of {tools}: name them with --predictions")
    apart([out], [split, *runs])
    entries = named_split(split).entries
    predictions = baseline.predict(entries, [named_predictions(path).predictions for path in runs])
    try:
        with whole_file(out) as file, io.TextIOWrapper(file, encoding="ascii", newline="\n") as text:
            write_predictions(text, predictions)
    except OSError as error:
        raise UsageError(f"{out}: {error.strerror}") from error
    if baseline.leaks:
        complain(f"{baseline.name} reads the gold labels: it shows what a split gives away, and is no tool")
    say(f"wrote {count(len(predictions), 'prediction')} to {out}")
    return 0
