"""docs/commands.md and the manual page, from the parsers: `python -m tests.pages` writes both."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from pytest_citecheck import __version__
from pytest_citecheck.cli import command_parser, each_command
from pytest_citecheck.exit_codes import EXIT_CODES
from tests.pages.regions import cell

DOCS = Path(__file__).parents[2] / "docs"
_HEAD = """\
# The commands of `citecheck`

`citecheck COMMAND --help` shows the same. Files are arguments; `-o FILE` (`--output`) names a file to write. The exit code is
0, 1 if something failed, 2 for a usage error, or another one of the [table](ci.md#exit-codes). `citecheck completion bash` prints
a script that lets a shell complete all of this (`pip install '.[completion]'`); the manual page is [citecheck.1](citecheck.1).

This page is written by `python -m tests.pages`.

| command | what it does |
|---|---|
"""


def _arguments(parser: argparse.ArgumentParser) -> list[tuple[str, str]]:
    """Name and meaning of each argument."""
    found = []
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction) or action.help == argparse.SUPPRESS:
            continue
        value = action.metavar or (action.dest.upper() if action.nargs != 0 else "")
        value = value if isinstance(value, str) else " ".join(value)
        if action.choices is not None and not action.metavar:
            value = "|".join(map(str, action.choices))
        name = ", ".join(action.option_strings)
        meaning = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
        found.append((f"{name} {value}".strip() if action.nargs != 0 else name, meaning))
    return found


def _examples(parser: argparse.ArgumentParser) -> list[str]:
    return re.findall(r"^  (citecheck .*?)(?:   .*)?$", parser.format_help(), re.MULTILINE)


def commands_page() -> str:
    """The page of all commands."""
    commands = list(each_command(command_parser()))
    parts = [_HEAD]
    parts += [
        f"| [`{name}`](#citecheck-{name.replace(' ', '-')}) | {cell(summary)} |\n" for name, summary, _ in commands
    ]
    for name, summary, parser in commands:
        parts.append(f"\n## citecheck {name}\n\n{parser.description or summary}\n\n")
        parts.append("```text\n" + "\n".join(_examples(parser)) + "\n```\n\n")
        rows = [f"| `{cell(argument)}` | {cell(meaning)} |\n" for argument, meaning in _arguments(parser)]
        if rows:
            parts.append("| argument | meaning |\n|---|---|\n" + "".join(rows))
    return "".join(parts)


def manual_page() -> str:
    """The manual page (man 7 man)."""
    lines = [
        f'.TH CITECHECK 1 "" "citecheck {__version__}" "User Commands"',
        ".SH NAME",
        "citecheck \\- test whether the citations of a bibliography are real",
        ".SH SYNOPSIS",
        ".B citecheck",
        ".I COMMAND",
        "[\\fIARGUMENT\\fR ...]",
        ".SH EXIT STATUS",
        ". ".join(f"{row.code}: {row.meaning}" for row in EXIT_CODES).replace("`", "") + ".",
        ".SH COMMANDS",
    ]
    for name, summary, parser in each_command(command_parser()):
        lines += [f".SS citecheck {name}", _roff(parser.description or summary)]
        for argument, meaning in _arguments(parser):
            lines += [".TP", f".B {_roff(argument)}", _roff(meaning)]
        lines += [".PP", "Examples:", ".PP", ".nf", *map(_roff, _examples(parser)), ".fi"]
    return "\n".join(lines) + "\n"


def _roff(text: str) -> str:
    line = " ".join(text.replace("\\", "\\e").replace("-", "\\-").split())
    return f"\\&{line}" if line.startswith((".", "'")) else line
