"""Damaged files neither abort a run nor cause accusations: a few trials of the benchmark, which makes thousands."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.damaged_files import KINDS, Files, prepare, run


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return prepare(tmp_path_factory.mktemp("damaged"))


@pytest.mark.exhaustive
def test_whole_files_answer_and_accuse_nobody(files: Files) -> None:
    assert set(files.answered) == {"cache", "cassettes", "index"}
    assert min(files.answered.values()) >= len(files.references) == 6
    assert not any(files.failing.values())
    assert all(any((Path(files.folder) / kind).iterdir()) for kind in KINDS)


# The index has no checksums of its rows.
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=() if kind == "cache" else pytest.mark.exhaustive) for kind in KINDS if kind != "index"],
)
@pytest.mark.parametrize("flips", [10, pytest.param(30, marks=pytest.mark.exhaustive)])
def test_damage_raises_nothing_and_accuses_nobody(files: Files, kind: str, flips: int) -> None:
    count = run(files, kind, flips=flips, seed=7)
    assert count.tries >= 0.8 * flips
    assert (count.exceptions, count.accusations, count.seen) == (0, 0, [])


@pytest.mark.exhaustive
def test_damage_is_done_and_told(files: Files) -> None:
    counts = {kind: run(files, kind, flips=10, seed=7) for kind in ("cache", "cassettes")}
    assert counts["cache"].lost > 0
    assert counts["cassettes"].notes + counts["cassettes"].refused > 0
