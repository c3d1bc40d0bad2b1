"""Records of standards beside citations by their number or short name (RFC 8259, www.w3.org/TR/xml).

People shorten the titles of standards by hand ("JSON", "The TLS Protocol Version 1.3"). So a number whose record has another
title leads to another standard only if nothing else speaks for it: other people, or no word in common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pytest_citecheck.text.normal_form import without_latex_and_markup, words
from pytest_citecheck.thresholds import AGREEING, SUBJECT_STEM
from pytest_citecheck.titles.languages import may_be_translation
from pytest_citecheck.titles.tokens import FUNCTION_WORDS

if TYPE_CHECKING:
    from pytest_citecheck.linking.candidates import Comparison

__all__ = ["STANDARDS", "number_leads_to"]

STANDARDS = frozenset({"rfc", "w3c"})
"""The kinds of identifiers of standards."""


def number_leads_to(compared: Comparison) -> Literal["target", "similar"]:
    """What the record of a cited number is whose title is another one than the cited: another standard, or perhaps the cited."""
    authors = compared.authors
    if not authors.abstain:
        return "similar" if authors.overlap >= AGREEING else "target"
    if may_be_translation(compared.cited.title, compared.title.found):
        return "similar"
    cited, found = _subjects(compared.cited.title), _subjects(compared.title.found)
    in_short = _initials(compared.title.found)
    return (
        "similar"
        if not cited.isdisjoint(found) or any(len(word) > 1 and word in in_short for word in cited)
        else "target"
    )


def _subjects(title: str) -> set[str]:
    """The beginnings of the words of a title that say what it is about."""
    return {word[:SUBJECT_STEM] for word in words(without_latex_and_markup(title)) if word not in FUNCTION_WORDS}


def _initials(title: str) -> str:
    """The first letters of all words: ``TCP`` stands for Transmission Control Protocol."""
    return "".join(word[0] for word in words(without_latex_and_markup(title)))
