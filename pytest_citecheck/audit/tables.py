"""The Parquet files of an audit: one row a reference, written whole or not at all, the same bytes for the same content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from pytest_citecheck.model import CHECKS
from pytest_citecheck.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["REFERENCES", "UNREAD", "metadata_of", "read_rows", "write_rows"]

_FINDING = pa.struct(
    [
        ("outcome", pa.string()),
        ("code", pa.string()),
        ("also", pa.list_(pa.string())),
        ("severity", pa.string()),
        ("message", pa.string()),
    ]
)
REFERENCES = pa.schema(
    [
        ("document", pa.string()),
        ("id", pa.string()),
        ("key", pa.string()),
        ("line", pa.int64()),
        ("type", pa.string()),
        ("title", pa.string()),
        ("year", pa.int32()),
        ("venue", pa.string()),
        ("verdict", pa.string()),
        ("probability", pa.float64()),
        ("reason", pa.string()),
        ("hallucination", pa.string()),
        ("severity", pa.string()),
        *((f"check_{check}", _FINDING) for check in ("syntax", *CHECKS)),
        ("evidence", pa.list_(pa.string())),
        ("settled", pa.bool_()),
        ("report", pa.string()),
    ]
)
"""One row a reference. check_…: the findings; severity: the worst of theirs. evidence: ids of the
records found, each with its source before it. settled: whether no further source has to be asked.
report: the reference as in the JSON report."""
UNREAD = pa.schema([("path", pa.string()), ("row", pa.int64()), ("reason", pa.string())])


def write_rows(
    path: Path, rows: Sequence[Mapping[str, Any]], schema: pa.Schema, metadata: Mapping[str, str] | None = None
) -> None:
    """Write a table; a reader never sees half of it. Raises OSError."""
    table = pa.Table.from_pylist(list(rows), schema=schema.with_metadata(dict(metadata or {})))
    with whole_file(path) as file:
        pq.write_table(table, file, compression="zstd")


def read_rows(path: Path, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """The rows of a table. Raises OSError, pyarrow.ArrowException."""
    with pq.ParquetFile(path) as file:
        rows: list[dict[str, Any]] = file.read(columns=columns).to_pylist()
    return rows


def metadata_of(path: Path) -> dict[str, str]:
    """What was written beside the rows."""
    stated = pq.read_schema(path).metadata or {}
    return {name.decode(): value.decode() for name, value in stated.items() if not name.startswith(b"ARROW:")}
