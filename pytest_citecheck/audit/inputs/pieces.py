"""What is to be read, in pieces that a worker can take by itself: a file, a member of an archive, some rows."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pytest_citecheck.readers import READERS, reader_for, why_unread
from pytest_citecheck.readers.documents.choice import BINARY
from pytest_citecheck.readers.documents.folders import folder_contents

__all__ = ["Piece", "Unread", "is_archive", "partitioned", "pieces_of"]

_BYTES_EACH = 450  # of a reference in a bibliography, to guess how many a file has
_LINES, _PARQUET = (".jsonl", ".ndjson"), (".parquet", ".pq")
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_LONGEST_READ = 1 << 24


@dataclass(frozen=True, slots=True)
class Piece:
    """What one worker reads at once.

    kind: a ``file`` of references, a ``submission`` of a folder, a ``member`` of an archive, ``rows`` of a Parquet file,
    ``lines`` of JSON. name: of the document; for a member, its name in the archive. start, stop: rows, or bytes of whole lines.
    first: the number of the first line. weight: about how many references it has.
    """

    kind: Literal["file", "submission", "member", "rows", "lines"]
    path: str
    name: str
    start: int = 0
    stop: int = 0
    first: int = 1
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Unread:
    """Something that cannot be read: which file, which row or line of it (0: all of it), and why."""

    path: str
    row: int
    reason: str


def pieces_of(inputs: Iterable[str], most: int) -> Iterator[Piece | Unread]:
    """The pieces of files, folders and archives, in the order given, within a folder by name.

    most: rows of a piece. A file that no reader claims is `Unread`.
    """
    given = list(inputs)
    for name in given:
        path = Path(name)
        apart = f"{name.rstrip('/')}/" if len(given) > 1 else ""  # documents of two folders may have one name
        if path.is_dir():
            yield from _of_folder(path, apart, most)
        elif path.is_file():
            yield from _pieces(path, name if apart else path.name, most)
        else:
            yield Unread(name, 0, "no such file or folder")


def _of_folder(folder: Path, apart: str, most: int) -> Iterator[Piece | Unread]:
    """The pieces of a folder by name: its submissions and bibliographies as the plugin finds them, and tables of rows."""
    contents = folder_contents(folder)
    documents = {path for one in contents.submissions for path in one.documents}
    tables = {path for path in contents.unread if path.is_file() and _is_rows(path)}
    for path in sorted({*documents, *contents.bibliographies, *contents.unread}):
        name = apart + path.relative_to(folder).as_posix()
        if path in documents and not (is_archive(path) and _holds_bibliographies(path)):
            yield Piece("submission", str(path), name, weight=max(_size(path) // _BYTES_EACH, 1))
        elif path in contents.unread and path not in tables:
            yield Unread(str(path), 0, contents.unread[path])
        else:
            yield from _pieces(path, name, most)


def _holds_bibliographies(path: Path) -> bool:
    """Whether an archive has files of references and no document, which would be a submission."""
    try:
        members = [Path(piece.name).suffix.lower() for piece in _members(path)]
    except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile):
        return False
    return bool(members) and not {*members} & {*BINARY, ".tex", ".ltx", ".bbl", ".md", ".qmd", ".rmd"}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def partitioned(pieces: Iterable[Piece], weight: int) -> list[list[Piece]]:
    """Neighbouring pieces together, until they have about so many references."""
    partitions: list[list[Piece]] = []
    held = weight
    for piece in pieces:
        if held >= weight:
            partitions.append([])
            held = 0
        partitions[-1].append(piece)
        held += piece.weight
    return partitions


def is_archive(path: Path) -> bool:
    return path.name.lower().endswith(_ARCHIVES)


def _hidden(relative: Path) -> bool:
    return any(part.startswith(".") for part in relative.parts)


def _is_rows(path: Path) -> bool:
    return path.suffix.lower() in (*_LINES, *_PARQUET)


def _pieces(path: Path, name: str, most: int) -> Iterator[Piece | Unread]:
    try:
        if is_archive(path):
            yield from _members(path)
        elif path.suffix.lower() in _PARQUET:
            yield from _rows(path, name, most)
        elif reader_for(str(path)) is not None:
            yield Piece("file", str(path), name, weight=max(path.stat().st_size // _BYTES_EACH, 1))
        elif path.suffix.lower() in _LINES:
            yield from _lines(path, name, most)
        else:
            yield Unread(str(path), 0, why_unread(str(path)))
    except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile) as error:
        yield Unread(str(path), 0, getattr(error, "strerror", None) or str(error))


def _members(path: Path) -> Iterator[Piece]:
    claimed = {suffix for reader in READERS if reader.lenient for suffix in reader.suffixes}
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            found = [(one.filename, one.file_size) for one in archive.infolist() if not one.is_dir()]
    else:
        with tarfile.open(path) as packed:
            found = [(one.name, one.size) for one in packed if one.isfile()]
    for member, size in sorted(found):
        if Path(member).suffix.lower() in claimed and not _hidden(Path(member)):
            yield Piece("member", str(path), member, weight=max(size // _BYTES_EACH, 1))


def _rows(path: Path, name: str, most: int) -> Iterator[Piece | Unread]:
    import pyarrow  # noqa: PLC0415 - of an extra
    import pyarrow.parquet  # noqa: PLC0415

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            total = file.metadata.num_rows
    except (pyarrow.ArrowException, ValueError) as error:
        yield Unread(str(path), 0, f"not a Parquet file that can be read: {error}")
        return
    for start in range(0, total, most):
        stop = min(start + most, total)
        yield Piece("rows", str(path), name, start, stop, weight=stop - start)


def _lines(path: Path, name: str, most: int) -> Iterator[Piece]:
    """Pieces of whole lines; the file is gone through once, to count them."""
    start = position = lines = 0
    first = 1
    with path.open("rb") as file:
        while part := file.read(_LONGEST_READ):
            end = part.find(b"\n")
            while end >= 0:
                lines += 1
                if lines == most:
                    stop = position + end + 1
                    yield Piece("lines", str(path), name, start, stop, first, lines)
                    start, first, lines = stop, first + lines, 0
                end = part.find(b"\n", end + 1)
            position += len(part)
    if position > start:
        yield Piece("lines", str(path), name, start, position, first, max(lines, 1))
