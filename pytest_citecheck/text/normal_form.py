"""Text as it is compared: markup removed, characters folded, words cut.

Folding follows Unicode Standard Annex #15 (NFKD) and the case folding of the Unicode Standard, section 3.13,
with two deliberate departures. Only the combining marks of alphabetic scripts are dropped, because in Indic
scripts and in Japanese they are letters of their own; and letters without a decomposition (``ø``, ``ł``,
``ß``) are mapped by hand.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

from pytest_citecheck.text.latex import decode
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["CJK", "fold", "without_latex_and_markup", "words"]

_MARKUP = lazy_pattern(r"[<&\\{}$_^]")
_LATEX = lazy_pattern(r"[\\{}]|\$[^$]*\$")
_LATEX_LEFTOVERS = lazy_pattern(r"[\\{}$]")
_ENTITY = lazy_pattern(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

# Only tags that publishers put into titles: "x<y and z>w" is mathematics, not markup.
_TAG_NAMES = (
    r"(?:(?:mml|jats|m|xhtml):[a-z][\w-]*|a|abbr|alternatives|annotation(?:-xml)?|b|bdi|big|bold|br|break|div|em|"
    r"fn|font|h[1-6]|i|inf|inline-formula|italic|math|m(?:action|frac|fenced|i|n|o|over|padded|phantom|root|row|"
    r"s|space|sqrt|style|sub|subsup|sup|table|td|text|tr|under|underover|multiscripts|prescripts)|monospace|"
    r"named-content|nobr|overline|p|q|roman|sans-serif|sc|scp|sec|semantics|small|span|strike|strong|styled-content|su[bp]|"
    r"tex-math|title|tt|u|underline|xref)"
)
_TAG = lazy_pattern(rf"<(/?)({_TAG_NAMES})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_BLOCK_TAGS = frozenset({"br", "break", "div", "p", "sec", "title", "jats:p", "jats:title", "jats:sec", "jats:break"})
_TEX_TWIN = lazy_pattern(
    r"<((?:mml:|jats:)?(?:tex-math|annotation(?:-xml)?))(?=[\s/>])[^<>]*+>[^<]*+(?:<(?!/?\1[\s/>])[^<]*+)*+</\1>",
    re.IGNORECASE,
)
_MATHML = lazy_pattern(r"<(?:mml:)?math\b", re.IGNORECASE)

_INVISIBLE = lazy_pattern(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_MARKS = lazy_pattern(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640"
    "\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)

_BEFORE_DECOMPOSITION = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′‵ʹʻʼʽˈ`´＇", "'"),
        **dict.fromkeys("“”„‟«»‹›″‶＂", '"'),
        **dict.fromkeys("‐‑‒–—―−⁃⸺⸻﹘﹣－⁓〜～", "-"),
        **dict.fromkeys("™®©℠℗", ""),
        "≠": "!=",
        "≤": "<=",
        "≥": ">=",
        "⩽": "<=",
        "⩾": ">=",
        "×": "x",
        "✕": "x",
        "⨯": "x",
        "·": " ",
        "∙": " ",
        "⋅": " ",
        "•": " ",
        "∗": "*",
        "⋆": "*",
        "★": "*",
        "♯": "#",
        "∞": "infinity",
        "√": "sqrt",
        "∃": "e",
        "∀": "a",
        "¨": "",
        "¯": "",
        "¸": "",
        "˜": "",
        "ˆ": "",
        "˚": "",
        "˙": "",
        "˝": "",
        "˛": "",
        "ˇ": "",
        "˘": "",
        "…": " ",
    }
)
_AFTER_DECOMPOSITION = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "ħ": "h",
        "ŧ": "t",
        "ŋ": "ng",
        "ĸ": "k",
        "ƒ": "f",
        "ı": "i",
        "ȷ": "j",
        "ɛ": "epsilon",
        "ə": "e",
        "ſ": "s",
        "ς": "σ",
        "\u2044": "/",
        "\u2215": "/",
        "_": None,
        "^": None,
    }
)
_GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψω",
        (
            "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda",
            "mu", "nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
        ),
        strict=True,
    )
)  # fmt: skip
# Up to three letters are symbols (α, αβ, αβγ); longer runs are words of Greek text and stay what they are.
_GREEK_SYMBOLS = lazy_pattern(r"(?<![α-ω])[α-ω]{1,3}(?![α-ω])")

# Letters of other scripts that look like Latin ones, and so get into Latin words (Unicode Technical Standard #39, section 4,
# "Confusable Detection"; the table confusables.txt). Small Greek letters are symbols, but for the omicron.
_LATIN_LOOKALIKES = str.maketrans(
    "асеорхуіѕјһԁАВСЕНІЈКМОРЅТХУοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aceopxyisjhdABCEHIJKMOPSTXYoABEZHIKMNOPTYX",
)
_LOOKALIKE = lazy_pattern("[асеорхуіѕјһԁАВСЕНІЈКМОРЅТХУοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]")
_RUN_OF_LETTERS = lazy_pattern(r"[^\W\d_]+")
_LATIN = lazy_pattern("[A-Za-z]")
_OTHER_SCRIPT = lazy_pattern("[^A-Za-z\u00c0-\u024f\u1e00-\u1eff]")

_THOUSANDS = lazy_pattern(r"(?<=\d),\s?(?=\d{3}(?!\d))")
_DEGREES = lazy_pattern(r"(?<=\d)(?:deg\b|∘)")
CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese characters and Japanese kana, as ranges for a regular expression; each is a word of its own."""

