"""The split and the prediction files that are named on the command line, read and put side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_citecheck.cli.index.screen import UsageError, complain
from pytest_citecheck.cli.score.running import NotScoredError
from pytest_citecheck.hallmark.prediction_file import load_predictions
from pytest_citecheck.hallmark.split import load_split
from pytest_citecheck.metrics.cautions import cautions
from pytest_citecheck.metrics.pairs import Pairs, pair

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pytest_citecheck.hallmark.json_lines import Problem
    from pytest_citecheck.hallmark.schema import LabelledEntry

__all__ = ["Inputs", "read_inputs"]

_SHOWN = 20  # problems of one file


@dataclass(frozen=True, slots=True)
class Inputs:
    """tools: by name, all paired with the same entries. flawed: whether lines were lost or entries have no prediction."""

    split: str
    tools: dict[str, Pairs]
    flawed: bool


def read_inputs(chosen: argparse.Namespace) -> Inputs:
    """Read them; what is wrong with lines, and what makes scores doubtful, goes to standard error.

    Raises UsageError for a file that cannot be read or a name that two tools have, NotScoredError where no entry is left or
    nothing fits together.
    """
    if chosen.tool_name and len(chosen.files) > 1:
        raise UsageError("--tool-name names one tool, but there are several files")
    names = [chosen.tool_name or path.stem for path in chosen.files]
    if repeated := {name for name in names if names.count(name) > 1}:
        raise UsageError(f"two files are called {min(repeated)!r}, and tools go by the names of their files")
    try:
        split = load_split(chosen.split)
        files = [load_predictions(path) for path in chosen.files]
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}") from error
    lost = [_report(split.path, split.problems), *(_report(file.path, file.problems) for file in files)]
    entries = _filtered(split.entries, chosen.filter_tier, chosen.filter_type)
    if not entries:
        raise NotScoredError(f"{chosen.split}: no entry to score")
    tools: dict[str, Pairs] = {}
    for name, path, file in zip(names, chosen.files, files, strict=True):
        try:
            tools[name] = pair(entries, file.predictions, chosen.dup_policy)
        except ValueError as error:
            raise NotScoredError(f"{path}: {error}") from error
        for caution in cautions(tools[name]):
            complain(f"{path}: warning: {caution}")
    unanswered = any(None in pairs.answers for pairs in tools.values())
    return Inputs(chosen.split.stem, tools, flawed=unanswered or any(lost))


def _report(path: str, problems: Sequence[Problem]) -> bool:
    """Say what is wrong with a file, and whether lines of it were lost."""
    for problem in problems[:_SHOWN]:
        complain(str(problem))
    if len(problems) > _SHOWN:
        complain(f"{path}: and {len(problems) - _SHOWN} more")
    return any(problem.severity == "error" for problem in problems)


def _filtered(entries: Sequence[LabelledEntry], tier: int | None, kind: str | None) -> list[LabelledEntry]:
    return [
        entry
        for entry in entries
        if entry.label != "HALLUCINATED"
        or ((tier is None or entry.tier == tier) and (kind is None or entry.hallucination_type == kind))
    ]
