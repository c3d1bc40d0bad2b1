"""DBLP over SPARQL: publications by DOI, key and title, and all publications of a series in a year.

Documentation: sparql.dblp.org and dblp FAQ "How to query the dblp knowledge graph?" (dblp.org/faq/1474832). Since autumn 2026
DBLP's search and record pages show programs a page that only a browser passes; this endpoint is open to them. Absence: of a
title, none is evidence, as its beginning may differ; all publications of a stream and year are a complete list of it, where
DBLP lists the stream and year at all. Author order: as in the publication, by the ordinals of the signatures. Limits: one
request a second over one connection, 30 seconds a query, longer queries posted (as announced for this beta).
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, unquote, urlencode

from pytest_citecheck.matching import lazy_pattern, lookup
from pytest_citecheck.model import Absent, Answer, CitedMetadata, Found, Query, QueryKind, Record
from pytest_citecheck.sources import base
from pytest_citecheck.sources.dblp import KEY, PREPRINTS, STREAM_KEY, beginnings, has_name, publication, sure_part
from pytest_citecheck.sources.parsing import (
    answer_with,
    mapping,
    parameter,
    parse_json,
    query_url,
    text,
    titled_alike,
    whole_number,
    without_absences,
    year_of,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

DOI, RECORD, STREAM = "https://doi.org/", "https://dblp.org/rec/", "https://dblp.org/streams/"
MOST_TITLED = 100
"""Publications of one beginning that an answer shows."""

_LONGEST_BEGINNING = 40
_SHORTEST_BEGINNING = 20
# Longer queries are posted (https://sparql.dblp.org).
_LONGEST_URL = 2000
_PREFIX = "PREFIX dblp: <https://dblp.org/rdf/schema#>\n"
_DETAILS = {
    "type": "bibtexType", "year": "yearOfPublication", "venue": "publishedIn", "volume": "publishedInJournalVolume",
    "pages": "pagination", "doi": "doi", "creators": "numberOfCreators",
}  # fmt: skip
_LISTED = ("venue", "creators")
_SIGNED = (
    "OPTIONAL { ?publication dblp:hasSignature ?signature . "
    "?signature dblp:signatureOrdinal ?ordinal ; dblp:signatureDblpName ?name . "
    'BIND(CONCAT(STR(?ordinal), " ", ?name) AS ?signed) }\n'
)
# A word that is cut off says nothing; nothing sorts between a letter and the next one.
_RAISABLE = lazy_pattern(r"[a-y0-8]")
_UNSURE = lazy_pattern(r"[\"\\]|[^\w\x20-\x7e]")
_DOUBTFUL = lazy_pattern(r"[-:'`$^{}()]")
_NO_IRI = lazy_pattern(r"[\x00-\x20<>\"{}|^`\\]")
_IRIS = lazy_pattern(r"VALUES \?(asked|publication) \{([^{}]*+)\}")
_RANGE = lazy_pattern(r'\("(?P<from>[^"]*+)" AS \?asked\)')
_CONTAINED = lazy_pattern(r'CONTAINS\(LCASE\(\?someone\), "([^"]*)"\)')
_PLACES = lazy_pattern(r'\(<https://dblp\.org/streams/([^<>]*+)> "(\d+)"\)')


def by_doi(dois: Iterable[str]) -> str:
    """Publications by DOI. DBLP writes DOIs in upper case."""
    iris = " ".join(f"<{DOI}{_iri(doi.upper())}>" for doi in dois)
    body = f"VALUES ?asked {{ {iris} }}\n?publication dblp:doi ?asked ; dblp:title ?title .\n"
    return _select(("asked",), body, [name for name in _DETAILS if name != "doi"])


def by_key(keys: Iterable[str]) -> str:
    """Publications by the keys of their records."""
    iris = " ".join(f"<{RECORD}{key}>" for key in keys)
    return _select((), f"VALUES ?publication {{ {iris} }}\n?publication dblp:title ?title .\n", _DETAILS)


def beginning(title: str) -> str:
    """Beginning of a title, in lower case, that its record certainly has; empty without one.

    It ends before quotation marks, dashes and formulas, which databases write differently.
    """
    words = unicodedata.normalize("NFC", " ".join(title.split())).lower()
    words = _UNSURE.split(words, maxsplit=1)[0]
    doubtful = _DOUBTFUL.search(words, _SHORTEST_BEGINNING)
    sure = words[: doubtful.start() if doubtful else len(words)][:_LONGEST_BEGINNING]
    while sure and not _RAISABLE.match(sure[-1]):
        sure = sure[:-1]
    return sure if len(sure) > 1 else ""


def by_beginning(titled: Iterable[tuple[str, str]]) -> str:
    """Find publications by the beginnings of their titles, with part of an author's name for short titles."""
    parts = " UNION ".join(_range(start, name) for start, name in titled)
    return _select(("asked",), f"{parts}\n", _DETAILS)


