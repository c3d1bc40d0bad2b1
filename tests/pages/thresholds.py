"""The page on thresholds, from their table: `python -m tests.pages.thresholds > docs/evidence/thresholds.md`."""

from __future__ import annotations

from pytest_citecheck.thresholds import THRESHOLDS
from tests.pages.regions import cell

__all__ = ["thresholds_page"]

_HEAD = """# Thresholds

Written from `pytest_citecheck/thresholds.py` by `python -m tests.pages.thresholds > docs/evidence/thresholds.md`.

Every number that decides what a comparison, a check or a verdict says. “Changes” counts the verdicts (findings) about the 1,119
entries of HALLMARK's public split that become others if the value is one step less, or one step more, over an index of 1.24
million records: `CITECHECK_SHARED=FOLDER python -m benchmarks.thresholds`. A step is 1, or 0.05 of a share. Where nothing
changes, the split has no such case, and `tests/test_thresholds.py` has one on either side. A dash: not counted, since it decides
what is asked for, or a probability.

| threshold | value | unit | why | changes: less | more |
|---|---|---|---|---|---|
"""


def thresholds_page() -> str:
    """The whole page."""
    return _HEAD + "".join(
        f"| `{row.name}` | {round(row.value, 3):g} | {row.unit} | {cell(row.why)} | {row.less} | {row.more} |\n"
        for row in THRESHOLDS.values()
    )


if __name__ == "__main__":
    print(thresholds_page(), end="")
