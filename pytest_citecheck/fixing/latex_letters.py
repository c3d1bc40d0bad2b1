r"""Letters with accents as LaTeX commands, in the form in which a file writes them.

``{\"o}``, ``\"{o}`` and ``{\"{o}}`` are the three forms that bibliographies have (Leslie Lamport, *LaTeX: A Document Preparation
System*, section 3.2.1; BibTeX counts the first as one character).
"""

from __future__ import annotations

from typing import Literal
from unicodedata import normalize

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["AccentForm", "accent_form", "accents", "as_latex"]

AccentForm = Literal["braced", "argument", "both"]
r"""``{\"o}``, ``\"{o}`` or ``{\"{o}}``."""

_ACCENTS = {
    "\u0301": "'", "\u0300": "`", "\u0302": "^", "\u0308": '"', "\u0303": "~", "\u0304": "=", "\u0307": ".",
    "\u030b": "H", "\u0327": "c", "\u0328": "k", "\u0306": "u", "\u030c": "v", "\u030a": "r", "\u0331": "b", "\u0323": "d",
}  # fmt: skip
_LETTERS = {
    "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "å": "aa", "Å": "AA", "ł": "l", "Ł": "L",
    "ı": "i", "đ": "dj", "Đ": "DJ", "ð": "dh", "Ð": "DH", "þ": "th", "Þ": "TH", "ŋ": "ng", "Ŋ": "NG",
}  # fmt: skip
_SIGNS = {
    "–": "--", "—": "---", "“": "``", "”": "''", "‘": "`", "’": "'", "‐": "-", "‑": "-", "…": "{\\ldots}", "\u00a0": "~",
    "¿": "?`", "¡": "!`",
}  # fmt: skip
_COMMAND = lazy_pattern(
    r"\\(?:[\"'`^~=.]|[Hckuvrbd](?![A-Za-z]))\s*\{?\\?[A-Za-z]|\\(?:ss|ae|AE|oe|OE|aa|AA|[oOlLi])(?![A-Za-z])"
)
_ARGUMENT = lazy_pattern(r"(\{?)\\(?:[\"'`^~=.]|[Hckuvrbd](?=\{))\{\\?[A-Za-z]\}")


def accents(text: str) -> int:
    """How many letters with accents a text writes as commands."""
    return sum(1 for _ in _COMMAND.finditer(text))


def accent_form(text: str) -> AccentForm:
    """The form that a text uses most; ``braced`` if it has no accent."""
    arguments = [match[1] for match in _ARGUMENT.finditer(text)]
    if 2 * len(arguments) <= accents(text):
        return "braced"
    return "both" if 2 * arguments.count("{") > len(arguments) else "argument"


def as_latex(text: str, form: AccentForm) -> str:
    """The text with commands in place of all letters outside ASCII that have one; others stay."""
    return "".join(letter if letter.isascii() else _written(letter, form) for letter in normalize("NFC", text))


def _written(letter: str, form: AccentForm) -> str:
    if letter in _SIGNS:
        return _SIGNS[letter]
    if letter in _LETTERS:
        return f"{{\\{_LETTERS[letter]}}}"
    base, *marks = list(normalize("NFD", letter))
    if len(marks) != 1 or marks[0] not in _ACCENTS or not (base.isascii() and base.isalpha()):
        return letter
    command = _ACCENTS[marks[0]]
    if base in "ij" and command not in "ckdb":
        base = f"\\{base}"
    if form == "braced":
        return f"{{\\{command}{' ' if command.isalpha() and not base.startswith(chr(92)) else ''}{base}}}"
    written = f"\\{command}{{{base}}}"
    return f"{{{written}}}" if form == "both" else written
