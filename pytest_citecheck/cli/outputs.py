"""Files that a command writes: never in the place of one that it reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pytest_citecheck.cli.screen import UsageError

__all__ = ["apart"]


def apart(outputs: Iterable[Path | None], inputs: Iterable[Path]) -> None:
    """Make sure that none of the outputs is one of the inputs, under whatever name; None is an output that is not wanted.

    Only regular files can be lost: a terminal may well be both. Raises UsageError.
    """
    read = [path for path in inputs if path.exists()]
    for out in outputs:
        if out is not None and out.is_file() and any(out.samefile(path) for path in read):
            raise UsageError(f"{out} is a file to read, and would be lost")
