"""CSL-JSON, as Zotero, Mendeley, pandoc and Crossref write it.

Documentation: the CSL-JSON schema 1.0.2 (github.com/citation-style-language/schema), the CSL specification 1.0.2, appendices III
and IV.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_citecheck.model import Location, Reference
from pytest_citecheck.readers.base import Bibliography
from pytest_citecheck.readers.documents.base import Surroundings, UnreadableDocumentError
from pytest_citecheck.readers.encoding import decode_bytes
from pytest_citecheck.readers.exchange.fields import exchanged, joined_names, key_of
from pytest_citecheck.readers.lines import LineIndex, unify_line_ends
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["CSL_JSON", "CslJsonReader", "csl_reference", "is_csl_item"]

_TYPES = {
    "article-journal": "article", "article-magazine": "article", "article-newspaper": "article", "review": "article",
    "article": "misc", "paper-conference": "inproceedings", "chapter": "incollection", "entry-encyclopedia": "incollection",
    "entry-dictionary": "incollection", "book": "book", "thesis": "phdthesis", "report": "techreport", "dataset": "dataset",
    "software": "software", "webpage": "online", "post": "online", "post-weblog": "online", "manuscript": "unpublished",
    "patent": "patent", "standard": "misc", "journal-article": "article", "proceedings-article": "inproceedings",
    "book-chapter": "incollection", "posted-content": "misc", "monograph": "book", "proceedings": "proceedings",
}  # fmt: skip
_PLAIN = {
    "publisher": "publisher", "volume": "volume", "issue": "number", "page": "pages", "edition": "edition", "DOI": "doi",
    "ISBN": "isbn", "ISSN": "issn", "URL": "url", "PMID": "pmid", "PMCID": "pmcid", "note": "note", "number": "number",
    "collection-title": "series",
}  # fmt: skip
_HEAD = lazy_pattern(rb'"(?:issued|container-title|citation-key|title|DOI)"\s*:')
_OWN = lazy_pattern(rb'"(?:issued|container-title|date-parts|citation-key|family|literal|DOI|ISBN|type)"\s*:')
_ARXIV = lazy_pattern(r"arxiv(?:\.org/abs/|[.:\s]+)([\w./-]{0,40}\d)", re.IGNORECASE)
_TAGS = lazy_pattern(r"</?(?:i|b|sub|sup|sc|span|em|strong)\b[^<>]*>")
_YEAR = lazy_pattern(r"(?<!\d)\d{4}(?!\d)")
_MOST = 200_000


class CslJsonReader:
    """Reads ``.json`` files in CSL-JSON; see `read`."""

    suffixes = frozenset((".json", ".csljson"))
    format = "CSL-JSON"
    lenient = True

    def reads(self, head: bytes) -> bool:
        """By a list or an object with names as CSL has them."""
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        return start[:1] in (b"[", b"{") and _HEAD.search(head) is not None and _OWN.search(head) is not None

    def read(self, path: str, data: bytes) -> Bibliography:
        """One reference an item, on the line that it begins on."""
        decoded, notes = decode_bytes(data)
        text = unify_line_ends(decoded)
        lines = LineIndex(text)
        references = []
        for number, (start, end, item) in enumerate(_items(text), start=1):
            place = Location(path, lines.line(start), lines.line(end))
            references.append(csl_reference(item, place, number, text[start:end]))
            if number >= _MOST:
                break
        return Bibliography(path, tuple(references), notes)

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:  # noqa: ARG002
        """Read a whole file. Raises UnreadableDocumentError if it holds no item."""
        read = self.read(path, data)
        if not read.references:
            raise UnreadableDocumentError(f"{path} holds no item of CSL-JSON")
        return read


CSL_JSON = CslJsonReader()


def _items(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Each object that is an item, with its place: of an array, of an object that holds one, one a line."""
    decoder = json.JSONDecoder()
    position, length = 0, len(text)
    opened = False
    while position < length:
        found = text.find("{", position)
        if found < 0:
            return
        try:
            value, end = decoder.raw_decode(text, found)
        except (ValueError, RecursionError):
            if opened:
                return
            opened, position = True, found + 1
            continue
        if isinstance(value, dict) and not is_csl_item(value):
            inner = next((one for one in value.values() if isinstance(one, list)), [])
            yield from ((found, end, one) for one in inner if isinstance(one, dict) and is_csl_item(one))
        elif isinstance(value, dict):
            yield found, end, value
        position = end


def is_csl_item(value: Mapping[str, Any]) -> bool:
    """Whether an object is an item: it states a title, or an identifier, with something else."""
    return len(value) > 1 and any(
        _text(value.get(name)) for name in ("title", "DOI", "URL", "container-title", "title-short")
    )


def csl_reference(item: Mapping[str, Any], location: Location, number: int, text: str = "") -> Reference:
    """The reference that an item describes. Values of other types than CSL's count as absent."""
    stated = {ours: _text(item.get(theirs)) for theirs, ours in _PLAIN.items()}
    kind = _TYPES.get(_text(item.get("type")), "misc")
    title, subtitle = _text(item.get("title")), ""
    if isinstance(item.get("subtitle"), list):  # Crossref
        subtitle = _text(item["subtitle"])
    stated["title"] = f"{title}: {subtitle}" if subtitle and subtitle not in title else title
    container = _text(item.get("container-title")) or _text(item.get("event-title"))
    if container:
        if kind == "misc":
            kind = "article"
        stated["journal" if kind in ("article", "online", "dataset", "software") else "booktitle"] = container
    if kind == "phdthesis":
        stated["school"] = stated.pop("publisher")
    elif kind == "techreport":
        stated["institution"] = stated.pop("publisher")
    stated["year"] = _year(item.get("issued"))
    arxiv = next(
        (found for name in ("number", "archive_location", "URL", "DOI", "note") if (found := _arxiv(item, name))), ""
    )
    if arxiv:
        stated |= {"eprint": arxiv, "archiveprefix": "arXiv"}
    names = {field: _names(item.get(field)) for field in ("author", "editor")}
    return exchanged(
        key_of(_text(item.get("citation-key")) or _text(item.get("id")), number),
        kind,
        stated,
        location,
        text or json.dumps(item, ensure_ascii=False)[:20_000],
        names=names,
    )


def _arxiv(item: Mapping[str, Any], name: str) -> str:
    match = _ARXIV.search(_text(item.get(name)))
    return match[1] if match else ""


def _text(value: Any) -> str:
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return _TAGS.sub("", str(value)).strip()


def _year(value: Any) -> str:
    if isinstance(value, Mapping):
        parts = value.get("date-parts")
        first = parts[0] if isinstance(parts, list) and parts else None
        if isinstance(first, list) and first:
            return _text(first[0])
        value = value.get("raw") or value.get("literal") or value.get("year")
    elif isinstance(value, list):  # pandoc's YAML
        return _year(value[0]) if value else ""
    match = _YEAR.search(_text(value))
    return match[0] if match else ""


def _names(value: Any) -> str:
    people = []
    for one in value if isinstance(value, list) else ():
        if isinstance(one, str):
            people.append((one, "", ""))
        elif isinstance(one, Mapping):
            particle = " ".join(
                filter(None, (_text(one.get("dropping-particle")), _text(one.get("non-dropping-particle"))))
            )
            family = " ".join(filter(None, (particle, _text(one.get("family")))))
            literal = _text(one.get("literal")) or _text(one.get("name"))
            people.append((family or literal, _text(one.get("given")) if family else "", _text(one.get("suffix"))))
    return joined_names(people)
