"""The exact keys of an index as Parquet, for joins with whole corpora (`pytest_citecheck.audit.worker`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pytest_citecheck.atomic_write import atomic_write

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_citecheck.index.reader import LocalIndex

_SCHEMA = pa.schema([("bucket", pa.uint32()), ("low", pa.uint32()), ("number", pa.uint32())])
_AT_ONCE = 1 << 17  # buckets


def export_keys(index: LocalIndex, out: Path) -> int:
    """Write bucket, hash within it and record number of every exact key, ordered by bucket; return their number.

    Raises OSError, IndexFileError.
    """
    total = 0
    with atomic_write(out) as file, pq.ParquetWriter(file, _SCHEMA, compression="zstd") as writer:
        places: list[int] = []
        contents: list[bytes] = []

        def flush() -> int:
            sizes = [len(content) // 8 for content in contents]
            keys = b"".join(content[: len(content) // 2] for content in contents)
            numbers = b"".join(content[len(content) // 2 :] for content in contents)
            columns = (
                np.repeat(np.array(places, np.uint32), sizes),
                np.frombuffer(keys, "<u4"),
                np.frombuffer(numbers, "<u4"),
            )
            writer.write_table(pa.table(columns, schema=_SCHEMA))
            places.clear()
            contents.clear()
            return sum(sizes)

        for place, content in index.exact_buckets():
            places.append(place)
            contents.append(content)
            if len(places) == _AT_ONCE:
                total += flush()
        total += flush()
    return total
