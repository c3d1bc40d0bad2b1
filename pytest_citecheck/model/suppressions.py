"""Waivers that stand in a bibliography."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Suppression"]


@dataclass(frozen=True, slots=True)
class Suppression:
    """A waiver of findings that stands beside an entry.

    names: checks and codes, none means all; until: the last day, ISO 8601; bound: the content of the entry that it is for
    (`readers.content`); both empty if none is stated.
    """

    names: tuple[str, ...]
    reason: str
    until: str
    bound: str
    line: int
