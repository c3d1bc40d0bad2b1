"""The tables of output formats and exit codes in docs/ci.md: `python -m tests.pages`."""

from __future__ import annotations

import re
from pathlib import Path

from pytest_citecheck.exit_codes import EXIT_CODES
from pytest_citecheck.reports import FORMATS
from tests.pages.regions import cell, in_region

PAGE = Path(__file__).parents[2] / "docs" / "ci.md"
_HEAD = "| format | contents | needs a file |\n|---|---|---|\n| `full` | the normal output, with the evidence | no |\n"
_CODES = "| code | meaning | in `pytest` |\n|---|---|---|\n"
_PAGE_NAME = re.compile(r"\(docs/([\w-]+)\.md\)")


def formats_page() -> str:
    """The whole page, with the tables as they should be."""
    meanings = {name: _PAGE_NAME.sub(r"([fields](\1.md))", cell(row.meaning)) for name, row in FORMATS.items()}
    rows = [f"| `{name}` | {meanings[name]} | {'no' if row.is_lines else 'yes'} |\n" for name, row in FORMATS.items()]
    codes = [f"| {row.code} | {cell(row.meaning)} | {cell(row.in_pytest) or 'the same'} |\n" for row in EXIT_CODES]
    page = in_region(PAGE.read_text(encoding="utf-8"), "formats", "python -m tests.pages", _HEAD + "".join(rows))
    return in_region(page, "exit codes", "python -m tests.pages", _CODES + "".join(codes))
