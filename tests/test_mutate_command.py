"""citecheck mutate: what it writes, what it says, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from tests.mutation_samples import REFS

ONE = "@article{a, title = {A Robust Method}, author = {A. Silva}, journal = {Nature}, year = 2015, doi = {10.1038/x}}"


@pytest.fixture
def bib(tmp_path: Path) -> Path:
    path = tmp_path / "refs.bib"
    path.write_text(ONE + "\n@misc{b\x1b[31m, title = {No Author}}\n", encoding="utf-8")
    return path


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_a_file_becomes_a_benchmark(bib: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "labelled.jsonl"
    assert main(["mutate", str(bib), "--out", str(out), "--types", "fabricated_doi,preprint_as_published"]) == 0
    assert sorted(str(line["label"]) for line in lines(out)) == ["HALLUCINATED", "VALID"]
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "1 reference; 1 hallucination of 1 type; 1 reference left out",
        "  fabricated_doi              1",
        "  preprint_as_published       0   (not 1: needs a preprint)",
        f"wrote {out}",
    ]
    assert said.err == f"{bib}:2: b\\x1b[31m was left out: it names no author\n"


def test_the_year_is_counted_from_where_one_says(bib: Path, tmp_path: Path) -> None:
    out = tmp_path / "labelled.jsonl"
    assert main(["mutate", str(bib), "--out", str(out), "--types=future_date", "--year=2100"]) == 0
    years = sorted(str(line["fields"]["year"]) for line in lines(out))  # type: ignore[index]
    assert years[0] == "2015"
    assert 2104 <= int(years[1]) <= 2110


def test_seed_and_number(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("one", "same", "other")]
    for path, seed in zip(paths, ("1", "1", "2"), strict=True):
        assert main(["mutate", str(REFS), "--out", str(path), "--seed", seed, "--per-type", "2", "--year=2026"]) == 0
    one, same, other = (path.read_bytes() for path in paths)
    assert one == same != other
    assert one.count(b'"HALLUCINATED"') == 14 * 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{bib}", "--out={bib}"], "would be lost"),
        (["none.bib", "--out=x"], "none.bib: No such file"),
        (["{bib}x", "--out=x"], "no reader"),
        (["{bib}", "--out={bib}/x"], "Not a directory"),
        (["{bib}", "--out=x", "--types=wrong_venue,wrong"], "no such type: wrong. The types: fabricated_doi, "),
        (["{bib}", "--out=x", "--types=,"], "no such type"),
        (["{bib}", "--out=x", "--per-type=0"], "must be 1 or more"),
        (["{bib}", "--out=x", "--seed=x"], "invalid int value"),
    ],
)
def test_wrong_usage(
    bib: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bib.parent)
    before = bib.read_bytes()
    try:
        code = main(["mutate", *(argument.format(bib=bib) for argument in arguments)])
    except SystemExit as stop:
        code = int(stop.code or 0)
    assert code == 4
    assert said in capsys.readouterr().err
    assert bib.read_bytes() == before
    assert not Path("x").exists()


def test_nothing_to_mutate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bib = tmp_path / "refs.bib"
    bib.write_text("@misc{b, title = {No Author}}", encoding="utf-8")
    assert main(["mutate", str(bib), "--out", str(tmp_path / "x")]) == 1
    assert "nothing was written" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
