"""Check correct references while the files that a run relies on are damaged.

    python -m benchmarks.damaged_files [--flips 3000] [--seed 1]

Damages a response cache, a request budget, a folder of cassettes and a local index. Each trial changes one byte. A tenth as
many trials truncate the file, and as many overwrite a block of it with zeros. Then the references are gathered and checked with
the damaged file, without a network. Prints a Markdown table with a row for each kind of file:

- tries: number of trials, and how many of them ended in an exception,
- accusations: checks that fail only with the damaged file,
- lost: answers that only the undamaged files contain (for a budget: it is not shared, or blocks a request for a minute),
- notes: trials with a report of damage to the user; refused: trials that rejected the file with a message (exit code 4).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import datetime
import io
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from pytest_citecheck.cli import main as citecheck
from pytest_citecheck.index import IndexFileError
from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.lookup import Gathered, IndexSource, gather
from pytest_citecheck.model import Reference, Unavailable
from pytest_citecheck.net import AnswerCache, Budget, CassetteError, TransportSettings, budget_path
from pytest_citecheck.sources import SOURCES, Rate
from tests.stand_ins.facts_file import load_facts
from tests.stand_ins.server import FACTS_FILE, LocalServices

TODAY = datetime.date(2026, 11, 21)
_RIGHT = Path(__file__).parent.parent / "fixtures" / "refs.bib"
_REFERENCES = 6
_LARGEST_BLOCK = 4096  # bytes, a page of SQLite
_LONGEST_WAIT = 60.0
_HOST = "api.example.org"


@dataclass
class Count:
    """Results of the trials with one kind of file."""

    tries: int = 0
    exceptions: int = 0
    accusations: int = 0
    lost: int = 0
    notes: int = 0
    refused: int = 0
    seen: list[str] = field(default_factory=list)
    """The exceptions and accusations in words."""


@dataclass(frozen=True)
class Files:
    """Undamaged files, in ``folder`` a folder for each kind, and the results of the references with them."""

    folder: Path
    references: dict[str, Reference]
    failing: dict[str, frozenset[tuple[str, str]]]
    answered: dict[str, int]


def prepare(folder: Path) -> Files:
    """Query the local services for a few correct references, with a cache and with cassettes, and index them."""
    bibliography = read_bibtex("refs.bib", _RIGHT.read_bytes())
    references = {reference.key: reference for reference in bibliography.references[:_REFERENCES]}
    for kind in KINDS:
        (folder / kind).mkdir(parents=True)
    with LocalServices(load_facts(FACTS_FILE)) as services:
        urls = dict(services.base_urls)
        rates = {name: Rate(1000, 4) for name in urls}
        settings = TransportSettings(base_urls=urls, rates=rates, cassettes=folder / "cassettes", record="all")
        gathered = _gathered(references, settings)
    with contextlib.closing(AnswerCache(folder / "cache")) as kept:
        kept.put_many(1, (asked for evidence in gathered.evidence.values() for asked in evidence.asked))
    with contextlib.closing(Budget(budget_path(folder / "budget"))) as budget:
        for number in range(20):
            budget.hold(f"host{number}.example.org", 600)
        budget.note(_HOST, 20)
        budget.slow_down(_HOST, 0)
        budget.reserve(_HOST, 50)
        budget.acquire(_HOST, 3)
    _quietly(["index", "build", str(folder / "index" / "works.index"), str(_RIGHT)])
    failing, answered = {}, {}
    for kind, use in KINDS.items():
        if use is not _use_budget:
            gathered = use(folder / kind, references)
            failing[kind], answered[kind] = _failing(gathered), _answered(gathered)
    return Files(folder, references, failing, answered)


def _gathered(references: dict[str, Reference], settings: TransportSettings) -> Gathered:
    return asyncio.run(gather(references, SOURCES, settings, TODAY))


def _use_cache(folder: Path, references: dict[str, Reference]) -> Gathered:
    return _gathered(references, TransportSettings(cache=folder, offline=True))


def _use_cassettes(folder: Path, references: dict[str, Reference]) -> Gathered:
    return _gathered(references, TransportSettings(cassettes=folder, record="none"))


def _use_index(folder: Path, references: dict[str, Reference]) -> Gathered:
    with contextlib.closing(IndexSource(folder / "works.index", "index")) as index:
        return asyncio.run(gather(references, SOURCES, TransportSettings(offline=True), TODAY, indexes=[index]))


def _use_budget(folder: Path, _: dict[str, Reference]) -> Gathered:
    """Query as two processes do; a budget provides no evidence."""
    problems: tuple[str, ...] = ()
    with contextlib.closing(Budget(budget_path(folder))) as one, contextlib.closing(Budget(budget_path(folder))) as two:
        for budget in (one, two):
            budget.acquire(_HOST, 3)
            wait = max(budget.reserve(_HOST, 50), budget.per_second(_HOST, 50) < 1 / _LONGEST_WAIT)
            if wait > _LONGEST_WAIT or not budget.is_shared:
                problems += ("lost",)
            problems += (budget.problem,) if budget.problem else ()
        one.holds()
    return Gathered({}, {}, problems)


_Use = Callable[[Path, dict[str, Reference]], Gathered]

KINDS: dict[str, _Use] = {"cache": _use_cache, "budget": _use_budget, "cassettes": _use_cassettes, "index": _use_index}
"""Code that uses each kind of file, given its folder."""

# What a user may do about a cache after such a run.
_COMMANDS: dict[_Use, tuple[list[str], ...]] = {
    _use_cache: (["cache", "info"], ["cache", "clear"]),
    _use_budget: (["cache", "info"], ["cache", "clear", "--holds"]),
}


def _failing(gathered: Gathered) -> frozenset[tuple[str, str]]:
    """The checks that fail, with their references."""
    return frozenset(
        (name, finding.check)
        for name, state in gathered.states.items()
        for finding in state.evaluate_so_far().findings.values()
        if finding.outcome == "failed"
    )


def _answered(gathered: Gathered) -> int:
    return sum(
        not isinstance(asked.answer, Unavailable) for evidence in gathered.evidence.values() for asked in evidence.asked
    )


def _damages(data: bytes, flips: int, random: Random) -> Iterator[bytes]:
    for _ in range(flips):
        place = random.randrange(len(data))
        yield data[:place] + bytes([data[place] ^ random.randrange(1, 256)]) + data[place + 1 :]
    for _ in range(flips // 10):
        yield data[: random.randrange(len(data))]
    for _ in range(flips // 10):
        place, size = random.randrange(len(data)), random.randrange(1, _LARGEST_BLOCK)
        yield data[:place] + bytes(len(data[place : place + size])) + data[place + size :]


def _quietly(arguments: list[str]) -> tuple[int, str]:
    """Return the exit code and the output of a command."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        return citecheck(arguments), said.getvalue()


