"""Frequent given and family names of several cultures, for invented authors.

The names are among the most frequent in public statistics of their countries, so that a pair of them identifies no person. Both
parts of an invented name come from one culture.
"""

from __future__ import annotations

from importlib.resources import files

from pytest_citecheck.benchmark.mutate.stream import Stream

__all__ = ["random_person"]

_TEXT = files("pytest_citecheck.benchmark.mutate").joinpath("data/names.txt").read_text(encoding="utf-8")
_CULTURES = [
    (given.split(), family.split()) for given, _, family in (line.partition("|") for line in _TEXT.splitlines())
]


def random_person(stream: Stream) -> tuple[str, str]:
    """The family and the given name of an invented person."""
    given, family = stream.pick(_CULTURES)
    return stream.pick(family), stream.pick(given)
