"""Labelled entries and predictions in a few words, for the tests of the metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_citecheck.inputs import Label, LabelledEntry, Prediction, Verdict3

H: Label = "HALLUCINATED"
V: Label = "VALID"
U: Verdict3 = "UNCERTAIN"


def hallucinated(key: str, kind: str = "near_miss_title", tier: int | None = 3, **more: Any) -> LabelledEntry:
    return LabelledEntry(key, "article", {}, H, hallucination_type=kind, tier=tier, **more)


def valid(key: str, **more: Any) -> LabelledEntry:
    return LabelledEntry(key, "article", {}, V, **more)


def said(key: str, label: Verdict3, confidence: float = 0.5, **more: Any) -> Prediction:
    return Prediction(key, label, confidence, **more)


MICRO_ENTRIES: Sequence[LabelledEntry] = (
    hallucinated("h1", "fabricated_doi", 1),
    hallucinated("h2", "near_miss_title", 3),
    valid("v1"),
    valid("v2"),
    valid("v3"),
)
"""The micro vector of HALLMARK's conventions: one of each outcome, one UNCERTAIN, one without prediction."""
MICRO_PREDICTIONS: Sequence[Prediction] = (said("h1", H, 0.9), said("h2", V, 0.6), said("v1", H, 0.7), said("v2", U))


def split_of(outcomes: Mapping[str, tuple[int, int]]) -> tuple[list[LabelledEntry], list[Prediction]]:
    """By type (``valid`` too), how many entries there are and how many of them are called HALLUCINATED, all at .75."""
    entries, predictions = [], []
    for kind, (count, flagged) in outcomes.items():
        for number in range(count):
            key = f"{kind}-{number}"
            entries.append(valid(key) if kind == "valid" else hallucinated(key, kind))
            predictions.append(said(key, H if number < flagged else V, 0.75))
    return entries, predictions
