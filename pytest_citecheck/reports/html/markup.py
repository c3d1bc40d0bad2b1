"""Markup of the HTML report for values from outside; all text is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from pytest_citecheck.reports.safe_text import safe_line

__all__ = ["name_text", "table", "text"]


def text(value: object) -> str:
    """A value from outside as HTML text: markup escaped, control and direction characters visible."""
    return escape(safe_line(str(value)))


def name_text(value: object) -> str:
    """A long name as HTML text; the browser may break it only after an underscore."""
    return text(value).replace("_", "_<wbr>")


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, has_heading: bool = False) -> str:
    """A table. caption, head and rows: markup. The first cell of a row is its heading; a cell may include its own ``td``.

    has_heading: the section heading says the same as the caption, which then is only for screen readers.
    """
    cells = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(cell if cell[:3] == "<td" else f"<td>{cell}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    shown = "" if has_heading else f"<caption>{caption}</caption>"
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{caption}"><table>{shown}'
        f"<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>"
    )
