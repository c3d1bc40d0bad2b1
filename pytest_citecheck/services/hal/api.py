"""HAL: documents of the open archive of French research by id, theses and reports by title.

Written from the documentation (api.archives-ouvertes.fr/docs/search) and not from recorded answers. Authors deposit their works
and describe them; theses come from the national register. Absence: documents are withdrawn and joined, so it is no evidence.
Author order: as published, reliable. Limits: none are published.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.identifiers.repository_ids import hal_id
from pytest_citecheck.model import Absent, Answer, CitedMetadata, Found, Question, QuestionKind
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
from pytest_citecheck.services.hal.record import FIELDS, parse_document
from pytest_citecheck.services.parsing.json_body import mapping, parse_json, whole_number
from pytest_citecheck.services.parsing.libraries.french_research import may_be_french
from pytest_citecheck.services.parsing.query_url import parameter, query_url
from pytest_citecheck.services.parsing.search_words import main_words, plain_words
from pytest_citecheck.services.parsing.title_batch import titled_alike
from pytest_citecheck.services.parsing.unread import without_absences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["HAL", "Hal"]

_HITS = 50
_MOST_WORDS = 8
_NEXT_TITLE = re.compile(r"(?<=\)\)) OR (?=\()")


class Hal(Source):
    """HAL's search API as a source of records (see the module)."""

    name = "hal"
    label = "HAL"
    base_url = "https://api.archives-ouvertes.fr"
    documentation = "https://api.archives-ouvertes.fr/docs/search"
    batch: Mapping[QuestionKind, int] = {"hal": 40, "title": 5}
    keeps_author_order = True
    rate = Rate(per_second=2.0, concurrency=1)
    limits = "none published; 2 requests a second are used"
    terms = Terms("open data, may be handed on with the source named")
    absence = "no evidence: documents are withdrawn and joined, and a search ranks"
    unconfirmed = "that the fields `title_t` and `authLastName_t` are searched without accents, `OR` between titles"
    first_hand = ("identifier", "title", "authors", "year")
    derives_from = ("arxiv", "crossref", "theses_fr")
    role = Role(looks_up=("hal",), titles=(TitleSearch("batch", 30, works=("thesis", "report")),))
    witnesses: Mapping[QuestionKind, Question] = {
        "hal": Question("hal", "hal-00650905"),
        "title": Question("title", "Scikit-learn: Machine Learning in Python", ("Pedregosa",)),
    }

    def accepts(self, question: Question) -> bool:
        """Ids without version, and titles that hold a word."""
        if question.kind == "title":
            return bool(plain_words(question.value))
        return question.kind == "hal" and question.value != "" and hal_id(question.value) == question.value

    def may_list(self, cited: CitedMetadata) -> bool:
        """What may be from France."""
        return may_be_french(cited)

    def request(self, questions: Sequence[Question]) -> Request:
        """``search/`` for these ids, or for the words of these titles with their first authors."""
        if questions[0].kind == "hal":
            return self._search("halId_s:(" + " OR ".join(f'"{question.value}"' for question in questions) + ")")
        return self._search(" OR ".join(map(_clause, questions)))

    def _search(self, query: str) -> Request:
        parameters = (("q", query), ("fl", FIELDS), ("rows", _HITS), ("wt", "json"))
        return Request(self.name, query_url(f"{self.base_url}/search/", *parameters))

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """Records by question. Raises MalformedAnswerError for errors and for all but whole lists of documents."""
        answer = mapping(mapping(parse_json(response.body)).get("response"))
        documents, total = answer.get("docs"), whole_number(answer.get("numFound"))
        if response.status >= 300 or not isinstance(documents, list) or total is None:
            raise MalformedAnswerError(f"HAL's answer of status {response.status} is no list of documents")
        records = [record for record in map(parse_document, documents) if record is not None]
        if len(documents) < min(total, _HITS) or (documents and not records):
            raise MalformedAnswerError(f"HAL's answer contains {len(records)} of {total} documents")
        answers: dict[Question, Answer] = {}
        for question in questions:
            if question.kind == "title":
                answers[question] = titled_alike(question, records, cut=total > len(documents))
            else:
                mine = tuple(record for record in records if record.id == question.value)
                answers[question] = Found(mine) if mine else Absent()
        return without_absences(answers, self.label) if len(records) < len(documents) else answers

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that ask for each id or title of a query alone."""
        query = parameter(request.url, "q")
        if query.startswith("halId_s:("):
            return tuple(self._search(f"halId_s:({name})") for name in query[len("halId_s:(") : -1].split(" OR "))
        return tuple(map(self._search, _NEXT_TITLE.split(query)))


def _clause(question: Question) -> str:
    words = main_words(question.value, _MOST_WORDS, with_author=bool(question.authors))
    terms = [f"title_t:({_all_of(words)})"]
    terms += [
        f"authLastName_t:({_all_of(plain_words(name)[-1:])})" for name in question.authors[:1] if plain_words(name)
    ]
    return "(" + " AND ".join(terms) + ")"


def _all_of(words: Sequence[str]) -> str:
    return " AND ".join(f'"{word.lower()}"' for word in words)


HAL = Hal()
