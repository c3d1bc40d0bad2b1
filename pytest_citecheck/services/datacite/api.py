"""DataCite: DOIs of data, software, theses, reports and preprints (arXiv, Zenodo, Dryad, figshare,
institutions).

Documentation: DataCite REST API, support.datacite.org/docs/api; queries in the syntax of Elasticsearch's
query string, support.datacite.org/docs/api-queries. Absence: a DOI that DataCite does not hold may belong to
another agency, and a search ranks; so no absence here is evidence. A list that is cut off says nothing at all about a title
of which it shows no work. Author order: as deposited, reliable.
Limits: 500 requests in five minutes, 1,000 with an e-mail address, 3,000 with an account (support.datacite.org/docs/rate-limit).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.model import Absent, Answer, Found, Question, QuestionKind, Record
from pytest_citecheck.services.base import (
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
from pytest_citecheck.services.parsing.json_body import listing, mapping, parse_json, text, whole_number
from pytest_citecheck.services.parsing.query_url import parameter, query_url
from pytest_citecheck.services.parsing.search_words import plain_words
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["DATACITE", "DataCite"]

_QUOTED = lazy_pattern(r'"((?:[^"\\]|\\.)*)"')
_CLAUSE = lazy_pattern(r'titles\.title:"(?:[^"\\]|\\.)*"(?: AND creators\.name:"(?:[^"\\]|\\.)*")?')
_MOST_WORDS = 30
_RESULTS = 5
_SHORT_TITLE = 4


def _quote(value: str) -> str:
    """A phrase in the query-string syntax: within quotes only quote and backslash are escaped."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _clause(question: Question) -> str:
    words = plain_words(question.value)
    clause = f"titles.title:{_quote(' '.join(words[:_MOST_WORDS]))}"
    if len(words) < _SHORT_TITLE and question.authors:
        clause += f" AND creators.name:{_quote(question.authors[0])}"
    return clause


def _unquote(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value)


