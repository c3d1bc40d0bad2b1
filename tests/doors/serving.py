"""A server of ``citecheck serve`` as a process, offline, with a folder for its temporary files."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.doors.conftest import CODE, OFFLINE, command, environment

PATIENCE = 60.0
UNSEEN_SOON = f"from pytest_citecheck.doors import serve\nserve._UNSEEN_SECONDS = 0.4\n{CODE}"
"""A server that closes a check almost at once if no page shows it."""


@dataclass(frozen=True, slots=True)
class Server:
    """address: that of the page, with the token. folder: where it keeps files."""

    address: str
    folder: Path
    process: subprocess.Popen[str]

    @property
    def files(self) -> set[str]:
        """All files that it keeps, below the folder of the server."""
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return {path.relative_to(self.folder).as_posix().partition("/")[2].partition("/")[2] for path in found}

    def begin(self, *files: tuple[str, bytes], **fields: str) -> httpx.Response:
        """Upload files as the page does."""
        parts: list[tuple[str, Any]] = [("files", one) for one in files]
        parts += [(name, (None, value)) for name, value in fields.items()]
        return httpx.post(f"{self.address}runs", files=parts, timeout=PATIENCE)

    def followed(self, run: str) -> list[dict[str, Any]]:
        """The events of a check until its end."""
        told = []
        with httpx.stream("GET", f"{self.address}runs/{run}/events", timeout=PATIENCE) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    told.append(json.loads(line.removeprefix("data: ")))
                    if told[-1]["state"] != "running":
                        break
        return told

    def checked(self, *files: tuple[str, bytes], **fields: str) -> tuple[str, dict[str, Any]]:
        """The address of an ended check, and its state."""
        answer = self.begin(*files, **fields)
        assert answer.status_code == 201, answer.text
        run = answer.json()["run"]
        return f"{self.address}runs/{run}/", self.followed(run)[-1]


@contextlib.contextmanager
def page_server(folder: Path, *arguments: str, code: str = CODE) -> Iterator[Server]:
    """Run a server until the end of the block."""
    folder.mkdir(exist_ok=True)
    line = command("serve", "--no-browser", *OFFLINE, *arguments, code=code)
    variables = {**environment(), "TMPDIR": str(folder), "CITECHECK_CACHE": "off"}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    process = subprocess.Popen(line, env=variables, cwd=folder.parent, **pipes)
    assert process.stdout is not None
    try:
        words = process.stdout.readline().split()
        yield Server(next(word for word in words if word.startswith("http://")), folder, process)
    finally:
        process.terminate()
        process.communicate(timeout=30)
