"""``citecheck index``: build, maintain and read a local index of dumps.

Exit codes: 0 done, 1 not done (nothing could be read, the index is broken, nothing was found), 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
import datetime
import glob
import sqlite3
from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.commands import UsageError, argument
from pytest_citecheck.cli.running import NotDoneError, guarded
from pytest_citecheck.index import FORMATS, Collection, IndexFileError, is_set, licence_of
from pytest_citecheck.matching import lazy_pattern, safe_line
from pytest_citecheck.sources import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TextIO

    from pytest_citecheck.cli.commands import Progress
    from pytest_citecheck.index import Batch, Prepared, Workers

# Files in a folder that are not dumps: a README or a list of checksums is not an error.
_DUMP = lazy_pattern(
    r"(?i)\.(?:bib|bibtex|ris|xml|nt|csl|json|jsonl|ndjson|tar|tgz)(?:\.(?:gz|zst|zstd))?\Z|\.(?:gz|zst|zstd)\Z"
)
_BESIDE = ".origin.json"  # of a download
_SQLITE, _APPLICATION, _HEADER = b"SQLite format 3\0", b"cite", 72


def path_named(text: str) -> Path:
    """The path that an argument names. Raises ArgumentTypeError for an empty one, which would be the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("the name of the file is empty")
    return Path(text)


def dump_files(given: Iterable[str]) -> tuple[list[Path], int]:
    """The files meant by names, folders and patterns, each once, in the order given and by name within a folder or
    pattern; and the number of other files in folders.

    In a folder, all files at any depth with names like dumps count, except hidden ones. Raises UsageError for a name,
    folder or pattern without any file, and for special files: a pipe may never end.
    """
    found: dict[Path, Path] = {}
    others = 0
    for name in given:
        path = Path(name)
        if not name:
            raise UsageError("the name of a file to read is empty")
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.is_file() and _is_visible(file.relative_to(path)))
            files = [file for file in inside if _DUMP.search(file.name) and not file.name.endswith(_BESIDE)]
            others += len(inside) - len(files)
            if not files:
                raise UsageError(f"no dump file in the folder {name}")
        elif path.exists():
            files = [regular_file(path)]
        elif glob.has_magic(name):
            matches = sorted(map(Path, glob.glob(name, recursive=True)))  # noqa: PTH207 - Path.glob takes no absolute ones
            files = [file for file in matches if file.is_file()]
            if not files:
                raise UsageError(f"no file matches {name}")
        else:
            raise UsageError(f"no such file: {name}")
        for file in files:
            found.setdefault(file.resolve(), file)
    return list(found.values()), others


def _is_visible(path: Path) -> bool:
    return not any(part.startswith(".") for part in path.parts)


def index_to_write(out: Path, inputs: Iterable[Path] = (), shards: int = 1) -> Path:
    """``out``, if an index may be written there. Raises UsageError if it would replace an input or anything but an
    index.

    shards: number of files; with several, only an existing set may be replaced.
    """
    if shards < 1:
        raise UsageError("--shards is a number of at least 1")
    if not out.resolve().parent.is_dir():
        raise UsageError(f"no such folder: {out.parent}")
    if out.resolve() in {path.resolve() for path in inputs}:
        raise UsageError(f"{out} is both the index and a file to read")
    if out.exists() and is_set(out) != (shards > 1):
        kind = "a set of shards" if is_set(out) else "no set of shards"
        raise UsageError(f"{out} is {kind}: remove it, or name another file")
    if out.exists() and shards == 1:
        existing_index(out)
        with out.open("rb") as file:
            header = file.read(_HEADER)
        if header and not (header.startswith(_SQLITE) and header.endswith(_APPLICATION)):
            raise UsageError(f"{out} is not an index: remove it, or name another file")
    return out


def existing_index(path: Path) -> Path:
    """Return ``path`` if it is an index. Raises UsageError with the actual content otherwise."""
    if is_set(path):
        return path
    if path.is_dir():
        raise UsageError(f"{path} is a folder, not an index")
    if not path.exists():
        raise UsageError(f"no such index: {path}")
    return regular_file(path)


def regular_file(path: Path) -> Path:
    """``path``, if it is not a pipe, a device or a socket. Raises UsageError."""
    if not path.is_file():
        raise UsageError(f"{path} is not a regular file")
    return path


if TYPE_CHECKING:
    from pytest_citecheck.cli.commands import Commands


