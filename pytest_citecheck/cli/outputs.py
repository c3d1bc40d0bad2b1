"""Protection of input files from being overwritten."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pytest_citecheck.cli.screen import UsageError

__all__ = ["refuse_overwrite"]


def refuse_overwrite(outputs: Iterable[Path | None], inputs: Iterable[Path]) -> None:
    """Raise UsageError if an output is one of the inputs, also under another name. None is an output that is not written.

    Only regular files count: a terminal can be both.
    """
    read = [path for path in inputs if path.exists()]
    for out in outputs:
        if out is not None and out.is_file() and any(out.samefile(path) for path in read):
            raise UsageError(f"refusing to overwrite the input file {out}")
