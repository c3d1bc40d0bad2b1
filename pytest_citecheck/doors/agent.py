"""``citecheck agent init``: add rules and tools to a project, so that agents verify references."""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from pytest_citecheck.atomic_write import atomic_write
from pytest_citecheck.cli import UsageError, say
from pytest_citecheck.confinement import OutsideError, demand_within

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
git diff --cached --name-only -z --diff-filter=ACMR -- "$@" | xargs -0 citecheck hook --online --staged
"""


def write_rules(chosen: argparse.Namespace) -> int:
    """Write the files of each agent; return the exit code. Raises UsageError."""
    folder: Path = chosen.folder
    if not folder.is_dir():
        raise UsageError(f"no such folder: {folder}")
    files = {name: folder / name for name in _FILES}
    if not chosen.no_hook and (hooks := _hooks_of(folder)):
        files["pre-commit"] = hooks / "pre-commit"
    try:
        for path in files.values():  # before anything is written
            demand_within(path, (folder, *chosen.root), "--root")
        texts = {name: _FILES[name](path) if name in _FILES else _hook(path) for name, path in files.items()}
        for name, path in files.items():
            _write(path, texts[name])
        if "pre-commit" in files:
            files["pre-commit"].chmod(0o755)
    except OutsideError as error:
        raise UsageError(f"{error}{'' if chosen.no_hook else '; --no-hook writes no git hook'}") from error
    except OSError as error:
        raise UsageError(f"{error.filename or folder} cannot be written: {error.strerror or error}") from error
    return 0


def _insert(path: Path, *, only_if_present: bool = False) -> str:
    """Return the text of a file with its section between the marks replaced or appended."""
    before = path.read_text("utf-8") if path.is_file() else ""
    if only_if_present and not before:
        return ""
    head, begin, rest = before.partition(_BEGIN)
    tail = rest.partition(_END)[2].removeprefix("\n") if begin else ""
    return f"{head if begin or not head else head.rstrip() + chr(10) * 2}{_RULES}{tail}"


def _add_server(path: Path, section: str, server: Mapping[str, Any]) -> str:
    """Return the text of a JSON file with the server. Raises UsageError, also if another server has its name."""
    try:
        data = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        servers = data.setdefault(section, {})
        foreign = servers.setdefault("citecheck", dict(server)) != dict(server)
    except (ValueError, AttributeError, TypeError) as error:
        raise UsageError(f"{path} is not a JSON file of servers: add {json.dumps(server)} by hand") from error
    if foreign:
        said = f"{path} has another server named citecheck: {json.dumps(servers['citecheck'])}"
        raise UsageError(f"{said[:300]}. If it is not yours, agents would run it; remove or rename it")
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _hooks_of(folder: Path) -> Path | None:
    """The folder of git's hooks, also in a worktree or with ``core.hooksPath``; None outside of a repository."""
    try:
        command = ["git", "-C", str(folder), "rev-parse", "--git-path", "hooks"]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - fixed words
    except (OSError, subprocess.CalledProcessError):
        return None
    return folder / told


def _hook(path: Path) -> str:
    """Return the hook. Raises UsageError if there is another one."""
    before = path.read_text("utf-8", "replace") if path.is_file() else _HOOK
    if before != _HOOK and _HOOK.splitlines()[1] not in before:
        command = "citecheck hook --online FILE…"
        raise UsageError(f"{path} exists: add the command “{command}” for the committed files, or pass --no-hook")
    return _HOOK


_FILES: Final[Mapping[str, Callable[[Path], str]]] = {
    "AGENTS.md": _insert,
    ".github/copilot-instructions.md": partial(_insert, only_if_present=True),
    "CLAUDE.md": partial(_insert, only_if_present=True),
    ".claude/skills/verify-references/SKILL.md": lambda _: _SKILL + _RULES,
    ".mcp.json": partial(_add_server, section="mcpServers", server=_SERVER),
    ".vscode/mcp.json": partial(_add_server, section="servers", server={"type": "stdio", **_SERVER}),
}
"""The text of each file, from the file as it is; empty for a file that is not written."""


def _write(path: Path, text: str) -> None:
    if not text or (path.is_file() and path.read_bytes() == text.encode("utf-8")):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(text.encode("utf-8"))
    say(str(path))
