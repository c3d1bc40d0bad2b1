"""The servers, rates and hosts that options name for sources."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.sources import Rate

if TYPE_CHECKING:
    from pytest_citecheck.sources import Source

_MOST_AT_ONCE = 8

_VARIABLE = lazy_pattern(r"\$\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Servers:
    """User settings for servers, by source name.

    base_urls: of mirrors. keyless: the sources whose mirror a settings file names; they get no key. keys: as written in the
    settings file, ``${VARIABLE}`` not yet replaced. rates: requests a second.
    """

    base_urls: Mapping[str, str] = field(repr=False)  # of a mirror with a password
    keyless: frozenset[str]
    keys: Mapping[str, str] = field(repr=False)
    rates: Mapping[str, float]

    @property
    def names(self) -> Iterable[str]:
        """The names of all sources that are mentioned."""
        return (*self.base_urls, *self.rates, *self.keys)

    def usable_keys(self, sources: Iterable[Source]) -> dict[str, str]:
        """The API key of each source that has one: from the environment variable of the service, else from the settings
        file.

        Raises ValueError for a variable that does not belong to the service, or is not set.
        """
        keys = {}
        for source in sources:
            form = source.credentials
            if form is None or source.name in self.keyless:
                continue
            key = os.environ.get(form.variable, "").strip() or self._stated(source.name, form.variable)
            if key:
                keys[source.name] = key
        return keys

    def usable_logins(self, sources: Iterable[Source]) -> dict[str, tuple[str, str]]:
        """Name and password for each source that exchanges them for a key, from environment variables.

        Raises ValueError if only one of the two is set.
        """
        logins = {}
        for source in sources:
            login = source.credentials.login if source.credentials else None
            if login is None or source.name in self.keyless:
                continue
            user, password = (os.environ.get(variable, "") for variable in login.variables)
            if user and password:
                logins[source.name] = (user, password)
            elif user or password:
                unset = login.variables[bool(user)]
                raise ValueError(f"the login of {source.name} needs {unset}, which is not set")
        return logins

    def _stated(self, name: str, variable: str) -> str:
        key = self.keys.get(name, "")
        reference = _VARIABLE.fullmatch(key)
        if reference is None:
            return key
        if reference[1] != variable:
            raise ValueError(f"the API key of {name} can be read from {variable} only, not from {reference[1]}")
        raise ValueError(f"the API key of {name} is read from {variable}, which is not set")

    def limits(self) -> dict[str, Rate]:
        """The rates in the form of the transport."""
        return {name: Rate(rate, min(_MOST_AT_ONCE, max(1, round(rate)))) for name, rate in self.rates.items()}


def read_servers(
    keys: Iterable[str], base_urls: Iterable[str], rates: Iterable[str], *, base_urls_of_a_file: bool
) -> Servers:
    """From the texts of the options ``NAME=VALUE``.

    base_urls_of_a_file: True if the base URLs come from a settings file, not from the command line or the environment.
    Raises pytest.UsageError for invalid values.
    """
    mirrors = dict(_base_url(text) for text in base_urls)
    keyless = frozenset(mirrors) if base_urls_of_a_file else frozenset[str]()
    return Servers(mirrors, keyless, dict(map(_key, keys)), dict(map(_rate, rates)))


def _key(text: str) -> tuple[str, str]:
    name, _, key = (part.strip() for part in text.partition("="))
    if not name or not key:
        raise pytest.UsageError("an API key must be NAME=KEY or NAME=${VARIABLE}")
    return name, key


def _base_url(text: str) -> tuple[str, str]:
    name, _, url = text.partition("=")
    if not url.strip().startswith(("http://", "https://")):
        raise pytest.UsageError(f"a base URL must be NAME=URL (http or https), not {text!r}")
    return name.strip(), url.strip().rstrip("/")


def _rate(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        rate = float(number)
    except ValueError:
        rate = 0.0
    if not 0 < rate < float("inf"):
        raise pytest.UsageError(f"a rate must be NAME=N (requests a second, more than 0), not {text!r}")
    return name.strip(), rate
