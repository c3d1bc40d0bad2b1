"""``citecheck mutate``: make a benchmark of labelled hallucinations from correct references."""

from __future__ import annotations

import argparse
from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.benchmark.commands.score_inputs import add_arguments
from pytest_citecheck.cli import NotDoneError, UsageError, complain, count, guarded, positive, refuse_overwrite
from pytest_citecheck.inputs import TIERS
from pytest_citecheck.matching import safe_line
from pytest_citecheck.screen import show
from pytest_citecheck.today import today

if TYPE_CHECKING:
    from pytest_citecheck.benchmark import Benchmark
    from pytest_citecheck.cli import Commands
    from pytest_citecheck.index import LocalIndex
    from pytest_citecheck.inputs import Bibliography


_ABOUT = """\
Make a benchmark from your own references. Each reference becomes one VALID entry and several HALLUCINATED ones, with the
hallucination type and an explanation of the change. FILE must contain correct references: check it first. In a
labelled split, only VALID entries are used."""
_TYPES = f"Hallucination types: {', '.join(TIERS)}."


def add_parser(commands: Commands) -> None:
    """Add ``citecheck mutate``."""
    mutate = commands.add_parser(
        "mutate", help="make a benchmark from correct references", description=_ABOUT, epilog=_TYPES
    )
    year = {"type": positive, "default": today().year}
    add_arguments(
        mutate,
        ("file FILE", "correct references, such as a .bib file"),
        ("-o --output FILE", "write the split to this JSON Lines file", {"required": True}),
        ("--seed N", "seed of the mutations", {"shown": 0}),
        (
            "--types A,B",
            "make only these hallucination types (default: all)",
            {"type": _types, "default": tuple(TIERS)},
        ),
        ("--per-type N", "make at most N entries of each type", {"type": positive}),
        ("--year YEAR", "treat later years as future dates (default: the current year)", year),
        ("--index INDEX", "also take titles, names and venues from related works in this local index", {"type": Path}),
    )
    mutate.set_defaults(run=guarded("citecheck mutate", _run))


def _types(text: str) -> tuple[str, ...]:
    named = tuple(name.strip() for name in text.split(",") if name.strip())
    unknown = [name for name in named if name not in TIERS]
    if unknown or not named:
        raise argparse.ArgumentTypeError(
            f"unknown hallucination type: {safe_line(', '.join(unknown) or text)}. {_TYPES}"
        )
    return named


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.benchmark import benchmark, split_text  # noqa: PLC0415

    refuse_overwrite([chosen.output], [chosen.file])
    bibliography, others = _right_ones(chosen.file)
    with _opened(chosen.index) as index:
        nearby = index.by_title if index else None
        made = benchmark(bibliography.references, chosen.seed, chosen.types, chosen.per_type, chosen.year, nearby)
    if made.entries:
        write_whole(chosen.output, split_text(made.entries))
    _tell(made, others)
    if not made.entries:
        raise NotDoneError(f"{chosen.file}: no usable reference; no file written")
    show(f"wrote {safe_line(str(chosen.output))}")
    return 0


def _opened(path: Path | None) -> AbstractContextManager[LocalIndex | None]:
    """The index at a path, if there is one. Raises UsageError."""
    if path is None:
        return nullcontext()
    from pytest_citecheck.cli import existing_index  # noqa: PLC0415 - rarely wanted
    from pytest_citecheck.index import IndexFileError, LocalIndex  # noqa: PLC0415

    try:
        return LocalIndex(existing_index(path))
    except IndexFileError as error:
        raise UsageError(str(error)) from error


def _right_ones(path: Path) -> tuple[Bibliography, int]:
    """Correct references of a file, and the number of entries in a split that are not labelled VALID. Raises
    UsageError."""
    from pytest_citecheck.inputs import HALLMARK, read_split, reader_for  # noqa: PLC0415

    reader = reader_for(str(path))
    if reader is None:
        raise UsageError(f"{path}: unknown file type")
    data = path.read_bytes()
    bibliography = reader.read(str(path), data)
    if reader is not HALLMARK:
        return bibliography, 0
    others = {entry.line for entry in read_split(str(path), (data,)).entries if entry.label != "VALID"}
    right = tuple(reference for reference in bibliography.references if reference.location.line not in others)
    return replace(bibliography, references=right), len(others)


def _tell(made: Benchmark, others: int) -> None:
    """Print the mutations, skipped references and reasons; ``others``: number of entries that are not labelled VALID."""
    for unfit in made.unfit:
        where = f"{unfit.reference.location.path}:{unfit.reference.location.line}"
        complain(f"{where}: skipped {unfit.reference.key or '(no key)'}: {unfit.reason}")
    made_of = Counter(entry.hallucination_type or "" for entry in made.entries)
    valid = made_of.pop("", 0)
    types = count(sum(number > 0 for number in made_of.values()), "type")
    skipped = count(len(made.unfit) + others, "reference")
    unlabelled = f" ({others:,} not labelled VALID)" if others else ""
    show(
        f"{count(valid, 'reference')}; {count(made_of.total(), 'hallucination')} of {types}; {skipped} skipped{unlabelled}"
    )
    for name in TIERS:
        reasons = {reason: number for (skipped_type, reason), number in made.skipped.items() if skipped_type == name}
        if not made_of[name] and not reasons:
            continue
        why = "; ".join(f"{number} skipped: {reason}" for reason, number in sorted(reasons.items()))
        show(f"  {name:<23}{made_of[name]:>6}" + (f"   ({why})" if why else ""))
