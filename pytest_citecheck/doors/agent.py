"""``citecheck agent init``: add rules and tools to a project, so that agents verify references."""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pytest_citecheck.atomic_write import atomic_write
from pytest_citecheck.cli import UsageError

_BEGIN: Final = "<!-- citecheck -->"
_END: Final = "<!-- /citecheck -->"
_RULES: Final = f"""{_BEGIN}
## References

- Before you add a reference, call `find_reference` of the MCP server `citecheck`. Copy the BibTeX of the record.
- After you edit a bibliography or a manuscript, call `check_references` with its path. Correct every problem.
- Never write a reference from memory. If nothing is found, drop the reference and tell the user.
- An `undecided` reference is not verified. Tell the user which ones are undecided, and why.
- Without the server, run `citecheck hook FILE --online`.
{_END}
"""
_SKILL: Final = """---
name: verify-references
description: Verify references before you add them and after you edit a bibliography (.bib, .tex, Markdown).
---

"""
_SERVER: Final = {"command": "citecheck", "args": ["mcp", "--root=."]}
_HOOK: Final = """#!/bin/sh
# Fails a commit with unverified references (citecheck agent init).
set -- '*.bib' '*.tex' '*.md' '*.qmd'
git diff --cached --quiet --diff-filter=ACMR -- "$@" && exit 0
command -v citecheck >/dev/null || { echo "citecheck is not on the PATH: activate its environment" >&2; exit 1; }
git diff --cached --name-only -z --diff-filter=ACMR -- "$@" | xargs -0 citecheck hook --online
"""


def write_rules(chosen: argparse.Namespace) -> int:
    """Write the files of each agent; return the exit code. Raises UsageError."""
    folder: Path = chosen.folder
    if not folder.is_dir():
        raise UsageError(f"no such folder: {folder}")
    try:
        _insert(folder / "AGENTS.md")
        _insert(folder / ".github/copilot-instructions.md", only_if_present=True)
        _insert(folder / "CLAUDE.md", only_if_present=True)
        _write(folder / ".claude/skills/verify-references/SKILL.md", _SKILL + _RULES)
        _add_server(folder / ".mcp.json", "mcpServers", _SERVER)
        _add_server(folder / ".vscode/mcp.json", "servers", {"type": "stdio", **_SERVER})
        if not chosen.no_hook and (hooks := _hooks_of(folder)):
            _hook(hooks / "pre-commit")
    except OSError as error:
        raise UsageError(f"{error.filename or folder} cannot be written: {error.strerror or error}") from error
    return 0


def _insert(path: Path, *, only_if_present: bool = False) -> None:
    """Replace the section of a file between the marks, or append it."""
    before = path.read_text("utf-8") if path.is_file() else ""
    if only_if_present and not before:
        return
    head, begin, rest = before.partition(_BEGIN)
    tail = rest.partition(_END)[2].removeprefix("\n") if begin else ""
    _write(path, f"{head if begin or not head else head.rstrip() + chr(10) * 2}{_RULES}{tail}")


def _add_server(path: Path, section: str, server: Mapping[str, Any]) -> None:
    """Add the server to a JSON file, unless there is one. Raises UsageError."""
    try:
        data = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        servers = data.setdefault(section, {})
        if "citecheck" in servers:
            return
        servers["citecheck"] = dict(server)
    except (ValueError, AttributeError, TypeError) as error:
        raise UsageError(f"{path} is not a JSON file of servers: add {json.dumps(server)} by hand") from error
    _write(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def _hooks_of(folder: Path) -> Path | None:
    """The folder of git's hooks, also in a worktree or with ``core.hooksPath``; None outside of a repository."""
    try:
        command = ["git", "-C", str(folder), "rev-parse", "--git-path", "hooks"]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - fixed words
    except (OSError, subprocess.CalledProcessError):
        return None
    return folder / told


def _hook(path: Path) -> None:
    """Write the hook, unless there is another one. Raises UsageError."""
    before = path.read_text("utf-8", "replace") if path.is_file() else _HOOK
    if before != _HOOK and _HOOK.splitlines()[1] not in before:
        command = "citecheck hook --online FILE…"
        raise UsageError(f"{path} exists: add the command “{command}” for the committed files, or pass --no-hook")
    _write(path, _HOOK)
    path.chmod(0o755)


def _write(path: Path, text: str) -> None:
    if path.is_file() and path.read_bytes() == text.encode("utf-8"):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(text.encode("utf-8"))
    print(path)
