"""citecheck dataset, as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.benchmark import sample
from pytest_citecheck.cli import main
from pytest_citecheck.inputs import load_split
from tests.support.metric_rows import hallucinated, valid

VALID: dict[str, Any] = {
    "bibtex_key": "a", "bibtex_type": "article", "label": "VALID", "generation_method": "scraped",
    "fields": {"title": "On tides", "author": "Ada Author", "year": "2001", "journal": "Nature", "doi": "10.1/a"},
    "publication_date": "2001", "added_to_benchmark": "2026", "subtests": {"title_exists": True, "doi_resolves": True},
}  # fmt: skip
WRONG: dict[str, Any] = VALID | {
    "bibtex_key": "b", "label": "HALLUCINATED", "hallucination_type": "wrong_venue", "difficulty_tier": 2,
    "fields": {"title": "On shores and rain", "author": "Ada Author", "year": "2002", "journal": "Nature"},
    "explanation": "another venue", "generation_method": "perturbation", "subtests": {"venue_correct": True},
}  # fmt: skip


@pytest.fixture
def split(tmp_path: Path) -> str:
    return written(tmp_path / "split.jsonl", VALID, WRONG)


def written(path: Path, *entries: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return str(path)


def test_stats(split: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dataset", "stats", "--split", split, "--format", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["num_entries"], facts["label"]) == (2, {"HALLUCINATED": 1, "VALID": 1})
    assert facts["DOI"] == {"with a DOI": 1, "without a DOI": 1}
    assert facts["venue"] == {"Nature": 2}
    assert facts["sub-test"] == {"doi_resolves true": 1, "title_exists true": 1, "venue_correct true": 1}
    assert main(["dataset", "stats", "--split", split]) == 0
    out = capsys.readouterr().out.splitlines()
    assert ["label", "HALLUCINATED", "1", "50.0%"] in [line.split() for line in out]
    assert out[-1] == "2 entries"


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        ([], "ab"),
        (["--key", "b", "x"], "b"),
        (["--title", "TIDES"], "a"),
        (["--label", "VALID"], "a"),
        (["--type", "wrong_venue", "--tier", "2"], "b"),
        (["--tier", "3"], ""),
        (["--method", "perturbation"], "b"),
    ],
)
def test_inspect(split: str, options: list[str], keys: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dataset", "inspect", "--split", split, *options]) == (0 if keys else 1)
    out = capsys.readouterr().out.splitlines()
    assert [line[0] for line in out if "@article" in line] == list(keys)
    if "b" in keys:
        assert "b HALLUCINATED wrong_venue (tier 2) @article, line 2" in out
        assert "    (explanation: another venue)" in out


def test_a_part_of_a_split_is_a_split(split: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "part.jsonl"
    assert main(["dataset", "inspect", "--split", split, "--max-entries", "1", "--out", str(out)]) == 0
    assert len(load_split(out).entries) == 1
    assert main(["dataset", "inspect", "--split", split, "--out", split]) == 2
    assert len(load_split(Path(split)).entries) == 2
    assert "refusing to overwrite" in capsys.readouterr().err


def test_a_sample_keeps_the_proportion_of_labels() -> None:
    entries = [*(hallucinated(f"h{n}") for n in range(60)), *(valid(f"v{n}") for n in range(40))]
    kept = sample(entries, 11)
    assert [entry.label for entry in kept].count("HALLUCINATED") == 7
    assert len(kept) == 11
    assert kept == sample(entries, 11) == sorted(kept, key=entries.index)
    assert sample(entries, 100) == entries


def test_diagnose_a_split(split: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dataset", "diagnose", "--split", split]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == f"{split}:2: b: `subtests.venue_correct` is true, but must be false for wrong_venue"
    assert "the baseline doi_presence is right for 100.0% of the entries" in out
    assert out[-1] == "2 entries, 1 contradiction"
    assert main(["dataset", "diagnose", "--split", split, "--gate"]) == 1


def test_diagnose_a_tool(split: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = {
        "bibtex_key": "a",
        "label": "HALLUCINATED",
        "confidence": 0.9,
        "reason": "odd",
        "subtest_results": {"title_exists": False},
    }
    tool = written(tmp_path / "tool.jsonl", said)
    assert main(["dataset", "diagnose", "--split", split, "--predictions", tool, "--gate"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "a: VALID, predicted: HALLUCINATED (0.90)",
        "    title = On tides",
        "    tool: odd",
        "    title_exists: labelled true, predicted false",
        "b: HALLUCINATED wrong_venue, predicted: no prediction, which counts as VALID",
        "    title = On shores and rain",
        "    label: another venue",
        "2 entries: 2 wrong, 0 undecided, 0 right",
    ]
    right = written(tmp_path / "right.jsonl", {"bibtex_key": "b", "label": "HALLUCINATED"})
    assert main(["dataset", "diagnose", "--split", split, "--predictions", right, "--gate"]) == 0
    other = written(tmp_path / "other.jsonl", {"bibtex_key": "z", "label": "VALID"})
    assert main(["dataset", "diagnose", "--split", split, "--predictions", other]) == 1


def test_a_contribution_from_submission_to_the_split(
    split: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = VALID | {
        "bibtex_key": "c",
        "added_to_benchmark": "",
        "fields": VALID["fields"] | {"title": "Moonlight sonata"},
    }
    file, queue = written(tmp_path / "new.jsonl", new), ["--queue", str(tmp_path / "queue")]
    assert main(["dataset", "submit", file, *queue, "--against", split, "--by", "ada"]) == 0
    name = capsys.readouterr().out.split()[1].rstrip(":")
    assert main(["dataset", "submit", file, *queue, "--by", "ada"]) == 1
    assert f"{name} is submitted" in capsys.readouterr().err
    assert main(["dataset", "review", *queue]) == 0
    assert capsys.readouterr().out == f"{name} submitted: 1 entry of new.jsonl by ada, 1 warning\n"
    accept = ["dataset", "accept", name, *queue, "--split", split, "--by", "cyd"]
    assert main(accept) == 1
    assert f"{name} is submitted; only what is approved can be accepted" in capsys.readouterr().err
    assert main(["dataset", "review", name, *queue, "--approve", "--by", "ada"]) == 1
    assert "somebody else must review it" in capsys.readouterr().err
    assert main(["dataset", "review", name, *queue, "--reject", "--by", "bea", "--note", "which year?"]) == 0
    assert main(["dataset", "review", name, *queue, "--approve", "--by", "bea"]) == 0
    assert main(accept) == 0
    entries = load_split(Path(split)).entries
    assert [entry.key for entry in entries] == ["a", "b", "c"]
    assert entries[2].added.startswith("20")
    capsys.readouterr()
    assert main(["dataset", "review", name, *queue]) == 0
    log = capsys.readouterr().out
    assert [
        word
        for word in ("submitted by ada", "rejected by bea: which year?", "approved by bea", "accepted by cyd")
        if word not in log
    ] == []
    assert main(accept) == 1
    assert len(load_split(Path(split)).entries) == 3


def test_what_is_refused(split: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    queue = ["--queue", str(tmp_path / "queue")]
    assert main(["dataset", "submit", split, *queue, "--against", split, "--by", "ada"]) == 1
    assert "duplicate key" in capsys.readouterr().err
    assert not (tmp_path / "queue").exists()
    assert main(["dataset", "submit", split, *queue]) == 2
    assert main(["dataset", "review", *queue, "--approve", "--by", "bea"]) == 2
    assert main(["dataset", "review", "none", *queue]) == 1
    (tmp_path / "queue").mkdir()
    (tmp_path / "queue" / "x.json").write_text("[]")
    assert main(["dataset", "review", *queue]) == 1
    assert "is no contribution" in capsys.readouterr().err


def test_a_contribution_is_checked_again_when_it_is_accepted(split: str, tmp_path: Path) -> None:
    new = VALID | {"bibtex_key": "c", "fields": VALID["fields"] | {"title": "Moonlight sonata"}}
    file, folder = written(tmp_path / "new.jsonl", new), tmp_path / "queue"
    assert main(["dataset", "submit", file, "--queue", str(folder), "--by", "ada"]) == 0
    (name,) = (path.stem for path in folder.iterdir())
    assert main(["dataset", "review", name, "--queue", str(folder), "--approve", "--by", "bea"]) == 0
    written(Path(split), VALID | {"bibtex_key": "c"})
    assert main(["dataset", "accept", name, "--queue", str(folder), "--split", split, "--by", "bea"]) == 1
    fresh = str(tmp_path / "fresh.jsonl")
    assert main(["dataset", "accept", name, "--queue", str(folder), "--split", fresh, "--by", "bea"]) == 0
    assert len(load_split(Path(fresh)).entries) == 1
