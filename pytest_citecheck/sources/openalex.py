"""OpenAlex: works of all kinds, compiled by machine from Crossref, DataCite, PubMed, repositories and the web.

Documentation: OpenAlex API, docs.openalex.org; filters at docs.openalex.org/how-to-use-the-api/get-lists-of-entities. A
comma ends a filter and a pipe separates alternatives, so a DOI with one of them is fetched alone. Absence: none is
evidence; the collection is large, not complete, and a search wants every word of a title as the record spells it. First
word: on nothing; years sometimes belong to a copy, authors to a namesake. Author order: as in the publication. Limits:
a list costs $0.0001, a search $0.001, a single work by DOI nothing; $0.10 a day without a key, $1 with a free one
(headers x-ratelimit-cost-usd, x-ratelimit-remaining-usd); 100 requests a second, of which a tenth is used.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pytest_citecheck.matching import asked_place, is_preprint_venue, lazy_pattern, looks_like_group, without_markup
from pytest_citecheck.model import (
    Absent,
    Answer,
    Found,
    Notice,
    Person,
    Query,
    QueryKind,
    Record,
    RecordType,
    Unavailable,
)
from pytest_citecheck.sources import base
from pytest_citecheck.sources.dump_json import JsonRecords
from pytest_citecheck.sources.parsing import (
    Fields,
    answer_with,
    arxiv_id,
    arxiv_id_of_doi,
    doi_name,
    mapping,
    parameter,
    parse_json,
    query_url,
    record_type,
    undivided,
    unique,
)
from pytest_citecheck.sources.search import is_at_place, parted_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_UNFILTERABLE = lazy_pattern(r"[,|\s]")
# Some identifiers have two works, and a work that is cut off looks like an absent one.
_IDENTIFIER_RESULTS, _TITLE_RESULTS = 100, 5
_MOST_WORDS = 30
_NO_SUCH_PAGE = b"<title>404 not found</title>"


class OpenAlex(base.Source):
    """The OpenAlex API as a source of records (see the module)."""

    name = "openalex"
    label = "OpenAlex"
    base_url = "https://api.openalex.org"
    documentation = "https://docs.openalex.org"
    batch: Mapping[QueryKind, int] = {"doi": 50, "pmid": 50, "title": 1, "place": 1}
    rate = base.Rate(per_second=10.0, concurrency=2)
    limits = (
        "$0.10 a day without a key, $1 with a free one; a list costs $0.0001, a search $0.001; 100 requests a second"
    )
    terms = base.Terms("CC0, may be redistributed")
    absence = "no evidence: it compiles other sources, which are queried anyway; titles have no control"
    derives_from = ("arxiv", "crossref", "pubmed")  # Priem, Piwowar and Orr, arXiv:2205.01833
    role = base.Role(titles=(base.TitleSearch("single", 40, works=("thesis",)),), opinion=2)
    credentials = base.Credentials(
        "OPENALEX_API_KEY", parameter="api_key", dollars=1.0, obtained="https://openalex.org/settings/api"
    )
    costs: Mapping[QueryKind, float] = {"doi": 0.0001, "pmid": 0.0001, "title": 0.001, "place": 0.0001}
    dollars = 0.1
    version = 2
    controls: Mapping[QueryKind, Query] = {"doi": base.DESEQ2["doi"], "pmid": base.DESEQ2["pmid"]}

    def accepts(self, query: Query) -> bool:
        """DOIs of any agency, PubMed ids, titles with at least one word, and places in a journal with an ISSN."""
        if query.kind == "place":
            asked = asked_place(query.value)
            return all((asked.issn, asked.volume, asked.first)) and not _UNFILTERABLE.search(asked.issn)
        return super().accepts(query)

    def request(self, queries: Sequence[Query]) -> base.Request:
        """``works?filter=doi:a|b`` (or ``pmid:``), ``works/doi:a`` for a DOI that does not fit a filter, else
        ``works?filter=title.search:…``, or by ISSN, volume and first page."""
        return base.Request(self.name, self._url(queries))

    def _url(self, queries: Sequence[Query]) -> str:

        first = queries[0]
        works = f"{self.base_url}/works"
        if first.kind == "title":
            return self._filtered(f"title.search:{_search_words(first.value)}", _TITLE_RESULTS)
        if first.kind == "place":
            asked = asked_place(first.value)
            place = f"biblio.volume:{asked.volume},biblio.first_page:{asked.first}"
            return self._filtered(f"primary_location.source.issn:{asked.issn},{place}", _TITLE_RESULTS)
        values = [query.value for query in queries if not _UNFILTERABLE.search(query.value)]
        if not values:
            return query_url(f"{works}/doi:{quote(first.value, safe='/')}", ("select", SELECT))
        return self._filtered(f"{first.kind}:{'|'.join(values)}", _IDENTIFIER_RESULTS)

    def _filtered(self, condition: str, results: int) -> str:

        return query_url(f"{self.base_url}/works", ("filter", condition), ("per-page", results), ("select", SELECT))

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError for all but a list of works, one work, or its plain 404."""

        alone = len(queries) == 1 and queries[0].kind == "doi"
        if response.status == 404 and alone and _is_missing_page(response.body):
            return dict.fromkeys(queries, Absent())
        body = mapping(parse_json(response.body))
        if response.status >= 300 or "error" in body:
            raise base.MalformedAnswerError(f"OpenAlex refused the request: {body.text('error') or response.status}")
        if "results" in body:
            works, whole = _listed(body)
            return {query: _answer(query, works, whole=whole) for query in queries}
        record = openalex_record(body)
        if record is None or not alone or record.doi != queries[0].value:
            raise base.MalformedAnswerError("OpenAlex's answer is neither a list of works nor the requested work")
        return {queries[0]: Found((record,))}

    def singles(self, request: base.Request) -> tuple[base.Request, ...]:
        """The requests that look up each identifier of a filter alone."""
        kind, _, values = parameter(request.url, "filter").partition(":")
        kinds: tuple[QueryKind, ...] = ("doi", "pmid")
        queries = [Query(known, value) for known in kinds if known == kind for value in values.split("|")]
        return tuple(self.request([query]) for query in queries) or (request,)


