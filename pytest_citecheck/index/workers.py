"""Reads dump files in several processes, which also prepare the records for the index.

A file is given to a process by its path; of a large one, parts or the files of an archive are written to a scratch folder
first. A process writes its results to that folder, too, so nothing but names passes between processes. Results come in the
order of the files, and how files are divided does not depend on the number of processes: the index is the same for any.
"""

from __future__ import annotations

import multiprocessing
import pickle
import shutil
import signal
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.garbage import without_collecting
from pytest_citecheck.index.builder import Prepared, prepare, scratch_folder
from pytest_citecheck.index.collection_files import FORMATS, SNIFFED, Reading, detect
from pytest_citecheck.index.layout import CHUNK, IndexFileError
from pytest_citecheck.sources import Context, Part, Problem, contents, peek

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess
    from typing import Self

    from pytest_citecheck.model import Record

LARGE = 4 << 20
"""Bytes of a file from which it is divided, if it is also a considerable part of all files."""
_CONSIDERABLE = 16
_WAITING = 2  # pieces of a process: the one that it reads, and the next one
_DIED = "a process that read the dumps died: nothing was changed"


@dataclass(frozen=True, slots=True)
class Piece:
    """A file to read, or a piece of one. file: its place in the list. name: for problems. part: without its data; None for a
    whole file. form: name of the format of a part. before: problems found while dividing the file. last: of its file."""

    file: int
    path: Path
    name: str
    last: bool
    part: Part | None = None
    form: str = ""
    before: tuple[Problem, ...] = ()


