"""The protocol of a bibliographic source.

A source turns questions into one HTTP request and one HTTP response into answers. Both are pure functions, so a source
knows nothing of clients, cassettes, rate limits, pytest or checks; it can be tested with a recorded body alone.

A service is a folder ``services/NAME/`` with ``api.py``, which holds a subclass of `Source`, and an import and an entry in
``services/__init__.py``. Planning reads from ``Source.role`` when to ask it; a source without a role is asked for every
identifier that it takes, and for titles while evidence is missing.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

from pytest_citecheck.evidence.provenance import Field
from pytest_citecheck.model import Answer, CitedMetadata, Discipline, Query, QueryKind, WorkType

__all__ = [
    "DISCIPLINES",
    "LARGEST_BODY",
    "LARGEST_RECORD",
    "PAPERS",
    "WORK_TYPES",
    "Credentials",
    "Login",
    "MalformedAnswerError",
    "Pool",
    "Rate",
    "Request",
    "Response",
    "Role",
    "SearchStage",
    "Source",
    "Terms",
    "TitleSearch",
]

LARGEST_BODY = 8_000_000
"""Bytes, unpacked, of an answer: 50 records of 150 kB, which is one with 3,000 authors. Parsing so much takes less than a
second however it is made: 0.5 s for JSON of empty arrays, 0.6 s for XML of empty elements and 1.3 s for one XML element of
800,000 attributes, which `sources.xml` refuses (CPython 3.11 on one core of 2.5 GHz)."""

LARGEST_RECORD = 1_000_000
"""Bytes, unpacked, of an answer that holds one record and little else: a hundred times what is usual, and five times the record
of a paper by 3,000 authors."""

SearchStage = Literal["broad", "batch", "single"]

DISCIPLINES: tuple[Discipline, ...] = get_args(Discipline)
WORK_TYPES: tuple[WorkType, ...] = get_args(WorkType)
PAPERS: tuple[WorkType, ...] = ("article", "paper", "report", "misc")
"""The works whose discipline decides where they are searched for."""


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request with the canonical URL of the service (a mirror is substituted when it is sent).

    A GET; with a ``body`` of type ``body_type``, a POST that only asks (and may be repeated).
    """

    service: str
    url: str
    accept: str = "application/json"
    body: bytes = b""
    body_type: str = "application/json"


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


@dataclass(frozen=True, slots=True)
class Pool:
    """Requests that a service counts apart from its others: what it allows to everybody, and to those who give an address."""

    rate: Rate
    contact_rate: Rate


@dataclass(frozen=True, slots=True)
class Login:
    """How a service gives a key, for some time, for a user's name and password.

    path: below the base URL, where both are posted as a JSON object. variables: the environment variables that hold name and
    password. fields: the members of the object for them. token: the member of the answer that is the key. seconds: how long it
    is valid.
    """

    path: str
    variables: tuple[str, str]
    fields: tuple[str, str]
    token: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Credentials:
    """The form in which a service wants an API key.

    variable: the environment variable that holds it by custom. Exactly one of ``header`` (its name; ``scheme`` comes
    before the key) and ``parameter`` (of the query) carries it. ``rate`` is what a key allows; ``required``: without a key
    the service is not asked at all, or not for these kinds of questions. pooled: all who have none share one pool, so that a
    429 says nothing of one's own rate. obtained: where a key is to be had. dollars: what a key is worth a day. login: how a
    key is had for name and password; it is used for what needs a key only.
    """

    variable: str
    header: str = ""
    scheme: str = ""
    parameter: str = ""
    rate: Rate | None = None
    required: bool | tuple[QueryKind, ...] = False
    pooled: bool = False
    dollars: float = 0.0
    obtained: str = ""
    login: Login | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """What a service allows to be done with its metadata.

    said: in words. reported: whether public documentation or reports of 2026 say so; else it is customary knowledge. raw:
    whether its answers may be handed on as they are; if not, recordings hold what is read of them (`Source.kept`).
    """

    said: str
    reported: bool = False
    raw: bool = True


@dataclass(frozen=True, slots=True)
class TitleSearch:
    """When a source is searched for the title of a work that its identifiers did not settle.

    stage: ``broad``: before all others, of services that cover every field and take many titles in one request; ``batch``:
        next, also with many titles in one request; ``single``: one source after the other until the evidence suffices.
    order: the place among the sources of the same stage, lower numbers first; equal ones in the order of the registry.
    disciplines, works: those for which the source is searched.
    in_listed_venues: whether it is also searched for a work whose venue and year another source lists completely, when a
        broad search has answered.
    """

    stage: SearchStage
    order: int = 50
    disciplines: tuple[Discipline, ...] = DISCIPLINES
    works: tuple[WorkType, ...] = WORK_TYPES
    in_listed_venues: bool = True


@dataclass(frozen=True, slots=True)
class Role:
    """For what planning asks a source. Everything is off by default: a source is asked only for what its role names.

    looks_up: the kinds of identifiers that are asked of it first, as cited or as another record names them.
    catalogue: the kinds of identifiers that name a work in its own catalogue, asked for in place of a search by title.
    disciplines: those of the works that it is asked for so.
    agency: the name under which doi.org knows it as a registration agency (``DataCite``). It is asked for a DOI that
        the sources that look up DOIs do not show.
    doi_registry: whether it knows of every DOI if it is registered; asked when no agency shows the DOI.
    doi_content: whether it fetches the metadata of a DOI from whatever agency has registered it.
    titles: when it is searched for titles; the first search that fits the discipline and type of a work counts.
    opinion: its turn, from 1, in giving a second opinion by identifier; 0: never.
    """

    looks_up: tuple[QueryKind, ...] = ()
    catalogue: tuple[QueryKind, ...] = ()
    disciplines: tuple[Discipline, ...] = DISCIPLINES
    agency: str = ""
    doi_registry: bool = False
    doi_content: bool = False
    titles: tuple[TitleSearch, ...] = ()
    opinion: int = 0


