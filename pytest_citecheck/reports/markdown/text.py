"""Escaping of text from outside for Markdown (CommonMark 0.31 and GitHub's dialect), and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pytest_citecheck.reports.safe_text import safe_line
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["code", "plain", "table"]

_INLINE = str.maketrans(
    {
        **{character: f"\\{character}" for character in "\\`*[]~$#"},
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        "|": "&#124;",  # whether a backslash works depends on how a dialect splits cells
        "@": "@\u2060",  # neither a mention nor a mail address
    }
)
_UNDERSCORE = lazy_pattern(r"(?<![^\W_])_|_(?![^\W_])")  # has no meaning inside a word
_BLOCK = lazy_pattern(r"^([-+=]|\d+(?=[.)](?:\s|$)))")
_LINK = lazy_pattern(r"(?<=[a-z]):(?=//)|(?<=www)\.|(?<=mailto):|(?<=xmpp):", re.IGNORECASE)
_TICKS = lazy_pattern("`+")


def plain(value: object) -> str:
    """The value as text on one line, escaped so that it contains no markup, link or mention."""
    text = safe_line(str(value)).translate(_INLINE)
    text = _UNDERSCORE.sub(r"\\_", text)
    text = _BLOCK.sub(lambda match: f"{match[0]}\\" if match[0].isdigit() else f"\\{match[0]}", text)
    return _LINK.sub(lambda match: f"\\{match[0]}", text)


def code(value: object) -> str:
    """The value as code, so that it can be copied; as plain text if a table cell cannot contain it as code."""
    text = safe_line(str(value))
    if not text or "|" in text:
        return plain(text)
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table and an empty line. head and rows: Markdown, one line per cell."""
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines] + [""]
