"""The local OpenAlex API: ``/works`` with filters, and ``/works/doi:{doi}``, for the works that have a DOI.

Written after docs.openalex.org and real answers of 2025 and 2026. Like the real one it knows an arXiv submission under the
DOI that arXiv registers, as a work of its own; it finds a work by title only if the title has every word of the query; it
cuts lists of authors at 100 in lists of works; and it says that a single work is unknown with a page in HTML.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from tests.stand_ins.facts import ArxivRecord, DateParts, Facts, Name, Work, arxiv_doi
from tests.stand_ins.replies import Parameters, Reply, json_reply, stable_number
from tests.stand_ins.search import Index, words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_JSON = "application/json"
_HEADERS = {"server": "cloudflare", "x-ratelimit-limit-usd": "0.1", "x-ratelimit-reset": "30000"}
_FREE = {**_HEADERS, "x-ratelimit-cost-usd": "0", "x-ratelimit-remaining-usd": "0.0873"}
_LIST = {**_HEADERS, "x-ratelimit-cost-usd": "0.0001", "x-ratelimit-remaining-usd": "0.0872"}
_SEARCH = {**_HEADERS, "x-ratelimit-cost-usd": "0.001", "x-ratelimit-remaining-usd": "0.0863"}
_NOT_FOUND = b"""<!doctype html>
<html lang=en>
<title>404 Not Found</title>
<h1>Not Found</h1>
<p>The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.</p>
"""
_ADDRESS = "https://doi.org/"
_MOST_AUTHORS = 100
_DEFAULT_PAGE, _LARGEST_PAGE = 25, 200
_UNSEARCHED = frozenset({"a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was",
    "will", "with"})  # fmt: skip
_TYPES = {
    "journal-article": "article",
    "proceedings-article": "conference-paper",
    "posted-content": "preprint",
    "book": "book",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "book-chapter": "book-chapter",
    "dissertation": "dissertation",
    "report": "report",
    "dataset": "dataset",
    "software": "software",
}
_ARXIV = ("arXiv (Cornell University)", "repository", "Cornell University")


@dataclass(frozen=True, slots=True)
class _Indexed:
    """One DOI with the work or the submission behind it."""

    doi: str
    work: Work
    arxiv: ArxivRecord | None = None

    @property
    def title(self) -> str:
        return self.arxiv.title if self.arxiv else self.work.title

    @property
    def authors(self) -> tuple[Name, ...]:
        return self.arxiv.authors if self.arxiv else self.work.authors

    @property
    def issued(self) -> DateParts:
        return self.arxiv.published if self.arxiv else self.work.issued

    @property
    def pmid(self) -> str:
        return "" if self.arxiv else self.work.pmid


_PLACES: Mapping[str, Callable[[Work], tuple[str, ...]]] = {
    "primary_location.source.issn": lambda work: work.issn,
    "biblio.volume": lambda work: (work.volume,),
    "biblio.first_page": lambda work: (work.pages.partition("-")[0],),
}


class OpenAlex:
    """OpenAlex's answers to GET requests. With ``shift``, every work found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        held = [_Indexed(work.doi.lower(), work) for work in facts.works if work.doi]
        held += [_Indexed(arxiv_doi(work.arxiv.id).lower(), work, work.arxiv) for work in facts.works if work.arxiv]
        self._held = tuple(held)
        self._shift = shift
        self._by_doi = {item.doi: position for position, item in enumerate(held)}
        self._index = Index([{"title": item.title} for item in held])

    def answer(self, path: str, parameters: Parameters) -> Reply:
        try:
            if path == "/works":
                return self._list(parameters)
            name = unquote(path).removeprefix("/works/")
            position = self._by_doi.get(name.removeprefix(_ADDRESS).removeprefix("doi:").lower())
            if position is None:
                return Reply(404, "text/html; charset=utf-8", _NOT_FOUND, _HEADERS)
            price = _LIST if name.startswith(_ADDRESS) else _FREE
            return json_reply(200, _JSON, _selected([self._work(position)], parameters)[0], price)
        except ValueError as error:
            refusal = {"error": "Invalid query parameters error.", "message": str(error)}
            return json_reply(403, _JSON, refusal, _HEADERS)

    def _work(self, position: int) -> dict[str, Any]:
        return _work(self._held[(position + self._shift) % len(self._held)])

    def _list(self, parameters: Parameters) -> Reply:
        size, page = int(parameters.get("per-page", _DEFAULT_PAGE)), int(parameters.get("page", 1))
        if not 1 <= size <= _LARGEST_PAGE:
            raise ValueError(f"per-page parameter must be between 1 and {_LARGEST_PAGE}")
        found = self._found(parameters.get("filter", ""))
        works = [self._work(position) for position in found[(page - 1) * size : page * size]]
        for work in works:
            if len(work["authorships"]) > _MOST_AUTHORS:
                work["authorships"] = work["authorships"][:_MOST_AUTHORS]
                work["is_authors_truncated"] = True
        meta = {"count": len(found), "db_response_time_ms": 31, "page": page, "per_page": size, "groups_count": None}
        body = {"meta": meta, "results": _selected(works, parameters), "group_by": []}
        price = _SEARCH if "search" in parameters.get("filter", "") else _LIST
        return json_reply(200, _JSON, body, price)

    def _found(self, filters: str) -> Sequence[int]:
        found: Sequence[int] = range(len(self._held))
        for condition in filter(None, filters.split(",")):
            name, colon, value = condition.partition(":")
            if name == "title.search" and colon:
                matching = self._titled(value)
            elif name in _PLACES:
                known = [(i, item.work) for i, item in enumerate(self._held) if not item.arxiv]
                matching = [i for i, work in known if value in _PLACES[name](work)]
            elif name in ("doi", "pmid") and colon:
                wanted = {one.lower().removeprefix(_ADDRESS) for one in value.split("|")}
                matching = [
                    i for i, item in enumerate(self._held) if wanted & {item.doi if name == "doi" else item.pmid}
                ]
            else:
                raise ValueError(
                    f"{name} is not a valid field. Valid fields are underscore or hyphenated versions of: ..."
                )
            found = [position for position in matching if position in found]
        return found

    def _titled(self, query: str) -> list[int]:
        """Return the works whose title has all words, best first; operators and quotes are not supported."""
        if any(sign in query for sign in '"|!()') or {"AND", "OR", "NOT"} & set(query.split()):
            raise ValueError("the local service searches for plain words only")
        wanted = set(words(query)) - _UNSEARCHED
        ranked = (position for _, position in self._index.rank({"title": query}))
        return [position for position in ranked if wanted <= set(words(self._held[position].title))]


