"""What a split consists of, a part of it, and what gives its labels away.

Source: HALLMARK, arXiv:2607.18360 (statistics of splits, label-stratified sample with seed 42, shortcut audit).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random

from pytest_citecheck.benchmark.hallmark.baselines import BASELINES
from pytest_citecheck.readers.hallmark.schema import SUBTESTS, LabelledEntry

__all__ = ["SHORTCUTS", "sample", "shortcuts", "split_facts"]

_SEED = 42
_VENUES = 10
_BLIND = "blind"
SHORTCUTS = ("doi_presence", "future_year", "duplicate_title")
"""Baselines that look at one property of an entry: a tool must beat them."""


def split_facts(entries: Sequence[LabelledEntry]) -> dict[str, dict[str, int]]:
    """How many entries each part has, by group of parts, in a fixed order. Venues: the ten most frequent."""
    venues = Counter(
        entry.fields.get("booktitle", "") or entry.fields.get("journal", "") or "(none)" for entry in entries
    )
    return {
        "label": _count(entry.label or _BLIND for entry in entries),
        "tier": _count(f"tier {entry.tier}" for entry in entries if entry.label == "HALLUCINATED"),
        "type": _count(entry.hallucination_type or "" for entry in entries if entry.label == "HALLUCINATED"),
        "generation method": _count(entry.generation_method or "(none)" for entry in entries),
        "entry type": _count(entry.type for entry in entries),
        "year": _count(entry.fields.get("year", "").strip() or "(none)" for entry in entries),
        "DOI": _count("with a DOI" if entry.fields.get("doi", "").strip() else "without a DOI" for entry in entries),
        "venue": dict(sorted(venues.items(), key=lambda item: (-item[1], item[0]))[:_VENUES]),
        "publication date": _count("with a date" if entry.publication_date else "without a date" for entry in entries),
        "sub-test": _subtests(entries),
    }


def _count(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _subtests(entries: Sequence[LabelledEntry]) -> dict[str, int]:
    words = {True: "true", False: "false", None: "null"}
    return {
        f"{name} {word}": count
        for name in SUBTESTS
        for value, word in words.items()
        if (count := sum(name in entry.subtests and entry.subtests[name] is value for entry in entries))
    }


def sample(entries: Sequence[LabelledEntry], most: int) -> list[LabelledEntry]:
    """At most so many entries, in file order, with the labels in the same proportion: drawn with seed 42."""
    if most >= len(entries):
        return list(entries)
    by_label: dict[str, list[int]] = {}
    for place, entry in enumerate(entries):
        by_label.setdefault(entry.label or _BLIND, []).append(place)
    due = {label: most * len(places) / len(entries) for label, places in by_label.items()}
    drawn = {label: math.floor(share) for label, share in due.items()}
    for label in sorted(due, key=lambda label: drawn[label] - due[label])[: most - sum(drawn.values())]:
        drawn[label] += 1
    generator = Random(_SEED)  # noqa: S311 - reproducible, not secret
    kept = sorted(place for label in sorted(by_label) for place in generator.sample(by_label[label], drawn[label]))
    return [entries[place] for place in kept]


def shortcuts(entries: Sequence[LabelledEntry]) -> Mapping[str, float]:
    """The share of labels that each of `SHORTCUTS` gets right; ``majority``: the more frequent label for every entry."""
    labelled = [entry for entry in entries if entry.label is not None]
    if not labelled:
        return {}
    labels = [entry.label for entry in labelled]
    right = {
        name: sum(said.label == label for said, label in zip(BASELINES[name].predict(labelled), labels, strict=True))
        for name in SHORTCUTS
    }
    return {"majority": max(Counter(labels).values()) / len(labels)} | {
        name: count / len(labels) for name, count in right.items()
    }
