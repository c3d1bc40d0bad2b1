"""The documentation as a site: it is built, and every link in it leads to a page that is there."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml

ROOT = Path(__file__).parent.parent


def test_the_start_page_names_every_role_and_guides_are_few() -> None:
    start = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    assert all(f"**{role}**" in start for role in ("author", "reviewer", "CI", "benchmark", "contributor"))
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    guides = next(part["Guides"] for part in nav if "Guides" in part)
    assert len(guides) <= 12


@pytest.mark.exhaustive
def test_the_site_is_built_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    from mkdocs.commands.build import build  # noqa: PLC0415 - of an extra
    from mkdocs.config import load_config  # noqa: PLC0415

    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path / "site")))
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        if page.name == "404.html":  # its links begin at the root of a server
            continue
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r'(?:href|src)="([^"#?]+)', text):
            if not re.match(r"\w+:|//", target):
                assert (page.parent / unquote(target)).exists(), f"{page.name}: {target}"
