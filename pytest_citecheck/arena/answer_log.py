"""The file of answers: the checkpoint of an arena. A line is appended for each answer as it arrives.

Each line is an answer as the reader of answers reads it (docs/answers.md), with what the call took. A line without an end was cut
off by the end of its process: it is dropped, and its cell asked again. Lines of other models, prompts or queries stay: they were
paid for.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Protocol

from pytest_citecheck.whole_file import whole_file

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["AnswerLog", "Kept", "LoggedAnswer", "ModelAnswer", "read_log"]


class Kept(Protocol):
    """What is asked of a model, and whose answer is kept in the file. key: the model, and a fingerprint of what is asked."""

    @property
    def key(self) -> tuple[str, str]: ...

    def described(self) -> dict[str, Any]:
        """The fields of its line besides the answer; ``model`` is one of them."""
        ...


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model answered, and what that took.

    text: None if the call failed, and then ``failure`` and ``detail`` say why. finish: why the answer ends (``length``: it is cut
    off). tokens and cost (US dollars): None if unknown. calls: of the model; searches: of the tool, by the model; fallback:
    whether the answer is that of a call without the tool.
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
    """An answer in the file. line: its own, from 1; text_of_line: as it stands there, without its end."""

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


def _line(cell: Kept, answer: ModelAnswer) -> bytes:
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
    """The file while this process asks; `opened` gives it to one process at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    @contextlib.contextmanager
    def opened(self, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Hold the file for this process. waiting: called once if another process holds it. Raises OSError."""
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

    def append(self, cell: Kept, answer: ModelAnswer) -> None:
        """Write one answer down with one call of the system. Raises OSError."""
        assert self._handle is not None  # noqa: S101 - `opened` gives it
        rest = memoryview(_line(cell, answer))
        while rest:
            rest = rest[os.write(self._handle, rest) :]

    def put_in_order(self, cells: Sequence[Kept]) -> None:
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
    """Hold a lock file for this process; its end frees it, however it comes."""
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
