"""DataCite: DOIs of data, software, theses, reports and preprints (arXiv, Zenodo, Dryad, figshare,
institutions).

Documentation: DataCite REST API, support.datacite.org/docs/api; queries in the syntax of Elasticsearch's
query string, support.datacite.org/docs/api-queries. Absence: a DOI that DataCite does not hold may belong to
another agency, and a search ranks; so no absence here is evidence. A list that is cut off says nothing at all about a title
of which it shows no work. Author order: as deposited, reliable.
Limits: 500 requests in five minutes, 1,000 with an e-mail address, 3,000 with an account (support.datacite.org/docs/rate-limit).
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_citecheck.matching import MAYBE_BLANKS, lazy_pattern
from pytest_citecheck.model import Absent, Answer, Notice, Person, Query, QueryKind, Record, RecordType
from pytest_citecheck.sources import base
from pytest_citecheck.sources.parsing import (
    Fields,
    answer_with,
    answered,
    arxiv_id,
    arxiv_id_of_doi,
    doi_name,
    is_unknown,
    mapping,
    parameter,
    parse_json,
    plain_text,
    query_url,
    stated_name,
    stated_parts,
    text,
    titled_alike,
    undivided,
    unique,
    year_of,
)
from pytest_citecheck.sources.search import any_of, hyphenated, plain_words, with_announced

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_QUOTED = lazy_pattern(r'"((?:[^"\\]|\\.)*)"')
_CLAUSE = lazy_pattern(r'titles\.title:"(?:[^"\\]|\\.)*"(?: AND creators\.name:"(?:[^"\\]|\\.)*")?')
_MOST_WORDS = 30
_RESULTS = 5
_SHORT_TITLE = 4


def _quote(value: str) -> str:
    """A phrase in the query-string syntax: within quotes only quote and backslash are escaped."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _clause(query: Query) -> str:
    words = plain_words(query.value)
    clause = f"titles.title:{_quote(' '.join(words[:_MOST_WORDS]))}"
    if len(words) < _SHORT_TITLE and query.authors:
        clause += f" AND creators.name:{_quote(query.authors[0])}"
    return clause


def _unquote(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value)


