"""OpenAlex: works of all kinds, compiled by machine from Crossref, DataCite, PubMed, repositories and the web.

Documentation: OpenAlex API, docs.openalex.org; filters at docs.openalex.org/how-to-use-the-api/get-lists-of-entities. A
comma ends a filter and a pipe separates alternatives, so a DOI with one of them is fetched alone. Absence: none is
evidence; the collection is large, not complete, and a search wants every word of a title as the record spells it.
First word: on nothing; years are at times those of a copy, authors those of a namesake. Author order: as in the publication.
Limits: a list costs $0.0001, a search $0.001, a single work by DOI nothing; $0.10 a day without a key, $1 with a free one
(headers x-ratelimit-cost-usd, x-ratelimit-remaining-usd); 100 requests a second, of which a tenth is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from pytest_citecheck.model import Absent, Answer, Found, Question, QuestionKind, Record, Unavailable
from pytest_citecheck.services.base import (
    Credentials,
    MalformedAnswerError,
    Rate,
    Request,
    Response,
    Role,
    Source,
    Terms,
    TitleSearch,
)
from pytest_citecheck.services.parsing.identifiers import doi_name
from pytest_citecheck.services.parsing.json_body import mapping, parse_json, text, whole_number
from pytest_citecheck.services.parsing.query_url import parameter, query_url
from pytest_citecheck.services.parsing.search_words import parted_words, plain_words
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["OPENALEX", "OpenAlex"]

_UNFILTERABLE = lazy_pattern(r"[,|\s]")
# Some identifiers have two works, and what is cut off cannot be told from what is absent.
_IDENTIFIER_RESULTS, _TITLE_RESULTS = 100, 5
_MOST_WORDS = 30
_NO_SUCH_PAGE = b"<title>404 not found</title>"


class _Works(NamedTuple):
    """The records of an answer, and whether they are all that OpenAlex has for the request."""

    records: tuple[Record, ...]
    whole: bool


class OpenAlex(Source):
    """The OpenAlex API as a source of records (see the module)."""

    name = "openalex"
    label = "OpenAlex"
    base_url = "https://api.openalex.org"
    documentation = "https://docs.openalex.org"
    batch: Mapping[QuestionKind, int] = {"doi": 50, "pmid": 50, "title": 1}
    keeps_author_order = True
    rate = Rate(per_second=10.0, concurrency=2)
    limits = (
        "$0.10 a day without a key, $1 with a free one; a list costs $0.0001, a search $0.001; 100 requests a second"
    )
    terms = Terms("CC0, may be handed on")
    absence = "no evidence: it compiles other sources; they are queried all the same, and titles have no witness"
    derives_from = ("arxiv", "crossref", "pubmed")  # Priem, Piwowar and Orr, arXiv:2205.01833
    role = Role(titles=(TitleSearch("single", 40, works=("thesis",)),), opinion=2)
    credentials = Credentials(
        "OPENALEX_API_KEY", parameter="api_key", dollars=1.0, obtained="https://openalex.org/settings/api"
    )
    costs: Mapping[QuestionKind, float] = {"doi": 0.0001, "pmid": 0.0001, "title": 0.001}
    dollars = 0.1
    version = 2
    witnesses: Mapping[QuestionKind, Question] = {
        "doi": Question("doi", "10.1186/s13059-014-0550-8"),
        "pmid": Question("pmid", "25516281"),
    }

    def accepts(self, question: Question) -> bool:
        """DOIs of any agency, PubMed ids, and titles that hold a word."""
        if question.kind == "title":
            return bool(plain_words(question.value))
        if question.kind == "pmid":
            return question.value.isascii() and question.value.isdigit()
        return question.kind == "doi" and bool(doi_name(question.value))

    def request(self, questions: Sequence[Question]) -> Request:
        """``works?filter=doi:a|b`` (or ``pmid:``), ``works/doi:a`` for a DOI that no filter can hold, else
        ``works?filter=title.search:…``.
        """
        return Request(self.name, self._url(questions))

    def _url(self, questions: Sequence[Question]) -> str:
        from pytest_citecheck.services.openalex.record import SELECT

        first = questions[0]
        works = f"{self.base_url}/works"
        if first.kind == "title":
            return self._filtered(f"title.search:{_search_words(first.value)}", _TITLE_RESULTS)
        values = [question.value for question in questions if not _UNFILTERABLE.search(question.value)]
        if not values:
            return query_url(f"{works}/doi:{quote(first.value, safe='/')}", ("select", SELECT))
        return self._filtered(f"{first.kind}:{'|'.join(values)}", _IDENTIFIER_RESULTS)

    def _filtered(self, condition: str, results: int) -> str:
        from pytest_citecheck.services.openalex.record import SELECT

        return query_url(f"{self.base_url}/works", ("filter", condition), ("per-page", results), ("select", SELECT))

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """Records by question. Raises MalformedAnswerError for all but a list of works, one work, or its plain 404."""
        from pytest_citecheck.services.openalex.record import parse_work

        alone = len(questions) == 1 and questions[0].kind == "doi"
        if response.status == 404 and alone and _is_missing_page(response.body):
            return dict.fromkeys(questions, Absent())
        body = mapping(parse_json(response.body))
        if response.status >= 300 or "error" in body:
            raise MalformedAnswerError(f"OpenAlex refused the request: {text(body.get('error')) or response.status}")
        if "results" in body:
            works = _listed(body)
            return {question: _answer(question, works) for question in questions}
        record = parse_work(body)
        if record is None or not alone or record.doi != questions[0].value:
            raise MalformedAnswerError("OpenAlex's answer is neither a list of works nor the requested work")
        return {questions[0]: Found((record,))}

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that look up each identifier of a filter alone."""
        kind, _, values = parameter(request.url, "filter").partition(":")
        if kind == "doi":
            return tuple(self.request([Question("doi", value)]) for value in values.split("|"))
        if kind == "pmid":
            return tuple(self.request([Question("pmid", value)]) for value in values.split("|"))
        return (request,)


