"""Semantic Scholar: papers of all fields, compiled by machine from publishers, arXiv, PubMed, dblp and the web.

Documentation: Academic Graph API, api.semanticscholar.org/api-docs/graph. ``paper/batch`` takes up to 500 ids of several
schemes and answers in their order, null for what it does not know. ``paper/search/match`` gives the one paper whose title is
closest; ``paper/search/bulk`` takes phrases in quotes, joined by ``|``, which it finds in titles and abstracts. Absence:
none is evidence. First word: on nothing; versions are merged, given names often cut to initials. Author order: as in the
publication. Limits: everybody without a key shares one pool, so about one request in three seconds; a
429 says that the pool is full, not that we ask too often. One a second with a key.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_citecheck.matching import (
    MAYBE_BLANKS,
    TitleComparison,
    compare_titles,
    is_preprint_venue,
    lazy_pattern,
    without_markup,
)
from pytest_citecheck.model import (
    Absent,
    Answer,
    Found,
    Person,
    Query,
    QueryKind,
    Record,
    RecordType,
    Unavailable,
    WorkType,
)
from pytest_citecheck.sources import base
from pytest_citecheck.sources.parsing import (
    Fields,
    answer_with,
    arxiv_id,
    arxiv_id_of_doi,
    doi_name,
    mapping,
    parameter,
    parse_json,
    query_url,
    text,
    undivided,
    unique,
)
from pytest_citecheck.sources.search import parted_words, plain_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_SCHEMES: Mapping[QueryKind, str] = {"doi": "DOI", "arxiv": "ARXIV", "pmid": "PMID", "acl": "ACL"}
_KINDS: Mapping[str, QueryKind] = {scheme: kind for kind, scheme in _SCHEMES.items()}
_PHRASE = lazy_pattern(r'"([^"]*)"')
# The service accepts 500; one place is reserved for the control.
_IDS = 499
_MOST_WORDS = 25
# Shorter phrases occur in the abstracts of thousands of papers, which would crowd the others out of the answer.
_FEWEST_WORDS_TOGETHER = 4
_MOST_RECORDS = 5
_FROM_A_VENUE = 50
_SEPARATES = lazy_pattern(r"[,|]")
_OF_MANY_TITLES = ("analysis", "based", "data", "effects", "learning", "model", "study", "system", "using")
_OTHERS: tuple[WorkType, ...] = ("book", "thesis", "data", "standard")
_YEARS = 1  # before and after the year of a venue
_ENVELOPE = frozenset({"total", "offset", "next", "token", "error"})
_CLOSENESS = {"same": 0, "short": 1, "near": 2}


class _Paper(NamedTuple):
    """A paper as a record, with all identifiers that it carries."""

    record: Record
    identifiers: Mapping[QueryKind, frozenset[str]]


class SemanticScholar(base.Source):
    """The Academic Graph API as a source of records (see the module)."""

    name = "semantic_scholar"
    label = "Semantic Scholar"
    base_url = "https://api.semanticscholar.org"
    documentation = "https://api.semanticscholar.org/api-docs/graph"
    batch: Mapping[QueryKind, int] = {
        "doi": _IDS,
        "arxiv": _IDS,
        "pmid": _IDS,
        "acl": _IDS,
        "title": 10,
        "venue_year": 1,
    }
    rate = base.Rate(per_second=0.36, concurrency=1)
    limits = (
        "without a key about one request in three seconds, from a pool shared by all users; one a second with a key"
    )
    terms = base.Terms(
        "raw responses may not be redistributed: recordings contain only the fields used", reported=True, raw=False
    )
    absence = "no evidence: it compiles other sources"
    derives_from = ("acl", "arxiv", "crossref", "dblp", "pubmed")  # Kinney et al., arXiv:2301.10140
    # A request takes three seconds without a key, so sources that list works of the other types are asked first.
    role = base.Role(
        titles=(base.TitleSearch("broad", works=(*base.PAPERS, "preprint")), base.TitleSearch("slow", works=_OTHERS)),
        opinion=1,
    )
    credentials = base.Credentials(
        "SEMANTIC_SCHOLAR_API_KEY",
        header="x-api-key",
        rate=base.Rate(1.0, 1),
        pooled=True,
        obtained="https://www.semanticscholar.org/product/api",
    )
    controls: Mapping[QueryKind, Query] = {
        "doi": base.DESEQ2["doi"],
        "arxiv": Query("arxiv", "1706.03762"),
        "pmid": base.DESEQ2["pmid"],
        "acl": Query("acl", "N19-1423"),
        "title": base.DESEQ2["title"],
    }

    def accepts(self, query: Query) -> bool:
        """DOIs, arXiv ids, PubMed ids, ids of the ACL Anthology, titles with at least one word, and venues by name."""
        value = query.value
        if query.kind == "venue_year":
            return bool(query.year and plain_words(value)) and not _SEPARATES.search(value)
        if query.kind == "title":
            return bool(plain_words(value))
        if query.kind == "pmid":
            return value.isascii() and value.isdigit()
        if query.kind == "acl":
            return bool(value) and not any(map(str.isspace, value))
        return (query.kind == "doi" and bool(doi_name(value))) or (query.kind == "arxiv" and bool(arxiv_id(value)))

    def request(self, queries: Sequence[Query]) -> base.Request:
        """``paper/batch`` for identifiers, ``paper/search/match`` for one title, ``paper/search/bulk`` for several.

        A request for several titles omits short ones, unless there are no others. Works of a venue around a year are asked for
        with words that many titles have, because a search needs words.
        """
        first = queries[0]
        if first.kind == "venue_year" and first.year:
            years = f"{first.year - _YEARS}-{first.year + _YEARS}"
            said = " | ".join(f'"{word}"' for word in _OF_MANY_TITLES)
            return self._request("search/bulk", said, ("venue", first.value), ("year", years))
        if first.kind != "title":
            ids = [f"{_SCHEMES[query.kind]}:{query.value}" for query in queries]
            return self._request("batch", body=json.dumps({"ids": ids}).encode())
        phrases = list(dict.fromkeys(_phrase(query.value) for query in queries))
        telling = [phrase for phrase in phrases if phrase.count(" ") >= _FEWEST_WORDS_TOGETHER - 1]
        if len(telling) < 2:
            return self._request("search/match", (telling or phrases)[0])
        return self._request("search/bulk", " | ".join(f'"{phrase}"' for phrase in telling))

    def _request(self, endpoint: str, query: str = "", *more: tuple[str, str], body: bytes = b"") -> base.Request:

        parameters = [("query", query), *more] if query else []
        url = query_url(f"{self.base_url}/graph/v1/paper/{endpoint}", *parameters, ("fields", FIELDS))
        return base.Request(self.name, url, body=body)

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError for all but whole batches and lists, and the service's message
        for an empty result."""
        body = parse_json(response.body)
        titles = queries[0].kind in ("title", "venue_year")
        if response.status >= 300 or "error" in mapping(body):
            _require_unknown(response.status, mapping(body).text("error"), titles=titles)
            return dict.fromkeys(queries, Absent())
        if queries[0].kind == "venue_year":
            return dict.fromkeys(queries, _in_venue(body))
        if titles:
            return _titled(queries, body)
        if not isinstance(body, list):
            raise base.MalformedAnswerError("Semantic Scholar's answer is not a batch of papers")
        return _identified(queries, [None if item is None else _paper(item) for item in body])

    def kept(self, body: bytes) -> bytes:
        """Papers with the fields that are read, in the same envelope; a body that is not JSON is returned unchanged."""

        try:
            answer = parse_json(body)
        except base.MalformedAnswerError:
            return body
        if isinstance(answer, list):
            kept: object = [kept_fields(paper) for paper in answer]
        else:
            kept = {name: value for name, value in mapping(answer).items() if name in _ENVELOPE}
            if isinstance(papers := mapping(answer).get("data"), list):
                kept |= {"data": [kept_fields(paper) for paper in papers]}
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()

    def singles(self, request: base.Request) -> tuple[base.Request, ...]:
        """The requests that look up each id of a batch, or each title of a search, alone."""
        if request.body:
            names = (text(name).partition(":") for name in mapping(parse_json(request.body)).all("ids"))
            queries = [Query(_KINDS[scheme], value) for scheme, _, value in names if scheme in _KINDS]
            return tuple(self.request([query]) for query in queries)
        if "/paper/search/bulk?" in request.url and not parameter(request.url, "venue"):
            phrases = _PHRASE.findall(parameter(request.url, "query"))
            return tuple(self._request("search/match", phrase) for phrase in phrases)
        return (request,)


