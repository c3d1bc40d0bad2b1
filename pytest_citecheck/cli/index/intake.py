"""The records of many dump files in one stream, with account of what was read, left out, taken back and broken."""

from __future__ import annotations

import datetime
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_citecheck.index.collections import Problem, read
from pytest_citecheck.index.collections.detection import FORMATS, licence_of
from pytest_citecheck.index.storage.layout import Collection
from pytest_citecheck.reports.safe_text import safe_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import TextIO

    from pytest_citecheck.cli.screen import Progress
    from pytest_citecheck.index.collections import Reading
    from pytest_citecheck.model import Record

__all__ = ["SHOWN", "Intake", "NothingReadError"]

SHOWN = 20
"""Problems that are kept for the screen."""


class NothingReadError(Exception):
    """Not one record could be read."""


@dataclass(slots=True)
class _Origin:
    """Where the records of a collection came from: date (ISO 8601) of the youngest file, and the files."""

    date: str = ""
    files: list[str] = field(default_factory=list)


class Intake:
    """Reads dump files one after the other. Its counts and notes are complete when `items` has ended.

    records: how many were read. problems: how many; the first ones are ``shown``, all go to ``errors`` as lines of
    tab-separated file, byte, line, record and reason. skipped: records left out on purpose, by reason. taken_back: ``(source,
    id)`` of records that a file withdraws and no later one states again. cut: of each file that ended early or could not be read,
    with what it ended.
    """

    def __init__(
        self,
        files: Sequence[Path],
        *,
        source: str = "",
        date: str = "",
        licence: str = "",
        errors: TextIO | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.records = 0
        self.problems = 0
        self.shown: list[Problem] = []
        self.skipped: Counter[str] = Counter()
        self.taken_back: set[tuple[str, str]] = set()
        self.cut: list[Problem] = []
        self._files = files
        self._source = source
        self._date = date
        self._licence = licence
        self._errors = errors
        self._progress = progress
        self._origins: dict[str, _Origin] = {}
        self._broken: set[str] = set()
        self._all_broken = False
        if errors is not None:
            errors.write("file\tbyte\tline\trecord\treason\n")

    @property
    def sources(self) -> frozenset[str]:
        """The collections of which records were read."""
        return frozenset(self._origins)

    def collections(self) -> list[Collection]:
        """What is known of the collections that were read."""
        return [
            Collection(
                name,
                date=origin.date,
                licence=self._licence or licence_of(name),
                origin=_together(origin.files),
                complete=not self.is_broken(name),
            )
            for name, origin in self._origins.items()
        ]

    def items(self) -> Iterator[Record]:
        """The records of all files. Raises NothingReadError at the end if there were none, and DumpError as `read` does."""
        for number, file in enumerate(self._files, start=1):
            yield from self._file(number, file)
        if not self.records:
            raise NothingReadError

    def _file(self, number: int, file: Path) -> Iterator[Record]:
        reading = read(file, source=self._source)
        problems, last = self.problems, ""
        held: set[str] = set()
        cut: Problem | None = None  # a file whose last record is broken most likely ends there because it was cut
        ended: Problem | None = None
        while True:
            try:
                item = next(reading, None)
            except OSError as error:
                ended = Problem(str(file), 0, f"the file cannot be read: {error.strerror or error}", cut=True)
                self._note(ended)
                break
            if item is None:
                break
            if isinstance(item, Problem):
                self._note(item)
                ended = item
                cut = cut or (item if item.cut else None)
                continue
            ended = None
            if item.source != last:
                last = item.source
                held.add(last)
            if self.taken_back:
                self.taken_back.discard((item.source, item.id))
            self.records += 1
            yield item
            if self._progress is not None and self._progress.due:
                place = f"file {number} of {len(self._files)}, " if len(self._files) > 1 else ""
                self._progress.show(f"{file.name}: {place}{self.records:,} records, {self.problems:,} problems")
        self.skipped.update(reading.skipped)
        source = self._source or _own_name(reading)
        self.taken_back |= {(source, identifier) for identifier in reading.deleted}
        for name in held:
            self._note_origin(name, file)
        if lost := cut or ended:
            self.cut.append(lost)
        if self.problems > problems:
            # A file in no known format does not say whose it is, and neither does a broken line of many collections.
            self._all_broken = self._all_broken or not (source or (held and "records" not in reading.formats))
            self._broken |= held | {source}
        if self._progress is not None:
            self._progress.clear()

    def is_broken(self, collection: str) -> bool:
        """Whether something could not be read that may have been of this collection."""
        return self._all_broken or collection in self._broken

    def _note(self, problem: Problem) -> None:
        self.problems += 1
        if len(self.shown) < SHOWN:
            self.shown.append(problem)
        if self._errors is not None:
            line = "" if problem.line is None else str(problem.line)
            fields = (problem.file, str(problem.offset), line, problem.record, problem.reason)
            self._errors.write("\t".join(map(safe_line, fields)) + "\n")

    def _note_origin(self, collection: str, file: Path) -> None:
        # Without a date, that of the last change of the file: what is in it is not younger.
        changed = datetime.datetime.fromtimestamp(file.stat().st_mtime, datetime.UTC).date().isoformat()
        known = self._origins.setdefault(collection, _Origin())
        known.date = max(known.date, self._date or changed)
        known.files.append(file.name)


def _own_name(reading: Reading) -> str:
    """What the format that was found calls its collection; empty if the file or each record names it."""
    return next((one.source for one in FORMATS if one.name in reading.formats), "")


def _together(files: list[str]) -> str:
    return files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1:,} more"
