"""The local Astrophysics Data System: ``/search/query``, for the works that have a bibcode.

Written after github.com/adsabs/adsabs-dev-api ("Search API").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.stand_ins.inspire import as_listed
from tests.stand_ins.replies import Parameters, Reply, json_reply
from tests.stand_ins.search import words

if TYPE_CHECKING:
    from tests.stand_ins.facts import Facts, Work

_JSON = "application/json"
_HEADERS = {"x-ratelimit-limit": "5000", "x-ratelimit-remaining": "4999", "x-ratelimit-reset": "1768521600"}
_CLAUSE = re.compile(r'(identifier|doi):"([^"]+)"|\(((?:title:\S+|author:"[^"]+")(?: (?:title:\S+|author:"[^"]+"))*)\)')
_PART = re.compile(r'(title|author):(?:"([^"]+)"|(\S+))')


class AstrophysicsDataSystem:
    """The answers of ADS to GET requests. With ``shift``, every work found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._works = tuple(work for work in facts.works if work.bibcode)
        self._shift = shift

    def answer(self, path: str, parameters: Parameters) -> Reply:
        query, size = parameters.get("q", ""), int(parameters.get("rows", 10))
        clauses = [_CLAUSE.fullmatch(clause) for clause in query.split(" OR ")]
        if path != "/search/query" or None in clauses:
            return json_reply(
                400, _JSON, {"error": {"code": 400, "msg": "org.apache.solr.search.SyntaxError"}}, _HEADERS
            )
        found = [
            place
            for place, work in enumerate(self._works)
            if any(_matches(work, clause) for clause in clauses if clause)
        ]
        shown = [self._works[(place + self._shift) % len(self._works)] for place in found[:size]]
        head = {"status": 0, "QTime": 12, "params": {"q": query, "rows": str(size)}}
        page = {"numFound": len(found), "start": 0, "numFoundExact": True, "docs": [_doc(work) for work in shown]}
        return json_reply(200, _JSON, {"responseHeader": head, "response": page}, _HEADERS)


def _identifiers(work: Work) -> list[str]:
    names = [work.bibcode, *([work.doi] if work.doi else [])]
    return [*names, f"arXiv:{work.arxiv.id}"] if work.arxiv else names


def _matches(work: Work, clause: re.Match[str]) -> bool:
    field, value, searched = clause.groups()
    if field:
        return value.lower() in [name.lower() for name in _identifiers(work)]
    title = set(words(f"{work.title} {work.subtitle}"))
    people = {word for name in work.authors for word in words(str(name))}
    parts = [(kind, quoted or bare) for kind, quoted, bare in _PART.findall(searched)]
    return all(set(words(text)) <= (title if kind == "title" else people) for kind, text in parts)


def _doc(work: Work) -> dict[str, Any]:
    doc: dict[str, Any] = {"bibcode": work.bibcode, "author": [as_listed(name) for name in work.authors]}
    doc |= {"author_count": len(work.authors), "doctype": "article" if work.container else "eprint"}
    if work.doi:
        doc["doi"] = [work.doi]
    doc |= {
        "identifier": _identifiers(work),
        "pub": work.container,
        "bibstem": [work.short_container or work.container],
    }
    doc["title"] = [f"{work.title}: {work.subtitle}" if work.subtitle else work.title]
    doc["year"] = str((work.print or work.issued)[0])
    first, _, last = work.pages.partition("-")
    doc |= {"page": [first], "page_range": work.pages if last else ""} if work.pages else {}
    return doc | {name: value for name, value in (("volume", work.volume), ("issue", work.issue)) if value}
