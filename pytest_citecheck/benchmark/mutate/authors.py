"""Mutations of author lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_citecheck.benchmark.mutate.material import Changed, DoesNotApply, Material
from pytest_citecheck.benchmark.mutate.original import Original
from pytest_citecheck.benchmark.mutate.person_names import random_person
from pytest_citecheck.benchmark.mutate.stream import Stream
from pytest_citecheck.benchmark.mutate.tex import outside_braces
from pytest_citecheck.names.parsing import Name
from pytest_citecheck.text.normal_form import fold
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["authored", "other_authors", "partial_author_list", "placeholder_authors", "recombined", "swapped_authors"]

_AND = lazy_pattern(r"(?<!\s)\s+and\s+", re.IGNORECASE)
_MIN_AUTHORS = 4
_MIDDLE_AUTHOR_KEPT = 0.3
_MOST_INVENTED = 6
_PLAIN_NAME = lazy_pattern(r"[^\W\d_]{2,}(?:[ -][^\W\d_]{2,})*")


def placeholder_authors(original: Original, material: Material, stream: Stream) -> Changed:
    """Invented authors, as many as the reference has, at most six."""
    del material
    _need_persons(original)
    taken = set(original.families)
    return authored(original, _listed(original, _invented(_number(original), taken, stream)))


def swapped_authors(original: Original, material: Material, stream: Stream) -> Changed:
    """The authors of another work; none has the family name of a correct author."""
    return authored(original, other_authors(original, material, stream).fields["author"])


def partial_author_list(original: Original, material: Material, stream: Stream) -> Changed:
    """The first and the last author, with probability 0.3 one in between, and no sign that the list is truncated."""
    del material
    _need_persons(original)
    if original.cited.people.others:
        raise DoesNotApply("needs a complete author list")
    names = _pieces(original.fields["author"])
    if len(names) < _MIN_AUTHORS:
        raise DoesNotApply("needs four or more authors")
    if len(names) != len(original.names):
        raise DoesNotApply("needs authors that are separated by “and”")
    kept = [names[0], names[-1]]
    if stream.share() < _MIDDLE_AUTHOR_KEPT:
        kept.insert(1, stream.pick(names[1:-1]))
    return authored(original, " and ".join(kept))


def other_authors(original: Original, material: Material, stream: Stream) -> Original:
    """Another reference with entirely different authors. Raises DoesNotApply."""
    _need_persons(original)
    return material.donor(
        original,
        stream,
        lambda other: other.persons and original.families.isdisjoint(other.families),
        "another reference by other persons",
    )


def recombined(original: Original, material: Material, stream: Stream) -> str:
    """Authors made from the names of other references: a family name of one, a given name of another. Raises DoesNotApply.

    If the file has too few usable names, the other authors are invented.
    """
    _need_persons(original)
    taken = set(original.families)
    number = _number(original)
    people: list[tuple[str, str]] = []
    try:
        while len(people) < number:
            people.append(_recombination(original, material, stream, taken))
    except DoesNotApply:
        people += _invented(number - len(people), taken, stream)
    return _listed(original, people)


def _recombination(original: Original, material: Material, stream: Stream, taken: set[str]) -> tuple[str, str]:
    """An unused family name, which it adds to ``taken``, and a given name of another reference. Raises DoesNotApply."""
    first = material.donor(original, stream, lambda other: any(_usable(other, taken)))
    second = material.donor(original, stream, lambda other: other is not first and any(_usable(other, set())))
    family = stream.pick(list(_usable(first, taken)))
    given = stream.pick(list(_usable(second, set())))
    taken.add(family.full_key)
    return family.family, given.given[0]


def authored(original: Original, authors: str) -> Changed:
    """The reference with these authors."""
    return Changed(original.reference.type, {**original.fields, "author": authors})


def _need_persons(original: Original) -> None:
    if not original.persons:
        raise DoesNotApply("needs persons as authors")


def _number(original: Original) -> int:
    return min(len(original.names), _MOST_INVENTED)


def _usable(other: Original, taken: set[str]) -> Iterator[Name]:
    """The full names of a reference that BibTeX splits unambiguously."""
    for name in other.names:
        if (
            not name.group
            and name.given
            and not name.particles
            and name.full_key not in taken
            and _PLAIN_NAME.fullmatch(name.family)
            and _PLAIN_NAME.fullmatch(name.given[0])
            and fold(name.given[0]) != "and"
        ):
            yield name


def _invented(number: int, taken: set[str], stream: Stream) -> list[tuple[str, str]]:
    people: list[tuple[str, str]] = []
    while len(people) < number:
        family, given = random_person(stream)
        if fold(family) not in taken:
            taken.add(fold(family))
            people.append((family, given))
    return people


def _listed(original: Original, people: list[tuple[str, str]]) -> str:
    """An author list with the name order of the original."""
    inverted = "," in original.fields["author"]
    return " and ".join(f"{family}, {given}" if inverted else f"{given} {family}" for family, given in people)


def _pieces(authors: str) -> list[str]:
    pieces, start = [], 0
    for match in outside_braces(authors, _AND):
        pieces.append(authors[start : match.start()].strip())
        start = match.end()
    return [*pieces, authors[start:].strip()]
