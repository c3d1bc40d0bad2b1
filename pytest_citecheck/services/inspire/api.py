"""INSPIRE-HEP: papers, theses, reports and books of high-energy physics and its neighbours, by identifier and title.

Documentation: github.com/inspirehep/rest-api-doc (records, ``q``, ``fields``, ``size``) and the search syntax of
inspirehep.net (help.inspirehep.net, "INSPIRE search"). It harvests arXiv and publishers and curates what it takes, so the
registry of the DOI or e-print that it names is asked for its word; its own only shows that a work exists. Absence: no
evidence; it is complete for one field, and a work may be there under another identifier. Author order: as published; of
collaborations all members, with the collaboration beside them. Limits: 15 requests in 5 seconds for each address, then 429.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.identifiers.catalogue_keys import texkey
from pytest_citecheck.model import Answer, Question, QuestionKind
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
from pytest_citecheck.services.catalogues.alternatives import (
    PAGE,
    SHORT_PAGE,
    answered,
    are_few_words,
    first_author,
    title_words,
)
from pytest_citecheck.services.inspire.record import FIELDS, parse_hit
from pytest_citecheck.services.parsing.identifiers import arxiv_id, doi_name
from pytest_citecheck.services.parsing.json_body import mapping, parse_json, text, whole_number
from pytest_citecheck.services.parsing.query_url import parameter, query_url
from pytest_citecheck.services.parsing.search_words import plain_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["INSPIRE", "Inspire"]

_FIELDS: Mapping[QuestionKind, str] = {"doi": "doi", "arxiv": "arxiv", "texkey": "texkeys"}
# What would end or bend a clause of a query.
_UNQUOTABLE = re.compile(r"[\s\"'\\()]")
_OR = " or "


class Inspire(Source):
    """The REST API of INSPIRE-HEP as a source of records (see the module)."""

    name = "inspire"
    label = "INSPIRE-HEP"
    base_url = "https://inspirehep.net/api"
    documentation = "https://github.com/inspirehep/rest-api-doc"
    batch: Mapping[QuestionKind, int] = {"doi": 25, "arxiv": 25, "texkey": 25, "title": 5}
    keeps_author_order = True
    rate = Rate(per_second=2.5, concurrency=1)
    limits = "15 requests in 5 seconds, then 429"
    absence = "no evidence: it is of one field; other sources are queried all the same"
    derives_from = ("arxiv", "crossref")
    terms = Terms("CC0, may be handed on")
    unconfirmed = "several alternatives in one query (`doi:a or doi:b`), and words of titles joined by `and`"
    role = Role(
        catalogue=("doi", "arxiv", "texkey"),
        disciplines=("physics",),
        titles=(TitleSearch("batch", 40, ("physics",), ("article", "paper", "report", "misc", "thesis", "book")),),
    )
    # The paper on the AdS/CFT correspondence, and one of Higgs: among the most cited that it has.
    witnesses: Mapping[QuestionKind, Question] = {
        "doi": Question("doi", "10.1103/physrevlett.13.508"),
        "arxiv": Question("arxiv", "hep-th/9711200"),
        "texkey": Question("texkey", "Maldacena:1997re"),
        "title": Question(
            "title", "The Large N limit of superconformal field theories and supergravity", ("Maldacena",)
        ),
    }

    def accepts(self, question: Question) -> bool:
        """DOIs that fit into a query, arXiv ids without a version, its own keys, and titles that hold a word."""
        match question.kind:
            case "doi":
                return bool(doi_name(question.value)) and not _UNQUOTABLE.search(question.value)
            case "arxiv":
                return arxiv_id(question.value) == question.value != ""
            case "texkey":
                return texkey(question.value) == question.value != ""
            case _:
                return question.kind == "title" and bool(plain_words(question.value))

    def request(self, questions: Sequence[Question]) -> Request:
        """``literature?q=`` with one alternative a question; titles of few words are asked only alone."""
        together = [question for question in questions if not are_few_words(question)] or questions[:1]
        return self._search([_clause(question) for question in together])

    def _search(self, clauses: Sequence[str]) -> Request:
        alone = len(clauses) == 1 and clauses[0].startswith("(t ")
        url = query_url(
            f"{self.base_url}/literature",
            ("q", _OR.join(clauses)),
            ("size", SHORT_PAGE if alone else PAGE),
            ("fields", FIELDS),
        )
        return Request(self.name, url)

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """Records by question. Raises MalformedAnswerError for all but a whole page of hits with their number."""
        body = mapping(parse_json(response.body))
        hits = mapping(body.get("hits"))
        found, total = hits.get("hits"), whole_number(hits.get("total"))
        if response.status >= 300 or not isinstance(found, list) or total is None:
            raise MalformedAnswerError(
                f"INSPIRE's answer is no page of hits: {text(body.get('message')) or response.status}"
            )
        return answered(questions, [parse_hit(hit) for hit in found], total=total, label=self.label)

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The searches that ask for each alternative alone."""
        return tuple(self._search([clause]) for clause in parameter(request.url, "q").split(_OR))


def _clause(question: Question) -> str:
    if question.kind in _FIELDS:
        return f"{_FIELDS[question.kind]}:{question.value}"
    clauses = [f"t {word}" for word in title_words(question)]
    author = first_author(question)
    if author and are_few_words(question):
        clauses.append(f"a {author}")
    return f"({' and '.join(clauses)})"


INSPIRE = Inspire()
