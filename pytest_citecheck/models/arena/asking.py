"""Requests the missing answers from the models of an arena, and stores each as it arrives."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from pytest_citecheck.atomic_write import whole_file
from pytest_citecheck.inputs import AnswerGroup
from pytest_citecheck.models.arena.configuration import ArenaQuery, system_prompt
from pytest_citecheck.models.chat import (
    CallFailure,
    ChatModel,
    ChatRequest,
    EndpointOptions,
    Message,
    Reply,
    Tool,
    ToolCall,
)

# The cells of an arena, which are the answers to request: each endpoint with each query, for each sample.


_TOKENS_OF_REFERENCE = 250  # a BibTeX entry and a sentence


class SelectionError(ValueError):
    """A selection of models or queries that selects nothing; the text lists the valid ones."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One answer to request. sample: from 1. prompt: the system prompt. fingerprint: of all that the answer depends on."""

    endpoint: EndpointOptions
    query: ArenaQuery
    sample: int
    prompt: str = field(repr=False)
    fingerprint: str

    @property
    def key(self) -> tuple[str, str]:
        """Key of an answer to this request."""
        return self.endpoint.name, self.fingerprint

    @property
    def spoken(self) -> str:
        """Messages to the model."""
        return f"{self.prompt}\n{self.query.text}"

    @property
    def expected(self) -> int:
        """The tokens that the answer has, roughly."""
        return _TOKENS_OF_REFERENCE * self.query.num_refs

    def described(self) -> dict[str, Any]:
        """The cell in the file of answers."""
        query = self.query
        return {
            "model": self.endpoint.name,
            "query": query.text,
            **({"id": query.id} if query.id else {}),
            "discipline": query.discipline,
            "num_refs": query.num_refs,
            "language": query.language,
            **({"year_constraint": dict(query.constraint)} if query.constraint else {}),
            **({"tool": True} if self.endpoint.tools.enabled else {}),
            "served": self.endpoint.model,
        }

    def group(self) -> AnswerGroup:
        """The cell as the reader of answers describes an answer."""
        query = self.query
        return AnswerGroup(
            model=self.endpoint.name,
            query=query.text,
            number=query.number,
            sample=self.sample,
            discipline=query.discipline,
            language=query.language,
            requested=query.num_refs,
            earliest=query.earliest,
            latest=query.latest,
            id=query.id,
            tool=self.endpoint.tools.enabled,
            served=self.endpoint.model,
        )


def cells_of(endpoints: Iterable[EndpointOptions], queries: Iterable[ArenaQuery], samples: int = 1) -> list[Cell]:
    """All cells, query by query."""
    endpoints = list(endpoints)
    times: Counter[str] = Counter()
    cells = []
    for query in queries:
        times[query.text] += 1  # a query that occurs twice in a file is answered twice
        for endpoint in endpoints:
            prompt = system_prompt(endpoint, query)
            for sample in range(1, samples + 1):
                mark = _fingerprint(endpoint, prompt, query, sample, times[query.text])
                cells.append(Cell(endpoint, query, sample, prompt, mark))
    return cells