def _selected(works: list[dict[str, Any]], parameters: Parameters) -> list[dict[str, Any]]:
    names = [name for name in parameters.get("select", "").split(",") if name]
    for name in names:
        if works and name not in works[0]:
            raise ValueError(f"{name} is not a valid select field.")
    return [{name: work[name] for name in work if not names or name in names} for work in works]


def _work(item: _Indexed) -> dict[str, Any]:
    name = f"https://openalex.org/W{2_000_000_000 + stable_number(item.doi, 2_000_000_000)}"
    address = f"{_ADDRESS}{item.doi}"
    ids = {"openalex": name, "doi": address}
    if item.pmid:
        ids["pmid"] = f"https://pubmed.ncbi.nlm.nih.gov/{item.pmid}"
    locations = _locations(item, address)
    first, _, last = ("" if item.arxiv else item.work.pages).partition("-")
    return {
        "id": name,
        "doi": address,
        "title": item.title,
        "display_name": item.title,
        "publication_year": item.issued[0] if item.issued else None,
        "publication_date": dt.date(*(*item.issued, 1, 1)[:3]).isoformat() if item.issued else None,
        "ids": ids,
        "language": "en",
        "primary_location": locations[0],
        "type": "preprint" if item.arxiv else _TYPES.get(item.work.type, "other"),
        "authorships": [_authorship(item, position) for position in range(len(item.authors))],
        "biblio": {
            "volume": None if item.arxiv else item.work.volume or None,
            "issue": None if item.arxiv else item.work.issue or None,
            "first_page": first or None,
            "last_page": last or first or None,
        },
        "is_retracted": not item.arxiv and any(notice.kind == "retraction" for notice in item.work.notices),
        "is_paratext": False,
        "locations_count": len(locations),
        "locations": locations,
        "cited_by_count": stable_number(item.doi + "cited", 900),
        "updated_date": "2026-01-09T19:03:40.363384",
        "created_date": "2025-10-10T00:00:00",
    }


def _authorship(item: _Indexed, position: int) -> dict[str, Any]:
    """The author as in the profile, and as stated: DataCite's deposits of arXiv put the family name first."""
    name = item.authors[position]
    last = position == len(item.authors) - 1
    stated = f"{name.family}, {name.given}" if item.arxiv and name.given and name.family else str(name)
    return {
        "author_position": "first" if position == 0 else "last" if last else "middle",
        "author": {
            "id": f"https://openalex.org/A{5_000_000_000 + stable_number(str(name), 99_999_999)}",
            "display_name": str(name),
            "orcid": None,
        },
        "institutions": [],
        "countries": [],
        "is_corresponding": False,
        "raw_author_name": stated,
        "raw_affiliation_strings": [],
        "affiliations": [],
    }


def _locations(item: _Indexed, address: str) -> list[dict[str, Any]]:
    work = item.work
    if item.arxiv:
        page = f"http://arxiv.org/abs/{item.arxiv.id}"
        return [_location(page, *_ARXIV, ""), _location(address, *_ARXIV, "")]
    kind = "journal" if work.type == "journal-article" else "book series" if work.issn else ""
    named = work.container if kind else ""
    found = [_location(address, named, kind, work.publisher, work.container, issn=work.issn)]
    if work.pmid:
        page = f"https://pubmed.ncbi.nlm.nih.gov/{work.pmid}"
        found.append(_location(page, "PubMed", "repository", "National Institutes of Health", work.short_container))
    return found


def _location(
    page: str, named: str, kind: str, organisation: str, stated: str, *, issn: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return a location of the work; proceedings and books mostly have only a name and no source."""
    source = {
        "id": f"https://openalex.org/S{4_000_000_000 + stable_number(named, 306_525_000)}",
        "display_name": named,
        "issn_l": issn[0] if issn else None,
        "issn": list(issn) or None,
        "is_oa": kind == "repository",
        "is_in_doaj": False,
        "is_core": kind != "repository",
        "host_organization": None,
        "host_organization_name": organisation or None,
        "host_organization_lineage": [],
        "type": kind,
    }
    return {
        "id": f"doi:{page.removeprefix(_ADDRESS)}" if page.startswith(_ADDRESS) else f"pmh:{page}",
        "is_oa": kind == "repository",
        "landing_page_url": page,
        "pdf_url": None,
        "source": source if named else None,
        "license": None,
        "license_id": None,
        "version": "submittedVersion" if kind == "repository" else "publishedVersion",
        "is_accepted": kind != "repository",
        "is_published": kind != "repository",
        "raw_source_name": stated or None,
        "raw_type": None,
    }
