"""Every generated page: `python -m tests.pages` writes all of them.

`--all` also runs the fault matrix of docs/evidence/reliability.md anew (some minutes), and takes the pictures of real runs,
for which it
needs Chromium.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.pages import (
    checks,
    commands,
    formats,
    house_picture,
    metrics,
    options,
    readme,
    readme_picture,
    reliability,
    report_picture,
    screens,
    sources,
    thresholds,
)
from tests.support.chromium import find_chromium

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def _reliability() -> str:
    """The page with the figures of the code; its two tables of outcomes stay as they are."""
    page = (DOCS / "evidence" / "reliability.md").read_text(encoding="utf-8")
    return reliability.reliability_page(reliability.words_of(page), reliability.tried_of(page))


PAGES: Mapping[str, Callable[[], Mapping[Path, str]]] = {
    "checks": checks.checks_pages,
    "commands": lambda: {DOCS / "commands.md": commands.commands_page(), DOCS / "citecheck.1": commands.manual_page()},
    "formats": lambda: {formats.PAGE: formats.formats_page()},
    "house_picture": lambda: {DOCS / "house.svg": house_picture.house_picture() + "\n"},
    "metrics": lambda: {metrics.PAGE: metrics.metrics_page()},
    "options": lambda: {DOCS / "options.md": options.options_page()},
    "readme": lambda: {ROOT / "README.md": readme.readme(), readme.LANDING: readme.landing()},
    "reliability": lambda: {DOCS / "evidence" / "reliability.md": _reliability()},
    "sources": lambda: {DOCS / "sources.md": sources.sources_page()},
    "thresholds": lambda: {DOCS / "evidence" / "thresholds.md": thresholds.thresholds_page()},
}
"""The texts of the pages that each module writes, by path."""

PICTURES = frozenset({"readme_picture", "report_picture", "screens"})
"""Modules that take pictures, which differ with each run."""


def every_page() -> dict[Path, str]:
    """The text of every generated page."""
    return {path: text for pages in PAGES.values() for path, text in pages().items()}


def outdated(pages: Mapping[Path, str]) -> dict[Path, str]:
    """The pages that are missing, or have a different text."""
    return {path: text for path, text in pages.items() if not path.exists() or path.read_text(encoding="utf-8") != text}


def _take_pictures() -> None:
    (DOCS / "output.svg").write_text(readme_picture.picture() + "\n", encoding="utf-8")
    if find_chromium() is None:
        print("Chromium is not installed: docs/report.png, docs/claims.png and docs/screens are unchanged")
        return
    report_picture.picture(DOCS / "report.png")
    report_picture.picture(DOCS / "claims.png")
    screens.write_screens()


def main() -> None:
    """Write the pages that changed, and print their names."""
    parser = argparse.ArgumentParser(prog="python -m tests.pages", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--all", action="store_true", help="run the fault matrix anew and take the pictures too")
    chosen = parser.parse_args()
    if chosen.all:
        reliability.write_page()
        _take_pictures()
    for path, text in outdated(every_page()).items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT).as_posix())


if __name__ == "__main__":
    main()
