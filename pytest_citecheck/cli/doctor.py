"""``citecheck doctor``: each source, whether it would be asked, and with ``--live`` whether it answers as expected."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import os
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from pytest_citecheck.cli.commands import UsageError, argument, complain
from pytest_citecheck.cli.project import project_settings
from pytest_citecheck.cli.running import NotDoneError, command
from pytest_citecheck.doctor import (
    WRONG,
    Examined,
    by_urgency,
    configured,
    configured_endpoint,
    examined,
    examined_endpoints,
)
from pytest_citecheck.evidence import Calibration, CalibrationError, expected_misses, label
from pytest_citecheck.lookup import calibrate
from pytest_citecheck.net import AnswerCache, Identity, Transport, TransportSettings, stated_rate, user_cache
from pytest_citecheck.plugin import (
    OPTIONS,
    TrustError,
    contact_address,
    environment_value,
    positive_seconds,
    read_servers,
)
from pytest_citecheck.screen import show
from pytest_citecheck.sources import SOURCES, source
from pytest_citecheck.today import today

if TYPE_CHECKING:
    from pytest_citecheck.doctor import ExaminedEndpoint, LookUp
    from pytest_citecheck.models.chat import Endpoint
    from pytest_citecheck.sources import Source

SCHEMA = "citecheck-doctor-models/1"

_WIDTH = 100
_MODELS_HEADER = ("model", "state", "key", "api", "host", "asked for", "served")


def _table(header: Sequence[str], rows: Iterable[tuple[Sequence[str], Iterable[str]]]) -> Iterator[str]:
    """An aligned table; each row with the lines below it."""
    known = [(header, ()), *rows]
    widths = [max(map(len, column)) for column in zip(*(cells for cells, _ in known), strict=True)]
    for cells, below in known:
        yield "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
        yield from below


def _print(schema: str, *, live: bool, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    show(json.dumps({"schema": schema, "live": live, name: rows}, indent=1, ensure_ascii=False))


def examine_models(chosen: argparse.Namespace) -> int:
    """Print the table or the JSON; the exit code. Raises UsageError."""
    endpoints = _endpoints(chosen.models, chosen.allow_endpoint or (), live=chosen.live)
    found = (
        asyncio.run(examined_endpoints(endpoints)) if chosen.live else by_urgency(map(configured_endpoint, endpoints))
    )
    if chosen.json:
        _print(SCHEMA, live=chosen.live, name="models", rows=[_plain(one) for one in found])
    else:
        for line in _table(_MODELS_HEADER, ((_row(one), _wrapped(one.detail, whole=True)) for one in found)):
            show(line)
    return int(any(one.state in WRONG for one in found))


def _endpoints(path: Path, allowed: Iterable[str], *, live: bool) -> tuple[Endpoint, ...]:
    """The endpoints that a configuration names; keys that are not set are complained of. Raises UsageError."""
    from pytest_citecheck.models import key_rules  # noqa: PLC0415 - only with --models
    from pytest_citecheck.models.chat import ConfigurationError, read_chat_endpoints  # noqa: PLC0415

    try:
        text = path.read_text(encoding="utf-8-sig")
        keys = key_rules(path, allowed) if live else None
        endpoints = read_chat_endpoints(path, text, os.environ, secrets=False, keys=keys)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    except TrustError as error:
        raise UsageError(str(error)) from error
    except ValueError as error:
        message = str(error).replace("--citecheck-allow-endpoint", "--allow-endpoint")
        raise UsageError(f"{path}: {error}" if isinstance(error, UnicodeDecodeError) else message) from error
    try:
        read_chat_endpoints(path, text, os.environ, secrets=True)
    except ConfigurationError as error:
        for line in str(error).splitlines():
            complain(f"citecheck doctor: {line}")
    return endpoints


def _row(one: ExaminedEndpoint) -> tuple[str, ...]:
    endpoint = one.endpoint
    key = "found" if one.has_key else "none"
    return endpoint.name, one.state, key, endpoint.api, _host(endpoint), endpoint.model, one.served or "-"


def _host(endpoint: Endpoint) -> str:
    return urlsplit(endpoint.base_url).hostname or ""


def _plain(one: ExaminedEndpoint) -> dict[str, object]:
    return {
        "name": one.endpoint.name,
        "state": one.state,
        "detail": one.detail,
        "key": one.has_key,
        "api": one.endpoint.api,
        "host": _host(one.endpoint),
        "model": one.endpoint.model,
        "served": one.served or None,
        "tokens": one.tokens,
    }


SETTINGS = {
    option.dest: option
    for option in OPTIONS
    if option.dest
    in {
        "citecheck_api_key",
        "citecheck_base_url",
        "citecheck_cache",
        "citecheck_contact",
        "citecheck_rate",
        "citecheck_timeout",
    }
}


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add the options of pytest about servers, under their names without ``citecheck``."""
    argument(
        parser,
        "--config SETTINGS",
        "read options from this settings file (servers and keys only from trusted folders). Default: the "
        "project's settings file in a trusted folder (citecheck trust)",
    )
    for option in SETTINGS.values():
        if option.flag:
            parser.add_argument(
                option.flag.replace("--citecheck-", "--"),
                dest=option.dest,
                action="append" if option.kind == "lines" else "store",
                metavar=option.metavar,
                help=option.help,
            )


