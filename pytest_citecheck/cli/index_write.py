"""The actions that write an index: build, add, update, remove, merge.

Each is one stream of records into one build (`pytest_citecheck.index.maintenance`).
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import os
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from pytest_citecheck.cli.commands import Progress, UsageError, amount, complain, count, say
from pytest_citecheck.cli.index import SHOWN, Intake, NothingReadError, dump_files, existing_index, index_to_write
from pytest_citecheck.cli.index_download import Loaded, load, loaded_before, named_collections, note_taken
from pytest_citecheck.index import (
    Contents,
    LocalIndex,
    ScopeError,
    Workers,
    is_set,
    merge,
    read_derivations,
    read_scopes,
    rebuild,
    remove,
    writing,
)
from pytest_citecheck.sources import DumpError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path
    from typing import TextIO

    from pytest_citecheck.index import BuildReport, Collection, Prepared, Scope
    from pytest_citecheck.model import Record


_MUCH = 16 << 20  # bytes of dumps: less is read in the time that it takes to start processes


class _CutShortError(Exception):
    """Files that are to replace collections ended early or could not be read."""


class _Reading:
    """One command that puts dump files into an index, which no other process may write meanwhile."""

    def __init__(self, chosen: argparse.Namespace, *, new: bool) -> None:
        """Raises UsageError."""
        self._source: str = chosen.source
        self._date: str = _checked_date(chosen.date)
        self._licence: str = chosen.licence
        self._errors: Path | None = chosen.errors
        self._files, self._others = dump_files(chosen.files)
        self._shards: int = getattr(chosen, "shards", 1)
        if chosen.jobs < 0:
            raise UsageError("--jobs is a number of at least 1")
        self._jobs: int = chosen.jobs or _jobs_for(self._files)
        self._out = index_to_write(chosen.index, self._files, shards=self._shards)
        self._given, self._derivations = _declarations(chosen.scopes)
        self._new = new
        if not new and is_set(self._out):
            raise UsageError(f"{self._out} is a set of shards: rebuild it")
        if not new:
            existing_index(self._out)
        self._old = Contents()
        self._refused: dict[str, int] = {}
        self._progress = Progress()

    def run(self, *, whole_collections: bool, cut_files: bool = True) -> int:
        """Build. Raises UsageError, IndexFileError.

        whole_collections: the new records replace all records of their collections. cut_files: keep the readable part
        of files that end early; otherwise nothing is changed.
        """
        started = _cpu_seconds()
        try:
            with writing(self._out), _opened(self._errors) as errors, Workers(self._out, self._jobs) as workers:
                if not self._new:
                    self._old = Contents([self._out])
                intake = Intake(
                    self._files,
                    source=self._source,
                    date=self._date,
                    licence=self._licence,
                    errors=errors,
                    progress=self._progress,
                    workers=workers,
                )
                report = self._build(intake, whole_collections=whole_collections, cut_files=cut_files)
        except DumpError as error:
            raise UsageError(str(error)) from error
        except NothingReadError:
            self._progress.clear()
            self._tell_problems(intake)
            complain(f"nothing could be read: {self._out} was not written")
            return 1
        except _CutShortError:
            self._progress.clear()
            self._tell_problems(intake)
            for lost in intake.cut:
                complain(f"not read to its end: {lost.file} ({lost.reason})")
            reason = "the missing records would be lost (--incomplete accepts incomplete files)"
            complain(f"{self._out} was not changed: {reason}")
            return 1
        finally:
            self._progress.clear()
        self._tell(intake, replace(report, seconds=_cpu_seconds() - started))
        return 0

    def _build(self, intake: Intake, *, whole_collections: bool, cut_files: bool) -> BuildReport:
        old = self._old
        if whole_collections:
            # New files first: their collections are known only after reading.
            kept = (record for record in old.records() if record.source not in intake.sources)
            records: Iterator[Record | Prepared] = chain(_read(intake, cut_files=cut_files), kept)
        else:
            records = chain(old.records(), _read(intake, cut_files=cut_files))
        report = rebuild(
            self._out,
            records,
            self._collections(intake, whole_collections=whole_collections),
            self._declared(intake, whole_collections=whole_collections),
            self._shards,
        )
        gone = _still_there(self._out, intake.taken_back)
        if not gone:
            return report
        if self._progress.due:
            self._progress.show(f"taking out {count(len(gone), 'record')}")
        built = Contents([self._out])
        left = (record for record in built.records() if (record.source, record.id) not in gone)
        try:
            return rebuild(self._out, left, built.collections.values(), built.scopes, self._shards)
        except KeyboardInterrupt:
            state = f"{self._out} is written, but still has {count(len(gone), 'record')} that PubMed takes back"
            raise KeyboardInterrupt(state) from None

    def _collections(self, intake: Intake, *, whole_collections: bool) -> Iterator[Collection]:
        known = dict(self._old.collections)
        for new in intake.collections():
            old = known.get(new.name, new)
            if whole_collections:
                known[new.name] = new._replace(derives_from=old.derives_from)
            else:
                known[new.name] = old.with_more(new)._replace(date=max(old.date, new.date))
        for name, parents in self._derivations.items():
            if name in known:
                known[name] = known[name]._replace(derives_from=parents)
        yield from known.values()

    def _declared(self, intake: Intake, *, whole_collections: bool) -> Iterator[Scope]:
        """Declared completeness, except for collections that could not be read completely or are missing."""
        there = intake.sources | set(self._old.collections)
        scopes = {scope[:3]: (scope, False) for scope in self._old.scopes}
        scopes |= {scope[:3]: (scope, True) for scope in self._given}
        for scope, given in scopes.values():
            collection, _, _, complete, _ = scope
            read_now = given or (whole_collections and collection in intake.sources)
            if complete and collection not in there:
                reason = f"{collection} is not in the index"
            elif complete and read_now and intake.is_broken(collection):
                reason = f"not all of {collection} could be read"
            else:
                yield scope
                continue
            self._refused[reason] = self._refused.get(reason, 0) + 1

    def _tell(self, intake: Intake, report: BuildReport) -> None:
        _tell_index(self._out, report)
        before = {name: collection.records for name, collection in self._old.collections.items()}
        for collection in report.collections:
            earlier = before.get(collection.name)
            _tell_collection(collection, "" if earlier in (None, collection.records) else f"{earlier:,} before")
        if report.collections and all(collection.own for collection in report.collections):
            complain("this index holds only your own references: no citation can be checked against it")
        say(f"read: {count(intake.records, 'record')} in {count(len(self._files), 'file')}")
        if report.replaced:
            say(f"replaced by a later record: {report.replaced:,}")
        if intake.skipped:
            reasons = ", ".join(f"{number:,} {reason}" for reason, number in intake.skipped.most_common())
            say(f"left out: {reasons}")
        if self._others:
            say(f"not read: {count(self._others, 'file')} in folders that do not look like dumps")
        _tell_scopes(self._out)
        for reason, number in self._refused.items():
            complain(f"{count(number, 'venue-year')} declared complete, but not accepted as complete: {reason}")
        for name in sorted(self._derivations.keys() - {collection.name for collection in report.collections}):
            complain(f"{name} is declared to derive from others, but is not in the index")
        self._tell_problems(intake)

    def _tell_problems(self, intake: Intake) -> None:
        if not intake.problems:
            return
        complain(f"{count(intake.problems, 'problem')}:")
        for problem in intake.shown:
            complain(f"  {problem}")
        where = f"all in {self._errors}" if self._errors else "--errors FILE writes all of them to a file"
        if intake.problems > SHOWN or self._errors:
            complain(f"  ({where})")


def _cpu_seconds() -> float:
    """CPU seconds that this process and its ended child processes have used."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _opened(path: Path | None) -> contextlib.AbstractContextManager[TextIO | None]:
    return contextlib.nullcontext() if path is None else path.open("w", encoding="utf-8")


