"""Output of the commands about themselves and about codes."""

from __future__ import annotations

import re
import shlex

import pytest

from pytest_citecheck.checks import CODES, explanation, explanation_markdown, rules
from pytest_citecheck.cli import EXAMPLES, command_parser, each_command, main

Screen = pytest.CaptureFixture[str]


def test_every_command_shows_examples_that_it_understands() -> None:
    parser = command_parser()
    names = set()
    for name, summary, inner in each_command(parser):
        names.add(name)
        examples = re.findall(r"^  (citecheck .*?)(?:   .*)?$", inner.format_help(), re.MULTILINE)
        assert examples, f"{name} has no example"
        assert summary, f"{name} has no summary"
        for example in examples:
            words = shlex.split(example)[1:]
            assert " ".join(words).startswith(name)
            assert callable(parser.parse_args(words).run), example
    assert EXAMPLES.keys() <= names


def test_files_to_write_have_one_name() -> None:
    for name, _, inner in each_command(command_parser()):
        for action in inner._actions:
            assert "--out" not in action.option_strings, name
            if "--output" in action.option_strings:
                assert "-o" in action.option_strings, name


def test_every_code_is_explained() -> None:
    for code in CODES:
        said = explanation(code)
        assert said.startswith(f"{code} (check ")
        assert CODES[code].split()[0] in said
        assert "Why:" in said
        assert "To suppress:" in said
        assert max(map(len, said.splitlines())) <= 100
        assert explanation_markdown(code).startswith(f"`{code}` (check ")
    assert {code for rule in rules() for code in rule.codes} <= CODES.keys()


def test_an_unknown_code_gets_the_nearest_name(capsys: Screen) -> None:
    assert main(["explain", "titel-near-miss"]) == 2
    assert "unknown code 'titel-near-miss'; did you mean title-near-miss" in capsys.readouterr().err
    assert main(["explain", "title-near-miss", "venue-other"]) == 0
    assert "“synthesis” for “analysis”" in capsys.readouterr().out
    assert main(["explain"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > len(CODES)


def test_a_shell_completes_commands_and_options(capsys: Screen) -> None:
    pytest.importorskip("shtab")
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    assert "title-near-miss" not in script
    assert "--select" in script
    assert "explain" in script
