"""Lines of print in one piece: hyphens at their ends, addresses that were broken."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["joined", "words_of"]

_WORD = lazy_pattern(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST_WORD = lazy_pattern(r"(?<![^\W\d_])([^\W\d_]++)$")
_FIRST_WORD = lazy_pattern(r"[^\W\d_]+")
_ADDRESS = lazy_pattern(r"(?<!\S)(?=\S*+$)\S*?(?:https?://|www\.|doi\.org/|\b10\.\d{4,9}/|arxiv\.org/)", re.IGNORECASE)
_REST_OF_ADDRESS = lazy_pattern(r"(?=\S*[\d/._=&?%-])(?![A-Z][a-z]+\b)\S+")
_DOI = lazy_pattern(r"(?P<start>(?<![\d.])10 ?\. ?\d{4,9}(?: ?\. ?\d{1,4})? ?/) ?(?P<rest>\S[^\n]{0,300})")
_WITHIN = lazy_pattern(r"[\w()/-]*(?:\d|\.\S)[\w()/.-]*")
_KEPT = frozenset({"self", "semi", "cross", "multi", "non", "few", "zero", "well"})
"""Words that stand before a hyphen of their own more often than they are the first half of a divided word."""


def words_of(lines: Iterable[str]) -> Counter[str]:
    """How often each word stands in the text, in lower case, those with hyphens as one."""
    found: Counter[str] = Counter()
    for line in lines:
        found.update(word.lower() for word in _WORD.findall(line))
    return found


def joined(lines: Sequence[str], known: Counter[str]) -> str:
    """The lines as one. known: the words of the text, which tell whether a hyphen belongs to the word that it divides."""
    text = ""
    for line in lines:
        part = " ".join(line.split())
        if not part:
            continue
        text = _added(text, part, known) if text else part
    return _DOI.sub(_in_one_piece, " ".join(text.replace("\u00ad", "-").split()))


def _in_one_piece(match: re.Match[str]) -> str:
    """A DOI without the blanks that justified lines have at its dots and slashes, up to where something else begins."""
    whole = match["start"].replace(" ", "")
    words = match["rest"].split(" ")
    whole += words[0]
    for number, word in enumerate(words[1:], start=1):
        joins = (
            word[:1] in "./-_"
            or whole[-1:] in "/-_("
            or (whole[-1:] == "." and _WITHIN.fullmatch(word) and not _is_year(word))
        )
        if not joins or not word:
            return " ".join([whole, *words[number:]])
        whole += word
    return whole


def _added(text: str, part: str, known: Counter[str]) -> str:
    if text.endswith(("-", "\u00ad", "‐")):
        return _unhyphenated(text, part, known)
    if _ADDRESS.search(text) and (text.endswith(("/", "_", "=", "%", "?", "&")) or _goes_on(text, part)):
        return f"{text}{part}"
    if text.endswith(("–", "—")) and part[:1].isdigit():  # a range of pages
        return f"{text}{part}"
    return f"{text} {part}"


def _goes_on(text: str, part: str) -> bool:
    """Whether the first word of a line is the rest of an address."""
    first = part.split(maxsplit=1)[0]
    if text.endswith((".", ",", ")", ";")) and not text.endswith(("org.", "doi.")):
        return (
            text.endswith(".")
            and re.fullmatch(r"\d{4,}+\S*+|\d++\.\d++\S*+", first) is not None
            and not _is_year(first)
        )
    return _REST_OF_ADDRESS.fullmatch(first) is not None and not _is_year(first)


def _is_year(word: str) -> bool:
    return re.fullmatch(r"\(?(?:1[5-9]|20)\d\d[a-z]?\)?[.,;]?", word) is not None


def _unhyphenated(text: str, part: str, known: Counter[str]) -> str:
    bare = text[:-1]
    before, after = _LAST_WORD.search(bare), _FIRST_WORD.match(part)
    if _ADDRESS.search(text) or before is None or after is None:
        return f"{bare}-{part}"
    if not after[0][0].islower():
        return f"{bare}-{part}"  # Jean-Paul, GPT-Neo
    whole, parted = f"{before[1]}{after[0]}".lower(), f"{before[1]}-{after[0]}".lower()
    if known[parted] != known[whole]:
        return f"{bare}-{part}" if known[parted] > known[whole] else f"{bare}{part}"
    return f"{bare}-{part}" if before[1].lower() in _KEPT else f"{bare}{part}"
