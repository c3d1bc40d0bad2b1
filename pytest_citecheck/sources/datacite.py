"""DataCite: DOIs of data, software, theses, reports and preprints (arXiv, Zenodo, Dryad, figshare,
institutions).

Documentation: DataCite REST API, support.datacite.org/docs/api; queries in the syntax of Elasticsearch's
query string, support.datacite.org/docs/api-queries. Absence: a DOI that DataCite does not hold may belong to
another agency, and a search ranks; so no absence here is evidence. Author order: as deposited, reliable.
Limits: 3,000 requests in five minutes from one address without an account, of which half is used.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.model import Absent, Answer, Found, Question, QuestionKind, Record
from pytest_citecheck.sources.base import Authority, MalformedAnswerError, Rate, Request, Response, Source
from pytest_citecheck.sources.datacite_work import names_of, parse_work
from pytest_citecheck.sources.identifiers import doi_name
from pytest_citecheck.sources.json_body import listing, mapping, parse_json, text, whole_number
from pytest_citecheck.sources.query_url import parameter, query_url
from pytest_citecheck.sources.search_words import plain_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["DATACITE", "DataCite"]

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_MOST_WORDS = 30
_SHORT_TITLE = 4


def _quote(value: str) -> str:
    """A phrase in the query-string syntax: within quotes only quote and backslash are escaped."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquote(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value)


class DataCite(Source):
    """The DataCite REST API as a source of records (see the module)."""

    name = "datacite"
    label = "DataCite"
    base_url = "https://api.datacite.org"
    documentation = "https://support.datacite.org/docs/api"
    batch: Mapping[QuestionKind, int] = {"doi": 25, "title": 1}
    keeps_author_order = True
    rate = Rate(per_second=5.0, concurrency=2)
    limits = "3,000 requests in five minutes from one address; half of that is used"
    absence = "no evidence: a DOI may be another agency's, and a search ranks"
    authority: frozenset[Authority] = frozenset({"identifier", "title", "authors", "year"})

    def accepts(self, question: Question) -> bool:
        """DOIs of any agency (it answers for its own) and titles that hold a word."""
        if question.kind == "title":
            return bool(plain_words(question.value))
        return question.kind == "doi" and bool(doi_name(question.value))

    def request(self, questions: Sequence[Question]) -> Request:
        """``dois?query=doi:("a" OR "b")`` for DOIs, ``dois?query=titles.title:"…"`` for one title.

        The first author is added to a title of fewer than four words only.
        """
        return Request(self.name, self._url(questions))

    def _url(self, questions: Sequence[Question]) -> str:
        first = questions[0]
        if first.kind == "doi":
            phrases = " OR ".join(_quote(question.value.lower()) for question in questions)
            return self._search(f"doi:({phrases})", len(questions))
        words = plain_words(first.value)
        query = f"titles.title:{_quote(' '.join(words[:_MOST_WORDS]))}"
        if len(words) < _SHORT_TITLE and first.authors:
            query += f" AND creators.name:{_quote(first.authors[0])}"
        return self._search(query, 5)

    def _search(self, query: str, size: int) -> str:
        return query_url(f"{self.base_url}/dois", ("query", query), ("page[size]", size))

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """Records by question. Raises MalformedAnswerError for all but DOIs or the JSON:API 404 of a DOI."""
        if response.status == 404:
            return dict.fromkeys(questions, _no_such_doi(questions, parse_json(response.body)))
        resources = _resources(parse_json(response.body), response.status)
        records = [(names_of(resource), record) for resource in resources if (record := parse_work(resource))]
        if resources and not records:
            raise MalformedAnswerError("no item of DataCite's answer is a DOI")
        return {question: _answer(question, records) for question in questions}

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that look up each DOI of a query alone."""
        query = parameter(request.url, "query")
        if not query.startswith("doi:("):
            return (request,)
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
        raise MalformedAnswerError("DataCite's answer holds other resources than DOIs")
    total, page = whole_number(meta.get("total")), whole_number(meta.get("page"))
    if isinstance(data, list) and total and not resources and page in (None, 1):
        raise MalformedAnswerError(f"DataCite's answer holds none of {total} DOIs")
    return resources


def _answer(question: Question, records: list[tuple[frozenset[str], Record]]) -> Answer:
    if question.kind == "doi":
        mine = tuple(record for names, record in records if question.value in names)
    else:
        mine = tuple(record for _, record in records if record.title)
    return Found(mine) if mine else Absent()


DATACITE = DataCite()
