"""A corrected title that keeps each cited word that is right as it is written: its capitals, braces and commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher

from pytest_citecheck.text.latex import decode
from pytest_citecheck.text.normal_form import fold
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["merged_title"]

_WORD = lazy_pattern(r"\S+")
_PROTECTED = lazy_pattern(r"(?<![A-Za-z])\{([^{}\\]+)\}")
_CAPITALS = lazy_pattern(r"\A\W*+\w.*[A-Z]")
_LETTERS = lazy_pattern(r"\W+")
_HALF = 0.5
"""Share of the words of a title below which it is written anew."""


def merged_title(raw: str, title: str, written: Callable[[str], str]) -> str:
    """The title in LaTeX; ``raw`` is the cited one as it is written, ``written`` puts new words into LaTeX.

    A subtitle that the record leaves out stays. A new word follows the cited words in its capitals: those of a title in capitals
    begin with one. Words that the cited title protects with braces stay protected.
    """
    outer = raw.startswith("{") and raw.endswith("}") and "}" not in raw[1:-1]
    inner = raw[1:-1] if outer else raw
    head, colon, subtitle = inner.partition(": ")
    left_out = ":" not in title and not set(_keys(title)) & set(_keys(subtitle)) - set(_keys(head))
    if colon and left_out and head.count("{") == head.count("}") and _keys(head) != _keys(title):
        merged = f"{merged_title(head, title, written)}{colon}{subtitle}"  # many records leave out the subtitle
        return f"{{{merged}}}" if outer else merged
    cited = list(_WORD.finditer(inner))
    new = title.split()
    matcher = SequenceMatcher(None, [_key(word[0]) for word in cited], [_key(word) for word in new], autojunk=False)
    blocks = matcher.get_opcodes()
    same = sum(i2 - i1 for kind, i1, i2, _, _ in blocks if kind == "equal")
    if not cited or same < _HALF * max(len(cited), len(new)) or not _balanced(cited):
        return _whole(raw, title, written, outer=outer)
    capitals = _in_capitals([word[0] for word in cited])
    protects = any(_PROTECTED.search(word[0]) for word in cited)
    parts: list[str] = []
    for kind, i1, i2, j1, j2 in blocks:
        if kind == "equal":
            parts += [_punctuated(cited[i][0], new[j]) for i, j in zip(range(i1, i2), range(j1, j2), strict=True)]
        elif kind in ("replace", "insert"):
            parts += [
                _protected(written(_capitalised(word) if capitals else word), protects=protects) for word in new[j1:j2]
            ]
    merged = " ".join(parts)
    if not title.endswith(":"):
        merged = merged.removesuffix(":")
    return f"{{{merged}}}" if outer else merged


def _key(word: str) -> str:
    return _LETTERS.sub("", fold(decode(word))) or word


def _keys(title: str) -> list[str]:
    return [_key(word) for word in title.split()]


def _balanced(words: list[re.Match[str]]) -> bool:
    """Whether no group in braces spans several words: then they can be exchanged one by one."""
    return all(word[0].count("{") == word[0].count("}") and word[0].count("$") % 2 == 0 for word in words)


def _punctuated(cited: str, found: str) -> str:
    """The cited word with the punctuation mark of the record at its end."""
    end = found[-1] if found[-1] in ":,.?!" else ""
    bare = cited.rstrip(":,")
    if end == ":" and not cited.endswith(":") and not bare.endswith((".", "?", "!")):
        return f"{bare}:"
    return cited


def _in_capitals(cited: list[str]) -> bool:
    """Whether the long words of a title begin with capitals."""
    long = [plain for word in cited[1:] if len(plain := decode(word)) > 4 and plain[0].isalpha()]
    return bool(long) and 2 * sum(word[0].isupper() for word in long) > len(long)


def _capitalised(word: str) -> str:
    return word[:1].upper() + word[1:] if len(word) > 3 else word


def _protected(word: str, *, protects: bool) -> str:
    """A word in braces if its capitals would be lost in a style that writes titles small, and the cited title protects such."""
    if not protects or not _CAPITALS.search(word) or "\\" in word:
        return word
    bare = word.rstrip(":,.?!")
    return f"{{{bare}}}{word[len(bare) :]}"


def _whole(raw: str, title: str, written: Callable[[str], str], *, outer: bool) -> str:
    value = written(title)
    for word in () if outer else dict.fromkeys(_PROTECTED.findall(raw)):
        value = re.sub(rf"(?<![\w{{]){re.escape(word)}(?![\w}}])", lambda match: f"{{{match[0]}}}", value)
    return f"{{{value}}}" if outer else value
