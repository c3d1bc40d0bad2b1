"""The items of the reference sections of a PDF, from the lines of its pages."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_citecheck.readers.pdf.page import Row, body_lines
from pytest_citecheck.readers.plain.joining import words_of
from pytest_citecheck.readers.plain.list_items import Item, items_of, sections_of

__all__ = ["reference_items"]


def reference_items(pages: Sequence[Sequence[Row]]) -> list[Item]:
    """The items of all reference sections, in their order; empty if there is no section."""
    lines = body_lines(pages)
    sections = sections_of(lines)
    known = words_of(line.text for line in lines) if sections else None
    return [item for section in sections for item in items_of(section, known)]
