"""NASA Astrophysics Data System: astronomy, physics and arXiv, by bibcode, identifier and title; with a key alone.

Documentation: ui.adsabs.harvard.edu/help/api, github.com/adsabs/adsabs-dev-api ("Search API"). It compiles what publishers,
arXiv and Crossref send, so it has no first word. Absence: no evidence. Author order: as published. Limits: 5,000 requests a
day with a token (x-ratelimit-remaining).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.matching import bibcode, lazy_pattern, without_markup
from pytest_citecheck.model import Person, Query, QueryKind, Record
from pytest_citecheck.sources.base import Credentials, Rate, Role, Terms, TitleSearch
from pytest_citecheck.sources.field_catalogues import FieldCatalogue
from pytest_citecheck.sources.parsing import Fields, arxiv_id, doi_name, inverted, mapping, stated_name, text, unique
from pytest_citecheck.sources.record_types import record_type

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_citecheck.sources.field_catalogues import Named


class AstrophysicsDataSystem(FieldCatalogue):
    """The search API of the Astrophysics Data System as a source of records (see the module)."""

    name = "ads"
    label = "NASA ADS"
    base_url = "https://api.adsabs.harvard.edu/v1"
    documentation = "https://ui.adsabs.harvard.edu/help/api/"
    batch: Mapping[QueryKind, int] = {"bibcode": 25, "doi": 25, "arxiv": 25, "title": 5}
    rate = Rate(per_second=1.0, concurrency=1)
    limits = "5,000 requests a day with a key"
    absence = "no evidence: it compiles other sources, which are queried anyway"
    derives_from = ("arxiv", "crossref")
    terms = Terms("facts; terms not reviewed, keep cassettes private")
    unconfirmed = 'alternatives in one query (`doi:"a" OR doi:"b"`)'
    role = Role(
        catalogue=("bibcode", "doi", "arxiv"),
        disciplines=("physics",),
        titles=(TitleSearch("batch", 60, ("physics",), ("article", "paper", "report", "misc", "thesis")),),
    )
    credentials = Credentials(
        "ADS_API_TOKEN",
        header="Authorization",
        scheme="Bearer",
        required=True,
        obtained="https://ui.adsabs.harvard.edu/user/settings/token",
    )
    # Riess and others on the accelerating universe.
    controls: Mapping[QueryKind, Query] = {
        "bibcode": Query("bibcode", "1998AJ....116.1009R"),
        "doi": Query("doi", "10.1086/300499"),
        "arxiv": Query("arxiv", "astro-ph/9805201"),
        "title": Query(
            "title",
            "Observational Evidence from Supernovae for an Accelerating Universe and a Cosmological Constant",
            ("Riess",),
        ),
    }

    path = "search/query"
    unquotable = lazy_pattern(r"[\s\"\\]")
    clauses: Mapping[QueryKind, str] = {
        "bibcode": 'identifier:"{}"',
        "doi": 'doi:"{}"',
        "arxiv": 'identifier:"arXiv:{}"',
    }
    title_word, author, both, either = "title:{}", 'author:"{}"', " ", " OR "

    def parameters(self, query: str, hits: int) -> tuple[tuple[str, str | int], ...]:

        return ("q", query), ("fl", FIELDS), ("rows", hits)

    def page(self, body: Fields) -> tuple[object, object, object]:
        page, error = body.at("response"), body.get("error")
        return page.get("docs"), page.get("numFound"), mapping(error).text("msg") or text(error)

    def read(self, result: object) -> Named | None:

        return parse_doc(result)


ADS = AstrophysicsDataSystem()


FIELDS = "bibcode,title,author,author_count,year,pub,bibstem,volume,issue,page,page_range,doi,identifier,doctype"


def parse_doc(doc: object) -> Named | None:
    """The record of one document with all its identifiers; None if it has no bibcode or no title."""
    fields = mapping(doc)
    code = bibcode(fields.text("bibcode"))
    titles = [without_markup(title) for title in fields.texts("title")]
    titles = [title for title in titles if title]
    if not code or not titles:
        return None
    stated = fields.texts("identifier")
    dois = list(dict.fromkeys(filter(None, map(doi_name, (*fields.texts("doi"), *stated)))))
    own = [doi for doi in dois if not doi.startswith("10.48550/")]
    eprints = list(dict.fromkeys(filter(None, map(arxiv_id, stated))))
    codes = {code, *filter(None, map(bibcode, stated))}
    authors = tuple(person for person in map(_person, fields.all("author")) if person)
    kind = record_type(fields.text("doctype").lower()) or "other"
    names = {("bibcode", one) for one in codes} | {("doi", doi) for doi in dois} | {("arxiv", one) for one in eprints}
    record = Record(
        source="ads",
        id=code,
        url=f"https://ui.adsabs.harvard.edu/abs/{code.replace('&', '%26')}/abstract",
        title=titles[0],
        other_titles=tuple(titles[1:]),
        authors=authors,
        authors_complete=len(authors) >= (fields.number("author_count") or 0),
        years=tuple(filter(None, [fields.year("year")])),
        venues=_venues(fields),
        type=kind,
        doi=own[0] if own else "",
        arxiv=eprints[0] if eprints else "",
        volume=fields.text("volume"),
        number=fields.text("issue"),
        pages=fields.text("page_range") or next(iter(fields.texts("page")), ""),
        related=tuple(("is-identical-to", doi) for doi in own[1:]),
        compiled=True,
    )
    return frozenset(names), record


def _person(stated: object) -> Person | None:
    name = stated_name(stated)
    return inverted(name) if name else None


def _venues(fields: Fields) -> tuple[str, ...]:
    stated = (fields.text("pub"), *fields.texts("bibstem")[:1])
    return unique(map(without_markup, stated))
