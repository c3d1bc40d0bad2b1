"""The commands on the pages about benchmarks and metrics exist, and name their files in one way."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_citecheck.cli import add_command, all_commands

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [(DOCS / name).read_text(encoding="utf-8") for name in ("benchmark-formats.md", "benchmarks.md", "metrics.md")]


def command() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="citecheck")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in all_commands():
        add_command(name, commands)
    return parser


def shown() -> list[str]:
    blocks = [block for page in PAGES for block in re.findall(r"^```\w*\n(.*?)^```", page, re.DOTALL | re.MULTILINE)]
    lines = [line.partition("#")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("citecheck ")]


@pytest.mark.exhaustive
@pytest.mark.parametrize("line", shown())
def test_a_command_that_is_shown_can_be_parsed(line: str) -> None:
    assert command().parse_args(shlex.split(line)[1:]).run


def parsers(parser: argparse.ArgumentParser, name: str = "citecheck") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                yield from parsers(inner, f"{name} {word}")


def test_every_command_of_the_pages_exists() -> None:
    names = {name for name, _ in parsers(command())}
    groups = {name.rpartition(" ")[0] for name in names if name.count(" ") > 1}
    said = set(re.findall(r"`(citecheck [a-z]+)((?: [a-z]+)?)(?=[ `])", "\n".join(PAGES)))
    named = {first + (second if first in groups else "") for first, second in said}
    assert named - names - groups == set()
    assert len(named) > 12


def test_splits_and_outputs_are_named_in_one_way() -> None:
    for name, parser in parsers(command()):
        for action in parser._actions:
            shown_as = str(action.metavar)
            if not action.option_strings:
                assert shown_as not in {"SPLIT", "OUT"}, f"{name} takes {shown_as} without an option"
            if shown_as == "SPLIT":
                assert set(action.option_strings) <= {"--split", "--against", "--pool"}, name
            assert shown_as != "OUT", name