def _checked_date(text: str) -> str:
    try:
        return text and datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        raise UsageError(f"not a date of the form YYYY-MM-DD: {text}") from None


def _jobs_for(files: Iterable[Path]) -> int:
    """One process, or one for each core if starting them pays."""
    size = sum(path.stat().st_size for path in files if path.exists())
    return os.cpu_count() or 1 if size >= _MUCH else 1


def _read(intake: Intake, *, cut_files: bool) -> Iterator[Prepared]:
    yield from intake.items()
    if intake.cut and not cut_files:
        raise _CutShortError


def _declarations(path: Path | None) -> tuple[list[Scope], dict[str, str]]:
    """The scopes, and the origins of collections. Raises UsageError."""
    try:
        return ([], {}) if path is None else (read_scopes(path), read_derivations(path))
    except ScopeError as error:
        raise UsageError(str(error)) from error


def _still_there(path: Path, taken_back: set[tuple[str, str]]) -> set[tuple[str, str]]:
    if not taken_back:
        return set()
    with LocalIndex(path) as index:
        # Only PubMed takes records back, by the PMIDs that are their ids.
        held = index.by_identifiers([("pmid", identifier) for _, identifier in taken_back])
        return {(record.source, record.id) for records in held for record in records} & taken_back


def _tell_index(out: Path, report: BuildReport) -> None:
    say(f"{out}: {count(report.records, 'record')}, {amount(report.size)}, {report.seconds:.1f} s of CPU")


