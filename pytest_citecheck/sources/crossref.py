"""Crossref: works with a DOI of the largest scholarly registration agency.

Documentation: Crossref REST API, api.crossref.org/swagger-ui, and its tips at crossref.org/documentation.
Absence: a DOI that Crossref does not hold may belong to another agency, and a search always ranks and never
decides; so no absence here is evidence. Author order: as deposited by the publisher, reliable but for few
conference publishers that sort their lists. Limits (since December 2025), without a contact address and with one: lists 1 and 3
requests a second, single works 5 and 10, 1 and 3 at the same time; announced in the headers x-rate-limit-limit,
x-rate-limit-interval and x-concurrency-limit, for each of the pools (x-api-pool) public-array, polite-array, public-single and
polite-single.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.matching import asked_place, lazy_pattern, volume_and_number, without_markup
from pytest_citecheck.model import Absent, Answer, Found, Person, Query, QueryKind, Record, RecordType, Unavailable
from pytest_citecheck.sources import base
from pytest_citecheck.sources.dump_json import JsonRecords
from pytest_citecheck.sources.parsing import (
    Fields,
    answer_with,
    answered,
    arxiv_id,
    arxiv_id_of_doi,
    doi_name,
    isbn_numbers,
    listing,
    mapping,
    parameter,
    parse_json,
    partial_year,
    path_url,
    query_url,
    record_type,
    stated_parts,
    text,
    undivided,
    unique,
)
from pytest_citecheck.sources.proceedings import VenueYearLists
from pytest_citecheck.sources.search import (
    SAME_WORK,
    announced,
    is_at_place,
    is_of_journal,
    notices_of,
    plain_words,
    with_announced,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_citecheck.matching import VenueYearList

# A comma ends a filter, so such a DOI must be looked up as a single resource.
_UNFILTERABLE = lazy_pattern(r"[,\s]")
_LONGEST_QUERY = 400
# 50 are known to work (October 2026), 60 are untested; one place is reserved for the control.
_DOIS = 49
# Copies of famous works fill the first seven places of a search; five more places show the searched work.
_ROWS = 12
_SINGLE = "single"
_YEARS = 2  # before and after the cited one, in searches for works of an author or a venue
_SAMPLE = 40  # works of a random sample; 100 at most
_TYPES = {"article": "journal-article", "paper": "proceedings-article"}
"""Types of works in samples, by their names in queries."""


class Crossref(base.Source):
    """The Crossref REST API as a source of records (see the module)."""

    name = "crossref"
    label = "Crossref"
    base_url = "https://api.crossref.org"
    documentation = "https://api.crossref.org/swagger-ui/index.html"
    batch: Mapping[QueryKind, int] = {
        "doi": _DOIS,
        "title": 1,
        "citation": 1,
        "author_search": 1,
        "venue_year": 1,
        "sample": 1,
        "place": 1,
        "volume": 1,
    }
    contact_rate = base.Rate(per_second=3.0, concurrency=3)
    pools: Mapping[str, base.Pool] = {
        _SINGLE: base.Pool(base.Rate(per_second=5.0, concurrency=1), base.Rate(per_second=10.0, concurrency=3))
    }
    contact: Mapping[str, str] = {"mailto": "{contact}"}
    limits = (
        "lists 1 request a second and 1 at a time, single works 5 and 1; with a contact address 3 and 3, 10 and 3; "
        "announced in x-rate-limit-* headers"
    )
    terms = base.Terms("facts, may be redistributed; abstracts are not requested")
    absence = "no evidence: a DOI may belong to another agency, and a search only returns its best matches"
    authoritative_for = ("identifier", "title", "authors", "year", "venue")
    version = 2
    role = base.Role(
        looks_up=("doi",), agency="Crossref", titles=(base.TitleSearch("single", 20, in_listed_venues=False),)
    )
    controls: Mapping[QueryKind, Query] = {
        "doi": base.DESEQ2["doi"],
        "title": base.DESEQ2["title"],
        "citation": base.DESEQ2["citation"],
    }

    def accepts(self, query: Query) -> bool:
        """DOIs of any agency (it answers for its own), titles and strings with a word, works of an author or venue of a year,
        places in a journal, and volumes of a journal with an ISSN."""
        if query.kind == "author_search":
            return not query.value and bool(query.authors and query.year and plain_words(query.title))
        if query.kind in ("place", "volume"):
            asked = asked_place(query.value)
            named = plain_words(asked.journal) if query.kind == "place" else asked.issn
            return bool(named and query.year and asked.volume) and bool(asked.first) == (query.kind == "place")
        if query.kind == "sample":
            return query.value.partition(" ")[0] in _TYPES
        if query.kind == "venue_year":
            return bool(query.year and plain_words(query.value)) and "/" not in query.value
        return super().accepts(query)

    def pool(self, query: Query) -> str:
        """Works whose DOI does not fit a filter are single requests; all others are lists."""
        return _SINGLE if query.kind == "doi" and _UNFILTERABLE.search(query.value) else ""

    def request(self, queries: Sequence[Query]) -> base.Request:
        """``works?filter=doi:…``, ``works/{doi}`` for a DOI that fits no filter, ``journals/{issn}/works``, else a search."""
        return base.Request(self.name, self._url(queries))

    def _url(self, queries: Sequence[Query]) -> str:

        first = queries[0]
        works = f"{self.base_url}/works"
        if first.kind == "doi":
            names = [query.value for query in queries if not _UNFILTERABLE.search(query.value)]
            if not names:
                return path_url(works, first.value)
            filters = ",".join(f"doi:{name}" for name in names)
            return query_url(works, ("filter", filters), ("rows", len(names)), ("select", SELECT))
        if first.kind in ("place", "volume") and first.year:
            return _url_of_place(first, first.year, self.base_url)
        if first.kind == "sample":
            kind, period, *_ = first.value.split()
            start, _, end = period.partition("-")
            dates = f"type:{_TYPES[kind]},from-pub-date:{start}" + (f",until-pub-date:{end}" if end else "")
            return query_url(works, ("filter", dates), ("sample", _SAMPLE), ("select", SELECT))
        if first.kind in ("author_search", "venue_year") and first.year:
            dates = f"from-pub-date:{first.year - _YEARS},until-pub-date:{first.year + _YEARS}"
            if first.kind == "venue_year":
                words = [("query.container-title", first.value)]
            else:
                words = [("query.author", first.authors[0]), ("query.bibliographic", first.title[:_LONGEST_QUERY])]
            return query_url(works, *words, ("filter", dates), ("rows", _ROWS), ("select", SELECT))
        # Use the end of a long string: its beginning is a list of people.
        said = first.value[:_LONGEST_QUERY] if first.kind == "title" else first.value[-_LONGEST_QUERY:]
        wanted = " ".join([said, *first.authors[:1]])
        return query_url(works, ("query.bibliographic", wanted), ("rows", _ROWS), ("select", SELECT))

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError for anything but works or the plain 404 of a work."""
        if response.status == 404:
            return dict.fromkeys(queries, _no_such_work(queries, response.body))
        body = parse_json(response.body)
        works = _works(body, response.status)
        if queries[0].kind in ("place", "volume"):
            total = mapping(body).at("message").number("total-results")
            return {query: _placed(query, works, total) for query in queries}
        if queries[0].kind != "doi":
            # A notice may bear the title of the work that it retracts ("Retracted: …"), and is not that work.
            works = [work for work in works if not is_notice_under_its_title(work) and not is_beside_the_work(work)]

        def answer(query: Query, records: list[tuple[frozenset[str], Record]]) -> Answer:
            return _answer(query, records, alone=len(queries) == 1)

        return answered(self.label, queries, works, _named, answer)

    def singles(self, request: base.Request) -> tuple[base.Request, ...]:
        """The requests that look up each DOI of a filter alone."""
        filters = parameter(request.url, "filter")
        if not filters.startswith("doi:"):
            return (request,)
        names = [part.removeprefix("doi:") for part in filters.split(",")]
        return tuple(self.request([Query("doi", name)]) for name in names)