class DataCite(base.Source):
    """The DataCite REST API as a source of records (see the module)."""

    name = "datacite"
    label = "DataCite"
    base_url = "https://api.datacite.org"
    documentation = "https://support.datacite.org/docs/api"
    batch: Mapping[QueryKind, int] = {"doi": 25, "title": 8}
    rate = base.Rate(per_second=1.6, concurrency=2)
    contact_rate = base.Rate(per_second=3.3, concurrency=2)
    contact: Mapping[str, str] = {"mailto": "{contact}"}
    limits = "500 requests in five minutes; 1,000 with a contact address"
    terms = base.Terms("CC0, may be redistributed")
    version = 2
    absence = "no evidence: a DOI may belong to another agency, and a search only returns its best matches"
    authoritative_for = ("identifier", "title", "authors", "year")
    role = base.Role(agency="DataCite", titles=(base.TitleSearch("batch", works=("data", "thesis", "report", "misc")),))
    controls: Mapping[QueryKind, Query] = {
        "doi": Query("doi", "10.48550/arxiv.1706.03762"),
        "title": Query("title", "Attention Is All You Need", ("Vaswani",)),
    }

    def request(self, queries: Sequence[Query]) -> base.Request:
        """``dois?query=doi:("a" OR "b")`` for DOIs, ``dois?query=titles.title:"…" OR titles.title:"…"`` for titles.

        The first author is added to a title of fewer than four words only.
        """
        if queries[0].kind == "doi":
            phrases = " OR ".join(_quote(query.value.lower()) for query in queries)
            return self._query(f"doi:({phrases})", len(queries))
        return self._search([_clause(query) for query in queries])

    def _search(self, clauses: Sequence[str]) -> base.Request:
        return self._query(any_of(clauses), _RESULTS * len(clauses))

    def _query(self, query: str, size: int) -> base.Request:
        # The default order puts recently changed records first.

        form: tuple[tuple[str, str | int], ...] = (
            ("sort", "relevance"),
            ("disable-facets", "true"),
            ("fields[dois]", FIELDS),
        )
        return base.Request(
            self.name, query_url(f"{self.base_url}/dois", ("query", query), ("page[size]", size), *form)
        )

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError for all but DOIs or the JSON:API 404 of a DOI."""
        if response.status == 404:
            return dict.fromkeys(queries, _no_such_doi(queries, parse_json(response.body)))
        body = parse_json(response.body)
        resources = _resources(body, response.status)
        cut = _is_cut(mapping(body), len(resources), len(queries))
        return answered(self.label, queries, resources, _named, partial(_answer, cut=cut))

    def singles(self, request: base.Request) -> tuple[base.Request, ...]:
        """The requests that look up each DOI of a query, or search for each title, alone."""
        query = parameter(request.url, "query")
        if not query.startswith("doi:("):
            return tuple(self._search([clause]) for clause in _CLAUSE.findall(query)) or (request,)
        return tuple(self.request([Query("doi", _unquote(name))]) for name in _QUOTED.findall(query))


def _named(resource: object) -> tuple[frozenset[str], Record] | None:
    """The record of a work with the DOIs under which DataCite knows it."""
    record = datacite_record(resource)
    return None if record is None else (names_of(resource), record)


def _no_such_doi(queries: Sequence[Query], body: Any) -> Absent:
    titles = [mapping(item).text("title") for item in mapping(body).all("errors")]
    if len(queries) == 1 and queries[0].kind == "doi" and any("doesn't exist" in title for title in titles):
        return Absent()
    raise base.MalformedAnswerError("a 404 that is not DataCite's word for an unknown DOI")


def _resources(body: Any, status: int) -> list[Any]:
    """The resources of type ``dois`` of a JSON:API document, whole."""
    document = mapping(body)
    if "errors" in document or status >= 300:
        problems = [item.text("title") for item in document.parts("errors")]
        raise base.MalformedAnswerError(f"DataCite refused the request: {'; '.join(problems) or status}")
    data = document.get("data")
    if isinstance(data, dict):
        resources = [data]
    elif isinstance(data, list):
        resources = data
    else:
        raise base.MalformedAnswerError("DataCite's answer has no data")
    meta = document.at("meta")
    if resources and not any(mapping(item).get("type") == "dois" for item in resources):
        raise base.MalformedAnswerError("DataCite's answer contains other resources than DOIs")
    total, page = meta.number("total"), meta.number("page")
    if isinstance(data, list) and total and not resources and page in (None, 1):
        raise base.MalformedAnswerError(f"DataCite's answer contains none of {total} DOIs")
    return resources


def _is_cut(document: Fields, shown: int, queries: int) -> bool:
    """Return True if the document answers several searches and more was found than it shows; its link repeats the query."""
    query = parameter(document.at("links").text("self"), "query")
    total = document.at("meta").number("total")
    return max(len(_CLAUSE.findall(query)), queries) > 1 and shown < (total or 0)


def _answer(query: Query, records: list[tuple[frozenset[str], Record]], *, cut: bool) -> Answer:
    if query.kind == "doi":
        return answer_with(record for names, record in records if query.value in names)
    return titled_alike(query, [record for _, record in records], cut=cut)


DATACITE = DataCite()


FIELDS = (
    "doi,identifiers,alternateIdentifiers,creators,contributors,titles,publisher,container,publicationYear,types,"
    "relatedIdentifiers,relatedItems,dates"
)
"""Requested fields of each work."""

_TYPES: Mapping[str, RecordType] = {
    "Audiovisual": "other",
    "Book": "book",
    "BookChapter": "chapter",
    "Collection": "dataset",
    "ComputationalNotebook": "software",
    "ConferencePaper": "inproceedings",
    "ConferenceProceeding": "proceedings",
    "DataPaper": "article",
    "Dataset": "dataset",
    "Dissertation": "thesis",
    "JournalArticle": "article",
    "Model": "software",
    "Preprint": "preprint",
    "Report": "report",
    "Software": "software",
}
# Free-text types that depositors add to the type Text; 15 of 35 works have one.
_WORDS: tuple[tuple[str, RecordType], ...] = (
    ("thesis|dissertation|thèse|habilitation", "thesis"),
    ("conference ?paper|proceedings paper|conference contribution", "inproceedings"),
    ("book chapter|chapter|book section|book part", "chapter"),
    ("pre-?print|e-?print", "preprint"),
    ("journal ?article|article|review", "article"),
    ("report|working paper|technical note", "report"),
    ("proceedings", "proceedings"),
    ("book|monograph", "book"),
)
_TEXTS = tuple((lazy_pattern(rf"(?i:\b(?:{words})\b)"), kind) for words, kind in _WORDS)
# Years of the Buddhist era, as repositories in Thailand state them.
_BUDDHIST = lazy_pattern(r"25\d\d|2600")
_BEFORE_CHRIST = 543
# The publisher of these is the repository, which is how they are cited; of an article it is a publishing
# house.
_HELD_BY_PUBLISHER: frozenset[RecordType] = frozenset({"dataset", "software", "preprint"})
_PUBLICATION_DATES = ("Issued", "Available", "Submitted", "Copyrighted")
_SAME_WORK_RELATIONS = frozenset({
    "IsVersionOf", "HasVersion", "IsNewVersionOf", "IsPreviousVersionOf", "IsIdenticalTo", "IsVariantFormOf",
    "IsOriginalFormOf", "IsPublishedIn", "IsTranslationOf", "HasTranslation", "Obsoletes", "IsObsoletedBy",
})  # fmt: skip
# "GMS Journal for Medical Education; 34(2):Doc25": series information that continues after the series.
_SERIES_TAIL = lazy_pattern(
    MAYBE_BLANKS + r"[;,]\s*+(?:vol\.?|no\.?|bd\.?|issue)?\s*+\d.*\Z", re.IGNORECASE | re.DOTALL
)


def _known(value: object) -> str:
    stated = plain_text(value)
    return "" if is_unknown(stated) else stated


def _person(creator: object) -> Person:
    fields = mapping(creator)
    name = fields.name("name") or stated_name(creator)
    if fields.get("nameType") == "Organizational":
        return Person(literal=name, group=bool(name))
    family, given = stated_parts(fields.get("familyName"), fields.get("givenName"))
    if not (family and given) and fields.get("nameType") == "Personal" and name.count(",") == 1:
        last, first = (part.strip() for part in name.split(","))
        family, given = (last, first) if last and first else (family, given)
    return Person(family=family, given=given) if family and given else undivided(name or family or given)


def _titles(fields: Fields) -> tuple[str, str, tuple[str, ...]]:
    """Main title, subtitle, other titles (translated, alternative, main title in another language)."""
    main: list[str] = []
    subtitles: list[str] = []
    others: list[str] = []
    for item in fields.all("titles"):
        stated = _known(mapping(item).get("title")) or _known(item)
        kind = mapping(item).text("titleType")
        if stated:
            (subtitles if kind == "Subtitle" else others if kind else main).append(stated)
    if not main and others:
        main.append(others.pop(0))
    title = main[0] if main else ""
    subtitle = subtitles[0] if subtitles else ""
    return title, subtitle, unique(other for other in [*main[1:], *others] if other != title)


def _years(fields: Fields) -> tuple[int, ...]:
    stated = fields.text("publicationYear")
    years = [int(stated) - _BEFORE_CHRIST if _BUDDHIST.fullmatch(stated) else year_of(stated)]
    dates = fields.parts("dates")
    for kind in _PUBLICATION_DATES:
        years += [date.year("date") for date in dates if date.get("dateType") == kind]
    return unique(years)


def _publisher(fields: Fields) -> str:
    stated = fields.get("publisher")
    return mapping(stated).name("name") or stated_name(stated)


def _venues(fields: Fields, kind: RecordType) -> tuple[str, ...]:
    names: list[str] = []
    container = _known(fields.at("container").get("title"))
    names += [_SERIES_TAIL.sub("", container), container]
    for item in fields.all("relatedItems"):
        if mapping(item).get("relationType") == "IsPublishedIn":
            names += [_known(mapping(title).get("title")) for title in mapping(item).all("titles")]
    if kind in _HELD_BY_PUBLISHER:
        names.append(_publisher(fields))
    return unique(names)


def _stated(identifier: Fields) -> str:
    kind, value = identifier.text("relatedIdentifierType"), identifier.text("relatedIdentifier")
    if kind == "DOI":
        return doi_name(value)
    return arxiv_id(value) if kind == "arXiv" else ""


def _related(fields: Fields) -> tuple[tuple[str, str], ...]:
    stated = fields.parts("relatedIdentifiers")
    related = ((item.text("relationType"), _stated(item)) for item in stated)
    return unique((hyphenated(name), value) for name, value in related if value and name in _SAME_WORK_RELATIONS)


def _type(types: Fields) -> RecordType:
    general, stated = types.text("resourceTypeGeneral"), types.text("resourceType")
    if general != "Text":
        return _TYPES.get(general, "other")
    return next((kind for words, kind in _TEXTS if words.search(stated)), "other")


def _numbers(fields: Fields, wanted: str) -> tuple[str, ...]:
    """ISBNs or ISSNs among the container, the identifiers and the related identifiers."""
    container = fields.at("container")
    found = [container.text("identifier")] if container.get("identifierType") == wanted else []
    for name in ("identifiers", "alternateIdentifiers"):
        for item in fields.parts(name):
            kind = item.text("identifierType") or item.text("alternateIdentifierType")
            if kind == wanted:
                found.append(item.text("identifier") or item.text("alternateIdentifier"))
    found += [
        item.text("relatedIdentifier")
        for item in fields.parts("relatedIdentifiers")
        if item.get("relatedIdentifierType") == wanted and item.get("relationType") == "IsPartOf"
    ]
    return unique(found)


def _notices(fields: Fields, title: str) -> tuple[tuple[Notice, ...], str]:
    """Notices on this work, and its title without the text that announces one.

    Removal is a date of type Withdrawn (DataCite Metadata Schema 4.4). A newer version is not a notice.
    """
    dates = fields.parts("dates")
    withdrawn = [date.text("date")[:10] for date in dates if date.get("dateType") == "Withdrawn"]
    notices = tuple(Notice("removal", "datacite", date) for date in dict.fromkeys(withdrawn))
    return with_announced(notices, title, "datacite")


def names_of(work: object) -> frozenset[str]:
    """The DOIs under which DataCite knows this work: its own, and those it states as identical."""
    fields = _attributes(work)
    stated = fields.parts("identifiers")
    names = [fields.get("doi"), *(item.get("identifier") for item in stated if item.get("identifierType") == "DOI")]
    same = [identifier for relation, identifier in _related(fields) if relation == "is-identical-to"]
    return frozenset(unique([*map(doi_name, map(text, names)), *same]))


def _attributes(work: object) -> Fields:
    """The attributes of a JSON:API resource, or the object itself where it came by content negotiation."""
    resource = mapping(work)
    attributes = resource.at("attributes") or resource
    return attributes if attributes.get("doi") else mapping({**attributes, "doi": resource.get("id")})


def datacite_record(work: object) -> Record | None:
    """The record of one work: a resource of type ``dois`` (an item of ``data``) or bare DataCite JSON.

    None if the value states no DOI. Fields of an unexpected type count as absent.
    """
    fields = _attributes(work)
    doi = fields.doi("doi")
    if not doi:
        return None
    title, subtitle, others = _titles(fields)
    kind = _type(fields.at("types"))
    container = fields.at("container")
    first, last = container.text("firstPage"), container.text("lastPage")
    related = _related(fields)
    notices, bare = _notices(fields, title)
    contributors = fields.all("contributors")
    return Record(
        source="datacite",
        id=doi,
        url=f"https://doi.org/{doi}",
        title=title,
        subtitle=subtitle,
        other_titles=unique((bare, *others)),
        authors=tuple(map(_person, fields.all("creators"))),
        editors=tuple(_person(one) for one in contributors if mapping(one).get("contributorType") == "Editor"),
        years=_years(fields),
        venues=_venues(fields, kind),
        type=kind,
        publisher=_publisher(fields),
        doi=doi,
        arxiv=arxiv_id_of_doi(doi) or next((name for _, name in related if not name.startswith("10.")), ""),
        volume=container.text("volume"),
        number=container.text("issue"),
        pages=f"{first}-{last}" if first and last else first,
        isbn=_numbers(fields, "ISBN"),
        issn=_numbers(fields, "ISSN"),
        agency="DataCite",
        related=related,
        notices=notices,
    )
