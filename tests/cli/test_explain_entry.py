"""``citecheck explain FILE::KEY``: every level has the row that decided it, and the place to change it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pytest_citecheck.checks import POLICIES
from pytest_citecheck.cli import main

ROOT = Path(__file__).parents[2]
RECORDED = (f"--cassettes={ROOT / 'cassettes'}", "--cache=off")
FINDING = re.compile(r"  (\w+): (error|warning|info) \[([^\]]+)\]")
ROW = re.compile(r"    decided by the (table of levels: \S+ with evidence|table of codes: a finding|policy [\w-]+: )")


@pytest.fixture(autouse=True)
def wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    entries = re.split(r"(?m)^(?=@)", (ROOT / "fixtures" / "hallucinated.bib").read_text("utf-8"))
    (tmp_path / "wrong.bib").write_text("".join(entries[1::24]), "utf-8")


@pytest.mark.exhaustive
@pytest.mark.parametrize("policy", POLICIES)
def test_levels_are_those_of_a_run_and_have_a_row(policy: str, capfd: pytest.CaptureFixture[str]) -> None:
    main(["wrong.bib", *RECORDED, f"--policy={policy}", "--format=json"])
    references = json.loads(capfd.readouterr().out)["references"]
    assert main(["explain", *(f"wrong.bib::{one['key']}" for one in references), *RECORDED, f"--policy={policy}"]) == 0
    lines = capfd.readouterr().out.splitlines()
    found = [(place, match) for place, line in enumerate(lines) if (match := FINDING.match(line))]
    assert [(match[1], match[2]) for _, match in found] == [
        (check, data["severity"])
        for one in references
        for check, data in one["checks"].items()
        if data["severity"] != "ignore"
    ]
    for place, match in found:
        assert ROW.match(lines[place + 1]), lines[place + 1]
        assert f"[codes] {match[3].split(', ')[0]} = " in lines[place + 2]


def test_the_rows_of_a_verdict_are_in_order(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "wrong.bib::fabricated-doi-1-lamport", "--why", *RECORDED]) == 0
    lines = capfd.readouterr().out.splitlines()
    checks = [line.strip().partition(":")[0] for line in lines if re.match(r"  \w", line)]
    assert checks == ["doi", "title", "authors", "venue", "completeness", "cross_db", "verdict"]
    assert (
        lines[-1]
        == "  verdict: misdescribed, decided by the row wrong of the table of verdicts (pytest_citecheck/checks/verdict.py)"
    )


def test_each_row_that_is_named_is_in_the_named_file(capfd: pytest.CaptureFixture[str]) -> None:
    names = re.findall(r"(?m)^@\w+\{(.+?),", Path("wrong.bib").read_text("utf-8"))
    assert main(["explain", *(f"wrong.bib::{name}" for name in names), "--why", *RECORDED]) == 0
    lines = capfd.readouterr().out.splitlines()
    rows = [
        match for line in lines if (match := re.fullmatch(r"    ([^“”]+): row “(.+)” \((pytest_citecheck/.+)\)", line))
    ]
    assert {match[1] for match in rows} > {
        "relations of records",
        "cross_db: neighbouring years",
        "venue: volume and pages",
    }
    for match in rows:
        source = (ROOT / match[3]).read_text("utf-8")
        assert f'"{match[1]}"' in source
        assert f'"{match[2]}"' in source
    rules = [match for line in lines if (match := re.match(r"    rule \((.+)\): ", line))]
    assert rules
    assert all((ROOT / match[1]).is_file() for match in rules)


@pytest.mark.exhaustive
def test_an_error_of_a_file_with_many_wrong_references_says_so(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A finding that was never judged is a warning; where many references are wrong, its likelihood ratio convicts."""
    (tmp_path / "wrong.bib").write_text((ROOT / "fixtures" / "hallucinated.bib").read_text("utf-8"), "utf-8")
    main(["explain", "wrong.bib::hybrid-fabrication-1-clocks", *RECORDED])
    said = capfd.readouterr().out
    assert "  title: error [title-near-miss]" in said
    assert "70% are right (an error here, because many references of this file are wrong)" in said


def test_an_unknown_key_has_the_nearest(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "wrong.bib::fabricated-doi-1-lampert", *RECORDED]) == 2
    assert "did you mean fabricated-doi-1-lamport?" in capfd.readouterr().err
