"""Write the preset dictionary of packed records, which is part of the index format.

    CITECHECK_SHARED=FOLDER python -m benchmarks.index.dictionary OUT

It is trained on every twelfth block of the shared records. A new dictionary needs a new number of the format.
"""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path

import zstandard

from benchmarks.index.corpus import real_records
from pytest_citecheck.index import packed_block, packed_people

_BLOCK = 8
_SIZE = 16_384
_EVERY = 12


def main() -> None:
    """Train and write the dictionary."""
    samples: list[bytes | bytearray | memoryview] = []
    records = real_records()
    while block := list(islice(records, _BLOCK)):
        samples.append("\x1d".join(packed_block(block, [packed_people(one.authors) for one in block])[1]).encode())
        next(islice(records, _BLOCK * (_EVERY - 1), None), None)
    Path(sys.argv[1]).write_bytes(zstandard.train_dictionary(_SIZE, samples).as_bytes())


if __name__ == "__main__":
    main()