def _search_words(title: str) -> str:
    """The words without what the filter syntax knows; in lower case, as AND, OR and NOT are operators."""
    return " ".join(parted_words(title, _MOST_WORDS)).lower()


def _is_missing_page(body: bytes) -> bool:
    """Whether this is the page by which OpenAlex says that a single work is unknown; others come from in between."""
    page = body.lower()
    return _NO_SUCH_PAGE in page and b"the requested url was not found on the server" in page


def _listed(body: Mapping[str, Any]) -> _Works:
    """The works of ``results``, as many as ``meta`` counts for this page."""
    from pytest_citecheck.services.openalex.record import parse_work

    meta, results = mapping(body.get("meta")), body.get("results")
    count, page_size = whole_number(meta.get("count")), whole_number(meta.get("per_page"))
    if not isinstance(results, list) or count is None:
        raise MalformedAnswerError("OpenAlex's answer is not a list of works with its count")
    expected = count if page_size is None else min(count, page_size)
    if len(results) < expected:
        raise MalformedAnswerError(f"OpenAlex's answer contains {len(results)} of {expected} works")
    records = [parse_work(result) for result in results]
    if None in records:
        raise MalformedAnswerError("an item of OpenAlex's answer is not a work")
    return _Works(tuple(filter(None, records)), len(results) == count)


def _answer(question: Question, works: _Works) -> Answer:
    if question.kind == "title":
        titled = tuple(record for record in works.records if record.title)
        return Found(titled) if titled else Absent()
    mine = tuple(
        record for record in works.records if question.value == (record.doi if question.kind == "doi" else record.pmid)
    )
    if mine:
        return Found(mine)
    if not works.whole:
        return Unavailable("not-asked", "OpenAlex has more works for these identifiers than one answer contains")
    return Absent()


OPENALEX = OpenAlex()
