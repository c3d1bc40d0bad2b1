"""Conversion of titles and names of services to plain Unicode text: HTML, JATS and MathML markup, entities,
indentation.

Sources of the tag names: the face markup that Crossref accepts in titles (Crossref documentation, "Face markup"), the
JATS 1.3 tag library, MathML 3. Anything else between angle brackets is text (``p < 0.05``).
"""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET
from functools import lru_cache

from pytest_citecheck.matching.text import MAYBE_BLANKS, lazy_pattern

_SUSPICIOUS = lazy_pattern(
    r"[<&]|\s\s|[^\S ]|[\u00ad\u200b-\u200f\u2060\ufeff\ud800-\udfff\x00-\x1f\x7f-\x9f]|[\xc2-\xf4][\x80-\xbf]"
)
# Control characters would also reach terminals, where they mean something.
_INVISIBLE = lazy_pattern(r"[\u00ad\u200b\u200e\u200f\u2060\ufeff\ud800-\udfff\x00-\x08\x0e-\x1f\x7f-\x9f]")
# A leading byte of UTF-8 and one that continues it, as Latin-1 shows them.
_TWICE_ENCODED = lazy_pattern(r"[\xc2-\xf4][\x80-\xbf]")
_SPACE = lazy_pattern(r"\s+")
# No title and no name is longer; the patterns below are not made for whole documents.
_LONGEST = 10_000

_PREFIX = r"(?:(?:jats|mml|ns\d|xhtml):)?"
# Attributes have to look like attributes, so that "n<p and q>3" stays.
_END = r"(?:\s++[\w:.-]++\s*+=[^<>]*+>|\s*+/?>)"
_MATH = lazy_pattern(
    rf"<{_PREFIX}math\b[^<>]*+>([^<]*+(?:<(?!/?{_PREFIX}math\b)[^<]*+)*+)</{_PREFIX}math\s*+>", re.IGNORECASE
)
_MATH_COPIES = lazy_pattern(
    rf"<{_PREFIX}(annotation-xml|annotation)(?=[\s/>])[^<>]*+>[^<]*+(?:<(?!/?{_PREFIX}\1[\s/>])[^<]*+)*+</{_PREFIX}\1\s*+>",
    re.IGNORECASE,
)
_MATH_TAG = lazy_pattern(MAYBE_BLANKS + r"</?[a-z][^<>]*>\s*", re.IGNORECASE)
_TEX = lazy_pattern(
    rf"<{_PREFIX}tex-math\b[^<>]*+>[^<]*+(?:<(?!/?{_PREFIX}tex-math\b)[^<]*+)*+</{_PREFIX}tex-math\s*+>", re.IGNORECASE
)
_LOWERED = lazy_pattern(rf"\n(<{_PREFIX}(?:sub|sup|inf)\b[^<>]*>)", re.IGNORECASE)
_PADDED_OPEN = lazy_pattern(rf"([(\[{{])\n(<{_PREFIX}[a-z])", re.IGNORECASE)
_PADDED_CLOSE = lazy_pattern(r"(</[^<>]*>)\n([)\]},.;:?!])")
_FACE = lazy_pattern(rf"<({_PREFIX}(?:i|em|italic|b|strong|bold|scp|sc))\s*>([^<>]*)</\1\s*>", re.IGNORECASE)
_BREAK = lazy_pattern(rf"</?{_PREFIX}(?:br|p|div|title|break|li|sec|list|list-item){_END}", re.IGNORECASE)
_INLINE = lazy_pattern(
    rf"</?(?:jats:[a-z-]+|mml:[a-z-]+|{_PREFIX}(?:i|b|u|s|em|strong|italic|bold|underline|overline|strike|sub|sup|inf|scp|sc|tt"
    r"|small|big|font|span|a|monospace|roman|sans-serif|styled-content|named-content|inline-formula|inline-graphic"
    r"|alternatives|tex-math|xref|ext-link|fn|math|mi|mn|mo|mrow|msub|msup|msubsup|mtext|mover|munder|mfrac|mstyle|mspace"
    r"|semantics|formula|abbr|cite|q|ovl|emph|emphasis|smallcaps|sansserif|h[1-6]))"
    rf"{_END}",
    re.IGNORECASE,
)
_ENTITY = lazy_pattern(r"&(?:#\d+|#x[0-9a-f]+|[a-z][a-z0-9]*);", re.IGNORECASE)


