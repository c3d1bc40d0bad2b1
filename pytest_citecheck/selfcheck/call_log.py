"""The file of calls: a line for each, so that a run goes on where it stopped, and can be repeated without network and key.

A call is known by its reference, method, sample, pair, model and prompt; the order of lines means nothing.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_citecheck.selfcheck.prompts import Call

__all__ = ["CallLog", "Identity", "LoggedCall", "call_key", "identity"]

Identity = tuple[str, str, int, tuple[int, int] | None, str, str, str]


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """One line. provider: the endpoint of the configuration. answer: None if the provider filtered it.

    model: the one asked; served: the one that answered, as the provider says.
    """

    key: str
    method: str
    sample: int
    pair: tuple[int, int] | None
    provider: str
    model: str
    served: str
    temperature: float | None
    token_limit: int | None
    prompt_hash: str
    answer: str | None
    finish: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    time: str

    @property
    def identity(self) -> Identity:
        """What the call is known by."""
        return self.key, self.method, self.sample, self.pair, self.provider, self.model, self.prompt_hash


def call_key(reference_id: str) -> str:
    """The key of a reference in the file of calls: its id without the folder, which differs between machines."""
    file, _, rest = reference_id.partition("::")
    return f"{PurePosixPath(file).name}::{rest}"


def identity(call: Call, provider: str, model: str) -> Identity:
    """What a call to a model is known by."""
    return call.key, call.method, call.sample, call.pair, provider, model, call.prompt_hash


class CallLog:
    """The calls in a file. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[Identity, LoggedCall] = {}
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            data = b""
        for line in data.split(b"\n")[:-1]:  # what has no end was cut off with its process
            logged = _parsed(line)
            if logged is not None:
                self.known.setdefault(logged.identity, logged)
        self._torn = bool(data) and not data.endswith(b"\n")

    def add(self, logged: LoggedCall) -> None:
        """Append a line with one call of the system, so that processes do not mix theirs. Raises OSError."""
        line = json.dumps(asdict(logged), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        handle = os.open(self.path, flags, 0o666)
        try:
            os.write(handle, b"\n" + line if self._torn else line)
        finally:
            os.close(handle)
        self._torn = False
        self.known[logged.identity] = logged


_NAMES = tuple(field.name for field in fields(LoggedCall))


def _parsed(line: bytes) -> LoggedCall | None:
    """The call of a line; None for what is none."""
    try:
        value = json.loads(line)
        pair = value["pair"]
        values = {name: value[name] for name in _NAMES}
        values["pair"] = None if pair is None else (int(pair[0]), int(pair[1]))
        logged = LoggedCall(**values)
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    texts = (logged.key, logged.method, logged.provider, logged.model, logged.served, logged.prompt_hash)
    counts = (logged.prompt_tokens, logged.completion_tokens)
    fits = (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(count, int | None) for count in counts)
        and isinstance(logged.answer, str | None)
        and isinstance(logged.cost, int | float | None)
        and isinstance(logged.sample, int)
    )
    return logged if fits else None
