"""The local SPARQL endpoint of DBLP: answers only the queries of the client, from the facts.

Based on the dblp RDF schema and reports of the endpoint's (QLever) responses: DOIs are in upper case only, titles are sorted
without regard to case, an invalid query is refused with status 400 and an ``exception``. The search criteria are parsed from
the query: its values, its ranges of titles, its limits, its variables.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote

from tests.stand_ins.replies import Parameters, Reply, json_reply

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.stand_ins.facts import DblpRecord, Facts

_JSON = "application/sparql-results+json"
_VARIABLES = re.compile(r"SELECT ([^(]*)\(GROUP_CONCAT\(\?signed; separator=\"\|\"\) AS \?(signatures)\)")
_VALUES = re.compile(r"VALUES \?(asked|publication) \{ ([^}]*) \}")
_RANGE = re.compile(
    r'\{ SELECT DISTINCT \("(?P<asked>[^"]*)" AS \?asked\) [^{]*\{ \?publication dblp:title \?title \. '
    r'FILTER\(\?title >= "(?P<first>[^"]*)" && \?title < "(?P<end>[^"]*)"\) '
    r'(?:[^{}]*CONTAINS\(LCASE\(\?someone\), "(?P<name>[^"]*)"\)\) )?\} LIMIT (?P<most>\d+) \}'
)
_PLACE = re.compile(r'\(<https://dblp\.org/streams/([^>]*)> "(\d{4})"\)')
_LIMIT = re.compile(r"LIMIT (\d+) \}\n")
_TYPES = {
    "Journal Articles": "Article",
    "Conference and Workshop Papers": "Inproceedings",
    "Parts in Books or Collections": "Incollection",
    "Books and Theses": "Book",
    "Editorship": "Proceedings",
}
_XSD = "http://www.w3.org/2001/XMLSchema#"

_Row = tuple["DblpRecord", dict[str, str]]
"""A record and additional data of its row."""


class DblpSparql:
    """Answers to GET and POST. With ``shift``, every record found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        works = [(record, record.doi or work.doi) for work in facts.works for record in work.dblp]
        self._records = [record for record, _ in works]
        preprints = {record.key for record in self._records if record.volume.startswith("abs/")}
        self._dois = {record.key: doi.upper() for record, doi in works if doi and record.key not in preprints}
        self._shift = shift

    def answer(self, path: str, parameters: Parameters) -> Reply:
        query = parameters.get("query", "")
        variables = _VARIABLES.search(query)
        if path != "/sparql" or variables is None:
            return json_reply(400, "application/json", {"exception": "Invalid SPARQL query", "query": query})
        names = [name.removeprefix("?") for name in variables[1].split()] + [variables[2]]
        rows = [self._bindings(record, stated, names) for record, stated in self._found(query)]
        return json_reply(200, _JSON, {"head": {"vars": names}, "results": {"bindings": rows}})

    def post(self, path: str, parameters: Parameters, body: bytes) -> Reply:
        return self.answer(path, {name: values[0] for name, values in parse_qs(body.decode()).items()})

    def _found(self, query: str) -> Iterator[_Row]:
        if values := _VALUES.search(query):
            for iri in (one.strip("<>") for one in values[2].split()):
                yield from ((record, {}) for record in self._records if self._is(record, values[1], iri))
        elif ranges := list(_RANGE.finditer(query)):
            for one in ranges:
                found = [record for record in self._records if _within(record, one["first"], one["end"], one["name"])]
                yield from ((record, {"asked": one["asked"]}) for record in found[: int(one["most"])])
        else:
            limit = _LIMIT.search(query)
            for stream, year in dict.fromkeys(_PLACE.findall(query)):
                found = [record for record in self._records if _stream(record) == stream and record.year == year]
                stated = {"stream": f"https://dblp.org/streams/{stream}", "total": str(len(found))}
                yield from ((record, stated) for record in found[: int(limit[1]) if limit else None])

    def _is(self, record: DblpRecord, variable: str, iri: str) -> bool:
        if variable == "publication":
            return iri == f"https://dblp.org/rec/{record.key}"
        return record.key in self._dois and iri == self._iri(record)

    def _iri(self, record: DblpRecord) -> str:
        doi = self._dois.get(record.key, "")
        return f"https://doi.org/{quote(doi, safe='/:;()[]@!$&*+,=?#')}" if doi else ""

    def _bindings(self, found: DblpRecord, stated: dict[str, str], names: Sequence[str]) -> dict[str, Any]:
        position = (self._records.index(found) + self._shift) % len(self._records)
        record = self._records[position]
        title = record.title if record.title.endswith((".", "?", "!")) else f"{record.title}."
        signed = [f"{number} {author}" for number, author in enumerate(record.authors, 1)]
        known = {
            "asked": self._iri(record), "stream": f"https://dblp.org/streams/{_stream(record)}",
            "publication": f"https://dblp.org/rec/{record.key}", "title": title, "year": record.year,
            "venue": record.venues[0] if record.venues else "", "volume": record.volume, "pages": record.pages,
            "type": f"http://purl.org/net/nknouf/ns/bibtex#{_TYPES.get(record.type, 'Article')}", "doi": self._iri(record),
            "creators": str(len(record.authors)), "signatures": "|".join(reversed(signed)),
        }  # fmt: skip
        if self._shift and "stream" in stated:
            stated = {"total": stated["total"]}
        known |= stated
        return {name: _cell(name, known[name]) for name in names if known.get(name)}


def _cell(name: str, value: str) -> dict[str, str]:
    if value.startswith(("https://doi.org/", "https://dblp.org/", "http://purl.org/")):
        return {"type": "uri", "value": value}
    kind = {"year": "gYear", "total": "int", "creators": "int"}.get(name)
    return {"type": "literal", "value": value} | ({"datatype": f"{_XSD}{kind}"} if kind else {})


def _stream(record: DblpRecord) -> str:
    return "/".join(record.key.split("/")[:2])


def _within(record: DblpRecord, first: str, end: str, name: str | None) -> bool:
    signed = not name or any(name in author.lower() for author in record.authors)
    return _collated(first) <= _collated(record.title) < _collated(end) and signed


def _collated(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))
