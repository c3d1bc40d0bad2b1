"""Folders with trusted settings files, like ``git config safe.directory``.

A folder from somebody else may contain settings. Harmful ones (a server that replaces a service, a higher rate, files
written elsewhere) take effect only after the user has run ``citecheck trust``.
"""

from __future__ import annotations

from pathlib import Path

import platformdirs

from pytest_citecheck.atomic_write import atomic_write


class TrustError(Exception):
    """The list of trusted folders cannot be read or written; the text has the file and the reason."""


def is_trusted(folder: Path) -> bool:
    """Return True if the user trusts the settings files in this very folder (not those below it). Raises TrustError."""
    return folder.resolve() in trusted_folders()


def trusted_folders() -> list[Path]:
    """All trusted folders, in the order in which they were added. Raises TrustError."""
    path = _list_path()
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        raise TrustError(f"{path} is not in UTF-8 (byte {error.start + 1})") from error
    except OSError as error:
        raise TrustError(f"{path}: {error.strerror or error}") from error
    return [Path(line) for line in lines if line]


def trust(folder: Path) -> Path:
    """Add a folder; return it as stored, without symbolic links. Raises TrustError."""
    added = folder.resolve()
    if not added.is_dir():
        raise TrustError(f"no such folder: {folder}")
    if not str(added).isprintable():
        raise TrustError("a folder whose name contains control characters cannot be trusted")
    known = trusted_folders()
    if added not in known:
        _write([*known, added])
    return added


def distrust(folder: Path) -> Path:
    """Remove a folder. Raises TrustError if it is not on the list."""
    removed = folder.resolve()
    known = trusted_folders()
    if removed not in known:
        raise TrustError(f"{removed} is not trusted")
    _write([path for path in known if path != removed])
    return removed


def _list_path() -> Path:
    # Read from the environment at each call: tests and scripts set XDG_CONFIG_HOME.
    return platformdirs.user_config_path("pytest-citecheck", appauthor=False) / "trusted-folders"


def _write(folders: list[Path]) -> None:
    path = _list_path()
    text = "".join(f"{folder}\n" for folder in folders)
    try:
        # Private: anybody who could write there could lift every restriction.
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with atomic_write(path) as file:
            file.write(text.encode("utf-8"))
    except (OSError, UnicodeEncodeError) as error:
        raise TrustError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
