"""Crossref: works with a DOI of the largest scholarly registration agency.

Documentation: Crossref REST API, api.crossref.org/swagger-ui, and its tips at crossref.org/documentation.
Absence: a DOI that Crossref does not hold may belong to another agency, and a search always ranks and never
decides; so no absence here is evidence. Author order: as deposited by the publisher, reliable but for few
conference publishers that sort their lists. Limits (since December 2025), without a contact address and with one: lists 1 and 3
requests a second, single works 5 and 10, 1 and 3 at the same time; announced in the headers x-rate-limit-limit,
x-rate-limit-interval and x-concurrency-limit, for each of the pools (x-api-pool) public-array, polite-array, public-single and
polite-single.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.model import Absent, Answer, Found, Question, QuestionKind, Record, Unavailable
from pytest_citecheck.services.base import (
    MalformedAnswerError,
    Pool,
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
from pytest_citecheck.services.parsing.query_url import parameter, path_url, query_url
from pytest_citecheck.services.parsing.search_words import plain_words
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["CROSSREF", "Crossref"]

# A comma ends a filter, so such a DOI has to be looked up by its own resource.
_UNFILTERABLE = lazy_pattern(r"[,\s]")
_LONGEST_QUERY = 400
# 50 are known to be answered (October 2026), of 60 nothing is known; one place is kept for the witness.
_DOIS = 49
# Copies of famous works fill the first seven places of a search; five more show what is searched for.
_ROWS = 12
_SINGLE = "single"
_YEARS = 2  # before and after the cited one, in searches for works of an author or a venue
_SAMPLE = 40  # works of a random sample; 100 at most
_TYPES = {"article": "journal-article", "paper": "proceedings-article"}
"""The types of works that samples are drawn of, by what they are called in questions."""


class Crossref(Source):
    """The Crossref REST API as a source of records (see the module)."""

    name = "crossref"
    label = "Crossref"
    base_url = "https://api.crossref.org"
    documentation = "https://api.crossref.org/swagger-ui/index.html"
    batch: Mapping[QuestionKind, int] = {
        "doi": _DOIS,
        "title": 1,
        "citation": 1,
        "author_search": 1,
        "venue_year": 1,
        "sample": 1,
    }
    keeps_author_order = True
    rate = Rate(per_second=1.0, concurrency=1)
    contact_rate = Rate(per_second=3.0, concurrency=3)
    pools: Mapping[str, Pool] = {
        _SINGLE: Pool(Rate(per_second=5.0, concurrency=1), Rate(per_second=10.0, concurrency=3))
    }
    contact: Mapping[str, str] = {"mailto": "{contact}"}
    limits = (
        "lists 1 request a second and 1 at a time, single works 5 and 1; with a contact address 3 and 3, 10 and 3; "
        "announced in x-rate-limit-* headers"
    )
    terms = Terms("facts, may be handed on; abstracts are not asked for")
    absence = "no evidence: a DOI may be another agency's, and a search ranks"
    first_hand = ("identifier", "title", "authors", "year", "venue")
    version = 2
    role = Role(looks_up=("doi",), agency="Crossref", titles=(TitleSearch("single", 20, in_listed_venues=False),))
    witnesses: Mapping[QuestionKind, Question] = {
        "doi": Question("doi", "10.1186/s13059-014-0550-8"),
        "title": Question(
            "title", "Moderated estimation of fold change and dispersion for RNA-seq data with DESeq2", ("Love",)
        ),
        "citation": Question(
            "citation",
            "Love MI, Huber W, Anders S. Moderated estimation of fold change and dispersion for RNA-seq data with DESeq2. "
            "Genome Biol. 2014;15(12):550.",
        ),
    }

    def accepts(self, question: Question) -> bool:
        """DOIs of any agency (it answers for its own), titles and strings with a word, works of an author or venue of a year."""
        if question.kind == "author_search":
            return not question.value and bool(question.authors and question.year and plain_words(question.title))
        if question.kind == "sample":
            return question.value.partition(" ")[0] in _TYPES
        if question.kind == "venue_year":
            return bool(question.year and plain_words(question.value)) and "/" not in question.value
        if question.kind in ("title", "citation"):
            return bool(plain_words(question.value))
        return question.kind == "doi" and bool(doi_name(question.value))

    def pool(self, question: Question) -> str:
        """Works that no filter can hold are single ones; all else are lists."""
        return _SINGLE if question.kind == "doi" and _UNFILTERABLE.search(question.value) else ""

    def request(self, questions: Sequence[Question]) -> Request:
        """``works?filter=doi:…``, ``works/{doi}`` for a DOI that no filter can hold, else a search."""
        return Request(self.name, self._url(questions))

    def _url(self, questions: Sequence[Question]) -> str:
        from pytest_citecheck.services.crossref.record import SELECT

        first = questions[0]
        works = f"{self.base_url}/works"
        if first.kind == "doi":
            names = [question.value for question in questions if not _UNFILTERABLE.search(question.value)]
            if not names:
                return path_url(works, first.value)
            filters = ",".join(f"doi:{name}" for name in names)
            return query_url(works, ("filter", filters), ("rows", len(names)), ("select", SELECT))
        if first.kind == "sample":
            kind, period, *_ = first.value.split()
            start, _, end = period.partition("-")
            dates = f"type:{_TYPES[kind]},from-pub-date:{start}" + (f",until-pub-date:{end}" if end else "")
            return query_url(works, ("filter", dates), ("sample", _SAMPLE), ("select", SELECT))
        if first.kind in ("author_search", "venue_year") and first.year:
            dates = f"from-pub-date:{first.year - _YEARS},until-pub-date:{first.year + _YEARS}"
            if first.kind == "venue_year":
                queries = [("query.container-title", first.value)]
            else:
                queries = [("query.author", first.authors[0]), ("query.bibliographic", first.title[:_LONGEST_QUERY])]
            return query_url(works, *queries, ("filter", dates), ("rows", _ROWS), ("select", SELECT))
        # Of a long string the end: its beginning is a list of people.
        said = first.value[:_LONGEST_QUERY] if first.kind == "title" else first.value[-_LONGEST_QUERY:]
        wanted = " ".join([said, *first.authors[:1]])
        return query_url(works, ("query.bibliographic", wanted), ("rows", _ROWS), ("select", SELECT))

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """Records by question. Raises MalformedAnswerError for all but works or the plain 404 of a work."""
        from pytest_citecheck.services.crossref.record import (
            is_beside_the_work,
            is_notice_under_its_title,
            names_of,
            parse_work,
        )
        from pytest_citecheck.services.parsing.unread import without_absences

        if response.status == 404:
            return dict.fromkeys(questions, _no_such_work(questions, response.body))
        works = _works(parse_json(response.body), response.status)
        if questions[0].kind != "doi":
            # A notice may bear the title of the work that it retracts ("Retracted: …"), and is not that work.
            works = [work for work in works if not is_notice_under_its_title(work) and not is_beside_the_work(work)]
            if not works:
                return dict.fromkeys(questions, Absent())
        records = [(names_of(mapping(work)), record) for work in works if (record := parse_work(work))]
        if works and not records:
            raise MalformedAnswerError("no item of Crossref's answer is a work")
        answers = {question: _answer(question, records, alone=len(questions) == 1) for question in questions}
        return without_absences(answers, self.label) if len(records) < len(works) else answers

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that look up each DOI of a filter alone."""
        filters = parameter(request.url, "filter")
        if not filters.startswith("doi:"):
            return (request,)
        names = [part.removeprefix("doi:") for part in filters.split(",")]
        return tuple(self.request([Question("doi", name)]) for name in names)


