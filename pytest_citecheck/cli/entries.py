"""The plugin's engine for commands: the same settings, sources and evaluations as a run of pytest, without its items."""

from __future__ import annotations

import argparse
import os
import shlex
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.cli.commands import UsageError, argument
from pytest_citecheck.cli.isolation import own_environment, pytest_arguments
from pytest_citecheck.cli.project import project_settings
from pytest_citecheck.net import user_cache
from pytest_citecheck.plugin import ANSWER_OPTIONS, OPTIONS, environment_value, oldest_day

if TYPE_CHECKING:
    from pytest_citecheck.checks import Evaluation
    from pytest_citecheck.lookup import Progress
    from pytest_citecheck.model import Reference
    from pytest_citecheck.plugin import CitecheckSession, Option

Place = tuple[str, int]
"""A reference: its file as passed, and its number in the file, from 0."""


def add_engine_options(
    parser: argparse.ArgumentParser, files: str = "a .bib file; several are one bibliography"
) -> None:
    """Add the files, and the plugin's options for sources of answers."""
    argument(parser, "files FILE...", files, type=str)
    add_source_options(parser)


def add_source_options(parser: argparse.ArgumentParser) -> None:
    """Add the plugin's options for sources of answers."""
    add_options(parser, ANSWER_OPTIONS)


def add_options(
    parser: argparse.ArgumentParser, options: Iterable[Option], groups: Mapping[str, Sequence[str]] | None = None
) -> None:
    """Add these options of the plugin, and the settings file that they may be in. groups: options by heading of the help."""
    shown = {
        dest: group
        for heading, dests in (groups or {}).items()
        for group in (parser.add_argument_group(heading),)
        for dest in dests
    }
    further = parser.add_argument_group("further options") if groups else parser
    argument(
        parser,
        "--config SETTINGS",
        "read options from this settings file (pytest.ini, pyproject.toml ...), except servers and keys. Default: the "
        "project's settings file, if its folder is trusted (citecheck trust)",
    )
    for option in options:
        flag = option.flag.replace("--citecheck-", "--")
        group = shown.get(option.dest, further)
        if option.kind == "flag":
            group.add_argument(flag, dest=option.dest, action="store_true", help=option.help)
        else:
            action = "append" if option.kind == "lines" else "store"
            group.add_argument(
                flag, dest=option.dest, action=action, metavar=option.metavar, choices=option.choices, help=option.help
            )


