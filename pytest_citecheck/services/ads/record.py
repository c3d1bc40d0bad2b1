"""One document of the Astrophysics Data System as a record.

Source: the fields of the search API, ui.adsabs.harvard.edu/help/search/comprehensive-solr-term-list. Names are ``Family, Given``;
a collaboration stands among the authors. ``identifier`` lists all bibcodes, DOIs and arXiv ids of a document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.catalogue_keys import bibcode
from pytest_citecheck.model import Person, Record, RecordType
from pytest_citecheck.services.parsing.identifiers import arxiv_id, doi_name
from pytest_citecheck.services.parsing.json_body import listing, mapping, text, texts, whole_number, year_of
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.text.markup import without_markup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_citecheck.services.catalogues.alternatives import Named

__all__ = ["FIELDS", "parse_doc"]

FIELDS = "bibcode,title,author,author_count,year,pub,bibstem,volume,issue,page,page_range,doi,identifier,doctype"
_TYPES: Mapping[str, RecordType] = {
    "article": "article",
    "eprint": "preprint",
    "inproceedings": "inproceedings",
    "proceedings": "proceedings",
    "book": "book",
    "inbook": "chapter",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "techreport": "report",
    "software": "software",
    "dataset": "dataset",
}


def parse_doc(doc: object) -> Named | None:
    """The record of one document with all its identifiers; None if it has no bibcode or no title."""
    fields = mapping(doc)
    code = bibcode(text(fields.get("bibcode")))
    titles = [without_markup(title) for title in texts(fields.get("title"))]
    titles = [title for title in titles if title]
    if not code or not titles:
        return None
    stated = texts(fields.get("identifier"))
    dois = list(dict.fromkeys(filter(None, map(doi_name, (*texts(fields.get("doi")), *stated)))))
    own = [doi for doi in dois if not doi.startswith("10.48550/")]
    eprints = list(dict.fromkeys(filter(None, map(arxiv_id, stated))))
    codes = {code, *filter(None, map(bibcode, stated))}
    authors = tuple(person for person in map(_person, listing(fields.get("author"))) if person)
    kind = _TYPES.get(text(fields.get("doctype")).lower(), "other")
    names = {("bibcode", one) for one in codes} | {("doi", doi) for doi in dois} | {("arxiv", one) for one in eprints}
    record = Record(
        source="ads",
        id=code,
        url=f"https://ui.adsabs.harvard.edu/abs/{code.replace('&', '%26')}/abstract",
        title=titles[0],
        other_titles=tuple(titles[1:]),
        authors=authors,
        authors_complete=len(authors) >= (whole_number(fields.get("author_count")) or 0),
        years=tuple(filter(None, [year_of(fields.get("year"))])),
        venues=_venues(fields),
        type=kind,
        doi=own[0] if own else "",
        arxiv=eprints[0] if eprints else "",
        volume=text(fields.get("volume")),
        number=text(fields.get("issue")),
        pages=text(fields.get("page_range")) or next(iter(texts(fields.get("page"))), ""),
        related=tuple(("is-identical-to", doi) for doi in own[1:]),
        compiled=True,
    )
    return frozenset(names), record


def _person(stated: object) -> Person | None:
    name = stated_name(stated)
    family, comma, given = name.partition(",")
    if not name:
        return None
    return Person(family=family.strip(), given=given.strip()) if comma else undivided(name)


def _venues(fields: Mapping[str, Any]) -> tuple[str, ...]:
    stated = (text(fields.get("pub")), *texts(fields.get("bibstem"))[:1])
    return tuple(dict.fromkeys(name for name in map(without_markup, stated) if name))