class Source(Protocol):
    """One bibliographic service; inherit from it, since some of its attributes have a default.

    name: stable word used in records, cassettes and reports (``crossref``).
    label: what people call it (``Crossref``).
    base_url: canonical scheme and host of its API, without a trailing slash; empty if every question has a host of its own,
        none of which may be private then.
    documentation: where its API is described.
    batch: for each kind of question it can answer, how many fit into one request.
    keeps_author_order: whether its author lists are in the order of the publication.
    rate: safe published or customary limits for everybody.
    limits: the published limits in words.
    absence: what it means that it has no such work: which scope its "no" is complete for, or that it is no evidence.
    first_hand: the fields for which its word is the first one; empty for a service that compiles what others have.
    derives_from: the services and collections from which it takes facts, in whole or in part; what both have counts once.
    role: for what planning asks it. None: for every identifier that it takes, and for titles while evidence is missing.
        Questions for a prefix, a URL, an author search or a venue-year list go to every source whose ``batch`` has them.
    contact: query parameters by which it wants to be told who asks; ``{contact}`` stands for the address of the user, and
        none is sent without one. The address stands in the User-Agent anyway.
    contact_rate: what it allows to those who give an address.
    pools: by name, the kinds of requests that it counts apart; ``rate`` and ``contact_rate`` are for all others.
    credentials: how it takes an API key; None if it knows none.
    mirror_only: whether it is asked only where the user names a mirror, or a cassette has its answers.
    follows: whether its answer may be fetched from the hosts that it redirects to (never from private addresses).
    enough_bytes: how much of a body is read, if its beginning suffices; None: all of it, or nothing.
    witnesses: for each kind of question one that it certainly finds, under a name that does not change. What it denies is
        absent only where it shows the witness in the same moment. Of a kind without one, no absence is evidence.
    costs: US dollars that a request for each kind of question costs; what is not named is free.
    dollars: what may be spent a day without a key.
    confirms_alone: whether a denied question of a batch is confirmed by the request for it alone, which asks in another way.
    version: raise it when the requests of this service change, or how its answers are read: answers in the cache that an
        earlier version read are then not found.
    unconfirmed: what of its requests and answers is written from its documentation or from custom, and nobody has confirmed
        with the service; empty: nothing. What such a guess gets wrong must end in MalformedAnswerError, not in an absence.
    terms: what it allows to be recorded and handed on.
    largest_body: bytes of an answer, unpacked; of a larger one nothing is read.
    """

    name: str
    label: str
    base_url: str
    documentation: str
    batch: Mapping[QueryKind, int]
    keeps_author_order: bool
    rate: Rate
    limits: str
    absence: str
    authoritative_for: tuple[Field, ...] = ()
    derives_from: tuple[str, ...] = ()
    role: Role | None = None
    contact: Mapping[str, str] = {}
    contact_rate: Rate | None = None
    pools: Mapping[str, Pool] = {}
    credentials: Credentials | None = None
    mirror_only: bool = False
    follows: bool = False
    enough_bytes: int | None = None
    controls: Mapping[QueryKind, Query] = {}
    costs: Mapping[QueryKind, float] = {}
    dollars: float = math.inf
    confirms_alone: bool = False
    version: int = 1
    unconfirmed: str = ""
    terms: Terms = Terms("unknown")
    largest_body: int = LARGEST_BODY

    def accepts(self, question: Query) -> bool:
        """Return True if this source can say anything about the question (kind, and for example whose DOI it is)."""
        ...

    def may_list(self, cited: CitedMetadata) -> bool:  # noqa: ARG002 - for those who know better
        """Return True if it may list the cited work, as far as its venue and type tell; if not, its title is not searched for."""
        return True

    def pool(self, question: Query) -> str:  # noqa: ARG002 - for those who have several
        """The one of its ``pools`` in which it counts the request for this question; empty: the one for all others."""
        return ""

    def group(self, question: Query) -> Hashable:
        """What questions of one kind have in common that one request can hold; by default the pool alone."""
        return self.pool(question)

    def request(self, questions: Sequence[Query]) -> Request:
        """The one request that asks these questions (at most ``batch[kind]`` of one kind), deterministic in their order."""
        ...

    def parse(self, questions: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """The answer to each question; every question gets one.

        The response may answer more than these questions (a recorded batch). Raises MalformedAnswerError if the body
        cannot be trusted to be a whole answer.
        """
        ...

    def kept(self, body: bytes) -> bytes:
        """What is recorded of the body of an answer, where the terms forbid that of all: it reads the same."""
        return body

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that would ask the questions of this (batch) request one by one; just itself if it is no batch.

        This is how a recorded batch is found again when only some of its questions are asked.
        """
        return (request,)

    def control(self, question: Query) -> Query | None:
        """The question of the same kind by which a denial of this one is put to the proof; None if there is none."""
        return self.controls.get(question.kind)

    def samples(self) -> Mapping[QueryKind, Query]:
        """For each kind of question, one that it certainly finds, by which anybody may try it; by default its witnesses."""
        return self.controls
