"""What Zotero, Mendeley and EndNote keep in the citations of a document: the cited items themselves."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

from pytest_citecheck.model import Location, Reference
from pytest_citecheck.readers.documents.base import UnreadableDocumentError
from pytest_citecheck.readers.exchange.csl import csl_reference, is_csl_item
from pytest_citecheck.readers.exchange.endnote import ENDNOTE

__all__ = ["CitedItems"]

_MOST = 20_000


class CitedItems:
    """The items that citations hold, each once, at the place of its first citation."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._seen: set[str] = set()
        self.references: list[Reference] = []

    def add(self, code: str, paragraph: int) -> None:
        """Read a field code or the name of a mark; one that is no citation adds nothing."""
        place = Location(self._path, paragraph, paragraph, "paragraph")
        if "CSL_CITATION" in code:
            for item in _csl_items(code):
                self._keep(_identity(item), csl_reference(item, place, len(self.references) + 1))
        elif "EN.CITE" in code and "<EndNote>" in code:
            self._add_endnote(code, place)
        elif code.startswith("MENDELEY_CITATION_"):
            for item in _mendeley_items(code):
                self._keep(_identity(item), csl_reference(item, place, len(self.references) + 1))

    def _add_endnote(self, code: str, place: Location) -> None:
        start, end = code.index("<EndNote>"), code.rfind("</EndNote>")
        if end < 0:
            return
        try:
            found = ENDNOTE.read(self._path, code[start : end + len("</EndNote>")].encode("utf-8", "replace"))
        except UnreadableDocumentError:
            return
        for one in found.references:
            moved = Reference(one.key, one.type, one.fields, place, raw=one.raw, text=one.text, defects=one.defects)
            self._keep(f"{one.key} {one.fields.get('title', '')}", moved)

    def _keep(self, identity: str, reference: Reference) -> None:
        if identity not in self._seen and len(self.references) < _MOST:
            self._seen.add(identity)
            key = reference.key if not reference.key.startswith("http") else f"ref_{len(self.references) + 1}"
            known = {one.key for one in self.references} if len(self.references) < 2000 else set()
            unique = key if key not in known else f"{key}+{len(self.references) + 1}"
            self.references.append(
                Reference(
                    unique, reference.type, reference.fields, reference.location,
                    raw=reference.raw, text=reference.text, defects=reference.defects,
                )
            )  # fmt: skip


def _csl_items(code: str) -> Iterator[dict[str, Any]]:
    start = code.find("{")
    if start < 0:
        return
    try:
        value, _ = json.JSONDecoder().raw_decode(code, start)
    except (ValueError, RecursionError):
        return
    yield from _items_of(value)


def _mendeley_items(code: str) -> Iterator[dict[str, Any]]:
    packed = code.rpartition("_")[2]
    try:
        value = json.loads(base64.b64decode(packed, validate=True))
    except (ValueError, RecursionError):
        return
    yield from _items_of(value)


def _items_of(value: Any) -> Iterator[dict[str, Any]]:
    items = value.get("citationItems") if isinstance(value, dict) else None
    for one in items if isinstance(items, list) else ():
        data = one.get("itemData") if isinstance(one, dict) else None
        if isinstance(data, dict) and is_csl_item(data):
            yield data


def _identity(item: dict[str, Any]) -> str:
    return json.dumps(
        [item.get("DOI"), item.get("title"), item.get("issued"), item.get("type")], sort_keys=True, default=str
    )