def _named(work: object) -> tuple[frozenset[str], Record] | None:
    """The record of a work with the DOIs under which Crossref knows it."""
    record = crossref_record(work)
    return None if record is None else (names_of(mapping(work)), record)


def _no_such_work(queries: Sequence[Query], body: bytes) -> Absent:
    # The API returns "Resource not found." in plain text; any other page comes from a proxy or portal.
    if (
        len(queries) == 1
        and queries[0].kind in ("doi", "volume")
        and body.strip().lower().startswith(b"resource not found")
    ):
        return Absent()
    raise base.MalformedAnswerError("a 404 that is not Crossref's word for an unknown DOI or ISSN")


def _works(body: Any, status: int) -> list[Any]:
    """The works of an answer, whole: ``message-type`` work-list or work."""
    envelope = mapping(body)
    if status >= 300 or envelope.get("status") == "failed":
        problems = envelope.get("message")
        said = "; ".join(mapping(item).text("message") for item in problems) if isinstance(problems, list) else ""
        raise base.MalformedAnswerError(f"Crossref refused the request: {said or status}")
    message = envelope.at("message")
    if not isinstance(envelope.get("message"), dict):
        raise base.MalformedAnswerError("Crossref's answer has no message")
    kind = envelope.get("message-type")
    if kind == "work" and message.text("DOI"):
        return [envelope["message"]]
    items = message.get("items")
    if kind != "work-list" or not isinstance(items, list):
        raise base.MalformedAnswerError(f"Crossref's answer is not a list of works but {text(kind) or 'untyped'}")
    total, rows = message.number("total-results"), message.number("items-per-page")
    start = message.at("query").number("start-index")
    if total and rows and not start and "next-cursor" not in message and len(items) < min(total, rows):
        raise base.MalformedAnswerError(f"Crossref's answer contains {len(items)} of {min(total, rows)} works")
    return items


