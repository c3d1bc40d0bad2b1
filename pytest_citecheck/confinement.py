"""The rule for every path that a document, an archive, a folder, a configuration or a client chooses.

After resolving links, the file must lie in an allowed folder or below: the folder of the document, the folder where the command
was started, and those that the user allows with an option.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class OutsideError(Exception):
    """A path outside the allowed folders; the message names the option that allows it."""


def within(path: Path, folders: Iterable[Path]) -> Path | None:
    """Return the path with its links resolved if it is one of the folders or below one; None if it is not, or is no path."""
    try:
        real = path.resolve()
        return real if any(real.is_relative_to(folder.resolve()) for folder in folders) else None
    except (OSError, ValueError, RuntimeError):  # a NUL character, or links in a circle
        return None


def demand_within(path: Path, folders: Iterable[Path], option: str = "--citecheck-root") -> Path:
    """Return the path with its links resolved. Raise OutsideError."""
    real = within(path, folders)
    if real is None:
        raise OutsideError(f"{path} {outside(option)}")
    return real


def outside(option: str) -> str:
    """Return the end of a message about a refused path."""
    return f"is outside the folders that may be used (pass {option}=FOLDER to allow its folder)"


def start_folder() -> tuple[Path, ...]:
    """Return the folder where the command was started; none if that is the root of the file system, which confines nothing."""
    here = Path.cwd()
    return (here,) if here != here.parent else ()


def leads_out(path: Path, folder: Path) -> bool:
    """Return True if a file found in a folder is a link that leads to a file outside of the allowed folders."""
    return path.is_symlink() and within(path, (folder, *start_folder())) is None