def _phrase(title: str) -> str:
    """Words of a title, without the signs of the query syntax; according to the manual, hyphenated words find nothing."""
    return " ".join(parted_words(title, _MOST_WORDS))


def _require_unknown(status: int, error: str, *, titles: bool) -> None:
    """Raise unless this error means that none of the requested papers is known."""
    if titles and status == 404 and error == "Title match not found":
        return
    if not titles and status == 400 and error == "No valid paper ids given":
        return
    raise base.MalformedAnswerError(f"Semantic Scholar refused the request: {error or status}")


def _paper(item: object) -> _Paper:

    record = parse_paper(item)
    if record is None or "title" not in mapping(item):
        raise base.MalformedAnswerError("an item of Semantic Scholar's answer is not a paper with a title")
    return _Paper(record, identifiers_of(item))


def _identified(queries: Sequence[Query], papers: Sequence[_Paper | None]) -> dict[Query, Answer]:
    """Papers by their identifiers.

    The order of a batch is trusted only if the identifiers confirm it: a recording may contain other queries as well.
    It shows which id is unknown (null). A paper without the id counts as the requested one only if it was requested
    alone and has no other id of that kind.
    """
    places = {query: _places(query, papers) for query in queries}
    in_order = len(papers) == len(queries) and all(
        not found or place in found for place, found in enumerate(places.values())
    )
    lacking = sum(not found for found in places.values())
    enough_unknown = papers.count(None) >= lacking
    answers: dict[Query, Answer] = {}
    for place, (query, found) in enumerate(places.items()):
        own = papers[place] if in_order else None
        if found:
            answers[query] = Found(tuple(paper.record for i in found if (paper := papers[i])))
        elif own is None and (in_order or enough_unknown):
            answers[query] = Absent()
        elif own is not None and len(papers) == 1 and not own.identifiers[query.kind]:
            answers[query] = Found((own.record,))
        else:
            answers[query] = Unavailable("malformed", "Semantic Scholar answered with a paper of another identifier")
    if all(isinstance(answer, Unavailable) for answer in answers.values()):
        raise base.MalformedAnswerError("no paper of Semantic Scholar's answer was requested")
    return answers


