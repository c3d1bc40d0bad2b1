"""The protocol of a bibliographic source.

A source turns queries into one HTTP request, and one HTTP response into answers. Both are pure functions, so a source
knows nothing of clients, cassettes, rate limits, pytest or checks; it can be tested with a recorded body alone.

A service is in one file, its own or one of its kind, as a subclass of `Source`, and an entry in ``sources/registry.py``. Planning
reads ``Source.role`` to decide when to query it; a source without a role is queried for every identifier that it takes, and
for titles while evidence is missing.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

from pytest_citecheck.evidence import Field
from pytest_citecheck.model import Answer, CitedMetadata, Discipline, Query, QueryKind, WorkType

LARGEST_BODY = 8_000_000
"""Bytes, unpacked, of an answer: 50 records of 150 kB, the size of one with 3,000 authors. Parsing this much takes
0.5 s for JSON with empty arrays only, and 0.6 s for XML with empty elements only (CPython 3.11, one core of 2.5 GHz). One XML
element with 800,000 attributes would take 1.3 s; `sources.parsing` rejects it."""

LARGEST_RECORD = 1_000_000
"""Bytes, unpacked, of an answer that holds one record and little else: a hundred times what is usual, and five times the record
of a paper by 3,000 authors."""

SearchStage = Literal["broad", "batch", "slow", "single"]

DISCIPLINES: tuple[Discipline, ...] = get_args(Discipline)
WORK_TYPES: tuple[WorkType, ...] = get_args(WorkType)
PAPERS: tuple[WorkType, ...] = ("article", "paper", "report", "misc")
"""The works whose discipline decides where they are searched for."""


DESEQ2: Mapping[QueryKind, Query] = {
    "doi": Query("doi", "10.1186/s13059-014-0550-8"),
    "pmid": Query("pmid", "25516281"),
    "pmcid": Query("pmcid", "PMC4302049"),
    "title": Query(
        "title", "Moderated estimation of fold change and dispersion for RNA-seq data with DESeq2", ("Love",)
    ),
    "citation": Query(
        "citation",
        "Love MI, Huber W, Anders S. Moderated estimation of fold change and dispersion for RNA-seq data with DESeq2. "
        "Genome Biol. 2014;15(12):550.",
    ),
}
"""Queries for one of the most cited papers, a control that all large collections have."""


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
    """A response: status 200 to 299, 400, 404 or 410; header names in lower case; ``date`` in ISO 8601 or empty."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    date: str = ""


class MalformedAnswerError(ValueError):
    """The body is not as documented: truncated, an HTML page, another schema."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Limits of a service: requests per second, and concurrent requests."""

    per_second: float
    concurrency: int


@dataclass(frozen=True, slots=True)
class Pool:
    """Requests that a service counts separately: rate limits for everybody, and with a contact address."""

    rate: Rate
    contact_rate: Rate


@dataclass(frozen=True, slots=True)
class Login:
    """Login that exchanges a user name and password for a temporary key.

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
    """The form in which a service expects an API key.

    variable: the usual environment variable of the key. Exactly one of ``header`` (its name; ``scheme`` comes before
    the key) and ``parameter`` (of the query) carries it. rate: the rate limit with a key. required: without a key, the
    service is not queried at all, or not for these kinds of queries. pooled: clients without a key share one pool, so a
    429 does not depend on one's own rate. obtained: where to get a key. dollars: daily budget of a key. login: how to
    get a key for name and password; used only for queries that need a key.
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
    """Terms of use for a service's metadata.

    said: in words. reported: True if public documentation or reports of 2026 confirm it; otherwise it is common
    knowledge. raw: True if raw answers may be redistributed; otherwise recordings contain only the fields that
    citecheck reads (`Source.kept`).
    """

    said: str
    reported: bool = False
    raw: bool = True


@dataclass(frozen=True, slots=True)
class TitleSearch:
    """Search for titles of works that identifiers did not settle.

    stage: ``broad``: before all others, of services that cover every field and take many titles in one request;
        ``batch``: next, also with many titles in one request; ``single``: one source after the other until the evidence
        suffices; ``slow``: at the same time, with many titles in one request, of services that allow few requests a minute.
    order: the place among the sources of the same stage, lower numbers first; equal ones in the order of the registry.
    disciplines, works: those for which the source is searched.
    in_listed_venues: whether it is also searched for a work whose venue and year another source lists completely, when
        a broad search has answered.
    """

    stage: SearchStage
    order: int = 50
    disciplines: tuple[Discipline, ...] = DISCIPLINES
    works: tuple[WorkType, ...] = WORK_TYPES
    in_listed_venues: bool = True


