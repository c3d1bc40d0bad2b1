"""Whether two titles are in different languages, so that one may be the translation of the other.

Function words give the language of a title away; a title without any of them is not decided.
"""

from __future__ import annotations

from functools import lru_cache

from pytest_citecheck.text.normal_form import fold, words
from pytest_citecheck.thresholds import ACCENTED_WORDS

__all__ = ["language", "may_be_translation"]

# Articles, prepositions and conjunctions, folded; without the words that two of the languages share.
_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset({"the", "of", "and", "for", "with", "from", "by", "on", "to", "is", "are", "how", "its", "using"}),
    "de": frozenset({"der", "die", "das", "und", "fur", "fuer", "uber", "ueber", "zur", "zum", "eine", "von", "mit"}),
    "fr": frozenset({"les", "des", "du", "une", "et", "dans", "sur", "au", "aux", "pour", "avec", "par"}),
    "es": frozenset({"el", "los", "las", "y", "del", "una", "con"}),
    "pt": frozenset({"dos", "uma", "os", "nas", "nos", "ao", "e", "em", "um"}),
    "it": frozenset({"il", "gli", "della", "delle", "dei", "nel", "nella", "di", "sulla", "sul"}),
    "nl": frozenset({"het", "een", "van", "voor", "naar", "bij", "tot"}),
    "pl": frozenset({"w", "z", "dla", "oraz", "przez"}),
}


@lru_cache(maxsize=4096)
def language(title: str) -> str:
    """The language by most function words, or ``other`` for a script that is not Latin; empty if it cannot be told."""
    letters = [letter for letter in fold(title) if letter.isalpha()]
    if letters and sum(letter.isascii() for letter in letters) < len(letters) / 2:
        return "other"
    found = words(title)
    scores = {language: sum(word in known for word in found) for language, known in _WORDS.items()}
    best = max(scores, key=lambda language: scores[language])
    rivals = [language for language, score in scores.items() if score == scores[best]]
    return best if scores[best] and len(rivals) == 1 else ""


def may_be_translation(cited: str, found: str) -> bool:
    """Whether the two titles (plain text) are in two languages, as far as their function words and accents tell."""
    first, second = language(cited), language(found)
    if first and second:
        return first != second
    # Where function words decide nothing, accents do: English has none, and one foreign name has them in one word.
    return abs(_accented(cited) - _accented(found)) >= ACCENTED_WORDS and 0 in (_accented(cited), _accented(found))


def _accented(title: str) -> int:
    """How many words have letters that English does not."""
    return sum(not word.isascii() for word in title.split())
