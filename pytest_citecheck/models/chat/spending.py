"""The ledger of an output folder, in which all processes and runs book the cost of a call before they send it.

A booking is an upper bound: the prompt and the largest answer. The bill replaces it once it is known. A booking stays while
the outcome of its call is unknown: after a timeout, an unreadable answer, a broken connection, or a killed process. A call
without room waits for the bills of calls that are under way, in any process. It does not wait for dead processes: each holds
a lock while it lives.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import math
import os
import secrets
import sys
import tomllib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.atomic_write import append_line
from pytest_citecheck.today import stamp

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_citecheck.models.chat.endpoint import Endpoint

LEDGER = "spending.jsonl"
"""The name of the ledger in an output folder."""

LARGEST_ANSWER = 4096
"""Tokens to which an answer is limited under a budget of dollars or tokens, if the configuration states no limit."""

# Tokens that a provider adds to the prompt: Anthropic documents up to 804 for tools, others some ten for each message.
_ADDED_TOKENS = 1024

_NANOS = 1_000_000_000

_PAUSE = 0.2  # seconds until a call looks again for the bills of other processes


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """The most that all runs with one output folder may take; None: no limit. calls: each request counts, retries too."""

    dollars: float | None = None
    calls: int | None = None
    tokens: int | None = None

    def stated(self) -> Iterator[tuple[str, float]]:
        """All limits by name."""
        limits = ((name, getattr(self, name)) for name in ("dollars", "calls", "tokens"))
        return ((name, limit) for name, limit in limits if limit is not None)

    def exceeded(self, amount: Amount) -> str:
        """Name of the first limit that an amount exceeds; empty if it is within all limits."""
        finite = ((name, limit) for name, limit in self.stated() if not math.isinf(limit))
        units = ((name, round(limit * _NANOS) if name == "dollars" else limit) for name, limit in finite)
        return next((name for name, limit in units if amount.of(name) > limit), "")


@dataclass(frozen=True, slots=True)
class Amount:
    """Calls, tokens and money, in billionths of a US dollar: sums of these are exact, in any order."""

    calls: int = 0
    tokens: int = 0
    nanos: int = 0

    @classmethod
    def of_money(cls, dollars: float, *, calls: int = 1, tokens: int = 0) -> Amount:
        """An amount with these US dollars, rounded up."""
        return cls(calls, tokens, math.ceil(round(dollars * _NANOS, 3)))

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.calls + other.calls, self.tokens + other.tokens, self.nanos + other.nanos)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.calls - other.calls, self.tokens - other.tokens, self.nanos - other.nanos)

    def of(self, name: str) -> int:
        """One of the three, in the unit of `SpendingLimits.exceeded`."""
        return self.nanos if name == "dollars" else int(getattr(self, name))

    def shown(self, name: str) -> str:
        """One of the three in words."""
        return _shown(name, self.nanos / _NANOS if name == "dollars" else self.of(name))


NOTHING = Amount()


def _shown(name: str, value: float) -> str:
    if name == "dollars":
        return f"${value:.6f}".rstrip("0").rstrip(".") if value else "$0"
    return f"{value:,} {name if value != 1 else name[:-1]}"


def bound(prompt: bytes, answer: int, price: Price | None) -> Amount | None:
    """Maximum cost of one call; None if no price is known for a prompt of this length.

    prompt: the body of the request. A token is at least one byte. answer: tokens of the largest answer.
    """
    read = len(prompt) + _ADDED_TOKENS
    cost = price.cost(read, answer) if price is not None else 0.0
    return None if cost is None else Amount.of_money(cost, tokens=read + answer)


@dataclass(slots=True, eq=False)
class Booking:
    """The booking of one request. billed: actual cost; None until it is known."""

    id: str
    billed: Amount | None = None


@functools.cache
def _lock(ledger: Path | None, _process: int) -> tuple[int, int]:
    """A file of locks beside a ledger, and the byte in it that this process locks until it ends; 0 for both if that is
    impossible. The file is never closed: that would release the lock."""
    if ledger is not None and sys.platform != "win32":
        with contextlib.suppress(OSError):
            ledger.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(ledger.with_name(f".{ledger.name}.lock"), os.O_RDWR | os.O_CREAT, 0o666)
            byte = 1 + secrets.randbelow(1 << 30)
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
            return handle, byte
    return 0, 0


class Ledger:
    """A file to which processes append lines; without a path, the memory of one process. Raises OSError.

    The order of its lines decides which process gets the rest of a budget.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.billed = self.booked = NOTHING
        self._open: dict[str, tuple[Amount, str, str]] = {}
        self._read = 0
        self.catch_up()
        self._unfinished = {request for _, request, _ in self._open.values()}

    def under_way(self) -> dict[str, Amount]:
        """Bookings of calls that are under way, by the process that waits for their outcome."""
        found: dict[str, Amount] = {}
        for amount, _, process in self._open.values():
            found[process] = found.get(process, NOTHING) + amount
        return {process.partition(":")[0]: amount for process, amount in found.items() if self._lives(process)}

    def _lock(self) -> tuple[int, int]:
        return _lock(self.path and self.path.resolve(), os.getpid())

    def _lives(self, process: str) -> bool:
        handle, own = self._lock()
        byte = process.partition(":")[2]
        if sys.platform != "win32" and handle and byte.isdecimal() and int(byte) not in (0, own):
            try:
                fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, int(byte))
                fcntl.lockf(handle, fcntl.LOCK_UN, 1, int(byte))
            except OSError:
                return True
        return process == f"{os.getpid()}:{own}"

    @property
    def total(self) -> Amount:
        """Sum of billed and booked amounts."""
        return self.billed + self.booked

    def is_repeat(self, request: str) -> bool:
        """Return True if an earlier run sent this request and never learned its outcome."""
        return request in self._unfinished

    def book(self, amount: Amount, limits: SpendingLimits, model: str, request: str) -> Booking | None:
        """Book one request; None if a limit leaves no room for it."""
        self.catch_up()
        if limits.exceeded(self.total + amount):
            return None
        booking = Booking(uuid.uuid4().hex[:16])
        self._append({
            "book": booking.id,
            "request": request,
            "model": model,
            "process": f"{os.getpid()}:{self._lock()[1]}",
            "time": stamp(),
            **_stated(amount),
            "limits": dict(limits.stated()),
        })  # fmt: skip
        self.catch_up()
        return booking if booking.id in self._open else None

    def settle(self, booking: Booking, billed: Amount | None) -> None:
        """Replace a booking by its bill. None: the outcome of the call is unknown, and the booking stays."""
        self._append({"settle": booking.id, **_stated(billed)} if billed is not None else {"unknown": booking.id})
        self.catch_up()

    def catch_up(self) -> None:
        """Read new entries."""
        if self.path is None:
            return
        try:
            with self.path.open("rb") as file:
                file.seek(self._read)
                data = file.read()
        except FileNotFoundError:
            return
        whole = data.rfind(b"\n") + 1
        self._read += whole
        for line in data[:whole].splitlines():
            try:
                self._enter(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                continue  # cut off when its process was killed, before it had sent anything

    def _append(self, entry: Mapping[str, Any]) -> None:
        if self.path is None:
            self._enter(entry)
            return
        append_line(self.path, json.dumps(entry).encode())

    def _enter(self, entry: Mapping[str, Any]) -> None:
        if "unknown" in entry:
            self._open[entry["unknown"]] = (*self._open[entry["unknown"]][:2], "")
            return
        amount = Amount(_count(entry["calls"]), _count(entry["tokens"]), _count(entry["nanodollars"]))
        if "settle" in entry:
            self.booked -= self._open.pop(entry["settle"])[0]
            self.billed += amount
        elif not SpendingLimits(**entry["limits"]).exceeded(self.total + amount):
            self._open[str(entry["book"])] = amount, str(entry["request"]), str(entry.get("process", ""))
            self.booked += amount


def _stated(amount: Amount) -> dict[str, int]:
    return {"calls": amount.calls, "tokens": amount.tokens, "nanodollars": amount.nanos}


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError("not a count")
    return value


class Spending:
    """The limits of one process over a ledger, for all its endpoints."""

    def __init__(self, limits: SpendingLimits, ledger: Ledger | None = None) -> None:
        self.limits = limits
        self.ledger = ledger or Ledger()
        self.repeats = 0
        self._refused = ""
        self._waiting: list[asyncio.Future[None]] = []

    async def reserve(self, amount: Amount, model: str, request: str = "") -> Booking | str:
        """Book one request before it is sent, or return the reason why there is no room.

        If bookings of calls that are under way use the room, wait for their bills.
        """
        while True:
            booking = self.ledger.book(amount, self.limits, model, request)
            if booking is not None:
                self.repeats += self.ledger.is_repeat(request)
                return booking
            under_way = sum(self.ledger.under_way().values(), start=NOTHING)
            if under_way == NOTHING or self.limits.exceeded(self.ledger.total - under_way + amount):
                self._refused = self._refusal(amount)
                return self._refused
            freed = asyncio.get_running_loop().create_future()
            self._waiting.append(freed)
            await asyncio.wait([freed], timeout=_PAUSE)

    def close(self, booking: Booking) -> None:
        """Enter the bill of a booking; without one, the booking stays."""
        self.ledger.settle(booking, booking.billed)
        for freed in self._waiting:
            if not freed.done():
                freed.set_result(None)
        self._waiting.clear()

    def _refusal(self, amount: Amount) -> str:
        name = self.limits.exceeded(self.ledger.total + amount) or next(iter(dict(self.limits.stated())), "dollars")
        limit = _shown(name, getattr(self.limits, name) or 0)
        return f"the budget of {limit} has no room for a call of up to {amount.shown(name)}: {self._state(name)}"

    def _state(self, name: str) -> str:
        under_way = self.ledger.under_way()
        unknown = self.ledger.booked - sum(under_way.values(), start=NOTHING)
        booked = "".join(f", {one.shown(name)} booked by process {process}" for process, one in under_way.items())
        return f"{self.ledger.billed.shown(name)} billed{booked}, {unknown.shown(name)} booked for calls whose outcome is unknown"

    @property
    def notes(self) -> Iterator[str]:
        """The last refusal, the state of each limit, and the number of requests that were sent again."""
        if self._refused:
            yield self._refused
        self.ledger.catch_up()
        where = f" ({self.ledger.path.name})" if self.ledger.path is not None else ""
        for name, limit in self.limits.stated():
            left = limit - (self.ledger.total.nanos / _NANOS if name == "dollars" else self.ledger.total.of(name))
            yield f"budget of {_shown(name, limit)}: {self._state(name)}, {_shown(name, max(0, left))} left{where}"
        if self.repeats:
            times = "1 request was" if self.repeats == 1 else f"{self.repeats} requests were"
            yield f"{times} sent again, because an earlier run did not receive the outcome{where}"


PRICES = Path(__file__).parent / "data" / "prices.toml"
"""Prices of the package."""

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """One row: US dollars for a million tokens.

    models: a pattern of names (`fnmatch`), in lower case. largest_prompt: maximum tokens of a prompt for this price.
    date: date of the price. source: its origin.
    """

    models: str
    input: float
    output: float
    date: str
    source: str
    largest_prompt: float = math.inf

    def cost(self, prompt: int, completion: int) -> float | None:
        """The cost of a call in US dollars; None if the price does not apply."""
        if prompt > self.largest_prompt:
            return None
        return (prompt * self.input + completion * self.output) / _MILLION


class Prices:
    """The rows of a file; of several that fit a name the first counts."""

    def __init__(self, rows: Iterable[Price]) -> None:
        self.rows = tuple(rows)

    @classmethod
    def read(cls, path: Path = PRICES) -> Prices:
        """The prices in a file. Raises OSError, and ValueError for one that is no list of prices."""
        try:
            stated = tomllib.loads(path.read_text(encoding="utf-8")).get("price", [])
            return cls([_price(row) for row in stated])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            reason = f"missing {error}" if isinstance(error, KeyError) else str(error)
            raise ValueError(f"{path}: not a list of prices ({reason})") from error

    def price(self, model: str) -> Price | None:
        """The price of a model; None if it is not known."""
        return next((row for row in self.rows if fnmatchcase(model.lower(), row.models)), None)

    def of(self, endpoint: Endpoint, served: str = "") -> Price | None:
        """Price of the model behind an endpoint: the endpoint's own, or by name of the model, or by name of the served
        model."""
        if endpoint.token_prices is not None:
            return Price(endpoint.model, *endpoint.token_prices, date="", source="configuration")
        return self.price(endpoint.model) or self.price(served)


def _price(row: dict[str, Any]) -> Price:
    price = Price(
        str(row["models"]).lower(),
        float(row["input"]),
        float(row["output"]),
        str(row["date"]),
        str(row["source"]),
        float(row.get("largest_prompt", math.inf)),
    )
    if not (0 <= price.input < math.inf and 0 <= price.output < math.inf):
        raise ValueError(f"the price of {price.models} is not a number from 0")
    return price
