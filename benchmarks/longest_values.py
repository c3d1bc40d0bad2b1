"""The longest values of real records, the basis for the limits in ``text/lengths.py``.

    python -m benchmarks.longest_values RECORDS.jsonl.zst [...]

Prints a Markdown table: field, number of records with it, the 99.99% quantile of its length, the maximum.
"""

from __future__ import annotations

import io
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zstandard


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as packed, zstandard.ZstdDecompressor().stream_reader(packed) as stream:
        for line in io.TextIOWrapper(stream, encoding="utf-8"):
            yield json.loads(line)


def _lengths(row: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """The length of each text, of each list, and of the longest text in a list."""
    for name, value in row.items():
        if isinstance(value, str) and value:
            yield name, len(value)
        elif isinstance(value, list) and value:
            yield f"{name}, items", len(value)
            yield f"{name}, an item", max(len(item if isinstance(item, str) else json.dumps(item)) for item in value)
            if name == "authors":
                yield "authors, together", sum(len(str(item)) + len(" and ") for item in value)
        elif isinstance(value, dict):
            yield from ((f"{name}.{inner}", length) for inner, length in _lengths(value))


def main() -> None:
    lengths: dict[str, Counter[int]] = {}
    for path in sys.argv[1:]:
        for row in _rows(Path(path)):
            for name, length in _lengths(row):
                lengths.setdefault(name, Counter())[length] += 1
    print("| field | records | 99.99 % | longest |\n|---|---:|---:|---:|")
    for name, counts in sorted(lengths.items()):
        total = counts.total()
        seen, usual = 0, 0
        for length in sorted(counts):
            seen += counts[length]
            usual = length
            if seen >= 0.9999 * total:
                break
        print(f"| {name} | {total:,} | {usual:,} | {max(counts):,} |")


if __name__ == "__main__":
    main()
