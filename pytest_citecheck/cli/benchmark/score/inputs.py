"""Reading the split and the prediction files of a command line, and pairing their entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_citecheck.benchmark.metrics.cautions import cautions
from pytest_citecheck.benchmark.metrics.pairs import NoOverlapError, Pairs, pair
from pytest_citecheck.benchmark.ranking.published import PublishedError, PublishedResult, is_result, published_results
from pytest_citecheck.cli.benchmark.files import UnfitFileError, named_predictions, named_split
from pytest_citecheck.cli.outputs import refuse_overwrite
from pytest_citecheck.cli.running import NotDoneError
from pytest_citecheck.cli.screen import UsageError, complain

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_citecheck.benchmark.hallmark.prediction_file import PredictionFile
    from pytest_citecheck.readers.hallmark.json_lines import Problem
    from pytest_citecheck.readers.hallmark.schema import LabelledEntry

__all__ = ["Inputs", "is_result_file", "read_inputs"]

_HEAD = 1 << 16


@dataclass(frozen=True, slots=True)
class Inputs:
    """The paired input of a command.

    tools: predictions by tool name, all paired with the same entries. flawed: whether a line is unreadable or an entry has no
    prediction. unfit: how many files were skipped because they contain nothing for this split. published: results without
    predictions, if the command takes them.
    """

    split: str
    tools: dict[str, Pairs]
    flawed: bool
    unfit: int
    published: tuple[PublishedResult, ...] = ()


def read_inputs(chosen: argparse.Namespace, tool_name: str = "", *, with_results: bool = False) -> Inputs:
    """Read and pair all files. Problems of lines and files, and warnings about the scores, go to standard error.

    tool_name: name of the tool if there is one file; otherwise tools are named after their files. with_results: files with
    published results are read too. Raises UsageError for a file that cannot be read or would be overwritten, for two tools with
    one name, and for a split without entries; NotDoneError if no entry is left or no file fits the split.
    """
    if tool_name and len(chosen.files) > 1:
        raise UsageError("--tool-name needs exactly one file")
    results = [path for path in chosen.files if with_results and is_result_file(path)]
    given = [path for path in chosen.files if path not in results]
    names = [tool_name or path.stem for path in given]
    if repeated := {name for name in names if names.count(name) > 1}:
        raise UsageError(f"two files are called {min(repeated)!r}; tools are named after their files, so rename one")
    refuse_overwrite([chosen.json], [chosen.split, *chosen.files])
    split = named_split(chosen.split)
    entries = _filtered(split.entries, chosen.filter_tier, chosen.filter_type)
    if not entries:
        raise NotDoneError(f"{chosen.split}: no entry to score")
    files = [(name, path, _predictions(path)) for name, path in zip(names, given, strict=True)]
    tools: dict[str, Pairs] = {}
    for name, path, file in files:
        if file is not None and (pairs := _paired(chosen, entries, path, file)) is not None:
            tools[name] = pairs
    by_file = [_published(path, entries) for path in results]
    published = tuple(result for found in by_file for result in found)
    if not tools and not published:
        raise NotDoneError(f"no predictions for {chosen.split} to score")
    lost = any(map(_lost, (split.problems, *(file.problems for _, _, file in files if file))))
    unanswered = any(None in pairs.answers for pairs in tools.values())
    unfit = len(files) - len(tools) + sum(not found for found in by_file)
    return Inputs(chosen.split.stem, tools, flawed=unanswered or lost, unfit=unfit, published=published)


def is_result_file(path: Path) -> bool:
    """Whether a file holds metrics, and not predictions. A pipe can be read only once, and holds predictions."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return is_result(file.read(_HEAD))


def _published(path: Path, entries: Sequence[LabelledEntry]) -> list[PublishedResult]:
    """The results of a file that are about as many entries as there are; what is left out is printed."""
    hallucinated = sum(entry.label == "HALLUCINATED" for entry in entries)
    expected = (len(entries), hallucinated, len(entries) - hallucinated)
    try:
        results = published_results(path.read_text(encoding="utf-8", errors="replace"), path.stem)
    except PublishedError as error:
        complain(f"skipped: {path}: {error}")
        return []
    for result in results:
        if result.entries != expected:
            complain(
                f"skipped: {path}: {result.name} is scored on {result.entries[0]:,} entries ({result.entries[1]:,} "
                f"hallucinated), not on these {expected[0]:,} ({expected[1]:,})"
            )
    return [result for result in results if result.entries == expected]


def _predictions(path: Path) -> PredictionFile | None:
    """The predictions of a file; None if it contains none, and then the reason is printed."""
    try:
        return named_predictions(path)
    except UnfitFileError as error:
        complain(f"skipped: {error}")
        return None


def _paired(
    chosen: argparse.Namespace, entries: Sequence[LabelledEntry], path: Path, file: PredictionFile
) -> Pairs | None:
    """The predictions paired with the entries; None if they are for other entries, and then that is printed."""
    try:
        pairs = pair(entries, file.predictions, chosen.dup_policy)
    except NoOverlapError as error:
        complain(f"skipped: {path}: {error}")
        return None
    except ValueError as error:
        raise NotDoneError(f"{chosen.split}: {error}") from error
    for caution in cautions(pairs):
        complain(f"{path}: warning: {caution}")
    return pairs


def _lost(problems: Sequence[Problem]) -> bool:
    """Whether a line is unreadable."""
    return any(problem.severity == "error" for problem in problems)


def _filtered(entries: Sequence[LabelledEntry], tier: int | None, only_type: str | None) -> list[LabelledEntry]:
    return [
        entry
        for entry in entries
        if entry.label != "HALLUCINATED"
        or ((tier is None or entry.tier == tier) and (only_type is None or entry.hallucination_type == only_type))
    ]
