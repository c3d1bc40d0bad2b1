"""Type checkers see the public names as users write against them; each file in this folder is such code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]

pytest.importorskip("mypy")
pytestmark = pytest.mark.exhaustive


def mypy(*files: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", *map(str, files)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)


@pytest.mark.timeout(600)
def test_mypy_accepts_code_of_users() -> None:
    done = mypy(*FOLDER.glob("own_*.py"))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.timeout(600)
def test_mypy_refuses_what_does_not_fit(tmp_path: Path) -> None:
    wrong = {
        'Finding("pages", "pass", "pages-ok", "")': "arg-type",
        'Policy("house", codes={"field-missing": "fatal"})': "dict-item",
        "Record()": "call-arg",
    }
    file = tmp_path / "wrong.py"
    file.write_text("from pytest_citecheck.api import Finding, Policy, Record\n" + "\n".join(wrong), encoding="utf-8")
    done = mypy(file)
    assert [line.rpartition("[")[2].rstrip("]") for line in done.stdout.splitlines()[: len(wrong)]] == list(
        wrong.values()
    )
