"""A wrong clock changes no finding: answers and records show that a later day has come, and no day ends their time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CLOCKS = ("1970-01-02", "2000-02-29", "2015-06-30", "2024-12-31", "2027-01-01", "2038-01-20", "2099-12-31")
FILES = ("fixtures/refs.bib", "fixtures/hallucinated.bib")


@cache
def _references(clock: str, folder: Path) -> list[dict[str, Any]]:
    """Everything that a run of the plugin over the fixtures reports on each reference; no clock: that of the machine."""
    report = folder / f"{clock}.json"
    command = ["-m", "tests.support.shifted_clock", clock] if clock else ["-m", "pytest"]
    options = [*(f"--citecheck={file}" for file in FILES), f"--citecheck-json={report}", "--citecheck-cache=off"]
    options += ["--citecheck-cassettes=cassettes", "--citecheck-record=none", "-c", os.devnull, f"--rootdir={ROOT}"]
    done = subprocess.run(
        [sys.executable, *command, *options, "-p", "no:cacheprovider", "-q", "--tb=no"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert report.exists(), done.stdout + done.stderr
    references: list[dict[str, Any]] = json.loads(report.read_text("utf-8"))["references"]
    return references


@pytest.mark.exhaustive
@pytest.mark.parametrize("clock", CLOCKS)
def test_every_clock_gives_the_same_findings(clock: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp()
    right = _references("", folder)
    assert len(right) > 100
    for shifted, expected in zip(_references(clock, folder), right, strict=True):
        if not (clock > "2040" and shifted["key"].startswith("future-date")):
            assert shifted == expected
