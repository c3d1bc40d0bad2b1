"""Kill two of four Dask workers while they audit a corpus with an index on an S3-compatible server, and compare the rows with
those of one process.

    CITECHECK_SHARED=FOLDER python -m benchmarks.audit_cluster --index works.index [--documents 40] [--machines 1]

Creates a corpus of real records (`benchmarks.corpus`), or uses the one of `--corpus`, which needs no shared folder. The server is
moto (extra `dev`). Workers with the same cache folder count as one machine. Tasks are repeated if their worker was killed while
they were waiting, running, or returning their result.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import dask
from distributed import LocalCluster

from benchmarks.audit import audit_command, wall_seconds
from benchmarks.corpus import PER_DOCUMENT, write_bibliographies
from tests.support.dask_workers import dask_workers
from tests.support.object_store import object_store

_WORKERS, _KILLED = 4, 2


def _rows(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.glob("references/*.parquet")}


def _on_cluster(command: Sequence[str], out: Path, partitions: int, stack: ExitStack, chosen: Any) -> tuple[float, Any]:
    """Run the audit, and kill a worker at a quarter and one at half of the partitions: seconds and the tasks by name."""
    dask.config.set({"distributed.admin.low-level-log-length": 50 * partitions})
    cluster = stack.enter_context(LocalCluster(n_workers=0, dashboard_address=chosen.dashboard))  # type: ignore[no-untyped-call]
    workers: list[subprocess.Popen[bytes]] = []
    for number in range(_WORKERS):
        os.environ["XDG_CACHE_HOME"] = str(out.with_name(f"cache-{number % chosen.machines}"))
        workers += stack.enter_context(dask_workers(cluster.scheduler_address, 1))
    while len(cluster.scheduler.workers) < _WORKERS:
        time.sleep(0.1)
    print(f"dashboard: {cluster.dashboard_link}", file=sys.stderr)
    started = time.monotonic()
    audit = subprocess.Popen([*command, "--scheduler", cluster.scheduler_address], stdout=subprocess.DEVNULL)
    for number, worker in enumerate(workers[:_KILLED], 1):
        while audit.poll() is None and len([*out.glob("references/*.parquet")]) < partitions * number // (_KILLED + 2):
            time.sleep(0.05)
        if audit.poll() is not None:
            raise SystemExit("the audit ended before the workers were killed: check more documents")
        worker.kill()
    if audit.wait():
        raise SystemExit("the audit failed")
    seconds = time.monotonic() - started
    return seconds, [(key, start, finish) for key, start, finish, *_ in cluster.scheduler.transition_log]


def main() -> None:
    parser = argparse.ArgumentParser(description="Print how an audit survives the loss of two of four Dask workers.")
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--corpus", type=Path, help="folder of documents; they are made if it is not there")
    parser.add_argument("--partition", type=int, default=PER_DOCUMENT, help="references of a task")
    parser.add_argument("--machines", type=int, default=1, help="cache folders that the four workers use")
    parser.add_argument("--dashboard", default="127.0.0.1:0", help="address of Dask's dashboard, which needs bokeh")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as name, ExitStack() as stack:
        folder = Path(name)
        corpus = chosen.corpus or folder / "corpus"
        if not corpus.exists():
            write_bibliographies(corpus, chosen.documents)
        alone, out = folder / "alone", folder / "cluster"
        options = ("--partition", str(chosen.partition))
        single = wall_seconds(audit_command(corpus, str(chosen.index), alone, *options, "-n", "0"))
        store = stack.enter_context(object_store())
        os.environ |= store.environment
        command = audit_command(corpus, store.put(chosen.index), out, *options, "--join")
        seconds, log = _on_cluster(command, out, len(_rows(alone)), stack, chosen)
        lines = [json.loads(line) for line in (out / "work.jsonl").read_text().splitlines() if line]
        documents = len([path for path in corpus.rglob("*") if path.is_file()])
        print(
            "| documents | references | rows equal | one process, wall s | four workers, two killed, wall s | MB per worker |"
        )
        print("|---|---|---|---|---|---|")
        print(
            f"| {documents:,} | {sum({line['partition']: line['references'] for line in lines}.values()):,} | "
            f"{'yes' if _rows(alone) == _rows(out) else 'NO'} | {single:,.0f} | {seconds:,.0f} | "
            f"{max(line['megabytes'] for line in lines):,} |"
        )
        done = Counter(key.rsplit("-", 3)[0] for key, _, finish in log if finish == "memory")
        repeated = Counter(
            key.rsplit("-", 3)[0] for key, start, finish in log if (start, finish) == ("processing", "released")
        )
        print("\n| tasks on the dashboard | done | repeated |\n|---|---|---|")
        for task in done:
            print(f"| {task} | {done[task]:,} | {repeated[task]:,} |")
        size = chosen.index.stat().st_size
        print(f"\nindex: {size:,} bytes; sent by the server to {chosen.machines} machine(s): {store.sent:,} bytes")


if __name__ == "__main__":
    main()
