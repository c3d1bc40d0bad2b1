"""Checks of uploaded files for ``citecheck serve``: each is a process with a folder of its own, so that checks do not mix, a
document that takes too long can be ended, and nothing is left of it.

The process is ``citecheck check`` with its limits (SECURITY.md) and without any settings file of the folder.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import secrets
import shutil
import signal
import sys
import tempfile
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from pytest_citecheck.cli import SETTINGS, absolute_value, command_parser, project_settings
from pytest_citecheck.doors.loopback import without_paths
from pytest_citecheck.doors.session import name_of_text
from pytest_citecheck.inputs import BIBTEX, reader_named, target_of, why_unread
from pytest_citecheck.matching import lazy_pattern, safe_line
from pytest_citecheck.plugin import ANSWER_OPTIONS, environment_value

_SECONDS: Final = 3600.0  # of one process
_AT_ONCE: Final = 4
_LONGEST_NAME: Final = 60  # characters, of up to four bytes
_LONGEST_SAID: Final = 4000  # characters of an error message
_UNSAFE: Final = lazy_pattern(r"[^\w. -]+")
_FOR_TERMINALS: Final = lazy_pattern(r"(?m)^(?:ERROR: |citecheck(?: \w+)?: |error: |--(?:citecheck|contact): )+")
_TEXTS: Final = frozenset({".tex", ".ltx", ".md", ".qmd", ".rmd", ".typ"})
_COMPANIONS: Final = frozenset({".bib", ".bbl", ".aux", ".bcf"})
_CHECK: Final = "import sys; from pytest_citecheck.doors.runs import checked; sys.exit(checked())"
_FIX: Final = "import sys; from pytest_citecheck.cli import main; sys.exit(main())"
_HAS_REPORT: Final = (0, 1, 3)
REPORTS: Final[Mapping[str, str]] = {
    "report.html": "text/html",
    "report.csv": "text/csv",
    "report.json": "application/json",
}
"""Files of a finished check, and their types."""


class RefusedError(Exception):
    """A check that is not begun; the message has the reason."""


@dataclass(slots=True)
class Run:
    """A check. fixable: its BibTeX files. left_out: the files that are not checked, and why. watchers: connections that show it.
    said: the error if there is no report, else the files left out."""

    name: str
    folder: Path
    fixable: list[str]
    arguments: list[str]
    left_out: str = ""
    state: str = "running"
    said: str = ""
    progress: dict[str, Any] = field(default_factory=dict)
    processes: list[asyncio.subprocess.Process] = field(default_factory=list)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    watchers: int = 0
    seen: float = field(default_factory=time.monotonic)

    @property
    def shown(self) -> dict[str, Any]:
        """The state for the page."""
        return {"state": self.state, "message": self.said, "fixable": self.fixable, **self.progress}


class Runs:
    """The checks of a server, in this folder. chosen: the server's own options."""

    def __init__(self, chosen: argparse.Namespace, folder: Path) -> None:
        settings = project_settings(chosen.config, "citecheck serve")
        stated = settings.values if settings else {}
        found = {option: _stated(chosen, option) or list(stated.get(option, ())) for option in ANSWER_OPTIONS}
        self._stated = {option: value for option, value in found.items() if value}
        self._folder, self._runs = folder, dict[str, Run]()

    def __getitem__(self, name: str) -> Run:
        """Raise KeyError for an unknown or closed check."""
        return self._runs[name]

    def stated(self, dest: str) -> Any:
        """The server's value of an option; None if it has none."""
        return next((value for option, value in self._stated.items() if option.dest == dest), None)

    async def begin(self, files: Sequence[tuple[str, bytes]], text: str, wanted: Mapping[str, str]) -> Run:
        """Start a check of these files and this text. wanted: choices of the user. Raises RefusedError."""
        if sum(one.state == "running" for one in self._runs.values()) >= _AT_ONCE:
            raise RefusedError("Other checks are still running. Wait until one has ended.")
        contents = dict[str, bytes]()
        refused = list[str]()
        for given, data in files:
            try:
                contents[_free_name(safe_name(given), contents)] = data
            except RefusedError as error:
                refused.append(str(error))
        target = target_of(text) if wanted.get("paper") and len(text.split()) == 1 else None
        if text.strip() and target is None:
            data = text.encode("utf-8", "replace")
            contents[_free_name(name_of_text(data), contents)] = data
        targets = [target.name] if target is not None and "://" not in target.name else []
        if not (contents or targets):
            raise RefusedError("\n".join(refused) or "Choose a file, or paste references.")
        name = secrets.token_urlsafe(12)
        fixable = [one for one in contents if Path(one).suffix in BIBTEX.suffixes]
        run = Run(
            name,
            self._folder / name,
            fixable,
            [f"--config={SETTINGS}", *self._options(wanted)],
            left_out="\n".join(refused),
        )
        place = run.folder / "files"
        place.mkdir(parents=True)
        for file, data in contents.items():
            (place / file).write_bytes(data)
        self._runs[name] = run
        reports = [f"--{Path(one).suffix[1:]}={run.folder / one}" for one in REPORTS]
        inputs = [*_without_companions(contents), *targets]
        run.tasks.append(asyncio.create_task(self._check(run, [*run.arguments, *reports, *inputs])))
        return run

    async def corrected(self, run: Run, name: str) -> bytes:
        """A BibTeX file of the check, as ``citecheck fix`` writes it. Raises KeyError, RefusedError."""
        if name not in run.fixable:
            raise KeyError(name)
        with tempfile.TemporaryDirectory(dir=run.folder, ignore_cleanup_errors=True) as folder:
            given = run.folder / "files" / name
            copy = shutil.copy(given, folder)
            process = await self._started(run, _FIX, ["fix", *run.arguments, name], Path(folder))
            _, said = await process.communicate()
            if process.returncode:
                raise RefusedError(_last_words(said, run.folder))
            data = Path(copy).read_bytes()
        if data == given.read_bytes():
            raise RefusedError("each entry is right or needs your decision. Copy corrected entries from the report.")
        return data

    async def close(self, name: str) -> None:
        """End the processes of a check and delete its files."""
        if (run := self._runs.pop(name, None)) is None:
            return
        run.state = "closed"
        for process in run.processes:
            _kill(process)
        await asyncio.gather(*run.tasks, *(one.wait() for one in run.processes), return_exceptions=True)
        shutil.rmtree(run.folder, ignore_errors=True)

    async def close_unseen(self, seconds: float) -> None:
        """Close the checks that no page has shown for so long."""
        oldest = time.monotonic() - seconds
        for name in [one.name for one in self._runs.values() if not one.watchers and one.seen < oldest]:
            await self.close(name)

    async def close_all(self) -> None:
        """Close every check, and delete the folder of the server."""
        await asyncio.gather(*map(self.close, [*self._runs]))
        shutil.rmtree(self._folder, ignore_errors=True)

    def _options(self, wanted: Mapping[str, str]) -> Iterator[str]:
        """The server's options with the user's choices. A user can name no path."""
        chosen = {
            "citecheck_contact": safe_line(wanted.get("contact", "").strip())[:200],
            "citecheck_policy": wanted.get("policy", ""),
            "citecheck_offline": bool(wanted.get("offline")),
        }
        for option in ANSWER_OPTIONS:
            value = chosen.get(option.dest) or self._stated.get(option)
            if value and (option.dest != "citecheck_index" or wanted.get("index")):
                flag = option.flag.replace("--citecheck-", "--")
                yield from [flag] if option.kind == "flag" else [f"{flag}={one}" for one in _listed(value)]

    async def _started(self, run: Run, code: str, arguments: Sequence[str], place: Path) -> asyncio.subprocess.Process:
        line = (sys.executable, "-P", "-c", code, *arguments)
        process = await asyncio.create_subprocess_exec(
            *line, cwd=place, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, start_new_session=True
        )
        run.processes.append(process)
        asyncio.get_running_loop().call_later(_SECONDS, _kill, process)
        if run.state == "closed":
            _kill(process)
        return process

    async def _check(self, run: Run, arguments: Sequence[str]) -> None:
        process = await self._started(run, _CHECK, arguments, run.folder / "files")
        assert process.stdout is not None and process.stderr is not None  # noqa: PT018, S101 - both are pipes
        said = asyncio.create_task(process.stderr.read())
        async for line in process.stdout:
            with contextlib.suppress(ValueError):
                run.progress = json.loads(line)
        is_done = await process.wait() in _HAS_REPORT and (run.folder / "report.html").exists()
        run.said = run.left_out if is_done else _last_words(await said, run.folder)
        run.state = "done" if is_done else "failed"