def _answer(query: Query, records: list[tuple[frozenset[str], Record]], *, alone: bool) -> Answer:
    if query.kind != "doi":
        return answer_with(record for _, record in records if record.title)
    about_query = tuple(record for names, record in records if query.value in names)
    if about_query:
        return Found(about_query)
    if not alone and _UNFILTERABLE.search(query.value):
        return Unavailable("not-asked", "a DOI with a comma must be queried alone")
    return Absent()


CROSSREF = Crossref()


# Places: the work on a page of a journal, and the articles of a journal in some years, of which a volume is a part. There is no
# filter for volumes or pages, so answers are compared here.
_ARTICLES = 1000  # in one answer, at most
_YEARS_OF_A_VOLUME = 1  # before and after the cited one: articles appear online before their volume


def _url_of_place(query: Query, year: int, base_url: str) -> str:
    asked = asked_place(query.value)
    dates = f"from-pub-date:{year - _YEARS_OF_A_VOLUME},until-pub-date:{year + _YEARS_OF_A_VOLUME},type:journal-article"
    if query.kind == "volume":
        works = f"{base_url}/journals/{asked.issn}/works"
        return query_url(works, ("filter", dates), ("rows", _ARTICLES), ("select", SELECT))
    filters = f"issn:{asked.issn},{dates}" if asked.issn else dates
    wanted = " ".join((*query.authors[:1], asked.volume, asked.first, str(year)))
    words = [("query.container-title", asked.journal), ("query.bibliographic", wanted)]
    return query_url(f"{base_url}/works", *words, ("filter", filters), ("rows", _ROWS), ("select", SELECT))


def _placed(query: Query, works: list[Any], total: int | None) -> Found | Absent:
    """The works on the page, or else one of the journal, which shows its ISSN; or the works of the volume, or else one of each
    other volume.

    The scope of a volume says that all articles of the journal in these years were read.
    """
    asked = asked_place(query.value)
    read = [record for work in works if (record := crossref_record(work))]
    if works and not read:
        raise base.MalformedAnswerError("no item of Crossref's answer is a work")
    records = [record for record in read if record.title]
    if query.kind == "place":
        on_page = [record for record in records if is_at_place(asked, record)]
        of_journal = (record for record in records if record.issn and is_of_journal(asked, record))
        return answer_with(on_page or list(of_journal)[:1])
    in_volume = [record for record in records if volume_and_number(record.volume)[0] == asked.volume]
    others = {record.volume: record for record in records}
    whole = total == len(works) == len(records)
    scope = f"Crossref has {total} articles of the journal around {query.year}" if whole else ""
    return answer_with(in_volume or others.values(), scope)


SELECT = (
    "DOI,title,subtitle,short-title,original-title,author,editor,issued,published,published-print,published-online,"
    "posted,container-title,short-container-title,event,group-title,type,publisher,relation,volume,issue,page,"
    "article-number,ISBN,ISSN,updated-by,update-to"
)
"""Requested elements of each work: those that the API documents as selectable (``institution`` is not)."""

_COPIES = frozenset({"10.65215"})
"""Prefixes under which copies of famous works are registered, with their titles and authors: member 54718, 279 works of posted
content, of which eight are titled "Attention Is All You Need" and dated 2025 (api.crossref.org/members/54718, October 2026)."""

