"""The skeleton of a service that answers for one work at a time, by its identifier, with a JSON object.

``sources/w3c.py`` is the shortest example. A subclass says how the identifier becomes a path, what a denial looks like and
how an object becomes a record; everything else is here.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from pytest_citecheck.model import Absent, Answer, Found, Query, QueryKind, Record
from pytest_citecheck.sources.base import LARGEST_RECORD, MalformedAnswerError, Request, Response, Source
from pytest_citecheck.sources.parsing import Fields, mapping, parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class ByIdentifier(Source):
    """A service that is asked for one identifier in each request.

    kind: of the queries. prefix: of their values, which is not part of the path. work: what an answer describes, in messages.
    absent: the answer if the service denies the work. accept: the type of the answers.
    """

    kind: QueryKind
    batch: Mapping[QueryKind, int] = {}
    prefix: str = ""
    work: str
    absent: Absent = Absent()
    accept: str = "application/json"
    keeps_author_order = False
    largest_body = LARGEST_RECORD

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.batch = {cls.kind: 1}

    @abstractmethod
    def names(self, value: str) -> bool:
        """Return True if the value, without the prefix, has the form of its identifiers."""

    @abstractmethod
    def url(self, value: str) -> str:
        """The address of the work with this value, without the prefix."""

    @abstractmethod
    def denies(self, response: Response, body: Fields) -> bool:
        """Return True if the service says in its own words that it has no such work. body: empty if it is no JSON object."""

    @abstractmethod
    def read(self, body: Fields, value: str) -> Record | None:
        """The record of the work; None if the body describes no work, or another one than ``value``."""

    def denied(self, value: str) -> Absent:  # noqa: ARG002 - for those who have others
        """The answer for a work that the service denies."""
        return self.absent

    def accepts(self, query: Query) -> bool:
        """Its identifiers."""
        return query.kind == self.kind and query.value.startswith(self.prefix) and self.names(self._value(query))

    def request(self, queries: Sequence[Query]) -> Request:
        """A GET of the work's address."""
        return Request(self.name, self.url(self._value(queries[0])), accept=self.accept)

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """The work. Raises MalformedAnswerError for anything but the requested one and the service's own denial."""
        body = self.body(response)
        if response.status >= 400 and self.denies(response, body):
            return dict.fromkeys(queries, self.denied(self._value(queries[0])))
        found = self.read(body, self._value(queries[0])) if response.status < 300 else None
        if found is None:
            raise MalformedAnswerError(f"{self.label}'s answer with status {response.status} is not {self.work}")
        return dict.fromkeys(queries, Found((found,)))

    def body(self, response: Response) -> Fields:
        """The JSON object. Raises MalformedAnswerError if the body is no JSON."""
        return mapping(parse_json(response.body))

    def _value(self, query: Query) -> str:
        return query.value.removeprefix(self.prefix)
