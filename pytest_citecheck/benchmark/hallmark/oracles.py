"""Oracles: what gold labels alone give away. They are diagnostics of splits, not tools.

Source: HALLMARK, arXiv:2607.18360: hallucinated entries are made from valid ones, so a title that a VALID entry of a pool has,
or a venue that none has, tells on them. A split that shares titles with a pool of other works leaks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from pytest_citecheck.readers.hallmark.schema import LabelledEntry

__all__ = ["Pool", "by_subtest", "by_title", "by_venue", "plain_title"]

Pool = Sequence[LabelledEntry]
Judged = list[tuple[bool, str]]
"""For each entry, whether it is called hallucinated, and why."""

_KNOWN_FROM = 2
"""How many VALID entries a known venue has at least. With one, a venue would be known from the very entry that is judged."""


def plain_title(entry: LabelledEntry) -> str:
    """The title in lower case, with single spaces."""
    return _plain(entry.fields.get("title", ""))


def _venue(entry: LabelledEntry) -> str:
    return _plain(entry.fields.get("booktitle", "")) or _plain(entry.fields.get("journal", ""))


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def by_title(entries: Sequence[LabelledEntry], pool: Pool) -> Judged:
    """Hallucinated if another VALID entry, by its key, has the title in the pool."""
    keys: defaultdict[str, set[str]] = defaultdict(set)
    for entry in pool:
        if entry.label == "VALID" and (title := plain_title(entry)):
            keys[title].add(entry.key)
    found = [bool(keys.get(plain_title(entry), set()) - {entry.key}) for entry in entries]
    return [(one, f"{'a' if one else 'no'} VALID entry of the pool has this title") for one in found]


def by_venue(entries: Sequence[LabelledEntry], pool: Pool) -> Judged:
    """Hallucinated if the entry names a venue that fewer than two VALID entries of the pool have."""
    count = Counter(_venue(entry) for entry in pool if entry.label == "VALID")
    unknown = [bool(venue := _venue(entry)) and count[venue] < _KNOWN_FROM for entry in entries]
    return [(one, f"the venue is {'not known' if one else 'known or not stated'} in the pool") for one in unknown]


def by_subtest(entries: Sequence[LabelledEntry], subtest: str) -> Judged:
    """Hallucinated if the entry's own gold sub-test is false."""
    return [(entry.subtests.get(subtest) is False, f"read from the gold sub-test {subtest}") for entry in entries]
