"""``citecheck record``: the recorded answers as a lock file of the evidence for files of references."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.commands import UsageError, argument, count, say
from pytest_citecheck.cli.entries import add_engine_options
from pytest_citecheck.cli.running import command
from pytest_citecheck.today import age

if TYPE_CHECKING:
    from pytest_citecheck.checks import Evaluation
    from pytest_citecheck.cli.commands import Commands
    from pytest_citecheck.cli.entries import Engine, Place
    from pytest_citecheck.model import QueryResult, Reference

    Known = Mapping[Place, tuple[Reference, Evaluation]]


_WORKS = 40
"""Works that a calibration draws of each type and period."""
_ABOUT = (
    "Record the answers that the checks of these .bib files need. --prune deletes unused answers: pass all files of "
    "a bibliography together. --check sends no request and lists entries without recorded evidence. Exit code: 0 "
    "all entries have evidence, 1 some have none."
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck record``."""
    parser = command(
        commands,
        "record",
        "record the answers for bibliographies",
        _ABOUT,
        _run,
        interrupted="the answers so far are recorded",
    )
    add_engine_options(parser)
    argument(parser, "--check", "send no request and write no file; fail for entries without evidence")
    argument(parser, "--prune", "drop recorded answers that these files do not need")
    argument(
        parser,
        "--calibrate",
        "also measure how often each search misses random works, and store the counts with the recorded answers",
    )


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.entries import Engine, bibtex_files  # noqa: PLC0415 - heavy for a --help

    contents = bibtex_files(chosen.files)
    mode = "exact" if chosen.prune else "new"
    replay = Engine(chosen, "citecheck record", ("--citecheck-offline",))
    if replay.cassettes is None:
        raise UsageError(
            "name the folder of recorded answers with --cassettes, or as citecheck_cassettes in the settings file"
        )
    if not chosen.check:
        before = _recorded(replay.cassettes)
        engine = Engine(chosen, "citecheck record", (f"--citecheck-record={mode}",))
        try:
            known = engine.evaluations(contents)
            if chosen.prune:
                _drop_whole_files(engine, known)
            if chosen.calibrate:
                _calibrate(engine)
        finally:
            engine.close()
        after = _recorded(replay.cassettes)
        new, gone = (
            sum(len(one[name] - other.get(name, set())) for name in one)
            for one, other in ((after, before), (before, after))
        )
        say(f"recorded {count(new, 'answer')}, dropped {count(gone, 'answer')} in {replay.cassettes}")
    try:
        return _report(replay.evaluations(contents), replay)  # an answer counts if it replays
    finally:
        replay.close()


def _calibrate(engine: Engine) -> None:
    """Store the trials of all searches with the recorded answers."""
    from pytest_citecheck.cli.doctor import calibrate_into  # noqa: PLC0415

    assert engine.cassettes is not None  # noqa: S101 - checked by the caller
    settings = replace(engine.session.gathering.open(), cassettes=None, record=None)
    calibrate_into(engine.cassettes, engine.session.gathering.sources, settings, _WORKS)


def _report(known: Known, engine: Engine) -> int:
    """Print the age of the evidence and the entries without any; return the exit code."""
    from pytest_citecheck.cli.judging import is_unrecorded  # noqa: PLC0415

    oldest = engine.oldest
    missing = 0
    for reference, evaluation in known.values():
        where = f"{reference.location.path}:{reference.location.line}: {reference.key or '(no key)'}"
        first = min(_days(evaluation.case.evidence.asked), default="")
        if is_unrecorded(evaluation):
            say(f"{where}: no recorded evidence")
            missing += 1
        elif first and first < oldest:
            say(f"{where}: evidence of {first} is older than citecheck_max_age")
            missing += 1
    days = sorted(day for _, evaluation in known.values() for day in _days(evaluation.case.evidence.asked))
    ages = (
        f"; the oldest answer is of {days[0]} ({count(age(days[0]) or 0, 'day')}), the newest of {days[-1]}"
        if days
        else ""
    )
    recorded = len(known) - missing
    say(f"{recorded} of {count(len(known), 'entry').replace('entrys', 'entries')} with recorded evidence{ages}")
    return 1 if missing else 0


def _days(asked: Iterable[QueryResult]) -> Iterator[str]:
    return (one.date[:10] for one in asked if one.date)


def _drop_whole_files(engine: Engine, known: Known) -> None:
    """Drop cassettes of sources without queries."""
    assert engine.cassettes is not None  # noqa: S101 - checked by the caller
    asked = {one.source for _, evaluation in known.values() for one in evaluation.case.evidence.asked}
    asked |= set(engine.session.gathering.statistics)
    for source in engine.session.gathering.sources:
        if source.name not in asked:
            (engine.cassettes / f"{source.name}.json").unlink(missing_ok=True)


def _recorded(folder: Path) -> dict[str, set[str]]:
    """The requests in each cassette of the folder."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        try:
            interactions = json.loads(path.read_bytes())["interactions"]
            found[path.name] = {json.dumps([one["request"]["uri"], one["request"].get("body")]) for one in interactions}
        except (OSError, ValueError, KeyError, TypeError):
            continue  # the run reports that it is broken
    return found
