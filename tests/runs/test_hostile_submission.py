"""A reviewer runs the tool over a stranger's submission: nothing in it is run, fetched, obeyed or believed."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.hostile import RIGHT, lay_out
from tests.stand_ins.server import LocalServices

_BIN = Path(sys.executable).parent
# As SECURITY.md recommends.
_PYTEST = (_BIN / "pytest", "-p", "no:cacheprovider", "--noconftest", "-c", os.devnull, "--rootdir=.")
_SECRETS = {
    "AWS_SECRET_ACCESS_KEY": "the-crown-jewels",
    "GITHUB_TOKEN": "the-other-crown-jewels",
    "SEMANTIC_SCHOLAR_API_KEY": "key-of-the-reviewer",
    "CITECHECK_CONTACT": "reviewer@example.org",
}
_SECONDS = 500  # no measure of speed: a run that hangs must not outlive its test
_MOST_REQUESTS = 400
"""Limit for some seventy references, some of them hostile: at most four for each, and the shared ones."""


class Canary:
    """A server that no client has a reason to contact; counts the requests."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.callers = 0
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            with connection:
                if connection.recv(4) == b"stop":
                    return
                self.callers += 1

    def stop(self) -> None:
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(b"stop")
        self._thread.join()
        self._socket.close()


@pytest.fixture
def canary() -> Iterator[Canary]:
    bird = Canary()
    yield bird
    bird.stop()


@pytest.fixture
def submission(tmp_path: Path, canary: Canary, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "inbox" / "submission"
    folder.mkdir(parents=True)
    lay_out(folder, canary.port)
    monkeypatch.chdir(folder)
    for name, value in _SECRETS.items():
        monkeypatch.setenv(name, value)
    return folder


def state(folder: Path) -> dict[str, str]:
    """Return every file below the inbox with a digest, because a trace may also be outside the submission."""
    inbox = folder.parent
    files = (path for path in inbox.rglob("*") if path.is_file())
    return {str(path.relative_to(inbox)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def run(folder: Path, command: Sequence[str | os.PathLike[str]]) -> subprocess.CompletedProcess[str]:
    # Not by pytester, which adds the folder to PYTHONPATH.
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False, timeout=_SECONDS)


def options(live: Sequence[str], reports: Path, prefix: str) -> list[str]:
    written = [f"--citecheck-{kind}={reports / name}" for kind, name in _REPORTS.items()]
    return [option.replace("--citecheck-", prefix) for option in (*live, *written, "--citecheck-urls")]


_REPORTS = {"json": "report.json", "html": "report.html", "markdown": "report.md"}
if importlib.util.find_spec("matplotlib"):
    _REPORTS["chart"] = "chart.svg"


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", ["check", "pytest"])
@pytest.mark.parametrize("fault", [pytest.param("", id="no fault"), "double-gzip", "503-year-9999", "huge-title"])
def test_a_submission_leaves_no_trace_and_sends_nothing_but_questions(
    submission: Path, canary: Canary, services: LocalServices, live: list[str], way: str, fault: str
) -> None:
    if fault:
        for name in services.base_urls:
            services.fault(name, fault)
    before = state(submission)
    reports = submission.parent.parent / "reports"
    if way == "check":
        command: list[str | os.PathLike[str]] = [_BIN / "citecheck", "check", "refs.bib", *options(live, reports, "--")]
    else:
        command = [*_PYTEST, "--citecheck=refs.bib", *options(live, reports, "--citecheck-")]
    result = run(submission, command)
    assert result.returncode == pytest.ExitCode.TESTS_FAILED, result.stderr  # much of it is not even BibTeX
    assert state(submission) == before
    assert not canary.callers

    requests = services.requests
    assert 0 < len(requests) <= _MOST_REQUESTS
    sent = "\n".join(f"{request.path} {request.headers} {request.body!r}" for request in requests)
    shown = result.stdout + result.stderr
    written = "".join((reports / name).read_text(encoding="utf-8") for name in _REPORTS.values())
    for secret in (_SECRETS["AWS_SECRET_ACCESS_KEY"], _SECRETS["GITHUB_TOKEN"], "/etc/passwd:", "root:x:"):
        assert secret not in sent + shown + written
    assert _SECRETS["SEMANTIC_SCHOLAR_API_KEY"] not in shown + written
    assert not [r for r in requests if r.service != "semantic_scholar" and "key-of-the-reviewer" in str(r)]
    assert "\x1b]0;" not in shown
    assert not [line for line in shown.splitlines() if line.startswith(("::error", "##vso"))]

    references = json.loads((reports / "report.json").read_text(encoding="utf-8"))["references"]
    verdicts = {one["key"]: one["verdict"] and one["verdict"]["name"] for one in references}
    assert {"chain", "long", "circle1", "address0", "text0", "grown-doi", "open"} <= verdicts.keys()
    for key in RIGHT:
        assert verdicts[key] == ("undecided" if fault else "verified")
    assert not [key for key, verdict in verdicts.items() if verdict == "verified" and key not in RIGHT]
