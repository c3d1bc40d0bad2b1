"""Reading the pieces of a partition: references with their documents, and unreadable inputs."""

from __future__ import annotations

import json
import secrets
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pytest_citecheck.inputs import (
    BINARY,
    LARGEST,
    DocumentReader,
    FolderFiles,
    Problem,
    Surroundings,
    UnreadableDocumentError,
    all_readers,
    balance,
    escape_key,
    folder_contents,
    json_lines,
    megabytes,
    read_bibtex,
    reader_for,
    reader_named,
    reference_names,
    unreadable,
    why_unread,
)
from pytest_citecheck.model import Location, Reference

if TYPE_CHECKING:
    from pytest_citecheck.inputs import Bibliography

T = TypeVar("T")

_LONGEST_READ = 1 << 24  # bytes at a time: a file may have no line break
_BYTES_EACH = 450  # bytes of a reference in a bibliography, to estimate the number in a file
_LINES, _PARQUET = (".jsonl", ".ndjson"), (".parquet", ".pq")
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


@dataclass(frozen=True, slots=True)
class Piece:
    """Unit of input for one worker.

    kind: a ``file`` of references, a ``submission`` of a folder, a ``member`` of an archive, ``rows`` of a Parquet
        file, ``lines`` of JSON. name: of the document; for a member, its name in the archive. start, stop: rows, or
        bytes of whole lines.
    first: the number of the first line. weight: approximate number of references. roots: further folders of files that a
    document may name.
    """

    kind: Literal["file", "submission", "member", "rows", "lines"]
    path: str
    name: str
    start: int = 0
    stop: int = 0
    first: int = 1
    weight: int = 1
    roots: tuple[str, ...] = ()


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
    for path in sorted({*documents, *contents.bibliographies, *contents.code, *contents.unread}):
        name = apart + path.relative_to(folder).as_posix()
        if path in documents and not (is_archive(path) and _holds_bibliographies(path)):
            yield Piece("submission", str(path), name, weight=_weight(path))
        elif path in contents.unread and path not in tables:
            yield Unread(str(path), 0, contents.unread[path])
        else:
            yield from _pieces(path, name, most)


def _holds_bibliographies(path: Path) -> bool:
    """Return True if an archive has files of references and no document, which would be a submission."""
    try:
        members = [Path(piece.name).suffix.lower() for piece in _members(path)]
    except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile):
        return False
    return bool(members) and not {*members} & {*BINARY, ".tex", ".ltx", ".bbl", ".md", ".qmd", ".rmd"}


def _weight(path: Path) -> int:
    """The approximate number of references in a file."""
    try:
        return max(path.stat().st_size // _BYTES_EACH, 1)
    except OSError:
        return 1


def partitioned(pieces: Iterable[Piece], weight: int) -> list[list[Piece]]:
    """Combine neighbouring pieces to partitions of about this many references."""
    partitions: list[list[Piece]] = []
    weight_so_far = weight
    for piece in pieces:
        if weight_so_far >= weight:
            partitions.append([])
            weight_so_far = 0
        partitions[-1].append(piece)
        weight_so_far += piece.weight
    return partitions


def is_archive(path: Path) -> bool:
    return path.name.lower().endswith(_ARCHIVES)


def _is_rows(path: Path) -> bool:
    return path.suffix.lower() in (*_LINES, *_PARQUET)


def _pieces(path: Path, name: str, most: int) -> Iterator[Piece | Unread]:
    try:
        if is_archive(path):
            yield from _members(path)
        elif path.suffix.lower() in _PARQUET:
            yield from _pieces_rows(path, name, most)
        elif reader_for(str(path)) is not None:
            yield Piece("file", str(path), name, weight=_weight(path))
        elif path.suffix.lower() in _LINES:
            yield from _pieces_lines(path, name, most)
        else:
            yield Unread(str(path), 0, why_unread(str(path)))
    except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile) as error:
        yield Unread(str(path), 0, getattr(error, "strerror", None) or str(error))


