"""``citecheck agent init``."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from pytest_citecheck.cli import main


def test_rules_server_and_hook_are_written_and_other_content_stays(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "AGENTS.md").write_text("# Mine\n\nKeep this.\n", "utf-8")
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"other": {"command": "x"}}}', "utf-8")
    assert main(["agent", "init", str(tmp_path)]) == 0
    once = (tmp_path / "AGENTS.md").read_text("utf-8")
    assert once.startswith("# Mine\n\nKeep this.\n\n<!-- citecheck -->")
    assert set(json.loads((tmp_path / ".mcp.json").read_text("utf-8"))["mcpServers"]) == {"other", "citecheck"}
    assert (tmp_path / ".claude/skills/verify-references/SKILL.md").read_text("utf-8").startswith("---\nname:")
    assert main(["agent", "init", str(tmp_path)]) == 0
    assert (tmp_path / "AGENTS.md").read_text("utf-8") == once
    hook = tmp_path / ".git/hooks/pre-commit"
    assert subprocess.run(["sh", "-n", str(hook)], check=False).returncode == 0


def test_foreign_hooks_and_files_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".git/hooks").mkdir(parents=True)
    (tmp_path / ".git/hooks/pre-commit").write_text("#!/bin/sh\nmake\n", "utf-8")
    assert main(["agent", "init", str(tmp_path)]) == 4
    assert "pre-commit exists" in capsys.readouterr().err
    assert main(["agent", "init", str(tmp_path), "--no-hook"]) == 0
    (tmp_path / ".mcp.json").write_text("[]", "utf-8")
    assert main(["agent", "init", str(tmp_path), "--no-hook"]) == 4