def _tell_collection(collection: Collection, note: str = "") -> None:
    parts = [
        count(collection.records, "record"),
        f"as of {collection.date}" if collection.date else "",
        note,
        "" if collection.complete else "not all of it could be read: not counted for agreement",
        "your own references: they help to find works, and confirm or convict none" if collection.own else "",
    ]
    say(f"{collection.name}: {', '.join(filter(None, parts))}")


def _tell_scopes(path: Path) -> None:
    with LocalIndex(path) as index:
        closed = sum(complete for *_, complete, _ in index.scopes())
    if closed:
        say(f"complete for: {count(closed, 'venue-year')} (citecheck index info)")


def _build_index(chosen: argparse.Namespace) -> int:
    names = named_collections(chosen)
    if not names and not chosen.files:
        raise UsageError("no FILE is named, and no collection with --from")
    loaded = []
    if names:
        index_to_write(chosen.index, shards=chosen.shards)  # wrong usage is found before a long download
        loaded = load(chosen, names, Progress())
    code = _Reading(_with_files(chosen, loaded), new=True).run(whole_collections=False)
    if not code:
        note_taken(loaded)
    return code


def _add_files(chosen: argparse.Namespace) -> int:
    return _Reading(chosen, new=False).run(whole_collections=False)


def _update_collections(chosen: argparse.Namespace) -> int:
    if chosen.files and not chosen.collections:
        return _Reading(chosen, new=False).run(whole_collections=True, cut_files=chosen.incomplete)
    existing_index(chosen.index)
    names = named_collections(chosen) or loaded_before(chosen)
    if not names:
        raise UsageError("no FILE is named, and no collection with --from")
    new = [one for one in load(chosen, names, Progress()) if one.new]
    code = 0
    for whole in (True, False):
        files = [one for one in new if one.whole == whole]
        if not code and (files or (whole and chosen.files)):
            reading = _Reading(_with_files(chosen, files, given=whole), new=False)
            code = reading.run(whole_collections=whole, cut_files=chosen.incomplete or not whole)
            if not code:
                note_taken(files)
    if not new and not chosen.files:
        say(f"nothing new of {', '.join(names)}")
    return code


def _with_files(chosen: argparse.Namespace, loaded: Iterable[Loaded], *, given: bool = True) -> argparse.Namespace:
    files = [*(chosen.files if given else ()), *(str(one.path) for one in loaded)]
    return argparse.Namespace(**{**vars(chosen), "files": files})


def _remove_collection(chosen: argparse.Namespace) -> int:
    path = existing_index(chosen.index)
    if is_set(path):
        raise UsageError(f"{path} is a set of shards: rebuild it")
    old = Contents([path])
    for source in chosen.source:
        if source not in old.collections:
            raise UsageError(f"{path} has no collection '{source}'; it has {', '.join(old.collections) or 'none'}")
    for source in dict.fromkeys(chosen.source):
        report = remove(path, source)
        say(f"removed: {source} ({count(old.collections[source].records, 'record')})")
    _tell_index(path, report)
    return 0


def _merge_indexes(chosen: argparse.Namespace) -> int:
    out = index_to_write(chosen.index)
    report = merge(out, map(existing_index, chosen.indexes))
    _tell_index(out, report)
    for collection in report.collections:
        _tell_collection(collection)
    if report.replaced:
        say(f"replaced by a later record: {report.replaced:,}")
    _tell_scopes(out)
    return 0


ACTIONS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "build": _build_index,
    "add": _add_files,
    "update": _update_collections,
    "remove": _remove_collection,
    "merge": _merge_indexes,
}
"""Actions by name. They raise UsageError, IndexFileError, OSError and sqlite3.Error, and print their results."""
