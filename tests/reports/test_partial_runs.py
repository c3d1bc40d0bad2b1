"""Verdicts of a run with some of the checks cover these checks only."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_citecheck.cli import main

ROOT = Path(__file__).parents[2]
RECORDED = (f"--cassettes={ROOT / 'cassettes'}", "--cache=off")


@pytest.fixture(autouse=True)
def wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "fixtures" / "hallucinated.bib").read_text("utf-8")
    (tmp_path / "wrong.bib").write_text(text, "utf-8")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("item", "last"),
    [
        ("fabricated-doi-1-lamport[title]", "no error in 1 reference"),
        ("fabricated-doi-1-lamport[completeness]", "no error in 1 reference"),
        ("fabricated-doi-1-lamport[doi]", "1 error in 1 reference (1 misdescribed)"),
        ("fabricated-doi-1-lamport", "1 error in 1 reference (1 misdescribed)"),
        ("nonexistent-venue-1-gcn[title]", "no error in 1 reference"),
        ("nonexistent-venue-1-gcn[venue]", "1 warning in 1 reference (1 undecided)"),
    ],
)
def test_the_last_line(item: str, last: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([f"wrong.bib::{item}", *RECORDED]) == int("error in" in last and "no error" not in last)
    assert capfd.readouterr().out.splitlines()[-1].replace("no error, 1", "1") == last


@pytest.mark.exhaustive
def test_a_selection_of_checks(capfd: pytest.CaptureFixture[str]) -> None:
    key = "wrong.bib::fabricated-doi-1-lamport"
    assert main([key, "--select=title,venue", *RECORDED]) == 0
    assert capfd.readouterr().out.splitlines()[-1] == "no error in 1 reference"
