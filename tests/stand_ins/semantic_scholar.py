"""The local Academic Graph API of Semantic Scholar: ``paper/batch``, ``paper/search/match`` and ``paper/search/bulk``.

Written after api.semanticscholar.org/api-docs/graph and real answers of 2024 to 2026. Like the real one it contains a preprint
and its publication as one paper with the identifiers of both and the year of the publication; cuts the given names of
some authors to initials; gives the places of arXiv papers the name ``arXiv.org`` and the volume ``abs/…``; answers a batch in
the order of its ids, null for what it does not know; and has an error in JSON for everything else.
"""

from __future__ import annotations

import json
import re
import zlib
from typing import TYPE_CHECKING, Any

from tests.stand_ins.facts import DblpRecord, Facts, Name, Work, arxiv_doi
from tests.stand_ins.replies import Parameters, Reply, json_reply, stable_number
from tests.stand_ins.search import Index, words

if TYPE_CHECKING:
    from collections.abc import Sequence

_JSON = "application/json"
_HEADERS = {"x-cache": "Miss from cloudfront"}
_FIELDS = (
    "paperId", "externalIds", "corpusId", "publicationVenue", "url", "title", "venue", "year", "publicationTypes",
    "publicationDate", "journal", "authors",
)  # fmt: skip
_ALWAYS = ("paperId",)
_BY_DEFAULT = ("paperId", "title")
_PAPERS = "/graph/v1/paper/"
_MOST_IDS, _MOST_AUTHORS, _BULK_PAGE = 500, 500, 1000
_ID = re.compile(r"(DOI|ARXIV|PMID|PMCID|ACL|CorpusId):(\S+)", re.IGNORECASE)
_SCHEMES = {
    "doi": "DOI",
    "arxiv": "ArXiv",
    "pmid": "PubMed",
    "pmcid": "PubMedCentral",
    "acl": "ACL",
    "corpusid": "CorpusId",
}
_QUOTED = re.compile(r'"([^"]*)"')
_ALIKE = 0.6  # share of the words of a query that a title must have to be its match
_ARXIV = {
    "id": "1901e811-ee72-4b20-8f7e-de08cd395a10",
    "name": "arXiv.org",
    "alternate_names": ["ArXiv"],
    "issn": "2331-8422",
    "url": "https://arxiv.org",
}
_TYPES = {
    "journal-article": ["JournalArticle"],
    "proceedings-article": ["JournalArticle", "Conference"],
    "book": ["Book"],
    "monograph": ["Book"],
    "edited-book": ["Book"],
    "book-chapter": ["BookSection"],
    "dataset": ["Dataset"],
}