if TYPE_CHECKING:
    from pytest_citecheck.cli.commands import Commands


_ABOUT = (
    "Show for each source if runs query it, its key, limits, last answer and terms, and the unconfirmed parts of its "
    "API. Sends no request without --live. Exit code: 0 all well, 1 something is wrong, 2 usage error."
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck doctor``."""
    parser = command(commands, "doctor", "show whether the services are reachable and answer as expected", _ABOUT, _run)
    argument(
        parser,
        "--live",
        "query each source for its control, once for each kind of query, and check what its record has",
    )
    argument(parser, "--source NAME", "only this source (repeatable); shows all of it", action="append")
    argument(
        parser,
        "--models FILE",
        "show the model endpoints in this configuration instead of the sources; with --live, call each once",
    )
    argument(
        parser,
        "--allow-endpoint HOST",
        "with --models --live: let the configuration send environment variables to this host, although its folder is not "
        "trusted (repeatable)",
        action="append",
    )
    argument(
        parser,
        "--calibrate DIR",
        "measure how often each service misses random works from the others, and store the counts in DIR for a "
        "few months (default: the cache)",
        nargs="?",
        const=Path(),
    )
    argument(parser, "--works N", "with --calibrate: works to draw of each type and period", 40)
    argument(parser, "--json", "print JSON")
    add_settings(parser)


def _run(chosen: argparse.Namespace) -> int:
    if chosen.models is not None:
        return examine_models(chosen)
    if chosen.calibrate is not None:
        return calibrate_searches(chosen)
    if rival := other_command():
        complain(f"citecheck doctor: {rival}; use pytest-citecheck, or python -m pytest_citecheck")
    return examine(chosen) or int(bool(rival))


def other_command() -> str:
    """A sentence about a command ``citecheck`` of another package; empty if there is none.

    Installing such a package overwrites the script of this one without a word, or comes before it in the search path.
    """
    for one in entry_points(group="console_scripts", name="citecheck"):
        if not one.value.startswith("pytest_citecheck."):
            return f"the package {one.dist.name if one.dist else one.module} has a command citecheck too"
    script = shutil.which("citecheck")
    with contextlib.suppress(OSError):
        if script and b"pytest_citecheck" not in Path(script).read_bytes():
            return f"{script} is the command of another package"
    return ""


def transport_settings(chosen: argparse.Namespace, command: str, sources: Iterable[Source]) -> TransportSettings:
    """Settings of the transport. Raises UsageError."""
    known = list(sources)
    settings = project_settings(chosen.config, command, servers=True)

    def texts(dest: str) -> tuple[str, ...]:
        option = SETTINGS[dest]
        given = getattr(chosen, dest, None) or environment_value(option)
        if given is None:
            return settings.values.get(option, ()) if settings else ()
        return (given,) if isinstance(given, str) else tuple(given)

    def text(dest: str) -> str:
        return "".join(texts(dest)[:1])

    typed_urls = getattr(chosen, "citecheck_base_url", None) or environment_value(SETTINGS["citecheck_base_url"])
    try:
        servers = read_servers(
            texts("citecheck_api_key"),
            texts("citecheck_base_url"),
            texts("citecheck_rate"),
            base_urls_of_a_file=not typed_urls,
        )
        names = {source.name for source in known}
        for name in servers.names:
            if name not in names:
                raise UsageError(f"unknown source {name!r}; known are {', '.join(sorted(names))}")
        return TransportSettings(
            base_urls=dict(servers.base_urls),
            contact=contact_address(text("citecheck_contact")),
            keys=servers.usable_keys(known),
            logins=servers.usable_logins(known),
            rates=servers.limits(),
            total_timeout=positive_seconds(text("citecheck_timeout")),
            cache=_cache(text("citecheck_cache")),
        )
    except (pytest.UsageError, ValueError) as error:
        raise UsageError(str(error)) from error


def _cache(text: str) -> Path | None:
    if text.strip().lower() == "off":
        return None
    return Path(text).expanduser().absolute() if text else user_cache()


TABLE_SCHEMA = "citecheck-doctor/2"

_TABLE_HEADER = ("source", "state", "key", "limit", "answered", "confirmed", "terms")
_UNKNOWN = "unknown"
_OPEN = {True: "open", False: "private"}
_MOST_LINES = 4  # of one look-up in the table of all sources


def lines(
    examined: Sequence[Examined], settings: TransportSettings, last: Mapping[str, str], *, whole: bool
) -> Iterator[str]:
    """The table, with the problems below each source. whole: also its terms, and all stated limits."""
    rows = ((_table_row(one, settings, last), _details(one, whole=whole)) for one in examined)
    return _table(_TABLE_HEADER, rows)


def _table_row(one: Examined, settings: TransportSettings, last: Mapping[str, str]) -> tuple[str, ...]:
    name = one.source.name
    key = {"": "-", "none": "needed" if one.off and "key" in _why(one) else "none"}.get(one.key, one.key)
    return (
        name,
        f"off: {_why(one).partition(' ')[0]}" if one.state == "off" else one.state,
        key,
        _limit(one, settings),
        last.get(name, "-")[:10],
        "no" if one.source.unconfirmed else "yes",
        _OPEN[one.source.terms.raw] if one.source.terms.said != _UNKNOWN else _UNKNOWN,
    )


def _why(one: Examined) -> str:
    return next(iter(one.off.values()), "").partition(":")[0]


def _limit(one: Examined, settings: TransportSettings) -> str:
    """Rate limit from its headers, else the configured one."""
    stated = stated_rate(one.limits)
    pool = one.limits.get("x-api-pool", "")
    if stated is not None:
        return f"{_rate(stated)} {pool or '(stated)'}"
    wanted = settings.rates.get(one.source.name) or Identity.of(settings).rate(one.source)
    return _rate(wanted.per_second)


def _rate(per_second: float) -> str:
    return f"{round(per_second, 3):g}/s"


def _details(one: Examined, *, whole: bool) -> Iterator[str]:
    said: dict[str, list[str]] = {}
    for look_up in one.look_ups:
        if look_up.detail or whole:
            state = "" if look_up.state == one.state and look_up.detail else look_up.state
            text = ": ".join(filter(None, (state, look_up.detail)))
            said.setdefault(text, []).append(look_up.query.kind)
    for text, kinds in said.items():
        yield from _wrapped(f"{', '.join(kinds)}: {text}", whole=whole)
    if whole and not one.source.samples():
        yield "    never looked up: it declares no work that it certainly has"
    partly = {kind: reason for kind, reason in one.off.items() if one.state != "off" or whole}
    for reason in dict.fromkeys(partly.values()):
        closed = ", ".join(kind for kind, stated in partly.items() if stated == reason)
        yield from _wrapped(f"not queried for {closed}: {reason}", whole=whole)
    if whole:
        headers = (f"{name}: {value}" for name, value in sorted(one.limits.items()))
        notes = {
            "limits": one.source.limits,
            "headers": "; ".join(headers),
            "terms": _terms(one),
            "unconfirmed": one.source.unconfirmed,
            "documentation": one.source.documentation,
        }
        for name, text in notes.items():
            if text:
                yield from _wrapped(f"{name}: {text}", whole=True)


def _wrapped(text: str, *, whole: bool) -> Iterable[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent="    ",
        subsequent_indent="      ",
        max_lines=None if whole else _MOST_LINES,
        placeholder=" … (--source shows all)",
        break_on_hyphens=False,
    )


def _terms(one: Examined) -> str:
    terms = one.source.terms
    return f"{terms.said} ({'reported' if terms.reported else 'unconfirmed'})"


def _table_plain(one: Examined, settings: TransportSettings, last: Mapping[str, str]) -> dict[str, Any]:
    source = one.source
    return {
        "name": source.name,
        "label": source.label,
        "state": one.state,
        "on": one.state != "off",
        "not_asked": dict(one.off),
        "key": {"variable": source.credentials.variable, "found": one.key == "found"} if source.credentials else None,
        "mirror": one.mirrored,
        "limit": _limit(one, settings),
        "published_limits": source.limits,
        "headers": dict(sorted(one.limits.items())),
        "last_answer": last.get(source.name),
        "terms": {"said": source.terms.said, "reported": source.terms.reported, "raw": source.terms.raw},
        "confirmed": not source.unconfirmed,
        "unconfirmed": source.unconfirmed,
        "documentation": source.documentation,
        "look_ups": [_look_up(look_up) for look_up in one.look_ups],
    }


def _look_up(look_up: LookUp) -> dict[str, Any]:
    return {
        "kind": look_up.query.kind,
        "control": look_up.query.value,
        "url": look_up.reply.url,
        "status": look_up.reply.response.status if look_up.reply.response else None,
        "state": look_up.state,
        "detail": look_up.detail,
        "lost": list(look_up.lost),
    }


def sources_named(names: Sequence[str] | None) -> list[Source]:
    """Sources with these names, each once; all without names. Raises UsageError."""
    try:
        return list(dict.fromkeys(map(source, names or ()))) or list(SOURCES)
    except KeyError as error:
        raise UsageError(str(error.args[0])) from error


def examine(chosen: argparse.Namespace) -> int:
    """Print the table or the JSON; the exit code. Raises UsageError."""
    sources = sources_named(chosen.source)
    settings = transport_settings(chosen, "citecheck doctor", SOURCES)
    found = [configured(source, settings) for source in sources]
    found = by_urgency(asyncio.run(asked(sources, settings)) if chosen.live else found)
    last = _last_answers(settings)
    if chosen.json:
        _print(
            TABLE_SCHEMA, live=chosen.live, name="sources", rows=[_table_plain(one, settings, last) for one in found]
        )
    else:
        for line in lines(found, settings, last, whole=bool(chosen.source)):
            show(line)
    return int(any(one.state in WRONG for one in found))


def calibrate_searches(chosen: argparse.Namespace) -> int:
    """Run the calibration and print its table; the exit code is 1 if no service drew a work. Raises UsageError."""
    if chosen.works < 1:
        raise UsageError(f"--works is a number of works, not {chosen.works}")
    sources = sources_named(chosen.source)
    settings = transport_settings(chosen, "citecheck doctor", SOURCES)
    named = chosen.calibrate != Path()
    folder = chosen.calibrate if named else settings.cache
    if folder is None:
        raise UsageError("name a folder for the calibration (--calibrate DIR), or do not switch the cache off")
    return calibrate_into(folder, sources, settings, chosen.works)


def calibrate_into(folder: Path, sources: Sequence[Source], settings: TransportSettings, works: int) -> int:
    """Add trials to the table of a folder and print it; the exit code is 1 if no service drew a work. Raises UsageError."""

    async def run(table: Calibration) -> None:
        async with Transport(settings) as transport:
            await calibrate(table, sources, transport, today(), works, lambda: table.save(folder))

    try:
        table = Calibration.load(folder)
        asyncio.run(run(table))
    except CalibrationError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise NotDoneError(f"cannot write into {folder}: {error.strerror or error}") from error
    for line in _calibration_lines(table):
        show(line)
    return int(not table.rows)


def _calibration_lines(table: Calibration) -> Iterator[str]:
    """For each stratum, the number of drawn works that the searches found, each alone and all together."""
    for place, (together, single) in sorted(table.summary().items()):
        yield f"{place}: {together.found:.0f} of {together.looked_for:.0f} found by the other services"
        for name, trials in sorted(single.items()):
            yield f"  {label(name) or name}: {trials.found:.0f} of {trials.looked_for:.0f}"
        independent = [
            trials for name, trials in single.items() if expected_misses(name, place) is not None and trials.looked_for
        ]
        if len(independent) > 1:
            missed = math.prod(trials.missed / trials.looked_for for trials in independent)
            yield f"  missed by all, if they miss independently: {missed:.2%}"
    if not table.rows:
        yield "no service drew a work"


async def asked(sources: Sequence[Source], settings: TransportSettings) -> list[Examined]:
    """The sources, each queried for its controls."""
    async with Transport(settings) as transport:
        return await examined(sources, settings, transport)


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
