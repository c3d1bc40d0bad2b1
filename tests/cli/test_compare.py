"""citecheck compare, as a user runs it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.benchmark import split_text
from pytest_citecheck.cli import main
from pytest_citecheck.inputs import LabelledEntry
from tests.cli.test_score import written_tool
from tests.support.metric_rows import H, U, V, said

ENTRIES = [
    LabelledEntry("h1", "misc", {"title": "On Tides"}, H, "wrong_venue", 2, publication_date="2023-12-31"),
    LabelledEntry("h2", "misc", {"title": "On {M}oons"}, H, "wrong_venue", 2, publication_date="2024-01-01"),
    LabelledEntry("h3", "misc", {"title": "On stars"}, H, "future_date", 1, publication_date="2024-01-02"),
    LabelledEntry("v1", "misc", {"title": "On shores"}, V, publication_date="2024"),
    LabelledEntry("v2", "misc", {}, V, publication_date="2025"),
]


@pytest.fixture
def given(tmp_path: Path) -> list[str]:
    (tmp_path / "split.jsonl").write_text(split_text(ENTRIES), encoding="utf-8")
    one = [said("h1", H, seconds=2.0), said("h2", V), said("h3", U), said("v1", V), said("v2", H)]
    two = [said("h2", H), said("h3", V), said("v1", V)]
    files = [written_tool(tmp_path / "one.jsonl", one), written_tool(tmp_path / "two.jsonl", two)]
    return ["--split", str(tmp_path / "split.jsonl"), *files]


def document(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["compare", *arguments, "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def cells(capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_union_recall(given: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = document(["union", *given], capsys)["union_recall_at_k"]
    assert [(row["k"], row["tool_name"], round(row["union_recall"], 3)) for row in rows] == [
        (1, "one", 0.333),
        (2, "two", 0.667),
    ]
    out = tmp_path / "u.json"
    assert main(["compare", "union", *given, "--by-cost", "--json", str(out)]) == 0
    assert cells(capsys)[1] == ["two", "1", "0.333", "0.333"]  # it costs nothing
    assert [row["tool_name"] for row in json.loads(out.read_text())["union_recall_at_k"]] == ["two", "one"]


def test_equivalence(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    (test,) = document(["equivalence", *given, "--permutations", "50"], capsys)["tests"]
    # one: 2 of 4 right, h3 undecided; two: 3 of 5, v2 is missing and so VALID.
    assert test["difference"] == pytest.approx(0.5 - 0.6)
    assert (test["decided"], test["equivalent"]) == (4, False)
    assert main(["compare", "equivalence", *given[:3]]) == 1
    assert "needs two tools" in capsys.readouterr().err
    assert main(["compare", "equivalence", *given, "--permutations", "0"]) == 2


def test_a_tool_is_equivalent_to_itself(given: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same = tmp_path / "same.jsonl"
    same.write_text(Path(given[2]).read_text())
    arguments = ["equivalence", *given[:3], str(same), "--margin", "0.9", "--permutations", "200"]
    (test,) = document(arguments, capsys)["tests"]
    assert (test["difference"], test["equivalent"]) == (0, True)


def test_before_and_after_a_day(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = document(["cutoff", *given, "--date", "2024-01-01", "--date", "two=2023-12-31"], capsys)["comparisons"]
    # h2 is of the day itself; v1 is of some day of 2024.
    assert [(one["first"]["count"], one["rest"]["count"], one["undated"]) for one in found] == [(2, 2, 1), (1, 4, 0)]
    assert found[0]["first"]["detection_rate"] == 0.5
    assert found[0]["rest"]["detection_rate"] is None  # h3 is undecided
    assert main(["compare", "cutoff", *given, "--date", "2024-01-01"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[1].split() == ["one", "up", "to", "2024-01-01", "2", "0.500", "-", "0.000", "1.000"]
    assert out[-1].startswith("Not on either side: 1 entries")
    for wrong in ("2024", "three=2024-01-01"):
        assert main(["compare", "cutoff", *given, "--date", wrong]) == 2


def test_contamination(given: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "seen.txt").write_text("on tides!\n\nOn moons\n")
    (tmp_path / "seen.bib").write_text("@misc{a, title = {On {Shores}}}")
    corpus = ["--corpus", str(tmp_path / "seen.txt"), str(tmp_path / "seen.bib")]
    found = document(["contamination", *given, *corpus, "--cutoff", "one=2023-12-31"], capsys)["comparisons"]
    assert [(one["tool_name"], one["part"]) for one in found] == [
        ("one", "in the corpus"), ("one", "up to 2023-12-31"), ("two", "in the corpus"),
    ]  # fmt: skip
    assert (found[0]["first"]["count"], found[0]["rest"]["count"], found[0]["undated"]) == (3, 1, 1)
    assert main(["compare", "contamination", *given]) == 2
    assert main(["compare", "contamination", *given, "--corpus", str(tmp_path / "none.bib")]) == 2
    (tmp_path / "odd.xyz").write_text("x")
    assert main(["compare", "contamination", *given, "--corpus", str(tmp_path / "odd.xyz")]) == 2


def test_power(given: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(["power", *given[:2]], capsys)
    assert found["entries_needed"] == 393
    assert [(part["part"], part["count"]) for part in found["parts"]] == [
        ("all", 5), ("HALLUCINATED", 3), ("VALID", 2), ("tier 1", 1), ("future_date", 1), ("tier 2", 2), ("wrong_venue", 2),
    ]  # fmt: skip
    assert all(part["underpowered"] for part in found["parts"])
    assert main(["compare", "power", *given[:2], "--json", given[1]]) == 2
    assert "refusing to overwrite" in capsys.readouterr().err


def test_every_action_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for action in ("union", "equivalence", "cutoff", "contamination", "power"):
        with pytest.raises(SystemExit) as stop:
            main(["compare", action, "--help"])
        assert stop.value.code == 0
        assert "--split" in capsys.readouterr().out