_FILES = """\
FILE: a dump file, a folder of dumps, or a quoted pattern such as 'pubmed/*.xml.gz'. Compressed files and archives
are read directly. The format is detected from the content (docs/index-formats.md)."""
_BUILD = """\
Build an index from dump files. OUT is replaced only at the end, and only if something could be read. Broken records
are skipped and reported; they are not a failure."""
_ADD = """\
Add dump files to an index. A record replaces the one with the same id in the same collection. Deletions in PubMed's
update files are applied."""
_UPDATE = """\
Replace collections with newer dumps. Each collection in these files replaces the whole collection of the same name,
so withdrawn records disappear. If a file is truncated or unreadable, the index is not changed. Without FILE, new dumps of
the collections that were downloaded before are downloaded; incremental files are added."""
_REMOVE = "Remove a collection from an index."
_MERGE = "Combine several indexes into one. If two records of a collection have the same id, the later index wins."
_INFO = "Print the contents of an index: collections with their sizes, dates, licences and origins, and its complete venues."
_VERIFY = "Read a whole index and report damage (exit code 1 if there is any)."
_LOOKUP = "Print the records of an index with a title or an identifier (exit code 1 if there are none)."
_COVERAGE = """\
Show which references of a bibliography the index has. An absence is evidence only if the index is complete for the
cited venue and year."""
_LOOKUP_FORMS = """\
WHAT: a title; else a DOI, arXiv id, PMID, ISBN, ACL Anthology id, OpenReview id (openreview:…), dblp key
(DBLP:conf/…), or a URL with one.

  citecheck index lookup works.index Attention is all you need
  citecheck index lookup works.index 10.18653/v1/N19-1423"""


def add_parser(commands: Commands) -> None:
    """Add ``citecheck index`` with its actions."""
    index = commands.add_parser(
        "index", help="build and maintain a local index", description="Build and maintain a local index."
    )
    actions = index.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_writing(actions)
    _add_showing(actions)


