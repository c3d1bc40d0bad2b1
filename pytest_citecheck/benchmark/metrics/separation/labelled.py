"""Scores with the class of each row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Labelled"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """scores: higher means more likely positive. positive: the class of each row. groups: which rows belong together."""

    scores: Floats
    positive: NDArray[np.bool_]
    groups: NDArray[np.int64] | None = None

    @classmethod
    def of(
        cls, scores: Sequence[float] | Floats, positive: Sequence[bool], groups: Sequence[object] | None = None
    ) -> Labelled:
        """From lists. Raises ValueError for lists of different lengths and for scores that are no numbers."""
        if len(scores) != len(positive) or (groups is not None and len(groups) != len(scores)):
            raise ValueError(f"{len(scores)} scores with {len(positive)} labels")
        if not all(math.isfinite(score) for score in scores):
            raise ValueError("a score is not a number")
        numbers: dict[object, int] = {}
        places = None if groups is None else [numbers.setdefault(group, len(numbers)) for group in groups]
        return cls(
            np.asarray(scores, dtype=np.float64),
            np.asarray(positive, dtype=np.bool_),
            None if places is None else np.asarray(places, dtype=np.int64),
        )

    @classmethod
    def of_classes(cls, negative: Sequence[float], positive: Sequence[float]) -> Labelled:
        """From the scores of each class. Raises ValueError."""
        return cls.of([*negative, *positive], [False] * len(negative) + [True] * len(positive))

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def positives(self) -> Floats:
        return self.scores[self.positive]

    @property
    def negatives(self) -> Floats:
        return self.scores[~self.positive]

    def levels(self) -> list[tuple[float, int, int]]:
        """Each distinct score, the highest first, with the number of rows and of negative ones among them."""
        values, places = np.unique(self.scores, return_inverse=True)
        rows = np.bincount(places, minlength=len(values))
        negative = np.bincount(places[~self.positive], minlength=len(values))
        return [
            (float(value), int(count), int(wrong))
            for value, count, wrong in zip(values[::-1], rows[::-1], negative[::-1], strict=True)
        ]
