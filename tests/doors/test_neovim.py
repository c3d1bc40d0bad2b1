"""``citecheck lsp`` in a real editor: Neovim without a screen."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.doors.conftest import OFFLINE, command, environment

pytest.importorskip("pygls")


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_findings_are_shown_and_corrected(few: Path, tmp_path: Path) -> None:
    script = Path(__file__).with_name("neovim.lua")
    done = subprocess.run(
        ["nvim", "--headless", "--clean", "-i", "NONE", "-n", "-c", f"luafile {script}"],
        cwd=tmp_path,
        env={**environment(), "CITECHECK_COMMAND": json.dumps(command("lsp", *OFFLINE))},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("{")]
    assert lines, done
    said = json.loads(lines[0])
    assert said["code"] == "doi-unregistered"
    assert said["after"] == said["before"] - 1
    assert "10.1145/359545.359563" in said["line"]
    assert said["hover"].startswith("**verified**")
    assert "999563" in few.read_text("utf-8")  # the text in the editor was corrected, not the file
