"""Documents that the user names by identifier or address: arXiv id, DOI, page, or URL of a file."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import tempfile
import zlib
from collections.abc import Sequence
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote, urljoin, urlsplit

import pytest

from pytest_citecheck.atomic_write import atomic_write
from pytest_citecheck.inputs import Target, UnreadableDocumentError, main_documents, megabytes, target_of, unpacked
from pytest_citecheck.plugin.items import FETCHED
from pytest_citecheck.sources import Request
from pytest_citecheck.today import seconds

if TYPE_CHECKING:
    from pytest_citecheck.net import RawResponse
    from pytest_citecheck.plugin.settings import Settings
from pytest_citecheck.plugin.documents import format_of

_LARGEST = 100_000_000
_SECONDS = 120.0
_DAYS = 30
"""After so long, a document may have a new version and is fetched again."""
_LONGEST_NAME = 180
_META = re.compile(rb"<meta\s[^<>]*+>", re.IGNORECASE)
_PDF_NAME = re.compile(rb"""name\s*+=\s*+["']?citation_pdf_url["'\s>]""", re.IGNORECASE)
_CONTENT = re.compile(rb"""content\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""", re.IGNORECASE)
_ACCEPTED = "application/pdf, application/gzip, application/x-tar, text/html;q=0.9, */*;q=0.8"


class Fetch(Protocol):
    """Get an address. public: refuse private addresses. Raises UnreadableDocumentError if there is no answer."""

    def __call__(self, address: str, *, public: bool) -> RawResponse: ...


def take_fetched(config: pytest.Config, settings: Settings) -> bool:
    """Replace identifiers and addresses among the files to check by fetched files; return True if there were any.

    Only command-line arguments are fetched, never values of a settings file. Raises pytest.UsageError.
    """
    given: list[str] | None = config.getoption("citecheck")
    if given is None:
        return False
    found: dict[str, str] = {}

    def file_of(text: str) -> str:
        if text not in found:
            found[text] = _taken(text, config, settings)
        return found[text] or text

    # With pytest-xdist the workers get these values.
    config.option.citecheck = [
        ",".join(map(file_of, [value] if _named(value, settings) else value.split(","))) for value in given
    ]
    if config.args_source is config.ArgsSource.ARGS:
        arguments = [argument.partition("::") for argument in config.args]
        config.args[:] = [f"{file_of(file)}{colons}{rest}" for file, colons, rest in arguments]
    return any(found.values())


def _named(text: str, settings: Settings) -> Target | None:
    return None if os.path.exists(text) else target_of(text, settings.servers.base_urls)  # noqa: PTH110 - Path.exists raises for a long address


def _taken(text: str, config: pytest.Config, settings: Settings) -> str:
    """The file with the document that a text names; empty if it names a file."""
    target = _named(text, settings)
    if target is None:
        return ""
    if any("@" in urlsplit(address).netloc for address in target.addresses):
        raise pytest.UsageError(
            "--citecheck: addresses with a user name or password are not fetched; download the file and pass its path"
        )
    recorded = settings.cassettes / FETCHED if settings.cassettes else None
    cached = settings.cache / FETCHED if settings.cache else None
    replays = recorded is not None and settings.record == "none"
    stores = [one for one in ((recorded,) if replays else (recorded, cached)) if one is not None]
    fresh = settings.refresh or (recorded is not None and settings.record == "all")
    for store in stores:
        kept = _kept(store, target, any_age=replays or settings.offline or store == recorded)
        if kept is not None and not fresh:
            return str(kept)
    if replays or settings.offline:
        why = f"it is not recorded in {recorded}" if replays else "offline mode, and it is not in the cache"
        raise pytest.UsageError(f"--citecheck: {target.name} is not fetched: {why}")
    if not stores:
        folder = tempfile.TemporaryDirectory(prefix="citecheck-")
        config.add_cleanup(folder.cleanup)
        stores = [Path(folder.name) / FETCHED]
    return _fetched_into(stores, target)


def _fetched_into(stores: Sequence[Path], target: Target) -> str:
    """Fetch a document and keep it in all stores; return its file in the first one. Raises pytest.UsageError."""
    try:
        suffix, data = fetched(target, _exchange)
        for store in stores:
            _store(store, target, suffix, data)
    except UnreadableDocumentError as error:
        raise pytest.UsageError(f"--citecheck: {target.name} cannot be fetched: {error}") from error
    except OSError as error:
        raise pytest.UsageError(f"--citecheck: {target.name} cannot be kept: {error}") from error
    return str(_place(stores[0], target) / f"document{suffix}")


def _place(store: Path, target: Target) -> Path:
    name = quote(target.name, safe="").replace("~", "%7E")
    if len(name) > _LONGEST_NAME:
        name = f"{name[:_LONGEST_NAME].rpartition('%')[0]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    return store / name


def _kept(store: Path, target: Target, *, any_age: bool) -> Path | None:
    place = _place(store, target)
    files = sorted(place.glob("document.*")) if place.is_dir() else []
    if not files or not (any_age or seconds() - files[0].stat().st_mtime < _DAYS * 86_400):
        return None
    return files[0]


def _store(store: Path, target: Target, suffix: str, data: bytes) -> None:
    place = _place(store, target)
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = place / f"document{suffix}"
    with atomic_write(path) as file:
        file.write(data)
    for other in place.glob("document.*"):
        if other != path:
            other.unlink()


def fetched(target: Target, fetch: Fetch) -> tuple[str, bytes]:
    """Ending and content of a document: the first address that has one. Raises UnreadableDocumentError."""
    problems: list[str] = []
    for address in target.addresses:
        try:
            suffix, data = _document(address, fetch)
            if suffix == ".html" and len(target.addresses) > 1:
                raise UnreadableDocumentError(f"{urlsplit(address).hostname} sends a web page instead")
            if suffix in (".gz", ".tar", ".zip") and len(target.addresses) > 1:
                content = unpacked(target.name, data)
                if not main_documents(content, content.get):
                    raise UnreadableDocumentError("its source contains no document with references")
            return suffix, data
        except UnreadableDocumentError as error:
            problems.append(str(error))
    raise UnreadableDocumentError("; ".join(dict.fromkeys(problems)))


def _document(address: str, fetch: Fetch) -> tuple[str, bytes]:
    data = _body(address, fetch, public=False)  # the user typed it, and may mean a server in the house
    suffix = _suffix(data)
    if suffix == ".html" and (pdf := _pdf_of(data)):
        link = urljoin(address, pdf)
        try:
            linked = _body(link, fetch, public=urlsplit(link).netloc != urlsplit(address).netloc)
        except UnreadableDocumentError:
            return suffix, data  # the page may state its references
        if _suffix(linked) == ".pdf":
            return ".pdf", linked
    return suffix, data


def _body(address: str, fetch: Fetch, *, public: bool) -> bytes:
    if not re.match(r"https?://", address, re.IGNORECASE):
        raise UnreadableDocumentError("it links to a document that is not on the web")
    response = fetch(address, public=public)
    host = urlsplit(address).hostname
    if response.status != 200:
        advice = "; download the file and pass its path" if response.status in (401, 403, 429, 503) else ""
        raise UnreadableDocumentError(f"{host} answers with status {response.status}{advice}")
    if not response.body.strip():
        raise UnreadableDocumentError(f"{host} sends an empty document")
    return response.body


def _suffix(data: bytes) -> str:
    if data[:2] == b"\x1f\x8b":
        head = b""
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                head = packed.read(1024)
        except (OSError, EOFError, zlib.error):
            return ".gz"
        if head.startswith(b"%PDF"):
            raise UnreadableDocumentError("its source is a compressed PDF")
        return ".gz"
    if data[257:262] == b"ustar":
        return ".tar"
    known = format_of(data)
    if known == ".txt" and data[:2] == b"PK":
        return ".zip"
    return ".html" if known in (".xml", ".txt") and b"<html" in data[:2000].lower() else known


def _pdf_of(page: bytes) -> str:
    """The address of the PDF that a page states for programs; empty if it states none."""
    for meta in _META.findall(page):
        if _PDF_NAME.search(meta) and (content := _CONTENT.search(meta)):
            return unescape((content[1] or content[2] or b"").decode("utf-8", "replace")).strip()
    return ""


def _exchange(address: str, *, public: bool) -> RawResponse:
    from pytest_citecheck.net import Deadline, ExchangeError, Exchanger, system_lookup  # noqa: PLC0415
    from pytest_citecheck.plugin.gathering import run_to_end  # noqa: PLC0415 - rarely needed, and slow to import

    async def sent() -> RawResponse:
        exchanger = Exchanger(_SECONDS, 10.0, system_lookup, Deadline(None, None))
        try:
            # No key, contact address or cookie, since the host is untrusted. Redirects to private addresses are
            # refused.
            request = Request("documents", address, accept=_ACCEPTED)
            return await exchanger.exchange(request, lambda: None, largest=_LARGEST, follow=True, public=public)
        finally:
            await exchanger.aclose()

    try:
        return run_to_end(sent())
    except ExchangeError as error:
        why = f"more than {megabytes(_LARGEST)}" if error.reason == "too-large" else f"{error.reason}: {error.detail}"
        raise UnreadableDocumentError(f"{urlsplit(address).hostname} does not send it ({why})") from error
