"""Measure the speed of `citecheck audit` on whole corpora, in one process and in two, by kind of reference, and the gain from
the join.

    CITECHECK_SHARED=FOLDER python -m benchmarks.audit --index works.index [--documents 400] [--corpus FOLDER]

Creates a corpus of real records (`benchmarks.corpus`), or uses the one in the folder. Times are CPU seconds of the workers,
which other work on the machine hardly affects. The ratio of two processes to one uses wall-clock time and needs an idle
machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.corpus import documents, write_bibliographies
from benchmarks.offline_verdicts import read
from pytest_citecheck.audit import Cited, Folder, Plan, PlanSettings, WorkerState, identity, rows_of
from pytest_citecheck.index import read_title
from pytest_citecheck.lookup import LookupState
from pytest_citecheck.model import Found
from pytest_citecheck.net import TransportSettings

_COMMAND = "import sys; from pytest_citecheck.cli import main\nif __name__ == '__main__': sys.exit(main(sys.argv[1:]))"


def audit_command(corpus: Path, index: str, out: Path, *further: str) -> list[str]:
    """A command whose processes can be spawned: they import the script."""
    script = out.parent / "citecheck.py"
    script.write_text(_COMMAND)
    return [sys.executable, str(script), "audit", str(corpus), "-o", str(out), "--index", index, *further]


def wall_seconds(command: Sequence[str]) -> float:
    """Run a command, and return its time on the clock."""
    started = time.monotonic()
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    assert done.returncode in (0, 1), done  # 1: some references are wrong
    return time.monotonic() - started


def _told(name: str, out: Path, clock: float) -> None:
    lines = [json.loads(line) for line in (out / "work.jsonl").read_text().splitlines() if line]
    references = sum(line["references"] for line in lines)
    reading, judging = (sum(line[stage] for line in lines) for stage in ("reading", "judging"))
    size = sum(path.stat().st_size for path in out.glob("references/*.parquet"))
    print(
        f"| {name} | {references:,} | {reading / references * 1e3:.2f} | {judging / references * 1e3:.2f} | "
        f"{references / (reading + judging):,.0f} | {clock:.0f} | {max(line['megabytes'] for line in lines)} | "
        f"{size / references:.0f} |"
    )


def _by_kind(index: Path, count: int) -> None:
    """Print CPU time per reference by its kind and by its result from the index."""
    settings = PlanSettings(((str(index), identity(str(index))),), "2026-11-21")
    with tempfile.TemporaryDirectory() as folder:
        Folder(Path(folder)).write(Plan((), settings, ()))
        bench = WorkerState(Path(folder))
        groups: dict[str, list[Cited]] = defaultdict(list)
        for name, entries in documents(count):
            references = read(entry.bibtex() for entry in entries)
            for entry in entries:
                reference = references.get(entry.key)
                if reference is not None:
                    kind = _kind(entry.kind, Cited(name, entry.key, reference), bench)
                    groups[kind].append(Cited(name, entry.key, replace(reference)))
        print("\n| references | n | ms each | a second and core |\n|---|---|---|---|")
        for kind, cited in sorted(groups.items()):
            started = time.process_time()
            _rows(cited, bench)
            taken = (time.process_time() - started) / len(cited)
            print(f"| {kind} | {len(cited):,} | {taken * 1e3:.2f} | {1 / taken:,.0f} |")


def _rows(cited: Sequence[Cited], bench: WorkerState) -> None:
    for first in range(0, len(cited), 500):
        rows_of(cited[first : first + 500], bench, TransportSettings(offline=True))


def _kind(made: str, cited: Cited, bench: WorkerState) -> str:
    if made != "right":
        return "invented" if made == "plausible_fabrication" else "made wrong"
    source = bench.indexes[0]
    answers = source.ask(source.queries(LookupState.of(cited.reference, bench.plan.settings.day)))
    title = read_title(cited.reference.fields.get("title", ""))[1]
    exact = any(
        query.kind != "title" or any(read_title(record.title)[1] == title for record in asked.answer.records)
        for query, asked in answers.items()
        if isinstance(asked.answer, Found)
    )
    return "right, exact identifier or title" if exact else "right, otherwise"


def main() -> None:
    parser = argparse.ArgumentParser(description="Print how fast whole corpora are checked.")
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--corpus", type=Path, help="folder of documents; they are made if it is not there")
    parser.add_argument("--kinds", type=int, default=100, help="documents of which the kinds are timed apart")
    chosen = parser.parse_args()
    if chosen.documents:
        with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
            corpus = chosen.corpus or Path(folder, "corpus")
            if not corpus.exists():
                write_bibliographies(corpus, chosen.documents)
            print(
                "| run | references | reading, ms | judging, ms | a second and core | clock, s | MB a worker | bytes a row |"
            )
            print("|---|---|---|---|---|---|---|---|")
            for name, further in {
                "one process": ("-n", "0"),
                "two": ("-n", "2"),
                "two, --join": ("-n", "2", "--join"),
            }.items():
                out = Path(folder, name.replace(" ", "").replace(",", ""))
                _told(name, out, wall_seconds(audit_command(corpus, str(chosen.index), out, *further)))
    if chosen.kinds:
        _by_kind(chosen.index, chosen.kinds)


if __name__ == "__main__":
    main()