@dataclass(frozen=True, slots=True)
class Role:
    """Queries that planning sends to a source. All are off by default.

    looks_up: kinds of identifiers to query first, as cited or as found in another record.
    catalogue: kinds of identifiers in its own catalogue, queried instead of a title search.
    disciplines: those of the works that use this catalogue.
    agency: its name as a registration agency at doi.org (``DataCite``). It is queried for a DOI that the sources for
        DOIs do not have.
    doi_registry: True if it knows of every registered DOI; queried if no agency has the DOI.
    doi_content: True if it fetches the metadata of a DOI from any registration agency.
    titles: when it is searched for titles; the first search that fits the discipline and type of a work counts.
    opinion: its position, from 1, among the sources of a second opinion by identifier; 0: never.
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
    """A bibliographic service. Inherit from it, because some attributes have defaults.

    name: stable identifier in records, cassettes and reports (``crossref``).
    label: display name (``Crossref``).
    base_url: canonical scheme and host of its API, without a trailing slash; empty if each query has its own host,
        which must not be private.
    documentation: where its API is described.
    batch: for each supported kind of query, the maximum number per request.
    keeps_author_order: True if its author lists are in the order of the publication.
    rate: published or customary limits without a key.
    limits: the published limits in words.
    absence: meaning of "not found": the scope for which it is complete, or that it is not evidence.
    authoritative_for: fields for which it is authoritative; empty for a compiled service.
    derives_from: services and collections that it copies from; shared facts count once.
    role: queries that planning sends to it. None: every supported identifier, and titles while evidence is missing.
        Queries for a prefix, a URL, an author search or a venue-year list go to every source with this kind in ``batch``.
    contact: query parameters for the contact address (``{contact}``); not sent without an address. The User-Agent
        always contains the address.
    contact_rate: limits for requests with a contact address.
    pools: request kinds with separate limits, by name; ``rate`` and ``contact_rate`` apply to all others.
    credentials: transport of the API key; None if it has no keys.
    follows: True if redirects to other hosts are followed (never to private addresses).
    enough_bytes: maximum number of body bytes to read if the beginning is sufficient; None: the whole body.
    controls: a control for each kind of query, under a stable name. An absence counts only if the source finds its
        control at the same time. Without a control, no absence is evidence.
    costs: US dollars per request for each kind of query; unlisted kinds are free.
    dollars: daily budget without a key.
    confirms_alone: True if a separate, different request confirms an absence from a batch.
    version: increase it when the requests or the parser change, which invalidates cached answers.
    unconfirmed: parts of requests and answers that follow the documentation but have not been confirmed with the
        service. A wrong guess must raise MalformedAnswerError, never report an absence.
    terms: permission to record and redistribute answers.
    largest_body: maximum size of a decompressed body in bytes; larger bodies are rejected.
    """

    name: str
    label: str
    base_url: str
    documentation: str
    batch: Mapping[QueryKind, int]
    keeps_author_order: bool = True
    rate: Rate = Rate(per_second=1.0, concurrency=1)
    limits: str
    absence: str
    authoritative_for: tuple[Field, ...] = ()
    derives_from: tuple[str, ...] = ()
    role: Role | None = None
    contact: Mapping[str, str] = {}
    contact_rate: Rate | None = None
    pools: Mapping[str, Pool] = {}
    credentials: Credentials | None = None
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

    def accepts(self, query: Query) -> bool:
        """Return True if this source can answer the query: by default, each well-formed one of a kind in ``batch``."""
        from pytest_citecheck.sources.queries import is_well_formed

        return query.kind in self.batch and is_well_formed(query)

    def may_list(self, cited: CitedMetadata) -> bool:  # noqa: ARG002 - for those who know better
        """Return True if it may list the cited work, judging by venue and type; if not, its title is not searched."""
        return True

    def pool(self, query: Query) -> str:  # noqa: ARG002 - for those who have several
        """The one of its ``pools`` in which it counts the request for this query; empty: the default pool."""
        return ""

    def group(self, query: Query) -> Hashable:
        """Return the key that queries must share to fit into one request; by default only the pool."""
        return self.pool(query)

    def request(self, queries: Sequence[Query]) -> Request:
        """Build the one request for these queries (at most ``batch[kind]`` of one kind), deterministic in their order."""
        ...

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """Parse the answer to each query; every query gets one.

        The response may answer further queries (a recorded batch). Raises MalformedAnswerError if the body may be
        incomplete.
        """
        ...

    def kept(self, body: bytes) -> bytes:
        """Return the part of a body that may be recorded if the terms forbid recording all of it; it parses the same."""
        return body

    def singles(self, request: Request) -> tuple[Request, ...]:
        """Split a batch request into requests for single queries; a single request is returned unchanged.

        This finds a recorded batch again if only some of its queries are made.
        """
        return (request,)

    def control(self, query: Query) -> Query | None:
        """Control query for an absence of this query, of the same kind; None if there is none."""
        return self.controls.get(query.kind)

    def samples(self) -> Mapping[QueryKind, Query]:
        """For each kind of query, one that it certainly finds, for manual tests; by default its controls."""
        return self.controls
