"""Runs of pytest in separate processes, which query the local services."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

# Of what is installed beside, runs load nothing but this plugin.
_OWN = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "pytest_citecheck.plugin"}


def arguments(base_urls: Mapping[str, str], rate: float, *options: str, module: str = "pytest") -> list[str]:
    """The command line of a run over refs.bib that asks each of these services ``rate`` times a second at most."""
    return [
        sys.executable,
        "-m",
        module,
        "--citecheck=refs.bib",
        "-p",
        "no:cacheprovider",
        "--tb=no",
        *(f"--citecheck-base-url={name}={url}" for name, url in base_urls.items()),
        *(f"--citecheck-rate={name}={rate:g}" for name in base_urls),
        *options,
    ]


def start(command: list[str], folder: Path, environment: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start a run in this folder."""
    return subprocess.Popen(
        command, cwd=folder, env={**environment, **_OWN}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@functools.cache
def _forks() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pytest_citecheck.plugin.active", __name__])
    return context


class Forked:
    """The same as a fork of a process that has imported everything: imports take most of the time of a short run.

    Its output goes to ``output`` and ``errors`` in the folder.
    """

    def __init__(self, command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
        """Start the same run as `start`; only for command lines that `arguments` returns for pytest itself."""
        self._folder = folder
        options = command[command.index("pytest") + 1 :]
        self._process = _forks().Process(target=_run, args=(options, folder, {**environment, **_OWN}), daemon=True)
        self._process.start()

    def poll(self) -> int | None:
        """Return the exit code, like `subprocess.Popen`; None while it runs."""
        return self._process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            assert self._process.pid
            os.kill(self._process.pid, number)

    def communicate(self, timeout: float) -> tuple[int, str, str]:
        """Wait for its end, at most ``timeout`` seconds; return the exit code and its output."""
        self._process.join(timeout)
        code = self.poll()
        assert code is not None, f"it runs for more than {timeout:g} s"
        return code, (self._folder / "output").read_text("utf-8"), (self._folder / "errors").read_text("utf-8")


def _run(options: list[str], folder: Path, environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for name, stream in (("output", sys.stdout), ("errors", sys.stderr)):
        with (folder / name).open("wb") as file:
            os.dup2(file.fileno(), stream.fileno())
    sys.exit(pytest.main(options))
