"""The queries that are put to DBLP's SPARQL endpoint, and which questions a query holds.

Documentation: SPARQL 1.1 Query Language (W3C 2013), the dblp RDF schema (dblp.org/rdf/docu). The endpoint runs QLever, whose
vocabulary is sorted without regard to case: a range of titles finds every capitalisation. That order is not documented, so the
witness of a title has other capitals than DBLP writes.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, unquote, urlencode

from pytest_citecheck.services.base import Request
from pytest_citecheck.services.parsing.query_url import parameter, query_url
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "DOI", "MOST_TITLED", "RECORD", "STREAM", "beginning", "by_beginning", "by_doi", "by_key", "by_place", "is_short",
    "one_of_place", "query_of", "single_queries", "to_request",
]  # fmt: skip

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
# Of a word that goes on behind the cut nothing is known; nothing sorts between a letter and the next one.
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
    """The beginning of a title, in small letters, that its record surely has; empty if there is none.

    It ends before what databases write in other ways: quotation marks, dashes, formulas.
    """
    words = unicodedata.normalize("NFC", " ".join(title.split())).lower()
    words = _UNSURE.split(words, maxsplit=1)[0]
    doubtful = _DOUBTFUL.search(words, _SHORTEST_BEGINNING)
    sure = words[: doubtful.start() if doubtful else len(words)][:_LONGEST_BEGINNING]
    while sure and not _RAISABLE.match(sure[-1]):
        sure = sure[:-1]
    return sure if len(sure) > 1 else ""


def by_beginning(titled: Iterable[tuple[str, str]]) -> str:
    """Publications by the beginnings of their titles; beside a short one stands a part of the name of one of its authors."""
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
    """Whether more titles begin so than an answer shows."""
    return len(start) < _SHORTEST_BEGINNING


def by_place(places: Iterable[tuple[str, int]]) -> str:
    """All publications of series in a year, each with the number of all that there are."""
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
    """A publication may come in several rows, one for each of its DOIs; each has all signatures."""
    chosen = [name for name in details if name not in first]
    names = " ".join(f"?{name}" for name in (*first, "publication", "title", *chosen))
    optional = "".join(f"OPTIONAL {{ ?publication dblp:{_DETAILS[name]} ?{name} }}\n" for name in chosen)
    signed = '(GROUP_CONCAT(?signed; separator="|") AS ?signatures)'
    return f"{_PREFIX}SELECT {names} {signed} WHERE {{\n{body}{optional}{_SIGNED}}} GROUP BY {names}"


def _iri(text: str) -> str:
    return _NO_IRI.sub(lambda match: quote(match[0], safe=""), text)


def to_request(service: str, base_url: str, query: str) -> Request:
    """The request for a query: in the URL, or posted as a form if that would be long."""
    accept = "application/sparql-results+json"
    url = query_url(f"{base_url}/sparql", ("query", query))
    if len(url) <= _LONGEST_URL:
        return Request(service, url, accept=accept)
    form = "application/x-www-form-urlencoded"
    return Request(service, f"{base_url}/sparql", accept, urlencode({"query": query}).encode(), form)


def query_of(request: Request) -> str:
    """The query of a request; empty if it has none."""
    if not request.body:
        return parameter(request.url, "query")
    return next(iter(parse_qs(request.body.decode("utf-8", "replace")).get("query", ())), "")


def single_queries(query: str) -> list[str]:
    """The queries that would put the questions of this one alone; none if it is of another form."""
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