class SemanticScholar:
    """Semantic Scholar's answers. With ``shift``, every paper found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        works = [work for work in facts.works if work.doi or work.arxiv or work.dblp]
        self._papers = [_paper(work) for work in works]
        self._shift = shift
        self._by_id: dict[tuple[str, str], int] = {}
        for position, paper in enumerate(self._papers):
            for scheme, value in paper["externalIds"].items():
                self._by_id.setdefault((scheme, str(value).lower()), position)
            if works[position].arxiv:
                # The merged paper shows the DOI of the publication only, and is found by both.
                deposit = arxiv_doi(paper["externalIds"]["ArXiv"]).lower()
                self._by_id.setdefault(("DOI", deposit), position)
        self._index = Index([{"title": paper["title"]} for paper in self._papers])

    def answer(self, path: str, parameters: Parameters) -> Reply:
        try:
            fields = _fields(parameters)
            query = parameters.get("query", "")
            if path == f"{_PAPERS}search/match":
                return self._match(query, fields)
            if path == f"{_PAPERS}search/bulk":
                return self._bulk(query, fields, parameters.get("venue", ""), parameters.get("year", ""))
        except ValueError as error:
            return _error(400, str(error))
        return json_reply(404, _JSON, {"message": "Not Found"}, _HEADERS)

    def post(self, path: str, parameters: Parameters, body: bytes) -> Reply:
        try:
            if path != f"{_PAPERS}batch":
                return json_reply(404, _JSON, {"message": "Not Found"}, _HEADERS)
            fields = _fields(parameters)
            names = json.loads(body)["ids"]
            ids = [_ID.fullmatch(name) for name in names]
            if not any(ids) or len(names) > _MOST_IDS:
                raise ValueError("No valid paper ids given")
        except (ValueError, KeyError, TypeError) as error:
            return _error(400, str(error))
        places = [self._by_id.get((_SCHEMES[found[1].lower()], found[2].lower())) if found else None for found in ids]
        return json_reply(
            200, _JSON, [None if place is None else self._shown(place, fields) for place in places], _HEADERS
        )

    def _shown(self, position: int, fields: Sequence[str]) -> dict[str, Any]:
        paper = self._papers[(position + self._shift) % len(self._papers)]
        return {name: paper[name] for name in _FIELDS if name in fields}

    def _match(self, query: str, fields: Sequence[str]) -> Reply:
        wanted = set(words(query))
        for score, position in self._index.rank({"title": query})[:1]:
            if len(wanted & set(words(self._papers[position]["title"]))) >= _ALIKE * len(wanted):
                found = self._shown(position, fields) | {"matchScore": round(score, 5)}
                return json_reply(200, _JSON, {"data": [found]}, _HEADERS)
        return _error(404, "Title match not found")

    def _bulk(self, query: str, fields: Sequence[str], venue: str, years: str) -> Reply:
        phrases = [words(phrase) for phrase in _QUOTED.findall(query)]
        if not phrases or set(_QUOTED.sub("", query)) - set(" |"):
            raise ValueError("the local service knows phrases in quotes with | between them only")
        found = [
            position
            for position, paper in enumerate(self._papers)
            if any(_contains(words(paper["title"]), phrase) for phrase in phrases)
            if not venue or (venue.lower() == paper["venue"].lower() and _within(paper["year"], years))
        ]
        found.sort(key=lambda position: str(self._papers[position]["paperId"]))
        token = "PCOA3RZ3B2ADACAA2CVTJTAO7VIIEXWFH" if len(found) > _BULK_PAGE else None
        data = [self._shown(position, fields) for position in found[:_BULK_PAGE]]
        return json_reply(200, _JSON, {"total": len(found), "token": token, "data": data}, _HEADERS)


def _within(year: int | None, years: str) -> bool:
    first, _, last = years.partition("-")
    return not years or (year is not None and int(first) <= year <= int(last or first))


def _contains(title: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    size = len(phrase)
    return bool(phrase) and any(title[start : start + size] == phrase for start in range(len(title) - size + 1))


def _fields(parameters: Parameters) -> tuple[str, ...]:
    asked = tuple(name for name in parameters.get("fields", "").split(",") if name)
    unknown = [name for name in asked if name not in _FIELDS]
    if unknown:
        raise ValueError(f"Unrecognized or unsupported fields: [{', '.join(unknown)}]")
    return _ALWAYS + asked if asked else _BY_DEFAULT


def _error(status: int, message: str) -> Reply:
    return json_reply(status, _JSON, {"error": message}, _HEADERS)


def _paper(work: Work) -> dict[str, Any]:
    name = "".join(f"{zlib.crc32(f'{work.id}{part}'.encode()):08x}" for part in range(5))
    corpus = 200_000_000 + stable_number(work.id, 99_999_999)
    published = bool(work.container)
    return {
        "paperId": name,
        "externalIds": _external_ids(work, corpus),
        "corpusId": corpus,
        "publicationVenue": _publication_venue(work),
        "url": f"https://www.semanticscholar.org/paper/{name}",
        "title": work.title,
        "venue": _venue(work),
        "year": _year(work),
        "publicationTypes": _TYPES.get(work.type, ["JournalArticle"] if work.arxiv else None),
        "publicationDate": "-".join(f"{part:02}" for part in work.issued) if len(work.issued) == 3 else None,
        "journal": _journal(work, published=published),
        "authors": [
            {"authorId": str(stable_number(str(author), 99_999_999)), "name": _name(author)}
            for author in _authors(work)[:_MOST_AUTHORS]
        ],
    }


def _external_ids(work: Work, corpus: int) -> dict[str, Any]:
    ids: dict[str, Any] = {}
    keys = [record.key for record in work.dblp]
    if keys:
        ids["DBLP"] = next((key for key in keys if not key.startswith("journals/corr/")), keys[0])
    if work.arxiv:
        ids["ArXiv"] = work.arxiv.id
    if work.acl:
        ids["ACL"] = work.acl
    if work.pmcid:
        ids["PubMedCentral"] = work.pmcid.removeprefix("PMC")
    doi = work.doi or (arxiv_doi(work.arxiv.id) if work.arxiv else "")
    if doi:
        ids["DOI"] = doi
    ids["CorpusId"] = corpus
    if work.pmid:
        ids["PubMed"] = work.pmid
    return ids


def _dblp(work: Work) -> DblpRecord | None:
    """The record of the publication, if dblp has one, else of the preprint."""
    return min(work.dblp, key=lambda record: record.key.startswith("journals/corr/"), default=None)


def _venue(work: Work) -> str:
    record = _dblp(work)
    if work.container or work.type == "book":
        return work.container
    return "arXiv.org" if work.arxiv else record.venues[0] if record and record.venues else ""


def _year(work: Work) -> int | None:
    record = _dblp(work)
    if work.issued:
        return work.issued[0]
    if record:
        return int(record.year)
    return work.arxiv.published[0] if work.arxiv else None


def _authors(work: Work) -> tuple[Name, ...]:
    return work.authors or (work.arxiv.authors if work.arxiv else ())


def _name(author: Name) -> str:
    """The whole name, or initials before the family name: which one depends on the person, not on the paper."""
    if author.literal or not author.family or stable_number(str(author), 2):
        return str(author)
    return " ".join([*(f"{given[0]}." for given in author.given.split()), author.family])


def _publication_venue(work: Work) -> dict[str, Any] | None:
    if not work.container:
        return dict(_ARXIV) if work.arxiv else None
    if not work.short_container:
        return None
    found: dict[str, Any] = {
        "id": "-".join(f"{stable_number(work.container + str(part), 65_536):04x}" for part in range(5)),
        "name": work.container,
        "type": "journal" if work.type == "journal-article" else "conference",
        "alternate_names": [work.short_container],
    }
    return found | ({"issn": work.issn[0]} if work.issn else {})


def _journal(work: Work, *, published: bool) -> dict[str, str] | None:
    if work.arxiv and work.type != "journal-article":
        return {"name": "ArXiv", "volume": f"abs/{work.arxiv.id}"}
    stated = {"name": work.container, "pages": work.pages.replace("-", " - "), "volume": work.volume}
    return {name: value for name, value in stated.items() if value} if published else None
