"""The local HAL: ``/search/`` with queries in Solr's syntax.

Written after the documentation (api.archives-ouvertes.fr/docs/search): only the fields of ``fl`` are shown, and those without a
value are left out; what cannot be parsed is an error with status 400.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.stand_ins.replies import Parameters, Reply, json_reply
from tests.stand_ins.search import words

if TYPE_CHECKING:
    from tests.stand_ins.facts import Facts, Work

_JSON = "application/json"
_TYPES = {
    "journal-article": "ART", "proceedings-article": "COMM", "book": "OUV", "book-chapter": "COUV", "dissertation": "THESE",
    "report": "REPORT", "posted-content": "UNDEFINED",
}  # fmt: skip
_FIELD = re.compile(r"(halId_s|title_t|authLastName_t):\(([^()]*)\)")


class Hal:
    """HAL's answers to GET requests: it contains the works of which the facts state an id. ``shift`` as in the others."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._works = [work for work in facts.works if work.hal]
        self._shift = shift

    def answer(self, path: str, parameters: Parameters) -> Reply:
        if path != "/search/" or parameters.get("wt") != "json":
            return Reply(404, "text/html", b"<!DOCTYPE html><html><body>404</body></html>")
        alternatives = [_FIELD.findall(part) for part in re.split(r"(?<=\)\)) OR (?=\()", parameters.get("q", ""))]
        if not all(alternatives):
            return json_reply(400, _JSON, {"error": {"msg": "undefined field", "code": 400}})
        found = [i for i, work in enumerate(self._works) if any(_fits(work, fields) for fields in alternatives)]
        wanted = parameters.get("fl", "docid,label_s,uri_s").split(",")
        shown = [self._works[(i + self._shift) % len(self._works)] for i in found[: int(parameters.get("rows", "30"))]]
        documents = [
            {name: value for name, value in _document(work).items() if value and name in wanted} for work in shown
        ]
        return json_reply(200, _JSON, {"response": {"numFound": len(found), "start": 0, "docs": documents}})


def _fits(work: Work, fields: list[tuple[str, str]]) -> bool:
    values = {
        "title_t": set(words(f"{work.title} {work.vernacular}")),
        "authLastName_t": {word for name in work.authors for word in words(name.family or name.literal)},
    }
    return all(
        f'"{work.hal}"' in wanted.split(" OR ")
        if name == "halId_s"
        else {word for part in wanted.split(" AND ") for word in words(part)} <= values[name]
        for name, wanted in fields
    )


def _document(work: Work) -> dict[str, Any]:
    own, _, subtitle = (work.vernacular or work.title).partition(": ")
    year = work.issued[0] if work.issued else None
    kind = _TYPES.get(work.type, "OTHER")
    return {
        "halId_s": work.hal,
        "uri_s": f"https://hal.science/{work.hal}",
        "docType_s": kind,
        "title_s": [own, work.title] if work.vernacular else [own],
        "subTitle_s": [subtitle] if subtitle else None,
        "authLastName_s": [name.family or name.literal for name in work.authors],
        "authFirstName_s": [name.given or " " for name in work.authors],
        "authFullName_s": list(map(str, work.authors)),
        "producedDateY_i": year,
        "publicationDateY_i": year,
        "journalTitle_s": work.container if kind == "ART" else None,
        "bookTitle_s": work.container if kind == "COUV" else None,
        "conferenceTitle_s": work.container if kind == "COMM" else None,
        "authorityInstitution_s": [work.publisher] if kind in ("THESE", "REPORT") else None,
        "doiId_s": work.doi,
        "nntId_s": work.nnt,
        "isbn_s": work.isbn[0] if work.isbn else None,
        "volume_s": work.volume,
        "issue_s": [work.issue] if work.issue else None,
        "page_s": work.pages,
    }
