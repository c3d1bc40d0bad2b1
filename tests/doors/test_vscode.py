"""What the VS Code extension repeats of this package: options, languages and the lines of the concise format."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.cli import command_parser, main

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"
DEMO = Path(__file__).parents[2] / "pytest_citecheck" / "cli" / "demo_data"
MANIFEST: dict[str, Any] = json.loads((FOLDER / "package.json").read_text("utf-8"))
SETTINGS: dict[str, Any] = MANIFEST["contributes"]["configuration"]["properties"]
OF_THE_EXTENSION = {"citecheck.pythonPath", "citecheck.languages"}


def settings_of(command: str) -> dict[str, argparse.Action]:
    """The options of a command by the names of their settings."""
    parser = command_parser(command)
    (commands,) = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    found = {}
    for action in commands.choices[command]._actions:
        for flag in action.option_strings:
            if flag.startswith("--") and flag != "--help":
                head, *tail = flag.removeprefix("--").split("-")
                found["citecheck." + head + "".join(map(str.capitalize, tail))] = action
    return found


def test_each_option_of_the_server_is_a_setting_of_its_kind() -> None:
    options = settings_of("lsp")
    assert SETTINGS.keys() - OF_THE_EXTENSION == options.keys()
    for name, action in options.items():
        shown = SETTINGS[name]
        kind = "boolean" if action.nargs == 0 else "array" if isinstance(shown["default"], list) else "text"
        assert (kind == "boolean") == (shown["type"] == "boolean"), name
        assert (kind == "array") == isinstance(action, argparse._AppendAction), name
        assert set(action.choices or ()) <= set(shown.get("enum", ())), name


def test_each_setting_is_described_and_the_check_of_a_workspace_takes_it() -> None:
    for name, shown in SETTINGS.items():
        assert (shown.get("description") or shown["markdownDescription"]).endswith("."), name
    code = (FOLDER / "src" / "options.ts").read_text("utf-8")
    (left,) = re.findall(r"ONLY_OF_THE_SERVER = (\[.*\])", code)
    only = {f"citecheck.{name}" for name in json.loads(left)}
    assert settings_of("lsp").keys() - settings_of("check").keys() <= only <= settings_of("lsp").keys()


def test_a_folder_that_is_not_trusted_sets_nothing() -> None:
    restricted = set(MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"])
    own = {name for name, shown in SETTINGS.items() if shown.get("scope") == "machine"}
    assert own == {"citecheck.baseUrl", "citecheck.rate"}  # these only the user can set
    assert restricted | own == SETTINGS.keys() - {"citecheck.codeLens"}


def test_the_problem_matcher_reads_each_line_of_the_concise_format(capsys: pytest.CaptureFixture[str]) -> None:
    (matcher,) = MANIFEST["contributes"]["problemMatchers"]
    main(["check", str(DEMO / "demo.bib"), f"--cassettes={DEMO}", "--format=concise"])
    *lines, last = capsys.readouterr().out.splitlines()
    assert last.startswith("3 errors")
    found = [re.fullmatch(matcher["pattern"]["regexp"], line) for line in lines]
    assert [match[matcher["pattern"]["code"]] for match in found if match] == [
        "title-not-in-venue",
        "place-other-work",
        "authors-other",
    ]
    assert len(found) == 3


def test_the_lock_names_no_registry() -> None:
    lock = json.loads((FOLDER / "package-lock.json").read_text("utf-8"))
    assert len(lock["packages"]) > 5
    assert [name for name, one in lock["packages"].items() if "resolved" in one] == []
    assert all("integrity" in one for name, one in lock["packages"].items() if name)
