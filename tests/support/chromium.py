"""A headless Chromium driven over two pipes by the Chrome DevTools Protocol, so that a test needs no driver and no port."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_READ, _WRITE = 3, 4  # where --remote-debugging-pipe expects them
_PATIENCE = 20.0


def find_chromium() -> str | None:
    """The program, or None where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


class Chromium:
    """One page of one browser. Use it as a context manager.

    console: everything that the page wrote to its console, threw, or was refused by its policy, in the page's own words.
    frames: names of frames in other processes, the last one last, for `within`.
    """

    def __init__(self, program: str, profile: Path) -> None:
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()

        def connect() -> None:
            ends = os.dup(to_read), os.dup(to_write)  # out of the way, should they have these very numbers
            os.dup2(ends[0], _READ)
            os.dup2(ends[1], _WRITE)

        options = (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-quic",
            "--disable-component-update",
            "--disable-sync",
        )
        self._process = subprocess.Popen(
            [program, *options, "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=connect,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._last = 0
        self._session: str | None = None
        self.console: list[str] = []
        self.frames: list[str] = []

    def __enter__(self) -> Self:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)
        os.close(self._write)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask the browser; returns its result. Raises RuntimeError with its message, TimeoutError without an answer."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._last:
            self._note(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return dict(answer["result"])

    def open(self, url: str) -> None:
        """Load a page and wait until it has loaded."""
        # A change of the hash alone loads nothing.
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)
        while self.run("location.href") == "about:blank" or self.run("document.readyState") != "complete":
            time.sleep(0.01)

    def choose_files(self, field: str, *paths: Path) -> None:
        """Choose files in a field of a form, which is an expression."""
        found = self.call("Runtime.evaluate", expression=field)["result"]["objectId"]
        self.call("DOM.setFileInputFiles", files=[str(path) for path in paths], objectId=found)

    def type(self, key: str, code: int) -> None:
        """Press a key, such as Tab (9)."""
        for kind in ("rawKeyDown", "char", "keyUp"):
            if kind != "char" or key in ("Enter", " "):
                text = {"text": "\r" if key == "Enter" else " "} if kind == "char" else {}
                self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **text)

    @contextlib.contextmanager
    def within(self, frame: str) -> Iterator[None]:
        """Talk to this frame in the block."""
        before, self._session = self._session, frame
        try:
            yield
        finally:
            self._session = before

    def run(self, script: str) -> Any:
        """The value of an expression in the page. Raises RuntimeError with what it threw."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def _next(self) -> dict[str, Any]:
        limit = time.monotonic() + _PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(limit - time.monotonic(), 0))
            piece = os.read(self._read, 1 << 20) if ready else b""
            if not piece:
                raise TimeoutError("the browser does not answer")
            self._buffer += piece
        message, self._buffer = self._buffer.split(b"\0", 1)
        return dict(json.loads(message))

    def _note(self, event: Mapping[str, Any]) -> None:
        told = event.get("params", {})
        if event.get("method") == "Target.attachedToTarget":
            self.frames.append(told["sessionId"])
        elif event.get("method") == "Log.entryAdded":
            self.console.append(told["entry"]["text"])
        elif event.get("method") == "Runtime.exceptionThrown":
            self.console.append(json.dumps(told["exceptionDetails"]))
        elif event.get("method") == "Runtime.consoleAPICalled":
            self.console.append(json.dumps(told["args"]))
