"""citecheck report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.cli import main
from tests.support.report_data import reference, report, scores


def written(path: Path, data: Any) -> str:
    path.write_text(json.dumps(data), encoding="utf-8")
    return str(path)


def test_a_run_and_scores_make_one_page_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = written(tmp_path / "run.json", report(reference("lamport1978")))
    first = written(tmp_path / "a.json", {"tools": [scores("tool-a", 0.25)]})
    second = written(tmp_path / "b.json", {"tools": [scores("tool-b", 0.75)]})
    page, text = tmp_path / "r.html", tmp_path / "r.md"
    code = main(["report", run, first, second, "--html", str(page), "--markdown", str(text), "--language", "zh"])
    assert (code, capsys.readouterr()) == (0, ("", ""))
    assert "lamport1978" in page.read_text(encoding="utf-8")
    assert "| tool-b | 1 | **75.0 %** | **0.750** |" in text.read_text(encoding="utf-8")
    assert text.read_text(encoding="utf-8").startswith("# 引文核查\n")


@pytest.mark.exhaustive
def test_a_run_of_pytest_can_be_read(pytester: pytest.Pytester, root: Path) -> None:
    options = [f"--citecheck={root / 'fixtures' / 'hallucinated.bib'}", f"--citecheck-cassettes={root / 'cassettes'}"]
    pytester.runpytest(*options, "--citecheck-json=run.json", "-k", "near-miss-title-1")
    assert main(["report", "run.json", "--markdown", "run.md"]) == 0
    text = (pytester.path / "run.md").read_text(encoding="utf-8")
    assert (
        "`title = {Batch Normalization: Accelerating Deep Network Training by Reducing Internal Covariate Shift}`"
        in text
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "invalid JSON"),
        ("\x1b[31m", "invalid JSON"),
        ("[]", "neither the report of a run"),
        ('{"a": 1}', "neither the report of a run"),
        (
            '{"schema": "citecheck-report/99"}',
            "unsupported schema 'citecheck-report/99'; this version reads citecheck-report/1",
        ),
    ],
)
def test_a_file_that_is_no_report_is_named_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, reason: str
) -> None:
    path = tmp_path / "run.json"
    path.write_text(content, encoding="utf-8")
    assert main(["report", str(path), "--html", str(tmp_path / "r.html")]) == 2
    error = capsys.readouterr().err
    assert f"{path}: {reason}" in error
    assert "\x1b" not in error
    assert not (tmp_path / "r.html").exists()


def test_two_runs_or_nothing_to_write_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = written(tmp_path / "run.json", report(reference("a")))
    assert main(["report", run, run, "--html", str(tmp_path / "r.html")]) == 2
    assert "a report can contain only one run" in capsys.readouterr().err
    assert main(["report", run]) == 2
    assert "nothing to write" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "none.json"), "--html", str(tmp_path / "r.html")]) == 2
    assert "none.json" in capsys.readouterr().err