# Publication dates only. "created" and "deposited" are dates of the metadata, decades later for old works.
_DATES = ("issued", "published", "published-print", "published-online", "published-other", "posted")

# Preprint servers by the DOI prefix that is theirs, for answers without "institution": the list of
# posted-content prefixes of Crossref's members. One prefix may serve several servers.
_PREPRINT_SERVERS: Mapping[str, tuple[str, ...]] = {
    "10.1101": ("bioRxiv", "medRxiv"),
    "10.64898": ("bioRxiv", "medRxiv"),
    "10.2139": ("SSRN Electronic Journal", "SSRN"),
    "10.20944": ("Preprints.org",),
    "10.21203": ("Research Square",),
    "10.22541": ("Authorea",),
    "10.26434": ("ChemRxiv",),
    "10.31219": ("OSF Preprints",),
    "10.31222": ("MetaArXiv",),
    "10.31223": ("EarthArXiv",),
    "10.31234": ("PsyArXiv",),
    "10.31235": ("SocArXiv",),
    "10.32942": ("EcoEvoRxiv",),
    "10.35542": ("EdArXiv",),
    "10.36227": ("TechRxiv",),
}


def _years(work: Fields) -> tuple[int, ...]:
    issue = work.at("journal-issue")
    dates = [work.get(name) for name in _DATES]
    dates += [issue.get("published-print"), issue.get("published-online")]
    # A conference of December is printed next year and cited with either.
    dates.append(work.at("event").get("start"))
    return unique(map(partial_year, dates))


def _person(contributor: object) -> Person:
    fields = mapping(contributor)
    family, given = stated_parts(fields.get("family"), fields.get("given"))
    if family and given:
        return Person(family=family, given=given, suffix=fields.plain("suffix"))
    single = family or given
    if single:
        # A family name alone is a mononym, or a whole name that was deposited in one field.
        return undivided(single) if " " in single else Person(family=single)
    name = fields.name("name")
    return Person(literal=name, group=bool(name))


def related_works(work: Fields) -> tuple[tuple[str, str], ...]:
    """The relations to other forms of this work, each with a DOI or an arXiv id."""
    relations = work.at("relation").items()
    stated = [(name, mapping(one).text("id")) for name, all_ in relations if name in SAME_WORK for one in listing(all_)]
    related = ((name, doi_name(value) or arxiv_id(value)) for name, value in stated)
    return tuple(dict.fromkeys(pair for pair in related if pair[1]))


def _arxiv(related: tuple[tuple[str, str], ...]) -> str:
    names = (arxiv_id_of_doi(name) if name.startswith("10.") else name for _, name in related)
    return next(filter(None, names), "")


def _venues(work: Fields, kind: RecordType, doi: str) -> tuple[str, ...]:
    event = work.at("event")
    institutions = [item.text("name") for item in work.parts("institution")]
    names = [*work.texts("container-title"), *work.texts("short-container-title")]
    names += [event.text("name"), event.first("acronym"), *institutions]
    if kind == "preprint" and not any(institutions):
        names += _PREPRINT_SERVERS.get(doi.partition("/")[0], ())
    names.append(work.text("group-title"))
    return unique(map(without_markup, names))


def titles_and_notices(work: Fields, doi: str, others: Sequence[str]) -> dict[str, Any]:
    """The fields of a record for the titles of a work (those in ``others`` come last), and for the notices on it.

    The title without the text that announces a notice is another title.
    """
    titles = work.plains("title")
    title = titles[0] if titles else ""
    subtitle = ": ".join(work.plains("subtitle"))
    # A publisher may also give a retraction notice the title "Retracted: …"; such a work updates another one.
    notices, bare = with_announced(notices_of(work), "" if work.all("update-to") else title, "crossref", doi)
    stated = [bare, *titles[1:], *(name for field in others for name in work.plains(field))]
    return {
        "title": title,
        "subtitle": "" if subtitle.casefold() in title.casefold() else subtitle,
        "other_titles": unique(other for other in stated if other != title),
        "notices": notices,
    }


def is_beside_the_work(work: object) -> bool:
    """Return True if this is a copy of a work under a different DOI, or a part of one (a figure, a table)."""
    fields = mapping(work)
    return fields.text("DOI").partition("/")[0] in _COPIES or fields.get("type") == "component"


def is_notice_under_its_title(work: object) -> bool:
    """Return True if this is a notice of retraction that bears the title of the work it is about, as some publishers do."""
    fields = mapping(work)
    title = next((text(value) for value in fields.all("title")), "")
    return bool(fields.all("update-to")) and announced(without_markup(title)) is not None