def _search_words(title: str) -> str:
    """Words without the filter syntax; in lower case, because AND, OR and NOT are operators."""
    return " ".join(parted_words(title, _MOST_WORDS)).lower()


def _is_missing_page(body: bytes) -> bool:
    """Return True if this is OpenAlex's page for an unknown work; other pages come from a proxy or portal."""
    page = body.lower()
    return _NO_SUCH_PAGE in page and b"the requested url was not found on the server" in page


def _listed(body: Fields) -> tuple[list[Record], bool]:
    """The works of ``results``, as many as ``meta`` counts for this page; and True if they are all of OpenAlex's results."""
    meta, results = body.at("meta"), body.get("results")
    count, page_size = meta.number("count"), meta.number("per_page")
    if not isinstance(results, list) or count is None:
        raise base.MalformedAnswerError("OpenAlex's answer is not a list of works with its count")
    expected = count if page_size is None else min(count, page_size)
    if len(results) < expected:
        raise base.MalformedAnswerError(f"OpenAlex's answer contains {len(results)} of {expected} works")
    records = [record for record in map(openalex_record, results) if record]
    if len(records) < len(results):
        raise base.MalformedAnswerError("an item of OpenAlex's answer is not a work")
    return records, len(results) == count


def _answer(query: Query, works: list[Record], *, whole: bool) -> Answer:
    if query.kind == "title":
        return answer_with(record for record in works if record.title)
    if query.kind == "place":
        return answer_with(record for record in works if is_at_place(asked_place(query.value), record))
    about_query = [record for record in works if query.value == getattr(record, query.kind)]
    if not about_query and not whole:
        return Unavailable("not-asked", "OpenAlex has more works for these identifiers than one answer contains")
    return answer_with(about_query)


OPENALEX = OpenAlex()


SELECT = "id,doi,title,ids,publication_year,type,authorships,primary_location,locations,biblio,is_retracted"
"""Requested fields of each work."""

_PAPERS = frozenset({"article", "review"})
_WORK = lazy_pattern(r"(?:https?://openalex\.org/)?(W\d+)", re.IGNORECASE)
_PMID = lazy_pattern(r"(?:https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/)?(\d+)/?")
_ARXIV_PAGE = lazy_pattern(r"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf)/(\S+?)(?:\.pdf)?")
# Lists of works are cut there; a work that is fetched alone has them all.
_MOST_AUTHORS = 100


