"""The local INSPIRE-HEP: ``/literature`` with ``q``, ``size`` and ``fields``, for the works that have a key of INSPIRE.

Written after github.com/inspirehep/rest-api-doc and the schema of its records. Like the real one it lists all members of a
collaboration and the collaboration apart, abbreviates journals without spaces, and keeps DOIs as the publisher writes them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.stand_ins.replies import Parameters, Reply, json_reply, stable_number
from tests.stand_ins.search import words

if TYPE_CHECKING:
    from tests.stand_ins.facts import DateParts, Facts, Name, Work

_JSON = "application/json"
_HEADERS = {"x-ratelimit-limit": "15", "x-ratelimit-remaining": "14", "x-ratelimit-reset": "1768467600"}
_CLAUSE = re.compile(r"(doi|arxiv|texkeys):(\S+)|\(((?:[ta] [^()]+?)(?: and [ta] [^()]+?)*)\)|j ([^,]+,[^,]+,[^,]+)")
_COLLABORATION = re.compile(r"(?:The )?(.+) Collaboration")
_DEFAULT_SIZE, _LARGEST_SIZE = 10, 1000
_TYPES = {
    "journal-article": "article",
    "posted-content": "article",
    "proceedings-article": "conference paper",
    "book": "book",
    "book-chapter": "book chapter",
    "dissertation": "thesis",
    "report": "report",
}


class Inspire:
    """INSPIRE's answers to GET requests. With ``shift``, every work found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._works = tuple(work for work in facts.works if work.texkey)
        self._shift = shift

    def answer(self, path: str, parameters: Parameters) -> Reply:
        if path != "/literature":
            return json_reply(404, _JSON, {"status": 404, "message": "The requested URL was not found."}, _HEADERS)
        query, size = parameters.get("q", ""), int(parameters.get("size", _DEFAULT_SIZE))
        clauses = [_CLAUSE.fullmatch(clause) for clause in query.split(" or ")]
        if size > _LARGEST_SIZE or None in clauses:
            return json_reply(
                400, _JSON, {"status": 400, "message": "The syntax of the search query is invalid."}, _HEADERS
            )
        found = [
            place
            for place, work in enumerate(self._works)
            if any(_matches(work, clause) for clause in clauses if clause)
        ]
        shown = [self._works[(place + self._shift) % len(self._works)] for place in found[:size]]
        fields = parameters.get("fields", "").split(",")
        body = {"hits": {"hits": [_hit(work, fields) for work in shown], "total": len(found)}, "links": {"self": query}}
        return json_reply(200, _JSON, body, _HEADERS)


def _matches(work: Work, clause: re.Match[str]) -> bool:
    field, value, searched, place = clause.groups()
    if place:
        journal, volume, page = place.split(",")
        named = set(words(journal)) & set(words(f"{work.container} {work.short_container}"))
        return bool(named) and (work.volume, work.pages.partition("-")[0]) == (volume, page)
    if field == "doi":
        return work.doi.lower() == value.lower()
    if field == "arxiv":
        return work.arxiv is not None and work.arxiv.id == value
    if field == "texkeys":
        return work.texkey == value
    title = {word for text in _titles(work) for word in words(text)}
    people = {word for name in work.authors for word in words(str(name))}
    wanted = [part.partition(" ") for part in searched.split(" and ")]
    return all(set(words(text)) <= (title if kind == "t" else people) for kind, _, text in wanted)


def _titles(work: Work) -> list[str]:
    titles = [f"{work.title}: {work.subtitle}" if work.subtitle else work.title]
    return list(dict.fromkeys([*([work.arxiv.title] if work.arxiv else []), *titles]))


def _hit(work: Work, fields: list[str]) -> dict[str, Any]:
    number = str(1_000_000 + stable_number(work.texkey, 900_000))
    metadata = _metadata(work, int(number))
    outer = {field.partition(".")[0] for field in fields}
    return {
        "created": "2012-07-31T00:00:00+00:00",
        "id": number,
        "links": {"json": f"https://inspirehep.net/api/literature/{number}"},
        "metadata": {name: value for name, value in metadata.items() if not fields or name in outer},
        "updated": "2026-01-01T00:00:00+00:00",
    }


def _metadata(work: Work, number: int) -> dict[str, Any]:
    metadata: dict[str, Any] = {"control_number": number, "texkeys": [work.texkey]}
    metadata["titles"] = [{"title": title} for title in _titles(work)]
    metadata["document_type"] = [_TYPES.get(work.type, "article")]
    people = [name for name in work.authors if not _COLLABORATION.fullmatch(name.literal)]
    groups = [found[1] for name in work.authors if (found := _COLLABORATION.fullmatch(name.literal))]
    metadata["authors"] = [{"full_name": as_listed(name)} for name in people]
    metadata["author_count"] = len(people)
    if groups:
        metadata["collaborations"] = [{"value": name} for name in groups]
    if work.doi:
        metadata["dois"] = [{"value": work.doi, "material": "publication", "source": "bibmatch"}] * 2
    if work.arxiv:
        metadata["arxiv_eprints"] = [{"value": work.arxiv.id, "categories": [work.arxiv.category]}]
        metadata["preprint_date"] = _iso(work.arxiv.published)
    if work.container and work.issued:
        metadata["publication_info"] = [_place(work)]
    if work.isbn:
        metadata["isbns"] = [{"value": number} for number in work.isbn]
    if work.publisher:
        metadata["imprints"] = [{"publisher": work.publisher}]
    return metadata


def _place(work: Work) -> dict[str, Any]:
    name = (work.short_container or work.container).replace(". ", ".")
    place: dict[str, Any] = {"journal_title": name, "year": (work.print or work.issued)[0], "material": "publication"}
    place |= {key: value for key, value in (("journal_volume", work.volume), ("journal_issue", work.issue)) if value}
    first, _, last = work.pages.partition("-")
    return place | {key: value for key, value in (("page_start", first), ("page_end", last)) if value}


def as_listed(name: Name) -> str:
    """``Family, Given``, with a suffix after that."""
    return name.literal or ", ".join(part for part in (name.family, name.given, name.suffix) if part)


def _iso(parts: DateParts) -> str:
    return "-".join(f"{part:02}" for part in parts)
