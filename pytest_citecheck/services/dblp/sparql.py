"""DBLP over SPARQL: publications by DOI, key and title, and all publications of a series in a year.

Documentation: sparql.dblp.org and dblp FAQ "How to query the dblp knowledge graph?" (dblp.org/faq/1474832). Since autumn 2026
DBLP's search and record pages show programs a page that only a browser passes; this endpoint is open to them. Absence: of a
title, none is evidence, as its beginning may differ; all publications of a stream and year are a complete list of it, where
DBLP lists the stream and year at all. Author order: as in the publication, by the ordinals of the signatures. Limits: one
request a second over one connection, 30 seconds a query, longer queries posted (as announced for this beta).
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from pytest_citecheck.model import Absent, Answer, CitedMetadata, Found, Question, QuestionKind, Record
from pytest_citecheck.services.base import (
    PAPERS,
    MalformedAnswerError,
    Rate,
    Request,
    Response,
    Role,
    Source,
    Terms,
    TitleSearch,
)
from pytest_citecheck.services.dblp.names import beginnings, has_name, sure_part
from pytest_citecheck.services.dblp.sparql_query import (
    DOI,
    MOST_TITLED,
    STREAM,
    beginning,
    by_beginning,
    by_doi,
    by_key,
    by_place,
    is_short,
    one_of_place,
    query_of,
    single_queries,
    to_request,
)
from pytest_citecheck.services.dblp.sparql_rows import Row, rows_of
from pytest_citecheck.services.parsing.identifiers import doi_name
from pytest_citecheck.services.parsing.json_body import whole_number, year_of
from pytest_citecheck.venues.comparison import lookup

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

__all__ = ["DBLP_SPARQL", "DblpSparql"]


class DblpSparql(Source):
    """DBLP's SPARQL endpoint as a source of records (see the module)."""

    name = "dblp_sparql"
    label = "DBLP (SPARQL)"
    base_url = "https://sparql.dblp.org"
    documentation = "https://sparql.dblp.org"
    batch: Mapping[QuestionKind, int] = {"doi": 50, "dblp": 50, "title": 8, "author_search": 50, "venue_year": 1}
    keeps_author_order = True
    rate = Rate(per_second=1.0, concurrency=1)
    limits = "one request a second over one connection, 30 s a query; the endpoint is a beta"
    terms = Terms("CC0, may be handed on", reported=True)
    absence = "complete for volumes that it lists completely, once they are two years old; otherwise no evidence"
    first_hand = ("identifier", "title", "authors", "year", "venue")
    unconfirmed = "the order in which titles are sorted (the witness has other capitals than DBLP writes)"
    role = Role(
        catalogue=("dblp",),
        opinion=3,
        titles=(
            TitleSearch("single", 10, ("computer_science",), PAPERS),
            TitleSearch(
                "single", 30, ("physics", "mathematics", "social_science", "interdisciplinary", "other"), PAPERS
            ),
            TitleSearch("single", 30, works=("book", "thesis")),
        ),
    )
    witnesses: Mapping[QuestionKind, Question] = {
        "doi": Question("doi", "10.18653/v1/n19-1423"),
        "dblp": Question("dblp", "conf/nips/VaswaniSPUJGKP17"),
        "title": Question("title", "Bert: pre-training of deep bidirectional transformers for language understanding"),
        "author_search": Question("author_search", "conf/nips", ("Vaswani",), 2017),
        "venue_year": Question("venue_year", "conf/nips", (), 2017),
    }

    def accepts(self, question: Question) -> bool:
        """DOIs, keys, titles that begin with letters, streams in a year, and authors there with a name in Latin script."""
        from pytest_citecheck.services.dblp.record import KEY, STREAM_KEY

        if question.kind == "doi":
            return bool(doi_name(question.value))
        if question.kind == "dblp":
            return KEY.fullmatch(question.value) is not None
        if question.kind == "title":
            start = beginning(question.value)
            return bool(start) and (not is_short(start) or bool(sure_part(question.authors)))
        if question.kind not in ("author_search", "venue_year") or not STREAM_KEY.fullmatch(question.value):
            return False
        return bool(question.year) and (question.kind == "venue_year" or bool(beginnings(question.authors)))

    def may_list(self, cited: CitedMetadata) -> bool:
        """Not if its key is cited, which is asked for instead, nor if the venue is known and DBLP does not list it."""
        venue = lookup(cited.venue) if cited.venue else None
        listed = venue is None or bool(venue.dblp) or venue.kind not in ("journal", "conference", "workshop")
        return listed and not cited.identifiers.dblp

    def group(self, question: Question) -> Hashable:
        """Authors in one volume are looked for in one list of it."""
        return _place(question) if question.kind == "author_search" else ""

    def request(self, questions: Sequence[Question]) -> Request:
        """One query for all of these questions, which are of one kind."""
        kind = questions[0].kind
        if kind == "doi":
            query = by_doi(question.value for question in questions)
        elif kind == "dblp":
            query = by_key(question.value for question in questions)
        elif kind == "title":
            query = by_beginning(dict.fromkeys(map(_titled, questions)))
        elif kind == "author_search":
            query = by_place(dict.fromkeys(map(_place, questions)))
        else:
            query = one_of_place(*_place(questions[0]))
        return to_request(self.name, self.base_url, query)

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """Records by question. Raises MalformedAnswerError unless it is a whole table of publications."""
        from pytest_citecheck.services.parsing.unread import without_absences

        rows = rows_of(response)
        answers = {question: _answer(question, rows) for question in questions}
        return without_absences(answers, self.label) if any(row.record is None for row in rows) else answers

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that put each question of a query alone."""
        queries = single_queries(query_of(request))
        return tuple(to_request(self.name, self.base_url, query) for query in queries) or (request,)


def _place(question: Question) -> tuple[str, int]:
    return question.value, question.year or 0


def _titled(question: Question) -> tuple[str, str]:
    start = beginning(question.value)
    return start, sure_part(question.authors) if is_short(start) else ""


def _answer(question: Question, rows: Sequence[Row]) -> Answer:
    from pytest_citecheck.services.parsing.title_batch import titled_alike

    if question.kind == "doi":
        mine = [row for row in rows if _asked_doi(row) == question.value.lower()]
        return _found(mine)
    if question.kind == "dblp":
        return _found([row for row in rows if row.record and row.record.id == question.value])
    if question.kind == "title":
        start = beginning(question.value)
        mine = [row for row in rows if row.values.get("asked") == start]
        cut = len({row.values.get("publication") for row in mine}) >= MOST_TITLED
        return titled_alike(question, _records(mine), cut=cut)
    return _listed(question, rows)


def _asked_doi(row: Row) -> str:
    return unquote(row.values.get("asked", "").removeprefix(DOI)).lower()


def _records(rows: Sequence[Row]) -> tuple[Record, ...]:
    return tuple({row.record.id: row.record for row in reversed(rows) if row.record}.values())[::-1]


def _found(rows: Sequence[Row]) -> Answer:
    records = _records(rows)
    return Found(records) if records else Absent()


def _listed(question: Question, rows: Sequence[Row]) -> Answer:
    """What the list of a volume says of its existence, or of authors in it."""
    place = f"{question.value} {question.year}"
    mine = [
        row
        for row in rows
        if row.values.get("stream") == f"{STREAM}{question.value}" and year_of(row.values.get("year")) == question.year
    ]
    if question.kind == "venue_year":
        if len(mine) < len(rows):
            raise MalformedAnswerError(f"DBLP's answer contains publications from outside {place}")
        return Found(_records(mine), f"DBLP lists {place}") if mine else Absent()
    names = " or ".join(question.authors)
    shown = len({row.values.get("publication") for row in mine})
    stated = {whole_number(row.values.get("total")) for row in mine}
    if mine and stated != {shown}:
        raise MalformedAnswerError(
            f"DBLP's answer contains {shown} of {max(filter(None, stated), default=0)} in {place}"
        )
    wanted = beginnings(question.authors)
    theirs = _records([row for row in mine if row.record and has_name(row.record, wanted)])
    if not theirs:
        return Absent(f"DBLP lists no work in {place} by an author named {names}")
    return Found(theirs, f"DBLP lists {len(theirs)} works in {place} by an author named {names}")


DBLP_SPARQL = DblpSparql()
