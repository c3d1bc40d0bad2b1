"""Differences between a cited title and a record's: a slip, an ending, a word of another meaning, another name of a system."""

from __future__ import annotations

import re

from rapidfuzz.distance import OSA, Indel, Prefix

from pytest_citecheck.matching import (
    FUNCTION_WORDS,
    TitleComparison,
    lazy_pattern,
    title_key,
    without_latex_and_markup,
    words,
)
from pytest_citecheck.thresholds import FEW_LETTERS, LONG_WORD, SAME_WORD, WORD_ENDING, WORD_STEM

_ARTICLES = frozenset({"a", "an", "the"})
_ENDINGS = frozenset({
    "", "s", "es", "y", "ies", "e", "d", "ed", "ing", "ings", "r", "er", "ers", "n", "al", "ally", "ly", "ic", "ical", "ion",
    "ions", "ation", "ations", "ive", "ity", "or", "ors",
})  # fmt: skip
_OF_NUMBER = frozenset({"", "s", "es", "y", "ies"})
_ROMAN = lazy_pattern(r"[ivx]+", re.IGNORECASE)


def is_another_number(comparison: TitleComparison) -> bool:
    """Return True if a word differs in singular and plural: publishers' pages have such titles for papers with the
    other form."""
    changes = comparison.changes
    if len(changes) != 1 or changes[0].kind != "replaced":
        return False
    cited, found = changes[0].cited.lower(), changes[0].found.lower()
    stem = Prefix.similarity(cited, found)
    return stem >= WORD_STEM and _OF_NUMBER.issuperset((cited[stem:], found[stem:]))


def is_a_slip_of_either(comparison: TitleComparison) -> bool:
    """Return True if the one word differs in its ending or in a letter or two: that may be the record's slip as well."""
    cited, found = (text.lower() for text in (comparison.changes[0].cited, comparison.changes[0].found))
    stem = Prefix.similarity(cited, found)
    endings = cited[stem:], found[stem:]
    if not (cited + found).isalpha():
        return False  # another digit is another thing
    if stem >= WORD_STEM and (
        _ENDINGS.issuperset(endings) or (stem > WORD_STEM and max(map(len, endings)) <= WORD_STEM)
    ):
        return True
    return (
        min(len(cited), len(found)) > LONG_WORD and OSA.distance(cited, found, score_cutoff=FEW_LETTERS) <= FEW_LETTERS
    )


def is_misspelling(comparison: TitleComparison) -> bool:
    """Return True if all words that differ do so in one letter, other than in an ending: no work is retitled like that."""
    return bool(comparison.changes) and all(_is_misspelt(change.cited, change.found) for change in comparison.changes)


def _is_misspelt(cited: str, found: str) -> bool:
    cited, found = cited.lower(), found.lower()
    if not (cited + found).isalpha() or min(len(cited), len(found)) <= LONG_WORD:
        return False
    stem = Prefix.similarity(cited, found)
    ending = stem >= WORD_STEM and _ENDINGS.issuperset((cited[stem:], found[stem:]))
    return not ending and OSA.distance(cited, found, score_cutoff=1) <= 1


def is_headed(cited: str, comparison: TitleComparison) -> bool:
    """Return True if one title is the other after a head and a colon: a rubric of the publisher, or one that it dropped."""
    shorter, longer = sorted((cited, comparison.found), key=len)
    _, colon, rest = longer.partition(":")
    return bool(colon) and title_key(rest) == title_key(shorter)


def one_word_replaced(comparison: TitleComparison) -> bool:
    """Return True if two titles differ in one word that replaces another; the number of a part or a year is no word."""
    changes = comparison.changes
    return (
        len(changes) == 1
        and changes[0].kind == "replaced"
        and _is_a_word(changes[0].cited)
        and _is_a_word(changes[0].found)
    )


def _is_a_word(text: str) -> bool:
    """Return True if a text is one word of some meaning, with digits in it (3D, CHEK2) or without."""
    return (
        len(text) > 1
        and text.isalnum()
        and not text.isdigit()
        and _ROMAN.fullmatch(text) is None
        and not FUNCTION_WORDS.issuperset(words(text))
    )


def is_replaced(comparison: TitleComparison) -> bool:
    """Return True if a word replaces another one: dropped articles and prepositions are harmless, replaced ones change
    the meaning."""
    return any(
        change.kind == "replaced" and not _ARTICLES.issuperset((*words(change.cited), *words(change.found)))
        for change in comparison.changes
    )


def is_slip(comparison: TitleComparison) -> bool:
    """Return True if the titles differ only by slips in function words, endings and letters, not in their subject."""
    changes = comparison.changes
    return bool(changes) and all(
        change.kind != "moved" and _same_meaning(change.cited, change.found) for change in changes
    )


def is_typo(comparison: TitleComparison) -> bool:
    """Return True if the titles differ in one letter inside a word, not at its beginning or end."""
    cited, found = one_word(comparison)
    inside = cited[:WORD_STEM] == found[:WORD_STEM] and cited[-WORD_ENDING:] == found[-WORD_ENDING:] and bool(cited)
    return inside and OSA.distance(cited, found, score_cutoff=1) <= 1


def one_word(comparison: TitleComparison) -> tuple[str, str]:
    """The one word in which the titles differ, in small letters, as cited and as found; empty if it is not one that differs."""
    changes = comparison.changes
    if len(changes) != 1 or changes[0].kind != "replaced" or not (changes[0].cited + changes[0].found).isalpha():
        return "", ""
    return changes[0].cited.lower(), changes[0].found.lower()


def _same_meaning(cited: str, found: str) -> bool:
    """Return True if the words of one difference are the same but for their endings and letters, articles and prepositions
    aside."""
    one, other = ([word for word in words(text) if word not in FUNCTION_WORDS] for text in (cited, found))
    return len(one) == len(other) and all(
        word == match
        or (
            word.isalpha()
            and word[:WORD_STEM] == match[:WORD_STEM]
            and Indel.normalized_similarity(word, match) >= SAME_WORD
        )
        or (
            word.isalpha()
            and min(len(word), len(match)) >= LONG_WORD
            and OSA.distance(word, match, score_cutoff=1) <= 1
        )
        for word, match in zip(one, other, strict=True)
    )


def is_other_letter(comparison: TitleComparison) -> bool:
    """Return True if the titles differ in one letter in the place of another: no work is retitled like that."""
    cited, found = one_word(comparison)
    return len(cited) == len(found) > LONG_WORD and OSA.distance(cited, found, score_cutoff=1) <= 1


def is_renamed(cited: str, comparison: TitleComparison) -> bool:
    """Return True if a system has another name in the title: the one word before the colon of both, or one coined word for
    another.

    Systems are renamed between preprint and publication (GPTQ and OPTQ, ConvMAE and MCMAE).
    """
    if len(comparison.changes) != 1 or comparison.changes[0].kind != "replaced":
        return False
    change = comparison.changes[0]
    if len(change.cited.split()) > 1 or len(change.found.split()) > 1:
        return False
    if all(
        _title_changes_named(title).startswith(name)
        for title, name in ((cited, change.cited), (comparison.found, change.found))
    ):
        return True
    return _coined(change.cited) and _coined(change.found)


def _coined(word: str) -> bool:
    """Return True if a word has a capital where other words have none ("ConvMAE")."""
    return any(map(str.islower, word)) and any(map(str.isupper, word[1:]))


def _title_changes_named(title: str) -> str:
    """The one word that a title has before its colon; empty if it has none or more."""
    name, colon, _ = without_latex_and_markup(title).partition(":")
    return name.strip() if colon and len(name.split()) == 1 else ""
