"""The table in docs/metrics.md from the table of metrics: `python -m tests.pages`."""

from __future__ import annotations

from pathlib import Path

from pytest_citecheck.benchmark import METRICS
from tests.pages.regions import cell, in_region

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
_HEAD = "| field | definition | range | better | gates | source |\n|---|---|---|---|---|---|\n"


def metrics_page() -> str:
    """The whole page, with the table as it should be."""
    rows = [
        f"| `{row.name}` | {cell(row.definition)} | {row.span} | {'higher' if row.higher_is_better else 'lower'} "
        f"| {', '.join(f'`{name}`' for name in row.gates)} | {row.source} |\n"
        for row in METRICS
    ]
    return in_region(PAGE.read_text(encoding="utf-8"), "metrics", "python -m tests.pages", _HEAD + "".join(rows))
