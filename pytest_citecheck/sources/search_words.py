"""The words of a title that are worth searching for, for search engines that want every word to occur."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["distinctive_words", "plain_words"]

# Formulas and commands are written in another way by every database.
_FORMULA = re.compile(r"\$[^$]*\$|\\[a-zA-Z]+\s*|[{}\\^$]")
_TOKEN = re.compile(r"[^\W_]+(?:['\u2019\u02bc\u2010-\u2015\u2212/\u00b7-][^\W_]+)*")
_JOINT = re.compile(r"['\u2019\u02bc\u2010-\u2015\u2212/\u00b7-]")
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


@lru_cache(maxsize=4096)
def plain_words(title: str) -> tuple[str, ...]:
    """The words of a title in order, without punctuation, formulas and commands; compounds stay one word."""
    return tuple(_TOKEN.findall(_FORMULA.sub(" ", unicodedata.normalize("NFC", title))))


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
