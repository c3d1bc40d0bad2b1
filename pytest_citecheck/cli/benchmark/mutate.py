"""``citecheck mutate``: a benchmark of labelled hallucinations, made of references that are right."""

from __future__ import annotations

import argparse
import datetime
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.outputs import apart
from pytest_citecheck.cli.running import NotDoneError, guarded
from pytest_citecheck.cli.screen import UsageError, complain, count
from pytest_citecheck.readers.hallmark.schema import TIERS
from pytest_citecheck.reports.safe_text import safe_line
from pytest_citecheck.whole_file import write_whole

if TYPE_CHECKING:
    from pytest_citecheck.benchmark.mutate import Benchmark
    from pytest_citecheck.readers.base import Bibliography

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

_ABOUT = """\
Make a benchmark of your own references: each as it is (VALID), and changed so that it is wrong (HALLUCINATED), with the
label, the type and what was changed. FILE must hold references that are right; check it first. Of a labelled split those
are taken that are labelled VALID."""
_TYPES = f"The types: {', '.join(TIERS)}."


def add_parser(commands: Commands) -> None:
    """Add ``citecheck mutate``."""
    mutate = commands.add_parser("mutate", help="make a benchmark of references", description=_ABOUT, epilog=_TYPES)
    mutate.add_argument("file", metavar="FILE", type=Path, help="references that are right, such as a .bib file")
    mutate.add_argument("--out", metavar="SPLIT", type=Path, required=True, help="the JSON Lines file to write")
    mutate.add_argument("--seed", metavar="N", type=int, default=0, help="another seed, other mutations (default: 0)")
    mutate.add_argument("--types", metavar="A,B", type=_types, default=tuple(TIERS), help="only these types")
    mutate.add_argument("--per-type", metavar="N", type=_positive, help="at most this many entries of a type")
    this_year = datetime.datetime.now(tz=datetime.UTC).year
    mutate.add_argument(
        "--year",
        metavar="YEAR",
        type=_positive,
        default=this_year,
        help="count future dates from here (default: this year)",
    )
    mutate.set_defaults(run=guarded("citecheck mutate", _run))


def _types(text: str) -> tuple[str, ...]:
    named = tuple(name.strip() for name in text.split(",") if name.strip())
    unknown = [name for name in named if name not in TIERS]
    if unknown or not named:
        raise argparse.ArgumentTypeError(f"no such type: {safe_line(', '.join(unknown) or text)}. {_TYPES}")
    return named


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more: {number}")
    return number


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.benchmark.hallmark.split_writer import split_text  # noqa: PLC0415
    from pytest_citecheck.benchmark.mutate import benchmark  # noqa: PLC0415 - heavy for a --help

    apart([chosen.out], [chosen.file])
    bibliography, others = _right_ones(chosen.file)
    made = benchmark(bibliography.references, chosen.seed, chosen.types, chosen.per_type, chosen.year)
    if made.entries:
        try:
            write_whole(chosen.out, split_text(made.entries))
        except OSError as error:
            raise UsageError(f"{chosen.out}: {error.strerror}") from error
    _tell(made, others)
    if not made.entries:
        raise NotDoneError(f"{chosen.file}: no reference that can be used; nothing was written")
    print(f"wrote {safe_line(str(chosen.out))}")
    return 0


def _right_ones(path: Path) -> tuple[Bibliography, int]:
    """The references of a file that are right, and how many more a split has that nobody says are right. Raises UsageError."""
    from pytest_citecheck.readers import reader_for  # noqa: PLC0415
    from pytest_citecheck.readers.hallmark.reader import HALLMARK  # noqa: PLC0415
    from pytest_citecheck.readers.hallmark.split import read_split  # noqa: PLC0415

    reader = reader_for(str(path))
    if reader is None:
        raise UsageError(f"{path}: no reader for files of this kind")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    bibliography = reader.read(str(path), data)
    if reader is not HALLMARK:
        return bibliography, 0
    others = {entry.line for entry in read_split(str(path), (data,)).entries if entry.label != "VALID"}
    right = tuple(reference for reference in bibliography.references if reference.location.line not in others)
    return replace(bibliography, references=right), len(others)


def _tell(made: Benchmark, others: int) -> None:
    """What was made of how many references, what was left out, and why; ``others``: those not labelled VALID."""
    for unfit in made.unfit:
        where = f"{unfit.reference.location.path}:{unfit.reference.location.line}"
        complain(f"{where}: {unfit.reference.key or '(no key)'} was left out: {unfit.reason}")
    kinds = Counter(entry.hallucination_type or "" for entry in made.entries)
    valid = kinds.pop("", 0)
    types = count(sum(number > 0 for number in kinds.values()), "type")
    left_out = count(len(made.unfit) + others, "reference")
    unlabelled = f", {others:,} of them because not labelled VALID" if others else ""
    print(
        f"{count(valid, 'reference')}; {count(kinds.total(), 'hallucination')} of {types}; {left_out} left out{unlabelled}"
    )
    for kind in TIERS:
        reasons = {reason: number for (name, reason), number in made.skipped.items() if name == kind}
        if not kinds[kind] and not reasons:
            continue
        why = "; ".join(f"not {number}: {reason}" for reason, number in sorted(reasons.items()))
        print(f"  {kind:<23}{kinds[kind]:>6}" + (f"   ({why})" if why else ""))
