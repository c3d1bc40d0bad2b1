"""``citecheck check``: the plugin without the frame of pytest, as in a shell, an editor or a pre-commit hook."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.checks import CHECKS, TABLE
from pytest_citecheck.cli.commands import UsageError, argument, say
from pytest_citecheck.cli.entries import add_options
from pytest_citecheck.cli.isolation import own_environment, pytest_arguments
from pytest_citecheck.cli.project import project_settings
from pytest_citecheck.cli.running import guarded
from pytest_citecheck.exit_codes import INTERNAL, NOTHING, SUMMARY, USAGE
from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.nearest import hint
from pytest_citecheck.plugin import OPTIONS, SECTIONS, OwnFlags, PlainOutput
from pytest_citecheck.reports import number_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_citecheck.cli.commands import Commands


_ABOUT = f"Check the references in these files and print the failures. Never runs code in the folder. {SUMMARY}"


COMMON = (
    *("citecheck_contact", "citecheck_policy", "citecheck_strict", "citecheck_min_checked", "citecheck_offline"),
    *("citecheck_index", "citecheck_cassettes", "citecheck_exclude_files", "citecheck_format", "citecheck_html"),
)
"""The ten options that the help shows first."""
_FURTHER = {name: [dest for dest in dests if dest not in COMMON] for name, dests in SECTIONS.items()}


def add_parser(commands: Commands) -> None:
    """Add ``citecheck check``, with all options of the plugin."""
    check = commands.add_parser(
        "check", help="check references", description=_ABOUT, usage="citecheck check [option ...] FILE [FILE ...]"
    )
    argument(
        check,
        "files FILE...",
        "a file, folder or glob (several are one bibliography; - is standard input): .bib, .tex, .pdf, .docx, .md and "
        "others (docs/inputs.md); FILE::KEY is one reference, FILE::KEY[doi] one of its checks",
        type=str,
    )
    argument(check, "-k EXPRESSION", "only checks whose names match, as in pytest: 'smith and not venue'")
    argument(check, "-m EXPRESSION", "only checks with these markers, as in pytest: 'doi or title'")
    argument(check, "--select CHECKS", "only these checks, separated by commas: doi,title")
    argument(check, "-x --exitfirst", "stop at the first failure")
    argument(check, "-o --output FILE", "write the format to this file; the screen then shows the findings", type=str)
    loudness = check.add_mutually_exclusive_group()
    argument(loudness, "-v --verbose", "show the evidence of every failure")
    argument(loudness, "-q --quiet", "show only failures, warnings and the last line; nothing if all is well")
    add_options(check, (option for option in OPTIONS if option.flag), {"common options": COMMON, **_FURTHER})
    check.set_defaults(run=guarded("citecheck check", _check), progress=None)


def _check(chosen: argparse.Namespace) -> int:
    formats = _formats(chosen.citecheck_format or [], chosen.output)
    chosen.citecheck_format = formats
    output = PlainOutput(formats, chosen.progress)
    arguments = [*pytest_arguments(), *_selection(chosen), *_options(chosen), *_files(chosen.files)]
    with own_environment(), contextlib.redirect_stderr(OwnFlags(sys.stderr)):
        code = int(pytest.main(arguments, plugins=[output]))
    if output.interrupted:
        raise KeyboardInterrupt
    if code == NOTHING:
        for name in _NAME.findall(chosen.k or ""):
            if name not in (*_SELECTABLE, *_OPERATORS) and (near := get_close_matches(name, _SELECTABLE, 1)):
                raise UsageError(f"-k: nothing has the name {name!r}; did you mean {near[0]}?")
        say(f"citecheck: nothing was checked: {_none_chosen(chosen, output.deselected) or 'no file has a reference'}")
    return INTERNAL if output.broken else USAGE if output.unreadable else _OF_PYTEST.get(code, code)


def _none_chosen(chosen: argparse.Namespace, left_out: list[str]) -> str:
    """Explain that the selection matched no check, and suggest the nearest name; empty if there were no checks."""
    if not left_out:
        return ""
    options = {"-k": chosen.k, "-m": chosen.m, "--select": chosen.select}
    said = " ".join(f"{option} {value!r}" for option, value in options.items() if value)
    names = (nodeid.partition("::")[2].rpartition("[")[0] for nodeid in left_out)
    keys = list(dict.fromkeys(filter(None, names)))  # the check of a whole file has none
    what = f"{said} matches none of {number_of(len(left_out), 'check')} of {number_of(len(keys), 'reference')}"
    for word in re.findall(r"[\w-]+", chosen.k or ""):
        if row := next((row for row in TABLE if row.name == word), None):
            return f"{what}; {word} is a code of the check {row.check}: -k {row.check}"
        if near := get_close_matches(word, keys, 1):
            return f"{what}; did you mean {near[0]}?"
    return f"{what}; use the name of a file, a key or a check ({', '.join(CHECKS)})"


_OF_PYTEST = {int(pytest.ExitCode.USAGE_ERROR): USAGE}


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
    _demand_known("-m", _NAME.findall(chosen.m or ""))
    if chosen.select:
        _demand_known("--select", [part.strip() for part in chosen.select.split(",")])
        marked.append(f"({' or '.join(part.strip() for part in chosen.select.split(','))})")
    if marked:
        yield from ("-m", " and ".join(marked))
    if chosen.exitfirst:
        yield "--exitfirst"
    if chosen.verbose or chosen.quiet:
        yield f"--verbose={1 if chosen.verbose else -1}"


_SELECTABLE = (*CHECKS, "syntax", "duplicates", "selfcheck", "claim", "citecheck")
_NAME = lazy_pattern(r"[^\W\d]\w*")


_OPERATORS = ("and", "or", "not")


def _demand_known(option: str, names: Iterable[str]) -> None:
    """Raise UsageError for a name of no check."""
    for name in names:
        if name not in (*_SELECTABLE, *_OPERATORS):
            raise UsageError(f"{option}: unknown check {name!r}{hint(name, _SELECTABLE)}")


def _options(chosen: argparse.Namespace) -> Iterator[str]:
    """Options of the plugin: first from the settings file, then from the command line."""
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
    """The files as options; an item selection also becomes a node id."""
    yield from (name for name in names if "::" in name)
    yield from (f"--citecheck={file}" for file in dict.fromkeys(name.partition("::")[0] for name in names))
