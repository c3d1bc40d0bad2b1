"""The settings of the commands that ask services: command line, then environment, then settings file, as in pytest."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.cli.check.settings_file import ProjectSettings, SettingsFileError, find_settings, read_settings
from pytest_citecheck.cli.doctor.options import SETTINGS
from pytest_citecheck.cli.screen import UsageError, complain
from pytest_citecheck.plugin.settings.options import environment_value
from pytest_citecheck.plugin.settings.resolved import contact_address, positive_seconds
from pytest_citecheck.plugin.settings.servers import read_servers
from pytest_citecheck.plugin.settings.trust import TrustError, is_trusted
from pytest_citecheck.transport.settings import TransportSettings, user_cache

if TYPE_CHECKING:
    from pytest_citecheck.services.base import Source

__all__ = ["transport_settings"]


def transport_settings(chosen: argparse.Namespace, command: str, sources: Iterable[Source]) -> TransportSettings:
    """What the transport has to know. Raises UsageError."""
    known = list(sources)
    settings = _file(chosen.config, command)

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
                raise UsageError(f"no source is named {name!r}; there are {', '.join(sorted(names))}")
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


def _file(named: Path | None, command: str) -> ProjectSettings | None:
    """The settings in the named file, or in the project's file if its folder is trusted. Raises UsageError."""
    try:
        if named is None:
            settings = find_settings(Path.cwd(), servers=True)
            if settings is not None and not is_trusted(settings.path.parent):
                complain(
                    f"{command}: ignoring the settings in {settings.path}: its folder is not trusted (citecheck trust --help)"
                )
                return None
            return settings
        settings = read_settings(named, servers=is_trusted(named.parent))
    except (SettingsFileError, TrustError) as error:
        if named:
            raise UsageError(str(error)) from error
        complain(f"{command}: ignoring the project's settings: {error}")
        return None
    for name in settings.refused:
        complain(f"{command}: ignoring {name} in {settings.path}: its folder is not trusted (citecheck trust --help)")
    return settings
