"""``citecheck hook``: what runs before a commit looks at the entries that have changed since they passed."""

from __future__ import annotations

import argparse
import datetime
import hashlib
import os
from collections.abc import Mapping
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
    "Check the entries of these .bib files that have changed since they passed, offline unless --online. An entry of which no "
    "answers are recorded fails. Exit code: 0 all pass, 1 something fails."
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck hook``."""
    parser = commands.add_parser("hook", help="check changed entries, as before a commit", description=_ABOUT)
    add_engine_options(parser)
    parser.add_argument("--online", action="store_true", help="ask the services about changed entries")
    parser.add_argument(
        "--allow-unrecorded", action="store_true", help="name entries of which no answers are recorded, and pass"
    )
    parser.add_argument(
        "--state",
        metavar="FILE|off",
        help="the file that remembers which entries have passed (default: one for each folder in the user's cache folder)",
    )
    parser.set_defaults(run=guarded("citecheck hook", _run))


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.entries.engine import Engine, bibtex_files  # noqa: PLC0415 - heavy for a --help
    from pytest_citecheck.cli.entries.passed import Passed  # noqa: PLC0415

    contents = bibtex_files(chosen.files)
    engine = Engine(chosen, "citecheck hook", () if chosen.online else ("--citecheck-offline",))
    references = engine.references(contents, unreadable=True)
    names = {place: _name(reference) for place, reference in references.items()}
    passed = Passed(_state(chosen.state), _stamp(engine), engine.cassettes)
    oldest = engine.oldest
    open_ = {place for place, name in names.items() if not passed.holds(name, oldest)}
    failed = _check(chosen, engine, contents, open_, names, passed) if open_ else 0
    passed.save(set(names.values()))
    engine.close()
    return 1 if failed else 0


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
    from pytest_citecheck.cli.entries.passed import answers_of  # noqa: PLC0415

    failed = 0
    for place, (reference, evaluation) in engine.evaluations(contents, places).items():
        found = problems_of(reference, evaluation, engine.session)
        wrong = any(one.level == "error" and not one.waived for one in found)
        for line in lines(found):
            say(line)
        unrecorded = is_unrecorded(evaluation) and not wrong
        if unrecorded:
            say(_unrecorded(reference, engine, online=chosen.online))
        failed += wrong or (unrecorded and not chosen.allow_unrecorded)
        if not wrong and not unrecorded:
            asked = evaluation.case.evidence.asked
            dates = [one.date[:10] for one in asked if one.date]
            passed.add(names[place], answers_of(asked), min(dates, default=datetime.date.max.isoformat()))
    return failed


def _name(reference: Reference) -> str:
    """What an entry that has passed is known by: its content, and the waivers beside it that have not expired."""
    from pytest_citecheck.readers.content import content_hash  # noqa: PLC0415

    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    holding = [(*one.names, one.bound) for one in reference.suppressions if not one.until or one.until >= today]
    return f"{content_hash(reference)}{holding or ''}"


def _unrecorded(reference: Reference, engine: Engine, *, online: bool) -> str:
    where = f"{reference.location.path}:{reference.location.line}:1: error not-recorded {reference.key or '(no key)'}"
    if online:
        return f"{where}: no source could be asked about it"
    return f"{where}: no recorded evidence (record it: {engine.record_command(reference.location.path)})"


def _state(given: str | None) -> Path | None:
    if given is not None:
        return None if given == "off" else Path(given)
    from pytest_citecheck.transport.settings import user_cache  # noqa: PLC0415

    here = hashlib.blake2b(os.fsencode(Path.cwd().resolve()), digest_size=12).hexdigest()
    return user_cache() / "passed" / f"{here}.json"


def _stamp(engine: Engine) -> str:
    """Version and settings: with others, what has passed may fail."""
    return hashlib.blake2b("\0".join([__version__, *engine.identity()]).encode(), digest_size=16).hexdigest()
