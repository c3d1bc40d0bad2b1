"""Phase 1 in one process: local look-ups, results of other processes, and the evidence of references until they are
checked.

Without pytest-xdist one process does it all. With it, each worker looks up its share of the references in local data:
the local indexes and, if the run is offline, the cache. The controller queries the network about what is left. In a run
that reads only local data, groups of references are looked up while the checks run.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import datetime
import pickle
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from pytest_citecheck.evidence import AbsenceContext, Controls
from pytest_citecheck.lookup import (
    PROFILES,
    WAITING,
    LookupState,
    expected_requests,
    forecast,
    gather,
    looked_up,
    seconds_at_limits,
)
from pytest_citecheck.matching import safe_line
from pytest_citecheck.nearest import hint
from pytest_citecheck.net import CassetteError
from pytest_citecheck.plugin.extensions import changed_sources
from pytest_citecheck.plugin.results import packed, unpacked
from pytest_citecheck.screen import SafeReporter
from pytest_citecheck.sources import SOURCES, WEB_PAGE
from pytest_citecheck.today import age

if TYPE_CHECKING:
    from pytest_citecheck.checks import Evaluation
    from pytest_citecheck.lookup import Forecast, IndexSource, Profile, Progress
    from pytest_citecheck.model import Evidence, Reference
    from pytest_citecheck.net import Tally, TransportSettings
    from pytest_citecheck.plugin.settings import Settings
    from pytest_citecheck.sources import Source

# A progress line while evidence is gathered. On a terminal it disappears when the tests start; elsewhere there is one
# every ten seconds, as a sign of life.
_MOMENT = 5.0  # seconds that need no announcement
_LONG = 60.0  # seconds from which a local index is worth its making


def duration(seconds: float) -> str:
    """``about 40 s``, ``about 2 min``."""
    return f"about {seconds:.0f} s" if seconds < 90 else f"about {seconds / 60:.0f} min"


PAUSE = 10.0
"""Seconds between two lines where there is no terminal."""


def plain_lines(write: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> Progress:
    """A callback that writes a line every ten seconds at most, the first after ten. The rate so far gives the time left."""
    started = clock()
    due = started + PAUSE

    def show(what: str, done: int, total: int) -> None:
        nonlocal due
        now = clock()
        if now >= due:
            due = now + PAUSE
            left = f", {duration((now - started) * (total - done) / done)} left" if 0 < done < total else ""
            left = "" if what.startswith(WAITING) else left  # one time a line
            write(f"citecheck: {what} {done}/{total}{left}")

    return show


@contextmanager
def progress_line(config: pytest.Config) -> Generator[Progress | None]:
    """Yield a callback that shows the progress, or None if the output is quiet. The reporter's own callback comes first."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if own := getattr(reporter, "progress", None):
        yield own
        return
    if reporter is None or config.get_verbosity() < 0:
        yield None
        return
    if not reporter.isatty:
        yield plain_lines(lambda line: SafeReporter(reporter).line(line, flush=True))
        return
    try:
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    except ImportError:
        width = 0

        def show(what: str, done: int, total: int) -> None:
            nonlocal width
            line = f"citecheck: {what} {done}/{total}"
            reporter._tw.write(f"\r{safe_line(line).ljust(width)}", flush=True)  # noqa: SLF001
            width = len(line)

        try:
            yield show
        finally:
            reporter._tw.write("\r" + " " * width + "\r")  # noqa: SLF001
        return
    columns = (TextColumn("citecheck: {task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=reporter._tw._file), transient=True) as bar:  # noqa: SLF001
        task = bar.add_task("querying", total=None)
        yield lambda what, done, total: bar.update(task, description=safe_line(what), completed=done, total=total)


T = TypeVar("T")

_POLL = 0.1  # seconds: on Windows Ctrl-C does not end a wait


def run_to_end(coroutine: Coroutine[Any, Any, T], stop: threading.Event | None = None) -> T:
    """Run the coroutine in a new event loop: in this thread, or in another one if this thread has a running loop.

    Ctrl-C cancels the coroutine, waits for its end and raises KeyboardInterrupt. Exceptions of the coroutine pass
    through. stop: cancels it too; asyncio.CancelledError is then raised.
    """
    if stop is not None:
        coroutine = _until(coroutine, stop)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    loop = asyncio.new_event_loop()
    task = loop.create_task(coroutine)
    results: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: loop) as runner:
                results.append(runner.run(_result(task)))
        except BaseException as error:  # noqa: BLE001 - raised in the thread that waits
            errors.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), name="citecheck", daemon=True)
    with _cancelled_by_ctrl_c(loop, task):
        thread.start()
        while thread.is_alive():
            thread.join(_POLL)
    if errors:
        raise errors[0]
    return results[0]


