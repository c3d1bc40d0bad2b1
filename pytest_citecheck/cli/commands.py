"""The subcommands of ``citecheck``: to add one, write a module with ``add_parser`` and name it in `COMMANDS`.

Commands of a feature are named in its ``feature.py``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from pytest_citecheck.matching import safe_line
from pytest_citecheck.screen import redraw, show

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - argparse names it nowhere else
"""The object to which each command adds its parser."""

COMMANDS = {
    name: f"pytest_citecheck.cli.{name}"
    for name in (
        *("check", "demo", "fix", "explain", "record", "hook", "lsp", "mcp", "serve", "agent", "waive", "baseline"),
        *("audit", "doctor", "trust", "cache", "index", "report", "diff", "completion"),
    )
}
"""Module of each command of the core. Only the requested one is imported: hooks run often."""


@cache
def all_commands() -> dict[str, str]:
    """The module of each command, also of features: for these, pytest is imported."""
    from pytest_citecheck.plugin import all_features  # noqa: PLC0415

    return COMMANDS | {name: module for feature in all_features() for name, module in feature.COMMANDS.items()}


def add_command(name: str, commands: argparse._SubParsersAction[Any]) -> None:
    """Add the parser of this command."""
    import_module(COMMANDS.get(name) or all_commands()[name]).add_parser(commands)


_TYPES: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("FILE", "DIR", "FOLDER", "SPLIT", "XML", "JSON", "SETTINGS"), Path),
    **dict.fromkeys(("N", "PORT"), int),
}
"""Type of a value by its name in the help; others are texts."""


class _Parser(Protocol):
    """A parser, or a group of its options."""

    def add_argument(self, *names: str, **settings: Any) -> argparse.Action: ...


def argument(
    parser: _Parser, usage: str, text: str, shown: object = None, *, repeat: bool = False, **settings: Any
) -> None:
    """Add an argument as its usage line shows it. text: its help. settings: as for ``add_argument``.

    ``--strict`` is a flag, ``--json FILE`` takes a value, ``files FILE...`` one or more. The name of a value is its type.
    shown: a default that the help states. repeat: the values of a repeated option are a list.
    """
    names = usage.split()
    if shown is not None:
        text, settings["default"] = f"{text} (default: %(default)s)", shown
    if repeat:
        settings |= {"action": "append", "default": []}
    if len(names) > 1 and not names[-1].startswith("-"):
        metavar = names.pop()
        if metavar.endswith("..."):
            metavar = metavar.removesuffix("...")
            settings["nargs"] = "+"
        known = {"metavar": metavar, **({"type": _TYPES[metavar]} if metavar in _TYPES else {})}
        settings = known | settings
    elif not settings:
        settings["action"] = "store_true"
    parser.add_argument(*names, help=text, **settings)


_PAUSE = 0.1  # seconds between two updates of the line


class UsageError(Exception):
    """Invalid command line; the message has the reason."""


def say(text: str) -> None:
    """Print one line, with its indentation. Control characters from files and records are escaped."""
    show(_harmless(text))


def complain(text: str) -> None:
    """Print one line like `say`, on standard error."""
    show(_harmless(text), error=True)


def _harmless(text: str) -> str:
    text = text.replace("--citecheck-", "--")  # the flags have these names for the command
    line = text.lstrip(" ")
    return " " * (len(text) - len(line)) + safe_line(line)


def positive(text: str) -> int:
    """The value of an option that is 1 or more. Raises ArgumentTypeError or ValueError."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more: {number}")
    return number


def count(number: int, thing: str) -> str:
    """``1 record``, ``1,234 records``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def amount(size: float) -> str:
    """A number of bytes, readable: ``999 bytes``, ``1.2 kB``, ``4.6 GB``."""
    unit = "bytes"
    for larger in ("kB", "MB", "GB"):
        if size < 999.5:
            break
        size, unit = size / 1000, larger
    return f"{size:,.0f} {unit}" if unit == "bytes" or size >= 99.5 else f"{size:.2g} {unit}"


class Progress:
    """A line that shows the progress of a long operation, if standard error is a terminal."""

    def __init__(self) -> None:
        self._on = sys.stderr.isatty()
        self._next = 0.0
        self._width = 0

    @property
    def due(self) -> bool:
        """True if it is time to update the line."""
        return self._on and time.monotonic() >= self._next

    def show(self, text: str) -> None:
        """Replace the line; call this when `due`."""
        text = safe_line(text)
        redraw(f"{text:{self._width}}")
        self._width = len(text)
        self._next = time.monotonic() + _PAUSE

    def clear(self) -> None:
        """Clear the line, before other output."""
        if self._width:
            redraw(f"{'':{self._width}}")
            redraw("")
            self._width = 0
