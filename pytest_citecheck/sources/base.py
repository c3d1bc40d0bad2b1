"""The protocol of a bibliographic source.

A source turns questions into one HTTP request and one HTTP response into answers. Both are pure functions, so a source
knows nothing of clients, cassettes, rate limits, pytest or checks; it can be tested with a recorded body alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pytest_citecheck.model import Answer, Question, QuestionKind

__all__ = ["MalformedAnswerError", "Rate", "Request", "Response", "Source"]


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP GET, with the canonical URL of the service (a mirror is substituted when it is sent)."""

    service: str
    url: str
    accept: str = "application/json"


@dataclass(frozen=True, slots=True)
class Response:
    """What came back: status 200 to 299, 400, 404 or 410; header names in lower case; ``date`` in ISO 8601 or empty."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    date: str = ""


class MalformedAnswerError(ValueError):
    """The body is not what the service documents: truncated, an HTML page, another schema."""


@dataclass(frozen=True, slots=True)
class Rate:
    """What a service allows: requests a second, and requests at the same time."""

    per_second: float
    concurrency: int


class Source(Protocol):
    """One bibliographic service.

    name: stable word used in records, cassettes and reports (``crossref``).
    label: what people call it (``Crossref``).
    base_url: canonical scheme and host of its API, without a trailing slash.
    documentation: where its API is described.
    batch: for each kind of question it can answer, how many fit into one request.
    keeps_author_order: whether its author lists are in the order of the publication.
    rate: safe published or customary limits.
    """

    name: str
    label: str
    base_url: str
    documentation: str
    batch: Mapping[QuestionKind, int]
    keeps_author_order: bool
    rate: Rate

    def accepts(self, question: Question) -> bool:
        """Whether this source can say anything about the question (kind, and for example whose DOI it is)."""
        ...

    def request(self, questions: Sequence[Question]) -> Request:
        """The one request that asks these questions (at most ``batch[kind]`` of one kind), deterministic in their order."""
        ...

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """The answer to each question; every question gets one.

        The response may answer more than these questions (a recorded batch). Raises MalformedAnswerError if the body
        cannot be trusted to be a whole answer.
        """
        ...

    def singles(self, url: str) -> tuple[str, ...]:
        """The URLs that would ask the questions of this (batch) URL one by one; just the URL itself if it is no batch.

        This is how a recorded batch is found again when only some of its questions are asked.
        """
        ...
