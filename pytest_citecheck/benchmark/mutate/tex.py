"""Editing BibTeX values without breaking their LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["content_words", "escaped", "is_balanced", "outside_braces"]

_FORMULA = lazy_pattern(r"(?<!\\)\$[^$]*\$")
# A LaTeX command swallows the space after it.
_FORMULA_OR_COMMAND = lazy_pattern(rf"{_FORMULA.pattern}|\\[A-Za-z]+\s*")
# A whole word of letters: not part of a hyphenated or abbreviated word, a command, or a word with braces inside.
_WORD = lazy_pattern(
    r"(?<!\w)(?<![\\}'’\-–.&@/^~])(?<!\w\{)(?<!\\\{)[^\W\d_]{4,}(?!\w)(?![{\\'’\-–@/^~]|\.\S)(?!\}+\w)"
)
_SPECIAL = str.maketrans({"&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$", "_": r"\_"})


def content_words(value: str) -> Iterator[tuple[int, int]]:
    """Start and end of each word of four or more letters that can be replaced without further changes."""
    masked = _FORMULA_OR_COMMAND.sub(lambda match: "0" * len(match[0]), value)
    for match in _WORD.finditer(masked):
        yield match.span()


def outside_braces(value: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """The matches of ``pattern`` that begin outside braces and formulas."""
    masked = _FORMULA.sub(lambda match: "\ue000" * len(match[0]), value)
    depth = position = 0
    for match in pattern.finditer(masked):
        between = masked[position : match.start()]
        depth += between.count("{") - between.count("}")
        position = match.start()
        if depth == 0:
            yield match


def is_balanced(value: str) -> bool:
    """Whether all braces, brackets, formulas and quotation marks are closed."""
    pairs = (("{", "}"), ("(", ")"), ("[", "]"), ("``", "''"), ("“", "”"))
    return all(value.count(one) == value.count(other) for one, other in pairs) and not (
        value.count("$") % 2 or value.count('"') % 2
    )


def escaped(text: str) -> str:
    """Plain text as a BibTeX value."""
    return text.translate(_SPECIAL)
