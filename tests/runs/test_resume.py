"""A run that is killed or interrupted at any moment resumes without repeated queries or losses."""

from __future__ import annotations

import datetime as dt
import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_citecheck.net import request_key
from pytest_citecheck.sources import SOURCES, Request
from tests.stand_ins.generated import World, generated_world
from tests.stand_ins.server import LocalServices, LoggedRequest
from tests.support.pytest_processes import Forked, arguments

pytestmark = [pytest.mark.exhaustive, pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")]

_SOURCES = {source.name: source for source in SOURCES}
_REFERENCES = 100
_RATE = 40.0
_REPORT = "report.json"
_PATIENCE = 300.0  # seconds for one run
# An answer that was on its way, or that the killed run had no time to store, may be asked for again (seconds).
_IN_FLIGHT = 0.1

Moment = Callable[[Forked], bool]
"""Returns True when it is time to end this run."""


@pytest.fixture(scope="module")
def world() -> World:
    """The same dates in every answer, so that runs can be compared."""
    made = generated_world(_REFERENCES)
    return replace(made, facts=replace(made.facts, recorded=dt.datetime(2026, 1, 1, tzinfo=dt.UTC)))


@pytest.fixture(scope="module")
def asked(world: World) -> Iterator[LocalServices]:
    """Services shared by all runs: cached answers are bound to their origin."""
    with LocalServices(world.facts) as services:
        yield services


class _Start(NamedTuple):
    """Number of requests and finished answers at the start of a run."""

    requests: int
    finished: int


@dataclass
class Runs:
    """Consecutive runs of one user over one bibliography.

    ``stored`` are queries whose answers were sent in full and early enough for the run to store them; ``repeated`` are those of
    them that were sent again.
    """

    folder: Path
    services: LocalServices
    options: tuple[str, ...] = ()
    stored: set[tuple[str, str]] = field(default_factory=set)
    repeated: set[tuple[str, str]] = field(default_factory=set)

    @property
    def report(self) -> Path:
        return self.folder / _REPORT

    def end(self, number: signal.Signals, moment: Moment) -> tuple[int, str, str]:
        """Start a run and send it a signal at some moment, unless it ends before; its exit code and output."""
        process, begin = self._start()
        try:
            deadline = time.monotonic() + _PATIENCE
            while process.poll() is None and not moment(process):
                assert time.monotonic() < deadline
                time.sleep(0.002)
        finally:
            process.send_signal(number)
            last = time.time()
            ended = process.communicate(timeout=_PATIENCE)
        self._account(begin, last - _IN_FLIGHT)
        return ended

    def complete(self) -> dict[str, Any]:
        """Run to the end and return the report."""
        process, begin = self._start()
        code, output, errors = process.communicate(timeout=_PATIENCE)
        assert code == pytest.ExitCode.TESTS_FAILED, output + errors  # some references are invented
        assert not errors
        self._account(begin, time.time())
        return essence(self.report)

    def _start(self) -> tuple[Forked, _Start]:
        command = arguments(self.services.base_urls, _RATE, f"--citecheck-json={_REPORT}", *self.options)
        begin = _Start(len(self.services.requests), len(self.services.finished))
        return Forked(command, self.folder, os.environ), begin

    def _account(self, begin: _Start, until: float) -> None:
        finished = self.services.finished[begin.finished :]
        again = {query for request in self.services.requests[begin.requests :] for query in queries(request)}
        self.repeated |= again & self.stored
        self.stored |= {query for answer in finished if answer.moment < until for query in queries(answer.request)}


@dataclass(frozen=True)
class Undisturbed:
    """Report of an uninterrupted run, the cache after it, and the repeated queries.

    Repeated queries are the witnesses and denied queries, which are cached only after the second denial.
    """

    report: dict[str, Any]
    cache: Path
    denied: frozenset[tuple[str, str]]

    def restore(self) -> None:
        """Let the next run find all answers in the cache."""
        shutil.copytree(self.cache, os.environ["CITECHECK_CACHE"], dirs_exist_ok=True)


@pytest.fixture
def runs(tmp_path: Path, world: World, asked: LocalServices) -> Runs:
    """Runs in a separate folder with an empty cache."""
    tmp_path.joinpath("refs.bib").write_text(world.bibliography, encoding="utf-8")
    return Runs(tmp_path, asked)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, world: World, asked: LocalServices) -> Undisturbed:
    folder = tmp_path_factory.mktemp("undisturbed")
    folder.joinpath("refs.bib").write_text(world.bibliography, encoding="utf-8")
    before = len(asked.requests)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CITECHECK_CACHE", str(folder / "cache"))
        report = Runs(folder, asked).complete()
    counts = Counter(query for request in asked.requests[before:] for query in queries(request))
    denied = {query for query, times in counts.items() if times > 1}
    controls = {
        (source.name, request_key(alone.url, alone.body))
        for source in _SOURCES.values()
        for alone in map(source.request, ([control] for control in source.controls.values()))
    }
    assert not [query for query in denied - controls if counts[query] > 2]
    assert len(denied - controls) < 0.2 * len(counts)
    assert report["summary"]["verdicts"]["verified"] > 0.9 * _REFERENCES
    return Undisturbed(report, folder / "cache", frozenset(denied | controls))


