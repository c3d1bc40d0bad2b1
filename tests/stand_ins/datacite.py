"""The local DataCite REST API: ``/dois`` with a query, and ``/dois/{doi}``.

Written after the DataCite REST API guide (support.datacite.org/docs/api-queries) and real answers. A query is
Lucene syntax in which, as in the service itself, operands without an operator between them are both required
and a phrase tolerates one foreign word; OR widens. With ``sort=relevance`` matches are ranked by the words that
they share with the query, else the latest changed come first. ``fields[dois]`` names the attributes that are sent.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from tests.stand_ins.datacite_records import Registered, registered, resource
from tests.stand_ins.query_language import Document, Operand, QuerySyntaxError, contains, parse_query
from tests.stand_ins.replies import Parameters, Reply, json_reply
from tests.stand_ins.search import Index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.stand_ins.facts import Facts

_JSON = "application/json; charset=utf-8"
_HEADERS = {"server": "nginx/1.18.0 + Phusion Passenger(R) 6.0.27", "x-api-version": "2"}
_KEYWORD_FIELDS = frozenset({"doi", "id", "prefix", "publicationYear", "types.resourceTypeGeneral"})
_FIELD_NAMES = {"publication_year": "publicationYear", "id": "doi"}
_DEFAULT_SIZE = 25
_MOST = 1000


class DataCite:
    """DataCite's answers to GET requests. With ``shift``, every record found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._records = registered(facts)
        self._shift = shift
        self._by_doi = {record.doi: position for position, record in enumerate(self._records)}
        self._documents = [_document(record) for record in self._records]
        self._index = Index([{"all": " ".join(document.values())} for document in self._documents])

    def answer(self, path: str, parameters: Parameters) -> Reply:
        if path == "/dois":
            try:
                return self._list(parameters)
            except (QuerySyntaxError, ValueError) as error:
                return _error(400, str(error))
        position = self._by_doi.get(unquote(path.removeprefix("/dois/")).lower()) if path.startswith("/dois/") else None
        if position is None:
            return _error(404, "The resource you are looking for doesn't exist.")
        return json_reply(200, _JSON, {"data": resource(self._record(position))}, _HEADERS)

    def _record(self, position: int) -> Registered:
        return self._records[(position + self._shift) % len(self._records)]

    def _list(self, parameters: Parameters) -> Reply:
        size = min(int(parameters.get("page[size]", _DEFAULT_SIZE)), _MOST)
        number = max(int(parameters.get("page[number]", 1)), 1)
        found = [self._record(position) for position in self._search(parameters)]
        pages = math.ceil(len(found) / size) if size else 0
        link = f"https://api.datacite.org/dois?query={quote(parameters.get('query', ''))}&page[size]={size}"
        body: dict[str, Any] = {
            "data": [_chosen(resource(record), parameters) for record in found[(number - 1) * size : number * size]],
            "meta": {"total": len(found), "totalPages": pages, "page": number},
            "links": {"self": link} | ({"next": f"{link}&page[number]={number + 1}"} if number < pages else {}),
        }
        return json_reply(200, _JSON, body, _HEADERS)

    def _search(self, parameters: Parameters) -> Sequence[int]:
        text = parameters.get("query", "")
        if not text.strip():
            return range(len(self._records))
        query = parse_query(text)
        matching = [i for i, document in enumerate(self._documents) if query.matches(document, _match)]
        if parameters.get("sort") != "relevance":
            return matching[::-1]
        scores = {i: score for score, i in self._index.rank({"all": " ".join(one.text for one in query.operands)})}
        return sorted(matching, key=lambda position: (-scores.get(position, 0.0), position))


def _chosen(record: dict[str, Any], parameters: Parameters) -> dict[str, Any]:
    names = parameters.get("fields[dois]", "").split(",")
    if names == [""]:
        return record
    return record | {"attributes": {name: value for name, value in record["attributes"].items() if name in names}}


def _match(operand: Operand, document: Document) -> bool:
    field = _FIELD_NAMES.get(operand.field, operand.field)
    if field in _KEYWORD_FIELDS:
        return document.get(field, "").lower() == operand.text.lower()
    return contains(Operand(field, operand.text, operand.phrase), document, slop=1)


def _error(status: int, title: str) -> Reply:
    return json_reply(status, _JSON, {"errors": [{"status": str(status), "title": title}]}, _HEADERS)


def _document(record: Registered) -> dict[str, str]:
    work = record.work
    subtitle = "" if record.arxiv else work.subtitle
    persons = [name for name in record.creators if not name.literal]
    return {
        "doi": record.doi,
        "prefix": record.doi.partition("/")[0],
        "titles.title": f"{record.title}\n{subtitle}",
        "creators.name": "\n".join(name.literal or f"{name.family}, {name.given}" for name in record.creators),
        "creators.familyName": "\n".join(name.family for name in persons),
        "creators.givenName": "\n".join(name.given for name in persons),
        "publicationYear": str(record.issued[0]),
        "publisher": record.publisher,
        "container.title": "" if record.arxiv else work.container,
        "types.resourceTypeGeneral": resource(record)["attributes"]["types"]["resourceTypeGeneral"],
        "identifiers.identifier": record.arxiv.id if record.arxiv else "",
    }
