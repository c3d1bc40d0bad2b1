"""DBLP: its publications as records, and the names by which its lists are searched.

Source: the definition of its elements (dblp.org/xml/dblp.dtd). `pytest_citecheck.sources.dblp_sparql` queries DBLP, and
`pytest_citecheck.sources.dblp_dump` reads its dump. Its search and its records by key are not used: since autumn 2026 DBLP and
its mirrors show programs a page that only a browser passes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pytest_citecheck.matching import BLANKS, fold, lazy_pattern, without_markup, words
from pytest_citecheck.model import Notice, Person, Record, RecordType
from pytest_citecheck.sources.parsing import (
    arxiv_id,
    arxiv_id_of_doi,
    isbn_numbers,
    stated_name,
    text,
    undivided,
    year_of,
)
from pytest_citecheck.sources.search import plain_words
from pytest_citecheck.sources.xml import marked_text

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Collection, Iterable, Mapping, Sequence

_NAMES_ASCII = lazy_pattern(r"[a-z0-9]+")


def beginnings(families: Sequence[str]) -> list[str]:
    """The beginning of the last word of each family name, which every spelling of a name with particles has, folded.

    ``muller`` of ``Müller``, ``oord`` of ``van den Oord``. None for names in other scripts.
    """
    last_words = [found[-1] for found in map(plain_words, families) if found]
    matches = [_NAMES_ASCII.match(fold(word)) for word in last_words]
    return [match.group() for match in matches if match and len(match.group()) > 1]


def sure_part(families: Sequence[str]) -> str:
    """A part of the first family name that every spelling of it has, in small letters: ``ller`` of ``Müller``; may be empty."""
    runs = _NAMES_ASCII.findall((plain_words(families[0]) or ("",))[-1].lower()) if families else []
    return max((run for run in runs if len(run) > 1), key=len, default="")


def has_name(record: Record, wanted: Sequence[str]) -> bool:
    """Return True if a word of the name of an author or editor begins so."""
    people = (*record.authors, *record.editors)
    return any(word.startswith(tuple(wanted)) for person in people for word in words(str(person)))


KEY = lazy_pattern(r"(?<![a-z])(?!homepages/)[a-z]+(?:/(?!\.+(?:/|\Z))[A-Za-z0-9._+:-]+)+")
"""The key of a publication."""
STREAM_KEY = lazy_pattern(r"(?:conf|journals|series)/[A-Za-z0-9_-]+")
"""The key of a series with all its tracks."""
_ELEMENTS: Mapping[str, RecordType] = {
    "article": "article",
    "inproceedings": "inproceedings",
    "proceedings": "proceedings",
    "book": "book",
    "incollection": "chapter",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "data": "dataset",
    "www": "other",
}
PREPRINTS = frozenset({"corr", "iacr cryptol. eprint arch."})
"""Series, in small letters, whose informal publications are preprints."""
_THESES = ("phd/", "ms/", "habil/", "bachelor/")
_VENUES = ("journal", "booktitle", "series", "school")
_HOMONYM = lazy_pattern(BLANKS + r"\d{4}\Z")
# Theses carry their title in a second language: "Title. (Titre)".
_TRANSLATED = lazy_pattern(r"(?P<title>.+?)\.?" + BLANKS + r"\(\s*+(?P<translation>[^()]++(?:\([^()]*+\)[^()]*+)*+)\)")
_CORR_VOLUME = lazy_pattern(r"(?:abs/)?(?P<id>\S+)")
_RESOLVER = "https://doi.org/10."
_DOI_LINK = lazy_pattern(
    r"https?://(?:(?:dx\.|www\.)?doi\.org|doi\.acm\.org|doi\.ieeecomputersociety\.org)/(10\.\d[\d.]*/\S+)\Z",
    re.IGNORECASE,
)


def parse_publication(element: ET.Element) -> Record | None:
    """Record of one publication element of dblp.dtd, or None for another element, or without key or title."""
    key = element.get("key", "")
    fields = ((child.tag, marked_text(child)) for child in element)
    return publication(key, element.tag, element.get("publtype", "").split(), fields) if KEY.fullmatch(key) else None


def publication(
    key: str, element: str, kinds: Collection[str], fields: Iterable[tuple[str, str]], container: str = ""
) -> Record | None:
    """The record of one publication of dblp's XML, or None for another element or without a title.

    element: its name in dblp.dtd. kinds: the words of ``publtype``. fields: names and texts of the elements in it,
    without markup. container: the venue of its volume, for a record without a venue.
    """
    if element not in _ELEMENTS:
        return None
    stated: dict[str, list[str]] = {}
    for name, value in fields:
        stated.setdefault(name, []).append(value)

    def one(name: str) -> str:
        return without_markup(stated[name][0]) if name in stated else ""

    title = _title(one("title"))
    if not title:
        return None
    venues = tuple(
        dict.fromkeys(name for field in _VENUES for name in map(without_markup, stated.get(field, ())) if name)
    )
    venues = venues or ((container,) if container else ())
    links = stated.get("ee", ())
    doi = _doi(links)
    return _record(
        key,
        kind=_informal(venues) if "informal" in kinds else "thesis" if key.startswith(_THESES) else _ELEMENTS[element],
        title=title,
        authors=_people(stated.get("author", ())),
        editors=_people(stated.get("editor", ())),
        year=one("year"),
        venues=venues,
        publisher=one("publisher"),
        doi=doi,
        arxiv=_arxiv(doi, venues, one("volume"), links),
        volume=one("volume"),
        number=one("number"),
        pages=one("pages"),
        isbn=isbn_numbers(stated["isbn"]) if "isbn" in stated else (),
        notices=(Notice("removal", "dblp"),) if "withdrawn" in kinds else (),
    )


def _record(
    key: str,
    *,
    kind: RecordType,
    title: str,
    authors: tuple[Person, ...],
    editors: tuple[Person, ...],
    year: str,
    **others: Any,  # fields of the record as they are
) -> Record:
    """Return the record of one publication, from metadata in any form."""
    other_titles: tuple[str, ...] = ()
    translated = _TRANSLATED.fullmatch(title) if kind == "thesis" else None
    if translated:
        other_titles = (translated["translation"].strip(" ."), title)
        title = translated["title"].strip()
    if kind == "proceedings" and not editors:
        editors, authors = authors, ()
    number = year_of(year)
    return Record(
        source="dblp",
        id=key,
        url=f"https://dblp.org/rec/{key}",
        title=title,
        other_titles=other_titles,
        authors=authors,
        editors=editors,
        years=(number,) if number else (),
        type=kind,
        **others,
    )


@lru_cache(maxsize=1 << 14)
def _person(stated: str) -> Person:
    """The person, without the number that distinguishes namesakes."""
    return undivided(_HOMONYM.sub("", stated_name(stated)))


def _people(names: Iterable[object]) -> tuple[Person, ...]:
    return tuple(_person(text(name)) for name in names)


def _title(stated: str) -> str:
    """The title without the period that dblp puts at its end."""
    title = without_markup(stated)
    return title[:-1].rstrip() if title.endswith(".") and not title.endswith("..") else title


def _informal(venues: Sequence[str]) -> RecordType:
    return "preprint" if venues and venues[0].lower() in PREPRINTS else "other"


def _doi(links: Iterable[str]) -> str:
    """The first DOI among the links, in lower case; empty if there is none."""
    for link in links:
        if link.startswith(_RESOLVER) and "%" not in link and " " not in link and "/" in link[19:]:
            return link[16:].lower()
        if (match := _DOI_LINK.match(link)) is not None:
            return unquote(match[1]).lower()
    return ""


def _arxiv(doi: str, venues: Sequence[str], volume: str, links: Iterable[str]) -> str:
    found = arxiv_id_of_doi(doi)
    if not found and "CoRR" in venues:
        stated = _CORR_VOLUME.fullmatch(volume)
        found = arxiv_id(stated["id"]) if stated else ""
        found = found or next((name for name in map(arxiv_id, links) if name), "")
    return found
