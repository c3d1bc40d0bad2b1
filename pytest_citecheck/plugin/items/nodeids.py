"""Node ids: ``refs.bib::key[check]``, stable, escaped, unique."""

from __future__ import annotations

import os
import re
from pathlib import Path

from pytest_citecheck.readers.reference_names import escape_key, reference_names

__all__ = ["escape_key", "file_nodeid", "reference_names", "split_nodeid"]

_NAME_AND_CHECK = re.compile(r"(?P<name>[^\[\]]+)\[(?P<check>[\w-]+)\]")


def file_nodeid(path: Path, rootpath: Path) -> str:
    """The node id of a file, also for one outside the root folder (pytest itself would leave it empty)."""
    try:
        relative = os.path.relpath(path, rootpath)
    except ValueError:  # another drive on Windows
        relative = str(path)
    return relative.replace(os.sep, "/")


def split_nodeid(nodeid: str) -> tuple[str, str, str] | None:
    """File, reference name and check of a check's node id; None for any other item's."""
    # The first one divides: the name may hold more, of nodes between the file and its references.
    file, _, rest = nodeid.partition("::")
    match = _NAME_AND_CHECK.fullmatch(rest)
    return (file, match["name"], match["check"]) if file and match else None
