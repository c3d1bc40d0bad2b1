"""The page on thresholds, from their table: `python -m tests.pages`."""

from __future__ import annotations

from pytest_citecheck.thresholds import THRESHOLDS
from tests.pages.regions import cell

_HEAD = """# Thresholds

Every number that decides the result of a comparison, a check or a verdict.

The columns “changes” count how many findings and verdicts change if the value is one step lower or higher, over the
1,119 entries of HALLMARK's public split with an index of 1.24 million records (`CITECHECK_SHARED=FOLDER python -m
benchmarks.thresholds`). A step is 1, or 0.05 of a share. A dash means not counted, because the number decides which
queries are sent, or a probability. If nothing changes, the split has no such case; `tests/test_thresholds.py` has one
on either side.

`python -m tests.pages.thresholds > docs/evidence/thresholds.md` writes this page from `pytest_citecheck/thresholds.py`.

| threshold | value | unit | why | changes: lower | higher |
|---|---|---|---|---|---|
"""


def thresholds_page() -> str:
    """The whole page."""
    return _HEAD + "".join(
        f"| `{row.name}` | {round(row.value, 3):g} | {row.unit} | {cell(row.why)} | {row.less} | {row.more} |\n"
        for row in THRESHOLDS.values()
    )
