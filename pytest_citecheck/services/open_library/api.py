"""Open Library: books by ISBN and by title.

Written from the documentation (openlibrary.org/developers/api) and not from recorded answers, so it accepts documented
forms only. Users contribute its records and machines import them, so it compiles. Absence: a book that no user has entered
yet is left out of the answer; so it is no evidence. Author order: as somebody entered it, says nothing. Limits: 1 request a
second, 3 for those whose User-Agent names an address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.standard_numbers import find_isbns
from pytest_citecheck.model import Absent, Answer, Found, Question, QuestionKind, Record, Unavailable
from pytest_citecheck.services.base import MalformedAnswerError, Rate, Request, Response, Role, Source, TitleSearch
from pytest_citecheck.services.parsing.json_body import parse_json, whole_number
from pytest_citecheck.services.parsing.query_url import parameter, query_url
from pytest_citecheck.services.parsing.search_words import plain_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["OPEN_LIBRARY", "OpenLibrary"]

_HITS = 5
_OPERATORS = frozenset({"AND", "OR", "NOT"})  # of its queries
_MOST_WORDS = 25


class OpenLibrary(Source):
    """Open Library's Books and Search APIs as a source of records (see the module)."""

    name = "open_library"
    label = "Open Library"
    base_url = "https://openlibrary.org"
    documentation = "https://openlibrary.org/developers/api"
    batch: Mapping[QuestionKind, int] = {"isbn": 40, "title": 1}
    keeps_author_order = False
    rate = Rate(per_second=1.0, concurrency=1)
    contact_rate = Rate(per_second=3.0, concurrency=1)
    limits = "1 request a second; 3 with a contact address"
    absence = "no evidence: users enter its records; other sources are queried all the same, and titles have no witness"
    derives_from = ("loc",)
    role = Role(looks_up=("isbn",), titles=(TitleSearch("single", 8, works=("book",)),))
    # The book in the examples of the documentation.
    witnesses: Mapping[QuestionKind, Question] = {"isbn": Question("isbn", "9780201558029")}

    def accepts(self, question: Question) -> bool:
        """ISBNs of 13 digits whose check digit is right, and titles that hold a word."""
        if question.kind == "title":
            return bool(plain_words(question.value))
        return question.kind == "isbn" and find_isbns(question.value) == ((question.value,), "")

    def request(self, questions: Sequence[Question]) -> Request:
        """``api/books?bibkeys=ISBN:…`` for ISBNs, else ``search.json`` for the title without its subtitle."""
        from pytest_citecheck.services.open_library.record import FIELDS

        first = questions[0]
        if first.kind == "isbn":
            url = query_url(
                f"{self.base_url}/api/books",
                ("bibkeys", ",".join(map(_bibkey, questions))),
                ("format", "json"),
                ("jscmd", "data"),
            )
            return Request(self.name, url)
        words = (word.lower() if word in _OPERATORS else word for word in _title_words(first)[:_MOST_WORDS])
        wanted = [("title", " ".join(words))]
        wanted += [("author", " ".join(plain_words(name))) for name in first.authors[:1] if plain_words(name)]
        url = query_url(f"{self.base_url}/search.json", *wanted, ("fields", FIELDS), ("limit", _HITS))
        return Request(self.name, url)

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """Records by question. Raises MalformedAnswerError for all but editions by ``bibkey`` and whole lists of works."""
        from pytest_citecheck.services.parsing.unread import without_absences

        body = parse_json(response.body)
        if response.status >= 300 or not isinstance(body, dict) or "error" in body:
            raise MalformedAnswerError(f"Open Library refused the request with status {response.status}")
        if questions[0].kind == "isbn":
            if any(not name.startswith("ISBN:") for name in body):
                raise MalformedAnswerError("Open Library's answer contains other things than books by ISBN")
            return {question: _edition(question, body) for question in questions}
        works = _works(body)
        answer: Answer = Found(works) if works else Absent()
        answers = dict.fromkeys(questions, answer)
        return without_absences(answers, self.label) if len(works) < len(body["docs"]) else answers

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that look up each ISBN of a list alone."""
        keys = parameter(request.url, "bibkeys")
        if not keys:
            return (request,)
        return tuple(self.request([Question("isbn", key.removeprefix("ISBN:"))]) for key in keys.split(","))


def _bibkey(question: Question) -> str:
    return f"ISBN:{question.value}"


def _title_words(question: Question) -> tuple[str, ...]:
    """Those before the colon, as titles and subtitles are kept apart, if an author makes up for the rest."""
    title = plain_words(question.value.partition(":")[0]) if question.authors else ()
    return title or plain_words(question.value)


def _edition(question: Question, body: Mapping[str, Any]) -> Answer:
    from pytest_citecheck.services.open_library.record import parse_edition

    if _bibkey(question) not in body:
        return Absent()
    record = parse_edition(body[_bibkey(question)])
    if record is None or question.value not in record.isbn:
        # One book in the wrong place says nothing of the others in the answer.
        return Unavailable("malformed", f"Open Library's book for {question.value} is another one or has no title")
    return Found((record,))


def _works(body: Mapping[str, Any]) -> tuple[Record, ...]:
    """The works of a search, as many as it counts."""
    from pytest_citecheck.services.open_library.record import parse_work

    docs, total = body.get("docs"), whole_number(body.get("numFound"))
    if not isinstance(docs, list) or total is None:
        raise MalformedAnswerError("Open Library's answer is not a list of works")
    records = tuple(record for record in map(parse_work, docs) if record)
    if len(docs) < min(total, _HITS) or (docs and not records):
        raise MalformedAnswerError(f"Open Library's answer contains {len(records)} of {total} works")
    return records


OPEN_LIBRARY = OpenLibrary()
