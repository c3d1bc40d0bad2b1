"""The local Crossref REST API: ``/works``, ``/works/{doi}`` and ``/journals/{issn}/works`` for the works whose DOI Crossref
registered.

Written after the Crossref REST API documentation (api.crossref.org/swagger-ui) and answers of 2022 to 2026.
Like the real one it refuses what it does not know (fields to select, filters, field queries) with status 400,
ranks every work that shares a word with the query, escapes slashes, writes DOIs in lower case, and states as
``created`` when the metadata were deposited, which for old works is decades after publication.
"""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from tests.stand_ins.crossref_works import SELECTABLE, work_message
from tests.stand_ins.replies import Parameters, Reply, stable_number
from tests.stand_ins.search import Index

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.stand_ins.facts import DateParts, Facts, Work

_JSON = "application/json"
_LIMITS = {"public-array": (1, 1), "polite-array": (3, 3), "public-single": (5, 1), "polite-single": (10, 3)}
"""Requests a second, and at the same time, by pool."""
_MILLIONS = 1_700_000
"""Number of works that share a word with a query, besides those in the facts."""
_QUERIES = {
    "query": "everything",
    "query.bibliographic": "bibliographic",
    "query.title": "title",
    "query.author": "author",
    "query.editor": "editor",
    "query.container-title": "container",
    "query.event-name": "event",
}
_DEFAULT_ROWS = 20
_MOST_ROWS = 1000


class _RefusedError(Exception):
    """A parameter that the API does not allow; the arguments are type, value and message of the failure."""


