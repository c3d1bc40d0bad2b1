"""Files of labelled scores and of calls, and the command that compares methods."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from pytest_citecheck.models.selfcheck import Options, TableError, read_labelled, read_table, replay

TABLE = """\
Key, Label ,IQ,DQ1,dq2,DQ3,verdict
a,G,1,1,.5,1,verified
b,H,0,.2,0,.1,undecided
c,G,.6,.8,.2,1,unfindable
d,H,.1,.9,.7,1,fabricated
"""
ANSWERS = {
    "bing_return": "True",
    **{f"model_ans_{number}": "Ada Lovelace" for number in (1, 2, 3)},
    "neural_ans1_list": "['ANS: 100', 'ANS: 50', 'ANS: 0']",
    **{f"neural_ans{number}_list": "['Yes', 'No', 'yes']" for number in (2, 3, 4)},
}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text(TABLE)
    return path


def test_fault_11_a_table_reads_alike_from_csv_json_and_json_lines(table: Path, tmp_path: Path) -> None:
    expected = read_labelled(table)
    assert tuple(expected.scores)[:4] == ("iq", "dq1", "dq2", "dq3")
    rows = [dict(row) for row in read_table(table)]
    whole, lines = tmp_path / "scores.json", tmp_path / "scores.jsonl"
    whole.write_text(json.dumps([{name.upper(): value for name, value in row.items()} for row in rows]))
    lines.write_text("".join(f"{json.dumps(row)}\n" for row in rows) + '{"cut')
    assert read_labelled(whole) == expected == read_labelled(lines)


def test_ensembles_and_the_verdicts_of_databases_are_scored_too(table: Path) -> None:
    found = read_labelled(table, weights={"iq": 3, "dq1": 1})
    assert found.scores["dq"][0] == pytest.approx(2.5 / 3)
    assert found.scores["iq+dq"][0] == pytest.approx((1 + 2.5 / 3) / 2)
    assert found.scores["weighted"][2] == pytest.approx(0.65)
    assert found.scores["databases"] == (1, 0.5, 0.5, 0)
    first, open_one, open_two, last = found.scores["databases+weighted"]
    assert last < open_one < open_two < first


def test_answers_of_the_published_code_become_scores(tmp_path: Path) -> None:
    path = tmp_path / "raw.json"
    refused = {**ANSWERS, "bing_return": "False", "model_ans_1": "I am sorry, I cannot find it."}
    path.write_text(json.dumps([ANSWERS, refused]))
    found = read_labelled(path)
    assert found.scores["iq"] == (0.5, 0.5)
    assert found.scores["iq-local"] == pytest.approx((1, 1 / 3))
    assert found.scores["dq1"] == pytest.approx((2 / 3, 2 / 3))
    assert replay(path, Options()).calls == {"iq": 2.5, "dq1": 3, "dq2": 3, "dq3": 3}


def test_rows_without_label_or_score_are_counted(table: Path) -> None:
    table.write_text(TABLE + "e,?,1,1,1,1,verified\nf,G,,1,1,1,verified\n")
    assert read_labelled(table).left_out == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no rows"),
        ("iq\n1\n", "no column with labels"),
        ("label,x\nG,7\n", "no column with scores"),
        ("label,iq\nG,\n", "no row has"),
        ("[1]", "not an object"),
        ("{", "Expecting"),
        ('[{"bing_return": true, "neural_ans1_list": "open("}]', "cannot be read"),
        ('[{"bing_return": true, "neural_ans1_list": "[]"}]', "no column 'model_ans_1'"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(TableError, match=f"file: .*{problem}"):
        read_labelled(path)


def test_the_command_compares_methods(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    assert main(["score", "selfcheck", str(table), "--bootstrap", "20", "--json", str(out), "--weights", "iq=1"]) == 0
    said = capsys.readouterr().out
    assert "not proof" in said
    document = json.loads(out.read_text())["scores"]
    assert document["methods"]["iq"]["auc"] == 1
    assert document["methods"]["databases"]["bootstrap"]["replicates"] <= 20
    assert main(["score", "selfcheck", str(table), "--weights", "iq=x"]) == 2
    assert main(["score", "selfcheck", str(tmp_path / "none.csv")]) == 1


def test_q12_a_file_of_calls_is_scored_by_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calls, labels = tmp_path / "calls.jsonl", tmp_path / "labels.csv"
    line = {
        **dict.fromkeys(("served", "finish", "time"), ""),
        **dict.fromkeys(("temperature", "token_limit", "cost", "pair")),
        "model": "gpt-4o-mini",
        "prompt_hash": "0",
        "prompt_tokens": 1_000_000,
        "completion_tokens": 0,
    }
    said = {"real": ("Yes", "Ada Lovelace"), "fake": ("No", "Someone Else")}
    rows = [
        {**line, "provider": provider, "key": f"refs.bib::{key}", "method": method, "sample": sample, "answer": answer}
        for provider in ("one", "two")
        for key, (yes, name) in said.items()
        for method, answer in (("dq1", yes), ("iq", name if key == "real" else f"{provider.title()} {name}"))
        for sample in range(2)
    ]
    calls.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    labels.write_text("key,label\nreal,G\nfake,H\n")
    assert main(["score", "selfcheck", str(calls), "--labels", str(labels), "--format", "csv"]) == 0
    out = capsys.readouterr().out
    assert "one: 2 references, 1 hallucinated" in out
    assert "iq-cross,1.000" in out
    assert "one,dq1,2,4,4000000,0,0.6000" in out
    assert main(["score", "selfcheck", str(calls)]) == 2
    report = tmp_path / "report.json"
    verdicts = {"real": "undecided", "fake": "fabricated"}
    references = [{"id": f"folder/refs.bib::{key}", "verdict": {"name": name}} for key, name in verdicts.items()]
    report.write_text(json.dumps({"references": references}))
    assert main(["score", "selfcheck", str(calls), "--labels", str(labels), "--report", str(report)]) == 0
    assert "databases+iq " in capsys.readouterr().out
    report.write_text("{}")
    assert main(["score", "selfcheck", str(calls), "--labels", str(labels), "--report", str(report)]) == 1


def test_q11_fault_8_the_command_prints_how_well_raters_agree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "raters.csv"
    path.write_text("Title,A,B,C\nx,H,H,H\ny,G,G,H\nz,G,G,G\n")
    assert main(["score", "selfcheck", str(path), "--raters", "A,B,C", "--format", "csv"]) == 0
    assert "a - b,1.0000,1.0000" in capsys.readouterr().out
    assert main(["score", "selfcheck", str(path), "--raters", "A,D"]) == 2


def test_several_raters_are_combined_and_published_files_are_named_by_study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    table = "title,dq1,A,B,C\nx,1.0,G,G,H\ny,0.5,H,G,H\nz,0.1,H,H,H\nw,0.9,G,H,\n"
    for study in ("gpt-4", "other"):
        Path(f"data/{study}_results.csv").write_text(table, encoding="utf-8")
    assert main(["score", "selfcheck", "gpt-4", "other", "--combine", "A,B,C"]) == 0
    out = capsys.readouterr().out
    for study in ("gpt-4", "other"):  # the last row is a tie
        assert f"{study}: 3 references, 2 hallucinated (66.7 %), 1 left out" in out.splitlines()
    for rater, labels in (("A", "GHH"), ("B", "GGH"), ("C", "HHH")):
        rows = "".join(f"{title},{label}\n" for title, label in zip("xyz", labels, strict=True))
        Path(f"{rater}.csv").write_text("Gen Title,Label\n" + rows, encoding="utf-8")
    assert main(["score", "selfcheck", "A.csv", "B.csv", "C.csv"]) == 0
    assert "combined by majority: 1 grounded, 2 hallucinated, 0 tied" in capsys.readouterr().out.splitlines()
    # A study of raters is named by its folder, which also labels scores.
    Path("data/experts").mkdir()
    for rater in "ABC":
        Path(f"{rater}.csv").rename(f"data/experts/{rater}.csv")
    assert main(["score", "selfcheck", "experts", "--combine", "A,B", "--format", "csv"]) == 0
    agreed = capsys.readouterr().out.splitlines()
    assert "combined by majority: 1 grounded, 1 hallucinated, 1 tied" in agreed
    assert "majority - c,0.5000,0.0000" in agreed
    assert main(["score", "selfcheck", "gpt-4", "--labels", "data/experts"]) == 0
    assert "gpt-4: 3 references, 2 hallucinated (66.7 %), 1 left out" in capsys.readouterr().out.splitlines()
    assert main(["score", "selfcheck", "experts", "--combine", "A,Z"]) != 0
    assert main(["score", "selfcheck", "gpt-9"]) != 0
    assert main(["score", "selfcheck", "gpt-4", "--combine", "A,Z"]) != 0
