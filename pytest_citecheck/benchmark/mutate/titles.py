"""Mutations of titles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from pytest_citecheck.benchmark.mutate.material import Changed, DoesNotApply, Material
from pytest_citecheck.benchmark.mutate.original import Original
from pytest_citecheck.benchmark.mutate.stream import Stream
from pytest_citecheck.benchmark.mutate.tex import content_words, is_balanced, outside_braces
from pytest_citecheck.benchmark.mutate.wording import alternatives, other_number
from pytest_citecheck.text.normal_form import fold, without_latex_and_markup, words
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.titles.comparison import compare_titles
from pytest_citecheck.titles.languages import may_be_translation

__all__ = ["chimeric_title", "invented_title", "near_miss_title", "reworded_title", "titled"]

_JOINT = lazy_pattern(
    r"(?::\s+|(?<!\s)\s+(?=(?:for|of|in|with|from|via|using|by|on|under|through|toward|towards|without|between|among)\s))"
)
_MIN_WORDS = 2
_END_OF_NOUN_PHRASE = lazy_pattern(
    r"\}*(?:$|[:?!;,]|\s+(?:for|of|in|with|from|via|using|by|on|under|through|and|or)\s)"
)
_ENGLISH = "of the and"
_ONE_OF_THEM = lazy_pattern(r"\b(?:an?|one|each|every|all|many|several)\s+(?:\S+\s+){0,3}\S*$", re.IGNORECASE)
_ARTICLE = lazy_pattern(r"\ban?\}*\s+$", re.IGNORECASE)
_VOWELS = frozenset("aeiou")
_CLOSE = 60  # characters before a noun within which its article stands


def near_miss_title(original: Original, material: Material, stream: Stream) -> Changed:
    """The title with one content word replaced by a near synonym or by its other grammatical number."""
    del material
    title = original.fields["title"]
    english = not may_be_translation(original.cited.title, _ENGLISH)
    options = [
        (start, end, other) for start, end in content_words(title) for other in _near(title, start, end) if english
    ]
    for start, end, other in stream.shuffled(options):
        made = title[:start] + other + title[end:]
        if _is_another(made, original):
            return titled(original, made)
    raise DoesNotApply("needs a title with an English word that has a near synonym")


def chimeric_title(original: Original, material: Material, stream: Stream) -> Changed:
    """An invented title, combined from the titles of two other works."""
    return titled(original, invented_title(original, material, stream))


def invented_title(original: Original, material: Material, stream: Stream) -> str:
    """The first half of one title and the second half of another, as written. Raises DoesNotApply."""
    needed = "two other references whose titles can be joined"
    first = material.donor(original, stream, lambda other: halves(_title(other)) is not None, needed)
    head = (halves(_title(first)) or ("", ""))[0]

    def suits(other: Original) -> bool:
        cut = halves(_title(other))
        return other is not first and cut is not None and _is_new(head + cut[1], (original, first, other))

    second = material.donor(original, stream, suits, needed)
    return head + (halves(_title(second)) or ("", ""))[1]


def reworded_title(original: Original, material: Material, stream: Stream) -> str:
    """The title with two or three of its content words replaced by words of other titles. Raises DoesNotApply."""
    title = original.fields["title"]
    places = list(content_words(title))
    if len(places) < _MIN_WORDS:
        raise DoesNotApply("needs a title with two words that can be replaced")
    chosen = sorted(stream.shuffled(places)[: _MIN_WORDS + stream.below(2)], reverse=True)
    used = set(words(title))
    for start, end in chosen:
        other = _foreign_word(original, material, stream, used)
        used.add(fold(other))
        title = title[:start] + (other.capitalize() if title[start].isupper() else other.lower()) + title[end:]
    if not _is_another(title, original):
        raise DoesNotApply("needs a title with two words that can be replaced")
    return title


def titled(original: Original, title: str) -> Changed:
    """The reference with another title and without a subtitle field."""
    fields = {name: value for name, value in original.fields.items() if name not in ("subtitle", "shorttitle")}
    return Changed(original.reference.type, {**fields, "title": title})


@lru_cache(maxsize=16384)
def halves(title: str) -> tuple[str, str] | None:
    """A title as written, split after its main part ("Deep Learning", " for Genomics"); None if it cannot be split."""
    if "?" in title:
        return None  # half a question makes no title
    for joint in outside_braces(title, _JOINT):
        head, tail = title[: joint.start()], title[joint.start() :]
        if min(len(words(head)), len(words(tail))) >= _MIN_WORDS and is_balanced(head) and is_balanced(tail):
            return head, tail
    return None


def _title(original: Original) -> str:
    return original.fields["title"]


def _near(title: str, start: int, end: int) -> Iterator[str]:
    word = title[start:end]
    before = title[max(0, start - _CLOSE) : start]
    article = _ARTICLE.search(before) is not None
    for other in alternatives(word):
        if not article or (other[0].lower() in _VOWELS) == (word[0].lower() in _VOWELS):
            yield other
    if _END_OF_NOUN_PHRASE.match(title, end) and not _ONE_OF_THEM.search(before) and (other := other_number(word)):
        yield other


def _is_another(title: str, original: Original) -> bool:
    """Whether this title differs from that of the reference by more than typography, articles and prepositions."""
    comparison = compare_titles(without_latex_and_markup(title), without_latex_and_markup(original.fields["title"]))
    return comparison.relation not in ("same", "short") and not comparison.only_function_words


def _is_new(title: str, others: Sequence[Original]) -> bool:
    """Whether this title differs clearly from all of theirs."""
    return (
        is_balanced(title)
        and all(
            compare_titles(without_latex_and_markup(title), other.cited.title).relation in ("near", "different")
            for other in others[1:]
        )
        and compare_titles(without_latex_and_markup(title), others[0].cited.title).relation == "different"
    )


def _foreign_word(original: Original, material: Material, stream: Stream, used: set[str]) -> str:
    """A content word of another title that this one does not contain."""

    def fresh(other: Original) -> list[str]:
        return [word for word, meanings in _vocabulary(_title(other)) if not meanings & used]

    donor = material.donor(original, stream, lambda other: bool(fresh(other)), "another reference with other words")
    return stream.pick(fresh(donor))


@lru_cache(maxsize=16384)
def _vocabulary(title: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The content words of a title as written, each with its folded form and those of its near synonyms."""
    found = [title[start:end] for start, end in content_words(title)]
    return tuple((word, frozenset(map(fold, (word, *alternatives(word))))) for word in found)
