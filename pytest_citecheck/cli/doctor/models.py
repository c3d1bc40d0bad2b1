"""``citecheck doctor --models``: the endpoints of language models that a configuration names."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_citecheck.chat.configuration.document import ConfigurationError
from pytest_citecheck.chat.configuration.endpoints import read_chat_endpoints
from pytest_citecheck.cli.screen import UsageError, complain
from pytest_citecheck.doctor.endpoints import WRONG_STATES, by_urgency, configured_endpoint, examined_endpoints
from pytest_citecheck.plugin.settings.trust import TrustError, key_rules
from pytest_citecheck.reports.safe_text import safe_lines

if TYPE_CHECKING:
    from pytest_citecheck.chat.endpoint import Endpoint
    from pytest_citecheck.doctor.endpoints import ExaminedEndpoint

__all__ = ["SCHEMA", "examine_models"]

SCHEMA = "citecheck-doctor-models/1"

_WIDTH = 100
_HEADER = ("model", "state", "key", "api", "host", "asked for", "served")


def examine_models(chosen: argparse.Namespace) -> int:
    """Print the table or the JSON; the exit code. Raises UsageError."""
    endpoints = _endpoints(chosen.models, chosen.allow_endpoint or (), live=chosen.live)
    if chosen.live:
        examined = asyncio.run(examined_endpoints(endpoints))
    else:
        examined = by_urgency([configured_endpoint(endpoint) for endpoint in endpoints])
    if chosen.json:
        stated = [_plain(one) for one in examined]
        print(json.dumps({"schema": SCHEMA, "live": chosen.live, "models": stated}, indent=1, ensure_ascii=False))
    else:
        for line in _lines(examined):
            print(safe_lines(line))
    return int(any(one.state in WRONG_STATES for one in examined))


def _endpoints(path: Path, allowed: Iterable[str], *, live: bool) -> tuple[Endpoint, ...]:
    """The endpoints that a configuration names; keys that are not set are complained of. Raises UsageError."""
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


def _lines(examined: Sequence[ExaminedEndpoint]) -> Iterator[str]:
    rows = [_HEADER, *(_row(one) for one in examined)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        detail = examined[number - 1].detail if number else ""
        yield from textwrap.wrap(detail, _WIDTH, initial_indent="    ", subsequent_indent="    ")


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
