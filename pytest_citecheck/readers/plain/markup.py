"""Markdown and HTML emphasis in a printed reference: what is bold, italic or linked."""

from __future__ import annotations

import re

from pytest_citecheck.text.normal_form import without_latex_and_markup
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["Marked", "marked"]

_SIGNS = {"bold": ("\ue000", "\ue001"), "italic": ("\ue002", "\ue003"), "link": ("\ue004", "\ue005")}
"""Private characters that stand for the marks: nothing else in a text does, since they are taken out first."""
_PRIVATE = lazy_pattern("[\ue000-\ue005]")
_LINK = lazy_pattern(r"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]\(<?https?://(?:[^\s()]|\([^\s()]*\))*(?:\s+\"[^\"]*\")?\)")


def _element(names: str) -> str:
    """Pattern of an HTML element with its content as a group, which has no element of these names in it."""
    return rf"<(?:{names})>((?:[^<\n]|<(?!/?(?:{names})>))++)</(?:{names})>"


# No content contains its own mark: a mark without an end is followed to the next mark only.
_BOLD = lazy_pattern(
    r"\*\*(?=\S)((?:[^*\n]|\*(?!\*))++)(?<=\S)\*\*|(?<!\w)__(?=\S)((?:[^_\n]|_(?!_))++)(?<=\S)__(?!\w)|"
    + _element("b|strong"),
    re.IGNORECASE,
)
_ITALIC = lazy_pattern(
    r"(?<![\w*])\*(?=[^\s*])([^*]++)(?<=\S)\*(?![\w*])|(?<!\w)_(?=\S)([^_]++)(?<=\S)_(?!\w)|" + _element("i|em"),
    re.IGNORECASE,
)


class Marked:
    """A text in which private characters stand around what was emphasised."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.bare = self.bare_part(0)

    def spans(self, *kinds: str) -> list[tuple[int, int, str]]:
        """Offsets (in ``text``, around the marks) and bare text of what has one of these kinds of emphasis."""
        found: list[tuple[int, int, str]] = []
        for kind in kinds:
            opening, closing = _SIGNS[kind]
            for match in re.finditer(f"{opening}([^{opening}{closing}]*){closing}", self.text):
                span = (match.start(), match.end(), " ".join(_PRIVATE.sub("", match[1]).split()))
                if not any(begin <= span[0] < end or span[0] <= begin < span[1] for begin, end, _ in found):
                    found.append(span)
        return sorted(found)

    def bare_part(self, start: int, end: int | None = None) -> str:
        """The part of the text between two offsets without marks."""
        return _PRIVATE.sub("", self.text[start:end])

    def bare_offset(self, offset: int) -> int:
        """Where the character at this offset stands in ``bare``."""
        return len(self.bare_part(0, offset))


def marked(text: str) -> Marked:
    """Read the emphasis of Markdown and of HTML; the addresses of links are dropped."""
    text = _PRIVATE.sub("", text)
    text = _LINK.sub(lambda link: _around("link", link[1]), text)
    text = _BOLD.sub(lambda bold: _around("bold", bold[1] or bold[2] or bold[3]), text)
    text = _ITALIC.sub(lambda italic: _around("italic", italic[1] or italic[2] or italic[3]), text)
    if re.search(r"[<&][a-z/#]", text, re.IGNORECASE):
        text = without_latex_and_markup(text)
    return Marked(text)


def _around(kind: str, content: str) -> str:
    opening, closing = _SIGNS[kind]
    return f"{opening}{content}{closing}"
