"""Telling entries of a split from predictions about them: both are JSON objects with a key and a label, one a line.

Source: HALLMARK, arXiv:2607.18360, schema version 1.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pytest_citecheck.readers.hallmark.json_lines import Bytes, JsonLine, json_lines

__all__ = ["Kind", "file_kind", "is_entry"]

Kind = Literal["split", "predictions"]

_OF_ENTRIES = frozenset({"fields", "bibtex_type"})
_OF_PREDICTIONS = frozenset({"label", "pred_label", "prediction"})


def is_entry(value: Mapping[str, Any]) -> bool:
    """Whether an object states a reference, which no prediction does."""
    return not _OF_ENTRIES.isdisjoint(value)


def file_kind(data: Bytes) -> Kind | None:
    """What a file holds, as its first object says; None if that is neither, or if there is none."""
    for line in json_lines("", data):
        if not isinstance(line, JsonLine):
            continue
        if is_entry(line.value):
            return "split"
        known = "bibtex_key" in line.value and not _OF_PREDICTIONS.isdisjoint(line.value)
        return "predictions" if known else None
    return None
