"""HAL: documents of the open archive of French research by id, theses and reports by title.

Written from the documentation (api.archives-ouvertes.fr/docs/search) and not from recorded answers. Authors deposit their works
and describe them; theses come from the national register. Absence: documents are withdrawn and joined, so it is no evidence.
Author order: as published, reliable. Limits: none are published.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytest_citecheck.matching import hal_id, nnt, without_markup
from pytest_citecheck.model import Person, Query, QueryKind, Record, RecordType
from pytest_citecheck.sources.base import Role, TitleSearch
from pytest_citecheck.sources.french_research import FrenchRegister
from pytest_citecheck.sources.parsing import (
    Fields,
    arxiv_id,
    doi_name,
    isbn_numbers,
    mapping,
    pubmed_id,
    stated_name,
    stated_parts,
    texts,
    undivided,
)
from pytest_citecheck.sources.search import main_words, plain_words

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_WORDS = 8


class Hal(FrenchRegister):
    """HAL's search API as a source of records (see the module)."""

    name = "hal"
    label = "HAL"
    base_url = "https://api.archives-ouvertes.fr"
    documentation = "https://api.archives-ouvertes.fr/docs/search"
    batch: Mapping[QueryKind, int] = {"hal": 40, "title": 5}
    absence = "no evidence: documents are withdrawn and merged, and a search only returns its best matches"
    unconfirmed = "searches without accents in `title_t` and `authLastName_t`, `OR` between titles"
    authoritative_for = ("identifier", "title", "authors", "year")
    derives_from = ("arxiv", "crossref", "theses_fr")
    role = Role(looks_up=("hal",), titles=(TitleSearch("batch", 30, works=("thesis", "report")),))
    controls: Mapping[QueryKind, Query] = {
        "hal": Query("hal", "hal-00650905"),
        "title": Query("title", "Scikit-learn: Machine Learning in Python", ("Pedregosa",)),
    }

    number, path, field, quoted, hits = "hal", "search/", "halId_s", '"{}"', 50

    def parameters(self, query: str) -> tuple[tuple[str, str | int], ...]:

        return ("q", query), ("fl", FIELDS), ("rows", self.hits), ("wt", "json")

    def titled(self, query: Query) -> str:
        words = main_words(query.value, _MOST_WORDS, with_author=bool(query.authors))
        terms = [f"title_t:({_all_of(words)})"]
        terms += [
            f"authLastName_t:({_all_of(plain_words(name)[-1:])})" for name in query.authors[:1] if plain_words(name)
        ]
        return "(" + " AND ".join(terms) + ")"

    def documents(self, body: Fields) -> tuple[object, object]:
        answer = body.at("response")
        return answer.get("docs"), answer.get("numFound")

    def read(self, document: object) -> Record | None:

        return hal_record(document)


def _all_of(words: Sequence[str]) -> str:
    return " AND ".join(f'"{word.lower()}"' for word in words)


HAL = Hal()


FIELDS = (
    "halId_s,uri_s,docType_s,title_s,subTitle_s,authLastName_s,authFirstName_s,authFullName_s,producedDateY_i,publicationDateY_i,"
    "journalTitle_s,bookTitle_s,conferenceTitle_s,authorityInstitution_s,publisher_s,volume_s,issue_s,page_s,isbn_s,doiId_s,"
    "arxivId_s,pubmedId_s,nntId_s"
)
_TYPES: Mapping[str, RecordType] = {
    "ART": "article", "COMM": "inproceedings", "POSTER": "inproceedings", "OUV": "book", "COUV": "chapter", "DOUV": "book",
    "PROCEEDINGS": "proceedings", "UNDEFINED": "preprint", "PREPRINT": "preprint", "REPORT": "report", "THESE": "thesis",
    "HDR": "thesis", "MEM": "thesis", "SOFTWARE": "software",
}  # fmt: skip
_EDITED = frozenset({"DOUV", "PROCEEDINGS", "ISSUE"})
_CONTAINERS = ("journalTitle_s", "bookTitle_s", "conferenceTitle_s", "authorityInstitution_s")


def hal_record(document: object) -> Record | None:
    """The record of one item of ``docs``, or None if it has no id or no title.

    A work with a DOI, an arXiv id or a PMID is registered elsewhere, and HAL has mostly copied it: such a record is
    compiled.
    """
    fields = mapping(document)
    key, titles = hal_id(fields.text("halId_s")), _plain(fields.get("title_s"))
    if not key or not titles:
        return None
    stated = fields.text("docType_s")
    people = _people(fields)
    number = nnt(fields.first("nntId_s"))
    doi, arxiv = doi_name(fields.first("doiId_s")), arxiv_id(fields.first("arxivId_s"))
    pmid = pubmed_id(fields.first("pubmedId_s"))
    subtitles = _plain(fields.get("subTitle_s"))
    return Record(
        source="hal",
        id=key,
        url=f"https://hal.science/{key}",
        title=titles[0],
        subtitle=subtitles[0] if subtitles else "",
        other_titles=titles[1:],
        authors=() if stated in _EDITED else people,
        editors=people if stated in _EDITED else (),
        years=tuple(
            dict.fromkeys(year for name in ("publicationDateY_i", "producedDateY_i") if (year := fields.year(name)))
        ),
        venues=tuple(dict.fromkeys(name for container in _CONTAINERS for name in _plain(fields.get(container)))),
        type=_TYPES.get(stated, "other" if stated else ""),
        publisher="; ".join(_plain(fields.get("publisher_s"))),
        doi=doi,
        arxiv=arxiv,
        pmid=pmid,
        volume=fields.first("volume_s"),
        number=fields.first("issue_s"),
        pages=fields.first("page_s"),
        isbn=isbn_numbers(fields.texts("isbn_s")),
        related=(("hal", key), *((("nnt", number),) if number else ())),
        compiled=bool(doi or arxiv or pmid),
    )


def _plain(value: object) -> tuple[str, ...]:
    return tuple(filter(None, map(without_markup, texts(value))))


def _people(fields: Fields) -> tuple[Person, ...]:
    """The people in order: in two parts where HAL has both of each, else in one."""
    families, given = fields.all("authLastName_s"), fields.all("authFirstName_s")
    if families and len(families) == len(given):
        parts = [stated_parts(*pair) for pair in zip(families, given, strict=True)]
        return tuple(Person(family=family, given=first if family else "") for family, first in parts)
    return tuple(map(undivided, map(stated_name, fields.all("authFullName_s"))))
