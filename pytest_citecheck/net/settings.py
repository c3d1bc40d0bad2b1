"""Network settings: mirrors, contact address, deadlines, rates, cassettes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

import platformdirs

from pytest_citecheck.net.secrets import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_citecheck.sources import Rate

RecordMode = Literal["none", "new", "all"]
RECORD_MODES: tuple[RecordMode, ...] = ("none", "new", "all")
"""``none`` replays only, without requests; ``new`` sends and records missing queries; ``all`` records everything again.
"""

SILENCE_SECONDS = 30.0
"""Seconds without any answer: longer than one exchange may take, so that a single slow service does not count, and
shorter than the timeouts of two in a row."""


@dataclass(frozen=True, slots=True)
class TransportSettings:
    """Settings for requests to services.

    drop_unasked: at the end of a complete run, drop unused recordings. oldest: when recording, repeat queries with
        answers from before this day (ISO 8601); empty: no limit.
    base_urls: name of a source -> base URL of a mirror, used instead of the source's own when sending. Cassettes and
        evidence keep the canonical URLs.
    contact: e-mail address for the polite pools of the services: sent in the User-Agent, and as a parameter to the
        services that ask for it; never recorded.
    keys: name of a source -> API key; never recorded, cached or shown.
    logins: name of a source -> name and password that it exchanges for a key; neither, nor the key, is recorded, cached
        or shown.
    timeout: seconds for one whole exchange, from the connection to the last byte.
    total_timeout: seconds for all queries together; None: unlimited.
    silence_timeout: seconds from the first request after which the run stops if no service has answered.
    connect_timeout: seconds for the look-up of a host's name, and again for the connection to it.
    cassettes: folder with one cassette a service.
    record: None uses no cassettes; see `RECORD_MODES`.
    cache: folder of earlier answers and of the request budgets that runs share; None: neither.
    refresh: ignore cached answers of earlier runs.
    offline: send no requests; queries without a recorded answer are unavailable.
    rates: name of a source -> rate to keep instead of the source's own.

    Raises ValueError for invalid values (no folder to record into, a mirror without scheme or host, time-outs that are
    not positive, an unknown record mode).
    """

    base_urls: Mapping[str, str] = field(default_factory=dict, repr=False)
    contact: str = field(default="", repr=False)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    logins: Mapping[str, tuple[str, str]] = field(default_factory=dict, repr=False)
    timeout: float = 20.0
    total_timeout: float | None = None
    silence_timeout: float = SILENCE_SECONDS
    connect_timeout: float = 1.5
    cassettes: Path | None = None
    record: RecordMode | None = None
    drop_unasked: bool = False
    oldest: str = ""
    cache: Path | None = None
    refresh: bool = False
    offline: bool = False
    rates: Mapping[str, Rate] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Printing one of these (a traceback with locals) shows nothing of it.
        for name, secret in (("base_urls", self.base_urls), ("keys", self.keys)):
            object.__setattr__(self, name, {source: Secret(value) for source, value in secret.items()})
        hidden = {source: (Secret(user), Secret(password)) for source, (user, password) in self.logins.items()}
        object.__setattr__(self, "logins", hidden)
        object.__setattr__(self, "contact", Secret(self.contact))
        if self.record is not None and self.record not in RECORD_MODES:
            raise ValueError(f"unknown record mode {self.record!r}; known are {', '.join(RECORD_MODES)}")
        if self.record is not None and self.cassettes is None:
            raise ValueError(f"record mode {self.record!r} needs a folder for the cassettes")
        if min(self.timeout, self.connect_timeout, self.silence_timeout, self.total_timeout or 1) <= 0:
            raise ValueError("timeouts must be greater than 0 seconds")
        for name, url in self.base_urls.items():
            parts = urlsplit(url)
            if parts.scheme not in {"http", "https"} or not parts.hostname:
                raise ValueError(f"the base URL of {name} must look like https://host[:port][/path]")
        for name, rate in self.rates.items():
            if not rate.per_second > 0 or rate.concurrency < 1:
                raise ValueError(f"the rate of {name} must be greater than 0, its concurrency at least 1")
        keys = {f"API key of {name}": key for name, key in self.keys.items()}
        for what, value in {"contact address": self.contact, **keys}.items():
            if not value.isprintable() or not value.isascii():
                raise ValueError(f"the {what} must be one line of ASCII characters")


def user_cache() -> Path:
    """The folder in which answers and budgets are kept for this user, by the convention of the system."""
    return platformdirs.user_cache_path("pytest-citecheck", appauthor=False)