def _fingerprint(endpoint: EndpointOptions, prompt: str, query: ArenaQuery, sample: int, occurrence: int) -> str:
    """Model, prompt, parameters and query; neither address nor key, and nothing that only the scores depend on."""
    tools = endpoint.tools
    said = {
        "model": endpoint.model,
        "prompt": prompt,
        "parameters": endpoint.parameters,
        "query": query.text,
        "sample": [sample, occurrence],
        "tools": [tools.iterations, tools.search_depth, tools.provider] if tools.enabled else None,
    }
    text = json.dumps(said, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def selected_models(endpoints: Sequence[EndpointOptions], patterns: Sequence[str]) -> tuple[EndpointOptions, ...]:
    """The endpoints whose name matches one of the shell patterns; all without a pattern. Raises SelectionError."""
    for pattern in patterns:
        if not any(fnmatchcase(one.name, pattern) for one in endpoints):
            raise SelectionError(f"unknown model {pattern!r}; known are {', '.join(one.name for one in endpoints)}")
    return tuple(
        one for one in endpoints if not patterns or any(fnmatchcase(one.name, pattern) for pattern in patterns)
    )


def selected_queries(queries: Sequence[ArenaQuery], parts: Sequence[str]) -> tuple[ArenaQuery, ...]:
    """The queries of these numbers (``3``), ranges (``2-5``), ids or disciplines; all without a part. Raises SelectionError."""
    chosen: set[int] = set()
    for part in parts:
        low, dash, high = part.partition("-")
        if low.isdecimal() and (high.isdecimal() or not dash):
            span = range(int(low), int(high or low) + 1)
            found = {query.number for query in queries if query.number in span}
        else:
            found = {query.number for query in queries if part in (query.id, query.discipline)}
        if not found:
            raise SelectionError(f"unknown query {part!r}: use numbers, ranges such as 2-5, ids or disciplines")
        chosen |= found
    return tuple(query for query in queries if not parts or query.number in chosen)


# The file of answers: the checkpoint of an arena. A line is appended for each answer as it arrives.


try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class LoggedRequest(Protocol):
    """A request to a model, with its answer in the file. key: the model, and a fingerprint of the request."""

    @property
    def key(self) -> tuple[str, str]: ...

    def described(self) -> dict[str, Any]:
        """The fields of its line besides the answer; ``model`` is one of them."""
        ...


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """Answer of a model, with its cost.

    text: None if the call failed, with the reason in ``failure`` and ``detail``. finish: reason for the end of the
    answer (``length``: it is cut off). tokens and cost (US dollars): None if unknown. calls: of the model; searches: of
    the tool, by the model; fallback: True if the answer comes from a call without the tool.
    """

    text: str | None
    failure: str = ""
    detail: str = ""
    finish: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    calls: int = 1
    searches: int = 0
    iterations: int = 0
    fallback: bool = False
    attempts: int = 1
    seconds: float = 0.0
    served_by: str = ""


@dataclass(frozen=True, slots=True)
class LoggedAnswer:
    """An answer in the file. line: its number, from 1; text_of_line: the line as written, without its end."""

    model: str
    fingerprint: str
    answer: ModelAnswer
    line: int
    text_of_line: bytes

    @property
    def key(self) -> tuple[str, str]:
        """The key of its cell."""
        return self.model, self.fingerprint


_DETAILS = tuple(field.name for field in fields(ModelAnswer) if field.name != "text")


def read_log(path: Path) -> list[LoggedAnswer]:
    """All whole answers of the file; none if there is no file. Lines that are no answer are passed over. Raises OSError."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    found = []
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        answer = _parsed(line, number)
        if answer is not None:
            found.append(answer)
    return found


def _parsed(line: bytes, number: int) -> LoggedAnswer | None:
    try:
        value = json.loads(line)
        details = value["call"]
        text, model, mark = value["answer"], value["model"], value["fingerprint"]
        if not (isinstance(text, str | None) and isinstance(model, str) and isinstance(mark, str)):
            return None
        answer = ModelAnswer(text, **{name: details[name] for name in _DETAILS if name in details})
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return LoggedAnswer(model, mark, answer, number, line)


def _line(cell: LoggedRequest, answer: ModelAnswer) -> bytes:
    said = asdict(answer)
    text = said.pop("text")
    blank = asdict(ModelAnswer(None))
    value: dict[str, Any] = {
        **cell.described(),
        "answer": text,
        "fingerprint": cell.key[1],
        "call": {name: value for name, value in said.items() if value != blank[name]},
    }
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


class AnswerLog:
    """The file while this process asks; `opened` locks it for one process at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    @contextlib.contextmanager
    def opened(self, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Lock the file for this process. waiting: called once if another process has the lock. Raises OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(self.path.with_name(f".{self.path.name}.lock"), waiting):
            self._drop_torn_line()
            self._handle = os.open(
                self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666
            )
            try:
                yield
            finally:
                with contextlib.suppress(OSError):  # a pipe or a device
                    os.fsync(self._handle)
                os.close(self._handle)
                self._handle = None

    def _drop_torn_line(self) -> None:
        if not self.path.is_file():
            return
        with self.path.open("rb+") as file:
            data = file.read()
            whole = data.rfind(b"\n") + 1
            if whole < len(data):
                file.truncate(whole)

    def append(self, cell: LoggedRequest, answer: ModelAnswer) -> None:
        """Write one answer down with one call of the system. Raises OSError."""
        assert self._handle is not None  # noqa: S101 - `opened` gives it
        rest = memoryview(_line(cell, answer))
        while rest:
            rest = rest[os.write(self._handle, rest) :]

    def put_in_order(self, cells: Sequence[LoggedRequest]) -> None:
        """Write the answers to these cells first, in their order: the file is the same however they arrived. Raises OSError."""
        logged = read_log(self.path)
        kept = best_answers(logged)
        ordered = [kept.pop(cell.key) for cell in cells if cell.key in kept]
        lines = [one.text_of_line for one in (*ordered, *kept.values())]
        if lines == [one.text_of_line for one in logged]:
            return
        with whole_file(self.path, durable=True) as file:
            for line in lines:
                file.write(line + b"\n")


def best_answers(logged: Sequence[LoggedAnswer]) -> dict[tuple[str, str], LoggedAnswer]:
    """For each cell the last answer that succeeded, else the last failure."""
    best: dict[tuple[str, str], LoggedAnswer] = {}
    for one in logged:
        if one.answer.text is not None or one.key not in best or best[one.key].answer.text is None:
            best[one.key] = one
    return best


@contextlib.contextmanager
def _locked(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Lock a file for this process; any end of the process releases it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if fcntl is None:
            _lock_on_windows(handle, waiting)
        else:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                waiting()
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _lock_on_windows(handle: int, waiting: Callable[[], None]) -> None:
    import msvcrt  # noqa: PLC0415 - only there
    import time  # noqa: PLC0415

    lock = getattr(msvcrt, "locking")  # noqa: B009 - not in the types of other systems
    said = False
    while True:
        try:
            lock(handle, getattr(msvcrt, "LK_NBLCK"), 1)  # noqa: B009
        except OSError:
            if not said:
                waiting()
            said = True
            time.sleep(0.2)
        else:
            return


Ask = Literal["missing", "failed", "all", "none"]
ASK: tuple[Ask, ...] = ("missing", "failed", "all", "none")
Progress = Callable[[str, int, int], object]
One = TypeVar("One", bound=LoggedRequest)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of querying: number of cells, and of those with an answer, queried and failed; reasons of failures,
    counted.

    spent: state of the budget, in words.
    """

    cells: int
    kept: int
    asked: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    spent: tuple[str, ...] = ()

    @property
    def failed(self) -> int:
        """Calls without an answer."""
        return sum(self.failures.values())


def to_ask(
    cells: Sequence[One], log: AnswerLog, mode: Ask, unreadable: Callable[[ModelAnswer], bool] | None = None
) -> list[One]:
    """The cells to ask.

    ``missing``: those without an answer, failed calls too; ``failed``: failed calls, and answers that are ``unreadable``;
    ``all``; ``none``. Raises OSError.
    """
    if mode == "none":
        return []
    if mode == "all":
        return list(cells)
    known = best_answers(read_log(log.path))
    failed = {key for key, one in known.items() if one.answer.text is None}
    if mode == "failed":
        if unreadable is not None:
            failed |= {key for key, one in known.items() if one.answer.text is not None and unreadable(one.answer)}
        return [cell for cell in cells if cell.key in failed]
    return [cell for cell in cells if cell.key not in known or cell.key in failed]


async def ask(
    cells: Sequence[One],
    log: AnswerLog,
    converse: Callable[[One], Awaitable[ModelAnswer]],
    progress: Progress | None = None,
) -> Outcome:
    """Query all these cells concurrently, within the limits of the models. The log is open. Raises OSError.

    converse: function that gets the answer to a cell, by one call or a conversation with a tool.
    """
    failures: dict[str, int] = {}
    done = 0

    async def one(cell: One) -> None:
        nonlocal done
        answer = await converse(cell)
        if answer.text is not None or answer.attempts:  # else nothing was sent, and it has not been asked
            log.append(cell, answer)
        if answer.text is None:
            failures[answer.failure] = failures.get(answer.failure, 0) + 1
        done += 1
        if progress is not None:
            progress("asking models", done, len(cells))

    try:
        async with asyncio.TaskGroup() as group:
            for cell in cells:
                group.create_task(one(cell))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None  # the file cannot be written: the others were cancelled
    return Outcome(len(cells), 0, len(cells), dict(sorted(failures.items())))


async def bare_answer(model: ChatModel, cell: Cell) -> ModelAnswer:
    """The answer to a cell in one call, without a tool."""
    return await one_answer(model, cell.prompt, cell.query.text, cell.sample - 1)


async def one_answer(model: ChatModel, system: str, user: str, sample: int = 0) -> ModelAnswer:
    """The answer to one call. sample: from 0."""
    said = await model.ask(ChatRequest((Message("system", system), Message("user", user)), sample=sample))
    if isinstance(said, CallFailure):
        return ModelAnswer(
            None, said.reason, said.detail, calls=0, attempts=said.attempts, seconds=round(said.seconds, 3)
        )
    return ModelAnswer(
        said.content,
        finish=said.finish_reason,
        prompt_tokens=said.prompt_tokens,
        completion_tokens=said.completion_tokens,
        cost=said.cost,
        attempts=said.attempts,
        seconds=round(said.seconds, 3),
        served_by=said.model,
    )


# Conversations without an answer yet: a killed run continues them, and pays for no call twice.


class UnderWay:
    """A file with a line for each reply of a model, and each result of a tool, in a conversation. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, Any] = {}
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return
        for line in data.split(b"\n"):
            self._read(line)

    def _read(self, line: bytes) -> None:
        # The answer of a truncated or invalid line is requested again.
        try:
            value = json.loads(line)
            self._known[value["key"]] = value["said"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return

    def find(self, key: str) -> Any:
        """Earlier messages of the conversation; None if there are none."""
        return self._known.get(key)

    def keep(self, key: str, said: Any) -> None:
        """Write it down with one call of the system. Raises OSError."""
        self._known[key] = said
        line = json.dumps({"key": key, "said": said}, ensure_ascii=False).encode("utf-8", "replace")
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        try:
            os.write(handle, b"\n" + line + b"\n")  # a killed run may leave a broken last line
        finally:
            os.close(handle)

    def forget(self) -> None:
        """Remove the file: all conversations have ended."""
        self._known.clear()
        self._path.unlink(missing_ok=True)

    def model(self, model: ChatModel, cell: Cell) -> ChatModel:
        """The model of a cell, which repeats its earlier messages."""
        return _Model(model, cell, self)

    def tool(self, tool: Tool, cell: Cell) -> Tool:
        """A tool in the conversation of a cell, which repeats its earlier results."""

        async def run(arguments: Mapping[str, Any]) -> str:
            key = _key(cell, tool.spec.name, dict(arguments))
            known = self.find(key)
            if isinstance(known, str):
                return known
            result = await tool.run(arguments)
            self.keep(key, result)
            return result

        return replace(tool, run=run)


@dataclass(frozen=True, slots=True)
class _Model:
    behind: ChatModel
    cell: Cell
    kept: UnderWay

    @property
    def name(self) -> str:
        return self.behind.name

    async def ask(self, request: ChatRequest) -> Reply | CallFailure:
        key = _key(self.cell, "", [asdict(message) for message in request.messages], bool(request.tools))
        known = _reply(self.kept.find(key))
        if known is not None:
            return known
        said = await self.behind.ask(request)
        if isinstance(said, Reply) and not said.replayed:
            self.kept.keep(key, asdict(said))
        return said


def _key(cell: Cell, *parts: object) -> str:
    text = json.dumps([*cell.key, *parts], sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _reply(said: Any) -> Reply | None:
    """The reply that was written down; None if it is not one."""
    if not isinstance(said, dict):
        return None
    try:
        return Reply(**{**said, "tool_calls": tuple(ToolCall(**call) for call in said["tool_calls"])})
    except (KeyError, TypeError):
        return None