class DataCite(Source):
    """The DataCite REST API as a source of records (see the module)."""

    name = "datacite"
    label = "DataCite"
    base_url = "https://api.datacite.org"
    documentation = "https://support.datacite.org/docs/api"
    batch: Mapping[QuestionKind, int] = {"doi": 25, "title": 8}
    keeps_author_order = True
    rate = Rate(per_second=1.6, concurrency=2)
    contact_rate = Rate(per_second=3.3, concurrency=2)
    contact: Mapping[str, str] = {"mailto": "{contact}"}
    limits = "500 requests in five minutes; 1,000 with a contact address"
    terms = Terms("CC0, may be handed on")
    version = 2
    absence = "no evidence: a DOI may be another agency's, and a search ranks"
    first_hand = ("identifier", "title", "authors", "year")
    role = Role(agency="DataCite", titles=(TitleSearch("batch", works=("data", "thesis", "report", "misc")),))
    witnesses: Mapping[QuestionKind, Question] = {
        "doi": Question("doi", "10.48550/arxiv.1706.03762"),
        "title": Question("title", "Attention Is All You Need", ("Vaswani",)),
    }

    def accepts(self, question: Question) -> bool:
        """DOIs of any agency (it answers for its own) and titles that hold a word."""
        if question.kind == "title":
            return bool(plain_words(question.value))
        return question.kind == "doi" and bool(doi_name(question.value))

    def request(self, questions: Sequence[Question]) -> Request:
        """``dois?query=doi:("a" OR "b")`` for DOIs, ``dois?query=titles.title:"…" OR titles.title:"…"`` for titles.

        The first author is added to a title of fewer than four words only.
        """
        if questions[0].kind == "doi":
            phrases = " OR ".join(_quote(question.value.lower()) for question in questions)
            return self._query(f"doi:({phrases})", len(questions))
        return self._search([_clause(question) for question in questions])

    def _search(self, clauses: Sequence[str]) -> Request:
        bracketed = [f"({clause})" if " AND " in clause else clause for clause in clauses]
        return self._query(" OR ".join(bracketed) if len(clauses) > 1 else clauses[0], _RESULTS * len(clauses))

    def _query(self, query: str, size: int) -> Request:
        # By default the latest changed come first.
        from pytest_citecheck.services.datacite.record import FIELDS

        form: tuple[tuple[str, str | int], ...] = (
            ("sort", "relevance"),
            ("disable-facets", "true"),
            ("fields[dois]", FIELDS),
        )
        return Request(self.name, query_url(f"{self.base_url}/dois", ("query", query), ("page[size]", size), *form))

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """Records by question. Raises MalformedAnswerError for all but DOIs or the JSON:API 404 of a DOI."""
        from pytest_citecheck.services.datacite.record import names_of, parse_work
        from pytest_citecheck.services.parsing.unread import without_absences

        if response.status == 404:
            return dict.fromkeys(questions, _no_such_doi(questions, parse_json(response.body)))
        body = parse_json(response.body)
        resources = _resources(body, response.status)
        records = [(names_of(resource), record) for resource in resources if (record := parse_work(resource))]
        if resources and not records:
            raise MalformedAnswerError("no item of DataCite's answer is a DOI")
        cut = _is_cut(mapping(body), len(resources), len(questions))
        answers = {question: _answer(question, records, cut=cut) for question in questions}
        return without_absences(answers, self.label) if len(records) < len(resources) else answers

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that look up each DOI of a query, or search for each title, alone."""
        query = parameter(request.url, "query")
        if not query.startswith("doi:("):
            return tuple(self._search([clause]) for clause in _CLAUSE.findall(query)) or (request,)
        return tuple(self.request([Question("doi", _unquote(name))]) for name in _QUOTED.findall(query))


def _no_such_doi(questions: Sequence[Question], body: Any) -> Absent:
    titles = [text(mapping(item).get("title")) for item in listing(mapping(body).get("errors"))]
    if len(questions) == 1 and questions[0].kind == "doi" and any("doesn't exist" in title for title in titles):
        return Absent()
    raise MalformedAnswerError("a 404 that is not DataCite's word for an unknown DOI")


def _resources(body: Any, status: int) -> list[Any]:
    """The resources of type ``dois`` of a JSON:API document, whole."""
    document = mapping(body)
    if "errors" in document or status >= 300:
        problems = [text(mapping(item).get("title")) for item in listing(document.get("errors"))]
        raise MalformedAnswerError(f"DataCite refused the request: {'; '.join(problems) or status}")
    data = document.get("data")
    if isinstance(data, dict):
        resources = [data]
    elif isinstance(data, list):
        resources = data
    else:
        raise MalformedAnswerError("DataCite's answer has no data")
    meta = mapping(document.get("meta"))
    if resources and not any(mapping(item).get("type") == "dois" for item in resources):
        raise MalformedAnswerError("DataCite's answer contains other resources than DOIs")
    total, page = whole_number(meta.get("total")), whole_number(meta.get("page"))
    if isinstance(data, list) and total and not resources and page in (None, 1):
        raise MalformedAnswerError(f"DataCite's answer contains none of {total} DOIs")
    return resources


def _is_cut(document: Mapping[str, Any], shown: int, questions: int) -> bool:
    """Whether the document answers several searches and more was found than it shows; its link repeats the query."""
    query = parameter(text(mapping(document.get("links")).get("self")), "query")
    total = whole_number(mapping(document.get("meta")).get("total"))
    return max(len(_CLAUSE.findall(query)), questions) > 1 and shown < (total or 0)


def _answer(question: Question, records: list[tuple[frozenset[str], Record]], *, cut: bool) -> Answer:
    from pytest_citecheck.services.parsing.title_batch import titled_alike

    if question.kind == "doi":
        mine = tuple(record for names, record in records if question.value in names)
        return Found(mine) if mine else Absent()
    return titled_alike(question, [record for _, record in records], cut=cut)


DATACITE = DataCite()
