"""HALLMARK's prescreening: what an entry says against itself without any look-up, as its baselines apply it.

Source: HALLMARK, arXiv:2607.18360 (prescreening of year and authors). It punishes authors whose names are initials only; the
checks of this project do not use it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["prescreened"]

_LAST_YEAR = 2026
_FIRST_YEAR = 1900
_SHORTEST = 3
_ET_AL = lazy_pattern(r"(?:and\s+)?et\.?\s*al\.?", re.IGNORECASE)
_NUMBERED = lazy_pattern(r"\b[Aa]uthor\s?(?:\d+|[A-Z])\b")
_WORD_WITH_DIGITS = lazy_pattern(r"\b[A-Z][a-z]+\d+\b")
_INITIALS = lazy_pattern(r"(?:[A-Z]\.?[\s-]*)+")
_CAPITALS = lazy_pattern(r"[A-Z]{2,}")
_HALF = 0.5


def prescreened(fields: Mapping[str, str]) -> tuple[float, str] | None:
    """Confidence that the entry is hallucinated, and why; None if nothing speaks against it. The surest rule counts."""
    found = [rule for rule in (_by_year(fields.get("year", "")), _by_authors(fields.get("author", ""))) if rule]
    return max(found, default=None)


def _by_year(text: str) -> tuple[float, str] | None:
    if not re.fullmatch(r"\d{1,5}", text.strip()):
        return None
    year = int(text)
    if year > _LAST_YEAR:
        return 0.95, f"the year {year} is in the future"
    return (0.7, f"the year {year} is before {_FIRST_YEAR}") if year < _FIRST_YEAR else None


def _by_authors(text: str) -> tuple[float, str] | None:
    text = text.strip()
    if not text:
        return None
    names = [name.strip() for name in re.split(r"(?<!\s)\s++and\s++", text) if name.strip()]
    surnames = [_surname(name) for name in names]
    if len(text) < _SHORTEST:
        return 0.8, f"the authors have fewer than {_SHORTEST} characters"
    if _ET_AL.fullmatch(text):
        return 0.8, "the authors are only “et al.”"
    if _NUMBERED.search(text):
        return 0.8, "the authors are numbered placeholders"
    if all(len(surname) == 1 for surname in surnames):
        return 0.8, "all family names are one letter"
    if _WORD_WITH_DIGITS.search(text):
        return 0.75, "a name ends in digits"
    if all(_INITIALS.fullmatch(name) for name in names):
        return 0.75, "all names are initials"
    words = re.findall(r"[^\W\d_]+", text)
    if words and sum(bool(_CAPITALS.fullmatch(word)) for word in words) > _HALF * len(words):
        return 0.75, "most names are in capitals"
    return None


def _surname(name: str) -> str:
    family = name.split(",")[0] if "," in name else name.split()[-1]
    return family.strip().rstrip(".")
