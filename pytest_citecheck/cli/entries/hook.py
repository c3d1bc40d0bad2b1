"""``citecheck hook``: what runs before a commit looks at the entries that have changed and not passed."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import hashlib
import os
import shlex
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck import __version__
from pytest_citecheck.cli.entries.engine import add_engine_options
from pytest_citecheck.cli.running import guarded
from pytest_citecheck.cli.screen import UsageError, say
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from pytest_citecheck.cli.entries.engine import Engine, Place
    from pytest_citecheck.cli.entries.passed import Passed
    from pytest_citecheck.model import Reference
    from pytest_citecheck.readers.documents.files import Files

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

_ABOUT = (
    "Check what differs from the last commit and has not passed yet: entries of .bib files, and the entries that .tex and "
    "Markdown files newly cite or list. Offline unless --online. Recorded answers, the local index and the cache are evidence; "
    "an entry without evidence fails unless --min-checked allows it. Exit code: 0 all pass, 1 something fails."
)

_NAMED = 5  # entries without evidence
_WHY_OPEN = {False: "no recorded evidence", True: "no source could be asked about it"}
_BIBTEX = (".bib", ".bibtex", ".biblatex")
_CITES = lazy_pattern(rb"\\[A-Za-z]*+cite|\[[^\]\n]{0,200}@")


def add_parser(commands: Commands) -> None:
    """Add ``citecheck hook``."""
    parser = commands.add_parser("hook", help="check changed entries, as before a commit", description=_ABOUT)
    add_engine_options(parser, "a .bib, .tex or Markdown file; several .bib files are one bibliography")
    parser.add_argument("--online", action="store_true", help="ask the services about changed entries")
    parser.add_argument(
        "--min-checked",
        type=_share,
        default=1.0,
        metavar="SHARE",
        help="fail if less than this share of the changed entries has evidence, 0 to 1; others are warnings (default: 1)",
    )
    parser.add_argument(
        "--allow-unrecorded",
        dest="min_checked",
        action="store_const",
        const=0.0,
        help="name entries without evidence once, and pass (--min-checked=0)",
    )
    parser.add_argument("--all", action="store_true", help="check all entries, also those that are committed")
    parser.add_argument(
        "--state",
        metavar="FILE|off",
        help="the file that remembers which entries have passed (default: one for each folder in the user's cache folder)",
    )
    parser.set_defaults(run=guarded("citecheck hook", _run))


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"must be a share from 0 to 1, not {text!r}")
    return share


def _run(chosen: argparse.Namespace) -> int:
    # For a push, pre-commit names the commit before it (PRE_COMMIT_FROM_REF).
    commit = "" if chosen.all else os.environ.get("PRE_COMMIT_FROM_REF") or "HEAD"
    before = {name: content for name in chosen.files if (content := _committed(name, commit)) is not None}
    changed = [name for name in dict.fromkeys(chosen.files) if name not in before or before[name] != _content(name)]
    if not changed:
        return 0  # before anything slow is imported
    from pytest_citecheck.cli.entries.passed import Passed  # noqa: PLC0415
    from pytest_citecheck.plugin import lasting_imports  # noqa: PLC0415

    with lasting_imports():
        from pytest_citecheck.cli.entries import judging  # noqa: F401, PLC0415 - heavy for a --help
        from pytest_citecheck.cli.entries.engine import Engine  # noqa: PLC0415

    engine = Engine(chosen, "citecheck hook", () if chosen.online else ("--citecheck-offline",))
    names = {place: (one, _name(one)) for place, one in _new_references(chosen.files, changed, before, commit, engine)}
    passed = Passed(_state(chosen.state), _stamp(engine), engine.cassettes, engine.cache)
    failed = _check(chosen, engine, names, passed) if names else 0
    engine.close()  # the cache is at rest then
    passed.save({name for _, name in names.values()})
    return 1 if failed else 0


def _content(name: str) -> bytes | None:
    try:
        return Path(name).read_bytes()
    except OSError:
        return None


def _git(folder: Path, *arguments: str) -> bytes | None:
    """The output of git in a folder; None if it fails, or is not there."""
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=False)  # noqa: S603, S607 - no shell
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def _committed(name: str, commit: str) -> bytes | None:
    """The content of a file in a commit; None if it was not there, or without git."""
    path = Path(name)
    return _git(path.parent, "show", f"{commit}:./{path.name}") if commit else None


class _CommittedFiles:
    """The files beside a document in a commit (`readers.documents.files.Files`)."""

    def __init__(self, folder: Path, commit: str) -> None:
        self._folder, self._commit = folder, commit

    def read(self, name: str) -> bytes | None:
        # Absolute names and those with a NUL are no paths of a commit.
        return None if name.startswith("/") or "\0" in name else _git(self._folder, "show", f"{self._commit}:./{name}")

    def names(self) -> Iterable[str]:
        listed = _git(self._folder, "ls-tree", "--name-only", "-z", self._commit, "./")
        return [Path(os.fsdecode(one)).name for one in (listed or b"").split(b"\0") if one]


def _new_references(
    files: Sequence[str], changed: Collection[str], before: Mapping[str, bytes], commit: str, engine: Engine
) -> Iterator[tuple[Place, Reference]]:
    """The references of changed files that the commit does not have: each once, in the order of the files."""
    from pytest_citecheck.cli.entries.engine import bibtex_files  # noqa: PLC0415

    bibliographies = [name for name in files if name.lower().endswith(_BIBTEX)]
    now = engine.references(bibtex_files(bibliographies), unreadable=True) if bibliographies else {}
    were = {name: before[name] for name in bibliographies if name in before}
    known = {_name(one) for one in engine.references(were, unreadable=True).values()} if were else set()
    seen = set()
    for place, reference in now.items():
        if place[0] in changed and (name := _name(reference)) not in known:
            seen.add(name)
            yield place, reference
    for file in changed:
        if file not in bibliographies:
            cited = _of_document(file, before.get(file), commit)
            for number, reference in enumerate(cited):
                if (name := _name(reference)) not in seen:
                    seen.add(name)
                    yield (file, number), reference


def _of_document(file: str, before: bytes | None, commit: str) -> list[Reference]:
    """The references that a document newly cites or lists. Raises UsageError."""
    from pytest_citecheck.readers import reader_for  # noqa: PLC0415
    from pytest_citecheck.readers.documents.base import DocumentReader, Surroundings, UnreadableDocumentError  # noqa: PLC0415
    from pytest_citecheck.readers.documents.files import FolderFiles  # noqa: PLC0415

    data, reader, folder = _content(file), reader_for(file), Path(file).parent
    if data is None or not isinstance(reader, DocumentReader):
        raise UsageError(f"{file} is not a .bib, .tex or Markdown file" if data else f"no such file: {file}")

    def references(content: bytes, files: Files) -> list[Reference]:
        # A chapter names no bibliography; its keys are in the nearest one above it. In Markdown, @name may be a person.
        given = _nearest_bibliographies(folder) if reader.format == "a LaTeX document" else ()
        return list(reader.read_document(Path(file).as_posix(), content, Surroundings(files, given=given)).references)

    try:
        now = references(data, FolderFiles(folder))
    except UnreadableDocumentError as error:
        if _CITES.search(data) and Path(file).suffix.lower() in (".tex", ".ltx"):
            say(f"{file}:1:1: warning unreadable-document: {error}")
        return []
    known = set()
    if before is not None:
        with contextlib.suppress(UnreadableDocumentError):
            known = {_name(one) for one in references(before, _CommittedFiles(folder, commit))}
    return [one for one in now if _name(one) not in known]


def _nearest_bibliographies(folder: Path) -> tuple[str, ...]:
    """The .bib files of the nearest folder that has some, from this one up to that of the repository."""
    top = folder.resolve()
    for above in (top, *top.parents):
        if found := sorted(one for one in above.iterdir() if one.suffix.lower() in _BIBTEX):
            return tuple(os.path.relpath(one, top).replace(os.sep, "/") for one in found)
        if (above / ".git").exists():
            break
    return ()


def _check(
    chosen: argparse.Namespace, engine: Engine, names: Mapping[Place, tuple[Reference, str]], passed: Passed
) -> int:
    """Print what is wrong with these entries; how many fail."""
    from pytest_citecheck.cli.entries.judging import is_unrecorded, lines, problems_of  # noqa: PLC0415
    from pytest_citecheck.cli.entries.passed import answers_of, unanswered_of  # noqa: PLC0415

    oldest = engine.oldest
    remembered = {place for place, (_, name) in names.items() if passed.holds(name, oldest)}
    unrecorded = [
        reference for place, (reference, name) in names.items() if place in remembered and passed.is_open(name)
    ]
    failed, is_new = 0, False
    wanted = {place: one for place, (one, _) in names.items() if place not in remembered}
    for place, (reference, evaluation) in engine.evaluated(wanted).items() if wanted else ():
        found = problems_of(reference, evaluation, engine.session)
        wrong = any(one.level == "error" and not one.waived for one in found)
        for line in lines(found):
            say(line)
        failed += wrong
        if wrong:
            continue
        asked = evaluation.case.evidence.asked
        dates = [one.date[:10] for one in asked if one.date]
        date = min(dates, default=datetime.date.max.isoformat())
        if is_unrecorded(evaluation):
            unrecorded.append(reference)
            is_new = True
            if not chosen.online:
                passed.add(names[place][1], answers_of(asked), date, unanswered_of(asked))
        else:
            passed.add(names[place][1], answers_of(asked), date)
    checked = len(names) - len(unrecorded)
    too_few: bool = checked < chosen.min_checked * len(names)
    if too_few or is_new:
        for line in _unrecorded(unrecorded, engine, chosen, "error" if too_few else "warning"):
            say(line)
    return failed + too_few


def _name(reference: Reference) -> str:
    """What an entry that has passed is known by: its content, and the waivers beside it that have not expired."""
    from pytest_citecheck.readers.content import content_hash  # noqa: PLC0415

    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    holding = [(*one.names, one.bound) for one in reference.suppressions if not one.until or one.until >= today]
    return f"{content_hash(reference)}{holding or ''}"


def _unrecorded(
    references: Sequence[Reference], engine: Engine, chosen: argparse.Namespace, level: str
) -> Iterator[str]:
    """A line for each of the first entries without evidence, and one for all others."""
    for reference in references[:_NAMED]:
        where = (
            f"{reference.location.path}:{reference.location.line}:1: {level} not-recorded {reference.key or '(no key)'}"
        )
        yield f"{where}: {_WHY_OPEN[chosen.online]}{_record_command(reference, engine, chosen)}"
    if len(references) > _NAMED:
        more = references[_NAMED]
        said = f"{more.location.path}: {level} not-recorded: {len(references) - _NAMED} more entries"
        yield f"{said}: {_WHY_OPEN[chosen.online]}{_record_command(more, engine, chosen)}"


def _record_command(reference: Reference, engine: Engine, chosen: argparse.Namespace) -> str:
    if chosen.online:
        return ""
    path = reference.location.path
    if path.lower().endswith(_BIBTEX):
        return f" (record it: {engine.record_command(path)})"
    return f" (look it up: citecheck {shlex.quote(path)})"


def _state(given: str | None) -> Path | None:
    if given is not None:
        return None if given == "off" else Path(given)
    from pytest_citecheck.transport.settings import user_cache  # noqa: PLC0415

    here = hashlib.blake2b(os.fsencode(Path.cwd().resolve()), digest_size=12).hexdigest()
    return user_cache() / "passed" / f"{here}.json"


def _stamp(engine: Engine) -> str:
    """Version and settings: with others, what has passed may fail."""
    return hashlib.blake2b("\0".join([__version__, *engine.identity()]).encode(), digest_size=16).hexdigest()