def _range(start: str, name: str) -> str:
    end = start[:-1] + chr(ord(start[-1]) + 1)
    signed = (
        f'?publication dblp:hasSignature/dblp:signatureDblpName ?someone . FILTER(CONTAINS(LCASE(?someone), "{name}")) '
        if name
        else ""
    )
    return (
        f'{{ SELECT DISTINCT ("{start}" AS ?asked) ?publication ?title WHERE {{ ?publication dblp:title ?title . '
        f'FILTER(?title >= "{start}" && ?title < "{end}") {signed}}} LIMIT {MOST_TITLED} }}'
    )


def is_short(start: str) -> bool:
    """Return True if more titles begin so than an answer shows."""
    return len(start) < _SHORTEST_BEGINNING


def by_place(places: Iterable[tuple[str, int]]) -> str:
    """All publications of series in a year, each with the total number."""
    values = _places(places)
    body = (
        f"{values}?publication dblp:publishedInStream ?stream ; dblp:yearOfPublication ?year ; dblp:title ?title .\n"
        "FILTER(STR(?year) = ?in)\n"
        f"{{ SELECT ?stream ?in (COUNT(DISTINCT ?counted) AS ?total) WHERE {{ {values}"
        "?counted dblp:publishedInStream ?stream ; dblp:yearOfPublication ?stated . FILTER(STR(?stated) = ?in) } "
        "GROUP BY ?stream ?in }\n"
    )
    return _select(("stream", "total", "year"), body, _LISTED)


def one_of_place(stream: str, year: int) -> str:
    """One publication of a series in a year."""
    body = (
        f"{{ SELECT ?stream ?publication ?year ?title WHERE {{ {_places([(stream, year)])}"
        "?publication dblp:publishedInStream ?stream ; dblp:yearOfPublication ?year ; dblp:title ?title . "
        "FILTER(STR(?year) = ?in) } ORDER BY ?publication LIMIT 1 }\n"
    )
    return _select(("stream", "year"), body, _LISTED)


def _places(places: Iterable[tuple[str, int]]) -> str:
    pairs = " ".join(f'(<{STREAM}{stream}> "{year}")' for stream, year in places)
    return f"VALUES (?stream ?in) {{ {pairs} }}\n"


def _select(first: Sequence[str], body: str, details: Iterable[str]) -> str:
    """A publication may have several rows, one for each of its DOIs; each has all signatures."""
    chosen = [name for name in details if name not in first]
    names = " ".join(f"?{name}" for name in (*first, "publication", "title", *chosen))
    optional = "".join(f"OPTIONAL {{ ?publication dblp:{_DETAILS[name]} ?{name} }}\n" for name in chosen)
    signed = '(GROUP_CONCAT(?signed; separator="|") AS ?signatures)'
    return f"{_PREFIX}SELECT {names} {signed} WHERE {{\n{body}{optional}{_SIGNED}}} GROUP BY {names}"


def _iri(text: str) -> str:
    return _NO_IRI.sub(lambda match: quote(match[0], safe=""), text)


def to_request(service: str, base_url: str, query: str) -> base.Request:
    """The request for a query: in the URL, or posted as a form if that would be long."""
    accept = "application/sparql-results+json"
    url = query_url(f"{base_url}/sparql", ("query", query))
    if len(url) <= _LONGEST_URL:
        return base.Request(service, url, accept=accept)
    form = "application/x-www-form-urlencoded"
    return base.Request(service, f"{base_url}/sparql", accept, urlencode({"query": query}).encode(), form)


def query_of(request: base.Request) -> str:
    """The query of a request; empty if it has none."""
    if not request.body:
        return parameter(request.url, "query")
    return next(iter(parse_qs(request.body.decode("utf-8", "replace")).get("query", ())), "")


def single_queries(query: str) -> list[str]:
    """Queries for the single look-ups in this one; none if it has another form."""
    if (iris := _IRIS.search(query)) is not None:
        names = [iri.strip("<>") for iri in iris[2].split()]
        if iris[1] == "asked":
            return [by_doi([unquote(name.removeprefix(DOI))]) for name in names]
        return [by_key([name.removeprefix(RECORD)]) for name in names]
    if ranges := list(_RANGE.finditer(query)):
        ends = [*(each.start() for each in ranges[1:]), len(query)]
        contained = [_CONTAINED.search(query, each.end(), end) for each, end in zip(ranges, ends, strict=True)]
        return [
            by_beginning([(each["from"], name[1] if name else "")])
            for each, name in zip(ranges, contained, strict=True)
        ]
    if "?total" in query:
        return [by_place([place]) for place in dict.fromkeys((s, int(year)) for s, year in _PLACES.findall(query))]
    return []