def queries(request: LoggedRequest) -> set[tuple[str, str]]:
    """The questions of a request, each by the name of the source and the request that would ask it alone."""
    source = _SOURCES[request.service]
    sent = Request(source.name, source.base_url + request.path, body=request.body)
    return {(source.name, request_key(single.url, single.body)) for single in source.singles(sent)}


def essence(report: Path) -> dict[str, Any]:
    """Return the report without the sources queried in each run and batch."""
    data: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    data.pop("command", None)  # the folder of the cassettes differs
    for reference in data["references"]:
        for asked in reference["evidence"]:
            del asked["endpoint"]
    for source in data["sources"]:
        for name in ("requests", "replayed", "cached"):
            del source[name]
    return data


def after(seconds: float) -> Moment:
    """So long after the first time that somebody looks."""
    start = 0.0

    def over(_: object) -> bool:
        nonlocal start
        start = start or time.monotonic()
        return time.monotonic() >= start + seconds

    return over


def once(condition: Callable[[], object], seconds: float = 0.0) -> Moment:
    """Return a moment ``seconds`` after the condition holds."""
    later = after(seconds)
    return lambda process: bool(condition()) and later(process)


def never(_: object) -> bool:
    """The run comes to its end by itself."""
    return False


def more_asked(runs: Runs, count: int) -> Callable[[], bool]:
    """Return a condition that is true after ``count`` more requests."""
    goal = len(runs.services.requests) + count
    return lambda: len(runs.services.requests) >= goal


_CREATED = "os.link" if sys.platform == "linux" else "open"
"""The audit event with which a file gets a name."""


def kill_at(folder: Path, event: str, file: str, turn: int = 1) -> None:
    """Let runs in this folder be killed when they are about to do this (an audit event) with such a file."""
    folder.joinpath("conftest.py").write_text(
        f"""
import fnmatch, os, signal, sys
from pytest_citecheck.net import cassettes as saving

saving._INTERVAL = saving._SHARE = 0.0  # answers are saved each time, not every few seconds
seen = 0

def kill(event, arguments):
    global seen
    named = [os.path.basename(str(one)) for one in arguments[:2]]
    if event == {event!r} and fnmatch.filter(named, {file!r}):
        seen += 1
        if seen == {turn}:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(kill)
"""
    )


