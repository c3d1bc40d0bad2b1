"""A killed audit, or one with killed workers, writes the same files and repeats at most one partition per worker."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pytest_citecheck.audit import Folder
from pytest_citecheck.cli import main
from tests.audit.conftest import entry

_COMMAND = "import sys; from pytest_citecheck.cli import main\nif __name__ == '__main__': sys.exit(main(sys.argv[1:]))"


def documents(folder: Path, count: int) -> Path:
    """Create a folder of ``count`` documents."""
    folder.mkdir()
    for number in range(count):
        entries = [
            entry((number + place) % 12, f"k{place}", f"Study {number * 40 + place} of paper") for place in range(40)
        ]
        Path(folder, f"{number:02}.bib").write_text("\n".join(entries))
    return folder


def contents(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.glob("references/*.parquet")}


def done(out: Path) -> Counter[int]:
    """Count how often each partition was processed."""
    lines = Folder(out).log.read_text().splitlines() if Folder(out).log.exists() else []
    return Counter(json.loads(line)["partition"] for line in lines)


def started(script: Path, *arguments: object) -> subprocess.Popen[bytes]:
    script.write_text(_COMMAND)
    return subprocess.Popen([sys.executable, script, *map(str, arguments)], env=_environment(), start_new_session=True)


def _environment() -> dict[str, str]:
    """Without the guard of the network: Dask asks the system for its own address, which looks like leaving the machine."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent)}


@pytest.mark.exhaustive
def test_an_audit_killed_at_ten_moments_does_a_partition_a_worker_again(tmp_path: Path, index: Path) -> None:
    out, whole, count = tmp_path / "out", tmp_path / "whole", 24
    arguments = ["audit", documents(tmp_path / "corpus", count), "--index", index, "--partition", 1]
    assert main([*map(str, arguments), "-o", str(whole), "-n", "0"]) == 0
    kills = 0
    for moment in range(1, 11):
        process = started(tmp_path / "citecheck.py", *arguments, "-o", out, "-n", 2)
        wanted = len(contents(out)) + 1 + moment % 2
        while process.poll() is None and len(contents(out)) < min(wanted, count):
            time.sleep(0.005)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)  # its workers end by themselves
            kills += 1
        process.wait()
        time.sleep(0.3)
    assert kills == 10
    finished = started(tmp_path / "citecheck.py", *arguments, "-o", out, "-n", 2)
    assert finished.wait() == 0
    assert contents(out) == contents(whole)
    assert set(done(out)) == set(range(count))
    assert sum(done(out).values()) - count <= 2 * kills


@contextmanager
def workers(address: str, count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"]
    running = [
        subprocess.Popen(
            [*command, "--no-nanny"], env=_environment(), stderr=subprocess.DEVNULL, start_new_session=True
        )
        for _ in range(count)
    ]
    try:
        yield running
    finally:
        for process in running:
            process.kill()
            process.wait()


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore")  # those of Dask
def test_a_cluster_whose_worker_is_killed_and_replaced_twice_gives_the_same_files(tmp_path: Path, index: Path) -> None:
    distributed = pytest.importorskip("distributed")
    out, whole, count = tmp_path / "out", tmp_path / "whole", 14
    arguments = ["audit", documents(tmp_path / "corpus", count), "--index", index, "--partition", 1]
    assert main([*map(str, arguments), "-o", str(whole), "-n", "0"]) == 0
    with (
        distributed.LocalCluster(n_workers=0, processes=True, dashboard_address=None) as cluster,
        workers(cluster.scheduler_address, 2),
    ):
        audit = None
        for turn in range(3):
            with workers(cluster.scheduler_address, 1):
                while len(cluster.scheduler.workers) < 3:
                    time.sleep(0.05)
                if audit is None:
                    audit = started(
                        tmp_path / "citecheck.py", *arguments, "-o", out, "--scheduler", cluster.scheduler_address
                    )
                wanted = len(contents(out)) + 3
                while audit.poll() is None and (turn == 2 or len(contents(out)) < wanted):
                    time.sleep(0.01)
            if turn < 2:
                assert audit.poll() is None  # the third worker was killed while there was work
        assert audit is not None
        assert audit.wait() == 0
    assert contents(out) == contents(whole)
    assert done(out) == Counter(range(count))
