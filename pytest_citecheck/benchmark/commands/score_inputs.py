"""Reading the split and the prediction files of a command line, and pairing their entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from pytest_citecheck.benchmark import (
    NoOverlapError,
    Pairs,
    PublishedError,
    PublishedResult,
    is_result,
    pair,
    published_results,
)
from pytest_citecheck.cli import NotDoneError, UsageError, argument, complain, count, refuse_overwrite
from pytest_citecheck.inputs import TIERS

if TYPE_CHECKING:
    import argparse

    from pytest_citecheck.benchmark import PredictionFile
    from pytest_citecheck.inputs import LabelledEntry, Problem, Split

SHOWN = 20
"""Maximum number of problems of a file to print."""
_PREDICTIONS_GIVEN = "this file contains predictions, not labelled entries of a split"
_SPLIT_GIVEN = "this file contains labelled entries of a split, not predictions"


class UnfitFileError(UsageError):
    """A file is readable but has the wrong content; the message describes it."""


def add_arguments(parser: argparse.ArgumentParser, *rows: tuple[Any, ...]) -> None:
    """Add these arguments. rows: the usage, the help and, optionally, the settings of each, as for `cli.argument`."""
    for usage, text, *settings in rows:
        argument(parser, usage, text, **dict(*settings))


def add_split_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--split``, as every command that works on one split has it."""
    argument(parser, "--split SPLIT", "labelled entries (JSON Lines)", required=True)


def add_against_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--against``, as every command that checks new entries has it."""
    about = "existing splits; new entries must not repeat their keys or titles"
    argument(parser, "--against SPLIT...", about, default=[])


def named_split(path: Path) -> Split:
    """Read a split and print its problems to standard error.

    Raises UnfitFileError if it has no entry, and OSError.
    """
    from pytest_citecheck.inputs import load_split  # noqa: PLC0415 - heavy for a --help

    split = load_split(path)
    if not split.entries and (said := predictions_given(path)):
        raise UnfitFileError(said)
    print_problems(split.problems)
    if not split.entries:
        raise UnfitFileError(f"{path}: no entry in this file")
    return split


def named_predictions(path: Path) -> PredictionFile:
    """Read a prediction file; prints and raises as `named_split` does."""
    from pytest_citecheck.benchmark import load_predictions  # noqa: PLC0415

    file = load_predictions(path)
    if not file.predictions and _is(path, "split"):
        raise UnfitFileError(f"{path}: {_SPLIT_GIVEN}")
    print_problems(file.problems)
    if not file.predictions:
        raise UnfitFileError(f"{path}: no prediction in this file")
    return file


def predictions_given(path: Path) -> str:
    """The message for a file that contains predictions instead of entries; otherwise empty."""
    return f"{path}: {_PREDICTIONS_GIVEN}" if _is(path, "predictions") else ""


def _is(path: Path, kind: str) -> bool:
    from pytest_citecheck.benchmark import file_kind  # noqa: PLC0415

    return _begins(path, lambda file: file_kind(file) == kind)


def _begins(path: Path, is_so: Callable[[BinaryIO], bool]) -> bool:
    """Return True if it is so of the beginning of a file. A pipe is not looked at: it can be read only once."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return is_so(file)


def print_problems(problems: Sequence[Problem], kind: str = "problem", hint: str = "") -> None:
    """Print the first problems of a file to standard error. kind: the word for those that are only counted. hint: follows it."""
    for problem in problems[:SHOWN]:
        complain(str(problem))
    if len(problems) > SHOWN:
        complain(f"{problems[0].path}: and {count(len(problems) - SHOWN, f'more {kind}')}{hint}")


def entries_text(number: int) -> str:
    """``1 entry``, ``1,234 entries``."""
    return f"{number:,} {'entry' if number == 1 else 'entries'}"


_HEAD = 1 << 16


