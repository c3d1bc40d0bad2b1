"""Dumps of bibliographic collections, read into records of the local index (docs/index-formats.md).

A service declares the formats of its dumps itself (`services.dump_formats`); here are those of files that users bring.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.index.collections.reading import Reading
from pytest_citecheck.services.dumps.base import DumpError, Problem

if TYPE_CHECKING:
    import os

__all__ = ["DumpError", "Problem", "Reading", "read"]


def read(path: str | os.PathLike[str], *, source: str = "") -> Reading:
    """An iterator over the records of a dump file and the problems in it, in the order of the file.

    path: a file in one of the formats of `detection`, plain, compressed with gzip or Zstandard, or a tar archive of such files.
    source: name of the collection; by default the one of the format (``dblp``), else the name of the file without endings.

    The file is read as a stream in bounded memory. A broken record is a `Problem` and costs only itself. Raises OSError when
    the file cannot be read, and DumpError when it is compressed with Zstandard and the library for that is missing; never
    on account of its content.
    """
    return Reading(Path(path), source)
