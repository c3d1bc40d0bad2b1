"""Documents of HAL as records.

Source: the fields of its search API (api.archives-ouvertes.fr/docs/search, "Champs").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_citecheck.identifiers.repository_ids import hal_id, nnt
from pytest_citecheck.model import Person, Record, RecordType
from pytest_citecheck.services.parsing.identifiers import arxiv_id, doi_name, isbn_numbers, pubmed_id
from pytest_citecheck.services.parsing.json_body import first_text, listing, mapping, text, texts, year_of
from pytest_citecheck.services.parsing.stated_names import stated_name, stated_parts, undivided
from pytest_citecheck.text.markup import without_markup

__all__ = ["FIELDS", "parse_document"]

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


def parse_document(document: object) -> Record | None:
    """The record of one item of ``docs``, or None if it has no id or no title.

    What has a DOI, an arXiv id or a PMID is registered elsewhere, and HAL has mostly copied it: such a record is compiled.
    """
    fields = mapping(document)
    key, titles = hal_id(text(fields.get("halId_s"))), _plain(fields.get("title_s"))
    if not key or not titles:
        return None
    stated = text(fields.get("docType_s"))
    people = _people(fields)
    number = nnt(first_text(fields.get("nntId_s")))
    doi, arxiv = doi_name(first_text(fields.get("doiId_s"))), arxiv_id(first_text(fields.get("arxivId_s")))
    pmid = pubmed_id(first_text(fields.get("pubmedId_s")))
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
            dict.fromkeys(
                year for name in ("publicationDateY_i", "producedDateY_i") if (year := year_of(fields.get(name)))
            )
        ),
        venues=tuple(dict.fromkeys(name for container in _CONTAINERS for name in _plain(fields.get(container)))),
        type=_TYPES.get(stated, "other" if stated else ""),
        publisher="; ".join(_plain(fields.get("publisher_s"))),
        doi=doi,
        arxiv=arxiv,
        pmid=pmid,
        volume=first_text(fields.get("volume_s")),
        number=first_text(fields.get("issue_s")),
        pages=first_text(fields.get("page_s")),
        isbn=isbn_numbers(texts(fields.get("isbn_s"))),
        related=(("hal", key), *((("nnt", number),) if number else ())),
        compiled=bool(doi or arxiv or pmid),
    )


def _plain(value: object) -> tuple[str, ...]:
    return tuple(filter(None, map(without_markup, texts(value))))


def _people(fields: Mapping[str, Any]) -> tuple[Person, ...]:
    """The people in order: in two parts where HAL has both of each, else in one."""
    families, given = listing(fields.get("authLastName_s")), listing(fields.get("authFirstName_s"))
    if families and len(families) == len(given):
        parts = [stated_parts(*pair) for pair in zip(families, given, strict=True)]
        return tuple(Person(family=family, given=first) for family, first in parts if family)
    return tuple(undivided(name) for name in map(stated_name, texts(fields.get("authFullName_s"))) if name)