def _kill(process: asyncio.subprocess.Process) -> None:
    """End a process and those that it started."""
    if process.returncode is None:
        kill = partial(os.killpg, process.pid, signal.SIGKILL) if os.name == "posix" else process.kill
        with contextlib.suppress(OSError):
            kill()


def _stated(chosen: argparse.Namespace, option: Any) -> Any:
    """The typed value of an option, else the one in the environment; paths are absolute."""
    value = getattr(chosen, option.dest, None) or environment_value(option)
    if not value or value is True:
        return value
    return [absolute_value(option, str(one), Path.cwd()) for one in _listed(value)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def safe_name(given: str) -> str:
    """A file name without folders, control characters, and marks that select a part of a file. Raises RefusedError if no
    reader takes files of this ending."""
    plain = given.replace("\\", "/").rpartition("/")[2]
    stem, dot, suffix = _UNSAFE.sub("_", plain).rpartition(".")
    name = f"{(stem.strip(' .-_') or 'file')[:_LONGEST_NAME]}{dot}{suffix.lower()}"
    if len(suffix) > 10 or reader_named(name) is None:
        why = why_unread(name, called=name)
        raise RefusedError(f"{safe_line(plain)[:_LONGEST_NAME]} cannot be checked: {why}")
    return name


def _free_name(name: str, taken: Mapping[str, bytes]) -> str:
    path, number = Path(name), 1
    while name.casefold() in map(str.casefold, taken):
        number += 1
        name = f"{path.stem}-{number}{path.suffix}"
    return name


def _without_companions(contents: Mapping[str, bytes]) -> list[str]:
    """The files to check: not the bibliography of a manuscript that is checked, which would count twice."""
    texts = b"\n".join(data for name, data in contents.items() if Path(name).suffix in _TEXTS)
    beside = {name for name in contents if Path(name).suffix in _COMPANIONS and Path(name).stem.encode() in texts}
    return [name for name in contents if name not in beside]


def _last_words(said: bytes, folder: Path) -> str:
    """The error messages of a process, without paths of the machine or names of options."""
    text = _FOR_TERMINALS.sub("", said.decode("utf-8", "replace"))
    text = without_paths(text, (folder / "files", folder, Path.home()))
    lines = [safe_line(line) for line in text.splitlines() if line.strip()]
    return "\n".join(lines)[-_LONGEST_SAID:] or "The check was stopped: it took too long, or too much memory."


def checked() -> int:
    """Run ``citecheck check`` with the arguments of this process. Standard output gets the progress, a line of JSON at a time."""
    lines, sys.stdout = sys.stdout, sys.stderr
    answers, last, due = Counter[str](), 0, 0.0

    def progress(what: str, done: int, total: int) -> None:
        nonlocal last, due
        waiting = what if what.startswith("waiting for ") else ""
        if not waiting:
            answers[what] += done - last if done >= last else done
            last = done
        if time.monotonic() >= due or done >= total:
            due = time.monotonic() + 0.1
            state = {"services": (+answers).most_common(), "done": done, "total": total, "waiting": waiting}
            lines.write(f"{json.dumps(state)}\n")
            lines.flush()

    chosen = command_parser("check").parse_args(["check", *sys.argv[1:]])
    chosen.progress = progress
    return int(chosen.run(chosen))