def _math(match: re.Match[str]) -> str:
    """The symbols of one formula in reading order; without its copy in TeX and without layout space."""
    return _MATH_TAG.sub("", _MATH_COPIES.sub("", match.group(1))).strip()


def _formulas(value: str) -> str:
    if not _MATH.search(value):
        return value
    value = _TEX.sub("", value)
    parts: list[str] = []
    end = 0
    for match in _MATH.finditer(value):
        before, after = value[end : match.start()], value[match.end() : match.end() + 1]
        symbols = _math(match)
        parts.append(before)
        # A word that touches a formula is deposit noise: "of<math>π</math>decays".
        if len(before) > 1 and before[-2:].isalpha():
            parts.append(" ")
        parts.append(symbols)
        if after.isalpha() and value[match.end() : match.end() + 2].isalpha():
            parts.append(" ")
        end = match.end()
    parts.append(value[end:])
    return "".join(parts)


def _face(match: re.Match[str]) -> str:
    """The words in another face, parted from their neighbours where a depositor lost the spaces around the
    tags.

    Old deposits read ``ecology and<i>Functional Ecology</i>`` and ``an<scp>R</scp>package``, while a single
    letter at the edge of a word (``<scp>T</scp>reebase``) belongs to it.
    """
    words, value = match.group(2), match.string
    before, after = value[max(match.start() - 2, 0) : match.start()], value[match.end() : match.end() + 2]
    glued_before = before[-1:].isalpha() and words[:1].isalpha()
    glued_after = len(after) == 2 and after.isalpha() and words[-1:].isalnum()
    inside = glued_before and glued_after and len(before) == 2 and before.isalpha()
    whole = len(words.strip()) > 2 or inside
    return f"{' ' if glued_before and whole else ''}{words}{' ' if glued_after and whole else ''}"


def _without_tags(value: str) -> str:
    value = _formulas(value)
    value = _PADDED_OPEN.sub(r"\1\2", _PADDED_CLOSE.sub(r"\1\2", value))
    value = _LOWERED.sub(r"\1", value)
    return _INLINE.sub("", _BREAK.sub(" ", _FACE.sub(_face, value)))


def _decoded(value: str) -> str:
    """Decode the text once more if it is UTF-8 that was read as Latin-1 (``Wei\u00c3\u009fl`` for ``Weißl``).

    All characters beyond ASCII must fit, which is very rare in correct text.
    """
    if not _TWICE_ENCODED.search(value):
        return value
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


@lru_cache(maxsize=4096)
def _cleaned(value: str) -> str:
    value = _SPACE.sub(lambda match: "\n" if "\n" in match.group() else " ", _decoded(value[:_LONGEST]))
    # Titles are deposited with entities escaped once, twice or thrice, and with tags escaped as entities.
    for _ in range(4):
        if "<" in value:
            value = _without_tags(value)
        unescaped = _ENTITY.sub(lambda match: html.unescape(match.group()), value) if "&" in value else value
        if unescaped == value:
            break
        value = unescaped
    else:
        value = _without_tags(value)
    return _SPACE.sub(" ", _INVISIBLE.sub("", value)).strip()


def without_markup(value: str) -> str:
    """The text without markup, entities, invisible characters and layout space (``H<sub>2</sub>O`` becomes
    ``H2O``).

    Capitals, accents and LaTeX stay as they are. Never raises.
    """
    if not _SUSPICIOUS.search(value):
        return value.strip()
    return _cleaned(value)


def root_of(text: str, *, marks: int, depth: int) -> ET.Element:
    """The root element of a text in which the caller has found no declaration that could expand or fetch anything.

    marks: the most elements and attributes. depth: the most levels. Raises ValueError with the end of a sentence: "contains more
    than …", "cannot be read as a whole XML document: …", "is nested more than … times".
    """
    if text.count("<") + text.count("=") > marks:
        raise ValueError(f"contains more than {marks:,} elements and attributes")
    try:
        root = ET.fromstring(text)  # noqa: S314 - nothing can be declared
    except (ET.ParseError, ValueError, LookupError, RecursionError) as error:
        raise ValueError(f"cannot be read as a whole XML document: {error}") from error
    level = [root]
    for _ in range(depth):
        level = [child for element in level for child in element]
        if not level:
            return root
    raise ValueError(f"is nested more than {depth} times")
