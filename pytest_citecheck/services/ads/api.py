"""NASA Astrophysics Data System: astronomy, physics and arXiv, by bibcode, identifier and title; with a key alone.

Documentation: ui.adsabs.harvard.edu/help/api, github.com/adsabs/adsabs-dev-api ("Search API"). It compiles what publishers,
arXiv and Crossref send, so it has no first word. Absence: no evidence. Author order: as published. Limits: 5,000 requests a
day with a token (x-ratelimit-remaining).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.identifiers.catalogue_keys import bibcode
from pytest_citecheck.model import Answer, Question, QuestionKind
from pytest_citecheck.services.ads.record import FIELDS, parse_doc
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
from pytest_citecheck.services.catalogues.alternatives import (
    PAGE,
    SHORT_PAGE,
    answered,
    are_few_words,
    first_author,
    title_words,
)
from pytest_citecheck.services.parsing.identifiers import arxiv_id, doi_name
from pytest_citecheck.services.parsing.json_body import mapping, parse_json, text, whole_number
from pytest_citecheck.services.parsing.query_url import parameter, query_url
from pytest_citecheck.services.parsing.search_words import plain_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["ADS", "AstrophysicsDataSystem"]

_FIELDS: Mapping[QuestionKind, str] = {"bibcode": "identifier", "doi": "doi", "arxiv": "identifier"}
_UNQUOTABLE = re.compile(r"[\s\"\\]")
_OR = " OR "


class AstrophysicsDataSystem(Source):
    """The search API of the Astrophysics Data System as a source of records (see the module)."""

    name = "ads"
    label = "NASA ADS"
    base_url = "https://api.adsabs.harvard.edu/v1"
    documentation = "https://ui.adsabs.harvard.edu/help/api/"
    batch: Mapping[QuestionKind, int] = {"bibcode": 25, "doi": 25, "arxiv": 25, "title": 5}
    keeps_author_order = True
    rate = Rate(per_second=1.0, concurrency=1)
    limits = "5,000 requests a day with a key"
    absence = "no evidence: it compiles other sources; they are queried all the same"
    derives_from = ("arxiv", "crossref")
    terms = Terms("facts, terms unread: keep cassettes private")
    unconfirmed = 'several alternatives in one query (`doi:"a" OR doi:"b"`)'
    role = Role(
        catalogue=("bibcode", "doi", "arxiv"),
        disciplines=("physics",),
        titles=(TitleSearch("batch", 60, ("physics",), ("article", "paper", "report", "misc", "thesis")),),
    )
    credentials = Credentials(
        "ADS_API_TOKEN",
        header="Authorization",
        scheme="Bearer",
        required=True,
        obtained="https://ui.adsabs.harvard.edu/user/settings/token",
    )
    # Riess and others on the accelerating universe.
    witnesses: Mapping[QuestionKind, Question] = {
        "bibcode": Question("bibcode", "1998AJ....116.1009R"),
        "doi": Question("doi", "10.1086/300499"),
        "arxiv": Question("arxiv", "astro-ph/9805201"),
        "title": Question(
            "title",
            "Observational Evidence from Supernovae for an Accelerating Universe and a Cosmological Constant",
            ("Riess",),
        ),
    }

    def accepts(self, question: Question) -> bool:
        """Bibcodes, DOIs that fit between quotes, arXiv ids without a version, and titles that hold a word."""
        match question.kind:
            case "bibcode":
                return bibcode(question.value) == question.value != ""
            case "doi":
                return bool(doi_name(question.value)) and not _UNQUOTABLE.search(question.value)
            case "arxiv":
                return arxiv_id(question.value) == question.value != ""
            case _:
                return question.kind == "title" and bool(plain_words(question.value))

    def request(self, questions: Sequence[Question]) -> Request:
        """``search/query`` with one alternative a question; titles of few words are asked only alone."""
        together = [question for question in questions if not are_few_words(question)] or questions[:1]
        return self._search([_clause(question) for question in together])

    def _search(self, clauses: Sequence[str]) -> Request:
        alone = len(clauses) == 1 and clauses[0].startswith("(")
        url = query_url(
            f"{self.base_url}/search/query",
            ("q", _OR.join(clauses)),
            ("fl", FIELDS),
            ("rows", SHORT_PAGE if alone else PAGE),
        )
        return Request(self.name, url)

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """Records by question. Raises MalformedAnswerError for all but a whole page of documents with their number."""
        body = mapping(parse_json(response.body))
        page = mapping(body.get("response"))
        found, total = page.get("docs"), whole_number(page.get("numFound"))
        if response.status >= 300 or not isinstance(found, list) or total is None:
            problem = text(mapping(body.get("error")).get("msg")) or text(body.get("error")) or response.status
            raise MalformedAnswerError(f"the answer of ADS is no page of documents: {problem}")
        return answered(questions, [parse_doc(doc) for doc in found], total=total, label=self.label)

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The searches that ask for each alternative alone."""
        return tuple(self._search([clause]) for clause in parameter(request.url, "q").split(_OR))


def _clause(question: Question) -> str:
    if question.kind in _FIELDS:
        prefix = "arXiv:" if question.kind == "arxiv" else ""
        return f'{_FIELDS[question.kind]}:"{prefix}{question.value}"'
    clauses = [f"title:{word}" for word in title_words(question)]
    author = first_author(question)
    if author and are_few_words(question):
        clauses.append(f'author:"{author}"')
    return f"({' '.join(clauses)})"


ADS = AstrophysicsDataSystem()
