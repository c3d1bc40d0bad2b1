"""The documentation as a site: every page is in the navigation, and every link leads to a page and heading that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import yaml

from tests.pages.words import README, guide_pages, mean_sentence, phrases, words

ROOT = Path(__file__).parent.parent
ELSEWHERE = ("CHANGELOG.html", "CONTRIBUTING.html")
"""Pages whose links to headings are not checked: they describe former versions, or the source tree."""


def navigation() -> list[str]:
    """Paths of the pages in the navigation."""
    nav: list[dict[str, Any]] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    return re.findall(r"'([\w/.-]+\.md)'", str(nav))


def test_every_page_is_in_the_navigation() -> None:
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - set(navigation()) == set()
    assert len(navigation()) == len(set(navigation()))


def test_the_landing_page_has_a_door_for_each_reader() -> None:
    landing = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", landing, re.MULTILINE) == ["I am an author", "I maintain CI", "I do research"]


def test_readme_and_guide_are_short_and_plain() -> None:
    guide = [page.read_text(encoding="utf-8") for page in guide_pages()]
    front = README.read_text(encoding="utf-8")
    assert words(front) <= 700
    assert sum(map(words, guide)) <= 15_000
    assert max(mean_sentence([front]), mean_sentence(guide)) <= 14
    assert [line for text in (front, *guide) for line in phrases(text)] == []


@pytest.mark.parametrize("page", guide_pages(), ids=lambda page: page.name)
def test_a_page_of_the_guide_starts_with_a_command_and_leads_on(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    opening = text.partition("\n## ")[0]
    assert re.search(r"^```(?:console|sh)\n\$? ?(?:citecheck|pytest|python3) ", opening, re.MULTILINE)
    assert text.rstrip().rpartition("\n\n")[2].startswith("Next: ")


def test_phrases_are_found_and_questions_are_not() -> None:
    assert (
        len(phrases("What a line names.\nIt stands there.\nThe file is that of a run.\n- Of a list, the first.\n")) == 4
    )
    assert phrases("What does it mean?\nA stand-in answers.\n```text\nWhat it prints.\n```\n") == []


@pytest.mark.exhaustive
def test_the_site_is_built_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    pytest.importorskip("material")
    from mkdocs.commands.build import build  # noqa: PLC0415 - of an extra
    from mkdocs.config import load_config  # noqa: PLC0415

    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path / "site")))
    pages = {page: page.read_text(encoding="utf-8") for page in (tmp_path / "site").rglob("*.html")}
    assert len(pages) > 40
    assert (tmp_path / "site" / "search" / "search_index.json").stat().st_size > 100_000
    headings = {page: set(re.findall(r'id="([^"]+)"', text)) for page, text in pages.items()}
    for page, text in pages.items():
        if page.name == "404.html":  # its links begin at the root of a server
            continue
        for target, anchor in re.findall(r'(?:href|src)="([^"#?]*)(?:#([^"]*))?"', text):
            if re.match(r"\w+:|//", target):
                continue
            led = (page.parent / unquote(target)).resolve() if target else page
            assert led.exists(), f"{page.name}: {target}"
            if anchor and led in headings and page.name not in ELSEWHERE:
                assert unquote(anchor) in headings[led], f"{page.name}: {target}#{anchor}"
