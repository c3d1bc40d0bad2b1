"""Reads a table of rows from CSV, JSON or JSON Lines, whatever its headers look like."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["Row", "TableError", "column", "read_table", "truth"]

Row = Mapping[str, Any]

_TRUE = frozenset({"1", "1.0", "true", "g", "grounded", "valid", "real", "yes", "exists", "verified"})
_FALSE = frozenset({"0", "0.0", "false", "h", "hallucinated", "invented", "fabricated", "fake", "no"})


class TableError(ValueError):
    """A file that cannot be used; the text names it and says why."""


def column(name: object) -> str:
    """A header as it is compared: "Gen Title " is "gen_title"."""
    return "_".join(str(name).strip().lower().replace("-", "_").split())


def read_table(path: Path) -> list[Row]:
    """The rows with their columns as `column` writes them. Raises TableError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise TableError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise TableError(f"{path}: not in UTF-8 (byte {error.start + 1})") from error
    try:
        rows = _json_rows(text) if text.lstrip()[:1] in ("[", "{") else _csv_rows(text)
    except (ValueError, RecursionError, csv.Error) as error:
        raise TableError(f"{path}: {error}") from error
    if not rows:
        raise TableError(f"{path}: no rows")
    return rows


def _json_rows(text: str) -> list[Row]:
    if text.lstrip().startswith("["):
        found = json.loads(text)
    else:
        # What has no end was cut off with the process that wrote it.
        whole = text if text.endswith("\n") else text[: text.rfind("\n") + 1] or text
        found = [json.loads(line) for line in whole.splitlines() if line.strip()]
    if not all(isinstance(row, dict) for row in found):
        raise ValueError("a row is not an object")
    return [{column(name): value for name, value in row.items()} for row in found]


def _csv_rows(text: str) -> list[Row]:
    csv.field_size_limit(1 << 24)
    reader = csv.DictReader(io.StringIO(text, newline=""))
    return [{column(name): value for name, value in row.items() if name is not None} for row in reader]


def truth(value: object) -> bool | None:
    """What a label says: whether the work exists. None for anything else."""
    word = str(value).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None
