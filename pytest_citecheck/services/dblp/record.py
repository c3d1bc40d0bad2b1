"""One publication as DBLP's search describes it, as a record.

Source: dblp FAQ "How to use the dblp search API?" (dblp.org/faq/13501473) and "What do the numbers behind
author names mean?" (dblp.org/faq/1474704); publication types as in the search's type facet.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.model import Person, Record, RecordType
from pytest_citecheck.services.parsing.identifiers import arxiv_id, arxiv_id_of_doi, doi_name
from pytest_citecheck.services.parsing.json_body import listing, mapping, text, texts, year_of
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.text.blanks import BLANKS
from pytest_citecheck.text.markup import without_markup

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["parse_hit", "people"]

_TYPES: Mapping[str, RecordType] = {
    "Journal Articles": "article",
    "Conference and Workshop Papers": "inproceedings",
    "Parts in Books or Collections": "chapter",
    "Reference Works": "chapter",
    "Books and Theses": "book",
    "Editorship": "proceedings",
    "Data and Artifacts": "dataset",
}
_PREPRINTS = frozenset({"corr", "iacr cryptol. eprint arch."})
_THESES = ("phd/", "ms/", "habil/", "bachelor/")
_HOMONYM = re.compile(BLANKS + r"\d{4}\Z")
# Theses carry their title in a second language: "Title. (Titre)".
_TRANSLATED = re.compile(r"(?P<title>.+?)\.?" + BLANKS + r"\(\s*+(?P<translation>[^()]++(?:\([^()]*+\)[^()]*+)*+)\)")
_CORR_VOLUME = re.compile(r"(?:abs/)?(?P<id>\S+)")


def _person(author: object) -> Person | None:
    name = _HOMONYM.sub("", stated_name(mapping(author).get("text")) or stated_name(author))
    return undivided(name) if name else None


def people(authors: object) -> tuple[Person, ...]:
    """The persons of one author or a list of them, without the numbers that tell namesakes apart."""
    return tuple(person for person in map(_person, listing(authors)) if person)


def _title(stated: str) -> str:
    """DBLP closes every title with a period of its own."""
    title = without_markup(stated)
    return title[:-1].rstrip() if title.endswith(".") and not title.endswith("..") else title


def _type(info: Mapping[str, Any], venues: tuple[str, ...]) -> RecordType:
    stated = text(info.get("type"))
    if stated.startswith("Informal"):
        return "preprint" if venues and venues[0].lower() in _PREPRINTS else "other"
    if text(info.get("key")).startswith(_THESES):
        return "thesis"
    return _TYPES.get(stated, "other")


def _arxiv(info: Mapping[str, Any], doi: str, venues: tuple[str, ...]) -> str:
    found = arxiv_id_of_doi(doi)
    if not found and "CoRR" in venues:
        volume = _CORR_VOLUME.fullmatch(text(info.get("volume")))
        found = arxiv_id(volume["id"]) if volume else ""
        found = found or next((name for name in map(arxiv_id, texts(info.get("ee"))) if name), "")
    return found


def parse_hit(hit: object) -> Record | None:
    """The record of one hit of the publication search, or None if it has no key or no title."""
    info = mapping(mapping(hit).get("info"))
    key, title = text(info.get("key")), _title(text(info.get("title")))
    if not key or not title:
        return None
    venues = tuple(dict.fromkeys(name for name in map(without_markup, texts(info.get("venue"))) if name))
    kind = _type(info, venues)
    persons = people(mapping(info.get("authors")).get("author"))
    other_titles: tuple[str, ...] = ()
    translated = _TRANSLATED.fullmatch(title) if kind == "thesis" else None
    if translated:
        other_titles = (translated["translation"].strip(" ."), title)
        title = translated["title"].strip()
    doi = doi_name(text(info.get("doi")))
    year = year_of(info.get("year"))
    edited = kind == "proceedings"
    return Record(
        source="dblp",
        id=key,
        url=f"https://dblp.org/rec/{key}",
        title=title,
        other_titles=other_titles,
        authors=() if edited else persons,
        editors=persons if edited else (),
        years=(year,) if year else (),
        venues=venues,
        type=kind,
        publisher=without_markup(text(info.get("publisher"))),
        doi=doi,
        arxiv=_arxiv(info, doi, venues),
        volume=without_markup(text(info.get("volume"))),
        number=without_markup(text(info.get("number"))),
        pages=without_markup(text(info.get("pages"))),
    )