@dataclass(slots=True)
class Batch:
    """Records of a file, and problems, in one run.

    prepared: None if there are no records. ids: of the records, by collection. ended: the problem after the last record. last:
    True for the last batch of the file. The others are as in `Reading`.
    """

    file: int
    last: bool = False
    prepared: Prepared | None = None
    ids: dict[str, list[str]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    ended: Problem | None = None
    formats: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    deleted: list[str] = field(default_factory=list)


def batches(piece: Piece, source: str) -> Iterator[Batch]:
    """Read a piece. Raises DumpError."""
    reading = Reading(piece.path, source, name=piece.name, part=piece.part, form=piece.form)
    records: list[Record] = []
    batch = Batch(piece.file, problems=list(piece.before), ended=next(iter(piece.before[-1:]), None))
    while True:
        try:
            item = next(reading, None)
        except OSError as error:
            item = Problem(piece.name, 0, f"the file cannot be read: {error.strerror or error}", cut=True)
            batch.problems.append(item)
            batch.ended, item = item, None
        if isinstance(item, Problem):
            batch.problems.append(item)
            batch.ended = item
        elif item is not None:
            batch.ended = None
            records.append(item)
        if item is None or len(records) == CHUNK or len(batch.problems) == CHUNK:
            if records:
                batch.prepared = prepare(records)
                for record in records:
                    batch.ids.setdefault(record.source, []).append(record.id)
            if item is None:
                batch.formats, batch.skipped, batch.deleted = reading.formats, reading.skipped, reading.deleted
                batch.last = piece.last
                yield batch
                return
            yield batch
            records, batch = [], Batch(piece.file)


class Workers:
    """Processes that read files for one build. jobs: their number; with 1, this process reads.

    Use it as a context: at its end, the processes end, and the scratch folder is removed.
    """

    def __init__(self, out: Path, jobs: int) -> None:
        self._jobs = jobs
        self._folder = scratch_folder(out.resolve())
        self._processes: list[SpawnProcess] = []
        self._pipes: list[Connection] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.join()
        if self._folder.exists():
            shutil.rmtree(self._folder, ignore_errors=True)

    def read(self, files: Sequence[Path], source: str) -> Iterator[Batch]:
        """The contents of the files in their order. Raises DumpError, OSError, and IndexFileError if a process dies."""
        pieces = self._pieces(files, source)
        if self._jobs > 1:
            yield from self._distributed(pieces, source)
            return
        for piece in pieces:
            yield from batches(piece, source)
            if piece.path.parent == self._folder:
                piece.path.unlink()

    def _pieces(self, files: Sequence[Path], source: str) -> Iterator[Piece]:
        sizes = [_size(path) for path in files]
        for number, (path, size) in enumerate(zip(files, sizes, strict=True)):
            if size >= max(LARGE, sum(sizes) // _CONSIDERABLE):
                yield from self._divided(number, path, source)
            else:
                yield Piece(number, path, str(path), last=True)

    def _divided(self, number: int, path: Path, source: str) -> Iterator[Piece]:
        """The pieces of a file: parts, files of an archive and parts of these; or all of it."""
        context = Context(str(path), source)
        ended: list[Problem] = []
        count = 0
        try:
            for inner, opened in contents(path, context, raw=True):
                head, chunks = peek(opened, SNIFFED)
                form = detect(inner.file, head)
                parts = getattr(form, "parts", None)
                divided = parts(head, chunks) if parts is not None else None
                if divided is None and inner is context:
                    yield Piece(number, path, str(path), last=True)
                    return
                if divided is None:
                    with self._scratch(f"{number}-{count}").open("wb") as file:
                        file.writelines(chunks)
                    yield Piece(number, Path(file.name), inner.file, last=False, before=_taken(context))
                    count += 1
                    continue
                for part in divided:
                    where = self._scratch(f"{number}-{count}")
                    where.write_bytes(part.data)
                    name = form.name if form else ""
                    rest = part._replace(data=b"")
                    yield Piece(number, where, inner.file, False, rest, name, _taken(context))
                    count += 1
        except OSError as error:
            ended = [Problem(str(path), 0, f"the file cannot be read: {error.strerror or error}", cut=True)]
        # An empty piece ends the file.
        where = self._scratch(f"{number}-{count}")
        where.touch()
        yield Piece(number, where, str(path), True, None, FORMATS[0].name, (*_taken(context), *ended))

    def _scratch(self, name: str) -> Path:
        if not self._folder.exists():
            self._folder.mkdir(0o700)
        return self._folder / name

    def _distributed(self, pieces: Iterator[Piece], source: str) -> Iterator[Batch]:
        """Every process has a piece to read and the next one; results wait on disk until it is their turn."""
        self._start(source)
        busy: dict[Connection, deque[int]] = {pipe: deque() for pipe in self._pipes}
        results: dict[int, list[Path]] = {}
        given = turn = 0
        more = True
        while more or turn < given:
            for pipe in sorted(busy, key=lambda one: len(busy[one])):
                if more and len(busy[pipe]) < _WAITING:
                    piece = next(pieces, None)
                    if piece is None:
                        more = False
                        break
                    _send(pipe, (given, piece))
                    busy[pipe].append(given)
                    given += 1
            idle = more and any(len(waiting) < _WAITING for waiting in busy.values())
            ready = turn in results
            answered = wait(list(busy), 0 if ready or idle else None)
            for pipe in filter(answered.__contains__, busy):
                number, result = _receive(pipe)
                busy[pipe].remove(number)
                results[number] = result
            if turn in results:
                for path in results.pop(turn):
                    with path.open("rb") as file:
                        batch = pickle.load(file)  # noqa: S301 - of a process of this program
                    path.unlink()
                    yield batch
                turn += 1

    def _start(self, source: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._scratch("")
        for _ in range(self._jobs):
            pipe, pipe_of_worker = context.Pipe()
            process = context.Process(target=_work, args=(pipe_of_worker, source, self._folder), daemon=True)
            process.start()
            pipe_of_worker.close()
            self._processes.append(process)
            self._pipes.append(pipe)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _taken(context: Context) -> tuple[Problem, ...]:
    taken = tuple(context.pending)
    context.pending.clear()
    return taken


def _send(pipe: Connection, content: object) -> None:
    try:
        pipe.send(content)
    except OSError as error:
        raise IndexFileError(_DIED) from error


def _receive(pipe: Connection) -> tuple[int, list[Path]]:
    try:
        answer: tuple[int, list[Path]] | BaseException = pipe.recv()
    except (EOFError, OSError) as error:
        raise IndexFileError(_DIED) from error
    if isinstance(answer, BaseException):
        raise answer
    return answer


def _work(pipe: Connection, source: str, folder: Path) -> None:
    """Read pieces until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one ends it
    with suppress(EOFError, BrokenPipeError), without_collecting():
        while True:
            number, piece = pipe.recv()
            try:
                results = []
                for count, batch in enumerate(batches(piece, source)):
                    results.append(folder / f"{number}-{count}.batch")
                    with results[-1].open("wb") as file:
                        pickle.dump(batch, file, pickle.HIGHEST_PROTOCOL)
                if piece.path.parent == folder:
                    piece.path.unlink()
                pipe.send((number, results))
            except Exception as error:  # noqa: BLE001 - raised by the process that waits for it
                pipe.send(error)
