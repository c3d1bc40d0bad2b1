"""Plain Unicode text out of what collections put into titles and names: markup of HTML, JATS and MathML, entities, layout.

Tags are taken away if they are of the face markup that Crossref accepts (Crossref documentation, "Face markup"), of JATS 1.3 or
of MathML 3. Anything else between angle brackets is text (``p < 0.05``, ``std::vector<T>``).
"""

from __future__ import annotations

import html
import re

__all__ = ["plain"]

_SUSPICIOUS = re.compile(r"[<&]|\s\s|[^\S ]|[\x00-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2060\ufeff\ud800-\udfff]")
_INVISIBLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u2060\ufeff\ud800-\udfff]")
_LONGEST = 20_000
_ATTRIBUTES = r"(?:\s++[\w:.-]++\s*+=[^<>]*+>|\s*+/?>)"
_BREAK = re.compile(rf"</?(?:jats:)?(?:br|p|div|title|break|li|sec|list|list-item){_ATTRIBUTES}", re.IGNORECASE)
_COPY = re.compile(
    r"<((?:mml:|jats:)?(?:annotation-xml|annotation|tex-math))(?=[\s/>])[^<>]*+>[^<]*+(?:<(?!/?\1[\s/>])[^<]*+)*+</\1\s*+>",
    re.IGNORECASE | re.DOTALL,
)
_INLINE = re.compile(
    r"</?(?:(?:jats|mml):[a-z-]+|i|b|u|s|em|strong|italic|bold|underline|overline|strike|sub|sup|inf|scp|sc|tt|small|big|font"
    r"|span|a|monospace|roman|sans-serif|styled-content|named-content|inline-formula|inline-graphic|alternatives|xref|ext-link"
    r"|math|mi|mn|mo|mrow|msub|msup|msubsup|mtext|mover|munder|mfrac|mstyle|mspace|semantics|formula|abbr|cite|q|ovl|emph"
    rf"|emphasis|smallcaps|sansserif|h[1-6]){_ATTRIBUTES}",
    re.IGNORECASE,
)
# Titles are deposited with entities escaped once, twice or thrice, and with tags escaped as entities.
_ROUNDS = 3


def plain(value: str) -> str:
    """The text on one line, without markup, entities and invisible characters (``H<sub>2</sub>O`` becomes ``H2O``).

    Capitals, accents and LaTeX stay as they are. Never raises; more than 20,000 characters are cut.
    """
    if not _SUSPICIOUS.search(value):
        return value.strip()
    value = value[:_LONGEST]
    for _ in range(_ROUNDS):
        if "<" in value:
            value = _INLINE.sub("", _BREAK.sub(" ", _COPY.sub("", value)))
        if "&" not in value:
            break
        value = html.unescape(value)
    return " ".join(_INVISIBLE.sub("", value).split())
