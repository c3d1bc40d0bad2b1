"""A killed audit, or one with killed workers, writes the same files and repeats at most one partition per worker."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from pytest_citecheck.audit import Folder
from pytest_citecheck.cli import main
from pytest_citecheck.exit_codes import UNCHECKED
from tests.audit.conftest import entry
from tests.support.dask_workers import dask_workers, unguarded_environment
from tests.support.object_store import object_store

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
    return subprocess.Popen(
        [sys.executable, script, *map(str, arguments)], env=unguarded_environment(), start_new_session=True
    )


@pytest.mark.exhaustive
def test_an_audit_killed_at_ten_moments_does_a_partition_a_worker_again(tmp_path: Path, index: Path) -> None:
    out, whole, count = tmp_path / "out", tmp_path / "whole", 24
    arguments = ["audit", documents(tmp_path / "corpus", count), "--index", index, "--partition", 1]
    assert main([*map(str, arguments), "-o", str(whole), "-n", "0"]) == UNCHECKED
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
    assert finished.wait() == UNCHECKED
    assert contents(out) == contents(whole)
    assert set(done(out)) == set(range(count))
    assert sum(done(out).values()) - count <= 2 * kills


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore")  # those of Dask
def test_a_cluster_whose_worker_is_killed_and_replaced_twice_gives_the_same_files(tmp_path: Path, index: Path) -> None:
    distributed = pytest.importorskip("distributed")
    out, whole, count = tmp_path / "out", tmp_path / "whole", 14
    arguments = ["audit", documents(tmp_path / "corpus", count), "--index", index, "--partition", 1]
    assert main([*map(str, arguments), "-o", str(whole), "-n", "0"]) == UNCHECKED
    with (
        distributed.LocalCluster(n_workers=0, processes=True, dashboard_address=None) as cluster,
        dask_workers(cluster.scheduler_address, 2),
    ):
        audit = None
        for turn in range(3):
            with dask_workers(cluster.scheduler_address, 1):
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
        assert audit.wait() == UNCHECKED
    assert contents(out) == contents(whole)
    assert done(out) == Counter(range(count))


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore")  # those of Dask
def test_a_cluster_that_loses_two_of_four_workers_and_reads_the_index_from_s3_gives_the_same_files(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    out, whole, count = tmp_path / "out", tmp_path / "whole", 16
    arguments = ["audit", documents(tmp_path / "corpus", count), "--partition", 1, "--join"]
    assert main([*map(str, arguments), "--index", str(index), "-o", str(whole), "-n", "0"]) == UNCHECKED
    with object_store() as store, distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster:
        for name, value in {**store.environment, "XDG_CACHE_HOME": str(tmp_path / "cache")}.items():
            monkeypatch.setenv(name, value)
        scheduler = cluster.scheduler_address
        with dask_workers(scheduler, 4) as workers:
            while len(cluster.scheduler.workers) < 4:
                time.sleep(0.05)
            address = store.put(index)
            audit = started(
                tmp_path / "citecheck.py", *arguments, "--index", address, "-o", out, "--scheduler", scheduler
            )
            for wanted, worker in zip((3, 6), workers, strict=False):
                while audit.poll() is None and len(contents(out)) < wanted:
                    time.sleep(0.01)
                assert audit.poll() is None  # there was work when the worker was killed
                worker.kill()
            assert audit.wait() == UNCHECKED
        names = {key.rsplit("-", 3)[0] for key, *_ in cluster.scheduler.transition_log}
    assert contents(out) == contents(whole)
    assert names == {"citecheck-read", "citecheck-join", "citecheck-judge"}
    size = index.stat().st_size
    assert size <= store.sent < size + 10_000  # one copy, and questions about the size