def add_root_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--root``, for commands that read documents without pytest."""
    argument(
        parser,
        "--root FOLDER",
        "a folder of files that may be read besides those next to a document (repeatable)",
        type=_folder,
        repeat=True,
    )


def _folder(text: str) -> Path:
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"no such folder: {text}")
    return Path(text).resolve()


def bibtex_files(names: Iterable[str]) -> dict[str, bytes]:
    """The content of each named BibTeX file. Raises UsageError, OSError."""
    from pytest_citecheck.inputs import BIBTEX  # noqa: PLC0415 - the hook seldom reads anything

    contents = {}
    for name in dict.fromkeys(names):
        path = Path(name)
        if not path.is_file():
            raise UsageError(f"no such file: {name}")
        if path.suffix.lower() not in BIBTEX.suffixes:
            raise UsageError(f"{name} is not a BibTeX file (.bib, .bibtex, .biblatex)")
        contents[name] = path.read_bytes()
    return contents


def fixable_files(names: Iterable[str]) -> dict[str, bytes]:
    """The content of each named BibTeX, Python or reStructuredText file, and of those in named folders of projects.

    Raises UsageError, OSError.
    """
    from pytest_citecheck.fixing import TEXT_SUFFIXES  # noqa: PLC0415 - slow to import
    from pytest_citecheck.inputs import folder_contents  # noqa: PLC0415

    contents: dict[str, bytes] = {}
    for name in dict.fromkeys(names):
        path = Path(name)
        below = [str(one) for one in folder_contents(path).code] if path.is_dir() else [name]
        for one in below:
            if Path(one).suffix.lower() in TEXT_SUFFIXES and Path(one).is_file():
                contents[one] = Path(one).read_bytes()
            elif not path.is_dir():
                contents |= bibtex_files([one])
        if path.is_dir() and not below:
            raise UsageError(f"{name} contains no Python or reStructuredText file with references")
    return contents


class Engine:
    """Queries the sources and evaluates. command: its name in messages; further: options of pytest besides the chosen
    ones."""

    def __init__(self, chosen: argparse.Namespace, command: str, further: Collection[str] = ()) -> None:
        self._chosen, self._command, self._further = chosen, command, tuple(further)
        self._session: CitecheckSession | None = None
        self._read: tuple[dict[str, bytes], dict[str, tuple[Reference, ...]]] | None = None

    @property
    def session(self) -> CitecheckSession:
        """The state of the run. Raises UsageError."""
        if self._session is None:
            self._session = self._opened()
        return self._session

    def _opened(self) -> CitecheckSession:
        from pytest_citecheck.plugin import Arguments, CitecheckSession, collect_extensions, resolve_settings  # noqa: PLC0415

        try:
            with own_environment():
                config = pytest.Config.fromdictargs({}, [*pytest_arguments(), *self._arguments])
            extensions = collect_extensions(config)
            settings = resolve_settings(config, extensions)
            session = CitecheckSession(config, settings, extensions, Arguments())
            session.gathering.open()
        except (pytest.UsageError, ValueError) as error:
            raise UsageError(str(error)) from error
        return session

    @cached_property
    def _arguments(self) -> list[str]:
        typed, given = [], set()
        for option in ANSWER_OPTIONS:
            value = getattr(self._chosen, option.dest, None)
            if value:
                given.add(option.dest)
                values = value if isinstance(value, list) else [value]
                typed += [option.flag if one is True else f"{option.flag}={one}" for one in values]
        settings = project_settings(self._chosen.config, self._command)
        stated = settings.arguments(frozenset(given)) if settings else ()
        return [*stated, *typed, *self._further]

    @property
    def cassettes(self) -> Path | None:
        """The folder of recorded answers; None if none is set. Raises UsageError."""
        text = self.option("citecheck_cassettes")
        return Path(text).absolute() if text else None

    @property
    def cache(self) -> Path | None:
        """The folder of cached answers; None if it is off."""
        text = self.option("citecheck_cache").strip()
        if text.lower() == "off":
            return None
        return Path(text).expanduser().absolute() if text else user_cache()

    @property
    def oldest(self) -> str:
        """The first day of which an answer is young enough (citecheck_max_age); empty if the age does not matter."""
        try:
            return oldest_day(self.option("citecheck_max_age"))
        except ValueError as error:
            raise UsageError(str(error)) from error

    def option(self, dest: str) -> str:
        """The value of an option of the plugin as text: typed, from the environment, or from the settings file; else empty."""
        option = next(option for option in OPTIONS if option.dest == dest)
        for stated in reversed(self._arguments):
            name, _, value = stated.partition("=")
            if name in (option.flag, option.ini):
                return value
        value = environment_value(option)
        return value if isinstance(value, str) else ""

    def identity(self) -> list[str]:
        """Inputs of a verdict besides entry and answers: the options, and the files that they name."""
        found = []
        arguments = [*self._arguments]
        for option in ANSWER_OPTIONS:
            if value := environment_value(option):
                arguments += [f"{option.flag}={one}" for one in (value if isinstance(value, list) else [value])]
        for stated in arguments:
            name, _, value = stated.partition("=")
            if name in ("--citecheck-timeout", "--citecheck-contact", "--citecheck-rate", "--citecheck-cassettes"):
                continue
            found.append(stated)
            path = Path(value)
            if value and name in ("--citecheck-policy", "--citecheck-index", "--citecheck-baseline") and path.is_file():
                status = path.stat()
                found.append(f"{status.st_size} {status.st_mtime_ns}")
        return found

    def record_command(self, name: str) -> str:
        """The command that records the answers for a file under these settings."""
        stated = [f"--config={self._chosen.config}"] if self._chosen.config else []
        typed = getattr(self._chosen, "citecheck_cassettes", None) or ("" if self.cassettes else "evidence")
        return shlex.join(["citecheck", "record", name, *stated, *([f"--cassettes={typed}"] if typed else [])])

    def evaluations(
        self, contents: Mapping[str, bytes], only: Collection[Place] | None = None
    ) -> dict[Place, tuple[Reference, Evaluation]]:
        """Evaluate each reference of these files; ``only``: those at these places. Raises UsageError."""
        references = self.references(contents, unreadable=only is not None)
        return self.evaluated({place: one for place, one in references.items() if only is None or place in only})

    def evaluated(
        self, wanted: Mapping[Place, Reference], progress: Progress | None = None, stop: threading.Event | None = None
    ) -> dict[Place, tuple[Reference, Evaluation]]:
        """Evaluate these references. stop: cancels the queries. Raises UsageError, and asyncio.CancelledError if stopped."""
        named = {_name(place): reference for place, reference in wanted.items()}
        gathering = self.session.gathering
        if named:
            try:
                gathering.gather(named, progress, stop=stop)
            except pytest.UsageError as error:
                raise UsageError(str(error)) from error
        gathering.expect(list(named))
        found = {}
        for place, reference in wanted.items():
            found[place] = reference, self.session.evaluation(_name(place), reference)
            gathering.checked(_name(place))
        return found

    def references(self, contents: Mapping[str, bytes], *, unreadable: bool = False) -> dict[Place, Reference]:
        """Each reference of these files. unreadable: include references without readable content."""

        if self._read is None or self._read[0] != contents:
            self._read = dict(contents), read_all(contents)
        return {
            (name, number): reference
            for name, found in self._read[1].items()
            for number, reference in enumerate(found)
            if (reference.readable or unreadable) and reference.type not in ("xdata", "set")
        }

    def close(self) -> None:
        """Close open resources."""
        if self._session is not None:
            self._session.close()


def _name(place: Place) -> str:
    return f"{os.path.normpath(place[0])}::{place[1]}"


def read_all(contents: Mapping[str, bytes]) -> dict[str, tuple[Reference, ...]]:
    """The references of these files: BibTeX files are read together, others each."""
    from pytest_citecheck.inputs import BIBTEX, read_together  # noqa: PLC0415

    bibtex = {name: data for name, data in contents.items() if Path(name).suffix.lower() in BIBTEX.suffixes}
    found = {name: one.references for name, one in zip(bibtex, read_together(bibtex.items()), strict=True)}
    if len(found) < len(contents):
        from pytest_citecheck.fixing import text_references  # noqa: PLC0415 - slow to import

        found |= {name: text_references(name, data) for name, data in contents.items() if name not in found}
    return {name: found[name] for name in contents}
