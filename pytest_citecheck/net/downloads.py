"""Downloads large files: in several attempts, continued where an earlier one ended, and compared with their checksums.

No credentials are sent, neither the user's nor a service's. The bytes of ``NAME`` arrive in ``NAME.part``; when complete and
checked, the file gets its name, and ``NAME.origin.json`` its address, size and validator.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from contextlib import contextmanager, suppress
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import httpx

from pytest_citecheck.atomic_write import atomic_write
from pytest_citecheck.net.http import USER_AGENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import Self

    Told = Callable[[int, int], None]

T = TypeVar("T")

ATTEMPTS = 6
"""Attempts without a new byte until a download is given up."""
_PAUSE = 2.0  # seconds, doubled after each failure
_TIMEOUT = httpx.Timeout(60.0)
_MOST_LISTED = 64 << 20  # bytes of a list of files
_OK, _PARTIAL, _BEYOND, _TOO_MANY, _SERVER_ERROR = 200, 206, 416, 429, 500
_MD5 = re.compile(r"\b[0-9a-fA-F]{32}\b")
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")


class DownloadError(Exception):
    """A file cannot be downloaded; the message says why."""


class Downloads:
    """A client for downloads, to be used as a context. sleep: for tests."""

    def __init__(self, sleep: Callable[[float], None] = time.sleep) -> None:
        headers = {"user-agent": USER_AGENT, "accept-encoding": "identity"}
        # Without the environment's .netrc; proxies of the environment are used.
        self._client = httpx.Client(
            headers=headers, timeout=_TIMEOUT, follow_redirects=True, auth=lambda request: request
        )
        self._sleep = sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def text(self, url: str) -> bytes:
        """A small file, such as a list or a checksum. Raises DownloadError."""

        def read() -> bytes:
            with self._opened(url) as response:
                _demand(response, url)
                body = b""
                for piece in response.iter_raw():
                    body += piece
                    if len(body) > _MOST_LISTED:
                        raise DownloadError(f"{url} is larger than a list of files")
                return body

        return self._persistently(url, read)

    def size(self, url: str) -> tuple[int, str]:
        """Size in bytes (0 if the server does not state it) and validator of a file. Raises DownloadError."""
        try:
            response = self._client.head(url)
        except httpx.HTTPError as error:
            raise DownloadError(f"{url}: {_error_text(error)}") from error
        _demand(response, url)
        return int(response.headers.get("content-length") or 0), _validator(response)

    def fetch(self, url: str, target: Path, checksum: str = "", told: Told | None = None) -> None:
        """Download a file, continuing an earlier attempt. checksum: address of its MD5 sum. told: gets bytes so far and in all.

        Raises DownloadError, and OSError if the file cannot be written.
        """
        stated = self._stated_sum(checksum) if checksum else ""
        part = target.with_name(f"{target.name}.part")
        beside = target.with_name(f"{target.name}.part.json")
        target.parent.mkdir(parents=True, exist_ok=True)
        state = self._persistently(url, lambda: self._attempt(url, part, beside, told), part)
        if checksum and (found := _md5(part)) != stated:
            stated = self._stated_sum(checksum)  # of another file, if the dump was replaced since the download began
            if found != stated:
                part.unlink()
                beside.unlink(missing_ok=True)
                reason = f"its MD5 sum is {found} and should be {stated}"
                raise DownloadError(f"{url} was downloaded, but {reason}: it was removed; run the command again")
        os.replace(part, target)  # noqa: PTH105 - as everywhere, so that tests can fail it
        if changed := state["modified"]:
            with suppress(ValueError):
                seconds = parsedate_to_datetime(changed).timestamp()
                os.utime(target, (seconds, seconds))
        with atomic_write(origin_of(target)) as file:
            file.write(json.dumps(state, indent=1).encode())
        beside.unlink(missing_ok=True)

    def _attempt(self, url: str, part: Path, beside: Path, told: Told | None) -> dict[str, Any]:
        """Download the rest; return where from. Raises DownloadError and httpx.HTTPError."""
        have = _size(part)
        known = _read(beside)
        headers = {}
        if have and known.get("url") == url and known.get("validator"):
            headers = {"range": f"bytes={have}-", "if-range": known["validator"]}
        with self._opened(url, headers) as response:
            if response.status_code == _BEYOND and known.get("size") == have:
                return known
            start, size = _extent(response, have)
            if response.status_code == _BEYOND or start not in (0, have):
                part.unlink()
                raise httpx.RemoteProtocolError("the server has another file now")
            _demand(response, url)
            if start == 0:  # a new file, or a server that ignores ranges
                modified = response.headers.get("last-modified", "")
                known = {"url": url, "size": size, "validator": _validator(response), "modified": modified}
                beside.write_text(json.dumps(known))
            with part.open("r+b" if start else "wb") as file:
                file.seek(start)
                done = start
                for piece in response.iter_raw():
                    file.write(piece)
                    done += len(piece)
                    if told is not None:
                        told(done, size)
            if size and done != size:
                raise httpx.RemoteProtocolError(f"{done:,} bytes of {size:,} arrived")
        return known | {"size": done}

    @contextmanager
    def _opened(self, url: str, headers: Mapping[str, str] | None = None) -> Iterator[httpx.Response]:
        """A response that is not an outage. Raises httpx.HTTPError."""
        with self._client.stream("GET", url, headers=headers) as response:
            if response.status_code == _TOO_MANY or response.status_code >= _SERVER_ERROR:
                raise httpx.RemoteProtocolError(f"status {response.status_code}")
            yield response

    def _persistently(self, url: str, action: Callable[[], T], part: Path | None = None) -> T:
        """The result of an action, repeated after failures. Raises DownloadError after `ATTEMPTS` without new bytes."""
        failures = 0
        while True:
            before = _size(part)
            try:
                return action()
            except httpx.HTTPError as error:
                now = _size(part)
                failures = 0 if now > before else failures + 1
                if failures >= ATTEMPTS:
                    hint = f"; run the command again to continue after {now:,} bytes" if part else ""
                    raise DownloadError(f"{url}: {_error_text(error)}{hint}") from error
            self._sleep(_PAUSE * 2**failures)

    def _stated_sum(self, checksum: str) -> str:
        """The MD5 sum at an address, read before the download, which may take hours."""
        stated = _MD5.search(self.text(checksum).decode("latin-1"))
        if stated is None:
            raise DownloadError(f"{checksum} has no MD5 sum")
        return stated[0].lower()


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def origin_of(target: Path) -> Path:
    """The file that remembers where a download came from."""
    return target.with_name(f"{target.name}.origin.json")


def downloaded(target: Path) -> dict[str, Any]:
    """Address, size and validator of a download; empty if it was not downloaded. The dump itself may have been deleted since."""
    return _read(origin_of(target))


def left_to_load(target: Path, size: int) -> int:
    """Bytes of a file that still have to be downloaded."""
    return max(size - _size(target.with_name(f"{target.name}.part")), 0)


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _size(path: Path | None) -> int:
    return path.stat().st_size if path is not None and path.exists() else 0


def _demand(response: httpx.Response, url: str) -> None:
    """Raise DownloadError for a refusal, a page instead of a file, and a redirect to an unencrypted address."""
    if response.status_code not in (_OK, _PARTIAL):
        raise DownloadError(f"{url}: the server answers with status {response.status_code}")
    if urlsplit(url).scheme == "https" and response.url.scheme != "https":
        raise DownloadError(f"{url}: the server redirects to an address without encryption")


def _validator(response: httpx.Response) -> str:
    """A strong entity tag, or the date of the last change; empty if the server states neither."""
    tag: str = response.headers.get("etag", "")
    return tag if tag and not tag.startswith("W/") else response.headers.get("last-modified", "")


def _extent(response: httpx.Response, have: int) -> tuple[int, int]:
    """The first byte of the body, and the size of the whole file (0 if it is not stated)."""
    if response.status_code == _PARTIAL:
        match = _RANGE.fullmatch(response.headers.get("content-range", ""))
        if match is None or int(match[1]) != have:
            return -1, 0
        return have, int(match[2]) if match[2] != "*" else 0
    return 0, int(response.headers.get("content-length") or 0)


def _error_text(error: httpx.HTTPError) -> str:
    return str(error) or type(error).__name__
