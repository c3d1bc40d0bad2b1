"""Runs ``citecheck doctor``."""

from __future__ import annotations

import argparse
import asyncio
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.absence import Calibration, CalibrationError, expected_misses
from pytest_citecheck.cli.doctor.settings import transport_settings
from pytest_citecheck.cli.doctor.table import as_json, lines
from pytest_citecheck.cli.running import NotDoneError
from pytest_citecheck.cli.screen import UsageError, complain, count, say
from pytest_citecheck.doctor.examination import WRONG, Examined, by_urgency, configured, examined
from pytest_citecheck.doctor.recording import write_bodies
from pytest_citecheck.doctor.sources import chosen_sources, known_sources
from pytest_citecheck.gather.calibration import calibrate
from pytest_citecheck.linking.provenance import label
from pytest_citecheck.reports.safe_text import safe_lines
from pytest_citecheck.transport.cache.answer_cache import AnswerCache
from pytest_citecheck.transport.client import Transport
from pytest_citecheck.transport.probe import Probe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_citecheck.services.base import Source
    from pytest_citecheck.transport.settings import TransportSettings

__all__ = ["asked", "calibrate_into", "calibrate_searches", "examine", "sources_named", "write_shapes"]


def sources_named(names: Sequence[str] | None) -> list[Source]:
    """The sources of these names; all if none is named. Raises UsageError."""
    try:
        return chosen_sources(names or ())
    except KeyError as error:
        raise UsageError(str(error.args[0])) from error


def examine(chosen: argparse.Namespace) -> int:
    """Print the table or the JSON; the exit code. Raises UsageError."""
    sources = sources_named(chosen.source)
    settings = transport_settings(chosen, "citecheck doctor", known_sources())
    found = [configured(source, settings) for source in sources]
    found = by_urgency(asyncio.run(asked(sources, settings)) if chosen.live else found)
    last = _last_answers(settings)
    if chosen.json:
        print(as_json(found, settings, last, live=chosen.live))
    else:
        for line in lines(found, settings, last, whole=bool(chosen.source)):
            print(safe_lines(line))
    return int(any(one.state in WRONG for one in found))


def write_shapes(chosen: argparse.Namespace) -> int:
    """Write the answers; the exit code is 1 if something is wrong. Raises UsageError."""
    sources = sources_named(chosen.source)
    settings = transport_settings(chosen, "citecheck doctor", known_sources())
    found = by_urgency(asyncio.run(asked(sources, settings)))
    try:
        bodies, places = write_bodies(chosen.shapes, found)
    except OSError as error:
        raise NotDoneError(f"cannot write into {chosen.shapes}: {error.strerror or error}") from error
    for line in lines([one for one in found if one.state in WRONG], settings, {}, whole=False):
        print(safe_lines(line))
    more = f"; of {count(places, 'other')} only the shape" if places else ""
    say(f"{chosen.shapes}: {count(bodies, 'answer')}{more}")
    return int(any(one.state in WRONG for one in found))


def calibrate_searches(chosen: argparse.Namespace) -> int:
    """Run the calibration and print its table; the exit code is 1 if no service drew a work. Raises UsageError."""
    if chosen.works < 1:
        raise UsageError(f"--works is a number of works, not {chosen.works}")
    sources = sources_named(chosen.source)
    settings = transport_settings(chosen, "citecheck doctor", known_sources())
    named = chosen.calibrate != Path()
    folder = chosen.calibrate if named else settings.cache
    if folder is None:
        raise UsageError("name a folder for the calibration (--calibrate DIR), or do not switch the cache off")
    return calibrate_into(folder, sources, settings, chosen.works)


def calibrate_into(folder: Path, sources: Sequence[Source], settings: TransportSettings, works: int) -> int:
    """Add trials to the table of a folder and print it; the exit code is 1 if no service drew a work. Raises UsageError."""
    today = datetime.now(tz=UTC).date()

    async def run(table: Calibration) -> None:
        async with Transport(settings) as transport:
            await calibrate(table, sources, transport, today, works, lambda: table.save(folder))

    try:
        table = Calibration.load(folder)
        asyncio.run(run(table))
    except CalibrationError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise NotDoneError(f"cannot write into {folder}: {error.strerror or error}") from error
    for line in _calibration_lines(table):
        print(safe_lines(line))
    return int(not table.rows)


def _calibration_lines(table: Calibration) -> Iterator[str]:
    """For each stratum how many of the drawn works the searches found, each alone and all together."""
    for place, (together, single) in sorted(table.summary().items()):
        yield f"{place}: {together.found:.0f} of {together.looked_for:.0f} found by the other services"
        for source, trials in sorted(single.items()):
            yield f"  {label(source) or source}: {trials.found:.0f} of {trials.looked_for:.0f}"
        independent = [
            trials
            for source, trials in single.items()
            if expected_misses(source, place) is not None and trials.looked_for
        ]
        if len(independent) > 1:
            missed = math.prod(trials.missed / trials.looked_for for trials in independent)
            yield f"  missed by all, if they miss independently: {missed:.2%}"
    if not table.rows:
        yield "no service drew a work"


async def asked(sources: Sequence[Source], settings: TransportSettings) -> list[Examined]:
    """The sources, each asked for its witnesses."""
    async with Probe(settings) as probe:
        return await examined(sources, settings, probe)


def _last_answers(settings: TransportSettings) -> Mapping[str, str]:
    """When each source last answered, as ISO 8601; empty without a cache."""
    if settings.cache is None or not settings.cache.is_dir():
        return {}
    cache = AnswerCache(settings.cache)
    try:
        if cache.problem:
            complain(f"citecheck doctor: {cache.problem}")
        moments = cache.last_answers()
    finally:
        cache.close()
    return {name: f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%SZ}" for name, moment in moments.items()}
