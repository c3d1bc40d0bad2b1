"""Reads long answers in a thread of its own, so that the event loop, and with it every deadline and other exchange, goes on."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

__all__ = ["LONG_BODY", "read_apart"]

T = TypeVar("T")

LONG_BODY = 100_000
"""Bytes of an answer that is read apart: the slowest form, a list of papers in BibTeX, takes .17 s for so many (4,400
papers, 2.9 MB, take 5 s; ``python -m benchmarks.venue_lists``)."""


async def read_apart(read: Callable[[], T]) -> T:
    """What the function returns; raises what it raises. A cancelled task leaves the thread behind, which nobody waits for."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[T] = loop.create_future()

    def work() -> None:
        try:
            found = read()
        except BaseException as error:  # noqa: BLE001 - raised in the task that waits
            _tell(loop, partial(_settle, result, result.set_exception, error))
        else:
            _tell(loop, partial(_settle, result, result.set_result, found))

    threading.Thread(target=work, name="citecheck reading", daemon=True).start()
    return await result


def _settle(future: asyncio.Future[Any], settle: Callable[[T], None], value: T) -> None:
    """Settle the future unless nobody waits for it any more."""
    if not future.done():
        settle(value)


def _tell(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    with contextlib.suppress(RuntimeError):  # the loop is closed
        loop.call_soon_threadsafe(callback)
