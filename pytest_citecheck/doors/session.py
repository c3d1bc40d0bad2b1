"""A session that outlives a run: it checks texts that change, and looks up only the entries that changed."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from pytest_citecheck import __version__
from pytest_citecheck.cli import Engine, Place, UsageError, conflicts_of, mend, result_of
from pytest_citecheck.fixing import FieldEdit
from pytest_citecheck.inputs import (
    BIBTEX,
    NO_WORKS,
    Bibliography,
    DocumentReader,
    EntryMemory,
    Surroundings,
    reader_named,
    why_unread,
)
from pytest_citecheck.model import Unavailable
from pytest_citecheck.plugin import format_of, packed, unpacked
from pytest_citecheck.reports import EvidenceData, Problem, ReferenceResult, RunResult, asked_json, problems
from pytest_citecheck.screen import show
from pytest_citecheck.today import today

if TYPE_CHECKING:
    from pytest_citecheck.checks import Evaluation
    from pytest_citecheck.cli import Mended
    from pytest_citecheck.inputs import Files
    from pytest_citecheck.lookup import Progress
    from pytest_citecheck.model import Reference
    from pytest_citecheck.net import TransportSettings

_AT_ONCE: Final = 100  # entries looked up together in local data; services get all at once
_KEPT: Final = 5000  # evaluated entries
_RETRY_SECONDS: Final = 300.0  # until an entry is looked up again that a source did not answer
_TEXT_FORMATS: Final = frozenset(
    {".bib", ".ris", ".nbib", ".tex", ".bbl", ".json", ".wiki", ".html", ".xml", ".md", ".txt"}
)
_BY_CHOICE: Final = frozenset({"offline", "not-recorded", "damaged-recording"})

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Checked:
    """A text after its check. result: as in the reports of a run. by_place: the problems of each reference."""

    bibliography: Bibliography
    result: RunResult
    by_place: tuple[tuple[Problem, ...], ...]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems, as from `reports.problems`."""
        further = replace(self.result, references=[])
        return (*(one for found in self.by_place for one in found), *problems(further))


@dataclass(slots=True)
class _Known:
    """An entry that was looked up: its evidence, packed, and its result. until: on the monotonic clock."""

    evidence: bytes
    reference: Reference
    result: ReferenceResult
    problems: tuple[Problem, ...]
    until: float


@dataclass(frozen=True, slots=True)
class _Unpacked(Iterable[EvidenceData]):
    """Evidence as reports show it, unpacked on access."""

    blob: bytes

    def __iter__(self) -> Iterator[EvidenceData]:
        return iter(asked_json(unpacked(self.blob)))


