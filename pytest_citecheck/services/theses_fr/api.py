"""theses.fr: French doctoral theses by their national number and by title.

Written from the documentation (theses.fr/api/v1) and not from recorded answers. Universities catalogue the theses that they
accept, so it is first-hand. Absence: theses before 1985 and medical ones are lacking, so it is no evidence. Author order: there
is one author. Limits: none are published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.identifiers.repository_ids import nnt
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
from pytest_citecheck.services.parsing.json_body import mapping, parse_json, whole_number
from pytest_citecheck.services.parsing.libraries.french_research import may_be_french
from pytest_citecheck.services.parsing.query_url import parameter, query_url
from pytest_citecheck.services.parsing.search_words import main_words, plain_words
from pytest_citecheck.services.parsing.title_batch import titled_alike
from pytest_citecheck.services.parsing.unread import without_absences
from pytest_citecheck.services.theses_fr.record import parse_thesis

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["THESES_FR", "ThesesFr"]

_HITS = 20
_MOST_WORDS = 8


class ThesesFr(Source):
    """The search of theses.fr as a source of records (see the module)."""

    name = "theses_fr"
    label = "theses.fr"
    base_url = "https://theses.fr"
    documentation = "https://theses.fr/api/v1/theses/openapi.yaml"
    batch: Mapping[QuestionKind, int] = {"nnt": 10, "title": 1}
    keeps_author_order = True
    rate = Rate(per_second=2.0, concurrency=1)
    limits = "none published; 2 requests a second are used"
    terms = Terms("open data, may be handed on with the source named")
    absence = "no evidence: theses before 1985 and of medicine are lacking, and a search ranks"
    unconfirmed = "the names in its answers, the field `nnt` of its queries, that a search wants all words"
    first_hand = ("identifier", "title", "authors", "year", "venue")
    role = Role(looks_up=("nnt",), titles=(TitleSearch("single", 10, works=("thesis",)),))
    witnesses: Mapping[QuestionKind, Question] = {
        "nnt": Question("nnt", "2010DENS0040"),
        "title": Question(
            "title",
            "Représentations parcimonieuses en apprentissage statistique, traitement d'image et vision par ordinateur",
            ("Mairal",),
        ),
    }

    def accepts(self, question: Question) -> bool:
        """Numbers of theses, and titles that hold a word."""
        if question.kind == "title":
            return bool(plain_words(question.value))
        return question.kind == "nnt" and question.value != "" and nnt(question.value) == question.value

    def may_list(self, cited: CitedMetadata) -> bool:
        """Theses that may be from France."""
        return may_be_french(cited)

    def request(self, questions: Sequence[Question]) -> Request:
        """``recherche/`` for these numbers, or for the words of the title and the author."""
        first = questions[0]
        if first.kind == "nnt":
            return self._search(f"nnt:({' OR '.join(question.value for question in questions)})")
        words = main_words(first.value, _MOST_WORDS, with_author=bool(first.authors))
        author = [word for name in first.authors[:1] for word in plain_words(name)[-1:]]
        return self._search(" ".join(word.lower() for word in (*words, *author)))

    def _search(self, query: str) -> Request:
        parameters = (("q", query), ("debut", 0), ("nombre", _HITS), ("tri", "pertinence"))
        return Request(self.name, query_url(f"{self.base_url}/api/v1/theses/recherche/", *parameters))

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """Records by question. Raises MalformedAnswerError for errors and for all but whole lists of theses."""
        body = mapping(parse_json(response.body))
        theses, total = body.get("theses"), whole_number(body.get("totalHits"))
        if response.status >= 300 or not isinstance(theses, list) or total is None:
            raise MalformedAnswerError(f"theses.fr's answer of status {response.status} is no list of theses")
        # Theses that are being written have no number, and are no evidence of anything.
        written = [thesis for thesis in theses if mapping(thesis).get("status") != "enCours"]
        records = [record for record in map(parse_thesis, written) if record is not None]
        if len(theses) < min(total, _HITS) or (written and not records):
            raise MalformedAnswerError(f"theses.fr's answer contains {len(records)} of {total} theses")
        answers: dict[Question, Answer] = {}
        for question in questions:
            if question.kind == "title":
                answers[question] = titled_alike(question, records, cut=False)
            else:
                mine = tuple(record for record in records if record.id == question.value)
                answers[question] = Found(mine) if mine else Absent()
        return without_absences(answers, self.label) if len(records) < len(written) else answers

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that look up each number of a list alone."""
        query = parameter(request.url, "q")
        if not query.startswith("nnt:("):
            return (request,)
        return tuple(self._search(f"nnt:({number})") for number in query[len("nnt:(") : -1].split(" OR "))


THESES_FR = ThesesFr()