@pytest.mark.parametrize("seed", range(2))
def test_killed_five_times_while_asking(runs: Runs, undisturbed: Undisturbed, seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 - no secrets here
    for _ in range(5):
        moment = once(more_asked(runs, dice.randint(1, 7)), dice.uniform(0, 0.06))
        code, _, _ = runs.end(signal.SIGKILL, moment)
        assert code == -signal.SIGKILL
        assert not runs.report.exists()
    assert len(runs.stored) > 5
    assert runs.complete() == undisturbed.report
    assert not runs.repeated - undisturbed.denied


def test_killed_while_the_cache_is_made(runs: Runs, undisturbed: Undisturbed) -> None:
    cache = Path(os.environ["CITECHECK_CACHE"])
    cache.mkdir()
    dice = random.Random(1)  # noqa: S311 - no secrets here
    for _ in range(3):
        for file in cache.iterdir():
            file.unlink()
        code, _, _ = runs.end(signal.SIGKILL, once(lambda: list(cache.iterdir()), dice.uniform(0, 0.01)))
        assert code == -signal.SIGKILL
    assert runs.complete() == undisturbed.report


def test_killed_while_the_report_is_written(runs: Runs, undisturbed: Undisturbed) -> None:
    undisturbed.restore()
    runs.report.write_text("an older report")
    for event in (_CREATED, "os.rename"):
        kill_at(runs.folder, event, f".{_REPORT}.*")
        code, _, _ = runs.end(signal.SIGKILL, never)
        assert code == -signal.SIGKILL
        assert runs.report.read_text() == "an older report"
    runs.folder.joinpath("conftest.py").unlink()
    asked = len(runs.services.requests)
    assert runs.complete() == undisturbed.report
    assert not list(runs.folder.glob(".*.tmp"))
    assert len(runs.services.requests) == asked


def test_killed_while_a_cassette_is_saved(runs: Runs, undisturbed: Undisturbed) -> None:
    runs.options = ("--citecheck-cassettes=cassettes", "--citecheck-record=new")
    cassettes = runs.folder / "cassettes"
    for event, turn in ((_CREATED, 3), ("os.rename", 5)):
        kill_at(runs.folder, event, ".*.tmp", turn)
        code, _, _ = runs.end(signal.SIGKILL, never)
        assert code == -signal.SIGKILL
        kept = {file.name: json.loads(file.read_text(encoding="utf-8")) for file in cassettes.glob("*.json")}
        assert kept
        assert all(cassette["interactions"] for cassette in kept.values())
    runs.folder.joinpath("conftest.py").unlink()
    assert runs.complete() == undisturbed.report
    asked = len(runs.services.requests)
    assert runs.complete() == undisturbed.report
    assert len(runs.services.requests) == asked


def test_interrupted_and_terminated_while_asking(runs: Runs, undisturbed: Undisturbed) -> None:
    code, output, errors = runs.end(signal.SIGINT, once(more_asked(runs, 11)))
    assert code == pytest.ExitCode.INTERRUPTED
    assert "KeyboardInterrupt" in output
    assert "the answers so far are cached, and the next run continues from there" in output
    assert "Traceback" not in output
    assert not errors
    assert len(runs.stored) > 5
    code, output, errors = runs.end(signal.SIGTERM, once(more_asked(runs, 11)))
    assert code == pytest.ExitCode.INTERRUPTED
    assert "the answers so far are cached, and the next run continues from there" in output
    assert not errors
    assert runs.complete() == undisturbed.report
    assert not runs.repeated - undisturbed.denied


@pytest.mark.parametrize("signal_name", ["SIGINT", "SIGTERM"])
def test_interrupted_or_terminated_while_checking(runs: Runs, undisturbed: Undisturbed, signal_name: str) -> None:
    """The findings so far are summarised."""
    undisturbed.restore()
    conftest = runs.folder / "conftest.py"
    conftest.write_text(
        "import os, signal\n"
        "def pytest_runtest_logfinish(nodeid):\n"
        "    if nodeid == 'refs.bib::key39[venue]':\n"
        f"        os.kill(os.getpid(), signal.{signal_name})\n"
    )
    code, output, errors = runs.end(signal.SIGINT, never)
    assert code == pytest.ExitCode.INTERRUPTED
    assert "Traceback" not in output + errors
    assert "39 references" in output or "40 references" in output
    assert "FAILED refs.bib::key35" in output
    found = essence(runs.report)["references"]
    known = {reference["key"]: reference for reference in undisturbed.report["references"]}
    assert len(found) == 40
    assert found[:39] == [known[f"key{number}"] for number in range(39)]
    conftest.unlink()
    assert runs.complete() == undisturbed.report
