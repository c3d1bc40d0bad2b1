"""DBLP: computer science publications by title, and by their authors in a series and year.

Documentation: dblp FAQ "How to use the dblp search API?" (dblp.org/faq/13501473): every word of the query has to occur as
the beginning of a word of the title, a name or the venue, ``a|b`` is either; facets are written ``year:2017:`` and
``streamid:conf/nips:`` (a stream is a series with all its tracks, under the key that its records carry). Absence: of a
title, none is evidence, as one word that differs empties the search; a list of all works of authors in a stream and year is
one, where DBLP lists the stream and year at all. Author order: as in the publication, reliable. Limits: none are published;
more than about one request a second is answered with 429 and a page in HTML. Since
autumn 2026 DBLP and its official mirrors show programs a page that only a browser passes, so the search is asked only where a
user names a mirror; `pytest_citecheck.sources.dblp_sparql` asks the same queries elsewhere.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pytest_citecheck.matching import BLANKS, fold, lazy_pattern, lookup, without_markup, words
from pytest_citecheck.model import (
    Absent,
    Answer,
    CitedMetadata,
    Found,
    Notice,
    Person,
    Query,
    QueryKind,
    Record,
    RecordType,
)
from pytest_citecheck.sources.base import (
    LARGEST_RECORD,
    PAPERS,
    MalformedAnswerError,
    Rate,
    Request,
    Response,
    Role,
    Source,
    Terms,
    TitleSearch,
)
from pytest_citecheck.sources.parsing import (
    arxiv_id,
    arxiv_id_of_doi,
    doi_name,
    isbn_numbers,
    listing,
    mapping,
    parse_json,
    path_url,
    query_url,
    stated_name,
    text,
    texts,
    undivided,
    whole_number,
    year_of,
)
from pytest_citecheck.sources.search import distinctive_words, plain_words
from pytest_citecheck.sources.xml import marked_text

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Collection, Iterable, Mapping, Sequence

# Six words single out a title; each further one may be the one that DBLP spells in another way.
_MOST_WORDS = 6
_SHORT_TITLE = 3
_TITLE_HITS, _BYLINE_HITS, _VOLUME_HITS = 30, 1000, 1
_ASCII = lazy_pattern(r"[A-Za-z0-9]+")
_ENDING = lazy_pattern(r"(?:[iy][sz](?:e|ed|es|ing|ations?|ers?)|(?<!s)s)\Z")
_SHORTEST_STEM = 4


class Dblp(Source):
    """DBLP's publication search as a source of records (see the module)."""

    name = "dblp"
    label = "DBLP"
    base_url = "https://dblp.org"
    documentation = "https://dblp.org/faq/13501473.html"
    batch: Mapping[QueryKind, int] = {"title": 1, "author_search": 1, "venue_year": 1}
    keeps_author_order = True
    rate = Rate(per_second=1.0, concurrency=1)
    mirror_only = True
    limits = "none published; 429 with Retry-After beyond about one request a second"
    terms = Terms("CC0, may be redistributed", reported=True)
    absence = "complete for volumes that it lists completely and that are two years old; otherwise no evidence"
    authoritative_for = ("title", "authors", "year", "venue")
    role = Role(
        titles=(
            TitleSearch("single", 11, ("computer_science",), PAPERS),
            TitleSearch(
                "single", 31, ("physics", "mathematics", "social_science", "interdisciplinary", "other"), PAPERS
            ),
            TitleSearch("single", 31, works=("book", "thesis")),
        )
    )
    controls: Mapping[QueryKind, Query] = {
        "title": Query("title", "Attention is All you Need", ("Vaswani",)),
        "author_search": Query("author_search", "conf/nips", ("Vaswani",), 2017),
        "venue_year": Query("venue_year", "conf/nips", (), 2017),
    }

    def accepts(self, query: Query) -> bool:
        """Titles with at least one word, streams in a year, and authors there with a name in Latin script."""

        if query.kind == "title":
            return bool(plain_words(query.value))
        if query.kind not in ("author_search", "venue_year") or not STREAM_KEY.fullmatch(query.value) or not query.year:
            return False
        return query.kind == "venue_year" or bool(_names(query))

    def may_list(self, cited: CitedMetadata) -> bool:
        """Not if its key is cited, which is queried instead, nor if the venue is known and DBLP does not list it."""
        venue = lookup(cited.venue) if cited.venue else None
        listed = venue is None or bool(venue.dblp) or venue.kind not in ("journal", "conference", "workshop")
        return listed and not cited.identifiers.dblp

    def request(self, queries: Sequence[Query]) -> Request:
        """``search/publ/api``: distinctive words of a title (plus an author if they are few), or facets."""
        query = queries[0]
        facets = [f"streamid:{query.value}:", f"year:{query.year}:"]
        if query.kind == "author_search":
            words, hits = ["|".join(_names(query)), *facets], _BYLINE_HITS
        elif query.kind == "venue_year":
            words, hits = facets, _VOLUME_HITS
        else:
            words, hits = _title_words(query.value), _TITLE_HITS
            if len(words) < _SHORT_TITLE:
                words += _names(query)[:1]
        url = query_url(
            f"{self.base_url}/search/publ/api", ("q", " ".join(words)), ("format", "json"), ("h", hits), ("c", 0)
        )
        return Request(self.name, url)

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError unless the list is complete."""
        from pytest_citecheck.sources.parsing import without_absences

        if response.status >= 300:
            raise MalformedAnswerError(f"DBLP answered status {response.status}")
        hits, total = _hits(parse_json(response.body))
        records = tuple(record for record in map(dblp_record, hits) if record)
        if hits and not records:
            raise MalformedAnswerError("no hit of DBLP's answer is a publication")
        answers = {query: _answer(query, records, whole=len(hits) >= total) for query in queries}
        return without_absences(answers, self.label) if len(records) < len(hits) else answers


def _beginning(word: str) -> str:
    """Letters with which DBLP's form of a word certainly begins.

    They end before an accent, as it is unknown whether the index folds it, and before endings that vary (plural, -ise
    and -ize). Empty if fewer than two are left.
    """
    letters = _ASCII.match(word)
    found = letters.group() if letters else ""
    ending = _ENDING.search(found)
    if ending and ending.start() >= _SHORTEST_STEM:
        found = found[: ending.start()]
    return found if len(found) > 1 else ""


def _title_words(title: str) -> list[str]:
    words = distinctive_words(title, _MOST_WORDS)
    return list(dict.fromkeys(filter(None, map(_beginning, words)))) or list(words)


def _names(query: Query) -> list[str]:
    """The beginning of the last word of each family name, which every spelling of a name with particles has.

    It ends before an accent, as in titles; a name of which one letter would be left (``Müller``) is folded before it is cut.
    """
    last_words = [words[-1] for words in map(plain_words, query.authors) if words]
    return [found for found in map(_beginning_of_name, last_words) if len(found) > 1]


def _beginning_of_name(word: str) -> str:
    stated, folded = _ASCII.match(word), _ASCII.match(fold(word).capitalize())
    if stated and len(stated.group()) > 1:
        return stated.group()
    return folded.group() if folded else ""


def _hits(body: Any) -> tuple[list[Any], int]:
    """Hits in an answer, and their total number; ``hit`` may be missing, a list or one object."""
    result = mapping(body).get("result")
    hits = mapping(result).get("hits")
    if not isinstance(hits, dict):
        raise MalformedAnswerError("DBLP's answer has no hits")
    code = text(mapping(mapping(result).get("status")).get("@code"))
    if code not in ("", "200"):
        raise MalformedAnswerError(f"DBLP answered code {code}")
    sent, total = whole_number(hits.get("@sent")), whole_number(hits.get("@total"))
    found = listing(hits.get("hit"))
    expected = sent if sent is not None else total
    if expected is None or len(found) < expected or (total and not found):
        raise MalformedAnswerError(f"DBLP's answer contains {len(found)} of {expected} hits")
    return found, expected if total is None else total


def _answer(query: Query, records: tuple[Record, ...], *, whole: bool) -> Answer:
    if query.kind == "title":
        return Found(records) if records else Absent()
    if any(not record.id.startswith(f"{query.value}/") for record in records):
        raise MalformedAnswerError(f"DBLP's answer contains records from outside {query.value}")
    place = f"{query.value} {query.year}"
    if query.kind == "venue_year":
        return Found(records, f"DBLP lists {place}") if records else Absent()
    names = " or ".join(query.authors)
    if not records:
        return Absent(f"DBLP lists no work in {place} by an author named {names}")
    return Found(records, f"DBLP lists {len(records)} works in {place} by an author named {names}" if whole else "")


DBLP = Dblp()


# DBLP: one publication by its key.


class DblpRecord(Source):
    """DBLP's records by key as a source (see the module)."""

    name = "dblp_record"
    label = "DBLP records"
    base_url = "https://dblp.org"
    documentation = "https://dblp.org/faq/16154937.html"
    batch: Mapping[QueryKind, int] = {"dblp": 1}
    keeps_author_order = True
    rate = Rate(per_second=1.0, concurrency=1)
    mirror_only = True
    largest_body = LARGEST_RECORD
    limits = "none published; 429 with Retry-After beyond about one request a second"
    terms = Terms("CC0, may be redistributed", reported=True)
    absence = "no evidence: keys change, and an absence has no documented form"
    unconfirmed = "addresses of records by key on a mirror"
    authoritative_for = ("identifier", "title", "authors", "year", "venue")
    role = Role(catalogue=("dblp",))
    controls: Mapping[QueryKind, Query] = {"dblp": Query("dblp", "conf/nips/VaswaniSPUJGKP17")}

    def accepts(self, query: Query) -> bool:
        """Keys of publications, not of persons (``homepages/…``)."""

        return query.kind == "dblp" and KEY.fullmatch(query.value) is not None

    def request(self, queries: Sequence[Query]) -> Request:
        """``/rec/{key}.xml``."""
        url = path_url(f"{self.base_url}/rec", f"{queries[0].value}.xml")
        return Request(self.name, url, accept="application/xml")

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """The publication with that key. Raises MalformedAnswerError for another key and all but one publication."""
        return {query: _by_key_answer(query.value, response) for query in queries}


