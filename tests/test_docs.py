"""Check all statements in the documentation that a program can verify."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_citecheck.cli import _with_command, command_parser
from pytest_citecheck.plugin import OPTIONS, SECTIONS
from pytest_citecheck.reports import html_page
from pytest_citecheck.thresholds import PRIOR_OF_MODELS, PRIOR_OF_PAPERS
from tests.pages.__main__ import PAGES as GENERATED
from tests.pages.__main__ import PICTURES, outdated

ROOT = Path(__file__).parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]


@pytest.mark.parametrize("name", GENERATED)
def test_generated_pages_are_up_to_date(name: str) -> None:
    assert [path.name for path in outdated(GENERATED[name]())] == [], "run `python -m tests.pages`"


def test_one_command_writes_all_pages() -> None:
    modules = {path.stem for path in (ROOT / "tests" / "pages").glob("*.py")}
    assert modules - {"__main__", "axe", "messages", "regions", "words"} == GENERATED.keys() | PICTURES


def test_the_help_of_pytest_has_short_sections(pytester: pytest.Pytester) -> None:
    text = pytester.runpytest_inprocess("--help").stdout.str()
    sections = re.findall(r"^citecheck: ([a-z]+):\n((?:  .*\n)+)", text, re.MULTILINE)
    counts = {name: len(re.findall(r"^  --citecheck", options, re.MULTILINE)) for name, options in sections}
    assert list(counts) == list(SECTIONS)
    assert max(counts.values()) <= 12
    assert sum(counts.values()) <= 30
    assert {dest for dests in SECTIONS.values() for dest in dests} <= {
        "citecheck",
        *(option.dest for option in OPTIONS),
    }


def test_there_is_one_prior() -> None:
    stated = next(option.help for option in OPTIONS if option.dest == "citecheck_prior")
    assert f"default: {PRIOR_OF_PAPERS}; {PRIOR_OF_MODELS} for answers" in stated
    assert f"{PRIOR_OF_PAPERS:.2%} of the references in papers" in html_page({})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def commands() -> Iterator[tuple[str, str]]:
    """Page and command of each command in a block of a page; comments, prompts and continued lines are resolved."""
    for page in [page for page in PAGES if page.name != "CHANGELOG.md"]:
        blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        for block in (block for language, block in blocks if language in ("", "console", "bash", "sh")):
            for line in block.replace("\\\n", " ").splitlines():
                for part in line.removeprefix("$ ").split(" && "):
                    if part.startswith(("citecheck ", "pytest ")):
                        yield page.name, part.split(" #")[0].split(" | ")[0].split(" > ")[0]


def test_the_commands_of_the_pages_exist() -> None:
    """Each is understood by the parser of today; a placeholder such as FILE is a file."""
    known = {"--citecheck", *(option.flag for option in OPTIONS)}
    parser, wrong, seen = command_parser(), [], 0
    for page, command in commands():
        seen += 1
        words = shlex.split(command.replace("…", ""))
        if words[0] == "pytest":
            unknown = [word for word in words if word.startswith("--citecheck") and word.split("=")[0] not in known]
            wrong += [f"{page}: {command}: {unknown}"] if unknown else []
            continue
        try:
            parser.parse_args(_with_command(words[1:]))
        except SystemExit as stop:
            wrong += [f"{page}: {command}"] if stop.code else []
    assert seen > 30
    assert wrong == []


def test_the_changelog_has_a_section_a_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased, *released = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert unreleased.startswith("[Unreleased]\n")
    versions = [re.match(r"\[(\d+)\.(\d+)\.(\d+)\] - \d{4}-\d\d-\d\d\n", section) for section in released]
    numbers = [tuple(map(int, version.groups())) for version in versions if version]
    assert len(numbers) == len(released)
    assert numbers == sorted(set(numbers), reverse=True)
    for section in (unreleased, *released):
        kinds = re.findall(r"^### (.*)$", section, flags=re.MULTILINE)
        order = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
        assert kinds == [kind for kind in order if kind in kinds]


def test_the_architecture_page_names_what_exists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_]+(?:/[a-z_]+)*(?:\.py|/))`", page)
    assert len(named) > 30
    assert [
        path for path in named if not (ROOT / "pytest_citecheck" / path).exists() and not (ROOT / path).exists()
    ] == []
