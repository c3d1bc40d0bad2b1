"""Two runs side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.cli import main
from tests.support.report_data import finding, reference, report

Screen = pytest.CaptureFixture[str]


def answer(source: str, said: str) -> dict[str, Any]:
    return {
        "source": source,
        "question": {"kind": "title", "value": "x"},
        "answer": said,
        "date": "2026-01-15T00:00:00Z",
    }


def wrong(cited: str = "") -> dict[str, Any]:
    return {"title": finding("failed", "title-near-miss", cited=cited)}


BEFORE = (
    reference("same", checks=wrong(), line=9),
    reference("gone", "fabricated"),
    reference("mended", "misdescribed", checks=wrong("Loms")),
    reference("found", "undecided", evidence=[answer("dblp", "absent"), answer("crossref", "absent")]),
    reference("judged"),
    reference("moved", id="old.bib::moved", path="old.bib"),
)
AFTER = (
    reference("same", checks=wrong(), line=20),
    reference("mended", title="Looms"),
    reference("found", "verified", evidence=[answer("dblp", "found"), answer("crossref", "absent")]),
    reference("judged", "misdescribed", checks=wrong()),
    reference("moved", id="new.bib::moved", path="new.bib"),
    reference("new", "fabricated", checks=wrong()),
)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name, references in (("old", BEFORE), ("new", AFTER)):
        (tmp_path / f"{name}.json").write_text(json.dumps(report(*references)), encoding="utf-8")
    return [str(tmp_path / "old.json"), str(tmp_path / "new.json")]


def test_what_changed_and_why(files: list[str], capsys: Screen) -> None:
    assert main(["diff", *files]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "changed better refs.bib:1 mended: misdescribed → verified; no longer title-near-miss; because of the entry",
        "changed better refs.bib:1 found: undecided → verified; because of the evidence (dblp)",
        "changed worse refs.bib:1 judged: verified → misdescribed; now title-near-miss; because of the rule",
        "appeared worse refs.bib:1 new: fabricated; now title-near-miss",
        "went refs.bib:1 gone: fabricated",
        "1 appeared, 1 went, 3 changed (2 worse) between 6 references, version 1.2.3 and 6 references, version 1.2.3",
    ]
    assert main(["diff", files[0], files[0]]) == 0
    assert capsys.readouterr().out.startswith("no change (0 worse)")


def test_other_forms_and_a_file(files: list[str], tmp_path: Path, capsys: Screen) -> None:
    assert main(["diff", *files, "--format=json", "-o", str(tmp_path / "d.json")]) == 1
    changes = json.loads((tmp_path / "d.json").read_text("utf-8"))["changes"]
    assert [change["kind"] for change in changes].count("changed") == 3
    assert main(["diff", *files, "--format=markdown"]) == 1
    assert "| appeared | refs.bib:1 new |" in capsys.readouterr().out
    assert main(["diff", files[0], "none.json"]) == 2
    assert main(["diff", *files, "-o", files[0]]) == 2


def test_a_badge_and_a_history_that_grows_only_by_news(files: list[str], tmp_path: Path) -> None:
    badge, history = tmp_path / "b.svg", tmp_path / "h.md"
    for name in (files[0], files[1], files[1]):
        assert main(["report", name, f"--badge={badge}", f"--history={history}"]) == 0
    assert "citations: 3 of 6 wrong" in badge.read_text("utf-8")
    assert history.read_text("utf-8").splitlines()[2:] == [
        "| 2026-01-15 | 1.2.3 | 6 | 3 | 1 | 0 | 1 | 1 | 2 |",
        "| 2026-01-15 | 1.2.3 | 6 | 4 | 0 | 0 | 1 | 1 | 3 |",
    ]