async def _result(task: asyncio.Task[T]) -> T:
    return await task


async def _until(coroutine: Coroutine[Any, Any, T], stop: threading.Event) -> T:
    task = asyncio.ensure_future(coroutine)
    while not (await asyncio.wait([task], timeout=_POLL))[0]:
        if stop.is_set():
            task.cancel()
    return task.result()


@contextlib.contextmanager
def _cancelled_by_ctrl_c(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> Iterator[None]:
    """Cancel the task of another thread at the first SIGINT, raise KeyboardInterrupt at its end or at the second.

    The handler of the outer `asyncio.run` only cancels a task that waits for this thread. SIGINT stays ignored where it is.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    interrupted = False

    def interrupt(_number: int, _frame: object) -> None:
        nonlocal interrupted
        if interrupted:
            raise KeyboardInterrupt
        interrupted = True
        with contextlib.suppress(RuntimeError):  # the loop is closed: it has ended
            loop.call_soon_threadsafe(task.cancel)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupted:
        raise KeyboardInterrupt


_GROUP = 50
"""References that are looked up together where all data is local: a search in an index is faster for several."""
_CONTROLS = ""
"""The name under which the controls travel with the evidence; no reference has it."""


class Gathering:
    """The sources of a run, and the answers that this process has for references.

    statistics: effort of queries, by source; for local data, reports count the answers.
    """

    def __init__(self, config: pytest.Config, settings: Settings, today: datetime.date) -> None:
        self.settings = settings
        self.sources: list[Source] = list(SOURCES)
        self.indexes: list[IndexSource] = []
        self.statistics: Mapping[str, Tally] = {}
        self._config = config
        self._today = today
        self._transport: TransportSettings | None = None
        self._problems: dict[str, None] = {}
        self._states: dict[str, LookupState] = {}
        self._packed: dict[str, bytes] = {}
        self._controls = Controls()
        self.current = ""  # the reference that is being checked
        self._evaluation: Evaluation | None = None  # of that reference
        self._left: Counter[str] = Counter()
        self._awaited: dict[str, Reference] = {}

    # --- what is queried

    @property
    def local(self) -> bool:
        """True if only local data that any process can read needs to be queried."""
        return self.settings.offline and self.settings.cassettes is None

    @property
    def asks_services(self) -> bool:
        """True if the run may send requests."""
        return not self.settings.offline and (self.settings.cassettes is None or self.settings.record != "none")

    def _announce(self, references: Mapping[str, Reference], begun: Mapping[str, Evidence]) -> None:
        """Print how long the run takes at the limits of the services, and what shortens it, if that is more than a moment."""
        transport = self.open()
        if self.indexes and not begun:
            states = looked_up(references, self.indexes, self._today)
            references = {name: one for name, one in references.items() if not states[name].settled}
        requests = run_to_end(expected_requests(references, self.sources, transport, self._today, self._profile, begun))
        seconds, slowest = seconds_at_limits(requests, self.sources, transport)
        shorter = self._seconds(requests, contact=True)
        reporter = self._config.pluginmanager.getplugin("terminalreporter")
        if seconds >= _MOMENT and reporter is not None:
            count = f"{len(references)} reference{'' if len(references) == 1 else 's'}"
            said = f"citecheck: {count}, {duration(seconds)} at the services' limits ({slowest} is the slowest)"
            if shorter < seconds:
                said += f"; {duration(shorter)} with --citecheck-contact=ADDRESS"
            elif seconds >= _LONG and not self.indexes:
                said += "; a local index needs fewer requests"
            SafeReporter(reporter).line(said, flush=True)

    @property
    def names_of_local(self) -> Collection[str]:
        """The sources that are only looked up on this machine."""
        return [*(index.name for index in self.indexes), *(source.name for source in self.sources if self.local)]

    def open(self) -> TransportSettings:
        """Open the local indexes and let hooks change the sources. Raises pytest.UsageError for unusable ones."""
        if self._transport is None:
            self._transport = self._settings_of_transport()
            if self.settings.indexes:
                self._open_indexes()
        return self._transport

    def _open_indexes(self) -> None:
        from pytest_citecheck.index import IndexFileError  # noqa: PLC0415
        from pytest_citecheck.lookup import IndexSource  # noqa: PLC0415 - for runs with an index

        for number, path in enumerate(self.settings.indexes, start=1):
            try:
                self.indexes.append(IndexSource(path, f"index-{number}" if number > 1 else "index"))
            except IndexFileError as error:
                raise pytest.UsageError(str(error)) from error

    def _settings_of_transport(self) -> TransportSettings:
        self.sources = changed_sources(self._config, self.sources)
        names = dict.fromkeys(source.name for source in (*SOURCES, *self.sources))
        if not self.settings.urls:
            self.sources = [source for source in self.sources if source is not WEB_PAGE]
        for name in self.settings.servers.names:
            if name not in names:
                raise pytest.UsageError(f"unknown source {name!r}{hint(name, names)}")
        chosen, left_out = (self._named(given, names) for given in (self.settings.sources, self.settings.exclude))
        self.sources = [
            source
            for source in self.sources
            if (not self.settings.sources or source.name in chosen) and source.name not in left_out
        ]
        try:
            return self.settings.transport(self.sources)
        except ValueError as error:
            raise pytest.UsageError(str(error)) from error

    @staticmethod
    def _named(given: Iterable[str], names: Iterable[str]) -> set[str]:
        """The sources with these names, and all of a family: ``dblp`` has several. Raises pytest.UsageError."""
        found: set[str] = set()
        for name in given:
            family = {one for one in names if one == name or one.startswith(f"{name}_")}
            if not family:
                raise pytest.UsageError(f"unknown source {name!r}{hint(name, names)}")
            found |= family
        return found

    @property
    def problems(self) -> tuple[str, ...]:
        """Notes for the user."""
        damage = (index.damage for index in self.indexes if index.damage)
        return (*self._told_of_indexes(), *damage, *self._problems)

    def _told_of_indexes(self) -> Iterator[str]:
        for index in self.indexes:
            if (age(index.date) or 0) > self.settings.index_max_age:
                yield f"{index.path} is of {index.date}: rebuild it (citecheck_index_max_age)"
            if index.only_own:
                yield f"{index.path} contains only your own references, which are not used as evidence"

    @property
    def _profile(self) -> Profile:
        return PROFILES[self.settings.profile]

    def forecast(self, references: Mapping[str, Reference]) -> tuple[Forecast, ...]:
        """Requests that `gather` would send for these references."""
        transport = self.open()
        try:
            return run_to_end(forecast(references, self.sources, transport, self._today, self._profile, self.indexes))
        except CassetteError as error:
            raise pytest.UsageError(str(error)) from error

    def duration_of(self, requests: Mapping[str, int], *, contact: bool) -> str:
        """How long these requests take at the limits of the services, with or without a contact address."""
        return duration(self._seconds(requests, contact=contact))

    def _seconds(self, requests: Mapping[str, int], *, contact: bool) -> float:
        transport = self.open()
        address = (transport.contact or "a@example.org") if contact else ""
        return seconds_at_limits(requests, self.sources, replace(transport, contact=address))[0]

    # --- one process, or the controller

    def gather(
        self,
        references: Mapping[str, Reference],
        progress: Progress | None = None,
        shares: Mapping[str, bytes | None] | None = None,
        stop: threading.Event | None = None,
    ) -> None:
        """Query the sources about these references. shares: results of `look_up` on the workers. stop: see `run_to_end`."""
        transport, known = self.open(), shares or {}
        left = {name: reference for name, reference in references.items() if known.get(name, b"") is not None}
        first = _first_of_equals(left) if not known else {}
        begun = {name: unpacked(blob) for name, blob in known.items() if blob is not None}
        if progress is not None and self.asks_services:
            self._announce({name: one for name, one in left.items() if name not in first}, begun)
        try:
            result = run_to_end(
                gather(
                    {name: reference for name, reference in left.items() if name not in first},
                    self.sources,
                    transport,
                    self._today,
                    progress,
                    self._profile,
                    self.indexes,
                    begun,
                ),
                stop,
            )
        except CassetteError as error:
            raise pytest.UsageError(str(error)) from error
        self.statistics = self.statistics or result.statistics
        self._problems.update(dict.fromkeys(result.problems))
        self._states.update(result.states)
        self._evaluation = None
        for name, other in first.items():
            self._states[name] = LookupState.of(left[name], self._today, result.states[other].evidence())
        if not self.local:  # each process would count its share alone
            self._controls = result.controls

    def published(self) -> dict[str, bytes]:
        """Return the gathered evidence for the workers and drop it from this process."""
        blobs = {name: packed(state.evidence()) for name, state in self._states.items()}
        self._states.clear()
        return {**blobs, _CONTROLS: pickle.dumps(self._controls, protocol=pickle.HIGHEST_PROTOCOL)}

    # --- a process that looks up local data only

    def look_up_later(self, references: Mapping[str, Reference]) -> None:
        """Look these up in groups, each when its first reference is checked: memory does not grow with their number.

        Raises pytest.UsageError for options that cannot be used.
        """
        self.open()
        self._awaited.update(references)

    def look_up_group(self, name: str) -> None:
        """Look up this reference and the next ones, if it has not been looked up."""
        if name in self._awaited:
            awaited = list(self._awaited)
            first = awaited.index(name)
            self.gather({member: self._awaited.pop(member) for member in awaited[first : first + _GROUP]})

    # --- a worker

    def look_up(self, references: Mapping[str, Reference]) -> dict[str, bytes | None]:
        """Look up a share of the references: for each, None if settled, else the evidence so far."""
        if not self.settings.indexes:
            return {}
        self.open()
        states = looked_up(references, self.indexes, self._today)
        # Existence of cited pages is also checked for settled references.
        done = {name for name, state in states.items() if state.settled and not self.settings.urls}
        self._states.update((name, states[name]) for name in done)
        return {name: None if name in done else packed(state.evidence()) for name, state in states.items()}

    def receive(self, evidence: Mapping[str, bytes]) -> None:
        """Receive the evidence that the controller has gathered."""
        self._packed.update(evidence)
        if self.current in evidence:
            self._states.pop(self.current, None)
        self._evaluation = None
        if _CONTROLS in self._packed:
            self._controls = pickle.loads(self._packed.pop(_CONTROLS))  # noqa: S301 - written by the controller of this run

    def worker_report(self) -> dict[str, Any]:
        """Return the worker's results for the controller as plain data."""
        return {
            "damaged": {index.name: sorted(index.damaged_rows) for index in self.indexes},
            "problems": list(self._problems),
        }

    def add_worker_report(self, report: Mapping[str, Any]) -> None:
        """Add the results of a worker."""
        for index in self.indexes:
            index.damaged_rows.update((table, row) for table, row in report["damaged"].get(index.name, ()))
        self._problems.update(dict.fromkeys(report["problems"]))

    # --- phase 2

    def expect(self, names: Iterable[str]) -> None:
        """References with checks to run, each as often as it has checks."""
        self._left.update(names)

    def evaluation(self, name: str, reference: Reference, prior: float) -> Evaluation:
        """All findings and the verdict for a reference. prior: the share of invented ones among those like it."""
        if name != self.current:
            self._put_away()
            self.current, self._evaluation = name, None
        if self._evaluation is None:
            if name not in self._states:
                self._states[name] = self._found(name, reference)
            absences = AbsenceContext(self._controls, self.settings.policy.escape_limit, prior)
            self._evaluation = self._states[name].evaluate_finally(absences)
        return self._evaluation

    def _found(self, name: str, reference: Reference) -> LookupState:
        self.look_up_group(name)
        if name in self._states:
            return self._states[name]
        blob = self._packed.get(name)
        if blob is not None:
            return LookupState.of(reference, self._today, unpacked(blob))
        # It was in the share of another worker, which kept the result, or its checks run once more.
        if hasattr(self._config, "workerinput") and not self.local:
            self.look_up({name: reference})
        else:
            self.gather({name: reference})
        return self._states.get(name) or LookupState.of(reference, self._today)

    def _put_away(self) -> None:
        """Compress the evidence of the previous reference if more of its checks will run later."""
        state = self._states.pop(self.current, None)
        if state is not None and self._left[self.current] > 0:
            self._packed[self.current] = packed(state.evidence())

    def checked(self, name: str) -> None:
        """Note that a check of a reference is done; after the last one, its evidence is dropped with the next
        reference."""
        self._left[name] -= 1
        if self._left[name] <= 0:
            self._left.pop(name)
            self._packed.pop(name, None)

    def close(self) -> None:
        """Close the indexes."""
        for index in self.indexes:
            index.close()


def _first_of_equals(references: Mapping[str, Reference]) -> dict[str, str]:
    """Map each repeated reference to the first with the same text and fields: a work may be cited in forty docstrings."""
    seen: dict[tuple[object, ...], str] = {}
    repeated: dict[str, str] = {}
    for name, one in references.items():
        if one.text and not one.macros and not one.defects:
            first = seen.setdefault((one.type, one.text, *sorted(one.fields.items())), name)
            if first != name:
                repeated[name] = first
    return repeated