def _places(query: Query, papers: Sequence[_Paper | None]) -> list[int]:
    value = query.value.lower() if query.kind == "acl" else query.value
    return [place for place, paper in enumerate(papers) if paper and value in paper.identifiers[query.kind]]


def _titled(queries: Sequence[Query], body: Any) -> dict[Query, Answer]:
    """Papers of a search with a title similar to the query's."""
    fields = mapping(body)
    total, data = fields.number("total"), fields.get("data")
    if data is None and total == 0:
        data = []  # how a search without results is written
    if not isinstance(data, list):
        raise base.MalformedAnswerError("Semantic Scholar's answer is not a list of papers")
    records = [_paper(item).record for item in data]
    more = bool(fields.get("token") or fields.get("next"))
    if total is not None and not more and (fields.number("offset") or 0) + len(data) < total:
        raise base.MalformedAnswerError(f"Semantic Scholar's answer contains {len(data)} of {total} papers")
    unseen = Unavailable("not-asked", "Semantic Scholar found more papers than one answer contains")
    answers: dict[Query, Answer] = {}
    for query in queries:
        found = _resembling(query.value, records)
        answers[query] = Found(found) if found else unseen if more else Absent()
    return answers


def _in_venue(body: Any) -> Answer:
    """Papers of a search in one venue, as many as show that the venue is held."""
    data = mapping(body).get("data")
    if not isinstance(data, list):
        raise base.MalformedAnswerError("Semantic Scholar's answer is not a list of papers")
    return answer_with(_paper(item).record for item in data[:_FROM_A_VENUE])


def _resembling(title: str, records: Iterable[Record]) -> tuple[Record, ...]:
    compared = [(compare_titles(title, record.title), record) for record in records if record.title]
    similar = [(comparison, record) for comparison, record in compared if comparison.relation in _CLOSENESS]
    similar.sort(key=lambda pair: _distance(pair[0]))
    return tuple(record for _, record in similar[:_MOST_RECORDS])


def _distance(comparison: TitleComparison) -> tuple[int, float]:
    return _CLOSENESS[comparison.relation], -comparison.similarity


SEMANTIC_SCHOLAR = SemanticScholar()


FIELDS = "externalIds,title,authors,year,publicationDate,venue,publicationVenue,journal,publicationTypes"
"""Requested fields of each paper; ``paperId`` is always returned, ``authors`` with id and name."""

