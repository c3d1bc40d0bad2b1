"""Works related to a reference, and the phrases of their titles: material for mutations from its discipline and language."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import accumulate, pairwise

from pytest_citecheck.matching import fold, language, lazy_pattern, lookup, without_latex_and_markup, words
from pytest_citecheck.model import Location, Record, Reference

_STEM = 6
_SHORTEST = 4
_WORDS = files("pytest_citecheck.benchmark.mutate").joinpath("data/title_words.txt").read_text(encoding="utf-8")
_LISTS = {name: frozenset(listed.split()) for name, _, listed in (line.partition(":") for line in _WORDS.splitlines())}
_GENERAL = frozenset(word[:_STEM] for listed in ("general", "before", "others") for word in _LISTS[listed])


@lru_cache(maxsize=65536)
def topic_words(title: str) -> frozenset[str]:
    """Stems of the topic words of a title; in scripts without spaces, all pairs of letters."""
    plain = without_latex_and_markup(title)
    if script_of(plain) in _EAST_ASIAN:
        return frozenset(one + other for one, other in pairwise(plain) if (one + other).isalpha())
    found = {word[:_STEM] for word in words(plain) if len(word) >= _SHORTEST and not word.isdecimal()}
    return frozenset(found - _GENERAL)


_EAST_ASIAN = frozenset({"zh", "ja", "ko"})
_SCRIPTS = {"CJK": "zh", "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "CYRILLIC": "ru"}


@lru_cache(maxsize=65536)
def script_of(text: str) -> str:
    """Return the script of most letters: ``zh``, ``ja``, ``ko`` or ``ru`` for these languages, else its Unicode name."""
    letters = filter(str.isalpha, text)
    names = ("LATIN" if letter.isascii() else unicodedata.name(letter, "?").split()[0] for letter in letters)
    counts = Counter(_SCRIPTS.get(name, name) for name in names)
    if "ja" in counts and "zh" in counts:
        return "ja"  # which writes with Chinese characters too
    return max(counts, key=lambda name: counts[name], default="LATIN")


@lru_cache(maxsize=65536)
def tongue(title: str) -> str:
    """The language of a title: by its script, or its function words; empty if it cannot be told."""
    plain = without_latex_and_markup(title)
    script = script_of(plain)
    return language(plain) if script == "LATIN" else script


def is_foreign(one: str, other: str) -> bool:
    """Return True if two titles are in two languages, or one in no known one and the other in another script."""
    first, second = tongue(one), tongue(other)
    return first != second and (bool(first and second) or script_of(one) != script_of(other))


_BEFORE = _LISTS["before"]
"""Words before a noun phrase, folded."""
_OTHERS = _LISTS["others"]
_TOKEN = lazy_pattern(r"\S+")
_EDGES = "{}\"'`“”‘’()[]"
_PUNCTUATED = lazy_pattern(r"[:;,.?!—–]\}*$")
_PUNCTUATION = ":;,.?!—–"
_LONGEST = 4
_PLAIN = lazy_pattern(r"[^\W\d_][^\W_]*(?:-[^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase in a title as written.

    before, after: the function words around it, folded; "." for punctuation, "" at an end. words: its words without braces.
    capital: True if each begins with a capital.
    """

    start: int
    end: int
    before: str
    after: str
    words: tuple[str, ...]
    capital: bool


def joint_word(text: str) -> str:
    """The function word with which a text begins, or its punctuation; folded."""
    first = text.split()[0] if text.split() else ""
    return "." if first and first[0] in _PUNCTUATION else fold(first.strip(_EDGES))