# Python's \w leaves out the vowel signs of Indic and South-East Asian scripts, which are letters of their
# words.
_LETTER = "(?:[^\\W_" + CJK + "]|[\u0900-\u0963\u0966-\u109f\u1780-\u17ff])"
_WORD = lazy_pattern(
    rf"\d+(?:\.\d+)+{_LETTER}*|{_LETTER}+[+#*]*|[{CJK}]|!=|<=|>=|[&%+#*=<>±÷\u2190-\u21ff\u2200-\u22ff]"
)
_ASCII_WORD = lazy_pattern(r"\d+(?:\.\d+)+[a-z0-9]*|[a-z0-9]+[+#*]*|!=|<=|>=|[&%+#*=<>]")
_WORD_OF_SYMBOL = {"&": "and", "%": "percent"}


@lru_cache(maxsize=32768)
def _stripped(text: str) -> str:
    if _LATEX.search(text):
        text = decode(text)
    before = ""
    while before != text:  # "&amp;lt;i&amp;gt;" does occur
        before = text
        text = _ENTITY.sub(_character, text)
        if "<" in text:
            if _MATHML.search(text):
                text = _TEX_TWIN.sub("", text)
            text = _TAG.sub(_space_for_block, text)
    text = _LATEX_LEFTOVERS.sub("", text)
    return " ".join(_INVISIBLE.sub("", text).split())


def _character(match: re.Match[str]) -> str:
    return html.unescape(match.group())


def _space_for_block(match: re.Match[str]) -> str:
    return " " if match.group(2).lower() in _BLOCK_TAGS else ""


def without_latex_and_markup(text: str) -> str:
    """``text`` without LaTeX, markup tags, entities and invisible characters; spelling and case are kept.

    Tags are those of the JATS, MathML and HTML vocabularies that Crossref accepts in titles ("Face markup" in
    its metadata documentation). White space is squeezed. An empty or missing text gives an empty one; nothing
    is raised.
    """
    if not text:
        return ""
    if text.isascii() and not _MARKUP.search(text):
        return " ".join(text.split())
    return _stripped(text)


@lru_cache(maxsize=32768)
def _fold(text: str) -> str:
    before = ""
    while before != text:  # compatibility characters can spell out new markup, as full-width "＜i＞" does
        before = text
        text = _stripped(text).translate(_BEFORE_DECOMPOSITION)
        if not text.isascii():
            text = _RUN_OF_LETTERS.sub(_in_latin, text) if _LOOKALIKE.search(text) else text
            text = unicodedata.normalize("NFKD", text.casefold())
            # Folding twice is what the standard asks for: the decomposition of a mathematical capital is a
            # capital.
            text = _MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))
            text = text.translate(_AFTER_DECOMPOSITION)
            text = _GREEK_SYMBOLS.sub(lambda run: "".join(_GREEK[letter] for letter in run.group()), text)
            text = unicodedata.normalize("NFC", text)
        else:
            text = text.lower().replace("_", "").replace("^", "")
        text = " ".join(text.split())
    return text


def _in_latin(match: re.Match[str]) -> str:
    """A Latin word with all its letters Latin; any other word as it is."""
    word = match[0]
    if not _LATIN.search(word):
        return word
    latin = word.translate(_LATIN_LOOKALIKES)
    return word if _OTHER_SCRIPT.search(latin) else latin


def fold(text: str) -> str:
    """``text`` without its differences of case, accent, width, ligature, quotation mark, dash, script style
    and markup.

    A letter of another script that looks like a Latin one becomes that one in a word that is Latin otherwise.
    Greek letters used as symbols become their names, sub- and superscript digits plain digits. Idempotent.
    """
    if not text:
        return ""
    if text.isascii() and not _MARKUP.search(text) and "`" not in text:
        return " ".join(text.lower().split())
    return _fold(text)


def words(text: str) -> tuple[str, ...]:
    """The folded words of ``text`` in their order.

    Digits, decimal points and the symbols that tell names apart (``c++``, ``c#``, ``a*``) are kept, "&" and
    "%" are words, all other punctuation separates. Chinese and Japanese text gives one word a character.
    Apostrophes vanish inside words.
    """
    folded = fold(text).replace("'", "")
    if "," in folded:
        folded = _THOUSANDS.sub("", folded)
    if "deg" in folded or "∘" in folded:
        folded = _DEGREES.sub("", folded)  # "360deg", as proceedings without "°" have it; 360$^\circ$
    found = _ASCII_WORD.findall(folded) if folded.isascii() else _WORD.findall(folded)
    if "&" in folded or "%" in folded:
        found = [_WORD_OF_SYMBOL.get(word, word) for word in found]
    return tuple(found)
