"""Hostile files through every command on a terminal: no escape sequence, direction character or CI command is printed."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_citecheck.cli import all_commands

ROOT = Path(__file__).parents[2]
EVIL = "\x1b]0;owned\x07\x1b[31m\x9b31m\u202e\u2066\r\n::error::owned\n  ##[error]owned\n##vso[x]owned\n"
ENTRY = """@article{lamport1978,
  author = {Leslie Lamport},
  title = {Time, Clocks, and the Ordering of Events in a Distributed System},
  journal = {Communications of the ACM},
  year = {1978},
  doi = {10.1145/359545.999563},
  note = {EVIL}
}
@misc{EVIL, title = {EVIL}, author = {EVIL and EVIL}, year = {EVIL}, doi = {10.1000/EVIL}, journal = {EVIL}
@article{dup, title = {EVIL}, author = {EVIL}}
@article{dup, title = {EVIL}, author = {EVIL}, crossref = {EVIL}}
"""
CODE = """
import json, sys
from pytest_citecheck.cli import main
for line in json.load(open(sys.argv[1])):
    print("===", ascii(line), flush=True)
    try:
        main(line)
    except SystemExit:
        pass
    except Exception:
        sys.excepthook(*sys.exc_info())
    sys.stdout.flush()
"""
"""Runs several commands in one process."""
UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|^[ \t]*(?:::|##\\[|##vso)"
)


def hostile_files(folder: Path) -> Iterator[Path]:
    """Files of each kind with hostile content, and one with a hostile name."""
    flat = EVIL.replace("\r\n", " ").replace("\n", " ")
    rows = {"key": EVIL, "bibtex_key": EVIL, "title": EVIL, "fields": {"title": EVIL, EVIL: EVIL}, EVIL: [EVIL]}
    report = {
        "schema": "citecheck/1",
        "version": EVIL,
        "references": [{"key": EVIL, "path": EVIL, "checks": {EVIL: EVIL}}],
    }
    texts = {
        "refs.bib": ENTRY.replace("EVIL", EVIL),
        "line.bib": ENTRY.replace("EVIL", flat),
        "broken.bib": f"@article{{{EVIL}",
        "paper.tex": rf"\\documentclass{{article}}\\cite{{a{flat}}}\\input{{{flat}}}\\bibliography{{{flat},refs}}",
        "paper.md": f"---\nbibliography: ['{flat}', refs.bib]\n---\n[@a{flat}] {EVIL}",
        "list.txt": f"[1] A. Lovelace. {EVIL} Notes on {EVIL}. Journal, 1843.\n" * 3,
        "rows.jsonl": json.dumps(rows, ensure_ascii=False) + "\n" + EVIL,
        "report.json": json.dumps(report, ensure_ascii=False),
        "models.yaml": f"target_endpoints:\n  'x{flat.strip()}':\n    model: 5\n",
        "results.xml": f"<testsuites><testsuite name='a'><testcase name='{flat}'/></testsuite></testsuites>",
        "code.py": f'"""References:\n{EVIL}\nA. Lovelace. {EVIL} 1843. doi:10.1000/{flat}\n"""',
    }  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8", newline="")
        yield Path(name)
    named = Path(f"x{flat.replace('/', '')}\n::error::owned.bib")
    (folder / named).write_text(ENTRY.replace("EVIL", EVIL), "utf-8")
    yield named


def on_a_terminal(folder: Path, lines: list[list[str]]) -> str:
    """Everything that these commands print on a terminal that has no colours."""
    (folder / "commands").write_text(json.dumps(lines), "utf-8")
    master, slave = pty.openpty()
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", CODE, "commands"]
    variables["XDG_CACHE_HOME"] = str(folder)
    with subprocess.Popen(
        command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave
    ) as process:
        os.close(slave)
        parts = []
        try:
            while part := os.read(master, 1 << 16):
                parts.append(part)
        except OSError:  # the end of a terminal on Linux
            pass
        finally:
            os.close(master)
        process.wait()
    return b"".join(parts).decode("utf-8", "replace").replace("\r\n", "\n")


def printed(said: str) -> dict[str, list[str]]:
    """The unsafe lines, by command."""
    found: dict[str, list[str]] = {}
    command = ""
    for line in said.replace("\r", "\n").split("\n"):
        if line.startswith("==="):
            command = line[:300]
        elif UNSAFE.search(line):
            found.setdefault(command, []).append(ascii(line)[:300])
    return found


OFFLINE = (f"--cassettes={ROOT / 'cassettes'}", "--offline")
CORRECTING = (
    ["fix", "refs.bib", "line.bib", "--diff", *OFFLINE],
    ["check", "refs.bib", "paper.tex", *OFFLINE],
    ["check", "line.bib", "--format=github", "-v", *OFFLINE],
)


@pytest.mark.exhaustive
def test_corrections_and_findings(tmp_path: Path) -> None:
    list(hostile_files(tmp_path))
    said = on_a_terminal(tmp_path, [*CORRECTING])
    assert said.count("===") == len(CORRECTING)
    assert "+  doi = {10.1145/359545.359563}" in said
    assert printed(said) == {}


@pytest.mark.exhaustive
def test_a_diff_into_a_pipe_is_unchanged(tmp_path: Path) -> None:
    list(hostile_files(tmp_path))
    line = [sys.executable, "-c", CODE.replace("===", "==="), "commands"]
    (tmp_path / "commands").write_text(json.dumps([["fix", "line.bib", "--diff", *OFFLINE]]), "utf-8")
    done = subprocess.run(
        line, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=False
    )
    diff = done.stdout.partition(b"\n")[2]
    assert b"\x1b]0;owned\x07" in diff
    patched = subprocess.run(["patch", "-p0"], input=diff, cwd=tmp_path, capture_output=True, check=False)
    assert (patched.returncode, b"10.1145/359545.359563" in (tmp_path / "line.bib").read_bytes()) == (0, True)


ACTIONS = {
    "claims": ["score", "extract", "sources", "compare", "export"],
    "dataset": ["stats", "check", "add", "queue", "manifest", "verify"],
    "index": ["build", "info", "lookup", "probe"],
    "baseline": ["write"],
    "agent": ["init"],
    "mutate": [""],
}
SERVERS = {"lsp", "mcp", "serve", "completion", "demo"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("command", sorted(set(all_commands()) - SERVERS))
def test_every_command(tmp_path: Path, command: str) -> None:
    files = [str(path) for path in hostile_files(tmp_path)]
    lines = []
    for action in ACTIONS.get(command, [""]):
        start = [command, *([action] if action else [])]
        lines += [[*start, file] for file in files]
        lines += [[*start, file, other] for file in files[:3] for other in files[5:8]]
        lines += [[*start, f"--{EVIL}"], [*start, files[0], f"--output={files[-1]}"], [*start, *files, *OFFLINE]]
    said = on_a_terminal(tmp_path, lines)
    assert said.count("\n===") >= len(lines) - 1
    assert printed(said) == {}
