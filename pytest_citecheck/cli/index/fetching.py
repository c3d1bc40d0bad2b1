"""``citecheck index fetch``: a published dump into a folder."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_citecheck.cli.screen import Progress, UsageError, amount, complain, say
from pytest_citecheck.transport.downloads.checksums import is_checksum
from pytest_citecheck.transport.downloads.download import DownloadError, download
from pytest_citecheck.transport.limits.retry import http_date

if TYPE_CHECKING:
    import argparse

__all__ = ["fetch"]

_NAME = re.compile(r"[A-Za-z0-9][\w.+-]*", re.ASCII)


class _Shown:
    """The progress of a download, on the terminal."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._line = Progress()
        self._start: tuple[float, int] | None = None

    def __call__(self, done: int, total: int | None) -> None:
        if not self._line.due:
            return
        self._start = self._start or (time.monotonic(), done)
        began, first = self._start
        speed = (done - first) / max(time.monotonic() - began, 1e-3)
        share = f" of {amount(total)}, {done / total:.0%}" if total else ""
        self._line.show(f"{self._name}: {amount(done)}{share}, {amount(speed)}/s")

    def clear(self) -> None:
        self._line.clear()


def fetch(chosen: argparse.Namespace) -> int:
    """Fetch the file at the address; prints what came. Raises UsageError."""
    stated: str = chosen.checksum
    if stated and not is_checksum(stated) and "://" not in stated:
        raise UsageError(f"--checksum is neither an MD5 or SHA-256 nor an address: {stated}")
    name = urlsplit(chosen.url).path.rpartition("/")[2]
    if not _NAME.fullmatch(name):
        raise UsageError(f"the address does not end in the name of a file: {chosen.url}")
    target = chosen.to / name
    say(chosen.url)
    shown = _Shown(target.name)
    try:
        got = download(
            chosen.url,
            target,
            checksum=stated if is_checksum(stated) else "",
            checksum_url="" if is_checksum(stated) else stated,
            progress=shown,
        )
    except DownloadError as error:
        shown.clear()
        complain(f"citecheck index fetch: {error}")
        if error.kept:
            complain(f"{amount(error.kept)} are kept; the same command goes on from there")
        return 1
    except KeyboardInterrupt:
        raise KeyboardInterrupt("what has come is kept, and the same command goes on from there") from None
    finally:
        shown.clear()
    date = http_date(got.origin.last_modified)[:10]
    state = "" if got.changed else ", unchanged"
    say(f"{target}: {amount(got.origin.size or 0)}{f', of {date}' if date else ''}{state}")
    say(f"next: citecheck index build works.index {target}")
    return 0
