"""Detection of missing shards: without them every score is wrong, and no single case shows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import combinations
from pathlib import PurePosixPath

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["missing_shards", "split_under_two_paths"]

_SHARD = lazy_pattern(r"([1-9]\d{0,5})/([1-9]\d{0,5})")
_NAMED = 10
"""How many missing shards a message names."""


def missing_shards(runs: Iterable[tuple[str, AbstractSet[str]]]) -> Iterator[str]:
    """A message for each split with missing shards.

    runs: for each run its shard, such as "1/3", or "" for a complete run, and the splits of its cases. A run without cases is an
    empty shard, and counts for every split.
    """
    shards = [(_SHARD.fullmatch(shard), splits) for shard, splits in runs]
    for split in sorted(set().union(*(splits for _, splits in shards))):
        given = [shard for shard, splits in shards if split in splits or (shard and not splits)]
        there: dict[int, set[int]] = defaultdict(set)
        for shard in given:
            part, whole = (int(shard[1]), int(shard[2])) if shard else (1, 1)
            there[whole].add(part)
        if not any(len(parts) == whole for whole, parts in there.items()):
            yield from (f"{split}: {_missing(whole, parts)}" for whole, parts in sorted(there.items()))


def _missing(whole: int, parts: AbstractSet[int]) -> str:
    missing = [part for part in range(1, whole + 1) if part not in parts]
    named = ", ".join(map(str, missing[:_NAMED])) + (" …" if len(missing) > _NAMED else "")
    return (
        f"no cases from shard{'s' * (len(missing) > 1)} {named} of {whole}: the scores cover only a part of the split"
    )


def split_under_two_paths(keys: Mapping[str, AbstractSet[str]]) -> Iterator[str]:
    """A message for each pair of paths that are probably one split; ``keys``: the keys of each split by its path."""
    for one, other in combinations(sorted(keys), 2):
        if PurePosixPath(one).name == PurePosixPath(other).name and keys[one].isdisjoint(keys[other]):
            yield (
                f"{one} and {other} have the same name and no key in common: if they are one split, run all its shards from "
                "the same folder, so that the split has one path"
            )