def _no_such_work(questions: Sequence[Question], body: bytes) -> Absent:
    # The API says "Resource not found." in plain text; any other page comes from something in between.
    if len(questions) == 1 and questions[0].kind == "doi" and body.strip().lower().startswith(b"resource not found"):
        return Absent()
    raise MalformedAnswerError("a 404 that is not Crossref's word for an unknown DOI")


def _works(body: Any, status: int) -> list[Any]:
    """The works of an answer, whole: ``message-type`` work-list or work."""
    envelope = mapping(body)
    if status >= 300 or envelope.get("status") == "failed":
        problems = envelope.get("message")
        said = "; ".join(text(mapping(item).get("message")) for item in problems) if isinstance(problems, list) else ""
        raise MalformedAnswerError(f"Crossref refused the request: {said or status}")
    message = envelope.get("message")
    if not isinstance(message, dict):
        raise MalformedAnswerError("Crossref's answer has no message")
    kind = envelope.get("message-type")
    if kind == "work" and text(message.get("DOI")):
        return [message]
    items = message.get("items")
    if kind != "work-list" or not isinstance(items, list):
        raise MalformedAnswerError(f"Crossref's answer is not a list of works but {text(kind) or 'untyped'}")
    total, rows = whole_number(message.get("total-results")), whole_number(message.get("items-per-page"))
    start = whole_number(mapping(message.get("query")).get("start-index"))
    if total and rows and not start and "next-cursor" not in message and len(items) < min(total, rows):
        raise MalformedAnswerError(f"Crossref's answer contains {len(items)} of {min(total, rows)} works")
    return items


def _answer(question: Question, records: list[tuple[frozenset[str], Record]], *, alone: bool) -> Answer:
    if question.kind != "doi":
        titled = tuple(record for _, record in records if record.title)
        return Found(titled) if titled else Absent()
    mine = tuple(record for names, record in records if question.value in names)
    if mine:
        return Found(mine)
    if not alone and _UNFILTERABLE.search(question.value):
        return Unavailable("not-asked", "a DOI with a comma must be queried alone")
    return Absent()


CROSSREF = Crossref()
