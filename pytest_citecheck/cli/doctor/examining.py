"""Runs ``citecheck doctor``."""

from __future__ import annotations

import argparse
import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pytest_citecheck.cli.doctor.settings import transport_settings
from pytest_citecheck.cli.doctor.table import as_json, lines
from pytest_citecheck.cli.running import NotDoneError
from pytest_citecheck.cli.screen import UsageError, complain, count, say
from pytest_citecheck.doctor.examination import WRONG, Examined, by_urgency, configured, examined
from pytest_citecheck.doctor.recording import write_bodies
from pytest_citecheck.doctor.sources import chosen_sources, known_sources
from pytest_citecheck.reports.safe_text import safe_lines
from pytest_citecheck.transport.cache.answer_cache import AnswerCache
from pytest_citecheck.transport.probe import Probe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_citecheck.services.base import Source
    from pytest_citecheck.transport.settings import TransportSettings

__all__ = ["asked", "examine", "sources_named", "write_shapes"]


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