def _action(
    actions: Commands,
    name: str,
    summary: str,
    description: str,
    run: Callable[[argparse.Namespace], int],
    epilog: str = "",
) -> argparse.ArgumentParser:
    parser = actions.add_parser(
        name, help=summary, description=description, epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    guards = guarded(f"citecheck index {name}", _reported(run), extra="index", interrupted="nothing was changed")
    parser.set_defaults(run=guards)
    return parser


def _reported(run: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """The action, with errors of files and databases raised as NotDoneError."""

    def run_reported(chosen: argparse.Namespace) -> int:
        try:
            return run(chosen)
        except BrokenPipeError:
            raise
        except IndexFileError as error:
            raise NotDoneError(str(error)) from error
        except OSError as error:
            where = error.filename or f"{_target(chosen)}: the index cannot be written"
            raise NotDoneError(f"{where}: {error.strerror or error}") from error
        except sqlite3.Error as error:
            raise NotDoneError(f"{_target(chosen)}: the index cannot be written: {error}") from error

    return run_reported


def _target(chosen: argparse.Namespace) -> str:
    return str(getattr(chosen, "index", chosen.action))


def _write(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli import index_write as writing  # noqa: PLC0415 - heavy for a --help

    return writing.ACTIONS[chosen.action](chosen)


def _show(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli import index_show as showing  # noqa: PLC0415

    return showing.ACTIONS[chosen.action](chosen)


def _cover(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli import index_show as covering  # noqa: PLC0415

    return covering.cover(chosen)


def _add_writing(actions: Commands) -> None:
    build = _action(actions, "build", "build an index from dump files", _BUILD, _write, _FILES)
    argument(build, "index INDEX", "the file of the index, such as works.index", type=path_named)
    argument(build, "--shards N", "write a folder of N files (default: one file)", default=1)
    add = _action(actions, "add", "add dump files to an index", _ADD, _write, _FILES)
    update = _action(actions, "update", "replace collections with newer dumps", _UPDATE, _write, _FILES)
    for parser in (add, update):
        argument(parser, "index INDEX", "the file of the index", type=path_named)
    for parser in (build, add, update):
        argument(
            parser,
            "-j --jobs N",
            "read the dumps with N processes (default: one for each core if there is much to read)",
            default=0,
        )
        nargs = "+" if parser is add else "*"
        argument(parser, "files FILE", "a dump file, a folder or a pattern", type=str, nargs=nargs)
        argument(parser, "--source NAME", "name of the collection of all these files", default="")
        argument(
            parser, "--date", "date of the dumps, YYYY-MM-DD (default: modification time of each file)", default=""
        )
        argument(parser, "--licence", "licence of the dumps (default: the known one of dblp, arXiv, ACL)", default="")
        argument(parser, "--scopes FILE", "YAML file that declares the complete venues of the collections")
        argument(parser, "--errors FILE", "write all problems to FILE, tab-separated (default: print 20)")
    for parser in (build, update):
        argument(
            parser,
            "--from NAMES",
            "download the dumps of these collections first, such as dblp,arxiv",
            dest="collections",
        )
        argument(parser, "--dumps FOLDER", "folder for downloads (default: INDEX.dumps)", type=path_named)
        argument(parser, "--mirror NAME=URL", "another address of a collection, also for later updates", repeat=True)
    argument(update, "--incomplete", "use the readable part of truncated or unreadable files (default: change nothing)")
    remove = _action(actions, "remove", "remove a collection", _REMOVE, _write)
    argument(remove, "index INDEX", "the file of the index", type=path_named)
    argument(remove, "--source NAME", "name of the collection; repeat for several", action="append", required=True)
    merge = _action(actions, "merge", "combine several indexes into one", _MERGE, _write)
    argument(merge, "index INDEX", "the file of the new index; may be one of the inputs", type=path_named)
    argument(merge, "indexes INPUT...", "an index", type=path_named)


def _add_showing(actions: Commands) -> None:
    info = _action(actions, "info", "print the contents of an index", _INFO, _show)
    argument(info, "index INDEX", "the file of the index", type=path_named)
    argument(info, "--contents", "also count years and identifiers; this reads every record (a minute for millions)")
    verify = _action(actions, "verify", "check an index for damage", _VERIFY, _show)
    argument(verify, "index INDEX", "the file of the index", type=path_named)
    lookup = _action(actions, "lookup", "look up a title or an identifier in an index", _LOOKUP, _show, _LOOKUP_FORMS)
    argument(lookup, "index INDEX", "the file of the index", type=path_named)
    argument(lookup, "what WHAT...", "a title or an identifier")
    argument(lookup, "--limit N", "print at most N records", 5)
    coverage = _action(
        actions, "coverage", "show which references of a bibliography an index covers", _COVERAGE, _cover
    )
    argument(coverage, "index INDEX", "the file of the index", type=path_named)
    argument(coverage, "files FILE...", "a bibliography", type=str)


SHOWN = 20
"""Problems that are kept for the screen."""


class NothingReadError(Exception):
    """Not one record could be read."""


@dataclass(slots=True)
class _Origin:
    """Origin of the records of a collection: date (ISO 8601) of the youngest file, and the files."""

    date: str = ""
    files: list[str] = field(default_factory=list)


class Intake:
    """Reads dump files one after the other. Its counts and notes are complete when `items` has ended.

    records: number of records read. problems: number of problems; the first ones are ``shown``, all go to ``errors`` as
    lines of tab-separated file, byte, line, record and reason. skipped: records left out on purpose, by reason.
    taken_back: ``(source, id)`` of records that a file withdraws and no later one states again. cut: of each file that
    ended early or could not be read, with what it ended.
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
        workers: Workers,
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
        self._workers = workers
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
        """Description of the collections that were read."""
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

    def items(self) -> Iterator[Prepared]:
        """The records of all files. Raises NothingReadError at the end if there were none, and DumpError as `read` does."""
        for _, group in groupby(self._workers.read(self._files, self._source), key=attrgetter("file")):
            yield from self._file(group)
        if not self.records:
            raise NothingReadError

    def _file(self, group: Iterator[Batch]) -> Iterator[Prepared]:
        """The records of one file."""
        problems = self.problems
        sources: set[str] = set()
        formats: set[str] = set()
        cut: Problem | None = None  # a file whose last record is broken most likely ends there because it was cut
        ended: Problem | None = None
        for batch in group:
            file = self._files[batch.file]
            for problem in batch.problems:
                self._note(problem)
                cut = cut or (problem if problem.cut else None)
            self.skipped.update(batch.skipped)
            formats.update(batch.formats)
            if batch.problems or batch.prepared:
                ended = batch.ended
            if self.taken_back:
                self.taken_back.difference_update((name, one) for name, ids in batch.ids.items() for one in ids)
            self.taken_back |= {(self._source or _own_name(formats), identifier) for identifier in batch.deleted}
            sources.update(batch.ids)
            if batch.prepared:
                self.records += batch.prepared.size
                yield batch.prepared
            self._show(batch.file)
        for name in sources:
            self._note_origin(name, file)
        if lost := cut or ended:
            self.cut.append(lost)
        if self.problems > problems:
            self._note_broken(sources, formats)
        if self._progress is not None:
            self._progress.clear()

    def _note_broken(self, sources: set[str], formats: set[str]) -> None:
        """Note the collections of a file with problems.

        A file in an unknown format has no collection, and neither has a broken line of many collections.
        """
        source = self._source or _own_name(formats)
        self._all_broken = self._all_broken or not (source or (sources and "records" not in formats))
        self._broken |= sources | {source}

    def _show(self, number: int) -> None:
        if self._progress is not None and self._progress.due:
            place = f"file {number + 1} of {len(self._files)}, " if len(self._files) > 1 else ""
            self._progress.show(
                f"{self._files[number].name}: {place}{self.records:,} records, {self.problems:,} problems"
            )

    def is_broken(self, collection: str) -> bool:
        """Return True if something could not be read that may have been of this collection."""
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
        # Without a date, use the modification time of the file: its content is not newer.
        changed = datetime.datetime.fromtimestamp(file.stat().st_mtime, datetime.UTC).date().isoformat()
        known = self._origins.setdefault(collection, _Origin())
        known.date = max(known.date, self._date or changed)
        known.files.append(file.name)


def _own_name(formats: Iterable[str]) -> str:
    """Name of the collection according to the detected formats; empty if the file or each record names it."""
    return next((one.source for one in FORMATS if one.name in set(formats)), "")


def _together(files: list[str]) -> str:
    return files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1:,} more"
