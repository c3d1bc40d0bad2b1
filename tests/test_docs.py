"""The documents tell the truth where a program can see it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pages.options import options_page
from tests.pages.sources import sources_page

ROOT = Path(__file__).parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]


def test_the_options_page_is_up_to_date() -> None:
    assert (ROOT / "docs" / "options.md").read_text(encoding="utf-8") == options_page()


def test_the_sources_page_is_up_to_date() -> None:
    assert (ROOT / "docs" / "sources.md").read_text(encoding="utf-8") == sources_page()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


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


def test_every_code_of_the_checks_is_documented() -> None:
    page = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")
    package = ROOT / "pytest_citecheck"
    prefixes = "doi|arxiv|title|authors|venue|year|field|isbn|issn|agree|single|sources|other|unavailable|not"
    pattern = re.compile(rf'"((?:{prefixes})-[a-z][a-z-]+)"')
    used = set()
    for path in (*package.glob("checks/*.py"), package / "names" / "lists.py"):
        used |= set(pattern.findall(path.read_text(encoding="utf-8")))
    documented = set(re.findall(r"`([a-z_-]+)`", page))
    assert used - documented == set()