def run(files: Files, kind: str, flips: int, seed: int) -> Count:
    """Damage the files of one kind, one at a time, and count the results of the references."""
    count = Count()
    whole = files.folder / kind
    sizes = {path: path.stat().st_size for path in sorted(whole.rglob("*")) if path.is_file()}
    random = Random(f"{seed} {kind}")
    # A larger file is hit more often, as it is where disks go bad.
    share = {path: round(flips * size / sum(sizes.values())) for path, size in sizes.items()}
    for path, tries in share.items():
        for data in _damages(path.read_bytes(), tries, random):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name, kind)
                shutil.copytree(whole, folder)
                folder.joinpath(path.relative_to(whole)).write_bytes(data)
                _try(files, kind, folder, count)
    return count


def _try(files: Files, kind: str, folder: Path, count: Count) -> None:
    count.tries += 1
    try:
        gathered = KINDS[kind](folder, files.references)
        accused = sorted(_failing(gathered) - files.failing.get(kind, frozenset()))
        lost = max(0, files.answered.get(kind, 0) - _answered(gathered)) + gathered.problems.count("lost")
        for command in _COMMANDS.get(KINDS[kind], ()):
            code, said = _quietly([*command, f"--cache={folder}"])
            if code != 0:
                raise RuntimeError(f"citecheck {' '.join(command)} ended with {code}: {said}")
    except (CassetteError, IndexFileError):
        count.refused += 1
        return
    except Exception as error:  # noqa: BLE001 - they are what is counted
        count.exceptions += 1
        count.seen.append(f"{kind}: {type(error).__name__}: {error}")
        return
    count.accusations += len(accused)
    count.seen += [f"{kind}: accused {name} ({check})" for name, check in accused]
    count.lost += lost
    count.notes += any(problem != "lost" for problem in gathered.problems)


def main(flips: int, seed: int) -> None:
    """Print the table, and below it the unwanted outcomes."""
    print("| file | tries | exceptions | accusations | answers lost | notes | refused |")
    print("|---|---|---|---|---|---|---|")
    seen = []
    with tempfile.TemporaryDirectory() as folder:
        files = prepare(Path(folder))
        for kind in KINDS:
            count = run(files, kind, flips, seed)
            cells = (count.tries, count.exceptions, count.accusations, count.lost, count.notes, count.refused)
            print(f"| {kind} | {' | '.join(f'{cell:,}' for cell in cells)} |", flush=True)
            seen += count.seen
    for line in seen[:20]:
        print(line, file=sys.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.damaged_files", description=__doc__)
    parser.add_argument("--flips", type=int, default=3000, help="bytes to change in each kind of file")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    main(chosen.flips, chosen.seed)
