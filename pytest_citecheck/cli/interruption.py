"""Ctrl-C ends a command once: what then cleans up is not interrupted in its turn."""

from __future__ import annotations

import contextlib
import signal
import threading
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["interrupted_once"]


class _Interrupt(KeyboardInterrupt):
    """One that can be referred to weakly."""


class _Once:
    """A handler of SIGINT that raises KeyboardInterrupt, except while one that it raised is on its way out."""

    def __init__(self) -> None:
        self._last: weakref.ref[_Interrupt] | None = None

    @property
    def under_way(self) -> bool:
        return self._last is not None and self._last() is not None

    def __call__(self, _number: int, _frame: object) -> None:
        if not self.under_way:
            raise self._begun()

    def _begun(self) -> _Interrupt:
        # Not where it is raised: its traceback would hold that frame, the frame would hold it, and it would never be gone.
        interrupt = _Interrupt()
        self._last = weakref.ref(interrupt)
        return interrupt


@contextlib.contextmanager
def interrupted_once() -> Iterator[None]:
    """Raise KeyboardInterrupt inside at the first SIGINT, and ignore all that come while it is on its way out.

    Where one was lost (Python drops what is raised in a destructor or a weak reference's callback), the next one is raised
    again. Once it has come out, SIGINT stays ignored: the process is to end, and a traceback is all that another one could
    add. Nothing is done outside the main thread, which alone can handle signals, nor where SIGINT is handled otherwise already.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    once = _Once()
    signal.signal(signal.SIGINT, once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN if once.under_way else signal.default_int_handler)