def names_of(work: Fields) -> frozenset[str]:
    """The DOIs under which Crossref knows this work: its own, and stated aliases and identical ones."""
    relations = work.at("relation")
    same = (target for name in ("is-identical-to", "is-same-as") for target in relations.all(name))
    stated = (work.text("DOI"), *work.texts("aliases"), *(mapping(one).text("id") for one in same))
    return frozenset(unique(map(doi_name, stated)))


def crossref_record(work: object) -> Record | None:
    """The record of one work (an item of ``message.items`` or the ``message`` of a single work).

    None if the value is no work at all, that is an object without a DOI. Fields of an unexpected type count
    as absent.
    """
    fields = mapping(work)
    doi = fields.doi("DOI")
    if not doi:
        return None
    kind = record_type(fields.text("type")) or "other"
    related = related_works(fields)
    return Record(
        source="crossref",
        id=doi,
        url=f"https://doi.org/{doi}",
        **titles_and_notices(fields, doi, ("original-title", "short-title")),
        authors=tuple(map(_person, fields.all("author"))),
        editors=tuple(map(_person, fields.all("editor"))),
        years=_years(fields),
        venues=_venues(fields, kind, doi),
        type=kind,
        publisher=fields.plain("publisher"),
        doi=doi,
        arxiv=arxiv_id_of_doi(doi) or _arxiv(related),
        volume=fields.plain("volume"),
        number=fields.plain("issue"),
        pages=without_markup(fields.text("page") or fields.text("article-number")),
        isbn=isbn_numbers(fields.texts("ISBN")),
        issn=unique(fields.texts("ISSN")),
        agency="Crossref",
        related=related,
    )


_PROCEEDINGS_ROWS = 1000


class CrossrefIsbn(VenueYearLists):
    """Volumes of proceedings at Crossref (see the module)."""

    name = "crossref_isbn"
    label = "Crossref (volumes)"
    base_url = CROSSREF.base_url
    documentation = CROSSREF.documentation
    derives_from = ("crossref",)
    rate = CROSSREF.rate
    contact = CROSSREF.contact
    contact_rate = CROSSREF.contact_rate
    limits = "as for lists of crossref"
    terms = CROSSREF.terms
    accept = "application/json"

    def address(self, listed: VenueYearList, part: int) -> str:  # noqa: ARG002 - in one part
        """``works?filter=isbn:…,type:proceedings-article``."""

        wanted = f"isbn:{listed.at},type:proceedings-article"
        return query_url(f"{self.base_url}/works", ("filter", wanted), ("rows", _PROCEEDINGS_ROWS), ("select", SELECT))

    def read(self, listed: VenueYearList, part: int, body: bytes) -> list[Record]:  # noqa: ARG002 - in one part
        """Works of the volume. Raises MalformedAnswerError unless all counted works could be read."""

        message = mapping(parse_json(body)).at("message")
        works, total = message.all("items"), message.number("total-results")
        records = [record for work in works if (record := crossref_record(work)) and listed.at in record.isbn]
        if total is None or len(records) != total:
            raise base.MalformedAnswerError(f"{len(records)} works of ISBN {listed.at} instead of {total}")
        return records


CROSSREF_ISBN = CrossrefIsbn()


_MARKS = re.compile(
    rb'"(?:reference-count|is-referenced-by-count|deposited|message-type|short-container-title|references-count)"\s*:'
)
_DOI = lazy_pattern(rb'"DOI"\s*:')
_TITLE_LIST = lazy_pattern(rb'"title"\s*:\s*\[')
# Types with DOIs that are not works: containers and parts of works.
_NO_WORKS = frozenset({
    "journal", "journal-issue", "journal-volume", "book-series", "book-set", "proceedings-series", "report-series", "component",
    "grant",
})  # fmt: skip


def _is_work(value: dict[str, Any]) -> bool:
    # References and updates within a work have a DOI, too.
    return "DOI" in value and ("prefix" in value or "member" in value or isinstance(value.get("title"), list))


CROSSREF_WORKS = JsonRecords(
    "crossref",
    "",
    lambda data: (_MARKS.search(data) or _TITLE_LIST.search(data)) and _DOI.search(data),
    _is_work,
    crossref_record,
    "the work has no DOI that is one",
    lambda value: "no work" if value.text("type") in _NO_WORKS else "",
    key="DOI",
)
DUMPS = (CROSSREF_WORKS,)
