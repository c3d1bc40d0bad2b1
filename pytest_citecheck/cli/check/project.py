"""The project's settings, for commands that run no code of the project."""

from __future__ import annotations

from pathlib import Path

from pytest_citecheck.cli.check.settings_file import ProjectSettings, SettingsFileError, find_settings, read_settings
from pytest_citecheck.cli.screen import UsageError, complain
from pytest_citecheck.plugin.settings.trust import TrustError, is_trusted

__all__ = ["project_settings"]


def project_settings(named: Path | None, command: str) -> ProjectSettings | None:
    """The settings in the named file, or in the project's file if its folder is trusted. Raises UsageError."""
    try:
        settings = read_settings(named) if named else find_settings(Path.cwd())
        if settings is None:
            return None
        if not named and not is_trusted(settings.path.parent):
            complain(
                f"{command}: ignoring the settings in {settings.path}: its folder is not trusted. Name the file with "
                "--config, or see citecheck trust --help"
            )
            return None
    except (SettingsFileError, TrustError) as error:
        if named:
            raise UsageError(str(error)) from error
        complain(f"{command}: ignoring the project's settings: {error}")
        return None
    for name in settings.refused:
        complain(f"{command}: ignoring {name} in {settings.path}: a settings file cannot set servers or keys here")
    return settings
