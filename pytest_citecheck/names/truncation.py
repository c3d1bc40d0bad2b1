"""How a list of names says that it leaves some out: "and others", "et al.", an ellipsis, in the languages of bibliographies.

The forms are those that style manuals prescribe (APA 7, 9.8: an ellipsis before the last author; GB/T 7714: 等; GOST R 7.0.5:
и др.; ISO 690: et al.) and those that authors write out. Forms of small letters only ("i in.", "u. a.") have to stand
as such: in capitals they are initials.
"""

from __future__ import annotations

import re

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["marked_ellipses", "without_others"]

_ELLIPSIS = lazy_pattern(
    r"[{$\[(]{0,3}\s{0,3}(?:\\(?:ldots|dots|cdots|textellipsis)(?![A-Za-z])(?:\{\})?|\.{3,}|\.\s\.\s\.|[…⋯])\s{0,3}[}$\])]{0,3}"
)
_BEFORE = r"(?:^|(?<=[\s,~.]))"
_PEOPLE = r"(?:colleagues|co-?authors|co-?workers|collaborators|associates|contributors|more|Mitarbeiter|Kollegen|collaborateurs)"
_LATIN = r"\{{0,3}(?:\\emph\{|\\textit\{|\\(?:it|em)\s)?\s?et[\s~.]*al(?:\b|ii|ia|iae)"
_ANY_CASE = lazy_pattern(
    rf"(?:^|(?<=[\s,~]))(?:{_LATIN}|(?:\+?\d+|many|the)\s+(?:others|more|{_PEOPLE})|among\s+others)[\s,.}}]*$",
    re.IGNORECASE,
)
_SMALL = lazy_pattern(
    _BEFORE
    + r"(?:etc|u\.\s?a|u\.\s?m|und\s+(?:andere|Mitarbeiter|Kollegen)|u\.\s?Mitarb|y\s+(?:otros|otras|cols?|colaboradores)|e\s+"
    r"(?:outros|altri|colaboradores|collaboratori|cols)|et\s+(?:autres|coll|collaborateurs)|e\.\s?a|en\s+(?:anderen|andere)"
    r"|m\.\s?fl|mfl|med\s+flera|og\s+andre|och\s+andra|ja\s+muut|ym(?=\.)|i\s+(?:in|inni|wsp|dr|d?altres)|a\s+(?:kol|další)"
    r"|és\s+(?:mtsai|mások)|mtsai|și\s+(?:alții|colab)|ve\s+(?:ark|diğ|diğerleri|arkadaşları)|vd(?=\.)|dkk"
    r"|и\s+(?:др|другие|соавт)|та\s+ін|і\s+інш?|և\s+ուրիշներ|κ\.\s?ά|και\s+άλλοι|व\s+अन्य|और\s+अन्य|ו?אחרים|وآخرون|و\s?آخرون|و\s?همکاران"
    r"|等(?:人|他)?|ほか|(?<=[\s,])他|외(?:\s*\d+\s*[인명])?)[\s,.]*$"
)
_GLUED = lazy_pattern(r"(?<=[\u3040-\u30ff\u4e00-\u9fff]{2})等$")
_ALONE = lazy_pattern(
    rf"\{{*+\s*+(?:and[\s~]++)?(?:(?:\d++\s++|many\s++|the\s++)?(?i:others)|l?dots|al|{_PEOPLE}|(?:his|her|their)\s++{_PEOPLE}"
    rf"|\+?\d++\s++(?:more|authors)|inni|in\.|др|andere|otros|outros|altri|autres)\s*+\}}*+\.?\s*+\}}*+"
)


def marked_ellipses(raw: str) -> str:
    """A BibTeX name list with "and others" in place of each ellipsis, however it is written, in braces or not."""
    return _ELLIPSIS.sub(" and others and ", raw)


def without_others(chunk: str) -> tuple[str, bool]:
    """What stands between two "and"s without the words for omitted authors, and whether there were any."""
    if _ALONE.fullmatch(chunk):
        return "", True
    for words in (_ANY_CASE, _SMALL, _GLUED):
        if match := words.search(chunk):
            return chunk[: match.start()].rstrip(" ,;~{"), True
    return chunk, False
