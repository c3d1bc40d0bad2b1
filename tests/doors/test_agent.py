"""``citecheck agent init``."""

from __future__ import annotations

import json
import os
import shutil
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
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".git/hooks/pre-commit").write_text("#!/bin/sh\nmake\n", "utf-8")
    assert main(["agent", "init", str(tmp_path)]) == 2
    assert "pre-commit exists" in capsys.readouterr().err
    assert main(["agent", "init", str(tmp_path), "--no-hook"]) == 0
    (tmp_path / ".mcp.json").write_text("[]", "utf-8")
    assert main(["agent", "init", str(tmp_path), "--no-hook"]) == 2


def test_the_hook_checks_what_is_committed_and_says_if_citecheck_is_missing(tmp_path: Path) -> None:
    """New, changed and renamed files, whatever their names are."""

    def git(*arguments: str, path: str = os.environ["PATH"]) -> subprocess.CompletedProcess[str]:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        line = ["git", "-C", str(tmp_path), *who, *arguments]
        return subprocess.run(line, capture_output=True, text=True, check=False, env={"PATH": path})

    git("init", "-q")
    git("config", "core.hooksPath", ".husky")
    assert main(["agent", "init", str(tmp_path)]) == 0
    stand_in = tmp_path / "bin" / "citecheck"
    stand_in.parent.mkdir()
    stand_in.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$0.log"\n', "utf-8")
    stand_in.chmod(0o755)
    path = f"{stand_in.parent}{os.pathsep}{os.environ['PATH']}"
    (tmp_path / "réfs ü.bib").write_text("@misc{a, title = {A}}\n" * 9, "utf-8")
    (tmp_path / "code.py").write_text("", "utf-8")
    git("add", "code.py", "réfs ü.bib")
    assert git("commit", "-m", "one", path=path).returncode == 0
    assert stand_in.with_name("citecheck.log").read_text("utf-8").splitlines() == [
        "hook",
        "--online",
        "--staged",
        "réfs ü.bib",
    ]
    git("mv", "réfs ü.bib", "b.bib")
    assert git("commit", "-m", "two", path=path).returncode == 0
    assert stand_in.with_name("citecheck.log").read_text("utf-8").splitlines() == [
        "hook",
        "--online",
        "--staged",
        "b.bib",
    ]
    stand_in.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    (tmp_path / "b.bib").write_text("", "utf-8")
    assert git("commit", "-am", "three", path=path).returncode != 0
    bare = tmp_path / "tools"
    bare.mkdir()
    for tool in ("git", "sh", "xargs"):
        (bare / tool).symlink_to(str(shutil.which(tool)))
    said = git("commit", "-am", "three", path=str(bare))
    assert (said.returncode != 0, "activate its environment" in said.stderr) == (True, True)


LEAVING = ("AGENTS.md", "CLAUDE.md", ".mcp.json", ".vscode", ".github", ".claude", ".git/hooks", "core.hooksPath")


@pytest.mark.parametrize("name", LEAVING)
def test_nothing_is_written_through_a_link_or_setting_that_leads_out(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    home.mkdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    if name == "core.hooksPath":
        subprocess.run(["git", "-C", str(project), "config", name, str(home)], check=True)
    else:
        target = home / "target" if Path(name).suffix in (".md", ".json") else home
        if target != home:
            target.write_text("{}", "utf-8")
        elif name == ".github":
            (home / "copilot-instructions.md").write_text("Mine", "utf-8")
        shutil.rmtree(project / name, ignore_errors=True)
        (project / name).symlink_to(target)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert main(["agent", "init", str(project)]) == 2
    assert "pass --root=FOLDER" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert main(["agent", "init", str(project), f"--root={home}"]) == 0


@pytest.mark.parametrize("file", [".mcp.json", ".vscode/mcp.json"])
def test_a_foreign_server_with_the_same_name_is_refused(
    tmp_path: Path, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".vscode").mkdir()
    section = "servers" if file.startswith(".vscode") else "mcpServers"
    (tmp_path / file).write_text(json.dumps({section: {"citecheck": {"command": "evil"}}}), "utf-8")
    assert main(["agent", "init", str(tmp_path)]) == 2
    assert "another server named citecheck" in capsys.readouterr().err
    assert not (tmp_path / "AGENTS.md").exists()
