"""Is the predicted type of hallucination the right one?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_citecheck.benchmark.metrics.confusion import tier_of
from pytest_citecheck.benchmark.metrics.pairs import Pairs
from pytest_citecheck.readers.hallmark.schema import STRESS_TYPES, TIERS, LabelledEntry, Prediction

__all__ = ["TypeConfusion", "recognised", "type_accuracy", "type_confusion", "type_row"]

_OTHER_COLUMNS = ("VALID", "UNCERTAIN", "HALLUCINATED_unknown")


@dataclass(frozen=True, slots=True)
class TypeConfusion:
    """counts[row][column] entries of the gold type ``rows[row]`` that were predicted as ``columns[column]``."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


def type_row(entry: LabelledEntry) -> str:
    """``valid``, the type of hallucination, or ``unknown`` for a hallucinated entry that states none."""
    return "valid" if entry.label == "VALID" else entry.hallucination_type or "unknown"


def _column(answer: Prediction | None) -> str:
    if answer is None:
        return "VALID"
    if answer.label != "HALLUCINATED":
        return answer.label
    return answer.type if answer.type is not None and answer.type in TIERS else "HALLUCINATED_unknown"


def type_confusion(pairs: Pairs) -> TypeConfusion:
    """Rows: the 14 types and valid, then types that HALLMARK does not know. A missing prediction counts as VALID."""
    unknown = sorted({type_row(entry) for entry in pairs.entries} - {*TIERS, "valid"})
    rows, columns = (*TIERS, "valid", *unknown), (*TIERS, *_OTHER_COLUMNS)
    counts = {row: dict.fromkeys(columns, 0) for row in rows}
    for entry, answer in pairs:
        counts[type_row(entry)][_column(answer)] += 1
    return TypeConfusion(rows, columns, tuple(tuple(counts[row].values()) for row in rows))


def recognised(pairs: Pairs) -> list[tuple[LabelledEntry, Prediction]]:
    """The hallucinated entries that were called so, with a predicted type."""
    return [
        (entry, answer)
        for entry, answer in pairs.answered()
        if entry.label == answer.label == "HALLUCINATED" and answer.type is not None
    ]


def _share(rows: Iterable[tuple[LabelledEntry, Prediction]]) -> float | None:
    hits = [answer.type == entry.hallucination_type for entry, answer in rows]
    return sum(hits) / len(hits) if hits else None


def type_accuracy(pairs: Pairs) -> dict[str, float | int | None]:
    """Among `recognised` entries the share with the right type; None where there are none.

    Keys: overall, main_types_only, stress_test_only, num_evaluated, num_correct, and tier_1, tier_2 and tier_3.
    """
    rows = recognised(pairs)
    return {
        "overall": _share(rows),
        "main_types_only": _share(row for row in rows if row[0].hallucination_type not in STRESS_TYPES),
        "stress_test_only": _share(row for row in rows if row[0].hallucination_type in STRESS_TYPES),
        "num_evaluated": len(rows),
        "num_correct": sum(answer.type == entry.hallucination_type for entry, answer in rows),
        **{f"tier_{tier}": _share(row for row in rows if tier_of(row[0]) == tier) for tier in (1, 2, 3)},
    }
