"""Fetches one large file: streamed to disk, continued where it broke off, checked, and put in its place as a whole."""

from __future__ import annotations

import contextlib
import errno
import random
import re
import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import httpx

from pytest_citecheck import __version__
from pytest_citecheck.transport.downloads.checksums import checksum_like, is_checksum, stated_checksum
from pytest_citecheck.transport.downloads.partial_file import BusyError, Origin, PartialFile, read_origin
from pytest_citecheck.transport.http.addresses import literal_address, reach
from pytest_citecheck.transport.http.exchange import tls_problem
from pytest_citecheck.transport.http.network import certificates, contact_error
from pytest_citecheck.transport.http.redirects import (
    MOST_REDIRECTS,
    REDIRECT_STATUSES,
    RedirectError,
    redirect_target,
    refuse_private,
)
from pytest_citecheck.transport.http.resolver import Lookup, system_lookup
from pytest_citecheck.transport.limits.retry import RETRIED_STATUSES, backoff, retry_after

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["DownloadError", "Downloaded", "Limits", "download"]

TRIES = 6
"""Attempts in a row that bring less than `_WORTHWHILE` bytes."""
_WORTHWHILE = 1 << 20
_LONGEST_WAIT = 120.0  # seconds, for a server that asks for patience
_LARGEST_CHECKSUM_FILE = 1 << 20
_CONTENT_RANGE = re.compile(r"bytes\s+(?:(\d+)-(\d+)|\*)/(\d+|\*)\s*\Z", re.IGNORECASE)
_Result = TypeVar("_Result")
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}


class DownloadError(Exception):
    """The file could not be fetched; the text says why. ``kept``: bytes that the same call will not fetch again."""

    def __init__(self, message: str, kept: int = 0) -> None:
        super().__init__(message)
        self.kept = kept


class _AgainError(Exception):
    """This attempt failed, another one may not. ``wait``: seconds that the server asks for."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class Limits:
    """What a download may take.

    largest: bytes. seconds: altogether. stall: seconds without a byte. connect: seconds for a connection.
    """

    largest: int = 50_000_000_000
    seconds: float = 86_400.0
    stall: float = 60.0
    connect: float = 15.0


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A file that is there as a whole.

    changed: False if it was there before and its server has no other version. resumed: bytes of an earlier, broken download
    that were used.
    """

    path: Path
    origin: Origin
    changed: bool = True
    resumed: int = 0


def download(
    url: str,
    target: Path,
    *,
    checksum: str = "",
    checksum_url: str = "",
    progress: Callable[[int, int | None], object] = lambda _done, _total: None,
    limits: Limits | None = None,
    lookup: Lookup = system_lookup,
    sleep: Callable[[float], object] = time.sleep,
) -> Downloaded:
    """Fetch the file at ``url`` to ``target``, unless that is the same version already.

    checksum: MD5 or SHA-256, in hexadecimal digits. checksum_url: address of a file that states it (`stated_checksum`).
    progress: called with the bytes so far and of the whole file, None if unknown. sleep: for the pauses between attempts.

    The body is written as it comes, without decompression. A part that broke off is continued if the server still has that
    version (RFC 9110, sections 13.1.5 and 14); the target is replaced at the end, never written into. Only https, except on
    this machine, and no redirect to anything else or to a private address. Without a length from the server the file
    counts as whole when the connection is closed in good order.

    Raises DownloadError. What has come is kept for the next call, except where the checksum is wrong. KeyboardInterrupt passes
    through with the part kept.
    """
    _check_address(url)
    if checksum_url:
        _check_address(checksum_url)
    if checksum and not is_checksum(checksum):
        raise DownloadError(f"'{checksum}' is neither an MD5 nor a SHA-256")
    task = _Task(url, target, progress, limits or Limits(), lookup, sleep)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with task.client, PartialFile(target, url) as part:
            try:
                return task.run(part, checksum, checksum_url)
            except DownloadError as error:
                raise DownloadError(str(error), part.kept()) from error
    except BusyError as error:
        raise DownloadError(str(error)) from error
    except OSError as error:
        raise DownloadError(_explain_write(target, error), _size(target)) from error


def _is_loopback(host: str) -> bool:
    return host == "localhost" or (literal_address(host) is not None and reach(host) == "loopback")


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host = ""
    if not host:
        raise DownloadError(f"{url}: no address of a file")
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_loopback(host)):
        raise DownloadError(f"{url}: files are fetched by https only")


def _explain_write(target: Path, error: OSError) -> str:
    if error.errno in _NO_ROOM:
        return f"{target}: the disk is full"
    return f"{target} cannot be written: {error.strerror or error}"


def _size(target: Path) -> int:
    try:
        return target.with_name(f"{target.name}.part").stat().st_size
    except OSError:
        return 0


