"""The beginnings of family names by which works are looked for in a list of DBLP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.services.parsing.search_words import plain_words
from pytest_citecheck.text.normal_form import fold, words
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_citecheck.model import Record

__all__ = ["beginnings", "has_name", "sure_part"]

_ASCII = lazy_pattern(r"[a-z0-9]+")


def beginnings(families: Sequence[str]) -> list[str]:
    """The beginning of the last word of each family name, which every spelling of a name with particles has, folded.

    ``muller`` of ``Müller``, ``oord`` of ``van den Oord``. None for names in other scripts.
    """
    last_words = [found[-1] for found in map(plain_words, families) if found]
    matches = [_ASCII.match(fold(word)) for word in last_words]
    return [match.group() for match in matches if match and len(match.group()) > 1]


def sure_part(families: Sequence[str]) -> str:
    """A part of the first family name that every spelling of it has, in small letters: ``ller`` of ``Müller``; may be empty."""
    runs = _ASCII.findall((plain_words(families[0]) or ("",))[-1].lower()) if families else []
    return max((run for run in runs if len(run) > 1), key=len, default="")


def has_name(record: Record, wanted: Sequence[str]) -> bool:
    """Whether a word of the name of an author or editor begins so."""
    people = (*record.authors, *record.editors)
    return any(word.startswith(tuple(wanted)) for person in people for word in words(str(person)))
