"""Registers of French research, by their own numbers and by title; and whether a thesis or report may be from France, by its
school or institution: then these may have it."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from pytest_citecheck.matching import fold, lazy_pattern
from pytest_citecheck.model import Answer, CitedMetadata, Query, QueryKind, Record
from pytest_citecheck.sources.base import MalformedAnswerError, Rate, Request, Response, Source, Terms
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

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FRENCH = lazy_pattern(
    r"\b(?:universite|ecole|institut (?:national|polytechnique|de|d)|insa|inria|cnrs|irisa|loria|sorbonne|paris|psl|saclay|orsay|"
    r"grenoble|lyon|toulouse|rennes|nancy|bordeaux|marseille|montpellier|strasbourg|nantes|lille|compiegne|nice|cachan|"
    r"evry|orleans|poitiers|dijon|limoges|rouen|caen|besancon|reims|france|francaise|telecom|enst|ens|ehess|cnam|hal|onera)\b"
)
_ELSEWHERE = lazy_pattern(
    r"\b(?:montreal|laval|quebec|sherbrooke|ottawa|moncton|louvain|liege|bruxelles|namur|mons|geneve|lausanne|fribourg|neuchatel|"
    r"luxembourg|tunis|sfax|alger|rabat|dakar|texas|kentucky|lisboa|berlin|bern|zurich)\b"
)
_FIELDS = ("school", "institution", "address", "location", "publisher", "type", "note")


_EITHER = " OR "
_NEXT_TITLE = lazy_pattern(r"(?<=\)\)) OR (?=\()")


class FrenchRegister(Source):
    """A register of French research, queried by its own numbers and by title with the first author.

    number: the kind of query for its numbers. path: of the search, below the base URL. field: of its numbers in a
        query.
    quoted: the form of a number in a query. hits: maximum number of documents in an answer.
    """

    keeps_author_order = True
    rate = Rate(per_second=2.0, concurrency=1)
    limits = "none published; 2 requests a second are used"
    terms = Terms("open data, may be redistributed with attribution")
    number: QueryKind
    path: str
    field: str
    quoted: str
    hits: int

    @abstractmethod
    def parameters(self, query: str) -> tuple[tuple[str, str | int], ...]:
        """The parameters of a search, the query ``q`` among them."""

    @abstractmethod
    def titled(self, query: Query) -> str:
        """The query for the words of a title with its first author."""

    @abstractmethod
    def documents(self, body: Fields) -> tuple[object, object]:
        """The documents of an answer, and how many there are altogether."""

    @abstractmethod
    def read(self, document: object) -> Record | None:
        """The record of a document; None if it cannot be read."""

    def counts(self, document: object) -> bool:  # noqa: ARG002 - for those who have others
        """Return True if a document is a publication at all."""
        return True

    def may_list(self, cited: CitedMetadata) -> bool:
        """Works that may be from France."""
        return may_be_french(cited)

    def request(self, queries: Sequence[Query]) -> Request:
        """The search for these numbers, or for the words of these titles with their first authors."""
        if queries[0].kind != self.number:
            return self._search(_EITHER.join(map(self.titled, queries)))
        return self._numbered(self.quoted.format(query.value) for query in queries)

    def _numbered(self, quoted: Iterable[str]) -> Request:
        return self._search(f"{self.field}:({_EITHER.join(quoted)})")

    def _search(self, query: str) -> Request:
        return Request(self.name, query_url(f"{self.base_url}/{self.path}", *self.parameters(query)))

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError for errors and for all but whole lists of documents."""
        documents, number = self.documents(mapping(parse_json(response.body)))
        total = whole_number(number)
        if response.status >= 300 or not isinstance(documents, list) or total is None:
            raise MalformedAnswerError(f"{self.label}'s answer of status {response.status} is no list of documents")
        published = [document for document in documents if self.counts(document)]
        if len(documents) < min(total, self.hits):
            raise MalformedAnswerError(f"{self.label}'s answer contains {len(documents)} of {total} documents")
        # The answer of a search is its first result; several searches share the places.
        cut = self.batch["title"] > 1 and total > len(documents)

        def answer(query: Query, records: list[Record]) -> Answer:
            if query.kind == "title":
                return titled_alike(query, records, cut=cut)
            return answer_with(record for record in records if record.id == query.value)

        return answered(self.label, queries, published, self.read, answer)

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that ask for each number or title of a query alone."""
        query, numbers = parameter(request.url, "q"), f"{self.field}:("
        if query.startswith(numbers):
            return tuple(self._numbered([number]) for number in query[len(numbers) : -1].split(_EITHER))
        return tuple(map(self._search, _NEXT_TITLE.split(query)))


def may_be_french(cited: CitedMetadata) -> bool:
    """Return True if the school, institution or place of a reference sounds French, or HAL or theses.fr is named."""
    if cited.identifiers.hal or cited.identifiers.nnt:
        return True
    said = fold(" ".join(cited.reference.fields.get(name, "") for name in _FIELDS))
    return _FRENCH.search(said) is not None and _ELSEWHERE.search(said) is None
