"""Folders with trusted settings files, like ``git config safe.directory``.

A folder that came from somebody else brings settings of its own. What could do harm (a server that is asked in place of a
service, a higher rate, files written elsewhere) is taken from them only where the user has said so with ``citecheck trust``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs
import pytest

from pytest_citecheck.atomic_write import whole_file
from pytest_citecheck.matching.text import lazy_pattern
from pytest_citecheck.sources.base import Rate

if TYPE_CHECKING:
    from pytest_citecheck.models.chat.configuration import KeyRules
    from pytest_citecheck.sources.base import Source

__all__ = ["Servers", "TrustError", "distrust", "is_trusted", "key_rules", "read_servers", "trust", "trusted_folders"]


class TrustError(Exception):
    """The list of trusted folders cannot be read or written; the text names the file and says why."""


def is_trusted(folder: Path) -> bool:
    """Return True if the user trusts the settings files in this very folder (not those below it). Raises TrustError."""
    return folder.resolve() in trusted_folders()


def key_rules(configuration: Path, allowed: Iterable[str]) -> KeyRules:
    """To which hosts the variables in a configuration may go. allowed: hosts that the user names. Raises TrustError."""
    from pytest_citecheck.models.chat.configuration import KeyRules  # noqa: PLC0415 - slow to import, and most runs call no model

    folder = configuration.parent.resolve()
    return KeyRules(folder, is_trusted(folder), frozenset(allowed))


def trusted_folders() -> list[Path]:
    """All trusted folders, in the order in which they were added. Raises TrustError."""
    path = _list_path()
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        raise TrustError(f"{path} is not in UTF-8 (byte {error.start + 1})") from error
    except OSError as error:
        raise TrustError(f"{path}: {error.strerror or error}") from error
    return [Path(line) for line in lines if line]


def trust(folder: Path) -> Path:
    """Add a folder; returns it as it is written down, without symbolic links. Raises TrustError."""
    added = folder.resolve()
    if not added.is_dir():
        raise TrustError(f"no such folder: {folder}")
    if not str(added).isprintable():
        raise TrustError("a folder whose name contains control characters cannot be trusted")
    known = trusted_folders()
    if added not in known:
        _write([*known, added])
    return added


def distrust(folder: Path) -> Path:
    """Remove a folder. Raises TrustError if it is not on the list."""
    removed = folder.resolve()
    known = trusted_folders()
    if removed not in known:
        raise TrustError(f"{removed} is not trusted")
    _write([path for path in known if path != removed])
    return removed


def _list_path() -> Path:
    # Read from the environment at each call: tests and scripts set XDG_CONFIG_HOME.
    return platformdirs.user_config_path("pytest-citecheck", appauthor=False) / "trusted-folders"


def _write(folders: list[Path]) -> None:
    path = _list_path()
    text = "".join(f"{folder}\n" for folder in folders)
    try:
        # Private: who could write there could lift every restriction.
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole_file(path) as file:
            file.write(text.encode("utf-8"))
    except (OSError, UnicodeEncodeError) as error:
        raise TrustError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


# User settings for servers: mirrors, API keys, rates.


# Requests under way together at a service with a rate of the user's choice: more gain little, and no server likes them.
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
        """The API key of each source that has one: from the environment variable of the service, else from the settings file.

        Raises ValueError for a variable that is not that of the service, or is not set.
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
        """Name and password for each source that gives a key for them, from their environment variables.

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

    base_urls_of_a_file: whether a settings file names the base URLs, not the command line or the environment. Raises
    pytest.UsageError for what cannot be read.
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
