"""The settings of a project for commands that run no code of the project, read with pytest's rules but without pytest."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import iniconfig

from pytest_citecheck.cli.commands import UsageError, complain
from pytest_citecheck.plugin import OPTIONS, Option, TrustError, is_trusted, unknown_setting

if TYPE_CHECKING:
    pass

_TABLES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "pytest.toml": (("pytest",),),
    ".pytest.toml": (("pytest",),),
    "pytest.ini": (("pytest",),),
    ".pytest.ini": (("pytest",),),
    "pyproject.toml": (("tool", "pytest"), ("tool", "pytest", "ini_options")),
    "tox.ini": (("pytest",),),
    "setup.cfg": (("tool:pytest",),),
}
_LARGEST = 1_000_000
"""Bytes of a settings file; pyproject.toml of large projects has some ten thousand."""


class SettingsFileError(Exception):
    """A settings file cannot be used; the message names the file and the reason."""


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """The plugin's options in a settings file: values as text by option, and the names that are ignored (``refused``).

    unknown: the message for the first setting that does not exist; empty if there is none.
    """

    path: Path
    values: Mapping[Option, tuple[str, ...]]
    refused: tuple[str, ...]
    unknown: str = ""

    def arguments(self, given: frozenset[str]) -> Iterator[str]:
        """The same options as pytest arguments, except those in ``given`` (by dest) or set in the environment."""
        for option, texts in self.values.items():
            if option.dest in given or (option.env and option.env in os.environ):
                continue
            if not option.flag:
                yield from ("-o", f"{option.ini}=" + "\n".join(texts))
            elif option.kind == "flag":
                yield option.flag
            else:
                yield from (f"{option.flag}={text}" for text in texts)


def find_settings(start: Path, *, servers: bool = False) -> ProjectSettings | None:
    """The nearest settings file that sets an option of the plugin, in this folder or above it in the same repository.

    servers: as in `read_settings`. Raises SettingsFileError.
    """
    for folder in (start, *start.parents):
        for name in _TABLES:
            path = folder / name
            settings = read_settings(path, servers=servers) if path.is_file() else None
            if settings is not None and (settings.values or settings.refused or settings.unknown):
                return settings
        if (folder / ".git").exists():
            break
    return None


def read_settings(path: Path, *, servers: bool = False) -> ProjectSettings:
    """The settings in this file. Its name decides its format (TOML for an unknown ``.toml``, otherwise INI).

    servers: also those that set servers and keys. Raises SettingsFileError for an unreadable file or a value of the wrong type.
    """
    values = {}
    refused = []
    by_name = {option.ini: option for option in OPTIONS if option.ini}
    section = _section(path)
    for name, value in section.items():
        option = by_name.get(name)
        if option is None:
            continue
        if not (option.for_check or servers):
            refused.append(name)
            continue
        texts = _texts(path, option, value)
        if texts:
            values[option] = tuple(absolute_value(option, text, path.parent) for text in texts)
    return ProjectSettings(path, values, tuple(refused), unknown_setting(section))


def _section(path: Path) -> Mapping[str, Any]:
    tables = _TABLES.get(path.name, (("pytest",), *_TABLES["pyproject.toml"]))
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise SettingsFileError(f"{path}: larger than {_LARGEST:,} bytes")
        text = data.decode("utf-8")
        parsed = tomllib.loads(text) if path.suffix == ".toml" else _ini(path, text)
    except OSError as error:
        raise SettingsFileError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise SettingsFileError(f"{path} is not UTF-8 (byte {error.start + 1})") from error
    except (tomllib.TOMLDecodeError, iniconfig.ParseError, RecursionError) as error:
        raise SettingsFileError(f"{path}: {error or type(error).__name__}") from error
    found: dict[str, Any] = {}
    for names in tables:
        table: Any = parsed
        for name in names:
            table = table.get(name) if isinstance(table, dict) else None
        if isinstance(table, dict):
            found |= table
    return found


def _ini(path: Path, text: str) -> dict[str, dict[str, str]]:
    return {section.name: dict(section.items()) for section in iniconfig.IniConfig(str(path), data=text)}


def _texts(path: Path, option: Option, value: Any) -> list[str]:
    """The value as texts: several for a repeatable option, none for a flag that is off."""
    parts = value if isinstance(value, list) else str(value).splitlines() if option.kind == "lines" else [value]
    if not all(isinstance(part, str | int | float) for part in parts) or (option.kind != "lines" and len(parts) != 1):
        raise SettingsFileError(f"{path}: {option.ini} has a value of the wrong type")
    texts = [text for part in parts if (text := str(part).strip())]
    if option.kind != "flag":
        return texts
    (text,) = texts or ["false"]
    if text.lower() not in {"true", "false", "1", "0", "yes", "no", "on", "off"}:
        raise SettingsFileError(f"{path}: {option.ini} must be true or false, not {text!r}")
    return ["true"] if text.lower() in {"true", "1", "yes", "on"} else []


def absolute_value(option: Option, text: str, folder: Path) -> str:
    """A path made absolute; the name of a policy and ``off`` stay unchanged."""
    names_no_file = text == "off" or (option.dest == "citecheck_policy" and not text.endswith(".toml"))
    return text if not option.is_path or names_no_file else str((folder / Path(text).expanduser()).absolute())


def project_settings(named: Path | None, command: str, *, servers: bool = False) -> ProjectSettings | None:
    """The settings in the named file, or in the project's file if its folder is trusted. Raises UsageError.

    servers: include servers and keys, if the folder is trusted.
    """
    why = (
        "its folder is not trusted (citecheck trust --help)"
        if servers
        else "a settings file cannot set servers or keys here"
    )
    try:
        if named:
            settings: ProjectSettings | None = read_settings(named, servers=servers and is_trusted(named.parent))
        else:
            settings = find_settings(Path.cwd(), servers=servers)
        if settings is None:
            return None
        if not named and not is_trusted(settings.path.parent):
            complain(
                f"{command}: ignoring the settings in {settings.path}: its folder is not trusted. Pass the file with "
                "--config, or see citecheck trust --help"
            )
            return None
        if named and not (settings.values or settings.refused or settings.unknown):
            raise UsageError(f"{named} contains no setting of citecheck, which belong in a table [pytest]")
        if settings.unknown:
            raise UsageError(f"{settings.path}: {settings.unknown}")
    except (SettingsFileError, TrustError) as error:
        if named:
            raise UsageError(str(error)) from error
        complain(f"{command}: ignoring the project's settings: {error}")
        return None
    for name in settings.refused:
        complain(f"{command}: ignoring {name} in {settings.path}: {why}")
    return settings