class DoorSession:
    """The engine of the commands with a memory. Not thread-safe: call it through `run`, which uses one thread.

    most: look-ups of entries in this session; None for any number.
    """

    def __init__(self, chosen: argparse.Namespace, command: str, most: int | None = None) -> None:
        self._engine = Engine(chosen, command)
        self._left = most
        self._engine_output: tuple[str, ...] | None = None  # what the engine wrote when it read the settings
        self._known: OrderedDict[Hashable, _Known] = OrderedDict()
        self._entries = EntryMemory(2 * _KEPT)
        self._names = count()
        self._thread = ThreadPoolExecutor(1, "citecheck")
        self._day = today()

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run this in the thread of the session. Cancelling the caller lets work end that has begun."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: work(*args, **kwargs))

    @property
    def notes(self) -> tuple[str, ...]:
        """Problems with the settings and the sources. Raises UsageError."""
        if self._engine_output is None:
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self._engine.session.gathering.open()
            self._engine_output = tuple(said.getvalue().splitlines())
            show(said.getvalue().rstrip(), error=True)
        return (*self._engine_output, *self._engine.session.gathering.problems)

    @property
    def source_labels(self) -> dict[str, str]:
        """Display names of the sources by name. Raises UsageError."""
        gathering = self._engine.session.gathering
        indexes = {index.name: index.label for index in gathering.indexes}
        return indexes | {source.name: source.label for source in gathering.sources}

    @property
    def transport(self) -> TransportSettings:
        """The settings for queries that are not about a reference. Raises UsageError."""
        return self._engine.session.gathering.open()

    def read(self, name: str, data: bytes, files: Files) -> Bibliography:
        """The references of a text; its name chooses the reader. files: those that a document may name. Raises UsageError,
        UnreadableDocumentError."""
        reader = reader_named(name)
        if reader is None:
            raise UsageError(why_unread(name))
        with self._entries.remembering():
            if isinstance(reader, DocumentReader):
                everything = self._engine.session.settings.documents.everything
                return reader.read_document(name, data, Surroundings(files, everything))
            return reader.read(name, data)

    def checked(
        self, read: Bibliography, progress: Progress | None = None, stop: threading.Event | None = None
    ) -> Checked:
        """Check what has been read. Raises UsageError, and asyncio.CancelledError if stopped."""
        session, references = self._engine.session, read.references
        known = self._looked_up(dict(enumerate(references)), read.path, progress, stop)
        shown = [self._shown(one, known.get(place)) for place, one in enumerate(references)]
        reader = reader_named(read.path)
        as_set = reader is BIBTEX or isinstance(reader, DocumentReader)
        further = conflicts_of(references, session) if as_set else ()
        results = [result for result, _ in shown]
        result = RunResult(__version__, results, (), further=further, policy=session.settings.policy.name)
        return Checked(read, result, tuple(found for _, found in shown))

    def evaluation(
        self, reference: Reference, progress: Progress | None = None, stop: threading.Event | None = None
    ) -> Evaluation | None:
        """The evaluation of one reference; None if it is no work. Raises as `checked`."""
        known = self._looked_up({0: reference}, reference.location.path, progress, stop)
        return self._evaluation(reference, known[0]) if known else None

    def evaluations(
        self, contents: Mapping[str, bytes], only: Collection[Place] | None = None
    ) -> dict[Place, tuple[Reference, Evaluation]]:
        """As of `cli.Engine`, for `mend`."""
        found = {}
        for name, data in contents.items():
            references = dict(enumerate(BIBTEX.read(name, data).references))
            wanted = {place: one for place, one in references.items() if only is None or (name, place) in only}
            for place, known in self._looked_up(wanted, name).items():
                found[name, place] = references[place], self._evaluation(references[place], known)
        return found

    def corrected(
        self, name: str, data: bytes, wanted: FieldEdit, place: int | None = None, stop: threading.Event | None = None
    ) -> Mended:
        """A BibTeX file with its certain corrections, as ``citecheck fix`` writes them. place: only of this entry."""
        self.checked(BIBTEX.read(name, data), stop=stop)
        waivers = self._engine.session.waivers
        wanted = replace(wanted, waived=lambda reference, one: waivers.of(reference, one.check, one.codes) is not None)
        return mend(self if place is None else _OneEntry(self, place), {name: data}, wanted)

    def close(self) -> None:
        """Close open resources, after the work that has begun."""
        self._thread.submit(self._engine.close)
        self._thread.shutdown(wait=True, cancel_futures=False)

    def _looked_up(
        self,
        references: Mapping[int, Reference],
        path: str,
        progress: Progress | None = None,
        stop: threading.Event | None = None,
    ) -> dict[int, _Known]:
        """Look up the works among the references that have changed since the last time, and return all."""
        _go_on(stop)
        if self._day != today():  # some checks depend on the date: a work can be too young for a source
            self._day = today()
            self._known.clear()
        works = {place: one for place, one in references.items() if one.readable and one.type not in NO_WORKS}
        names = {place: _content(one) for place, one in works.items()}
        found = {place: self._known[name] for place, name in names.items() if name in self._known}
        now = time.monotonic()
        new = {(path, place): one for place, one in works.items() if place not in found or found[place].until <= now}
        if self._left is not None:
            if len(new) > self._left:
                said = f"{len(new)} references would exceed the budget of this session, which has {self._left} left"
                raise UsageError(said)
            self._left -= len(new)
        local = self._engine.session.gathering.local
        parts = iter(new.items())
        while part := dict(islice(parts, _AT_ONCE if local else len(new))):
            _go_on(stop)
            for (_, place), (reference, evaluation) in self._engine.evaluated(part, progress, stop).items():
                blob = packed(evaluation.case.evidence)
                result, told = self._judged(reference, evaluation, blob)
                until = now + _RETRY_SECONDS if _is_outage(evaluation) else math.inf
                found[place] = self._known[names[place]] = _Known(blob, reference, result, told, until)
        for name in names.values():
            self._known.move_to_end(name)
        while len(self._known) > max(_KEPT, len(names)):
            self._known.popitem(last=False)
        return found

    def _judged(
        self, reference: Reference, evaluation: Evaluation, blob: bytes
    ) -> tuple[ReferenceResult, tuple[Problem, ...]]:
        result = replace(result_of(reference, evaluation, self._engine.session), evidence=_Unpacked(blob))
        return result, tuple(problems(RunResult(__version__, [result], ())))

    def _shown(self, reference: Reference, known: _Known | None) -> tuple[ReferenceResult, tuple[Problem, ...]]:
        """The result at the present place of the reference."""
        if known is None:
            result = result_of(reference, None, self._engine.session)
            return result, tuple(problems(RunResult(__version__, [result], ())))
        before, now = known.reference.location, reference.location
        if known.reference.suppressions != reference.suppressions or (before.path, before.unit) != (now.path, now.unit):
            known.result, known.problems = self._judged(reference, self._evaluation(reference, known), known.evidence)
        elif (moved := now.line - before.line) or before.end_line != now.end_line:
            findings: dict[str, Any] = {
                check: {**data, "place": [place[0] + moved, place[1], place[2] + moved, place[3]]}
                if (place := data.get("place"))
                else data
                for check, data in known.result.findings.items()
            }
            if "syntax" in findings:  # its message contains lines
                written = result_of(reference, None, self._engine.session).findings["syntax"]
                findings["syntax"] |= {name: value for name, value in written.items() if name in ("message", "place")}
            known.result = replace(known.result, line=now.line, end_line=now.end_line, findings=findings)
            known.problems = tuple(problems(RunResult(__version__, [known.result], ())))
        known.reference = reference
        return known.result, known.problems

    def _evaluation(self, reference: Reference, known: _Known) -> Evaluation:
        """All findings again, from the evidence."""
        name, session = f"{reference.location.path}::again-{next(self._names)}", self._engine.session
        session.gathering.expect([name])
        session.gathering.receive({name: known.evidence})
        evaluation = session.evaluation(name, reference)
        session.gathering.checked(name)
        return evaluation


