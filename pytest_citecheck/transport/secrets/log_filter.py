"""Keeps secrets out of what HTTP libraries and this package log, wherever it goes (``--log-level=debug``, a file, caplog)."""

from __future__ import annotations

import contextlib
import logging
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.transport.secrets.scrub import Scrubber

__all__ = ["scrubbed_logs"]

# They log URLs with their parameters, headers, and what went wrong with which object. A filter holds for the logger on which
# it is only, so each child has one too.
_LOGGERS = ("asyncio", "h11", "httpcore", "httpx", "pytest_citecheck", "vcr")


class _Filter(logging.Filter):
    def __init__(self, scrubber: Scrubber) -> None:
        super().__init__()
        self._scrubber = scrubber

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace message, arguments and traceback by texts without secrets; nothing is dropped."""
        try:
            message = record.getMessage()
        except Exception:  # noqa: BLE001 - a library that logs wrongly must neither end the run nor tell secrets
            message = str(record.msg)
        record.msg, record.args = self._scrubber.text(message), None
        if record.exc_info and record.exc_info[0] is not None:
            record.exc_text = self._scrubber.text("".join(traceback.format_exception(*record.exc_info)).rstrip())
        record.exc_info = None
        return True


def _loggers() -> list[logging.Logger]:
    known = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in _LOGGERS]
    return [logging.getLogger(name) for name in sorted({*known, *_LOGGERS})]


@contextlib.contextmanager
def scrubbed_logs(scrubber: Scrubber) -> Iterator[None]:
    """While this lasts, the HTTP libraries log no secret that the scrubber knows."""
    loggers, own = _loggers(), _Filter(scrubber)
    for logger in loggers:
        logger.addFilter(own)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(own)
