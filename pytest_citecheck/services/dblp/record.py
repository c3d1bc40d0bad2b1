"""One publication as dblp describes it, as a record: a hit of its search, or a publication of its XML and RDF.

Sources: dblp FAQ "How to use the dblp search API?" (dblp.org/faq/13501473) and "What do the numbers behind
author names mean?" (dblp.org/faq/1474704), publication types as in the search's type facet; the definition of the elements
(dblp.org/xml/dblp.dtd). dblp closes every title with a period of its own, and gives papers of arXiv the journal CoRR and the
volume ``abs/ID``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pytest_citecheck.model import Notice, Person, Record, RecordType
from pytest_citecheck.services.parsing.identifiers import arxiv_id, arxiv_id_of_doi, doi_name, isbn_numbers
from pytest_citecheck.services.parsing.json_body import listing, mapping, text, texts, year_of
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.services.parsing.xml_text import marked_text
from pytest_citecheck.text.blanks import BLANKS
from pytest_citecheck.text.markup import without_markup
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Collection, Iterable, Mapping, Sequence

__all__ = ["KEY", "PREPRINTS", "STREAM_KEY", "parse_hit", "parse_publication", "publication"]

KEY = lazy_pattern(r"(?!homepages/)[a-z]+(?:/(?!\.+(?:/|\Z))[A-Za-z0-9._+:-]+)+")
"""The key of a publication."""
STREAM_KEY = lazy_pattern(r"(?:conf|journals|series)/[A-Za-z0-9_-]+")
"""The key of a series with all its tracks."""
_TYPES: Mapping[str, RecordType] = {
    "Journal Articles": "article",
    "Conference and Workshop Papers": "inproceedings",
    "Parts in Books or Collections": "chapter",
    "Reference Works": "chapter",
    "Books and Theses": "book",
    "Editorship": "proceedings",
    "Data and Artifacts": "dataset",
}
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


def parse_hit(hit: object) -> Record | None:
    """The record of one hit of the publication search, or None if it has no key or no title."""
    info = mapping(mapping(hit).get("info"))
    key, title = text(info.get("key")), _title(text(info.get("title")))
    if not key or not title:
        return None
    venues = tuple(dict.fromkeys(name for name in map(without_markup, texts(info.get("venue"))) if name))
    stated = text(info.get("type"))
    kind = "thesis" if key.startswith(_THESES) else _TYPES.get(stated, "other")
    doi = doi_name(text(info.get("doi")))
    authors = [mapping(author).get("text") or author for author in listing(mapping(info.get("authors")).get("author"))]
    return _record(
        key,
        kind=_informal(venues) if stated.startswith("Informal") else kind,
        title=title,
        authors=_people(authors),
        editors=(),
        year=text(info.get("year")),
        venues=venues,
        publisher=without_markup(text(info.get("publisher"))),
        doi=doi,
        arxiv=_arxiv(doi, venues, text(info.get("volume")), texts(info.get("ee"))),
        volume=without_markup(text(info.get("volume"))),
        number=without_markup(text(info.get("number"))),
        pages=without_markup(text(info.get("pages"))),
    )


def parse_publication(element: ET.Element) -> Record | None:
    """The record of one publication element of dblp.dtd, or None if it is none, or has no key or no title."""
    key = element.get("key", "")
    fields = ((child.tag, marked_text(child)) for child in element)
    return publication(key, element.tag, element.get("publtype", "").split(), fields) if KEY.fullmatch(key) else None


def publication(
    key: str, element: str, kinds: Collection[str], fields: Iterable[tuple[str, str]], container: str = ""
) -> Record | None:
    """The record of one publication of dblp's XML, or None if the element is none or there is no title.

    element: its name in dblp.dtd. kinds: the words of ``publtype``. fields: names and texts of the elements in it, without
    markup. container: the venue of the volume that it refers to, for a record that states none.
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
    """The record of one publication, in whatever form it came."""
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
def _person(stated: str) -> Person | None:
    """The person, without the number that distinguishes namesakes."""
    name = _HOMONYM.sub("", stated_name(stated))
    return undivided(name) if name else None


def _people(names: Iterable[object]) -> tuple[Person, ...]:
    return tuple(person for name in names if isinstance(name, str) and (person := _person(name)))


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
