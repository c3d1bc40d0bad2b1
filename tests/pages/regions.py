"""Parts of pages that are written from tables, between two comments of Markdown."""

from __future__ import annotations

import re


def in_region(page: str, name: str, command: str, text: str) -> str:
    """The page with this text in the region of this name. Raises ValueError if there is no such region."""
    begin, end = f"<!-- {name}: {command} -->\n", f"<!-- end of {name} -->"
    if begin not in page or end not in page:
        raise ValueError(f"the page has no region {name}")
    return re.sub(re.escape(begin) + r".*?" + re.escape(end), lambda _: f"{begin}{text}{end}", page, flags=re.DOTALL)


def cell(text: str) -> str:
    """A text in a cell of a table."""
    return text.replace("|", "\\|")
