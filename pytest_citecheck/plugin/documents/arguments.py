"""What ``--citecheck`` and the arguments name: files, folders of bibliographies, folders of submissions."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck import readers as formats  # loaded when it is asked
from pytest_citecheck.plugin.settings.options import matching_files

if TYPE_CHECKING:
    from pytest_citecheck.readers.base import Reader

__all__ = ["Arguments", "add_arguments"]


@dataclass(slots=True)
class Arguments:
    """paths: the files to check. submissions: the name of that which a document is of. kept_out: folders whose bibliographies are
    checked as far as their documents cite them. unread: files of folders that are not read, with the reason."""

    paths: list[Path] = field(default_factory=list)
    submissions: dict[Path, str] = field(default_factory=dict)
    kept_out: set[Path] = field(default_factory=set)
    unread: dict[Path, str] = field(default_factory=dict)

    def holds_back(self, path: Path) -> bool:
        """Whether a bibliography lies in the folder of a submission."""
        return any(folder in path.parents for folder in self.kept_out)


def add_arguments(config: pytest.Config, patterns: tuple[str, ...], readers: tuple[Reader, ...]) -> Arguments:
    """Make pytest collect these files; returns them.

    Files asked for by option replace the default arguments, so that a project's test suite does not run as well;
    arguments that the user typed stay. A node id that points into one of the files selects from it.
    Raises pytest.UsageError for a path that does not exist.
    """
    found = Arguments()
    for pattern in patterns:
        _find(pattern, readers, found)
    found.paths = list(dict.fromkeys(found.paths))
    by_option = config.getoption("citecheck") is not None
    typed = config.args_source is config.ArgsSource.ARGS
    if by_option and not patterns:  # the arguments are what is to be checked
        for folder in filter(os.path.isdir, config.args):
            _add_folder(folder, readers, found)
        if not typed:  # pytest's own folders: nobody asked for all their files
            found.unread.clear()
    if by_option and patterns and not typed:
        config.args[:] = []
        config.args_source = config.ArgsSource.ARGS
    if typed and not by_option:
        return found
    already = {os.path.abspath(argument.split("::", 1)[0]) for argument in config.args}  # noqa: PTH100
    if patterns:
        config.args.extend(str(path) for path in found.paths if str(path) not in already)
    return found


def _find(pattern: str, readers: tuple[Reader, ...], found: Arguments) -> None:
    if Path(pattern).is_dir():
        if not _add_folder(pattern, readers, found):
            raise pytest.UsageError(f"--citecheck: no such file: {pattern}{_instead(pattern)}")
        return
    names = matching_files(pattern, readers)
    if not names:
        raise pytest.UsageError(f"--citecheck: no such file: {pattern}")
    for name in names:
        if formats.reader_for(name, readers) is None:
            raise pytest.UsageError(f"--citecheck: {formats.why_unread(name, readers)}")
        found.paths.append(_absolute(name))


def _add_folder(folder: str, readers: tuple[Reader, ...], found: Arguments) -> bool:
    """Add the submissions and bibliographies of a folder; whether it holds any."""
    from pytest_citecheck.readers.documents.folders import folder_contents  # noqa: PLC0415 - needed for folders only

    contents = folder_contents(Path(folder), readers)
    for one in contents.submissions:
        documents = [_absolute(path) for path in one.documents]
        found.paths += documents
        found.submissions |= dict.fromkeys(documents, one.name)
        if one.folder is not None:
            found.kept_out.add(_absolute(one.folder))
    found.paths += map(_absolute, contents.bibliographies)
    found.unread |= {_absolute(path): why for path, why in contents.unread.items()}
    return bool(contents.submissions or contents.bibliographies)


def _absolute(path: str | Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - links keep their names


def _instead(folder: str) -> str:
    """The endings of the files in a folder without any bibliography or paper."""
    there: Iterable[str] = sorted({one.suffix for one in Path(folder).iterdir() if one.is_file() and one.suffix})
    return f" (no bibliography and no paper in this folder{': it holds ' if there else ''}{', '.join(there)})"
