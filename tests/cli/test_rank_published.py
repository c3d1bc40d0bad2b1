"""citecheck rank with results that are published without predictions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.cli import main
from tests.cli.test_score import written_split, written_tool
from tests.support.metric_rows import split_of

RESULT = {
    "tool_name": "llm", "num_entries": 20, "num_hallucinated": 10, "num_valid": 10, "detection_rate": 0.8,
    "false_positive_rate": 0.1, "f1_hallucination": 0.842105, "mcc": 0.7, "ece": 0.2, "num_uncertain": 2, "coverage": 1.0,
}  # fmt: skip

pytestmark = pytest.mark.usefixtures("few_replicates")


@pytest.fixture
def tools(tmp_path: Path) -> list[str]:
    entries, good = split_of({"wrong_venue": (10, 9), "valid": (10, 0)})
    _, poor = split_of({"wrong_venue": (10, 2), "valid": (10, 0)})
    split = written_split(tmp_path / "split.jsonl", entries)
    return [
        "--split",
        split,
        *(written_tool(tmp_path / f"{name}.jsonl", said) for name, said in (("good", good), ("poor", poor))),
    ]


def result_file(path: Path, text: str | None = None, **changed: Any) -> str:
    path.write_text(json.dumps(RESULT | changed, indent=2) if text is None else text, encoding="utf-8")
    return str(path)


@pytest.mark.exhaustive
def test_a_published_result_is_ranked_between_tools(
    tools: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published = result_file(tmp_path / "model.json", json.dumps(RESULT).replace("0.7,", "NaN,"))
    assert main(["rank", *tools, published, "--bootstrap", "20"]) == 0
    out = capsys.readouterr().out
    header, *rows = (line.split() for line in out.splitlines()[:4])
    assert [row[0] for row in rows] == ["good", "model", "poor"]
    assert rows[1][1:5] == ["as", "published", "2", "-"]
    assert rows[1][-3:] == ["-", "-", "-"]
    assert header[1] == "result"
    assert "Results as published have no predictions: no paired test" in out
    assert main(["rank", *tools, published, "--bootstrap", "20", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    row = document["leaderboard"][1]
    assert (row["result"], row["mcc"], row["plackett_luce"], row["mean_score"]) == ("as published", None, None, None)
    assert (row["committed_coverage"], row["ece_tie_safe"]) == (0.9, None)
    assert [(test["a"], test["b"]) for test in document["tests"]] == [("good", "poor")]


def test_only_published_results(tools: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = result_file(tmp_path / "one.json")
    both = json.dumps(
        {"tools": [RESULT | {"tool_name": "two", "f1_hallucination": 0.9}, RESULT | {"evaluation_mode": "aggressive"}]}
    )
    two = result_file(tmp_path / "two.json", both)
    assert main(["rank", "--split", tools[1], one, two]) == 0
    out = capsys.readouterr().out
    assert [line.split("  ")[0] for line in out.splitlines()[1:4]] == ["two", "llm (aggressive)", "one"]
    assert "Fewer than two tools have predictions" in out


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"num_entries": 21}, "model is scored on 21 entries (10 hallucinated), not on these 20 (10)"),
        ({"f1_hallucination": None}, "no result of a tool"),
        ({"num_valid": "10"}, "does not state `num_entries`"),
    ],
)
def test_what_does_not_fit_is_left_out_visibly(
    tools: list[str], tmp_path: Path, changed: dict[str, Any], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rank", *tools, result_file(tmp_path / "model.json", **changed), "--bootstrap", "20"]) == 1
    captured = capsys.readouterr()
    assert said in captured.err
    assert "model" not in captured.out
