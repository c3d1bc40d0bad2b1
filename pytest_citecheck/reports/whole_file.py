"""Writing a report so that a reader never sees half of it."""

from __future__ import annotations

import tempfile
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: Path, text: str) -> None:
    """Write UTF-8 text; an existing file is replaced only by a whole new one, and the folder is made.

    Half of a surrogate pair, which UTF-8 cannot hold, is written as ``\\udcNN``. Raises OSError.
    """
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode("utf-8", errors="backslashreplace")
    if target.exists() and not target.is_file():  # a pipe or a device
        target.write_bytes(data)
        return
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as temporary:
        temporary.write(data)
    Path(temporary.name).chmod(0o644)
    Path(temporary.name).replace(target)
