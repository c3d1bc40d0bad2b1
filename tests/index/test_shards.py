"""A set of shards answers as one file does."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from pytest_citecheck.index import IndexFileError, LocalIndex, build, shard_path, stretch, verify
from pytest_citecheck.model import Record
from tests.support.records import work

np = pytest.importorskip("numpy")

COUNT = 700
WORDS = ("magnetic", "thermal", "optical", "social", "neural", "layered", "sparse", "deep", "linear", "response")


def records(count: int) -> list[Record]:
    dice = random.Random(3)  # noqa: S311 - the same ones in every run
    made = [
        work(
            dice.choice(("dblp", "acl")), str(number), " ".join(dice.choices(WORDS, k=dice.randint(2, 6))),
            tuple(f"A. {dice.choice(('Zhang', 'Wang', 'Lovelace'))}" for _ in range(dice.randint(1, 3))),
            2000 + number % 20, dice.choice(("NeurIPS", "ICML", "Notes")), f"10.1000/{number}",
        )
        for number in range(count)
    ]  # fmt: skip
    return [*made, *made[:50]]  # some are stated again, and the later one counts


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """One file and a set of two shards, with records in both of them."""
    from pytest_citecheck.index import build_shards  # noqa: PLC0415

    folder = tmp_path_factory.mktemp("shards")
    stated = records(COUNT)
    build(folder / "one.index", stated)
    build_shards(folder / "set.index", stated, 2, chunk=64)
    return folder / "one.index", folder / "set.index"


@pytest.mark.exhaustive
def test_a_set_answers_as_one_file(both: tuple[Path, Path]) -> None:
    dice = random.Random(4)  # noqa: S311
    with LocalIndex(both[0]) as one, LocalIndex(both[1]) as several:
        assert (len(one), one.collections()) == (len(several), several.collections())
        for number in (0, 49, 50, 63, 64, COUNT - 1):
            identifier = ("doi", f"10.1000/{number}")
            assert one.by_identifier(*identifier) == several.by_identifier(*identifier) != []
        titles = [" ".join(dice.choices((*WORDS, "tehrmal", "sparsedeep"), k=4)) for _ in range(60)]
        assert one.by_titles(titles) == several.by_titles(titles)
        assert one.by_authors(["Zhang", "Wang"], 2007) == several.by_authors(["Zhang", "Wang"], 2007) != []


@pytest.mark.exhaustive
def test_a_set_holds_the_same_records_and_is_whole(both: tuple[Path, Path]) -> None:
    with LocalIndex(both[0]) as one, LocalIndex(both[1]) as several:
        assert all(a == b for a, b in zip(one, several, strict=True))
    assert verify(both[1]) == COUNT


def test_a_set_that_is_not_whole_is_refused(both: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(IndexFileError, match="one of 2 shards: give their folder"):
        LocalIndex(shard_path(both[1], 1))
    lacking = Path(shutil.copytree(both[1], tmp_path / "lacking"))
    shard_path(lacking, 1).unlink()
    with pytest.raises(IndexFileError, match=r"one of 2 shards|1 shards of 2"):
        LocalIndex(lacking)
    shutil.copy(shard_path(both[1], 0), shard_path(lacking, 1))
    with pytest.raises(IndexFileError, match="changed places"):
        LocalIndex(lacking)


@pytest.mark.parametrize("buckets", [1, 2, 7, 100])
@pytest.mark.parametrize("shards", [1, 3, 8])
def test_each_bucket_is_in_the_stretch_of_one_shard(shards: int, buckets: int) -> None:
    bounds = [stretch(shard, shards, buckets) for shard in range(shards)]
    assert [place for first, last in bounds for place in range(first, last)] == list(range(buckets))
    assert all(
        place * shards // buckets == shard for shard, (first, last) in enumerate(bounds) for place in range(first, last)
    )


@pytest.mark.exhaustive
def test_the_commands_build_and_read_a_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = tmp_path / "refs.bib"
    lines.write_text(
        "@article{a, title = {A Study of Layered Films}, author = {Doe, Jane}, year = {2001}, doi = {10.1/a}}"
    )
    out = tmp_path / "works.index"
    assert main(["index", "build", str(out), str(lines), "--shards", "2"]) == 0
    assert main(["index", "lookup", str(out), "A Study of Layered Films"]) == 0
    assert "Jane Doe" in capsys.readouterr().out
    assert main(["index", "verify", str(out)]) == 0
    assert main(["index", "build", str(out), str(lines)]) == 2
    assert "is a set of shards" in capsys.readouterr().err
    assert main(["index", "add", str(out), str(lines)]) == 2