@lru_cache(maxsize=65536)
def phrases(title: str) -> tuple[Phrase, ...]:
    """The noun phrases of one to four plain words behind a word such as “of”, before another one or the end."""
    found: list[Phrase] = []
    run: list[re.Match[str]] = []
    before = ""

    def close(after: str) -> None:
        if run and before in _BEFORE and len(run) <= _LONGEST and (not after or after == "." or after in _BEFORE):
            texts = tuple(token[0].strip(_EDGES + _PUNCTUATION) for token in run)
            start, end = run[0].start(), run[-1].end() - (len(run[-1][0]) - len(run[-1][0].rstrip(_PUNCTUATION)))
            balanced = title[start:end].count("{") == title[start:end].count("}")
            if balanced and all(_PLAIN.fullmatch(text) for text in texts):
                found.append(Phrase(start, end, before, after, texts, all(text[0].isupper() for text in texts)))

    for token in _TOKEN.finditer(title):
        word = fold(token[0].strip(_EDGES + _PUNCTUATION))
        if word in _BEFORE or word in _OTHERS:
            close(word)
            run, before = [], word
        else:
            run.append(token)
        if _PUNCTUATED.search(token[0]):
            close(".")
            run, before = [], "."
    close("")
    return tuple(found)


@lru_cache(maxsize=65536)
def neighbours(title: str) -> tuple[tuple[str, str], ...]:
    """Each word of a title with the next one, folded; "" at the ends."""
    found = ["", *words(without_latex_and_markup(title)), ""]
    return tuple(pairwise(found))


def fluency(title: str, known: Collection[tuple[str, str]]) -> float:
    """How much of a title reads like known ones: the share of its pairs of neighbouring words that these have."""
    found = neighbours(title)
    return sum(pair in known for pair in found) / len(found)


def is_function_word(word: str) -> bool:
    """Return True if a folded word has no topic: an article, preposition, conjunction or form of “be”."""
    return word in _BEFORE or word in _OTHERS


_EAST_ASIAN_NOUNS = {
    "ja": lazy_pattern(r"[\u4e00-\u9fff\u30a1-\u30fc]{3,8}"),
    "zh": lazy_pattern(r"[\u4e00-\u9fff]{2,8}"),
}
_BETWEEN_CHINESE_NOUNS = lazy_pattern(r"[的与和及在中]|基于|面向|对于")


def nouns_of(title: str, spoken: str) -> list[str]:
    """The topics that a title ends with in a language with function words, or has in Japanese or Chinese; with capitals."""
    if spoken in _EAST_ASIAN_NOUNS:
        return _EAST_ASIAN_NOUNS[spoken].findall(_BETWEEN_CHINESE_NOUNS.sub(" ", title) if spoken == "zh" else title)
    return [
        " ".join(word if spoken == "fr" else word[0].upper() + word[1:] for word in phrase.words)
        for phrase in phrases(unwrapped(title)[1])
        if len(phrase.words) in (2, 3)
        and not phrase.after
        and phrase.before in _LISTS["topics"]
        and all(topic_words(word) and not word.isupper() for word in phrase.words)
    ]


def unwrapped(title: str) -> tuple[str, str, str]:
    """A title without the braces around all of it; the braces before and behind it."""
    start, end = 0, len(title)
    while title[start:end].startswith("{") and title[start:end].endswith("}") and _is_one_group(title[start:end]):
        start, end = start + 1, end - 1
    return title[:start], title[start:end], title[end:]


def _is_one_group(text: str) -> bool:
    depths = accumulate((letter == "{") - (letter == "}") for letter in text)
    return next((place for place, depth in enumerate(depths) if depth == 0), -1) == len(text) - 1


_UNFIT = frozenset("{}\\$%#&_")


def as_reference(record: Record) -> Reference | None:
    """A record as a reference; None if it lacks title, authors or year, or has characters that BibTeX reads otherwise."""
    names = [
        f"{person.family}, {person.given}" if person.family and person.given else person.literal
        for person in record.authors
    ]
    if record.type in ("submission", "project") or not names or not all(names) or record.year is None:
        return None
    venue = lookup(record.venue)
    is_conference = venue is not None and venue.kind == "conference"
    entry_type, field = ("inproceedings", "booktitle") if is_conference else ("article", "journal")
    stated = {"title": record.title, "author": " and ".join(names), "year": str(record.year)}
    fields = {**stated, field: venue.name if venue is not None else record.venue}
    if not all(fields.values()) or any(_UNFIT & set(value) for value in fields.values()):
        return None
    return Reference(f"{record.source}:{record.id}", entry_type, fields, Location(record.source, 0, 0), raw=fields)
