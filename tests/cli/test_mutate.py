"""citecheck mutate: files, output and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from tests.support.mutation_samples import REFS

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
        "1 reference; 1 hallucination of 1 type; 1 reference skipped",
        "  fabricated_doi              1",
        "  preprint_as_published       0   (1 skipped: needs a preprint)",
        f"wrote {out}",
    ]
    assert said.err == f"{bib}:2: skipped b\\x1b[31m: it has no author\n"


def test_the_year_is_counted_from_where_one_says(bib: Path, tmp_path: Path) -> None:
    out = tmp_path / "labelled.jsonl"
    assert main(["mutate", str(bib), "--out", str(out), "--types=future_date", "--year=2100"]) == 0
    years = sorted(str(line["fields"]["year"]) for line in lines(out))  # type: ignore[index]
    assert years[0] == "2015"
    assert 2104 <= int(years[1]) <= 2110


@pytest.mark.exhaustive
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
        (["{bib}", "--out={bib}"], "refusing to overwrite the input file"),
        (["none.bib", "--out=x"], "none.bib: No such file"),
        (["{bib}x", "--out=x"], "unknown file type"),
        (["{bib}", "--out={bib}/x"], "Not a directory"),
        (
            ["{bib}", "--out=x", "--types=wrong_venue,wrong"],
            "unknown hallucination type: wrong. Hallucination types: fabricated_doi, ",
        ),
        (["{bib}", "--out=x", "--types=,"], "unknown hallucination type"),
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
    assert code == 2
    assert said in capsys.readouterr().err
    assert bib.read_bytes() == before
    assert not Path("x").exists()


def test_of_a_split_only_what_is_labelled_valid_is_taken(
    bib: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    split, out = tmp_path / "split.jsonl", tmp_path / "out.jsonl"
    assert main(["mutate", str(bib), "--out", str(split), "--types", "fabricated_doi,future_date"]) == 0
    valid, *wrong = sorted(lines(split), key=lambda line: str(line["label"]), reverse=True)
    assert [line["label"] for line in (valid, *wrong)] == ["VALID", "HALLUCINATED", "HALLUCINATED"]
    blind = {name: value for name, value in valid.items() if name != "label"} | {"bibtex_key": "blind"}
    broken = valid | {"bibtex_key": "broken", "label": "RIGHT"}
    split.write_text("".join(json.dumps(line) + "\n" for line in (*wrong, blind, valid, broken)), encoding="utf-8")
    capsys.readouterr()
    assert main(["mutate", str(split), "--out", str(out), "--types", "fabricated_doi"]) == 0
    told = capsys.readouterr()
    first = "1 reference; 1 hallucination of 1 type; 4 references skipped (3 not labelled VALID)"
    assert told.out.splitlines()[0] == first
    assert "split.jsonl:5: skipped broken: it has a defect" in told.err
    assert {line["source"] for line in lines(out)} == {valid["bibtex_key"]}


@pytest.mark.exhaustive
def test_what_is_made_can_be_contributed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "labelled.jsonl"
    assert main(["mutate", str(REFS), "--out", str(out), "--year=2026"]) == 0
    assert main(["validate", str(out)]) == 0
    told = capsys.readouterr().out.splitlines()
    made = len(lines(out))
    assert told[-1] == f"{out}: {made:,} entries, 0 errors, 0 warnings"
    assert {line["added_to_benchmark"] for line in lines(out)} == {"2026"}


def test_a_title_is_valid_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry = "@article{{{key}, title = {{{title}}}, author = {{Author, Ada}}, year = 2001, journal = {{Nature}}}}\n"
    titles = {"one": "A Study of Tides", "two": "A study of {Tides}", "three": "A study of rain in the mountains"}
    bib, out = tmp_path / "refs.bib", tmp_path / "out.jsonl"
    bib.write_text("".join(entry.format(key=key, title=title) for key, title in titles.items()), encoding="utf-8")
    assert main(["mutate", str(bib), "--out", str(out), "--types", "future_date"]) == 0
    assert f"{bib}:2: skipped two: it has the title of one" in capsys.readouterr().err
    assert {line["source"] for line in lines(out)} == {"one", "three"}
    assert main(["validate", str(out)]) == 0


def test_nothing_to_mutate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bib = tmp_path / "refs.bib"
    bib.write_text("@misc{b, title = {No Author}}", encoding="utf-8")
    assert main(["mutate", str(bib), "--out", str(tmp_path / "x")]) == 1
    assert "no file written" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
