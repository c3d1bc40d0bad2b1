"""Damages: ways to make exactly one field of a correct record wrong, like hallucinated and careless references.

``citecheck mutate`` (`pytest_citecheck.benchmark.mutate`) makes larger damages, which change several fields together.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random

from benchmarks.authors_mutated import MUTATIONS as AUTHOR_MUTATIONS
from benchmarks.authors_mutated import Names, Stock, stock
from benchmarks.styles_venues import acronym_of, known_venue
from pytest_citecheck.benchmark import Stream, content_words, halves, random_person
from pytest_citecheck.matching import FUNCTION_WORDS, all_venues, compare_venues, parse_venue, title_key
from tests.conformance.rendering import Row

_TRIES = 20
_FEWEST_LETTERS = 5
_FEWEST_WORDS = 4
_FEWEST_AUTHORS = 2
_SUBTITLE = re.compile(r": (.+)")
_NEGATIONS = (
    (
        re.compile(r"\b([Ii]s|[Aa]re|[Cc]an|[Dd]oes|[Dd]o|[Ss]hould|[Ww]ill|[Mm]ay)(?= [A-Za-z])(?! [Nn]ot\b)"),
        r"\1 Not",
    ),
    (re.compile(r"\bwith\b"), "without"),
    (re.compile(r"\b(?<!-)Supervised\b"), "Unsupervised"),
    (re.compile(r"\b(?<!-)Linear\b"), "Nonlinear"),
    (re.compile(r"\b(?<!-)Convex\b"), "Nonconvex"),
)
_WORKSHOPS = (
    "Uncertainty and Robustness", "Representation Learning", "Efficient Systems", "Responsible Machine Learning",
    "Structured Prediction", "Data-Centric Methods", "Human-Centered Evaluation", "Open Problems and New Perspectives",
)  # fmt: skip
_TOPIC = re.compile(r"\b(?:on|of|in) ((?:[A-Z][a-z]+ ?){1,3})$")
_LAST_NUMBER = re.compile(r"\d{2,}(?=\D*$)")


@dataclass(frozen=True, slots=True)
class Pool:
    """Material of damages: records as donors, their people, those with a DOI or an arXiv id, and all DOIs."""

    donors: Sequence[Row]
    people: Stock
    registered: Sequence[Row]
    preprints: Sequence[Row]
    dois: frozenset[str]

    @classmethod
    def of(cls, donors: Sequence[Row], rows: Sequence[Row] | None = None) -> Pool:
        """Take names and titles from ``donors``. An invented DOI belongs to none of ``rows``."""
        return cls(
            donors,
            stock(donors),
            [row for row in donors if row.doi],
            [row for row in donors if row.arxiv],
            frozenset(row.doi for row in rows or donors),
        )


Damage = Callable[[Row, Pool, Random], Row]
"""A record with one field made wrong; the same record if that is not possible."""


def damaged(row: Row, damage: Damage, pool: Pool, dice: Random) -> Row | None:
    """Return the damaged record, or None if the damage does not apply.

    A damaged identifier takes the URL along, which would repeat the correct one.
    """
    wrong = damage(row, pool, dice)
    if (wrong.doi, wrong.arxiv) != (row.doi, row.arxiv):
        wrong = replace(wrong, url="")
    return wrong if wrong != row else None


def _retitled(row: Row, title: str) -> Row:
    """The record under another title, unless both are the same title: "modeling" and "modelling"."""
    return row if title_key(title) == title_key(row.title) else replace(row, title=title)


def _of_authors(name: str, fewest: int = 1) -> Damage:
    def damage(row: Row, pool: Pool, dice: Random) -> Row:
        if len(row.authors) < fewest:
            return row
        return replace(row, authors=AUTHOR_MUTATIONS[name](row.authors, pool.people, dice))

    return damage


def _one_letter(row: Row, _: Pool, dice: Random) -> Row:
    """Another letter inside a word of the title."""
    words = row.title.split(" ")
    places = [i for i, word in enumerate(words) if len(word) >= _FEWEST_LETTERS and word.isascii() and word.isalpha()]
    if not places:
        return row
    place = dice.choice(places)
    at = dice.randrange(1, len(words[place]))
    words[place] = words[place][:at] + dice.choice(string.ascii_lowercase) + words[place][at + 1 :]
    return _retitled(row, " ".join(words))


def _digits(row: Row, _: Pool, dice: Random) -> Row:
    """Another digit in a number of the title."""
    places = [i for i, letter in enumerate(row.title) if letter in string.digits]
    if not places:
        return row
    at = dice.choice(places)
    return _retitled(row, row.title[:at] + dice.choice(string.digits) + row.title[at + 1 :])


def _content(title: str) -> list[tuple[int, int]]:
    """Start and end of each content word of a title."""
    return [(start, end) for start, end in content_words(title) if title[start:end].lower() not in FUNCTION_WORDS]


def _is_name(title: str, start: int, end: int) -> bool:
    """True for the single word before a colon, which people leave out of correct titles."""
    return start == 0 and title[end : end + 1] == ":"


def _word_dropped(row: Row, _: Pool, dice: Random) -> Row:
    places = [place for place in _content(row.title) if not _is_name(row.title, *place)]
    if len(places) < _FEWEST_WORDS:
        return row
    start, end = dice.choice(places)
    return _retitled(row, " ".join((row.title[:start] + row.title[end:]).split()).replace(" :", ":"))


def _word_replaced(row: Row, pool: Pool, dice: Random) -> Row:
    places = _content(row.title)
    other = dice.choice(pool.donors).title
    others = [other[start:end] for start, end in _content(other)]
    others = [word for word in others if word.lower() not in row.title.lower()]
    if len(places) < _FEWEST_WORDS or not others:
        return row
    start, end = dice.choice(places)
    word = dice.choice(others)
    word = word.capitalize() if row.title[start].isupper() else word.lower()
    return _retitled(row, row.title[:start] + word + row.title[end:])


def _negated(row: Row, _: Pool, __: Random) -> Row:
    made = (pattern.sub(other, row.title, count=1) for pattern, other in _NEGATIONS)
    return _retitled(row, next((title for title in made if title != row.title), row.title))


def _foreign_subtitle(row: Row, pool: Pool, dice: Random) -> Row:
    subtitle = _SUBTITLE.search(dice.choice(pool.donors).title)
    return _retitled(row, f"{row.title}: {subtitle[1]}") if subtitle and ":" not in row.title else row


def _chimera(row: Row, pool: Pool, dice: Random) -> Row:
    """The first half of the title, continued by the second half of another one."""
    own, other = halves(row.title), halves(dice.choice(pool.donors).title)
    return _retitled(row, own[0] + other[1]) if own and other and ":" not in own[1][:1] + other[1][:1] else row


def _author_appended(row: Row, _: Pool, dice: Random) -> Row:
    family, given = random_person(Stream(dice.random()))
    return replace(row, authors=(*row.authors, f"{given} {family}"))


def _author_twice(row: Row, _: Pool, dice: Random) -> Row:
    if len(row.authors) < _FEWEST_AUTHORS:
        return row
    return replace(row, authors=(*row.authors, dice.choice(row.authors[:-1])))


def _authors_of_another(row: Row, pool: Pool, dice: Random) -> Row:
    authors: Names = dice.choice(pool.donors).authors
    known = {name.split()[-1] for name in row.authors}
    return row if not authors or known & {name.split()[-1] for name in authors} else replace(row, authors=authors)


def _year_off(*years: int, only: tuple[str, ...] = ()) -> Damage:
    def damage(row: Row, _: Pool, dice: Random) -> Row:
        return replace(row, year=row.year + dice.choice(years)) if row.year and (not only or row.type in only) else row

    return damage


def _kind_of(row: Row) -> str:
    return {"inproceedings": "conference", "article": "journal"}.get(row.type, "") if row.venue else ""


@cache
def _names(kind: str) -> Sequence[str]:
    return tuple(venue.name for venue in all_venues() if venue.kind == kind)


@cache
def _topics(kind: str) -> Sequence[str]:
    return tuple(match[1] for name in _names(kind) if (match := _TOPIC.search(name)))


def _another_venue(row: Row, _: Pool, dice: Random) -> Row:
    for _try in range(_TRIES if _kind_of(row) else 0):
        name = dice.choice(_names(_kind_of(row)))
        if compare_venues(name, row.venue) == "different":
            return replace(row, venue=name)
    return row


def _invented_venue(row: Row, _: Pool, dice: Random) -> Row:
    kind = _kind_of(row)
    for _try in range(_TRIES if kind else 0):
        one, other = dice.sample(_topics(kind), 2)
        name = f"{'International Conference on' if kind == 'conference' else 'Journal of'} {one} and {other}"
        if not parse_venue(name).venues:
            return replace(row, venue=name)
    return row


def _workshop(row: Row, _: Pool, dice: Random) -> Row:
    venue = known_venue(row)
    acronym = acronym_of(venue) if venue and venue.kind == "conference" else ""
    if not acronym or "workshop" in row.venue.lower():
        return row
    return replace(row, venue=f"{acronym} {row.year} Workshop on {dice.choice(_WORKSHOPS)}")


def _doi_of_another(row: Row, pool: Pool, dice: Random) -> Row:
    other = dice.choice(pool.registered)
    return row if title_key(other.title) == title_key(row.title) else replace(row, doi=other.doi)


def _arxiv_of_another(row: Row, pool: Pool, dice: Random) -> Row:
    other = dice.choice(pool.preprints)
    return row if title_key(other.title) == title_key(row.title) else replace(row, arxiv=other.arxiv)


def _invented_doi(row: Row, pool: Pool, dice: Random) -> Row:
    """The DOI with another last number, which no record has."""
    prefix, _, suffix = row.doi.partition("/")
    for _try in range(_TRIES if suffix else 0):
        made = _LAST_NUMBER.sub(lambda match: "".join(dice.choice(string.digits) for _ in match[0]), suffix)
        if f"{prefix}/{made}" not in pool.dois:
            return replace(row, doi=f"{prefix}/{made}")
    return row


DAMAGES: Mapping[str, Damage] = {
    "given name, same initial": _of_authors("given name, same initial"),
    "two authors swapped": _of_authors("two swapped", _FEWEST_AUTHORS),
    "one letter of the title": _one_letter,
    "a digit of the title": _digits,
    "year two off": _year_off(-2, 2),
    "DOI of another paper": _doi_of_another,
    "title word dropped": _word_dropped,
    "title negated": _negated,
    "title word replaced": _word_replaced,
    "foreign subtitle": _foreign_subtitle,
    "chimera of two titles": _chimera,
    "author appended": _author_appended,
    "author twice": _author_twice,
    "author replaced": _of_authors("one replaced"),
    "given name, another initial": _of_authors("given name, another initial"),
    "family name respelt": _of_authors("family name respelt"),
    "authors of another paper": _authors_of_another,
    "year one off, conference": _year_off(-1, 1, only=("inproceedings",)),
    "year three off": _year_off(-3, 3),
    "another known venue": _another_venue,
    "invented venue": _invented_venue,
    "workshop of the conference": _workshop,
    "arXiv id of another paper": _arxiv_of_another,
    "invented DOI": _invented_doi,
}
"""Damages by name."""