_KEPT: Mapping[str, tuple[str, ...]] = {
    "paperId": (), "title": (), "year": (), "publicationDate": (), "venue": (), "publicationTypes": (),
    "externalIds": ("DOI", "ArXiv", "PubMed", "ACL"), "authors": ("name",), "journal": ("name", "volume", "pages"),
    "publicationVenue": ("name", "alternate_names", "type"),
}  # fmt: skip
"""Fields that are read of a paper, and of the objects in it."""
# In this order: of several types of a paper, the first one shows where it was printed.
_TYPES: Mapping[str, RecordType] = {
    "Conference": "inproceedings",
    "BookSection": "chapter",
    "Book": "book",
    "Dataset": "dataset",
    "JournalArticle": "article",
}
_PLACES: Mapping[str, RecordType] = {"conference": "inproceedings", "journal": "article"}
_ACL_DOI = lazy_pattern(r"10\.18653/v1/(\S+)|10\.3115/v1/(\S+)")
_RANGE = lazy_pattern(MAYBE_BLANKS + r"[-\u2013]\s*")
_MOST_AUTHORS = 500  # more are not sent with a paper


def identifiers_of(paper: object) -> dict[QueryKind, frozenset[str]]:
    """Identifiers of the paper by kind, as in queries; ids of the ACL Anthology in lower case."""
    stated = mapping(paper).at("externalIds")
    doi, arxiv = stated.doi("DOI"), stated.arxiv("ArXiv")
    acl = _ACL_DOI.fullmatch(doi)
    found: dict[QueryKind, tuple[str, ...]] = {
        "doi": (doi, f"10.48550/arxiv.{arxiv}" if arxiv else ""),
        "arxiv": (arxiv, arxiv_id_of_doi(doi)),
        "pmid": (stated.text("PubMed"),),
        "acl": (stated.text("ACL").lower(), (acl[1] or acl[2]) if acl else ""),
    }
    return {kind: frozenset(filter(None, names)) for kind, names in found.items()}


def kept_fields(paper: object) -> object:
    """The paper with the fields that are read; other values unchanged."""
    if not isinstance(paper, dict):
        return paper
    return {name: _kept_value(paper[name], parts) for name, parts in _KEPT.items() if name in paper}


def _kept_value(value: object, parts: tuple[str, ...]) -> object:
    if isinstance(value, list):
        return [_kept_value(item, parts) for item in value]
    if not parts or not isinstance(value, dict):
        return value
    return {name: value[name] for name in parts if name in value}


def _people(paper: Fields) -> tuple[Person, ...]:
    names = (author.name("name") for author in paper.parts("authors"))
    return tuple(map(undivided, names))


def _venues(paper: Fields) -> tuple[str, ...]:
    """Names of the venue: first the place of publication, then preprint archives, then other names of the place."""
    place = paper.at("publicationVenue")
    stated = (place.get("name"), paper.get("venue"), paper.at("journal").get("name"))
    names = [name for name in map(without_markup, map(text, stated)) if name]
    names.sort(key=is_preprint_venue)
    names += filter(None, map(without_markup, place.texts("alternate_names")))
    return tuple(dict.fromkeys(names))


def _type(paper: Fields, venues: tuple[str, ...]) -> RecordType:
    if venues and is_preprint_venue(venues[0]):
        return "preprint"
    stated = paper.texts("publicationTypes")
    place = _PLACES.get(paper.at("publicationVenue").text("type"), "")
    return next((kind for name, kind in _TYPES.items() if name in stated), place)


def _years(paper: Fields) -> tuple[int, ...]:
    years = (paper.year("year"), paper.year("publicationDate"))
    return unique(years)


def parse_paper(paper: object) -> Record | None:
    """The record of one paper (an item of a batch or of ``data``).

    None if the value is no paper, that is an object without a ``paperId``. Fields of an unexpected type count as absent.
    """
    fields = mapping(paper)
    name = fields.text("paperId")
    if not name:
        return None
    stated, journal = fields.at("externalIds"), fields.at("journal")
    doi = stated.doi("DOI")
    venues = _venues(fields)
    volume = journal.plain("volume")
    return Record(
        source="semantic_scholar",
        id=name,
        url=f"https://www.semanticscholar.org/paper/{name}",
        title=fields.plain("title"),
        authors=_people(fields),
        authors_complete=len(fields.all("authors")) < _MOST_AUTHORS,
        years=_years(fields),
        venues=venues,
        type=_type(fields, venues),
        doi=doi,
        arxiv=stated.arxiv("ArXiv") or arxiv_id_of_doi(doi),
        pmid=stated.text("PubMed"),
        # Papers deposited with dblp's CoRR have arXiv's number there.
        volume="" if volume.startswith("abs/") else volume,
        pages=_RANGE.sub("-", journal.plain("pages")),
        compiled=True,
    )
