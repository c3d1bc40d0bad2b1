"""``citecheck hook``: what runs before a commit looks at the entries that have changed and not passed."""

from __future__ import annotations

import argparse
import datetime
import hashlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck import __version__
from pytest_citecheck.cli.entries.engine import add_engine_options
from pytest_citecheck.cli.running import guarded
from pytest_citecheck.cli.screen import say

if TYPE_CHECKING:
    from pytest_citecheck.cli.entries.engine import Engine, Place
    from pytest_citecheck.cli.entries.passed import Passed
    from pytest_citecheck.model import Reference

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

_ABOUT = (
    "Check the entries of these .bib files that differ from the last commit and have not passed yet, offline unless --online. "
    "Recorded answers, the local index and the cache are evidence; an entry without evidence fails. Exit code: 0 all pass, 1 "
    "something fails."
)


_NAMED = 5  # entries without evidence
_WHY_OPEN = {False: "no recorded evidence", True: "no source could be asked about it"}


def add_parser(commands: Commands) -> None:
    """Add ``citecheck hook``."""
    parser = commands.add_parser("hook", help="check changed entries, as before a commit", description=_ABOUT)
    add_engine_options(parser)
    parser.add_argument("--online", action="store_true", help="ask the services about changed entries")
    parser.add_argument("--allow-unrecorded", action="store_true", help="name entries without evidence once, and pass")
    parser.add_argument("--all", action="store_true", help="check all entries, also those that are committed")
    parser.add_argument(
        "--state",
        metavar="FILE|off",
        help="the file that remembers which entries have passed (default: one for each folder in the user's cache folder)",
    )
    parser.set_defaults(run=guarded("citecheck hook", _run))


def _run(chosen: argparse.Namespace) -> int:
    before = {} if chosen.all else _committed(chosen.files)
    changed = [name for name in chosen.files if name not in before or before[name] != _content(name)]
    if not changed:
        return 0  # before anything slow is imported
    from pytest_citecheck.cli.entries.engine import Engine, bibtex_files  # noqa: PLC0415 - heavy for a --help
    from pytest_citecheck.cli.entries.passed import Passed  # noqa: PLC0415

    contents = bibtex_files(chosen.files)
    engine = Engine(chosen, "citecheck hook", () if chosen.online else ("--citecheck-offline",))
    known = {_name(one) for one in engine.references(before, unreadable=True).values()} if before else set()
    references = engine.references(contents, unreadable=True)
    names = {place: _name(reference) for place, reference in references.items()}
    passed = Passed(_state(chosen.state), _stamp(engine, chosen), engine.cassettes)
    oldest = engine.oldest
    open_ = {place for place, name in names.items() if name not in known and not passed.holds(name, oldest)}
    failed = _check(chosen, engine, contents, open_, names, passed) if open_ else 0
    passed.save(set(names.values()))
    engine.close()
    return 1 if failed else 0


def _content(name: str) -> bytes | None:
    try:
        return Path(name).read_bytes()
    except OSError:
        return None


def _committed(names: Sequence[str]) -> dict[str, bytes]:
    """The content of each file in the commit before the changes; of a file that is new, or without git, nothing.

    For a push, pre-commit names that commit (``PRE_COMMIT_FROM_REF``); else it is HEAD.
    """
    commit = os.environ.get("PRE_COMMIT_FROM_REF") or "HEAD"
    found = {}
    for name in names:
        path = Path(name)
        command = ["git", "show", f"{commit}:./{path.name}"]
        try:
            shown = subprocess.run(command, cwd=path.parent, capture_output=True, check=False)  # noqa: S603 - no shell
        except OSError:
            return {}
        if shown.returncode == 0:
            found[name] = shown.stdout
    return found


def _check(
    chosen: argparse.Namespace,
    engine: Engine,
    contents: Mapping[str, bytes],
    places: set[Place],
    names: Mapping[Place, str],
    passed: Passed,
) -> int:
    """Print what is wrong with these entries; how many fail."""
    from pytest_citecheck.cli.entries.judging import is_unrecorded, lines, problems_of  # noqa: PLC0415
    from pytest_citecheck.cli.entries.passed import answers_of, unanswered_of  # noqa: PLC0415

    failed = 0
    unrecorded: list[Reference] = []
    for place, (reference, evaluation) in engine.evaluations(contents, places).items():
        found = problems_of(reference, evaluation, engine.session)
        wrong = any(one.level == "error" and not one.waived for one in found)
        for line in lines(found):
            say(line)
        without_evidence = is_unrecorded(evaluation) and not wrong
        if without_evidence:
            unrecorded.append(reference)
        failed += wrong or (without_evidence and not chosen.allow_unrecorded)
        if not wrong and not (without_evidence and not chosen.allow_unrecorded):
            asked = evaluation.case.evidence.asked
            dates = [one.date[:10] for one in asked if one.date]
            oldest = min(dates, default=datetime.date.max.isoformat())
            passed.add(names[place], answers_of(asked), oldest, unanswered_of(asked) if without_evidence else ())
    for line in _unrecorded(unrecorded, engine, chosen):
        say(line)
    return failed


def _name(reference: Reference) -> str:
    """What an entry that has passed is known by: its content, and the waivers beside it that have not expired."""
    from pytest_citecheck.readers.content import content_hash  # noqa: PLC0415

    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    holding = [(*one.names, one.bound) for one in reference.suppressions if not one.until or one.until >= today]
    return f"{content_hash(reference)}{holding or ''}"


def _unrecorded(references: Sequence[Reference], engine: Engine, chosen: argparse.Namespace) -> Iterator[str]:
    """A line for each of the first entries without evidence, and one for all others."""
    level = "warning" if chosen.allow_unrecorded else "error"
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
    return "" if chosen.online else f" (record it: {engine.record_command(reference.location.path)})"


def _state(given: str | None) -> Path | None:
    if given is not None:
        return None if given == "off" else Path(given)
    from pytest_citecheck.transport.settings import user_cache  # noqa: PLC0415

    here = hashlib.blake2b(os.fsencode(Path.cwd().resolve()), digest_size=12).hexdigest()
    return user_cache() / "passed" / f"{here}.json"


def _stamp(engine: Engine, chosen: argparse.Namespace) -> str:
    """Version and settings: with others, what has passed may fail."""
    return hashlib.blake2b(
        "\0".join([__version__, str(chosen.allow_unrecorded), *engine.identity()]).encode(), digest_size=16
    ).hexdigest()
