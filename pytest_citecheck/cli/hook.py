"""``citecheck hook``: pre-commit check of entries that have changed and not passed."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import hashlib
import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck import __version__
from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.cli.commands import UsageError, argument, say
from pytest_citecheck.cli.entries import add_engine_options, add_root_option
from pytest_citecheck.cli.running import command
from pytest_citecheck.confinement import start_folder, within
from pytest_citecheck.exit_codes import CHECKED, ERRORS, SUMMARY, UNCHECKED
from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import QueryResult, Unavailable
from pytest_citecheck.today import today

if TYPE_CHECKING:
    from pytest_citecheck.checks import Evaluation
    from pytest_citecheck.cli.commands import Commands
    from pytest_citecheck.cli.entries import Engine, Place
    from pytest_citecheck.inputs import Files
    from pytest_citecheck.model import Reference


_ABOUT = (
    "Check entries that changed since the last commit and have not passed yet, also newly cited entries of .tex and "
    "Markdown files. Offline unless you pass --online. An entry without evidence fails unless --min-checked allows "
    f"it. {SUMMARY} Without a changed entry, it is 0."
)

_NAMED = 5  # entries without evidence
_WHY_OPEN = {False: "no recorded evidence", True: "no source could be queried about it"}
_BIBTEX = (".bib", ".bibtex", ".biblatex")
_CITES = lazy_pattern(rb"\\[A-Za-z]*+cite|\[[^\]\n]{0,200}@")


def add_parser(commands: Commands) -> None:
    """Add ``citecheck hook``."""
    parser = command(commands, "hook", "check changed entries, as before a commit", _ABOUT, _run)
    add_engine_options(
        parser, "a file with references, also code and documentation; several .bib files are one bibliography"
    )
    add_root_option(parser)
    argument(parser, "--online", "query the services about changed entries")
    argument(parser, "--staged", "check what is staged for the commit, not what the files contain by now")
    argument(parser, "--strict", "with --online, fail as well if no service can be reached")
    argument(
        parser,
        "--min-checked SHARE",
        "fail if less than this share of the changed entries has evidence, 0 to 1; others are warnings (default: 1)",
        type=_share,
        default=1.0,
    )
    argument(
        parser,
        "--allow-unrecorded",
        "name entries without evidence once, and pass (--min-checked=0)",
        dest="min_checked",
        action="store_const",
        const=0.0,
    )
    argument(parser, "--all", "check all entries, also those that are committed")
    argument(
        parser,
        "--state FILE|off",
        "the file that remembers which entries have passed (default: one for each folder in the user's cache folder)",
    )


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"must be a share from 0 to 1, not {text!r}")
    return share


def _run(chosen: argparse.Namespace) -> int:
    if not chosen.staged:
        return _checked(chosen)
    with _staged_files(chosen):
        return _checked(chosen)


@contextlib.contextmanager
def _staged_files(chosen: argparse.Namespace) -> Iterator[None]:
    """Work in a copy of the staged files if some of them have changed since. Raises UsageError outside of a repository."""
    top, folder = _git(Path(), "rev-parse", "--show-toplevel"), _git(Path(), "rev-parse", "--absolute-git-dir")
    if top is None or folder is None:
        raise UsageError("--staged: this is no git repository")
    if _git(Path(), "diff", "--quiet") is not None:
        yield
        return
    here, root = Path.cwd(), Path(os.fsdecode(top.removesuffix(b"\n")))
    state = _state(chosen.state)
    chosen.state = "off" if state is None else str(state.absolute())
    kept = {name: os.environ.get(name) for name in ("GIT_DIR", "GIT_WORK_TREE")}
    with tempfile.TemporaryDirectory(prefix="citecheck-") as copy:
        if _git(root, "checkout-index", "--all", f"--prefix={copy}/") is None:
            raise UsageError("--staged: git cannot write the staged files into a temporary folder")
        os.environ |= {"GIT_DIR": os.fsdecode(folder.removesuffix(b"\n")), "GIT_WORK_TREE": copy}
        os.chdir(Path(copy, here.resolve().relative_to(root.resolve())))
        try:
            yield
        finally:
            os.chdir(here)
            for name, value in kept.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


def _checked(chosen: argparse.Namespace) -> int:
    # For a push, pre-commit names the commit before it (PRE_COMMIT_FROM_REF).
    commit = "" if chosen.all else os.environ.get("PRE_COMMIT_FROM_REF") or "HEAD"
    before = {name: content for name in chosen.files if (content := _committed(name, commit)) is not None}
    changed = [name for name in dict.fromkeys(chosen.files) if name not in before or before[name] != _content(name)]
    if not changed:
        return 0  # before anything slow is imported
    from pytest_citecheck.plugin import lasting_imports  # noqa: PLC0415

    with lasting_imports():
        from pytest_citecheck.cli import entries as judging  # noqa: F401, PLC0415 - heavy for a --help
        from pytest_citecheck.cli.entries import Engine  # noqa: PLC0415

    engine = Engine(chosen, "citecheck hook", () if chosen.online else ("--citecheck-offline",))
    names = {place: (one, _name(one)) for place, one in _new_references(chosen, changed, before, commit, engine)}
    passed = Passed(_state(chosen.state), _stamp(engine), engine.cassettes, engine.cache)
    code = _check(chosen, engine, names, passed) if names else CHECKED
    engine.close()  # the cache is at rest then
    passed.save({name for _, name in names.values()})
    return code


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
    """Files next to a document in a commit (`inputs.documents.Files`)."""

    def __init__(self, folder: Path, commit: str) -> None:
        self._folder, self._commit = folder, commit

    def read(self, name: str) -> bytes | None:
        # Absolute names and those with a NUL are no paths of a commit.
        return None if name.startswith("/") or "\0" in name else _git(self._folder, "show", f"{self._commit}:./{name}")

    def absence(self, *names: str) -> str:
        return f"{names[0]}, which the commit does not have"

    def names(self) -> Iterable[str]:
        listed = _git(self._folder, "ls-tree", "--name-only", "-z", self._commit, "./")
        return [Path(os.fsdecode(one)).name for one in (listed or b"").split(b"\0") if one]


def _new_references(
    chosen: argparse.Namespace, changed: Collection[str], before: Mapping[str, bytes], commit: str, engine: Engine
) -> Iterator[tuple[Place, Reference]]:
    """The references of changed files that the commit does not have: each once, in the order of the files."""
    from pytest_citecheck.cli.entries import bibtex_files  # noqa: PLC0415

    bibliographies = [name for name in chosen.files if name.lower().endswith(_BIBTEX)]
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
            cited = _of_document(file, before.get(file), commit, chosen.root)
            for number, reference in enumerate(cited):
                if (name := _name(reference)) not in seen:
                    seen.add(name)
                    yield (file, number), reference


def _of_document(file: str, before: bytes | None, commit: str, roots: Sequence[Path]) -> list[Reference]:
    """The references that a document newly cites or lists. Raises UsageError."""
    from pytest_citecheck.inputs import (  # noqa: PLC0415
        PROJECT,
        DocumentReader,
        FolderFiles,
        Surroundings,
        UnreadableDocumentError,
        reader_for,
    )

    data, reader, folder = _content(file), reader_for(file), Path(file).parent
    if data is None:
        raise UsageError(f"no such file: {file}")
    if reader is None or not (isinstance(reader, DocumentReader) or Path(file).suffix.lower() in PROJECT):
        raise UsageError(f"{file} is not a .bib, .tex, Markdown, Python or reStructuredText file, and no CITATION.cff")

    # A chapter names no bibliography; its keys are in the nearest one above it. In Markdown, @name may be a person.
    given = _nearest_bibliographies(folder, roots) if reader.format == "a LaTeX document" else ()

    def references(content: bytes, files: Files) -> list[Reference]:
        if not isinstance(reader, DocumentReader):
            return list(reader.read(Path(file).as_posix(), content).references)
        return list(reader.read_document(Path(file).as_posix(), content, Surroundings(files, given=given)).references)

    try:
        allowed = (*start_folder(), *roots, *(folder / name for name in given))
        now = references(data, FolderFiles(folder, allowed, "--root"))
    except UnreadableDocumentError as error:
        if _CITES.search(data) and Path(file).suffix.lower() in (".tex", ".ltx"):
            say(f"{file}:1:1: warning unreadable-document: {error}")
        return []
    known = set()
    if before is not None:
        with contextlib.suppress(UnreadableDocumentError):
            known = {_name(one) for one in references(before, _CommittedFiles(folder, commit))}
    return [one for one in now if _name(one) not in known]


def _nearest_bibliographies(folder: Path, roots: Sequence[Path]) -> tuple[str, ...]:
    """The .bib files of the nearest folder that has some, from this one up to the root of the repository.

    Without a repository, the folders above the start folder are not the document's.
    """
    top = folder.resolve()
    repository = [one for one in (top, *top.parents) if (one / ".git").exists()][:1]
    allowed = repository or [top, *start_folder(), *roots]
    for above in (top, *top.parents):
        if within(above, allowed) is None:
            break
        if found := sorted(one for one in above.iterdir() if one.suffix.lower() in _BIBTEX):
            return tuple(os.path.relpath(one, top).replace(os.sep, "/") for one in found)
    return ()


def _check(
    chosen: argparse.Namespace, engine: Engine, names: Mapping[Place, tuple[Reference, str]], passed: Passed
) -> int:
    """Print the problems of these entries; return the exit code."""
    from pytest_citecheck.cli.judging import is_unanswered, lines, problems_of  # noqa: PLC0415

    oldest = engine.oldest
    remembered = {place: one for place, one in names.items() if passed.holds(one[1], oldest)}
    unrecorded = [reference for reference, name in remembered.values() if passed.is_open(name)]
    failed, is_new, unreached = False, False, 0
    wanted = {place: one for place, (one, _) in names.items() if place not in remembered}
    judged = engine.evaluated(wanted).items() if wanted else ()
    for place, (reference, evaluation) in judged:
        found = problems_of(reference, evaluation, engine.session)
        wrong = any(one.level == "error" and not one.waived for one in found)
        for line in lines(found):
            say(line)
        if wrong:
            failed = True
        elif chosen.online and is_unanswered(evaluation):
            unreached += 1
        elif _remember(evaluation, names[place][1], passed, online=chosen.online):
            unrecorded.append(reference)
            is_new = True
    if unreached:
        say(_unreached(unreached, strict=chosen.strict))
    too_few: bool = len(names) - len(unrecorded) < chosen.min_checked * len(names)
    if too_few or is_new:
        for line in _unrecorded(unrecorded, engine, chosen, "error" if too_few else "warning"):
            say(line)
    outcomes = {ERRORS: failed, UNCHECKED: too_few or (unreached and chosen.strict)}
    return next((code for code, holds in outcomes.items() if holds), CHECKED)


def _remember(evaluation: Evaluation, name: str, passed: Passed, *, online: bool) -> bool:
    """Note an entry without an error; return True if answers are not recorded. Online, it is then asked for again."""
    from pytest_citecheck.cli.judging import is_unrecorded  # noqa: PLC0415

    asked = evaluation.case.evidence.asked
    date = min((one.date[:10] for one in asked if one.date), default=datetime.date.max.isoformat())
    missing = is_unrecorded(evaluation)
    if not (missing and online):
        passed.add(name, answers_of(asked), date, *([unanswered_of(asked)] if missing else []))
    return missing


def _unreached(count: int, *, strict: bool) -> str:
    entries = "1 entry is" if count == 1 else f"{count} entries are"
    hint = "" if strict else " (--strict refuses this)"
    return f"citecheck: no service could be reached, so {entries} not checked{hint}"


def _name(reference: Reference) -> str:
    """Key of an entry that has passed: its content, and its waivers that have not expired."""
    from pytest_citecheck.inputs import content_hash  # noqa: PLC0415

    day = today().isoformat()
    holding = [(*one.names, one.bound) for one in reference.suppressions if not one.until or one.until >= day]
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
    from pytest_citecheck.net import user_cache  # noqa: PLC0415

    here = hashlib.blake2b(os.fsencode(Path.cwd().resolve()), digest_size=12).hexdigest()
    return user_cache() / "passed" / f"{here}.json"


def _stamp(engine: Engine) -> str:
    """Version and settings: a change invalidates passed entries."""
    return hashlib.blake2b("\0".join([__version__, *engine.identity()]).encode(), digest_size=16).hexdigest()


_FORMAT = 2


def answers_of(asked: Iterable[QueryResult]) -> dict[str, list[str]]:
    """The answers that these lines of evidence are from, by source: short names of request and date."""
    found: dict[str, set[str]] = {}
    for one in asked:
        if not isinstance(one.answer, Unavailable):
            found.setdefault(one.source, set()).add(_passed_name(one.endpoint, one.date[:10]))
    return {source: sorted(names) for source, names in sorted(found.items())}


def unanswered_of(asked: Iterable[QueryResult]) -> list[str]:
    """The sources that gave no answer: an entry that passed without them is looked at again when one is recorded."""
    return sorted({one.source for one in asked if isinstance(one.answer, Unavailable)})


class Passed:
    """File of passed entries. An unreadable file, or one with another stamp, counts as empty.

    stamp: the version and the settings. cassettes, cache: the folders of recorded and of cached answers, if there are
    any.
    """

    def __init__(self, path: Path | None, stamp: str, cassettes: Path | None, cache: Path | None = None) -> None:
        self._path, self._stamp, self._cassettes, self._cache = path, stamp, cassettes, cache
        self._is_as_cached = False
        self._entries: dict[str, dict[str, Any]] = {}
        self._files: dict[str, str] = {}
        self._now: dict[str, str] = {}
        self._recorded: dict[str, frozenset[str]] = {}
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError, KeyError):
            known = json.loads(path.read_bytes()) if path is not None else {}
            if known.get("format") == _FORMAT and known["stamp"] == stamp:
                self._entries, self._files = dict(known["entries"]), dict(known["files"])
                self._is_as_cached = known["cache"] == self._cached()

    def holds(self, name: str, oldest: str) -> bool:
        """Return True if the entry of this content passed on answers that are still recorded, none from before the day
        ``oldest``.

        An undecided entry remains passed until something new is recorded or cached.
        """
        entry = self._entries.get(name)
        if entry is None:
            return False
        try:
            if str(entry["date"]) < oldest:
                return False
            if "open" in entry and not self._is_as_cached:
                return False
            if any(self._hash(source) != known for source, known in entry.get("open", {}).items()):
                return False
            answers: Mapping[str, list[str]] = entry["answers"]
            return all(self._still(source, names) for source, names in answers.items())
        except (KeyError, TypeError, AttributeError):
            return False

    def is_open(self, name: str) -> bool:
        """Return True if the entry of this content could not be decided for want of evidence."""
        return "open" in self._entries.get(name, {})

    def add(
        self, name: str, answers: Mapping[str, list[str]], date: str, unanswered: Iterable[str] | None = None
    ) -> None:
        """Note that an entry has passed. date: of its oldest answer. unanswered: the sources that an open entry waits for."""
        open_ = None if unanswered is None else {source: self._hash(source) for source in unanswered}
        self._entries[name] = {"answers": dict(answers), "date": date, **({} if open_ is None else {"open": open_})}

    def save(self, kept: Collection[str]) -> None:
        """Write the state of these entries and no others. Entries that are not written are checked again next time."""
        if self._path is None:
            return
        entries = {name: self._entries[name] for name in sorted(kept) if name in self._entries}
        files = {
            source: self._hash(source) for source in {one for entry in entries.values() for one in entry["answers"]}
        }
        content = {
            "format": _FORMAT,
            "stamp": self._stamp,
            "cache": self._cached(),
            "files": dict(sorted(files.items())),
            "entries": entries,
        }
        with contextlib.suppress(OSError):
            write_whole(self._path, json.dumps(content, separators=(",", ":")))

    def _cached(self) -> list[list[str | int]]:
        """State that changes when an answer is cached: sizes and times of the files."""
        if self._cache is None:
            return []
        with contextlib.suppress(OSError):
            statuses = [(path.name, path.stat()) for path in sorted(self._cache.glob("answers*"))]
            return [
                [name, status.st_size, status.st_mtime_ns]
                for name, status in statuses
                if status.st_size and not name.endswith("-shm")
            ]
        return []

    def _still(self, source: str, names: Collection[str]) -> bool:
        """Return True if the cassette of a source still has these answers."""
        if self._hash(source) == self._files.get(source):
            return True
        if source not in self._recorded:
            self._recorded[source] = frozenset(_recorded(self._path_of(source)))
        return self._recorded[source].issuperset(names)

    def _hash(self, source: str) -> str:
        if source not in self._now:
            path = self._path_of(source)
            try:
                self._now[source] = hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest() if path else ""
            except OSError:
                self._now[source] = ""
        return self._now[source]

    def _path_of(self, source: str) -> Path | None:
        return self._cassettes / f"{source}.json" if self._cassettes is not None else None


def _recorded(path: Path | None) -> Iterable[str]:
    """The names of the answers in a cassette; none if it cannot be read as one."""
    names: list[str] = []
    if path is not None:
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError, KeyError, IndexError):
            for one in json.loads(path.read_bytes())["interactions"]:
                headers = {name.lower(): value for name, value in one["response"]["headers"].items()}
                value = headers.get("date", "")
                names.append(_passed_name(one["request"]["uri"], _day(value if isinstance(value, str) else value[0])))
    return names


def _day(text: str) -> str:
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - needed only where a cassette has changed

    parse: Callable[[str], datetime.datetime] = parsedate_to_datetime
    return parse(text).date().isoformat() if text else ""


def _passed_name(endpoint: str, day: str) -> str:
    return hashlib.blake2b(f"{endpoint}\0{day}".encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
