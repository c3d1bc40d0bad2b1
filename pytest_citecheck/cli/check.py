"""``citecheck check``: the plugin without the frame of pytest, as in a shell, an editor or a pre-commit hook."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import iniconfig
import pytest

from pytest_citecheck.cli.commands import UsageError, complain
from pytest_citecheck.cli.isolation import own_environment, pytest_arguments
from pytest_citecheck.cli.running import guarded
from pytest_citecheck.plugin.options import OPTIONS, Option
from pytest_citecheck.plugin.plain import OwnFlags, PlainOutput
from pytest_citecheck.plugin.trust import TrustError, is_trusted

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ProjectSettings", "SettingsFileError", "add_parser", "find_settings", "project_settings", "read_settings"]


# The settings of a project for ``citecheck check``, read with pytest's rules but without pytest.


# The files that pytest reads, in its order (https://docs.pytest.org/en/stable/reference/customize.html), and the tables with
# its settings.
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
    """The plugin's options in a settings file: values as text by option, and the names that are ignored (``refused``)."""

    path: Path
    values: Mapping[Option, tuple[str, ...]]
    refused: tuple[str, ...]

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
            if settings is not None and (settings.values or settings.refused):
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
    for name, value in _section(path).items():
        option = by_name.get(name)
        if option is None:
            continue
        if not (option.for_check or servers):
            refused.append(name)
            continue
        texts = _texts(path, option, value)
        if texts:
            values[option] = tuple(_absolute(option, text, path.parent) for text in texts)
    return ProjectSettings(path, values, tuple(refused))


def _section(path: Path) -> Mapping[str, Any]:
    tables = _TABLES.get(path.name, (("pytest",),))
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


def _absolute(option: Option, text: str, folder: Path) -> str:
    """A path made absolute; the name of a policy and ``off`` stay unchanged."""
    names_no_file = text == "off" or (option.dest == "citecheck_policy" and not text.endswith(".toml"))
    return text if not option.is_path or names_no_file else str((folder / Path(text).expanduser()).absolute())


# The project's settings, for commands that run no code of the project.


def project_settings(named: Path | None, command: str) -> ProjectSettings | None:
    """The settings in the named file, or in the project's file if its folder is trusted. Raises UsageError."""
    try:
        settings = read_settings(named) if named else find_settings(Path.cwd())
        if settings is None:
            return None
        if not named and not is_trusted(settings.path.parent):
            complain(
                f"{command}: ignoring the settings in {settings.path}: its folder is not trusted. Pass the file with "
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


if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else


_ABOUT = (
    "Check the references in these files and print the failures. Never runs code in the folder. Exit code: 0 nothing failed, 1 "
    "something failed, 3 internal error, 4 usage or a file that cannot be checked, 130 interrupted."
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck check``, with all options of the plugin."""
    check = commands.add_parser(
        "check",
        help="check references",
        description=_ABOUT,
    )
    check.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a file, folder or glob (several are one bibliography; - is standard input): .bib, .tex, .pdf, .docx, .md and "
        "others (docs/inputs.md); FILE::KEY is one reference, FILE::KEY[doi] one of its checks",
    )
    check.add_argument(
        "-k", metavar="EXPRESSION", help="only checks whose names match, as in pytest: 'smith and not venue'"
    )
    check.add_argument("-m", metavar="EXPRESSION", help="only checks with these markers, as in pytest: 'doi or title'")
    check.add_argument("--select", metavar="CHECKS", help="only these checks, separated by commas: doi,title")
    check.add_argument("-x", "--exitfirst", action="store_true", help="stop at the first failure")
    check.add_argument(
        "-o", "--output", metavar="FILE", help="write the format to this file; the screen then shows the findings"
    )
    loudness = check.add_mutually_exclusive_group()
    loudness.add_argument("-v", "--verbose", action="store_true", help="show the evidence of every failure")
    loudness.add_argument("-q", "--quiet", action="store_true", help="show only failures and warnings")
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
    formats = _formats(chosen.citecheck_format or [], chosen.output)
    chosen.citecheck_format = formats
    output = PlainOutput(formats)
    arguments = [*pytest_arguments(), *_selection(chosen), *_options(chosen), *_files(chosen.files)]
    with own_environment(), contextlib.redirect_stderr(OwnFlags(sys.stderr)):
        code = int(pytest.main(arguments, plugins=[output]))
    if output.interrupted:
        raise KeyboardInterrupt
    if output.unreadable:
        return pytest.ExitCode.USAGE_ERROR
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code


def _formats(given: list[str], output: str | None) -> list[str]:
    """The formats, with the file of ``--output`` for the one that has none. Raises UsageError."""
    if output is None:
        return given
    bare = [name for name in given if "=" not in name]
    if len(bare) != 1:
        raise UsageError("--output needs one --format without a file")
    return [f"{name}={output}" if name == bare[0] else name for name in given]


def _selection(chosen: argparse.Namespace) -> Iterator[str]:
    if chosen.k:
        yield from ("-k", chosen.k)
    marked = [f"({chosen.m})"] if chosen.m else []
    if chosen.select:
        marked.append(f"({' or '.join(part.strip() for part in chosen.select.split(','))})")
    if marked:
        yield from ("-m", " and ".join(marked))
    if chosen.exitfirst:
        yield "--exitfirst"
    if chosen.verbose or chosen.quiet:
        yield f"--verbose={1 if chosen.verbose else -1}"


def _options(chosen: argparse.Namespace) -> Iterator[str]:
    """The options of the plugin: those of the settings file, then those that were typed."""
    values = {option: value for option in OPTIONS if (value := getattr(chosen, option.dest, None))}
    settings = project_settings(chosen.config, "citecheck check")
    if settings:
        yield from settings.arguments(frozenset(option.dest for option in values))
    for option, value in values.items():
        if value is True:
            yield option.flag
        else:
            yield from (f"{option.flag}={one}" for one in (value if isinstance(value, list) else [value]))


def _files(names: Iterable[str]) -> Iterator[str]:
    """The files as options; what selects from one also as a node id."""
    yield from (name for name in names if "::" in name)
    yield from (f"--citecheck={file}" for file in dict.fromkeys(name.partition("::")[0] for name in names))
