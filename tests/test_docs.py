"""The documents tell the truth where a program can see it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pages.options import options_page
from tests.pages.sources import sources_page

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_options_page_is_up_to_date() -> None:
    assert (ROOT / "docs" / "options.md").read_text(encoding="utf-8") == options_page()


def test_the_sources_page_is_up_to_date() -> None:
    assert (ROOT / "docs" / "sources.md").read_text(encoding="utf-8") == sources_page()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


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