_FIELDS = {"title": "title", "year": "year", "venue": "booktitle", "volume": "volume", "pages": "pages", "doi": "ee"}
_ELEMENTS = {
    "article": "article", "inproceedings": "inproceedings", "incollection": "incollection", "inbook": "incollection",
    "proceedings": "proceedings", "book": "book", "phdthesis": "phdthesis", "mastersthesis": "mastersthesis",
}  # fmt: skip
# Types by the first part of a key, for rows without a type.
_KEYS = {"journals": "article", "conf": "inproceedings", "books": "book", "phd": "phdthesis", "series": "incollection"}


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its values by variable, and its record; None if the publication cannot be read or lacks authors."""

    values: Mapping[str, str]
    record: Record | None


def rows_of(response: base.Response) -> list[Row]:
    """The rows of an answer. Raises MalformedAnswerError for everything that is no table of publications."""
    body = mapping(parse_json(response.body))
    if response.status >= 300 or "exception" in body:
        problem = text(body.get("exception"))[:200]
        raise base.MalformedAnswerError(f"DBLP refused the query: {problem or response.status}")
    variables, found = mapping(body.get("head")).get("vars"), mapping(body.get("results")).get("bindings")
    if not isinstance(variables, list) or "publication" not in variables or not isinstance(found, list):
        raise base.MalformedAnswerError("DBLP's answer is not a table of publications")
    rows = [_row(binding) for binding in found]
    if rows and not any(row.record for row in rows):
        raise base.MalformedAnswerError("no row of DBLP's answer is a publication")
    return rows


def _row(binding: Any) -> Row:
    values = {name: text(mapping(cell).get("value")) for name, cell in mapping(binding).items()}
    return Row(values, _record(values))


def _record(values: Mapping[str, str]) -> Record | None:
    key = values.get("publication", "").removeprefix(RECORD)
    people = _people(values.get("signatures", ""))
    creators = whole_number(values.get("creators"))
    if not KEY.fullmatch(key) or people is None or (creators is not None and len(people) < creators):
        return None
    stated = values.get("type", "").rpartition("#")[2].lower()
    element = _ELEMENTS.get(stated) or _KEYS.get(key.partition("/")[0], "www")
    kinds = ("informal",) if values.get("venue", "").lower() in PREPRINTS else ()
    fields = [(element_name, values[name]) for name, element_name in _FIELDS.items() if values.get(name)]
    # An asked DOI is one of the publication.
    if "doi" not in values and "/10." in values.get("asked", ""):
        fields.append(("ee", values["asked"]))
    return publication(key, element, kinds, [*(("author", name) for name in people), *fields])


def _people(signatures: str) -> list[str] | None:
    """The names in the order of their ordinals; None if one of them has no ordinal or no name."""
    people = []
    for signature in filter(None, signatures.split("|")):
        ordinal, _, name = signature.partition(" ")
        if not (ordinal.isascii() and ordinal.isdigit() and len(ordinal) < 9 and name):
            return None
        people.append((int(ordinal), name))
    return [name for _, name in sorted(people)]


class DblpSparql(base.Source):
    """DBLP's SPARQL endpoint as a source of records (see the module)."""

    name = "dblp_sparql"
    label = "DBLP (SPARQL)"
    base_url = "https://sparql.dblp.org"
    documentation = "https://sparql.dblp.org"
    batch: Mapping[QueryKind, int] = {"doi": 50, "dblp": 50, "title": 8, "author_search": 50, "venue_year": 1}
    limits = "one request a second over one connection, 30 s a query; the endpoint is a beta"
    terms = base.Terms("CC0, may be redistributed", reported=True)
    absence = "complete for volumes that it lists completely and that are two years old; otherwise no evidence"
    authoritative_for = ("identifier", "title", "authors", "year", "venue")
    unconfirmed = "the sort order of titles (the control has other capitals than DBLP writes)"
    role = base.Role(
        catalogue=("dblp",),
        opinion=3,
        titles=(
            base.TitleSearch("single", 10, ("computer_science",), base.PAPERS),
            base.TitleSearch(
                "single", 30, ("physics", "mathematics", "social_science", "interdisciplinary", "other"), base.PAPERS
            ),
            base.TitleSearch("single", 30, works=("book", "thesis")),
        ),
    )
    controls: Mapping[QueryKind, Query] = {
        "doi": Query("doi", "10.18653/v1/n19-1423"),
        "dblp": Query("dblp", "conf/nips/VaswaniSPUJGKP17"),
        "title": Query("title", "Bert: pre-training of deep bidirectional transformers for language understanding"),
        "author_search": Query("author_search", "conf/nips", ("Vaswani",), 2017),
        "venue_year": Query("venue_year", "conf/nips", (), 2017),
    }

    def accepts(self, query: Query) -> bool:
        """DOIs, keys, titles that begin with letters, streams in a year, and authors there with a name in Latin script."""
        if query.kind == "title":
            start = beginning(query.value)
            return bool(start) and (not is_short(start) or bool(sure_part(query.authors)))
        if query.kind not in ("author_search", "venue_year"):
            return super().accepts(query)
        stream = query.year and STREAM_KEY.fullmatch(query.value)
        return bool(stream) and (query.kind == "venue_year" or bool(beginnings(query.authors)))

    def may_list(self, cited: CitedMetadata) -> bool:
        """Not if its key is cited, which is queried instead, nor if the venue is known and DBLP does not list it."""
        venue = lookup(cited.venue) if cited.venue else None
        listed = venue is None or bool(venue.dblp) or venue.kind not in ("journal", "conference", "workshop")
        return listed and not cited.identifiers.dblp

    def group(self, query: Query) -> Hashable:
        """Authors in one volume are looked for in one list of it."""
        return _place(query) if query.kind == "author_search" else ""

    def request(self, queries: Sequence[Query]) -> base.Request:
        """One query for all of these look-ups, which are of one kind."""
        kind = queries[0].kind
        if kind == "doi":
            sparql = by_doi(query.value for query in queries)
        elif kind == "dblp":
            sparql = by_key(query.value for query in queries)
        elif kind == "title":
            sparql = by_beginning(dict.fromkeys(map(_titled, queries)))
        elif kind == "author_search":
            sparql = by_place(dict.fromkeys(map(_place, queries)))
        else:
            sparql = one_of_place(*_place(queries[0]))
        return to_request(self.name, self.base_url, sparql)

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError unless it is a complete table of publications."""
        rows = rows_of(response)
        answers = {query: _answer(query, rows) for query in queries}
        return without_absences(answers, self.label) if any(row.record is None for row in rows) else answers

    def singles(self, request: base.Request) -> tuple[base.Request, ...]:
        """Requests for each look-up of a query alone."""
        queries = single_queries(query_of(request))
        return tuple(to_request(self.name, self.base_url, query) for query in queries) or (request,)


def _place(query: Query) -> tuple[str, int]:
    return query.value, query.year or 0


def _titled(query: Query) -> tuple[str, str]:
    start = beginning(query.value)
    return start, sure_part(query.authors) if is_short(start) else ""


def _answer(query: Query, rows: Sequence[Row]) -> Answer:
    if query.kind == "doi":
        about_query = [row for row in rows if _asked_doi(row) == query.value.lower()]
        return answer_with(_records(about_query))
    if query.kind == "dblp":
        return answer_with(_records([row for row in rows if row.record and row.record.id == query.value]))
    if query.kind == "title":
        start = beginning(query.value)
        about_query = [row for row in rows if row.values.get("asked") == start]
        cut = len({row.values.get("publication") for row in about_query}) >= MOST_TITLED
        return titled_alike(query, _records(about_query), cut=cut)
    return _listed(query, rows)


def _asked_doi(row: Row) -> str:
    return unquote(row.values.get("asked", "").removeprefix(DOI)).lower()


def _records(rows: Sequence[Row]) -> tuple[Record, ...]:
    return tuple({row.record.id: row.record for row in reversed(rows) if row.record}.values())[::-1]


def _listed(query: Query, rows: Sequence[Row]) -> Answer:
    """Evidence of a volume's list about the volume, or about authors in it."""
    place = f"{query.value} {query.year}"
    about_query = [
        row
        for row in rows
        if row.values.get("stream") == f"{STREAM}{query.value}" and year_of(row.values.get("year")) == query.year
    ]
    if query.kind == "venue_year":
        if len(about_query) < len(rows):
            raise base.MalformedAnswerError(f"DBLP's answer contains publications from outside {place}")
        return Found(_records(about_query), f"DBLP lists {place}") if about_query else Absent()
    names = " or ".join(query.authors)
    shown = len({row.values.get("publication") for row in about_query})
    stated = {whole_number(row.values.get("total")) for row in about_query}
    if about_query and stated != {shown}:
        raise base.MalformedAnswerError(
            f"DBLP's answer contains {shown} of {max(filter(None, stated), default=0)} in {place}"
        )
    wanted = beginnings(query.authors)
    by_authors = _records([row for row in about_query if row.record and has_name(row.record, wanted)])
    if not by_authors:
        return Absent(f"DBLP lists no work in {place} by an author named {names}")
    return Found(by_authors, f"DBLP lists {len(by_authors)} works in {place} by an author named {names}")


DBLP_SPARQL = DblpSparql()
