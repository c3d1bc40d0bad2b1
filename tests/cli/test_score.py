"""citecheck score predictions, citecheck rank."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.benchmark import PARTS, predictions_text
from pytest_citecheck.cli import main
from pytest_citecheck.inputs import LabelledEntry, Prediction
from tests.support.metric_rows import MICRO_ENTRIES, MICRO_PREDICTIONS, H, V, said, split_of


def written_split(path: Path, entries: Sequence[LabelledEntry]) -> str:
    rows: Iterator[dict[str, Any]] = (
        {
            "bibtex_key": entry.key,
            "bibtex_type": entry.type,
            "fields": {},
            "label": entry.label,
            "hallucination_type": entry.hallucination_type,
            "difficulty_tier": entry.tier,
        }
        for entry in entries
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def written_tool(path: Path, predictions: Sequence[Prediction]) -> str:
    path.write_text(predictions_text(predictions), encoding="utf-8")
    return str(path)


@pytest.fixture
def micro(tmp_path: Path) -> list[str]:
    split = written_split(tmp_path / "micro.jsonl", MICRO_ENTRIES)
    return ["--split", split, written_tool(tmp_path / "tool.jsonl", MICRO_PREDICTIONS)]


def scored(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    assert main(["score", "predictions", *arguments, "--format", "json"]) == 0
    documents: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return documents


def test_a_table(micro: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "predictions", *micro]) == 0
    header, row = capsys.readouterr().out.splitlines()
    cells = dict(zip(header.split(), row.split(), strict=True))
    assert cells["tool"] == "tool"
    assert [cells[name] for name in ("tp", "fp", "tn", "fn", "uncertain", "missing")] == ["1"] * 6
    assert (cells["F1"], cells["TW-F1"], cells["coverage"]) == ("0.500", "0.333", "0.800")


def test_the_document(micro: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (printed,) = scored([*micro, "--json", str(tmp_path / "out.json"), "--tool-name", "mine"], capsys)
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8")) == {"tools": [printed]}
    assert (printed["tool_name"], printed["split_name"], printed["evaluation_mode"]) == (
        "mine",
        "micro",
        "conservative",
    )


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_the_scores(micro: list[str], part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "predictions", *micro, "--by", part]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    (document,) = scored(micro, capsys)
    assert header.split()[:2] == ["tool", part]
    assert [row.split()[1] for row in rows] == list(document[PARTS[part]])


def test_the_tiers_as_a_table(micro: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "predictions", *micro, "--by", "tier", "--eval-mode", "both", "--format", "csv"]) == 0
    header, *rows = (line.split(",") for line in capsys.readouterr().out.splitlines())
    cells = [dict(zip(header, row, strict=True)) for row in rows]
    assert [(row["mode"], row["tier"]) for row in cells] == [
        ("conservative", "1"), ("conservative", "3"), ("aggressive", "1"), ("aggressive", "3"),
    ]  # fmt: skip
    assert [(row["detection_rate"], row["f1"]) for row in cells[:2]] == [("1.000", "0.667"), ("0.000", "0.000")]


def test_both_modes(micro: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    documents = scored([*micro, "--eval-mode", "both"], capsys)
    assert [(one["evaluation_mode"], one["counts"]["fp"]) for one in documents] == [
        ("conservative", 1),
        ("aggressive", 3),
    ]
    assert main(["score", "predictions", *micro, "--eval-mode", "both"]) == 0
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == ["mode", "conservative", "aggressive"]


def test_intervals(micro: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    (document,) = scored([*micro, "--bootstrap", "50"], capsys)
    assert document["detection_rate_ci"] == [0.5, 0.5]  # one entry a type: each is drawn in every replicate
    assert main(["score", "predictions", *micro, "--bootstrap", "50"]) == 0
    assert "0.500..0.500" in capsys.readouterr().out.splitlines()[2]


@pytest.mark.parametrize(
    ("option", "counts"), [(("--filter-tier", "1"), (1, 0, 1)), (("--filter-type", "near_miss_title"), (0, 1, 1))]
)
def test_filters_keep_the_valid_entries(
    micro: list[str], option: tuple[str, str], counts: tuple[int, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    (document,) = scored([*micro, *option], capsys)
    assert tuple(document["counts"][name] for name in ("tp", "fn", "fp")) == counts
    assert (document["num_hallucinated"], document["num_valid"]) == (1, 3)


def test_the_first_or_the_last_prediction(micro: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twice = written_tool(tmp_path / "twice.jsonl", [*MICRO_PREDICTIONS, said("h1", V)])
    arguments = [*micro[:2], twice]
    assert scored([*arguments, "--dup-policy", "first"], capsys)[0]["counts"]["tp"] == 1
    assert scored(arguments, capsys)[0]["counts"]["tp"] == 0


def test_warnings_go_to_standard_error(micro: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = written_tool(tmp_path / "few.jsonl", MICRO_PREDICTIONS[:2])
    assert main(["score", "predictions", *micro[:2], few]) == 0
    captured = capsys.readouterr()
    assert "warning: only 2 of 5 entries have a prediction" in captured.err
    assert "warning" not in captured.out


def test_strict(micro: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "predictions", *micro, "--strict"]) == 1  # v3 has no prediction
    whole = written_tool(tmp_path / "whole.jsonl", [*MICRO_PREDICTIONS, said("v3", V)])
    assert main(["score", "predictions", *micro[:2], whole, "--strict"]) == 0
    with Path(whole).open("a", encoding="utf-8") as file:
        file.write('{"bibtex_key": "more\\u001b[2J"\n')
    capsys.readouterr()
    assert main(["score", "predictions", *micro[:2], whole, "--strict"]) == 1
    errors = capsys.readouterr().err
    assert "whole.jsonl:6: error" in errors
    assert "\x1b" not in errors


def test_another_split_is_an_error(micro: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    foreign = written_tool(tmp_path / "foreign.jsonl", [said("elsewhere", H)])
    assert main(["score", "predictions", *micro[:2], foreign]) == 1
    assert "none of the 1 predicted keys is in the split of 5 entries" in capsys.readouterr().err
    empty = written_split(tmp_path / "empty.jsonl", [])
    assert main(["score", "predictions", "--split", empty, micro[2]]) == 2
    blind = written_split(tmp_path / "blind.jsonl", [LabelledEntry("h1", "article", {})])
    assert main(["score", "predictions", "--split", blind, micro[2]]) == 1
    assert "has no label" in capsys.readouterr().err


def test_wrong_usage(micro: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "folder"
    other.mkdir()
    same_name = written_tool(other / "tool.jsonl", MICRO_PREDICTIONS)
    for arguments in (
        [*micro[:2], str(tmp_path / "none.jsonl")],
        [*micro, "--bootstrap=-1"],
        [*micro, same_name],
        [*micro, same_name, "--tool-name", "x"],
    ):
        assert main(["score", "predictions", *arguments]) == 2
        assert capsys.readouterr().err.startswith("citecheck score predictions: error: ")
    assert main(["rank", *micro, "--bootstrap", "0"]) == 2
    assert main(["score", "predictions", *micro, "--json", str(other)]) == 1


@pytest.mark.exhaustive
def test_without_numpy_it_says_what_to_install(micro: list[str]) -> None:
    program = (
        "import sys; sys.modules['numpy'] = None; from pytest_citecheck.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "score", "predictions", *micro], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr == (
        "citecheck score predictions: error: this command needs numpy: pip install '.[metrics]' in a checkout\n"
    )


@pytest.fixture
def three(tmp_path: Path) -> list[str]:
    entries, best = split_of({"wrong_venue": (30, 28), "valid": (10, 0)})
    split = written_split(tmp_path / "split.jsonl", entries)
    tools = {"best": best, "twin": best, "poor": split_of({"wrong_venue": (30, 5), "valid": (10, 0)})[1]}
    return ["--split", split, *(written_tool(tmp_path / f"{name}.jsonl", rows) for name, rows in tools.items())]


@pytest.mark.usefixtures("few_replicates")
def test_a_ranking(three: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", *three, "--bootstrap", "300", "--json", str(tmp_path / "rank.json")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines[1:4]] == [["best", "1", "a"], ["twin", "2", "a"], ["poor", "3", "b"]]
    document = json.loads((tmp_path / "rank.json").read_text(encoding="utf-8"))
    assert [row["tool_name"] for row in document["leaderboard"]] == ["best", "twin", "poor"]
    assert sum(row["plackett_luce"] for row in document["leaderboard"]) == pytest.approx(1)
    assert len(document["tests"]) == 3
    assert document["stability"]["wrong_venue"]["order"] == ["best", "twin", "poor"]


@pytest.mark.exhaustive
def test_a_ranking_by_another_metric(three: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", *three, "--sort", "fpr", "--bootstrap", "20", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {row["letter"] for row in document["leaderboard"]} == {"a"}  # nobody flags a valid entry
    assert document["sort"] == "false_positive_rate"
