"""The catalogue of a single field: alternatives of identifiers or of titles in one query, one page of results."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from pytest_citecheck.matching import asked_place
from pytest_citecheck.model import Answer, Query, QueryKind, Record, Unavailable
from pytest_citecheck.sources.base import MalformedAnswerError, Request, Response, Source
from pytest_citecheck.sources.parsing import (
    Fields,
    answer_with,
    answered,
    mapping,
    parameter,
    parse_json,
    query_url,
    titled_alike,
    whole_number,
)
from pytest_citecheck.sources.search import is_at_place, plain_words, whole_words

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping, Sequence

Named = tuple[frozenset[tuple[str, str]], Record]
"""A record with all identifiers under which the service knows it, as pairs of a kind of query and a value."""

PAGE, SHORT_PAGE = 100, 10
"""Results asked for: for several queries, and for one title."""
_MOST_WORDS = 8
_FEWEST_WORDS = 4
"""Titles with fewer words have many namesakes, which would crowd out the works of other titles; they are asked alone."""


def title_words(query: Query) -> list[str]:
    """The words of a title that a good record should have, in lower case, as AND, OR and NOT are operators."""
    return [word.lower() for word in whole_words(query.value, _MOST_WORDS)]


def are_few_words(query: Query) -> bool:
    """Return True if a title must be queried alone, and with its first author."""
    return query.kind == "title" and len(title_words(query)) < _FEWEST_WORDS


def first_author(query: Query) -> str:
    """The plain words of the first author's family name, in lower case; empty if no author is stated."""
    return " ".join(plain_words(query.authors[0])).lower() if query.authors else ""


def answers_of_page(
    queries: Sequence[Query], results: Sequence[Named | None], *, total: int, label: str
) -> dict[Query, Answer]:
    """Answer each query from the results of one page, out of ``total`` results.

    None marks an unreadable result: then no work counts as absent. No absence has a scope. Raises MalformedAnswerError
    for a page with fewer results than it should have, or without a readable one.
    """
    if len(results) < min(total, SHORT_PAGE if len(queries) == 1 else PAGE):
        raise MalformedAnswerError(f"{label}'s answer contains {len(results)} of {total} results")
    more = total > len(results)
    # A recorded batch is read for one query, too.
    together = len(queries) > 1 or len(results) > SHORT_PAGE

    def answer(query: Query, read: list[Named]) -> Answer:
        if query.kind == "title":
            return titled_alike(query, [record for _, record in read], cut=more and together)
        if query.kind == "place":
            about_query = [record for _, record in read if is_at_place(asked_place(query.value), record)]
        else:
            about_query = [record for names, record in read if (query.kind, query.value) in names]
        if not about_query and more:
            return Unavailable("not-asked", f"{label} has more works for these identifiers than it shows")
        return answer_with(about_query)

    return answered(label, queries, results, lambda result: result, answer)


class FieldCatalogue(Source):
    """A catalogue as a source of records (see the module).

    path: of the search, below the base URL. query: the name of the parameter with the query.
    unquotable: what would end or bend the clause of a DOI. clauses: by kind, the clause of an identifier.
    title_word, author, both: the clauses of a word of a title and of a family name, and what joins them.
    either: what joins the alternatives of a query.
    """

    keeps_author_order = True
    path: str
    query = "q"
    unquotable: re.Pattern[str]
    clauses: Mapping[QueryKind, str]
    title_word: str
    author: str
    both: str
    either: str

    @abstractmethod
    def parameters(self, query: str, hits: int) -> tuple[tuple[str, str | int], ...]:
        """The parameters of a search, the query among them."""

    @abstractmethod
    def page(self, body: Fields) -> tuple[object, object, object]:
        """The results of an answer, how many there are altogether, and what it says where it is none."""

    @abstractmethod
    def read(self, result: object) -> Named | None:
        """The record of one result; None if it cannot be read."""

    def accepts(self, query: Query) -> bool:
        """All well-formed queries but DOIs that would end or bend their clause."""
        return super().accepts(query) and not (query.kind == "doi" and self.unquotable.search(query.value))

    def request(self, queries: Sequence[Query]) -> Request:
        """The search with one alternative a query; titles of few words are asked only alone."""
        together = [query for query in queries if not are_few_words(query)] or queries[:1]
        return self._search([self._clause(query) for query in together])

    def _search(self, clauses: Sequence[str]) -> Request:
        one_title = len(clauses) == 1 and clauses[0].startswith("(")
        parameters = self.parameters(self.either.join(clauses), SHORT_PAGE if one_title else PAGE)
        return Request(self.name, query_url(f"{self.base_url}/{self.path}", *parameters))

    def _clause(self, query: Query) -> str:
        if query.kind == "place":
            asked = asked_place(query.value)
            place = f"{' '.join(plain_words(asked.journal))},{asked.volume},{asked.first}"
            return self.clauses[query.kind].format(place)
        if query.kind in self.clauses:
            return self.clauses[query.kind].format(query.value)
        clauses = [self.title_word.format(word) for word in title_words(query)]
        author = first_author(query)
        if author and are_few_words(query):
            clauses.append(self.author.format(author))
        return f"({self.both.join(clauses)})"

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError for all but a whole page of results with their number."""
        results, number, problem = self.page(mapping(parse_json(response.body)))
        total = whole_number(number)
        if response.status >= 300 or not isinstance(results, list) or total is None:
            raise MalformedAnswerError(f"{self.label}'s answer is no page of results: {problem or response.status}")
        return answers_of_page(queries, [self.read(result) for result in results], total=total, label=self.label)

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The searches that ask for each alternative alone."""
        return tuple(self._search([clause]) for clause in parameter(request.url, self.query).split(self.either))
