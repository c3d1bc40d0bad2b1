"""Reader for archives: reads the documents in them as if they were in a folder with the archive's name."""

from __future__ import annotations

import gzip
import io
import lzma
import posixpath
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import IO

from pytest_citecheck.inputs.base import Bibliography, Reader
from pytest_citecheck.inputs.bibtex.reader import read_together
from pytest_citecheck.inputs.documents import (
    ArchiveFiles,
    DocumentReader,
    Surroundings,
    UnreadableDocumentError,
    WholeDocumentReader,
    main_documents,
    megabytes,
)

_READ = (
    *(".tex", ".ltx", ".bib", ".bbl", ".aux", ".bcf", ".md", ".qmd", ".rmd", ".json", ".ris", ".nbib", ".yml", ".yaml"),
    *(".sty", ".cls", ".docx", ".odt", ".pdf"),
)
"""Suffixes of files that may contain references; figures and data are skipped."""
_LARGEST = 100_000_000  # bytes of a file
_TOGETHER = 300_000_000
_MOST_MEMBERS = 20_000
_DAMAGE = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError),
    *(OSError, EOFError, ValueError, NotImplementedError, RuntimeError),
)


def unpacked(path: str, data: bytes) -> dict[str, bytes]:
    """Return the content of files that may contain references, by name. Raise UnreadableDocumentError.

    Absolute names, names with ``..``, links and devices are errors: an honest archive has none that matters.
    """
    try:
        return dict(_members(path, data))
    except _DAMAGE as error:
        why = "is encrypted" if "password" in str(error).lower() or "encrypted" in str(error).lower() else "is damaged"
        raise UnreadableDocumentError(f"{path} {why} ({str(error)[:100]})") from error


def _members(path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    total = 0
    for number, (name, content) in enumerate(_entries(path, data)):
        total += len(content)
        if number >= _MOST_MEMBERS or total > _TOGETHER:
            limit = f"{_MOST_MEMBERS:,} files or {megabytes(_TOGETHER)}"
            raise UnreadableDocumentError(f"{path} contains more than {limit} of text")
        yield name, content


def _entries(path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    if data[:2] == b"PK":
        yield from _of_zip(path, data)
        return
    if data[:2] == b"\x1f\x8b":
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            data = _bounded(path, packed)
    elif data[:6] == b"\xfd7zXZ\x00":
        with lzma.LZMAFile(io.BytesIO(data)) as packed_otherwise:
            data = _bounded(path, packed_otherwise)
    if data[257:262] == b"ustar" or not data.strip(b"\0"):
        yield from _of_tar(path, data)
    else:  # arXiv sends a single-file source as that file, compressed
        yield "main.tex", data


def _of_zip(path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist()[: 5 * _MOST_MEMBERS]:
            if info.is_dir():
                continue
            name = _safe(path, info.filename)
            if (info.external_attr >> 16) & 0o170000 == 0o120000:
                raise UnreadableDocumentError(f"{path}: {name} is a link; archives with links are not read")
            if name.lower().endswith(_READ):
                with archive.open(info) as member:
                    yield name, _bounded(f"{path}: {name}", member)


def _of_tar(path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for number, info in enumerate(archive):
            if number > 5 * _MOST_MEMBERS:
                return
            if info.isdir():
                continue
            name = _safe(path, info.name)
            if not info.isreg():
                raise UnreadableDocumentError(f"{path}: {name} is a link or a device; such archives are not read")
            member = archive.extractfile(info) if name.lower().endswith(_READ) else None
            if member is not None:
                yield name, _bounded(f"{path}: {name}", member)


def _safe(path: str, name: str) -> str:
    plain = name.replace("\\", "/")
    if plain.startswith("/") or plain[1:2] == ":" or ".." in plain.split("/") or "\0" in plain:
        raise UnreadableDocumentError(f"{path}: {name[:100]!r} points outside the archive, so the archive is not read")
    return posixpath.normpath(plain)


def _bounded(what: str, stream: IO[bytes] | gzip.GzipFile | lzma.LZMAFile) -> bytes:
    data = stream.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise UnreadableDocumentError(f"{what} has more than {megabytes(_LARGEST)} when unpacked")
    return data


class ArchiveReader(WholeDocumentReader):
    """Reader for ``.zip``, ``.tar`` and compressed archives; see `read_document`. readers: used for the content."""

    suffixes = frozenset((".zip", ".tar", ".tgz", ".gz", ".txz", ".xz"))
    format = "an archive"

    def __init__(self, readers: Callable[[], Iterable[Reader]]) -> None:
        self._readers = readers

    def reads(self, head: bytes) -> bool:
        """Detect an archive by its signature."""
        return head[:2] in (b"PK", b"\x1f\x8b") or head[:6] == b"\xfd7zXZ\x00" or head[257:262] == b"ustar"

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """Return the references of the documents in an archive, or of its .bib files if it has no document.

        Raises UnreadableDocumentError.
        """
        content = unpacked(path, data)
        documents = main_documents(content, content.get)
        found: list[Bibliography] = []
        problems: list[str] = []
        for name in documents:
            reader = next((one for one in self._readers() if posixpath.splitext(name)[1].lower() in one.suffixes), None)
            if isinstance(reader, DocumentReader):
                inside = replace(around, files=ArchiveFiles(content, posixpath.dirname(name)), given=())
                try:
                    found.append(reader.read_document(f"{path}/{name}", content[name], inside))
                except UnreadableDocumentError as error:
                    problems.append(str(error))
        if not documents:
            found = read_together(
                (f"{path}/{name}", content[name]) for name in sorted(content) if name.lower().endswith(".bib")
            )
        if not any(one.references for one in found):
            why = (
                "; ".join(problems)
                or f"{path} contains no document with references: no main .tex, .bbl, .md, .docx, .odt or .pdf"
            )
            raise UnreadableDocumentError(why)
        return _merged(path, found)


def _merged(path: str, found: Sequence[Bibliography]) -> Bibliography:
    """Merge the references without duplicates: a paper and its supplement cite from one bibliography."""
    references = {(one.key, one.location): one for whole in found for one in whole.references}
    return Bibliography(path, tuple(references.values()), tuple(note for whole in found for note in whole.notes))
