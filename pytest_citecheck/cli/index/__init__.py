"""``citecheck index``: build, maintain and read a local index of dumps.

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
Compressed files and archives are read directly; the format is detected from the content (docs/index-formats.md)."""
_BUILD = """\
Build an index from dump files. It is written to a temporary file that replaces OUT at the end: an existing index is kept
until then, and kept if nothing can be read. Broken records are left out and reported; they are not a failure."""
_ADD = """\
Add dump files to an index. A record replaces one with the same id in the same collection; all others stay. Records that
PubMed's update files delete are removed."""
_UPDATE = """\
Replace collections with newer dumps: each collection in these files replaces the whole collection of the same name, so
withdrawn records disappear. All other collections stay. If a file ends early or cannot be read, nothing is changed."""
_REMOVE = "Remove a collection from an index."
_MERGE = "Combine several indexes into one. If two records of a collection have the same id, the one of the later index is kept."
_INFO = "Print the contents of an index: collections with their records, dates, licences, origins, and what it is complete for."
_VERIFY = "Read a whole index and report damage (exit code 1 if there is any)."
_LOOKUP = "Print the records of an index with a title or an identifier (exit code 1 if there are none)."
_COVERAGE = """\
Print for each reference of a bibliography whether the index has its work, and whether it is complete for the cited venue and
year, so that an absence is evidence; if not, why not."""
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
        name,
        help=summary,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
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
    from pytest_citecheck.cli.index import writing  # noqa: PLC0415 - heavy for a --help

    return writing.ACTIONS[chosen.action](chosen)


def _show(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.index import showing  # noqa: PLC0415

    return showing.ACTIONS[chosen.action](chosen)


def _cover(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.index import covering  # noqa: PLC0415

    return covering.cover(chosen)


def _add_writing(actions: Commands) -> None:
    build = _action(actions, "build", "build an index from dump files", _BUILD, _write, _FILES)
    build.add_argument("index", metavar="INDEX", type=path_named, help="the file of the index, such as works.index")
    build.add_argument(
        "--shards", type=int, default=1, metavar="N",
        help="write a folder of N files, by as many processes (default: one file)",
    )  # fmt: skip
    add = _action(actions, "add", "add dump files to an index", _ADD, _write, _FILES)
    update = _action(actions, "update", "replace collections with newer dumps", _UPDATE, _write, _FILES)
    for parser in (add, update):
        parser.add_argument("index", metavar="INDEX", type=path_named, help="the file of the index")
    for parser in (build, add, update):
        parser.add_argument("files", metavar="FILE", nargs="+", help="a dump file, a folder or a pattern")
        parser.add_argument("--source", metavar="NAME", default="", help="name of the collection of all these files")
        parser.add_argument(
            "--date",
            default="",
            help="date of the dumps, YYYY-MM-DD (default: modification time of each file)",
        )
        parser.add_argument(
            "--licence", default="", help="licence of the dumps (default: the known one of dblp, arXiv, ACL)"
        )
        parser.add_argument(
            "--scopes", metavar="FILE", type=Path, help="YAML file that declares what the collections are complete for"
        )
        parser.add_argument(
            "--errors",
            metavar="FILE",
            type=Path,
            help="write all problems to FILE, tab-separated (default: print 20)",
        )
    update.add_argument(
        "--incomplete",
        action="store_true",
        help="accept files that end early or cannot be read, as far as they go (default: change nothing)",
    )
    remove = _action(actions, "remove", "remove a collection", _REMOVE, _write)
    remove.add_argument("index", metavar="INDEX", type=path_named, help="the file of the index")
    remove.add_argument(
        "--source",
        metavar="NAME",
        action="append",
        required=True,
        help="name of the collection; repeat for several",
    )
    merge = _action(actions, "merge", "combine several indexes into one", _MERGE, _write)
    merge.add_argument(
        "index", metavar="INDEX", type=path_named, help="the file of the new index; may be one of the inputs"
    )
    merge.add_argument("indexes", metavar="INPUT", nargs="+", type=path_named, help="an index")


def _add_showing(actions: Commands) -> None:
    info = _action(actions, "info", "print the contents of an index", _INFO, _show)
    info.add_argument("index", metavar="INDEX", type=path_named, help="the file of the index")
    info.add_argument(
        "--contents",
        action="store_true",
        help="also count years and identifiers; this reads every record (a minute for millions)",
    )
    verify = _action(actions, "verify", "check an index for damage", _VERIFY, _show)
    verify.add_argument("index", metavar="INDEX", type=path_named, help="the file of the index")
    lookup = _action(actions, "lookup", "look up a title or an identifier in an index", _LOOKUP, _show, _LOOKUP_FORMS)
    lookup.add_argument("index", metavar="INDEX", type=path_named, help="the file of the index")
    lookup.add_argument("what", metavar="WHAT", nargs="+", help="a title or an identifier")
    lookup.add_argument("--limit", metavar="N", type=int, default=5, help="print at most N records (default: 5)")
    coverage = _action(
        actions, "coverage", "show which references of a bibliography an index covers", _COVERAGE, _cover
    )
    coverage.add_argument("index", metavar="INDEX", type=path_named, help="the file of the index")
    coverage.add_argument("files", metavar="FILE", nargs="+", help="a bibliography")
