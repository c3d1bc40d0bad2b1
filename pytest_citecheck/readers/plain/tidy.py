"""What a page has done to a reference string: ligatures, hyphens of line breaks, broken addresses, a number, two in one."""

from __future__ import annotations

import re

from pytest_citecheck.readers.plain.addresses import ADDRESS, mended_addresses
from pytest_citecheck.readers.plain.names import names_persons
from pytest_citecheck.readers.plain.segments import segmentations
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["separated", "tidied"]

_LIGATURES = str.maketrans(
    {
        "ﬀ": "ff",
        "ﬁ": "fi",
        "ﬂ": "fl",
        "ﬃ": "ffi",
        "ﬄ": "ffl",
        "ﬅ": "st",
        "ﬆ": "st",
        "\u00ad": None,
        "\u200b": None,
        "\ufeff": None,
    }
)
_EAST_ASIAN = lazy_pattern(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_FULL_WIDTH = str.maketrans(
    {"，": ", ", "。": ". ", "．": ". ", "：": ": ", "；": "; ", "（": " (", "）": ") ", "［": "[", "］": "]"}
)
_NUMBER = lazy_pattern(
    r"\A\s*+(?:\[\w{0,12}[\d+]\w{0,4}\]|\(\d{1,4}\)|\d{1,4}[.)](?=\s)|\\bibitem(?:\[[^\]\n]*\])?\{[^}\n]*\}|[•▪‣]|[-*]\s)\s*"
)
_HYPHEN = lazy_pattern(r"(?<=[^\W\d_A-Z])[-‐]\s+(?=[^\W\d_A-Z])")
_BOTH = lazy_pattern(r"(?:and|or|to|und|oder|bis|et|ou|y|e|o|en)\b", re.IGNORECASE)
_COMPOUND = lazy_pattern(
    r"\b(?:self|non|pre|post|multi|cross|semi|co|re|sub|meta|pseudo|quasi|anti|inter|intra|ultra|well|high|low|large|small|long"
    r"|short|open|closed|real|time|data|end|to|state|of|the|art|zero|one|few|two|three|fine|deep|off|on|in|out|top|bottom|human"
    r"|machine|model|user|domain|task|graph|text|image|vision|language|knowledge|privacy|energy|context|object|event|agent|risk"
    r"|noise|memory|compute|cost|hand|hard|light|full|half|free|cell|wise|based|aware|level|scale|order|term|shot|rank|class)$",
    re.IGNORECASE,
)
"""First parts of compounds: a hyphen at the end of a line stays after them."""
_GLUE = lazy_pattern(
    rf"(?:\b(?:1[5-9]|20)\d\d[a-z]?\.|\d\.|{ADDRESS}\.?|\)\.?)\s+(?=(?:\[\d{{1,4}}\]\s+)?[^\W\d_a-z][\w.'’-]*[ ,.])"
)
_LONG_ENOUGH = 40
_FAIR, _GOOD = 5.0, 6.5
"""Weight of a segmentation that alone is a reference: names, a title, and what may follow one."""


def tidied(string: str) -> str:
    """The string on one line, in whole words, without the number in front of it."""
    text = (
        _NUMBER.sub("", string.translate(_LIGATURES), count=1)
        if _NUMBER.match(string)
        else string.translate(_LIGATURES)
    )
    if _EAST_ASIAN.search(text):
        text = text.translate(_FULL_WIDTH)
    text = mended_addresses(" ".join(text.split()))
    addresses = [match.span() for match in re.finditer(ADDRESS, text)]

    def joined(match: re.Match[str]) -> str:
        if _BOTH.match(text, match.end()) or any(start <= match.start() < end for start, end in addresses):
            return match[0]
        return "-" if _COMPOUND.search(text, max(0, match.start() - 12), match.start()) else ""

    return _HYPHEN.sub(joined, text)


def separated(text: str) -> list[str]:
    """The references in a tidied string: one, or several that are glued, where each can stand alone."""
    for match in _GLUE.finditer(text):
        first, second = text[: match.end()].strip(), text[match.end() :].strip()
        if min(len(first), len(second)) < _LONG_ENOUGH:
            continue
        if re.match(r"\[\d{1,4}\]\s", second):
            return [first, *separated(_NUMBER.sub("", second, count=1))]
        if _stands_alone(second) and _is_whole(first):
            return [first, *separated(second)]
    return [text]


def _is_whole(text: str) -> bool:
    """Whether a string can be a reference of its own, be it one of an organisation."""
    best = segmentations(text, 1)
    return bool(best) and best[0].weight >= _FAIR and re.search(rf"\b(?:1[5-9]|20)\d\d|{ADDRESS}", text) is not None


def _stands_alone(text: str) -> bool:
    """Whether a string begins with persons, and has a title and a year."""
    if not re.search(r"\b(?:1[5-9]|20)\d\d", re.sub(ADDRESS, "", text)):
        return False
    best = segmentations(text, 1)
    return bool(best) and best[0].weight >= _GOOD and _are_several(best[0].before)


def _are_several(people: str) -> bool:
    """Whether these are persons without doubt: several, or with initials. Three words in capitals may be a title."""
    return names_persons(people) and re.search(r",|&|\sand\s|\b[^\W\d_]\.", people) is not None
