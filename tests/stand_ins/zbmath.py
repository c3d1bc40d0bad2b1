"""The local zbMATH Open: ``/document/_search`` with ``search_string``, for works with a zbMATH number.

Based on api.zbmath.org/v1. Names come from its authority file, and DOIs are links of type ``doi``; a search without results is
answered with status 404 and its status object.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.stand_ins.inspire import as_listed
from tests.stand_ins.replies import Parameters, Reply, json_reply, stable_number
from tests.stand_ins.search import words

if TYPE_CHECKING:
    from tests.stand_ins.facts import Facts, Work

_JSON = "application/json"
_CLAUSE = re.compile(r'(an|en):(\S+)|\(((?:ti:\S+|au:"[^"]+")(?: & (?:ti:\S+|au:"[^"]+"))*)\)')
_WITHHELD = "zbMATH Open Web Interface contents unavailable due to conflicting licenses."
_TYPES = {
    "journal-article": ("j", "serial article"),
    "book": ("b", "book"),
    "proceedings-article": ("a", "collection article"),
}


class ZbMath:
    """zbMATH's answers to GET requests. With ``shift``, every work found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._works = tuple(work for work in facts.works if work.zbl)
        self._shift = shift

    def answer(self, path: str, parameters: Parameters) -> Reply:
        query, size = parameters.get("search_string", ""), int(parameters.get("results_per_page", 100))
        clauses = [_CLAUSE.fullmatch(clause) for clause in query.split(" | ")]
        if path != "/document/_search" or None in clauses:
            return json_reply(400, _JSON, {"detail": "not played here"})
        found = [
            place
            for place, work in enumerate(self._works)
            if any(_matches(work, clause) for clause in clauses if clause)
        ]
        shown = [self._works[(place + self._shift) % len(self._works)] for place in found[:size]]
        if not found:
            return json_reply(404, _JSON, {"result": None, "status": _status("ZBMATH_404", 404, 0, 0)})
        body = {"result": [_document(work) for work in shown], "status": _status("", 200, len(found), len(shown))}
        return json_reply(200, _JSON, body)


def _status(code: str, status: int, total: int, shown: int) -> dict[str, Any]:
    return {
        "execution": "failed" if code else "successful request",
        "execution_bool": not code,
        "internal_code": code,
        "nr_request_results": shown,
        "nr_total_results": total,
        "status_code": status,
    }


def _matches(work: Work, clause: re.Match[str]) -> bool:
    field, value, searched = clause.groups()
    if field:
        return (work.zbl if field == "an" else work.doi.lower()) == value.lower()
    title = set(words(f"{work.title} {work.subtitle} {work.vernacular}"))
    people = {word for name in work.authors for word in words(str(name))}
    wanted = [part.partition(":") for part in searched.split(" & ")]
    return all(set(words(text)) <= (title if kind == "ti" else people) for kind, _, text in wanted)


def _document(work: Work) -> dict[str, Any]:
    number = stable_number(work.zbl, 7_000_000)
    links = [{"identifier": work.doi, "type": "doi", "url": f"https://doi.org/{work.doi}"}] if work.doi else []
    links += [{"identifier": work.arxiv.id, "type": "arxiv", "url": ""}] if work.arxiv else []
    code, kind = _TYPES.get(work.type, ("j", "serial article"))
    year = str((work.print or work.issued)[0])
    series = {
        "issn": [{"number": issn, "type": "print"} for issn in work.issn],
        "issue": work.issue or None,
        "publisher": work.publisher,
        "short_title": work.short_container or work.container,
        "title": work.container,
        "volume": work.volume or None,
        "year": year,
    }
    book = {"isbn": [{"number": isbn} for isbn in work.isbn], "publisher": work.publisher, "title": None, "year": year}
    return {
        "contributors": {
            "authors": [{"aliases": [], "checked": "1", "codes": [], "name": as_listed(name)} for name in work.authors],
            "editors": [],
        },
        "database": "Zbl",
        "document_type": {"code": code, "description": kind},
        "editorial_contributions": [{"contribution_type": "review", "text": _WITHHELD}],
        "id": number,
        "identifier": work.zbl,
        "language": {"addition": [], "languages": ["French" if work.vernacular else "English"]},
        "links": links,
        "source": {
            "book": [book] if work.type == "book" else [],
            "pages": work.pages or None,
            "series": [series] if work.container else [],
        },
        "title": {
            "addition": None,
            "original": work.vernacular or None,
            "subtitle": work.subtitle or None,
            "title": work.title,
        },
        "year": year,
        "zbmath_url": f"https://zbmath.org/{number}",
    }
