"""Rows of a table as references: what a row states is read as the entry of a ``.bib`` file with these fields would be.

A row has ``key``, ``type``, ``document`` and its fields, either each as a column or all in ``fields``; or the whole entry in
``bibtex``. None of them is required, but something has to be stated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from pytest_citecheck.model import Location, Reference
from pytest_citecheck.readers.bibtex.reader import read_bibtex
from pytest_citecheck.readers.bibtex.repair import balance

__all__ = ["RowError", "as_reference", "document_of"]

_KEYS = ("key", "bibtex_key", "id")
_TYPES = ("type", "bibtex_type", "entry_type")
_NO_FIELDS = frozenset({*_KEYS, *_TYPES, "document", "fields", "bibtex"})
_NAMES = frozenset({"author", "editor"})
_ALSO_CALLED = {"authors": "author", "editors": "editor", "venue": "journal"}
_MOST_CHARACTERS = 1 << 20  # of a row


class RowError(ValueError):
    """A row states no reference; the message says why."""


def document_of(row: Mapping[str, Any], otherwise: str) -> str:
    """The document that a row is of."""
    stated = row.get("document")
    return str(stated) if isinstance(stated, str | int) and str(stated) else otherwise


def as_reference(row: Mapping[str, Any], path: str, number: int) -> Reference:
    """The reference that a row states. number: of the row in its file, from 1. Raises RowError."""
    stated = row.get("bibtex")
    key, kind = _text_under(row, _KEYS), _text_under(row, _TYPES) or "misc"
    text = stated if isinstance(stated, str) and stated.strip() else _entry(kind, _fields(row))
    if len(text) > _MOST_CHARACTERS:
        raise RowError(f"longer than {_MOST_CHARACTERS:,} characters")
    references = read_bibtex(path, text.encode("utf-8", "replace")).references
    if len(references) != 1:
        raise RowError(f"`bibtex` holds {len(references)} entries, not one")
    reference = references[0]
    defects = tuple(replace(defect, line=number) for defect in reference.defects)
    own = reference.key if stated and not key else key
    return replace(reference, key=own, location=Location(path, number, number), defects=defects)


def _text_under(row: Mapping[str, Any], names: Iterable[str]) -> str:
    for name in names:
        value = row.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return ""


def _fields(row: Mapping[str, Any]) -> dict[str, str]:
    stated = row.get("fields")
    if isinstance(stated, str):
        try:
            stated = json.loads(stated)
        except (ValueError, RecursionError) as error:
            raise RowError(f"`fields` is not JSON: {error}") from error
    if stated is not None and not isinstance(stated, Mapping):
        raise RowError("`fields` is not an object")
    columns = stated if stated is not None else {name: row[name] for name in row if name not in _NO_FIELDS}
    found: dict[str, str] = {}
    for name, value in columns.items():
        field = _ALSO_CALLED.get(name.strip().lower(), name.strip().lower())
        text = _text(value, names=field in _NAMES)
        if text and field.replace("-", "").replace("_", "").isalnum() and field.isascii():
            found.setdefault(field, text)
    if not found:
        raise RowError("states no field of a reference")
    return found


def _text(value: Any, *, names: bool) -> str:
    if isinstance(value, bool):
        return ""
    if isinstance(value, str | int):
        return str(value).replace("\0", "").strip()
    if isinstance(value, float):  # as tables with gaps keep years
        return str(int(value)) if value.is_integer() else ""
    if isinstance(value, list):
        texts = [_text(one, names=names) for one in value if isinstance(one, str)]
        return (
            " and ".join(f"{{{one}}}" if " and " in one else one for one in texts if one) if names else ", ".join(texts)
        )
    return ""


def _entry(kind: str, fields: Mapping[str, str]) -> str:
    safe = "".join(letter for letter in kind.lower() if letter.isascii() and letter.isalnum()) or "misc"
    lines = "".join(f"  {name} = {{{balance(value)}}},\n" for name, value in fields.items())
    return f"@{safe}{{row,\n{lines}}}\n"
