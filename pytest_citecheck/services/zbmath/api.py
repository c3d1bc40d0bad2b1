"""zbMATH Open: the publications of mathematics since 1868, catalogued by its editors, by number, DOI and title.

Documentation: api.zbmath.org/v1 and zbmath.org/general-help (``an:``, ``en:``, ``ti:``, ``au:``, ``|`` for or, ``&`` for and).
Absence: no evidence; a work may be indexed under another number, or not yet. First word: what its editors catalogue from the
publication. Where a work has a DOI its registry has the first word, and where it is not in English the title is a translation
and the names are transliterated; such records count as compiled. Author order: as published; names in the form of its
authority file. Limits: none are published; one request a second is used.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.catalogue_keys import zbl_number
from pytest_citecheck.model import Absent, Answer, Question, QuestionKind
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
from pytest_citecheck.services.parsing.identifiers import doi_name
from pytest_citecheck.services.parsing.json_body import mapping, parse_json, text, whole_number
from pytest_citecheck.services.parsing.query_url import parameter, query_url
from pytest_citecheck.services.parsing.search_words import plain_words
from pytest_citecheck.services.zbmath.record import parse_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["ZBMATH", "ZbMath"]

_FIELDS: Mapping[QuestionKind, str] = {"zbl": "an", "doi": "en"}
_UNQUOTABLE = re.compile(r"[\s\"'\\()|&!]")
_OR = " | "


class ZbMath(Source):
    """The API of zbMATH Open as a source of records (see the module)."""

    name = "zbmath"
    label = "zbMATH Open"
    base_url = "https://api.zbmath.org/v1"
    documentation = "https://api.zbmath.org/v1/"
    batch: Mapping[QuestionKind, int] = {"zbl": 25, "doi": 25, "title": 5}
    keeps_author_order = True
    rate = Rate(per_second=1.0, concurrency=1)
    limits = "none published; 1 request a second is used"
    absence = "no evidence: a work may be indexed under another number, or not yet"
    first_hand = ("title", "authors", "year", "venue")
    terms = Terms("CC BY-SA 4.0 where no licence of a publisher withholds it")
    unconfirmed = (
        "several alternatives in one query (`an:a | an:b`), DOIs as `en:`, and how it says that it found nothing"
    )
    role = Role(
        catalogue=("zbl", "doi"),
        disciplines=("mathematics",),
        titles=(TitleSearch("batch", 45, ("mathematics",), ("article", "paper", "report", "misc", "thesis", "book")),),
    )
    # Wiles on Fermat's Last Theorem.
    witnesses: Mapping[QuestionKind, Question] = {
        "zbl": Question("zbl", "0823.11029"),
        "doi": Question("doi", "10.2307/2118559"),
        "title": Question("title", "Modular elliptic curves and Fermat's Last Theorem", ("Wiles",)),
    }

    def accepts(self, question: Question) -> bool:
        """Its numbers, DOIs that fit into a query, and titles that hold a word."""
        if question.kind == "zbl":
            return zbl_number(question.value) == question.value != ""
        if question.kind == "doi":
            return bool(doi_name(question.value)) and not _UNQUOTABLE.search(question.value)
        return question.kind == "title" and bool(plain_words(question.value))

    def request(self, questions: Sequence[Question]) -> Request:
        """``document/_search`` with one alternative a question; titles of few words are asked only alone."""
        together = [question for question in questions if not are_few_words(question)] or questions[:1]
        return self._search([_clause(question) for question in together])

    def _search(self, clauses: Sequence[str]) -> Request:
        alone = len(clauses) == 1 and clauses[0].startswith("(ti:")
        url = query_url(
            f"{self.base_url}/document/_search",
            ("search_string", _OR.join(clauses)),
            ("page", 0),
            ("results_per_page", SHORT_PAGE if alone else PAGE),
        )
        return Request(self.name, url)

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """Records by question. Raises MalformedAnswerError for all but a page of documents with their number, and its 404."""
        body = mapping(parse_json(response.body))
        status, documents = mapping(body.get("status")), body.get("result")
        if response.status == 404 and _found_nothing(body, status):
            return dict.fromkeys(questions, Absent())
        total = whole_number(status.get("nr_total_results"))
        if response.status >= 300 or not isinstance(documents, list) or total is None:
            problem = text(status.get("internal_code")) or response.status
            raise MalformedAnswerError(f"zbMATH's answer is no page of documents: {problem}")
        return answered(questions, [parse_document(one) for one in documents], total=total, label=self.label)

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The searches that ask for each alternative alone."""
        return tuple(self._search([clause]) for clause in parameter(request.url, "search_string").split(_OR))


def _found_nothing(body: Mapping[str, Any], status: Mapping[str, Any]) -> bool:
    """Whether a 404 is the service's own word for an empty result."""
    return body.get("result") in (None, []) and "result" in body and whole_number(status.get("status_code")) == 404


def _clause(question: Question) -> str:
    if question.kind in _FIELDS:
        return f"{_FIELDS[question.kind]}:{question.value}"
    clauses = [f"ti:{word}" for word in title_words(question)]
    author = first_author(question)
    if author and are_few_words(question):
        clauses.append(f'au:"{author}"')
    return f"({' & '.join(clauses)})"


ZBMATH = ZbMath()