def _person(authorship: object) -> Person:
    fields = mapping(authorship)
    name = fields.name("raw_author_name") or fields.at("author").name("display_name")
    family, comma, given = (part.strip() for part in name.partition(","))
    if comma and family and given and "," not in given and not looks_like_group(name):
        return Person(family=family, given=given)
    return undivided(name)


def _locations(work: Fields) -> list[Fields]:
    """The primary location, then the others."""
    return [mapping(item) for item in (work.get("primary_location"), *work.all("locations"))]


def _venues(locations: Sequence[Fields]) -> tuple[str, ...]:
    names: list[str] = []
    for location in locations:
        source = location.at("source")
        names.append(source.text("display_name"))
        # Repositories put whole citations there, aggregators other names.
        stated = location.text("raw_source_name")
        if source.get("type") != "repository" and "://" not in stated:
            names.append(stated)
    return unique(map(without_markup, names))


def _type(work: Fields, source: Fields) -> RecordType:
    """OpenAlex calls conference papers articles, so only the venue shows the type of an article."""
    stated = work.text("type")
    if stated in _PAPERS:
        place = source.get("type")
        if place == "conference":
            return "inproceedings"
        if is_preprint_venue(source.text("display_name")):
            return "preprint"
        if place != "journal":
            return ""
    return "article" if stated == "erratum" else record_type(stated) or "other"


def _arxiv(doi: str, locations: Sequence[Fields]) -> str:
    found = arxiv_id_of_doi(doi)
    for location in locations:
        page = location.text("landing_page_url")
        match = _ARXIV_PAGE.fullmatch(page)
        found = found or arxiv_id_of_doi(doi_name(page)) or (arxiv_id(match[1]) if match else "")
    return found


def _pages(biblio: Fields) -> str:
    first, last = biblio.plain("first_page"), biblio.plain("last_page")
    return f"{first}-{last}" if first and last and first != last else first


def openalex_record(work: object) -> Record | None:
    """The record of one work (an item of ``results`` or a work fetched alone).

    None if the value is no work, that is an object without an id of OpenAlex. Fields of an unexpected type count as absent.
    """
    fields = mapping(work)
    name = _WORK.fullmatch(fields.text("id"))
    if not name:
        return None
    doi = fields.doi("doi")
    pmid = _PMID.fullmatch(fields.at("ids").text("pmid"))
    year = fields.year("publication_year")
    locations = _locations(fields)
    source = mapping(locations[0].get("source"))
    biblio = fields.at("biblio")
    authorships = fields.all("authorships")
    cut = fields.get("is_authors_truncated") is True or len(authorships) == _MOST_AUTHORS
    repository = source.get("type") == "repository"
    return Record(
        source="openalex",
        id=name[1].upper(),
        url=f"https://openalex.org/{name[1].upper()}",
        title=without_markup(fields.text("title") or fields.text("display_name")),
        authors=tuple(map(_person, authorships)),
        authors_complete=not cut,
        years=(year,) if year else (),
        venues=_venues(locations),
        type=_type(fields, source),
        publisher="" if repository else source.plain("host_organization_name"),
        doi=doi,
        arxiv=_arxiv(doi, locations),
        pmid=pmid[1] if pmid else "",
        volume=biblio.plain("volume"),
        number=biblio.plain("issue"),
        pages=_pages(biblio),
        issn=tuple(dict.fromkeys(source.texts("issn"))),
        notices=(Notice("retraction", "openalex"),) if fields.get("is_retracted") is True else (),
        compiled=True,
    )


_ID = lazy_pattern(rb'"id"\s*:\s*"(?:https?://openalex\.org/)?W\d')
_MARK = lazy_pattern(rb'"(?:authorships|publication_year)"\s*:')


def _is_work(value: dict[str, Any]) -> bool:
    # Authors and topics within a work have an id, too.
    return "id" in value and ("authorships" in value or "publication_year" in value)


def _paratext(value: Fields) -> str:
    """Covers and tables of contents are front matter."""
    return "front matter" if value.get("is_paratext") is True or value.get("type") == "paratext" else ""


OPENALEX_WORKS = JsonRecords(
    "openalex",
    "CC0-1.0",
    lambda data: _ID.search(data) and _MARK.search(data),
    _is_work,
    openalex_record,
    "the id is none of a work of OpenAlex",
    _paratext,
)
DUMPS = (OPENALEX_WORKS,)
