"""Runs a coroutine to its end, also where an event loop runs already, as in a Jupyter notebook."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import signal
import threading
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

__all__ = ["run_to_end"]

T = TypeVar("T")

_POLL = 0.1  # seconds: on Windows Ctrl-C does not end a wait


def run_to_end(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of the coroutine, from an event loop of its own: in this thread, or in another one if a loop runs in this.

    Ctrl-C cancels the coroutine, waits for its end and raises KeyboardInterrupt. Raises what the coroutine raises.
    """
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
