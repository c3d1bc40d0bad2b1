"""``citecheck index``: build a local index of dumps, look after it, look into it.

Exit codes: 0 done, 1 not done (nothing could be read, the index is broken, nothing was found), 4 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.index.files import path_named
from pytest_citecheck.cli.running import NotDoneError, guarded
from pytest_citecheck.index.storage.layout import IndexFileError

if TYPE_CHECKING:
    from collections.abc import Callable

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

_FILES = """\
FILE: a dump file, a folder of them, or a pattern such as 'pubmed/*.xml.gz' (in quotes where the shell would expand it).
Compressed files and archives are read as they are; what a file is, its content says (docs/index-formats.md)."""
_BUILD = """\
Build an index of dump files. It is written beside OUT and put in its place at the end: an index that is there stays whole
until then, and stays if nothing can be read. Broken records are left out and reported; they are no failure."""
_ADD = """\
Add dump files to an index. Of records of one collection with the same id the new one counts; all others stay. What PubMed's
update files take back is taken out."""
_UPDATE = """\
Put newer dumps in the place of older ones: the collections that these files hold replace those of the same names as a whole,
so that what was withdrawn disappears. All other collections stay. If a file ends early or cannot be read, nothing is changed."""
_REMOVE = "Take a collection out of an index."
_MERGE = (
    "Make one index out of several. Of records of one collection with the same id the one of the later index counts."
)
_INFO = "Print what an index holds: collections with their records, dates, licences and origins, and what it is complete for."
_VERIFY = "Read an index from end to end, and say whether it is whole (exit code 1 if it is not)."
_LOOKUP = "Print what an index has under a title or an identifier (exit code 1 if it has nothing)."
_COVERAGE = """\
Say of each reference of a bibliography whether the index has its work, and whether it holds all of the cited venue and year, so
that an absence is evidence; if not, why not."""
_LOOKUP_FORMS = """\
WHAT: a title; else a DOI, arXiv id, PMID, ISBN, ACL Anthology id, OpenReview id (openreview:…), key of dblp
(DBLP:conf/…), or the address of one.

  citecheck index lookup works.index Attention is all you need
  citecheck index lookup works.index 10.18653/v1/N19-1423"""


def add_parser(commands: Commands) -> None:
    """Add ``citecheck index`` with its actions."""
    index = commands.add_parser(
        "index", help="build and look after a local index", description="Build a local index and look after it."
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
        name,
        help=summary,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    guards = guarded(f"citecheck index {name}", _told(run), extra="index", interrupted="nothing was changed")
    parser.set_defaults(run=guards)
    return parser


def _told(run: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """The action with what files do to it as NotDoneError."""

    def run_told(chosen: argparse.Namespace) -> int:
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

    return run_told


def _target(chosen: argparse.Namespace) -> str:
    return str(getattr(chosen, "index", chosen.action))


def _write(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.index import writing  # noqa: PLC0415 - heavy for a --help

    return writing.ACTIONS[chosen.action](chosen)


def _show(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.index import showing  # noqa: PLC0415

    return showing.ACTIONS[chosen.action](chosen)


def _cover(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.index import covering  # noqa: PLC0415

    return covering.cover(chosen)


def _add_writing(actions: Commands) -> None:
    build = _action(actions, "build", "build an index of dump files", _BUILD, _write, _FILES)
    build.add_argument("index", metavar="OUT", type=path_named, help="the file of the index, such as works.index")
    add = _action(actions, "add", "add dump files to an index", _ADD, _write, _FILES)
    update = _action(actions, "update", "replace collections by newer dumps", _UPDATE, _write, _FILES)
    for parser in (add, update):
        parser.add_argument("index", metavar="INDEX", type=path_named, help="the file of the index")
    for parser in (build, add, update):
        parser.add_argument("files", metavar="FILE", nargs="+", help="a dump file, a folder or a pattern")
        parser.add_argument("--source", metavar="NAME", default="", help="name of the collection, for all these files")
        parser.add_argument(
            "--date",
            default="",
            help="date of the dumps, YYYY-MM-DD (default: when each file was last changed)",
        )
        parser.add_argument(
            "--licence", default="", help="licence of the dumps (default: as known for dblp, arXiv, ACL)"
        )
        parser.add_argument(
            "--scopes", metavar="FILE", type=Path, help="declarations of what the collections are complete for (YAML)"
        )
        parser.add_argument(
            "--errors",
            metavar="FILE",
            type=Path,
            help="write all problems there, tab-separated (default: 20 on the screen)",
        )
    update.add_argument(
        "--incomplete",
        action="store_true",
        help="take what can be read of files that end early or cannot be read (default: change nothing)",
    )
    remove = _action(actions, "remove", "take a collection out", _REMOVE, _write)
    remove.add_argument("index", metavar="INDEX", type=path_named, help="the file of the index")
    remove.add_argument(
        "--source",
        metavar="NAME",
        action="append",
        required=True,
        help="name of the collection; more than once for several",
    )
    merge = _action(actions, "merge", "make one index out of several", _MERGE, _write)
    merge.add_argument(
        "index", metavar="OUT", type=path_named, help="the file of the new index; may be one of the others"
    )
    merge.add_argument("indexes", metavar="INDEX", nargs="+", type=path_named, help="an index")


def _add_showing(actions: Commands) -> None:
    info = _action(actions, "info", "print what an index holds", _INFO, _show)
    info.add_argument("index", metavar="INDEX", type=path_named, help="the file of the index")
    info.add_argument(
        "--contents",
        action="store_true",
        help="count years and identifiers too, which reads every record (a minute for millions)",
    )
    verify = _action(actions, "verify", "check whether an index is whole", _VERIFY, _show)
    verify.add_argument("index", metavar="INDEX", type=path_named, help="the file of the index")
    lookup = _action(
        actions, "lookup", "print what an index has under a title or identifier", _LOOKUP, _show, _LOOKUP_FORMS
    )
    lookup.add_argument("index", metavar="INDEX", type=path_named, help="the file of the index")
    lookup.add_argument("what", metavar="WHAT", nargs="+", help="a title or an identifier")
    lookup.add_argument("--limit", metavar="N", type=int, default=5, help="print so many records at most (default: 5)")
    coverage = _action(actions, "coverage", "say what an index can answer for a bibliography", _COVERAGE, _cover)
    coverage.add_argument("index", metavar="INDEX", type=path_named, help="the file of the index")
    coverage.add_argument("files", metavar="FILE", nargs="+", help="a bibliography")