def name_of_text(data: bytes) -> str:
    """A file name for a pasted text, with the ending of the text's format."""
    suffix = format_of(data)
    return f"input{suffix if suffix in _TEXT_FORMATS else '.txt'}"


class _OneEntry:
    """A view of a session that evaluates one entry of each file."""

    def __init__(self, session: DoorSession, place: int) -> None:
        self._session, self._place = session, place

    def evaluations(
        self, contents: Mapping[str, bytes], only: Collection[Place] | None = None
    ) -> dict[Place, tuple[Reference, Evaluation]]:
        places = {(name, self._place) for name in contents}
        return self._session.evaluations(contents, places if only is None else places & set(only))


def _go_on(stop: threading.Event | None) -> None:
    if stop is not None and stop.is_set():
        raise asyncio.CancelledError


def _content(reference: Reference) -> Hashable:
    """Everything that its evaluation depends on: not its place in the file."""
    defects = tuple((one.code, one.message) for one in reference.defects)
    return reference.key, reference.type, reference.text, tuple(reference.fields.items()), defects


def _is_outage(evaluation: Evaluation) -> bool:
    answers = (one.answer for one in evaluation.case.evidence.asked)
    return any(isinstance(one, Unavailable) and one.reason not in _BY_CHOICE for one in answers)
