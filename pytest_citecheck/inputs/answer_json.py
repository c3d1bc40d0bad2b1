"""Reference lists that a model wrote as JSON: an array, an object that contains one, or one object per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_citecheck.inputs.bibtex.reader import reference_of
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.plain.cues import container
from pytest_citecheck.inputs.tables import names_of
from pytest_citecheck.matching import normalise_arxiv
from pytest_citecheck.model import Location, Reference

_OPENING = lazy_pattern(r"[\[{]")
_NAMES = names_of("models", "fields")
"""Field names that models and CSL-JSON use (lower case, no separators) → BibTeX field names."""
_MOST_FAILURES = 200
"""Give up after this many brackets that do not start JSON and treat the text as prose."""


def read_json_references(text: str, location: Location) -> list[Reference]:
    """Return the references from every JSON reference list in the text; empty if there is none. Never raises."""
    return [reference for value in _values(text) for reference in _references(value, location)]


def _values(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder()
    position = failures = 0
    while failures < _MOST_FAILURES and (opening := _OPENING.search(text, position)):
        try:
            value, position = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            failures += 1
            position = opening.end()
        else:
            yield value


def _references(value: Any, location: Location) -> Iterator[Reference]:
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield from _references(item, location)
    elif isinstance(value, dict):
        fields = _fields(value)
        if "title" in fields:
            yield _reference(value, fields, location)
        else:
            for item in value.values():
                if isinstance(item, list):
                    yield from _references(item, location)


def _fields(value: Mapping[str, Any]) -> dict[str, str]:
    """Return the values as written, keyed by BibTeX field name."""
    fields: dict[str, str] = {}
    for written, content in value.items():
        name = _field(written)
        stated = _authors(content) if name == "author" else _scalar(content)
        if name and stated:
            fields.setdefault(name, stated)
    venue = fields.pop("venue", "")
    if venue and "journal" not in fields and "booktitle" not in fields:
        fields[container(venue, volume=bool(fields.get("volume")))[1]] = venue
    if "eprint" in fields and normalise_arxiv(fields["eprint"])[0]:
        fields["archiveprefix"] = "arXiv"
    return fields


def _field(written: str) -> str:
    """Return the BibTeX name of a field: of the whole name, or of the first word that names one (``paper_title``)."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", written).lower().replace("_", " ").replace("-", " ").split()
    return next((_NAMES[word] for word in ("".join(words), *words) if word in _NAMES), "")


def _scalar(content: Any) -> str:
    if isinstance(content, str):
        return " ".join(content.split())
    if isinstance(content, int) and not isinstance(content, bool):
        return str(content)
    if isinstance(content, list) and len(content) == 1:
        return _scalar(content[0])
    return ""


def _authors(content: Any) -> str:
    if not isinstance(content, list):
        return _scalar(content)
    return " and ".join(name for author in content if (name := _author(author)))


def _author(author: Any) -> str:
    if isinstance(author, dict):
        family = _scalar(author.get("family") or author.get("last") or author.get("last_name") or "")
        given = _scalar(author.get("given") or author.get("first") or author.get("first_name") or "")
        if family:
            return f"{family}, {given}" if given else f"{{{family}}}"
        return _scalar(author.get("name") or author.get("literal") or "")
    name = _scalar(author).rstrip(",;")
    return "others" if re.fullmatch(r"et\.? al\.?|others", name, re.IGNORECASE) else name


def _reference(value: Mapping[str, Any], raw: dict[str, str], location: Location) -> Reference:
    key = value.get("key") or value.get("citation_key") or value.get("bibtex_key") or ""
    text = json.dumps(value, ensure_ascii=False)
    return reference_of(key if isinstance(key, str) else "", _type(value, raw), raw, location, text)


def _type(value: Mapping[str, Any], fields: Mapping[str, str]) -> str:
    stated = value.get("entry_type") or value.get("type") or ""
    stated = stated.lower() if isinstance(stated, str) else ""
    known = {"paper-conference": "inproceedings", "article-journal": "article", "chapter": "incollection"}.get(
        stated, stated
    )
    if known in _ENTRY_TYPES:
        return known
    if "booktitle" in fields:
        return "inproceedings"
    return "article" if "journal" in fields else "misc"


_ENTRY_TYPES = frozenset({
    "article", "inproceedings", "incollection", "book", "misc", "phdthesis", "mastersthesis", "techreport", "online",
    "dataset", "software",
})  # fmt: skip
