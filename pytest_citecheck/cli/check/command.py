"""``citecheck check``: run the checks without typing pytest, as in a pre-commit hook."""

from __future__ import annotations

import argparse
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.check.isolation import child_environment, pytest_command
from pytest_citecheck.cli.check.settings_file import ProjectSettings, SettingsFileError, find_settings, read_settings
from pytest_citecheck.cli.running import guarded
from pytest_citecheck.cli.screen import UsageError, complain
from pytest_citecheck.plugin.settings.options import OPTIONS
from pytest_citecheck.plugin.settings.trust import TrustError, is_trusted

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

_NOTHING_TO_CHECK = 5
_QUIET = ("-q", "--no-header", "-rN", "--show-capture=no")


def add_parser(commands: Commands) -> None:
    """Add ``citecheck check``, with all options of the plugin."""
    check = commands.add_parser(
        "check",
        help="check references",
        description="Check the references in these files and print what fails. Code in the folder is never run.",
    )
    check.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a .bib file, a benchmark split (.jsonl), or answers of models (.json, .jsonl)",
    )
    check.add_argument(
        "--config",
        type=Path,
        metavar="SETTINGS",
        help="read options from this settings file (pytest.ini, pyproject.toml ...), except servers and keys. Default: the "
        "project's settings file, if its folder is trusted (citecheck trust)",
    )
    for option in OPTIONS:
        if not option.flag:
            continue
        flag = option.flag.replace("--citecheck-", "--")
        if option.kind == "flag":
            check.add_argument(flag, dest=option.dest, action="store_true", help=option.help)
        else:
            action = "append" if option.kind == "lines" else "store"
            check.add_argument(
                flag, dest=option.dest, action=action, metavar=option.metavar, choices=option.choices, help=option.help
            )
    check.set_defaults(run=guarded("citecheck check", _check))


def _check(chosen: argparse.Namespace) -> int:
    typed: list[str] = []
    given = set()
    for option in OPTIONS:
        value = getattr(chosen, option.dest, None)
        if value:
            given.add(option.dest)
        if value is True:
            typed.append(option.flag)
        elif isinstance(value, list):
            typed += [f"{option.flag}={item}" for item in value]
        elif value:
            typed.append(f"{option.flag}={value}")
    settings = _settings(chosen.config)
    stated = settings.arguments(frozenset(given)) if settings else ()
    files = [f"--citecheck={name}" for name in chosen.files]
    # A separate process, because pytest must import its plugins itself.
    command = [*pytest_command(), *_QUIET, *stated, *typed, *files]
    code = subprocess.call(command, env=child_environment(os.environ))  # noqa: S603
    return 0 if code == _NOTHING_TO_CHECK else code


def _settings(named: Path | None) -> ProjectSettings | None:
    """The settings in the named file, or in the project's file if its folder is trusted. Raises UsageError."""
    try:
        settings = read_settings(named) if named else find_settings(Path.cwd())
        if settings is None:
            return None
        if not named and not is_trusted(settings.path.parent):
            complain(
                f"citecheck check: ignoring the settings in {settings.path}: its folder is not trusted. Name the file with "
                "--config, or see citecheck trust --help"
            )
            return None
    except (SettingsFileError, TrustError) as error:
        if named:
            raise UsageError(str(error)) from error
        complain(f"citecheck check: ignoring the project's settings: {error}")
        return None
    for name in settings.refused:
        complain(
            f"citecheck check: ignoring {name} in {settings.path}: a settings file cannot set servers or keys here"
        )
    return settings
