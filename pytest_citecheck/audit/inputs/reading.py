"""Reading the pieces of a partition: references with their documents, and what could not be read."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.audit.inputs.pieces import Unread
from pytest_citecheck.audit.inputs.rows import RowError, as_reference, document_of
from pytest_citecheck.readers import READERS, reader_for, reader_named
from pytest_citecheck.readers.documents.base import (
    LARGEST,
    DocumentReader,
    Surroundings,
    UnreadableDocumentError,
    megabytes,
    unreadable,
)
from pytest_citecheck.readers.documents.files import FolderFiles
from pytest_citecheck.readers.hallmark.json_lines import Problem, json_lines
from pytest_citecheck.readers.reference_names import escape_key, reference_names

if TYPE_CHECKING:
    from pytest_citecheck.audit.inputs.pieces import Piece
    from pytest_citecheck.model import Reference
    from pytest_citecheck.readers.base import Bibliography

__all__ = ["Cited", "read_pieces"]

_LARGEST_MEMBER = 1 << 28
_HEAD = 1 << 16


@dataclass(frozen=True, slots=True)
class Cited:
    """A reference of a document. id: as in reports. answered: whether a language model or a benchmark wrote it."""

    document: str
    id: str
    reference: Reference
    answered: bool = False


def read_pieces(pieces: Iterable[Piece]) -> tuple[list[Cited], list[Unread]]:
    """The references in these pieces, in order, and what could not be read. Never raises on account of the content."""
    found: list[Cited] = []
    unread: list[Unread] = []
    for piece in pieces:
        for item in _READING[piece.kind](piece):
            if isinstance(item, Unread):
                unread.append(item)
            else:
                found.append(item)
    return found, unread


def _file(piece: Piece) -> Iterator[Cited | Unread]:
    path = Path(piece.path)
    reader = reader_for(piece.path) or (reader_named(piece.path) if piece.kind == "submission" else None)
    try:
        if path.stat().st_size > LARGEST:
            raise UnreadableDocumentError(
                f"{piece.name} has {megabytes(path.stat().st_size)}; at most {megabytes(LARGEST)} are read"
            )
        data = path.read_bytes()
        if reader is None:
            raise UnreadableDocumentError("no longer a file of references")
        if isinstance(reader, DocumentReader):
            if not data:
                raise UnreadableDocumentError(f"{piece.name} is empty")
            confined = path.parent if piece.kind == "submission" else None
            whole = reader.read_document(piece.name, data, Surroundings(FolderFiles(path.parent, confined)))
        else:
            whole = reader.read(piece.name, data)
    except (OSError, UnreadableDocumentError) as error:
        reason = f"it cannot be opened: {error.strerror}" if isinstance(error, OSError) else str(error)
        yield Unread(piece.path, 0, reason)
        if piece.kind == "submission":
            yield from _of_bibliography(unreadable(piece.name, reason), piece, lenient=True)
        return
    yield from _of_bibliography(whole, piece, lenient=reader.lenient)


def _member(piece: Piece) -> Iterator[Cited | Unread]:
    path = f"{piece.path}/{piece.name}"
    try:
        data = _unpacked(piece)
    except (OSError, EOFError, KeyError, RuntimeError, ValueError, tarfile.TarError, zipfile.BadZipFile) as error:
        yield Unread(path, 0, str(error))
        return
    suffix = Path(piece.name).suffix.lower()
    reader = next((one for one in READERS if suffix in one.suffixes and one.reads(data[:_HEAD])), None)
    if reader is None:
        yield Unread(path, 0, "not a file of references")
        return
    try:
        whole = reader.read(piece.name, data)
    except UnreadableDocumentError as error:
        yield Unread(path, 0, str(error))
        return
    yield from _of_bibliography(whole, piece, lenient=reader.lenient)


def _unpacked(piece: Piece) -> bytes:
    if zipfile.is_zipfile(piece.path):
        with zipfile.ZipFile(piece.path) as archive, archive.open(piece.name) as file:
            data = file.read(_LARGEST_MEMBER + 1)
    else:
        with tarfile.open(piece.path) as packed:
            member = packed.extractfile(piece.name)
            data = member.read(_LARGEST_MEMBER + 1) if member is not None else b""
    if len(data) > _LARGEST_MEMBER:
        raise ValueError(f"larger than {_LARGEST_MEMBER:,} bytes")
    return data


def _of_bibliography(whole: Bibliography, piece: Piece, *, lenient: bool) -> Iterator[Cited | Unread]:
    document, path = piece.name, f"{piece.path}/{piece.name}" if piece.kind == "member" else piece.path
    places = whole.answered or (None,) * len(whole.references)
    for name, reference, place in zip(reference_names(whole), whole.references, places, strict=True):
        if not (lenient or reference.readable) and place is None:
            # A line of a table that cannot be read is no reference that somebody wrote.
            yield from (Unread(path, defect.line, defect.message) for defect in reference.defects if defect.fatal)
        elif place is None or not place.duplicate_of:
            yield Cited(document, f"{document}::{name}", reference, answered=place is not None or whole.benchmark)


def _rows(piece: Piece) -> Iterator[Cited | Unread]:
    import pyarrow  # noqa: PLC0415 - of an extra
    import pyarrow.parquet  # noqa: PLC0415

    number = 0
    try:
        with pyarrow.parquet.ParquetFile(piece.path) as file:
            for group in range(file.metadata.num_row_groups):
                size = file.metadata.row_group(group).num_rows
                first, number = number, number + size
                if first >= piece.stop or number <= piece.start:
                    continue
                lowest, highest = max(piece.start, first), min(piece.stop, number)
                try:
                    table = file.read_row_group(group).slice(lowest - first, highest - lowest)
                    rows = table.to_pylist()
                except (pyarrow.ArrowException, OSError, ValueError) as error:
                    yield Unread(piece.path, lowest + 1, f"rows {lowest + 1:,} to {highest:,} cannot be read: {error}")
                    continue
                for place, row in enumerate(rows, lowest + 1):
                    yield _row(row, piece, place)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        yield Unread(piece.path, 0, str(error))


def _lines(piece: Piece) -> Iterator[Cited | Unread]:
    try:
        with Path(piece.path).open("rb") as file:
            file.seek(piece.start)
            data = file.read(piece.stop - piece.start)
    except OSError as error:
        yield Unread(piece.path, 0, error.strerror or str(error))
        return
    for item in json_lines(piece.path, (data,)):
        number = piece.first - 1 + item.line
        if isinstance(item, Problem):
            yield Unread(piece.path, number, item.message)
        else:
            yield _row(item.value, piece, number)


def _row(row: dict[str, Any], piece: Piece, number: int) -> Cited | Unread:
    document = document_of(row, piece.name)
    try:
        reference = as_reference(row, document, number)
    except RowError as error:
        return Unread(piece.path, number, str(error))
    return Cited(document, f"{document}::{escape_key(reference.key) or f'line-{number}'}", reference)


_READING = {"file": _file, "submission": _file, "member": _member, "rows": _rows, "lines": _lines}
