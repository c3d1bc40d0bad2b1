"""The answers of models in a file: a line for each as it arrives, so that an interrupted run asks only for the others."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from pytest_citecheck.atomic_write import append_line, atomic_write, locked, whole_lines
from pytest_citecheck.models.chat import CallFailure, ChatModel, ChatRequest, Endpoint, Message, Reply


class Askable(Protocol):
    """An answer to ask for. key: the model, and a fingerprint of the request. spoken: all that the model is told.

    expected: tokens of the answer.
    """

    @property
    def key(self) -> tuple[str, str]: ...

    @property
    def endpoint(self) -> Endpoint: ...

    @property
    def spoken(self) -> str: ...

    @property
    def expected(self) -> int: ...

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
    """An answer in the file. key: of its cell. line: its number, from 1; text_of_line: the line as written, without its end."""

    key: tuple[str, str]
    answer: ModelAnswer
    line: int
    text_of_line: bytes


_DETAILS = tuple(field.name for field in fields(ModelAnswer) if field.name != "text")


def read_log(path: Path) -> list[LoggedAnswer]:
    """All whole answers of the file; none if there is no file. Lines that are no answer are passed over. Raises OSError."""
    parsed = (_parsed(line, number) for number, line in enumerate(whole_lines(path), start=1))
    return [answer for answer in parsed if answer is not None]


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
    return LoggedAnswer((model, mark), answer, number, line)


def _line(cell: Askable, answer: ModelAnswer) -> bytes:
    said = asdict(answer)
    text = said.pop("text")
    blank = asdict(ModelAnswer(None))
    value: dict[str, Any] = {
        **cell.described(),
        "answer": text,
        "fingerprint": cell.key[1],
        "call": {name: value for name, value in said.items() if value != blank[name]},
    }
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


class AnswerLog:
    """The file while this process asks; `opened` locks it for one process at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextlib.contextmanager
    def opened(self, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Lock the file for this process. waiting: called once if another process has the lock. Raises OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path.with_name(f".{self.path.name}.lock"), waiting):
            yield

    def append(self, cell: Askable, answer: ModelAnswer) -> None:
        """Write one answer down. Raises OSError."""
        append_line(self.path, _line(cell, answer))

    def put_in_order(self, cells: Sequence[Askable]) -> None:
        """Write the answers to these cells first, in their order: the file is the same however they arrived. Raises OSError."""
        logged = read_log(self.path)
        kept = best_answers(logged)
        ordered = [kept.pop(cell.key) for cell in cells if cell.key in kept]
        content = b"".join(logged.text_of_line + b"\n" for logged in (*ordered, *kept.values()))
        if self.path.is_file() and self.path.read_bytes() != content:
            with atomic_write(self.path, durable=True) as file:
                file.write(content)


def best_answers(logged: Sequence[LoggedAnswer]) -> dict[tuple[str, str], LoggedAnswer]:
    """For each cell the last answer that succeeded, else the last failure."""
    best: dict[tuple[str, str], LoggedAnswer] = {}
    for answer in logged:
        if answer.answer.text is not None or answer.key not in best or best[answer.key].answer.text is None:
            best[answer.key] = answer
    return best


Ask = Literal["missing", "failed", "all", "none"]
Progress = Callable[[str, int, int], object]
One = TypeVar("One", bound=Askable)
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of querying: number of cells, and of those with an answer, queried and failed; reasons of failures,
    counted.

    spent: state of the budget, in words. notes: of the models that were called.
    """

    cells: int
    kept: int
    asked: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    spent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> int:
        """Calls without an answer."""
        return sum(self.failures.values())

    def failed_in_words(self, most: int | None = None) -> str:
        """How many calls failed, with the reasons, or ``most`` of them; empty if none failed."""
        reasons = ", ".join(f"{count} {reason}" for reason, count in list(self.failures.items())[:most])
        return f", {self.failed} failed ({reasons}; the next run retries)" if reasons else ""


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
    known = {key: logged.answer for key, logged in best_answers(read_log(log.path)).items()}
    again = {key for key, answer in known.items() if answer.text is None}
    if mode == "failed" and unreadable is not None:
        again |= {key for key, answer in known.items() if answer.text is not None and unreadable(answer)}
    return [cell for cell in cells if cell.key in again or (mode == "missing" and cell.key not in known)]


async def ask(
    cells: Sequence[One],
    log: AnswerLog,
    converse: Callable[[One], Awaitable[ModelAnswer]],
    progress: Progress | None = None,
) -> Outcome:
    """Query all these cells concurrently, within the limits of the models. The log is open. Raises OSError.

    converse: function that gets the answer to a cell, by one call or a conversation with a tool.
    """
    failures: Counter[str] = Counter()

    async def answer(cell: One) -> None:
        found = await converse(cell)
        if found.text is not None or found.attempts:  # else nothing was sent, and it has not been asked
            log.append(cell, found)
        if found.text is None:
            failures[found.failure] += 1

    await at_once(cells, answer, "asking models", progress)
    return Outcome(len(cells), 0, len(cells), dict(sorted(failures.items())))


async def at_once(
    items: Sequence[Item], work: Callable[[Item], Awaitable[None]], said: str, progress: Progress | None
) -> None:
    """Do the work for all items concurrently. Raises the first error, and cancels the others."""
    done = 0

    async def do(item: Item) -> None:
        nonlocal done
        await work(item)
        done += 1
        if progress is not None:
            progress(said, done, len(items))

    try:
        async with asyncio.TaskGroup() as group:
            for item in items:
                group.create_task(do(item))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None


def fingerprint(said: object) -> str:
    """The fingerprint of a request: SHA-256, in hexadecimal digits, of everything that its answer depends on."""
    return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=True, default=str).encode()).hexdigest()


def answered(said: Reply | CallFailure, **more: Any) -> ModelAnswer:
    """The answer of a model from its reply, or from the failure. more: fields of the answer."""
    if isinstance(said, CallFailure):
        return ModelAnswer(None, said.reason, said.detail, **more)
    taken = {name: getattr(said, name) for name in ("prompt_tokens", "completion_tokens", "cost")}
    return ModelAnswer(said.content, finish=said.finish_reason, served_by=said.model, **{**taken, **more})


async def one_answer(model: ChatModel, system: str, user: str, sample: int = 0) -> ModelAnswer:
    """The answer to one call. sample: from 0."""
    said = await model.ask(ChatRequest((Message("system", system), Message("user", user)), sample=sample))
    calls = 0 if isinstance(said, CallFailure) else 1
    return answered(said, calls=calls, attempts=said.attempts, seconds=round(said.seconds, 3))