def _by_key_answer(key: str, response: Response) -> Answer:
    from pytest_citecheck.sources.xml import parse_xml

    if response.status == 404 and _is_own_page(response.body):
        return Absent()
    if response.status >= 300:
        raise MalformedAnswerError(f"DBLP answered status {response.status}")
    root = parse_xml(response.body, doctype=True)
    stated = list(root) if root.tag == "dblp" else [root]
    if len(stated) != 1:
        raise MalformedAnswerError(f"DBLP's answer contains {len(stated)} publications instead of one")
    record = parse_publication(stated[0])
    if record is None:
        raise MalformedAnswerError(f"DBLP's answer is not a publication but {stated[0].tag[:60]}")
    if record.id != key:
        raise MalformedAnswerError(f"DBLP answered for {record.id} instead of {key}")
    return Found((record,))


def _is_own_page(body: bytes) -> bool:
    """Return True if this is a page of DBLP itself, and not of something in between."""
    page = body.lower()
    return b"<html" in page and b"dblp" in page and b"404" in page


DBLP_RECORD = DblpRecord()


# The beginnings of family names by which works are looked for in a list of DBLP.


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


# One publication as dblp describes it, as a record: a hit of its search, or a publication of its XML and RDF.


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


def dblp_record(hit: object) -> Record | None:
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
