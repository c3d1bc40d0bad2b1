"""What ``--citecheck`` and the arguments name: files, folders of bibliographies, folders of submissions."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck import readers as formats  # loaded when it is asked
from pytest_citecheck.plugin.documents.folders import submissions_in
from pytest_citecheck.plugin.settings.options import matching_files

if TYPE_CHECKING:
    from pytest_citecheck.readers.base import Reader

__all__ = ["Arguments", "add_arguments"]


@dataclass(slots=True)
class Arguments:
    """paths: the files to check. submissions: the name of that which a document is of. kept_out: folders whose bibliographies are
    checked as far as their documents cite them."""

    paths: list[Path] = field(default_factory=list)
    submissions: dict[Path, str] = field(default_factory=dict)
    kept_out: set[Path] = field(default_factory=set)

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
            _add_submissions(folder, found)
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
    has_submissions = Path(pattern).is_dir() and _add_submissions(pattern, found)
    names = matching_files(pattern, readers)
    if not names and not has_submissions:
        raise pytest.UsageError(f"--citecheck: no such file: {pattern}{_instead(pattern)}")
    for name in names:
        if formats.reader_for(name, readers) is None:
            raise pytest.UsageError(f"--citecheck: {formats.why_unread(name, readers)}")
        path = _absolute(name)
        if not (Path(pattern).is_dir() and found.holds_back(path)):
            found.paths.append(path)


def _add_submissions(folder: str, found: Arguments) -> bool:
    submissions = submissions_in(Path(folder))
    for one in submissions:
        documents = [_absolute(path) for path in one.documents]
        found.paths += documents
        found.submissions |= dict.fromkeys(documents, one.name)
        if one.folder is not None:
            found.kept_out.add(_absolute(one.folder))
    return bool(submissions)


def _absolute(path: str | Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - links keep their names


def _instead(pattern: str) -> str:
    """What a folder holds that could be checked, where nothing in it was found."""
    if not Path(pattern).is_dir():
        return ""
    there: Iterable[str] = sorted({one.suffix for one in Path(pattern).iterdir() if one.is_file() and one.suffix})
    return f" (no bibliography and no paper in this folder{': it holds ' if there else ''}{', '.join(there)})"