class Crossref:
    """Crossref's answers to GET requests. With ``shift``, every record found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._works = tuple(work for work in facts.works if work.agency == "Crossref")
        self._shift = shift
        self._by_doi = {work.doi.lower(): position for position, work in enumerate(self._works)}
        self._index = Index([_searchable(work) for work in self._works])

    def answer(self, path: str, parameters: Parameters) -> Reply:
        number = path.removeprefix("/journals/").removesuffix("/works") if path.startswith("/journals/") else ""
        if path == "/works" or any(number in work.issn for work in self._works):
            try:
                return self._work_list(parameters, number)
            except _RefusedError as refused:
                kind, value, message = refused.args
                failure = [{"type": kind, "value": value, "message": message}]
                body = {"status": "failed", "message-type": "validation-failure", "message": failure}
                return _reply(400, body, _headers("array", parameters))
        position = (
            self._by_doi.get(unquote(path.removeprefix("/works/")).lower()) if path.startswith("/works/") else None
        )
        if position is None:
            return Reply(404, "text/plain", b"Resource not found.", _headers("single", parameters))
        return _reply(200, _envelope("work", work_message(self._work(position), 1)), _headers("single", parameters))

    def _work(self, position: int) -> Work:
        return self._works[(position + self._shift) % len(self._works)]

    def _work_list(self, parameters: Parameters, issn: str) -> Reply:
        rows = _integer(parameters, "rows", _DEFAULT_ROWS, _MOST_ROWS)
        offset = _integer(parameters, "offset", 0, 10_000)
        selected = _selected(parameters.get("select", ""))
        ranked = self._ranked(parameters)
        keep = _filters(parameters.get("filter", ""))
        found = [(score, self._work(position)) for score, position in ranked if keep(self._works[position])]
        found = [one for one in found if not issn or issn in one[1].issn]
        if "sample" in parameters:
            rows = _integer(parameters, "sample", _DEFAULT_ROWS, 100)
            found = sorted(found, key=lambda one: stable_number(one[1].doi + parameters["filter"], 1 << 30))[:rows]
        items = [work_message(work, round(score, 5)) for score, work in found[offset : offset + rows]]
        if selected:
            items = [{name: item[name] for name in item if name in selected} for item in items]
        message = {
            "facets": {},
            "total-results": len(found) + (_MILLIONS if len(found) > offset + rows and _is_search(parameters) else 0),
            "items": items,
            "items-per-page": rows,
            "query": {"start-index": offset, "search-terms": parameters.get("query")},
        }
        return _reply(200, _envelope("work-list", message), _headers("array", parameters))

    def _ranked(self, parameters: Parameters) -> Sequence[tuple[float, int]]:
        asked = {name: value for name, value in parameters.items() if name == "query" or name.startswith("query.")}
        for name in asked:
            if name not in _QUERIES:
                raise _RefusedError(
                    "parameter-not-found", name, f"Field query {name} specified but there is no such field query"
                )
        if asked:
            return self._index.rank({_QUERIES[name]: value for name, value in asked.items()})
        return [(1.0, position) for position in range(len(self._works))]


def _is_search(parameters: Parameters) -> bool:
    return any(name.startswith("query") for name in parameters)


def _headers(kind: str, parameters: Parameters) -> dict[str, str]:
    """Return the rate limit headers of the pool; an address in the query opens the polite pools."""
    pool = f"{'polite' if parameters.get('mailto') else 'public'}-{kind}"
    limit, concurrency = _LIMITS[pool]
    return {
        "x-rate-limit-limit": str(limit),
        "x-rate-limit-interval": "1s",
        "x-concurrency-limit": str(concurrency),
        "x-api-pool": pool,
        "server": "Jetty(9.4.40.v20210413)",
    }


def _reply(status: int, value: Any, headers: dict[str, str]) -> Reply:
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("/", "\\/").encode()
    return Reply(status, _JSON, body, headers)


def _envelope(kind: str, message: Any) -> dict[str, Any]:
    return {"status": "ok", "message-type": kind, "message-version": "1.0.0", "message": message}


def _integer(parameters: Parameters, name: str, default: int, limit: int) -> int:
    text = parameters.get(name, str(default))
    if not text.isdecimal() or int(text) > limit:
        raise _RefusedError(
            "integer-not-valid",
            text,
            f"Integer specified as {text} but must be a positive integer less than or equal to {limit}. ",
        )
    return int(text)


def _selected(text: str) -> frozenset[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in SELECTABLE:
            known = ", ".join(sorted(SELECTABLE))
            raise _RefusedError(
                "parameter-not-found",
                name,
                f"Select {name} specified but there is no such select for this route. "
                f"Valid selects for this route are: {known}",
            )
    return frozenset(names)


def _filters(text: str) -> Callable[[Work], bool]:
    """Parse filters: those with the same name are alternatives, those with different names must all match."""
    groups: dict[str, list[Callable[[Work], bool]]] = {}
    for part in text.split(",") if text else ():
        name, colon, value = part.partition(":")
        if not colon:
            raise _RefusedError("filter-not-valid", part, f"Filter {part} specified without a value")
        groups.setdefault(name, []).append(_filter(name, value))
    return lambda work: all(any(test(work) for test in tests) for tests in groups.values())


def _filter(name: str, value: str) -> Callable[[Work], bool]:
    if name == "doi":
        return lambda work: work.doi.lower() == value.lower()
    if name == "type":
        return lambda work: work.type == value
    if name == "prefix":
        return lambda work: work.doi.partition("/")[0] == value
    if name == "issn":
        return lambda work: value in work.issn
    if name in ("from-pub-date", "until-pub-date"):
        date = _partial_date(value)
        if name == "from-pub-date":
            return lambda work: _earliest(work)[: len(date)] >= date
        return lambda work: _earliest(work)[: len(date)] <= date
    raise _RefusedError(
        "filter-not-available", name, f"Filter {name} specified but there is no such filter for this route"
    )


def _partial_date(value: str) -> DateParts:
    parts = value.split("-")
    if len(parts) > 3 or not all(part.isdecimal() for part in parts):
        raise _RefusedError(
            "date-not-valid",
            value,
            f"Filter specified as {value} but must be a date of the form YYYY, YYYY-MM or YYYY-MM-DD.",
        )
    return tuple(map(int, parts))


def _earliest(work: Work) -> DateParts:
    return min(date for date in (work.issued, work.print, work.online) if date)


def _searchable(work: Work) -> dict[str, str]:
    authors = " ".join(map(str, work.authors))
    editors = " ".join(map(str, work.editors))
    container = f"{work.container} {work.short_container}"
    event = f"{work.event.name} {work.event.acronym}" if work.event else ""
    title = f"{work.title} {work.subtitle}"
    year = str(work.issued[0])
    places = f"{work.volume} {work.issue} {work.pages} {' '.join(work.issn)} {' '.join(work.isbn)}"
    return {
        "title": title,
        "author": authors,
        "editor": editors,
        "container": container,
        "event": event,
        "bibliographic": html.unescape(f"{title} {authors} {editors} {container} {year} {places}"),
        "everything": f"{title} {authors} {editors} {container} {event} {year} {work.publisher} {work.doi}",
    }
