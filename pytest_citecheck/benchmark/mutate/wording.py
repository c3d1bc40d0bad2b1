"""Near synonyms of words in titles, as an imprecise memory confuses them, and the grammatical number of nouns.

The words of a group are near in meaning but different: replacing one by another gives another title.
"""

from __future__ import annotations

from importlib.resources import files

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["alternatives", "other_number"]

_TEXT = files("pytest_citecheck.benchmark.mutate").joinpath("data/near_words.txt").read_text(encoding="utf-8")
_GROUPS = [line.split() for line in _TEXT.splitlines()]
_OTHERS: dict[str, tuple[str, ...]] = {
    word: tuple(other for other in group if other != word) for group in _GROUPS for word in group
}
# A word with one of these endings is a noun with a plural in -s; other words may be adjectives or verbs.
_NOUN = lazy_pattern(
    r"(?:[st]ion|ment|work|ture|sure|[ae]nce|ship|[^ly]er|tor|sor|eme|em|ithm|del|age|ode|aph|ace|ase|rce|ogram|rve|ine)$"
)
_NO_PLURAL = lazy_pattern(r"(?:[^aeou]y|s|x|z|ch|sh)$")


def alternatives(word: str) -> tuple[str, ...]:
    """Near synonyms of an English word, with its capitals and plural; empty if none is known."""
    lower = word.lower()
    found = _OTHERS.get(lower)
    if found is None and lower.endswith("s") and lower[:-1] in _OTHERS:
        found = tuple(f"{other}s" for other in _OTHERS[lower[:-1]] if not _NO_PLURAL.search(other))
    return tuple(_written_like(word, other) for other in found or ())


def other_number(word: str) -> str:
    """The plural of a singular noun or the singular of a plural, if only an s differs; otherwise empty."""
    lower = word.lower()
    if lower.endswith("s"):
        return word[:-1] if _NOUN.search(lower[:-1]) and not word.isupper() else ""
    return f"{word}s" if _NOUN.search(lower) and not _NO_PLURAL.search(lower) and not word.isupper() else ""


def _written_like(word: str, other: str) -> str:
    if word.isupper():
        return other.upper()
    return other.capitalize() if word[0].isupper() else other
