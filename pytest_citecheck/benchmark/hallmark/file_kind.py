"""Detection of splits and prediction files; both contain one JSON object with a key and a label per line.

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
    """Whether an object is an entry of a split: unlike a prediction, it contains a reference."""
    return not _OF_ENTRIES.isdisjoint(value)


def file_kind(data: Bytes) -> Kind | None:
    """The kind of a file according to its first object; None if it is neither or the file is empty."""
    for line in json_lines("", data):
        if not isinstance(line, JsonLine):
            continue
        if is_entry(line.value):
            return "split"
        known = "bibtex_key" in line.value and not _OF_PREDICTIONS.isdisjoint(line.value)
        return "predictions" if known else None
    return None
