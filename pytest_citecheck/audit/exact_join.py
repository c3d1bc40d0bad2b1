"""The exact look-ups of all references at once, as a join with the keys of the index.

The join gives record numbers under the same hashes under which a look-up of the index finds them, in the same order, and
the worker reads and compares the records as it does after a look-up: the evidence is the same. So it replaces reading the index
at random, over a network or from a disk, by reading its keys once from end to end; of an index in memory it saves little
(docs/scale.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pytest_citecheck.audit.inputs.reading import read_pieces
from pytest_citecheck.audit.tables import read_rows, write_rows
from pytest_citecheck.gather import LookupState
from pytest_citecheck.readers.base import NO_WORKS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_citecheck.audit.plan import Folder
    from pytest_citecheck.audit.workbench import Workbench

__all__ = ["extract_keys", "join", "proposals"]

_KEYS = pa.schema([("part", pa.int64()), ("text", pa.string()), ("bucket", pa.uint32()), ("low", pa.uint32())])
_FOUND = pa.schema([("text", pa.string()), ("numbers", pa.list_(pa.uint32()))])


def extract_keys(bench: Workbench, number: int) -> int:
    """Write what a partition looks up exactly, unless that is done; gives how many keys."""
    out = bench.folder.keys(number)
    if out.exists():
        return 0
    index = bench.indexes[0]
    keys: dict[str, tuple[int, int]] = {}
    for cited in read_pieces(bench.plan.partitions[number])[0]:
        if cited.reference.readable and cited.reference.type not in NO_WORKS:
            state = LookupState.of(cited.reference, bench.plan.settings.day)
            keys |= index.exact_keys(index.questions(state))
    rows = [{"part": number, "text": text, "bucket": place, "low": low} for text, (place, low) in keys.items()]
    write_rows(out, rows, _KEYS)
    return len(rows)


def join(folder: Folder, numbers: Sequence[int], exported: Path) -> None:
    """Write what the index has under the keys of these partitions. exported: its keys (`index.export`). Raises OSError."""
    import duckdb  # noqa: PLC0415 - of an extra

    wanted = [number for number in numbers if not folder.exact(number).exists()]
    if not wanted:
        return
    files = [str(folder.keys(number)) for number in wanted]
    with duckdb.connect() as database:
        found = database.execute(
            "SELECT k.part, k.text, list(i.number ORDER BY i.number) FILTER (i.number IS NOT NULL) "
            "FROM read_parquet($1) k LEFT JOIN read_parquet($2) i ON k.bucket = i.bucket AND k.low = i.low "
            "GROUP BY k.part, k.text ORDER BY k.part, k.text",
            [files, str(exported)],
        )
        rows: list[dict[str, Any]] = []
        part = -1
        while some := found.fetchmany(10_000):
            for number, text, records in some:
                if number != part and part >= 0:
                    write_rows(folder.exact(part), rows, _FOUND)
                    rows = []
                part = number
                rows.append({"text": text, "numbers": records or []})
        if part >= 0:
            write_rows(folder.exact(part), rows, _FOUND)
    for number in wanted:  # those without any key
        if not folder.exact(number).exists():
            write_rows(folder.exact(number), [], _FOUND)


def proposals(folder: Folder, number: int) -> Mapping[str, Sequence[int]]:
    """What the join has found for a partition, by what was looked up."""
    return {row["text"]: row["numbers"] for row in read_rows(folder.exact(number))}