def _members(path: Path) -> Iterator[Piece]:
    claimed = {suffix for reader in all_readers() if reader.lenient for suffix in reader.suffixes}
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            found = [(one.filename, one.file_size) for one in archive.infolist() if not one.is_dir()]
    else:
        with tarfile.open(path) as packed:
            found = [(one.name, one.size) for one in packed if one.isfile()]
    for member, size in sorted(found):
        hidden = any(part.startswith(".") for part in Path(member).parts)
        if Path(member).suffix.lower() in claimed and not hidden:
            yield Piece("member", str(path), member, weight=max(size // _BYTES_EACH, 1))


def _pieces_rows(path: Path, name: str, most: int) -> Iterator[Piece | Unread]:
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


def _pieces_lines(path: Path, name: str, most: int) -> Iterator[Piece]:
    """Pieces of whole lines; the file is gone through once, to count them."""
    start = position = lines = 0
    first = 1
    with path.open("rb") as file:
        while line := file.readline(_LONGEST_READ):
            position += len(line)
            lines += line.endswith(b"\n")
            if lines == most:
                yield Piece("lines", str(path), name, start, position, first, lines)
                start, first, lines = position, first + lines, 0
    if position > start:
        yield Piece("lines", str(path), name, start, position, first, max(lines, 1))


class QueryError(ValueError):
    """The query cannot be run; the message has DuckDB's words."""


def run_query(query: str, out: Path) -> None:
    """Write the rows of a query as Parquet, unless the file exists. Raises QueryError, OSError."""
    import duckdb  # noqa: PLC0415 - of an extra

    if out.exists():
        return
    fresh = out.with_name(f".{out.name}.{secrets.token_hex(8)}.tmp")
    text = query.strip().rstrip(";")
    try:
        with duckdb.connect() as database:
            target = str(fresh).replace("'", "''")
            database.execute(f"COPY ({text}) TO '{target}' (FORMAT parquet, COMPRESSION zstd)")
        fresh.replace(out)
    except duckdb.Error as error:
        raise QueryError(f"the query cannot be run: {error}") from error
    finally:
        fresh.unlink(missing_ok=True)


_KEYS = ("key", "bibtex_key", "id")
_TYPES = ("type", "bibtex_type", "entry_type")
_NO_FIELDS = frozenset({*_KEYS, *_TYPES, "document", "fields", "bibtex"})
_NAMES = frozenset({"author", "editor"})
_ALSO_CALLED = {"authors": "author", "editors": "editor", "venue": "journal"}
_MOST_CHARACTERS = 1 << 20  # of a row


class RowError(ValueError):
    """A row without a reference; the message has the reason."""


def as_reference(row: Mapping[str, Any], path: str, number: int) -> Reference:
    """The reference that a row states. number: of the row in its file, from 1. Raises RowError."""
    stated = row.get("bibtex")
    key, kind = _text_under(row, _KEYS), _text_under(row, _TYPES) or "misc"
    text = stated if isinstance(stated, str) and stated.strip() else _entry(kind, _fields(row))
    if len(text) > _MOST_CHARACTERS:
        raise RowError(f"longer than {_MOST_CHARACTERS:,} characters")
    references = read_bibtex(path, text.encode("utf-8", "replace")).references
    if len(references) != 1:
        raise RowError(f"`bibtex` holds {len(references)} entries, not one")
    reference = references[0]
    defects = tuple(replace(defect, line=number) for defect in reference.defects)
    own = reference.key if stated and not key else key
    return replace(reference, key=own, location=Location(path, number, number), defects=defects)


def _text_under(row: Mapping[str, Any], names: Iterable[str]) -> str:
    for name in names:
        value = row.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return ""


def _fields(row: Mapping[str, Any]) -> dict[str, str]:
    stated = row.get("fields")
    if isinstance(stated, str):
        try:
            stated = json.loads(stated)
        except (ValueError, RecursionError) as error:
            raise RowError(f"`fields` is not JSON: {error}") from error
    if stated is not None and not isinstance(stated, Mapping):
        raise RowError("`fields` is not an object")
    columns = stated if stated is not None else {name: row[name] for name in row if name not in _NO_FIELDS}
    found: dict[str, str] = {}
    for name, value in columns.items():
        field = _ALSO_CALLED.get(name.strip().lower(), name.strip().lower())
        text = _text(value, names=field in _NAMES)
        if text and field.replace("-", "").replace("_", "").isalnum() and field.isascii():
            found.setdefault(field, text)
    if not found:
        raise RowError("states no field of a reference")
    return found


def _text(value: Any, *, names: bool) -> str:
    if isinstance(value, bool):
        return ""
    if isinstance(value, str | int):
        return str(value).replace("\0", "").strip()
    if isinstance(value, float):  # as tables with gaps keep years
        return str(int(value)) if value.is_integer() else ""
    if isinstance(value, list):
        texts = [_text(one, names=names) for one in value if isinstance(one, str)]
        return (
            " and ".join(f"{{{one}}}" if " and " in one else one for one in texts if one) if names else ", ".join(texts)
        )
    return ""


def _entry(kind: str, fields: Mapping[str, str]) -> str:
    safe = "".join(letter for letter in kind.lower() if letter.isascii() and letter.isalnum()) or "misc"
    lines = "".join(f"  {name} = {{{balance(value)}}},\n" for name, value in fields.items())
    return f"@{safe}{{row,\n{lines}}}\n"


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
    """The references in these pieces, in order, and unreadable inputs. Content never raises an exception."""
    return parted(item for piece in pieces for item in _READING[piece.kind](piece))


def parted(items: Iterable[T | Unread]) -> tuple[list[T], list[Unread]]:
    """The items, and the unreadable ones."""
    every = list(items)
    unread = [item for item in every if isinstance(item, Unread)]
    return [item for item in every if not isinstance(item, Unread)], unread


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
            files = FolderFiles(path.parent, map(Path, piece.roots), "--root")
            whole = reader.read_document(piece.name, data, Surroundings(files))
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
    reader = next((one for one in all_readers() if suffix in one.suffixes and one.reads(data[:_HEAD])), None)
    try:
        if reader is None:
            raise UnreadableDocumentError("not a file of references")
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
            # An unreadable line of a table is not a reference.
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
    stated = row.get("document")
    document = str(stated) if isinstance(stated, str | int) and str(stated) else piece.name
    try:
        reference = as_reference(row, document, number)
    except RowError as error:
        return Unread(piece.path, number, str(error))
    return Cited(document, f"{document}::{escape_key(reference.key) or f'line-{number}'}", reference)


_READING = {"file": _file, "submission": _file, "member": _member, "rows": _rows, "lines": _lines}
