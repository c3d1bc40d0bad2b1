"""Everyday commands and mistakes: exit code and first line of the output."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_citecheck.cli import main

ROOT = Path(__file__).parents[2]
RECORDED = f"--cassettes={ROOT / 'cassettes'}"
NOBODY = "@article{a, title={On the motion of stars}, author={Lovelace, Ada}, journal={Nature}, year={2001}}\n"
PROGRESS = re.compile(r"citecheck: .* \d+/\d+")
FILES = {
    "empty.bib": b"",
    "page.bib": b"<!DOCTYPE html><html>404 Not Found</html>",
    "pointer.bib": b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12\n",
    "nobody.bib": NOBODY.encode(),
    "notes.md": b"# Notes\n\nNothing is cited.\n",
    "broken.docx": b"PK\x03\x04 no archive",
    "strict.toml": b'extends = "stric"\n',
    "own.toml": b'[pytest]\ncitecheck_polcy = "strict"\n',
    "nothing/data.csv": b"1,2\n",
}
TABLE = Path(__file__).with_name("everyday.txt")
"""A row a line: exit code | command | first line."""
ROWS = [tuple(part.strip() for part in line.split(" | ", 2)) for line in TABLE.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    shutil.copy(ROOT / "fixtures" / "refs.bib", folder)
    shutil.copy(ROOT / "fixtures" / "hallucinated.bib", folder / "wrong.bib")
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def in_process(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[object, str]:
    code: object = None
    try:
        code = main(arguments)
    except SystemExit as stop:
        code = stop.code
    out, err = capfd.readouterr()
    return code, err + out


@pytest.mark.sample(8)
@pytest.mark.parametrize(("code", "command", "first"), ROWS, ids=[row[1] for row in ROWS])
def test_exit_code_and_first_line(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    code: str,
    command: str,
    first: str,
) -> None:
    if command.startswith("citecheck audit"):
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(project)
    monkeypatch.setenv("CITECHECK_CACHE", "off")
    words = shlex.split(command.replace("RECORDED", RECORDED))
    while "=" in words[0]:
        monkeypatch.setenv(*words.pop(0).split("=", 1))
    ended: object
    if words[0] == "citecheck":
        ended, output = in_process(words[1:], capfd)
    else:
        own = [sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider", *words[1:]]
        done = subprocess.run(own, capture_output=True, text=True, check=False, env=os.environ)
        ended, output = done.returncode, done.stderr + done.stdout
    lines = [" ".join(line.split()) for line in output.splitlines() if line.strip() and not PROGRESS.fullmatch(line)]
    assert (ended, lines[0].replace(str(project), "FOLDER")) == (int(code), first)