class _Task:
    """One call of `download`."""

    def __init__(
        self,
        url: str,
        target: Path,
        progress: Callable[[int, int | None], object],
        limits: Limits,
        lookup: Lookup,
        sleep: Callable[[float], object],
    ) -> None:
        self._url = url
        self._target = target
        self._host = urlsplit(url).hostname or ""
        self._progress = progress
        self._limits = limits
        self._lookup = lookup
        self._sleep = sleep
        self._end = time.monotonic() + limits.seconds
        self.client = httpx.Client(
            headers={"user-agent": f"pytest-citecheck/{__version__}", "accept": "*/*", "accept-encoding": "identity"},
            verify=certificates(),
            timeout=httpx.Timeout(limits.stall, connect=limits.connect),
            # As for questions: what is on this machine is not asked for at a proxy.
            trust_env=not _is_loopback(self._host),
            follow_redirects=False,
        )

    def run(self, part: PartialFile, checksum: str, checksum_url: str) -> Downloaded:
        held = None if part.origin is not None else read_origin(self._target)
        if held is not None and held.url != self._url:
            held = None
        fetched = self._persist(lambda: self._fetch(part, held), lambda: part.size)
        if fetched is held and held is not None:
            return Downloaded(self._target, fetched, changed=False)
        if checksum_url:
            checksum = self._persist(lambda: self._published(checksum_url), lambda: 0)
        if checksum:
            self._verify(part, checksum.lower(), checksum_url)
        return Downloaded(self._target, part.place(fetched), resumed=part.continued)

    def _persist(self, attempt: Callable[[], _Result], size: Callable[[], int]) -> _Result:
        """Try until it works, nothing comes any more, or the time is up."""
        failed, before = 0, size()
        while True:
            try:
                return attempt()
            except _AgainError as error:
                failed = 1 if size() - before >= _WORTHWHILE else failed + 1
                before = size()
                if failed >= TRIES:
                    raise DownloadError(f"{error} ({TRIES} attempts)") from error
                wait = backoff(failed, random.random()) if error.wait is None else error.wait  # noqa: S311 - no secret
                if wait > _LONGEST_WAIT:
                    raise DownloadError(f"{error}, and asks to come back in {wait:,.0f} s") from error
                if time.monotonic() + wait > self._end:
                    raise DownloadError(f"{error}, and the {self._limits.seconds:,.0f} s for it are over") from error
                self._sleep(wait)

    def _fetch(self, part: PartialFile, held: Origin | None) -> Origin:
        """One attempt to get the rest; gives the version that is now there as a whole, ``held`` if it is unchanged."""
        headers, offset = {}, part.size
        if part.origin is not None and part.origin.validator and offset:
            headers = {"range": f"bytes={offset}-", "if-range": part.origin.validator}
        elif held is not None:
            stated = {"if-none-match": held.etag, "if-modified-since": held.last_modified}
            headers = {name: value for name, value in stated.items() if value}
        with self._open(self._url, headers) as response:
            if response.status_code == httpx.codes.NOT_MODIFIED and held is not None:
                return held
            if "range" in headers and part.origin is not None:
                if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
                    return self._whole(part, part.origin, response)
                if response.status_code == httpx.codes.PARTIAL_CONTENT:
                    version, size = part.origin, self._continued(part, part.origin, response)
                    return self._stream(part, version, size, response)
            if response.status_code != httpx.codes.OK:
                raise DownloadError(f"{self._host} answered {response.status_code} for {self._url}")
            self._refuse_page(response)
            length = response.headers.get("content-length", "")
            version = Origin(
                self._url,
                response.headers.get("etag", ""),
                response.headers.get("last-modified", ""),
                int(length) if length.isdecimal() else None,
            )
            part.restart(version)
            return self._stream(part, version, version.size, response)

    def _whole(self, part: PartialFile, version: Origin, response: httpx.Response) -> Origin:
        """The server has nothing behind what is here (RFC 9110, section 15.5.17): it is whole, or of another version."""
        match = _CONTENT_RANGE.match(response.headers.get("content-range", ""))
        if match and match[3] == str(part.size) and version.size in (None, part.size):
            return version
        part.forget()
        raise _AgainError(f"{self._host} has no more of a file that is not whole")

    def _continued(self, part: PartialFile, version: Origin, response: httpx.Response) -> int | None:
        """The size of the whole file of which this response is the rest."""
        match = _CONTENT_RANGE.match(response.headers.get("content-range", ""))
        total = int(match[3]) if match and match[3] != "*" else None
        same_size = total is None or version.size in (None, total)
        same_tag = response.headers.get("etag", version.etag) == version.etag
        if not match or match[1] != str(part.size) or not same_size or not same_tag:
            part.forget()
            raise _AgainError(f"{self._host} sent another part than the one asked for, or of another version")
        return version.size if total is None else total

    def _refuse_page(self, response: httpx.Response) -> None:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind in ("text/html", "application/xhtml+xml") and self._target.suffix.lower() not in (".html", ".htm"):
            raise DownloadError(f"{self._host} sent a web page instead of the file: {response.url}")

    def _stream(self, part: PartialFile, version: Origin, size: int | None, response: httpx.Response) -> Origin:
        done = part.size
        limits = self._limits
        if size is not None:
            if size > limits.largest:
                raise DownloadError(f"the file has {size:,} bytes, more than {limits.largest:,}")
            free = shutil.disk_usage(self._target.parent).free
            if size - done > free:
                raise DownloadError(
                    f"{size - done:,} bytes are to come, and the disk of {self._target.parent} has {free:,}"
                )
        self._progress(done, size)
        # Raw: where a server marks a .gz file as an encoding of what is in it, it is still the file that is wanted.
        for chunk in response.iter_raw():
            part.write(chunk)
            done += len(chunk)
            if done > limits.largest:
                raise DownloadError(f"the file has more than {limits.largest:,} bytes")
            if time.monotonic() > self._end:
                raise DownloadError(f"it takes more than {limits.seconds:,.0f} s")
            self._progress(done, size)
        if size is not None and done != size:
            if done > size:
                part.forget()
            raise _AgainError(f"{self._host} sent {done:,} bytes of {size:,}")
        if not done:
            raise DownloadError(f"{self._host} sent an empty file for {self._url}")
        return version

    def _published(self, url: str) -> str:
        with self._open(url, {}) as response:
            if response.status_code != httpx.codes.OK:
                raise DownloadError(f"{urlsplit(url).hostname} answered {response.status_code} for {url}")
            text = b""
            for chunk in response.iter_bytes():
                text += chunk
                if len(text) > _LARGEST_CHECKSUM_FILE:
                    break
        stated = stated_checksum(text.decode("utf-8", "replace"), urlsplit(self._url).path.rpartition("/")[2])
        if not stated:
            raise DownloadError(f"{url} states no checksum of the file")
        return stated

    def _verify(self, part: PartialFile, wanted: str, stated_by: str) -> None:
        part.flush()
        actual = checksum_like(wanted, part.path)
        if actual != wanted:
            part.discard()
            where = f" ({stated_by})" if stated_by else ""
            raise DownloadError(
                f"the file from {self._host} has the checksum {actual}, not {wanted}{where}: "
                "it is damaged or was replaced meanwhile, and is not kept"
            )

    @contextlib.contextmanager
    def _open(self, url: str, headers: dict[str, str]) -> Iterator[httpx.Response]:
        """The response to a GET, after redirects; its failures as DownloadError and _AgainError."""
        try:
            for _ in range(MOST_REDIRECTS + 1):
                with self.client.stream("GET", url, headers=headers) as response:
                    location = response.headers.get("location", "")
                    if response.status_code not in REDIRECT_STATUSES or not location:
                        if response.status_code in RETRIED_STATUSES:
                            raise _AgainError(
                                f"{urlsplit(url).hostname} answered {response.status_code}",
                                retry_after(response.headers, time.time()),
                            )
                        yield response
                        return
                url = self._redirected(url, location)
            raise DownloadError(f"more than {MOST_REDIRECTS} redirects from {self._url}")
        except RedirectError as error:
            raise DownloadError(str(error)) from error
        except httpx.TransportError as error:
            host = urlsplit(url).hostname or ""
            if tls := tls_problem(error):
                raise DownloadError(f"no secure connection to {host}: {tls}") from error
            if contact := contact_error(error, host):
                raise DownloadError(contact.detail) from error
            if isinstance(error, httpx.TimeoutException):
                raise _AgainError(f"{host} fell silent") from error
            raise _AgainError(f"the connection to {host} broke: {error or type(error).__name__}") from error

    def _redirected(self, url: str, location: str) -> str:
        target = redirect_target(url, location, anywhere=True)
        host, other = urlsplit(url).hostname or "", urlsplit(target).hostname or ""
        if urlsplit(target).scheme != "https" and not (_is_loopback(host) and _is_loopback(other)):
            raise RedirectError(f"redirect from {host} to {other} without https")
        if host != other:
            refuse_private(host, self._addresses(host), other, self._addresses(other))
        return target

    def _addresses(self, host: str) -> tuple[str, ...]:
        if literal_address(host) is not None:
            return (host.strip("[]"),)
        try:
            return tuple(self._lookup(host))
        except (OSError, UnicodeError):
            return ()  # behind a proxy, names may be known to that alone; else the connection fails
