"""Author lists as sources and citations damage them: several names in one, and one name twice.

What is one name and what are two cannot be told from the text alone ("García Márquez, Gabriel José" has the shape of
"Jinghuan Shang, Srijan Das"), so a damaged list is only offered as another reading of the list.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_citecheck.model import Person
from pytest_citecheck.names.comparison import same_person
from pytest_citecheck.names.parsing import Name, is_suffix, letters, parse
from pytest_citecheck.text.blanks import MAYBE_BLANKS
from pytest_citecheck.text.normal_form import fold
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import BARE_NAMES, NAME_PIECES

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["is_damaged", "other_reading", "repeated"]

_BETWEEN = lazy_pattern(MAYBE_BLANKS + r"(?:[;|•·]|(?<=\s)(?:and|&)\s)\s*", re.IGNORECASE)
_COMMA = lazy_pattern(MAYBE_BLANKS + r",\s*")
_SIGN_OF_SEVERAL = lazy_pattern(r"[;|•·,]|(?<!\S)(?:and|&|y|e|i)(?!\S)", re.IGNORECASE)
"""What one of the three patterns above needs to match."""
_JOINER = lazy_pattern(r"\s(?:y|e|i)\s")
"""Words between two persons, or between two surnames of one ("Santiago Ramón y Cajal")."""
_BROKEN_OFF = lazy_pattern(r"\A[^'’‘]*['’‘]\Z|\A[^\"]*\"[^\"]*\Z|#x?\d|\A#")


def other_reading(persons: Sequence[Person]) -> tuple[Person, ...]:
    """The list with joined names taken apart and repeated ones taken once; empty if it has no other reading."""
    return _other_reading(tuple(persons))


@lru_cache(maxsize=64)
def _other_reading(persons: tuple[Person, ...]) -> tuple[Person, ...]:
    # The cited list is asked for anew beside each record.
    apart = [single for person in persons for single in _apart(person)]
    once = tuple({letters(fold(_text(person))): person for person in reversed(apart)}.values())[::-1]
    return once if once and once != persons else ()


def repeated(cited: Sequence[Person], found: Sequence[Person]) -> tuple[Person, ...]:
    """The cited persons, with a given name in full, who stand in the list more often than the record has people of that name."""
    times = Counter(letters(fold(_text(person))) for person in cited)
    names = {letters(fold(_text(person))): person for person in reversed(cited)}
    twice = (person for key, person in names.items() if times[key] > 1 and _is_full(parse(person)))
    return tuple(
        person
        for person in twice
        if sum(same_person(person, other) in ("same", "compatible") for other in found)
        < times[letters(fold(_text(person)))]
    )


def _is_full(name: Name) -> bool:
    return not name.group and any(len(given) > 1 for given in name.given_keys)


def is_damaged(persons: Sequence[Person]) -> bool:
    """Whether names ran together or fell apart in this list, so that no author is certainly missing from it.

    Signs: several names in one; a name broken off at an apostrophe, a quotation mark or a character reference; two or more
    names without a given name while others have one; a family name with a given name and again without.
    """
    single = [person for person in persons if not parse(person).group]
    return any(_is_several(person) or _BROKEN_OFF.search(_text(person)) for person in single) or _lacks_given_names(
        [parse(person) for person in single]
    )


def _is_several(person: Person) -> bool:
    text = _text(person)
    pieces = [piece for piece in _COMMA.split(text) if piece]
    return len(_BETWEEN.split(text)) > 1 or (
        len(pieces) > NAME_PIECES and not any(is_suffix(piece) for piece in pieces)
    )


def _lacks_given_names(names: Sequence[Name]) -> bool:
    families = {name.family_key for name in names if name.given}
    bare = [name.family_key for name in names if not name.given]
    return any(family in families for family in bare) or (bool(families) and len(bare) > BARE_NAMES)


def _apart(person: Person) -> list[Person]:
    if not _may_be_several(person):
        return [person]
    text = _text(person)
    pieces = [piece for piece in _BETWEEN.split(text) if piece]
    if len(pieces) == 1:
        pieces = [piece for piece in _COMMA.split(text) if piece]
        # Names with a space each; "Smith, John" and "Smith, John, Jr." are one.
        if any(" " not in piece for piece in pieces):
            pieces = _glued_again(pieces)
    if len(pieces) < 2:
        pieces = _JOINER.split(str(person))
        if any(" " not in piece for piece in pieces):
            return [person]
    return [Person(literal=piece) for piece in pieces] if len(pieces) > 1 else [person]


def _may_be_several(person: Person) -> bool:
    """Whether there is a sign that separates persons. The comma that `_text` puts between family and given name is none
    unless both have several words.
    """
    if " " in person.given and (person.particle or " " in person.family):
        return True
    return _SIGN_OF_SEVERAL.search(str(person)) is not None


def _text(person: Person) -> str:
    if person.literal or not (person.family and person.given):
        return person.literal or str(person)
    family = f"{person.particle} {person.family}".strip()
    return ", ".join(part for part in (family, person.suffix, person.given) if part)


def _glued_again(pieces: list[str]) -> list[str]:
    """``Smith, John, Doe, Jane`` in pairs, if there are at least two; otherwise no list of names."""
    if len(pieces) < 4 or len(pieces) % 2 or any(" " in family for family in pieces[::2]):
        return []
    return [f"{family}, {given}" for family, given in zip(pieces[::2], pieces[1::2], strict=True)]
