"""The first Ctrl-C ends a command; later ones do not interrupt its cleanup."""

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
    """A KeyboardInterrupt that supports weak references."""


class _Once:
    """A SIGINT handler that raises KeyboardInterrupt, but not while an earlier one still propagates."""

    def __init__(self) -> None:
        self._last: weakref.ref[_Interrupt] | None = None

    @property
    def under_way(self) -> bool:
        return self._last is not None and self._last() is not None

    def __call__(self, _number: int, _frame: object) -> None:
        if not self.under_way:
            raise self._begun()

    def _begun(self) -> _Interrupt:
        # Create it outside the frame that raises it: otherwise traceback and frame would keep it alive for ever.
        interrupt = _Interrupt()
        self._last = weakref.ref(interrupt)
        return interrupt


@contextlib.contextmanager
def interrupted_once() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block at the first SIGINT, and ignore further ones while it propagates.

    Python drops an exception raised in a destructor or a weak reference callback; the next SIGINT then raises again. After the
    interrupt has left the block, SIGINT stays ignored, because the process is about to end. Outside the main thread, or if
    SIGINT already has another handler, this does nothing.
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
