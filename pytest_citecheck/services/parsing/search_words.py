"""The words of a title that are worth searching for, for search engines that want every word to occur."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["distinctive_words", "main_words", "parted_words", "plain_words", "whole_words"]

# Formulas and commands are written in another way by every database.
_FORMULA = lazy_pattern(r"\$[^$]*\$|\\[a-zA-Z]+\s*|[{}\\^$]")
_TOKEN = lazy_pattern(r"[^\W_]+(?:['\u2019\u02bc\u2010-\u2015\u2212/\u00b7-][^\W_]+)*")
_JOINT = lazy_pattern(r"['\u2019\u02bc\u2010-\u2015\u2212/\u00b7-]")
_DASH = lazy_pattern(r"[\u2010-\u2015\u2212/\u00b7-]")
_FUNCTION_WORDS = frozenset(
    {
        "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "how", "in",
        "into", "is", "it", "its", "of", "on", "or", "over", "per", "s", "than", "that", "the", "their",
        "this", "to", "toward", "towards", "under", "upon", "use", "using", "via", "vs", "we", "what",
        "when", "where", "which", "while", "who", "why", "with", "within", "without", "you", "your",
        "der", "die", "das", "ein", "eine", "einer", "und", "von", "zur", "zum", "mit", "le", "la", "les",
        "un", "une", "des", "du", "et", "pour", "sur", "dans", "el", "los", "las", "una", "de", "del",
        "y", "en",
    }
)  # fmt: skip

# What PubMed does not index beyond that (PubMed User Guide, "Stopwords"), as far as a word is long enough to be chosen.
_UNINDEXED = frozenset(
    {
        "about", "again", "all", "almost", "also", "although", "always", "among", "another", "any", "because", "been",
        "before", "being", "between", "both", "but", "could", "did", "does", "done", "due", "during", "each", "either",
        "enough", "especially", "etc", "found", "further", "had", "has", "have", "having", "here", "however", "itself",
        "just", "made", "mainly", "make", "may", "might", "most", "mostly", "must", "nearly", "neither", "nor",
        "obtained", "often", "our", "overall", "perhaps", "pmid", "quite", "rather", "really", "regarding", "seem",
        "seen", "several", "should", "show", "showed", "shown", "shows", "significantly", "since", "some", "such",
        "then", "there", "therefore", "these", "they", "those", "through", "thus", "used", "using", "various", "very",
        "was", "were", "would",
    }
)  # fmt: skip


@lru_cache(maxsize=4096)
def plain_words(title: str) -> tuple[str, ...]:
    """The words of a title in order, without punctuation, formulas and commands; compounds stay one word."""
    return tuple(_TOKEN.findall(_FORMULA.sub(" ", unicodedata.normalize("NFC", title))))


def parted_words(title: str, most: int) -> tuple[str, ...]:
    """The first words of a title, compounds taken apart (``pre``, ``training``), for engines in which a dash is a sign."""
    return tuple(part for word in plain_words(title) for part in _DASH.split(word))[:most]


def distinctive_words(title: str, most: int) -> tuple[str, ...]:
    """At most ``most`` words to search by prefix: no function words, of a compound only its first part.

    ``Pre-training`` becomes ``Pre``, because an index holds either ``pretraining`` or ``pre`` and
    ``training``. Words with digits or of one letter come in only if nothing better is there, as databases
    write them differently. The order is that of the title. If a title consists of function words only, these
    are taken.
    """
    words = [_JOINT.split(word)[0] for word in plain_words(title)]
    unique = list(dict.fromkeys(words))
    content = [word for word in unique if word.lower() not in _FUNCTION_WORDS]
    good = [word for word in content if len(word) > 1 and not any(map(str.isdigit, word))]
    chosen = good[:most] if len(good) >= min(2, most) else (content or unique)[:most]
    return tuple(chosen)


def whole_words(title: str, most: int) -> tuple[str, ...]:
    """At most ``most`` words to search as they stand, all of which a good record should have.

    No function words, no compounds and no words with digits or letters beyond ASCII, as engines split and fold these in
    other ways; these come in only if fewer than two others are there. The order is that of the title. Not empty if the
    title holds a word.
    """
    words = plain_words(title)
    sure = [word for word in words if word.isascii() and word.isalpha() and len(word) > 2]
    good = list(dict.fromkeys(word for word in sure if word.lower() not in _FUNCTION_WORDS | _UNINDEXED))
    if len(good) > 1:
        return tuple(good[:most])
    parts = [part for word in words for part in _JOINT.split(word)]
    return tuple(dict.fromkeys(parts))[:most]


def main_words(title: str, most: int, *, with_author: bool) -> tuple[str, ...]:
    """At most ``most`` words of a title as `whole_words` chooses them, of the part before the colon if an author makes up for the
    rest: catalogues keep subtitles apart, and many leave them out."""
    main = title.partition(":")[0] if with_author else ""
    return whole_words(main, most) or whole_words(title, most)
