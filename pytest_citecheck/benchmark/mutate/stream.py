"""Reproducible random choices: each mutation has its own stream, which depends only on its seed parts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from random import Random
from typing import TypeVar

__all__ = ["Stream", "digest"]

T = TypeVar("T")


def digest(*parts: object) -> str:
    """32 hexadecimal digits that depend on these parts (any JSON values) and their order."""
    return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode("ascii"), digest_size=16).hexdigest()


class Stream:
    """Pseudo-random choices.

    It uses only ``random()`` of the standard library's generator, which gives the same numbers in every version of Python
    (documentation of the module, "Notes on Reproducibility").
    """

    def __init__(self, *parts: object) -> None:
        self._random = Random(int(digest(*parts), 16))  # noqa: S311 - nothing here is secret

    def share(self) -> float:
        """A number from 0 to below 1."""
        return self._random.random()

    def below(self, end: int) -> int:
        """A whole number from 0 to below ``end``."""
        return int(self._random.random() * end)

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, which must not be empty."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in random order."""
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed
