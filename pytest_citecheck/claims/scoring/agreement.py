"""Agreement of two labellings beyond chance, over any number of classes, and whether two sets of answers differ.

Sources: Cohen, "A coefficient of agreement for nominal scales", 1960; Gorodkin, "Comparing two K-category assignments by a
K-category correlation coefficient", 2004 (MCC of many classes); McNemar, "Note on the sampling error of the difference between
correlated proportions or percentages", 1947, in its exact form.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

__all__ = ["kappa", "matthews", "mcnemar"]

Labels = Sequence[tuple[str, str]]
"""What was said, and what is true."""


def kappa(labels: Labels) -> float | None:
    """Cohen's kappa. None without labels, and where chance alone would agree always."""
    count = len(labels)
    said, true = Counter(one for one, _ in labels), Counter(label for _, label in labels)
    chance = sum(said[name] * true[name] for name in true)
    if not count or chance == count * count:
        return None
    agreed = sum(one == label for one, label in labels)
    return (agreed * count - chance) / (count * count - chance)


def matthews(labels: Labels) -> float | None:
    """Matthews' correlation coefficient of many classes. None where only one class is said, or only one true."""
    count = len(labels)
    said, true = Counter(one for one, _ in labels), Counter(label for _, label in labels)
    agreed = sum(one == label for one, label in labels)
    covariance = agreed * count - sum(said[name] * true[name] for name in true)
    spread = (count**2 - sum(one**2 for one in said.values())) * (count**2 - sum(one**2 for one in true.values()))
    return covariance / math.sqrt(spread) if spread else None


def mcnemar(better: int, worse: int) -> float:
    """The exact two-sided p of so many improvements and regressions, if each were as likely; 1 without any."""
    count = better + worse
    tail: int = sum(math.comb(count, number) for number in range(min(better, worse) + 1))
    return min(1.0, float(2 * tail / (1 << count)))
