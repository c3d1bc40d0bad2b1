"""``citecheck claims``: stored verdicts scored and compared, claims exported for people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from pytest_citecheck.models.claims import read_claim_file

S, N = "Supported", "Not supported"
ROWS = [
    {
        "id": f"row_{number}",
        "claim": f"Claim {number}.",
        "source": "A source.",
        "label": S,
        "source_url": "https://a.example",
    }
    for number in range(10)
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("claims.json").write_text(json.dumps(ROWS), encoding="utf-8")
    for name, wrong in (("a.json", 1), ("b.json", 3)):
        results = [
            {"entry_id": f"row_{number}", "provider": "m", "ground_truth": S if number else N, "confidence": 80}
            | {"predicted_verdict": N if number < wrong else S}
            for number in range(10)
        ]
        Path(name).write_text(json.dumps({"metadata": {}, "rows": results}), encoding="utf-8")
    return tmp_path


def test_w21_labels_are_those_of_the_claims(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", "score", "a.json", "--claims=claims.json", "--output=s.json"]) == 0
    assert "1 labels differ from claims.json, whose labels are used: row_0" in capsys.readouterr().err
    assert json.loads(Path("s.json").read_text(encoding="utf-8"))["m"]["exact"]["value"] == 0.9
    assert main(["claims", "score", "a.json", "--compat"]) == 0
    assert json.loads(capsys.readouterr().out)["providers"]["m"]["metrics"]["exactAccuracy"] == 1
    assert main(["claims", "score", "a.json", "--csv"]) == 0
    assert capsys.readouterr().out.startswith('entry_id,ground_truth,m\n"row_0","Not supported","Not supported"\n')


def test_w23_a_regression_has_an_exit_code_on_request(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    two = ["claims", "compare", "a.json", "b.json", "--claims=claims.json"]
    assert main(two) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["regression"], found["improvement"], found["noise"], found["p"]) == (2, 0, False, 0.5)
    assert main([*two, "--fail-on-regression"]) == 1
    assert main([*two, "--fail-on-regression", "--floor=30"]) == 0
    assert main([*two, "--providers", "m", "x"]) == 2


def test_a_comparison_lists_what_changed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    two = ["claims", "compare", "a.json", "b.json", "--claims=claims.json"]
    assert main(two) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["providers"]["m"]["deltas"] == found["deltas"] == {"exact": -0.2, "lenient": -0.2, "binary": -0.2}
    assert [flip["entry"] for flip in found["flips"]] == ["row_1", "row_2"]
    assert (found["flips"][0]["direction"], found["flips"][0]["claim"]) == ("regression", "Claim 1.")
    assert main([*two, "--direction=improvement", "--markdown"]) == 0
    assert "Claim 1." not in capsys.readouterr().out
    assert main([*two, "--markdown"]) == 0
    shown = capsys.readouterr().out
    delta = "0.900 → 0.700 (-0.200)"
    assert f"| m | 10 | {delta} | {delta} | {delta} | 0 | 2 | 0.5 |" in shown
    row = ["row_1", "m", "regression", "Supported", "Supported", "Not supported", "Claim 1.", "https://a.example"]
    assert row == [cell.strip().replace("\\", "") for cell in shown.splitlines()[12].strip("|").split(" | ")]
    assert main([*two, "--html=c.html"]) == 0
    page = Path("c.html").read_text(encoding="utf-8")
    assert "<td>0.900 → 0.700 (-0.200)</td>" in page
    assert "<td>Claim 1.</td><td>https://a.example</td>" in page
    assert main([*two, "--html=a.json"]) == 2
    assert main([*two, "--provider=x"]) == 2
    assert main([*two, "--version=v3"]) == 2
    assert main(["claims", "score", "a.json", "--version=v1"]) == 2
    assert main(["claims", "score", "a.json", "--version=v1", "--claims=claims.json"]) == 0


def test_only_claims_that_can_be_judged_are_compared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{**row, "extraction_status": "source_fetch_failed"} if row["id"] == "row_1" else row for row in ROWS]
    Path("claims.json").write_text(json.dumps(rows), encoding="utf-8")
    assert main(["claims", "compare", "a.json", "b.json", "--claims=claims.json"]) == 0
    assert json.loads(capsys.readouterr().out)["cells"] == 9


def test_a_table_may_have_semicolons(folder: Path) -> None:
    text = 'id;claim_text;source_text;ground_truth\r\na;"Hot; and cold.";A source, with commas.;Supported\r\n'
    Path("table.csv").write_text(text, encoding="utf-8-sig")
    (pair,) = read_claim_file(Path("table.csv"), "table.csv").pairs
    assert (pair.claim, pair.source, pair.truth) == ("Hot; and cold.", "A source, with commas.", S)


def test_w24_claims_are_exported(folder: Path) -> None:
    assert main(["claims", "export", "claims.json", "table.csv"]) == 0
    assert len(read_claim_file(Path("table.csv"), "table.csv").pairs) == 10
    assert main(["claims", "export", "claims.json", "claims.json"]) == 2
    assert main(["claims", "score", "claims.json", "--claims=claims.json"]) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "no.json"],
        ["score", "a.json", "--claims=no.json"],
        ["compare", "a.json", "no.json"],
        ["export", "no.json", "t.csv"],
        ["sources", "no.tex", "--bib=refs.bib"],
        ["sources", "paper.md", "--bib=no.bib"],
        ["extract", "no.csv", "c.json"],
    ],
    ids=" ".join,
)
def test_a_missing_file_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    Path("paper.md").write_text("A claim that cites [@a].", encoding="utf-8")
    assert main(["claims", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"citecheck claims {arguments[0]}: error: no")
    assert line.endswith("No such file or directory")


def test_scores_count_claims_that_can_be_judged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{**row, "needs_manual_review": row["id"] == "row_1"} for row in ROWS]
    Path("claims.json").write_text(json.dumps(rows), encoding="utf-8")
    assert main(["claims", "score", "a.json", "--claims=claims.json"]) == 0
    assert json.loads(capsys.readouterr().out)["m"]["total"] == 9
    assert main(["claims", "score", "a.json", "--claims=claims.json", "--compat"]) == 0
    assert json.loads(capsys.readouterr().out)["overview"]["totalCalls"] == 10
