"""Check real references with a damaged local index: no exception, no accusation, and `verify` finds every changed bit.

    python -m benchmarks.damaged_index [FILES]

Damages one place (a bit, a byte, some bytes, a page, the end) of an index of made-up works, which is complete for all their
venues and years. Checks references to works in the index, and some to works that do not exist, offline with each file. Default:
1,000 files. Prints the number of refused files, of unanswered queries, and every finding that differs from the undamaged index.
"""

from __future__ import annotations

import datetime
import random
import sys
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from benchmarks.generated import bibtex, works
from pytest_citecheck.index import IndexFileError, rebuild, venue_id, verify
from pytest_citecheck.inputs import reader_for
from pytest_citecheck.lookup import IndexSource, LookupState, look_up
from pytest_citecheck.model import Outcome, Reference

_TODAY = datetime.date(2026, 11, 22)
_PAGE = 4096

Outcomes = dict[tuple[str, str], Outcome]
"""The outcome of each check, by the key of the reference and the name of the check."""


def made_index(path: Path, size: int) -> tuple[list[Reference], set[str]]:
    """Write an index of ``size`` works; return references to existing and invented works, and the keys of the latter."""
    records = works(size)
    stated = [replace(record, source="made") for record in records]
    places = {(venue_id(one.venue, one.year), one.year) for one in stated}
    rebuild(path, stated, (), [("made", venue, year, True, "made so") for venue, year in sorted(places) if venue])
    real = records[:: size // 40]
    invented = works(size + 10, seed=2)[-10:]
    reader = reader_for("refs.bib")
    assert reader is not None
    references = list(reader.read("refs.bib", bibtex([*real, *invented]).encode()).references)
    return references, {reference.key for reference in references[len(real) :]}


def damaged(whole: bytes, random_: random.Random) -> bytes:
    """The file with one place of it changed, or its end cut off; never the same."""
    place = random_.randrange(len(whole))
    kind = random_.choice(["bit"] * 6 + ["byte", "bytes", "page", "cut"])
    if kind == "cut":
        return whole[:place]
    new = bytearray(whole)
    if kind == "bit":
        new[place] ^= 1 << random_.randrange(8)
    elif kind == "byte":
        new[place] ^= random_.randrange(1, 256)
    elif kind == "bytes":
        length = min(random_.randint(2, 200), len(whole) - place)
        new[place : place + length] = random_.randbytes(length)
    else:
        start = place // _PAGE * _PAGE
        new[start : start + _PAGE] = bytes(len(new[start : start + _PAGE]))
    return bytes(new) if new != whole else damaged(whole, random_)


def outcomes(path: Path, references: list[Reference]) -> tuple[Outcomes, str]:
    """Return the findings with that index alone and its damage report. Raise IndexFileError if the index is refused."""
    states = [LookupState.of(reference, _TODAY) for reference in references]
    with closing(IndexSource(path, "index")) as source:
        look_up(source, states)
        told = source.damage
    found = {
        (state.reference.key, check): finding.outcome
        for state in states
        for check, finding in state.evaluate_so_far().findings.items()
    }
    return found, told


def measure(folder: Path, files: int, seed: int = 1, size: int = 400) -> Counter[str]:
    """Count the outcomes with ``files`` damaged files."""
    path, bad = folder / "whole.index", folder / "bad.index"
    references, invented = made_index(path, size)
    whole = path.read_bytes()
    expected, _ = outcomes(path, references)
    assert {expected[reference.key, "title"] for reference in references if reference.key not in invented} == {"passed"}
    assert "failed" in {expected[key, "title"] for key in invented}
    random_ = random.Random(seed)
    counts: Counter[str] = Counter()
    for _ in range(files):
        bad.write_bytes(damaged(whole, random_))
        try:
            verify(bad)
            counts["not found by verify"] += 1
        except IndexFileError:
            counts["found by verify"] += 1
        try:
            found, told = outcomes(bad, references)
        except IndexFileError:
            counts["refused when opened"] += 1
            continue
        changed = {key: outcome for key, outcome in found.items() if outcome != expected[key]}
        counts["with questions unanswered" if told else "not come upon"] += 1
        counts["silent about damage that changed a finding"] += bool(changed) and not told
        counts["accusing a real reference"] += any(
            outcome == "failed" and key not in invented for (key, _), outcome in changed.items()
        )
        counts["letting an invented one pass"] += any(
            outcome == "passed" and key in invented and check == "title" for (key, check), outcome in changed.items()
        )
    return counts


def main(files: int) -> None:
    """Print the counts."""
    with tempfile.TemporaryDirectory() as name:
        counts = measure(Path(name), files)
    for what, count in counts.items():
        print(f"{count:6,}  {what}")
    if sum(counts[what] for what in FAULTS):
        raise SystemExit(1)


FAULTS = (
    "not found by verify",
    "silent about damage that changed a finding",
    "accusing a real reference",
    "letting an invented one pass",
)
"""Outcomes that must never occur."""

if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