@dataclass(frozen=True, slots=True)
class Inputs:
    """The paired input of a command.

    tools: predictions by tool name, all paired with the same entries. flawed: True if a line is unreadable or an entry
    has no prediction. unfit: number of files skipped because they contain nothing for this split. published: results
    without predictions, if the command accepts them.
    """

    split: str
    tools: dict[str, Pairs]
    flawed: bool
    unfit: int
    published: tuple[PublishedResult, ...] = ()


def read_inputs(chosen: argparse.Namespace, tool_name: str = "", *, with_results: bool = False) -> Inputs:
    """Read and pair all files. Problems of lines and files, and warnings about the scores, go to standard error.

    tool_name: name of the tool if there is one file; otherwise tools are named after their files. with_results: files with
    published results are read too. Raises OSError, UsageError for a file that would be overwritten, for two tools with
    one name, and for a split without entries; NotDoneError if no entry is left or no file fits the split.
    """
    results = [path for path in chosen.files if with_results and is_result_file(path)]
    given = _named([path for path in chosen.files if path not in results], chosen.files, tool_name)
    refuse_overwrite([chosen.json], [chosen.split, *chosen.files])
    split = named_split(chosen.split)
    entries = _filtered(split.entries, chosen.filter_tier, chosen.filter_type)
    if not entries:
        raise NotDoneError(f"{chosen.split}: no entry to score")
    files = [(name, path, _predictions(path)) for name, path in given]
    paired = {name: _paired(chosen, entries, path, file) for name, path, file in files if file is not None}
    tools = {name: pairs for name, pairs in paired.items() if pairs is not None}
    by_file = [_published(path, entries) for path in results]
    published = tuple(result for found in by_file for result in found)
    if not tools and not published:
        raise NotDoneError(f"no predictions for {chosen.split} to score")
    problems = chain(split.problems, *(file.problems for _, _, file in files if file))
    lost = any(problem.severity == "error" for problem in problems)
    unanswered = any(None in pairs.answers for pairs in tools.values())
    unfit = len(files) - len(tools) + sum(not found for found in by_file)
    return Inputs(chosen.split.stem, tools, flawed=unanswered or lost, unfit=unfit, published=published)


def _named(files: Sequence[Path], whole: Sequence[Path], tool_name: str) -> list[tuple[str, Path]]:
    """The files with the names of their tools. Raises UsageError."""
    if tool_name and len(whole) > 1:
        raise UsageError("--tool-name needs exactly one file")
    names = [tool_name or path.stem for path in files]
    if repeated := {name for name in names if names.count(name) > 1}:
        raise UsageError(f"two files are called {min(repeated)!r}; tools are named after their files, so rename one")
    return list(zip(names, files, strict=True))


def is_result_file(path: Path) -> bool:
    """Return True if a file contains metrics instead of predictions; a pipe contains predictions."""
    return _begins(path, lambda file: is_result(file.read(_HEAD)))


def _published(path: Path, entries: Sequence[LabelledEntry]) -> list[PublishedResult]:
    """Results of a file with the right number of entries; skipped ones are printed."""
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
    from pytest_citecheck.benchmark import cautions  # noqa: PLC0415 - needs numpy

    for caution in cautions(pairs):
        complain(f"{path}: warning: {caution}")
    return pairs


def _filtered(entries: Sequence[LabelledEntry], tier: int | None, only_type: str | None) -> list[LabelledEntry]:
    return [
        entry
        for entry in entries
        if entry.label != "HALLUCINATED"
        or ((tier is None or entry.tier == tier) and (only_type is None or entry.hallucination_type == only_type))
    ]


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the prediction files, the split and its filters."""
    argument(parser, "files FILE...", "predictions of a tool (JSON Lines)")
    add_split_argument(parser)
    only = "score only hallucinated entries of this"
    add_arguments(
        parser,
        (
            "--dup-policy",
            "which prediction counts if a key has several",
            {"shown": "last", "choices": ("first", "last")},
        ),
        ("--filter-tier N", f"{only} tier, and the valid ones", {"choices": (1, 2, 3)}),
        ("--filter-type TYPE", f"{only} type, and the valid ones", {"choices": sorted(TIERS)}),
    )
