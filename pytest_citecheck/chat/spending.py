"""What the calls of a run take, and when it is enough."""

from __future__ import annotations

import itertools
import math
import os
import uuid
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_citecheck.chat.prices import Price
    from pytest_citecheck.chat.protocol import ChatRequest, Reply

__all__ = ["SharedAccount", "Spending", "SpendingLimits"]

# Where an endpoint counts no tokens, its share of the limit is an estimate: English has four characters a token, Chinese one.
_CHARACTERS = 3


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """The most that a run may take; None: no limit. calls: each counts once, however often it is retried.

    Calls under way when a limit is reached are finished. Raises ValueError for a limit below 0.
    """

    dollars: float | None = None
    calls: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for name in ("dollars", "calls", "tokens"):
            limit = getattr(self, name)
            if limit is not None and not limit >= 0:
                raise ValueError(f"the limit of {name} must be at least 0")


class SharedAccount:
    """What several processes spend together: a file to which each of them appends lines.

    The order of its lines decides who makes the last call, so that no process has to wait for another. Raises OSError.
    """

    def __init__(self, path: Path) -> None:
        path.touch()
        self._path = path
        account = uuid.uuid4().hex
        self._names = (f"{account}-{number}" for number in itertools.count())
        self._read = 0
        self._order: dict[str, int] = {}
        self.tokens = 0
        self.dollars = 0.0

    @property
    def calls(self) -> int:
        """The calls of all processes."""
        return len(self._order)

    def call(self) -> int:
        """Enter one more call; how many were entered before it."""
        name = next(self._names)
        self._append(f"call {name}")
        self.catch_up()
        return self._order[name]

    def spend(self, tokens: int, dollars: float) -> None:
        """Enter what a call took."""
        self._append(f"took {tokens} {dollars!r}")

    def catch_up(self) -> None:
        """Read what was entered meanwhile."""
        with self._path.open("rb") as file:
            file.seek(self._read)
            data = file.read()
        whole = data.rfind(b"\n") + 1
        self._read += whole
        for line in data[:whole].decode().splitlines():
            kind, first, *rest = line.split()
            if kind == "call":
                self._order[first] = len(self._order)
            else:
                self.tokens += int(first)
                self.dollars += float(rest[0])

    def _append(self, line: str) -> None:
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
        try:
            os.write(handle, f"{line}\n".encode())
        finally:
            os.close(handle)


class Spending:
    """The account of one run, over all endpoints. shared: with other processes; None: of this one alone."""

    def __init__(self, limits: SpendingLimits, shared: SharedAccount | None = None) -> None:
        self._limits = limits
        self._shared = shared
        self.calls = 0
        self.tokens = 0
        self.dollars = 0.0

    def admit(self) -> str:
        """Count one more call; or say why there is none."""
        problem = self.exhausted() or self._exceeded("calls")
        if problem:
            return problem
        if self._shared is not None:
            most = self._limits.calls
            if most is not None and self._shared.call() >= most:
                return _reached("calls", most)
        self.calls += 1
        return ""

    def exhausted(self) -> str:
        """Why nothing more may be taken: the limit of tokens or money is reached; empty if it is not."""
        return self._exceeded("tokens") or self._exceeded("dollars")

    def _exceeded(self, name: str) -> str:
        limit = getattr(self._limits, name)
        if limit is None:
            return ""
        if self._shared is not None:
            self._shared.catch_up()
        spent = getattr(self if self._shared is None else self._shared, name)
        return _reached(name, limit) if spent >= limit else ""

    def add(self, asked: ChatRequest, reply: Reply, price: Price | None) -> None:
        """Count what a reply took. price: of the model, for replies that state no tokens."""
        prompt, completion = reply.prompt_tokens, reply.completion_tokens
        if prompt is None:
            prompt = sum(len(message.content) for message in asked.messages) // _CHARACTERS
        if completion is None:
            completion = (len(reply.content) + len(reply.reasoning)) // _CHARACTERS
        cost = reply.cost
        if cost is None and price is not None:
            cost = replace(price, largest_prompt=math.inf).cost(prompt, completion)
        self._take(prompt + completion, cost or 0.0)

    def add_search(self, price: float | None) -> None:
        """Count a search. price: in US dollars; None for one that costs nothing."""
        self._take(0, price or 0.0)

    def _take(self, tokens: int, dollars: float) -> None:
        self.tokens += tokens
        self.dollars += dollars
        if self._shared is not None:
            self._shared.spend(tokens, dollars)


def _reached(name: str, limit: float) -> str:
    amount = f"${limit:g}" if name == "dollars" else f"{limit:,} {name}"
    return f"the limit of {amount} for this run is reached"
