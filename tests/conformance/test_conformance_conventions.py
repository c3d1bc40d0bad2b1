"""The conventions over an index of a million real records, offline: no reference may be accused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_citecheck.index import LocalIndex

SHARED = Path(os.environ.get("CITECHECK_SHARED", "/nowhere"))
pytestmark = [
    pytest.mark.skipif(not SHARED.exists(), reason="CITECHECK_SHARED names no folder with the records"),
    pytest.mark.timeout(600),
]


@pytest.mark.parametrize("name", ["conventions", "refs"])
def test_no_right_reference_is_accused(index: LocalIndex, tmp_path: Path, root: Path, name: str) -> None:
    run = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", f"--citecheck={root / 'fixtures' / name}.bib"),
            *(f"--citecheck-index={index.path}", "--citecheck-offline", "--citecheck-cache=off"),
            *("--citecheck-json=r.json", "-q", "--tb=no", "-rN", "-c", os.devnull, f"--rootdir={tmp_path}"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-2000:]
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    failed = [
        (reference["key"], check, finding["code"])
        for reference in report["references"]
        for check, finding in reference["checks"].items()
        if finding["outcome"] == "failed"
    ]
    assert failed == []
    # The records are of computer science mostly: what they hold of these works is found, and shows that they exist.
    verified = sum(reference["verdict"]["name"] == "verified" for reference in report["references"])
    assert verified >= 10
