"""Which files are meant: names, folders and patterns of a command line."""

from __future__ import annotations

import argparse
import glob
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.screen import UsageError
from pytest_citecheck.index.storage.shards import is_set
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["dump_files", "existing_index", "index_to_write", "path_named", "regular_file"]

# Of what lies in a folder: a README or a list of checksums is no broken dump.
_DUMP = lazy_pattern(
    r"(?i)\.(?:bib|bibtex|ris|xml|nt|csl|json|jsonl|ndjson|tar|tgz)(?:\.(?:gz|zst|zstd))?\Z|\.(?:gz|zst|zstd)\Z"
)
_BESIDE = ".origin.json"  # of a download
_SQLITE, _APPLICATION, _HEADER = b"SQLite format 3\0", b"cite", 72


def path_named(text: str) -> Path:
    """The path that an argument names. Raises ArgumentTypeError for an empty one, which would be the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("the name of the file is empty")
    return Path(text)


def dump_files(given: Iterable[str]) -> tuple[list[Path], int]:
    """The files meant by names, folders and patterns, each once, in the order given and by name within a folder or pattern; and
    how many others were seen in folders.

    Of a folder all files in it and below it count whose names look like dumps, hidden ones left out. Raises UsageError for a
    name, folder or pattern without any file, and for what is no regular file: a pipe may never end.
    """
    found: dict[Path, Path] = {}
    others = 0
    for name in given:
        path = Path(name)
        if not name:
            raise UsageError("the name of a file to read is empty")
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.is_file() and _is_visible(file.relative_to(path)))
            files = [file for file in inside if _DUMP.search(file.name) and not file.name.endswith(_BESIDE)]
            others += len(inside) - len(files)
            if not files:
                raise UsageError(f"no dump file in the folder {name}")
        elif path.exists():
            files = [regular_file(path)]
        elif glob.has_magic(name):
            matches = sorted(map(Path, glob.glob(name, recursive=True)))  # noqa: PTH207 - Path.glob takes no absolute ones
            files = [file for file in matches if file.is_file()]
            if not files:
                raise UsageError(f"no file matches {name}")
        else:
            raise UsageError(f"no such file: {name}")
        for file in files:
            found.setdefault(file.resolve(), file)
    return list(found.values()), others


def _is_visible(path: Path) -> bool:
    return not any(part.startswith(".") for part in path.parts)


def index_to_write(out: Path, inputs: Iterable[Path] = (), shards: int = 1) -> Path:
    """``out``, if an index may be written there. Raises UsageError if that would replace anything but an index, or an input.

    shards: how many files it will have; of more than one there is a set already, or nothing."""
    if shards < 1:
        raise UsageError("--shards is a number of at least 1")
    if not out.resolve().parent.is_dir():
        raise UsageError(f"no such folder: {out.parent}")
    if out.resolve() in {path.resolve() for path in inputs}:
        raise UsageError(f"{out} is both the index and a file to read")
    if out.exists() and is_set(out) != (shards > 1):
        kind = "a set of shards" if is_set(out) else "no set of shards"
        raise UsageError(f"{out} is {kind}: remove it, or name another file")
    if out.exists() and shards == 1:
        existing_index(out)
        with out.open("rb") as file:
            header = file.read(_HEADER)
        if header and not (header.startswith(_SQLITE) and header.endswith(_APPLICATION)):
            raise UsageError(f"{out} is not an index: remove it, or name another file")
    return out


def existing_index(path: Path) -> Path:
    """``path``, if there is an index. Raises UsageError that says what else is there, if anything."""
    if is_set(path):
        return path
    if path.is_dir():
        raise UsageError(f"{path} is a folder, not an index")
    if not path.exists():
        raise UsageError(f"no such index: {path}")
    return regular_file(path)


def regular_file(path: Path) -> Path:
    """``path``, if it is not a pipe, a device or a socket. Raises UsageError."""
    if not path.is_file():
        raise UsageError(f"{path} is not a regular file")
    return path
