"""OpenReview: submissions to conferences and journals that review in the open, by id and by title.

Written from the documentation (docs.openreview.net, "API v2 Reference" and "API v1 Reference") and not from recorded
answers, so it accepts documented forms only. Submissions before about 2023 are in version 1, later ones in version 2; each
answers for its own. Absence: a note that one version does not have may be in the other, private or deleted, and a search
ranks; so none is evidence. Author order: as submitted, reliable; anonymous during review. Limits: none are published; since
2026 a note is shown by its id to those who are logged in only (others get status 403, ChallengeRequired); the search answers
everybody, and is asked for the title of a work whose id is cited. A list is counted only where that is asked for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.catalogue_keys import openreview_id
from pytest_citecheck.model import Absent, Answer, CitedMetadata, Found, Question, QuestionKind
from pytest_citecheck.services.base import (
    Credentials,
    Login,
    MalformedAnswerError,
    Rate,
    Request,
    Response,
    Role,
    Source,
    TitleSearch,
)
from pytest_citecheck.services.parsing.json_body import mapping, parse_json, text, whole_number
from pytest_citecheck.services.parsing.query_url import query_url
from pytest_citecheck.services.parsing.search_words import plain_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["LOGIN", "OPENREVIEW", "OPENREVIEW_V1", "OpenReview"]

LOGIN = Login("/login", ("OPENREVIEW_USERNAME", "OPENREVIEW_PASSWORD"), ("id", "password"), "token", 3600.0)
"""As its own client logs in (openreview-py, ``OpenReviewClient.login_user``). A token holds for an hour unless another time is
asked for."""

_MOST_WORDS = 25
_HITS = 10


class OpenReview(Source):
    """One version of the OpenReview API as a source of records (see the module)."""

    batch: Mapping[QuestionKind, int] = {"openreview": 1, "title": 1}
    keeps_author_order = True
    rate = Rate(per_second=1.0, concurrency=1)
    limits = "none published; 1 request a second is customary; ids need a login since 2026"
    absence = "no evidence: a submission may be in the other version of the API, private or deleted, and a search ranks"
    unconfirmed = "raw bodies of answers"
    first_hand = ("identifier", "title", "authors")
    role = Role(catalogue=("openreview",), titles=(TitleSearch("single", 5),))
    credentials = Credentials(
        variable="OPENREVIEW_TOKEN", header="Authorization", scheme="Bearer", required=("openreview",), login=LOGIN
    )
    version = 2

    def __init__(self, name: str, label: str, base_url: str, documentation: str, known: tuple[str, str]) -> None:
        """``known`` are the id and the title of a submission that this version certainly has."""
        self.name = name
        self.label = label
        self.base_url = base_url
        self.documentation = documentation
        self.witnesses = {"openreview": Question("openreview", known[0]), "title": Question("title", known[1])}

    def accepts(self, question: Question) -> bool:
        """Well-formed ids and titles that hold a word."""
        if question.kind == "title":
            return bool(plain_words(question.value))
        return question.kind == "openreview" and openreview_id(question.value) == question.value != ""

    def may_list(self, cited: CitedMetadata) -> bool:
        """If one of its ids is cited."""
        return bool(cited.identifiers.openreview)

    def request(self, questions: Sequence[Question]) -> Request:
        """``notes?id=…``, or ``notes/search`` for the words of a title among submissions."""
        question = questions[0]
        if question.kind == "openreview":
            return Request(self.name, query_url(f"{self.base_url}/notes", ("id", question.value)))
        url = query_url(
            f"{self.base_url}/notes/search",
            ("term", " ".join(plain_words(question.value)[:_MOST_WORDS])),
            ("content", "title"),
            ("group", "all"),
            ("source", "forum"),
            ("limit", _HITS),
        )
        return Request(self.name, url)

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """Records by question. Raises MalformedAnswerError for all but whole lists of notes and the 404 of a note."""
        from pytest_citecheck.services.openreview.record import parse_note
        from pytest_citecheck.services.parsing.unread import without_absences

        body = mapping(parse_json(response.body))
        if response.status == 404:
            return dict.fromkeys(questions, _no_such_note(questions, body))
        notes = _notes(body, response.status)
        answers = {question: self._answer(question, notes) for question in questions}
        unread = any(parse_note(note) is None for note in notes)
        return without_absences(answers, self.label) if unread else answers

    def _answer(self, question: Question, notes: Sequence[Any]) -> Answer:
        from pytest_citecheck.services.openreview.record import note_id, parse_note

        if question.kind == "openreview" and any(note_id(note) != question.value for note in notes):
            raise MalformedAnswerError(f"OpenReview answered with another note than {question.value}")
        records = [replace(record, source=self.name) for record in map(parse_note, notes) if record]
        if notes and not records:
            raise MalformedAnswerError("no item of OpenReview's answer is a note")
        if question.kind == "title":
            records = [record for record in records if record.title]
        return Found(tuple(records)) if records else Absent()


def _no_such_note(questions: Sequence[Question], body: Mapping[str, Any]) -> Absent:
    if all(question.kind == "openreview" for question in questions) and text(body.get("name")) == "NotFoundError":
        return Absent()
    raise MalformedAnswerError("a 404 that is not OpenReview's word for an unknown note")


def _notes(body: Mapping[str, Any], status: int) -> list[Any]:
    """The notes of an answer, as many as it counts."""
    if status >= 300 or "errors" in body:
        raise MalformedAnswerError(f"OpenReview refused the request: {text(body.get('message')) or status}")
    notes, count = body.get("notes"), whole_number(body.get("count"))
    if not isinstance(notes, list):
        raise MalformedAnswerError("OpenReview's answer has no notes")
    if len(notes) < min(count or 0, _HITS):
        raise MalformedAnswerError(f"OpenReview's answer contains {len(notes)} of {count} notes")
    return notes


OPENREVIEW = OpenReview(
    "openreview",
    "OpenReview",
    "https://api2.openreview.net",
    "https://docs.openreview.net/reference/api-v2",
    ("VTF8yNQM66", "SWE-bench: Can Language Models Resolve Real-world Github Issues?"),
)
OPENREVIEW_V1 = OpenReview(
    "openreview_v1",
    "OpenReview (API 1)",
    "https://api.openreview.net",
    "https://docs.openreview.net/reference/api-v1",
    ("Sy2fzU9gl", "beta-VAE: Learning Basic Visual Concepts with a Constrained Variational Framework"),
)
