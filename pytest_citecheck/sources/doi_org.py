"""doi.org: registration of a DOI, and its registration agency.

Documentation: Handle.Net proxy server REST API (hdl.handle.net/20.1000/105, section "REST API") for ``/api/handles``,
DOI Handbook section "Which RA?" (doi.org/the-identifier/resources/handbook) for ``/ra`` and ``/doiRA``, which take
several prefixes or whole DOIs, and say which of these do not exist. Absence: the Handle System is the registry itself,
so its word that a handle does not exist is complete for all agencies; response code 200 means that the handle exists
without values. A short DOI (shortdoi.org) is a handle with a value of type HS_ALIAS, the DOI. Records say nothing of
the work: author order is meaningless here. Limits: none are published; 5 requests a second are customary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import Absent, Answer, Found, Query, QueryKind, Record
from pytest_citecheck.sources.base import (
    LARGEST_RECORD,
    MalformedAnswerError,
    Rate,
    Request,
    Response,
    Role,
    Source,
    Terms,
)
from pytest_citecheck.sources.parsing import Fields, doi_name, listing, mapping, parse_json, path_url, without_absences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NO_HANDLE = "doi.org: the Handle System has no such DOI"
_NO_AGENCY = "doi.org: no registration agency has this prefix"
_PREFIX = lazy_pattern(r"10\.\d[\d.]*")
_EXISTS, _NO_SUCH_HANDLE, _NO_VALUES = 1, 100, 200
_DENIALS = frozenset({"doi does not exist", "invalid doi"})


class DoiOrg(Source):
    """The look-up of a DOI in the Handle System (see the module)."""

    name = "doi_org"
    label = "doi.org"
    base_url = "https://doi.org"
    documentation = "https://www.doi.org/the-identifier/resources/factsheets/doi-resolution-documentation"
    batch: Mapping[QueryKind, int] = {"doi": 20}
    keeps_author_order = False
    rate = Rate(per_second=5.0, concurrency=2)
    largest_body = LARGEST_RECORD
    limits = "none published; 5 requests a second are customary"
    terms = Terms("facts about registrations")
    absence = (
        "complete: the Handle System is the registry of all DOIs; it must confirm an absence from the list of agencies"
    )
    authoritative_for = ("identifier",)
    role = Role(doi_registry=True)
    confirms_alone = True
    version = 2
    controls: Mapping[QueryKind, Query] = {"doi": Query("doi", "10.1186/s13059-014-0550-8")}

    def accepts(self, query: Query) -> bool:
        """Every DOI, and every short DOI."""
        return query.kind == "doi" and bool(doi_name(query.value) or _is_alone(query.value))

    def group(self, query: Query) -> str:
        """A comma ends a DOI in a list, and agencies have no short DOIs: these are queried alone."""
        return query.value if _is_alone(query.value) else ""

    def request(self, queries: Sequence[Query]) -> Request:
        """``/doiRA/{doi},{doi}`` for several, where none has a comma; ``/api/handles/{doi}`` for one."""
        names = [query.value for query in queries]
        if len(names) == 1 or any(map(_is_alone, names)):
            return Request(self.name, path_url(f"{self.base_url}/api/handles", names[0]))
        return Request(self.name, path_url(f"{self.base_url}/doiRA", ",".join(names)))

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """Found, without title, if the DOI is registered; Absent if the registry denies it.

        Raises MalformedAnswerError for another body, another handle, response code 2 (an error of the server), and a list
        without the DOI.
        """
        stated = parse_json(response.body)
        if isinstance(stated, list):
            return _in_list(queries, stated)
        body = mapping(stated)
        code, handle = body.get("responseCode"), body.text("handle").lower()
        answers: dict[Query, Answer] = {}
        for query in queries:
            if handle != query.value:
                raise MalformedAnswerError(f"doi.org answered for {handle or 'no handle'} instead of {query.value}")
            if code == _NO_SUCH_HANDLE and response.status == 404:
                answers[query] = Absent(_NO_HANDLE)
            elif code == _NO_VALUES or (code == _EXISTS and response.status < 300):
                url = _value(body.get("values"), "URL") or f"{self.base_url}/{handle}"
                doi = doi_name(_value(body.get("values"), "HS_ALIAS")) or handle
                answers[query] = Found((Record(self.name, handle, url=url, doi=doi),))
            else:
                raise MalformedAnswerError(f"doi.org answered code {code} with status {response.status}")
        return answers

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that look up each DOI of a list alone."""
        names = unquote(request.url).partition("/doiRA/")[2].split(",")
        return tuple(self.request([Query("doi", name)]) for name in names if name) or (request,)


class DoiRegistrationAgency(Source):
    """The agency whose DOIs carry a prefix (see the module); the record names it in ``agency``."""

    name = "doi_ra"
    label = "doi.org registration agencies"
    base_url = "https://doi.org"
    documentation = "https://www.doi.org/the-identifier/resources/factsheets/doi-resolution-documentation"
    batch: Mapping[QueryKind, int] = {"prefix": 20}
    keeps_author_order = False
    rate = Rate(per_second=5.0, concurrency=2)
    largest_body = LARGEST_RECORD
    limits = "none published; 5 requests a second are customary"
    terms = Terms("facts about registrations")
    absence = "complete for prefixes: doi.org knows the agency of each one"
    authoritative_for = ("identifier",)
    role = Role()
    controls: Mapping[QueryKind, Query] = {"prefix": Query("prefix", "10.1186")}

    def accepts(self, query: Query) -> bool:
        """Every prefix of a DOI."""
        return query.kind == "prefix" and _PREFIX.fullmatch(query.value) is not None

    def request(self, queries: Sequence[Query]) -> Request:
        """``/ra/{prefix},{prefix}``."""
        return Request(self.name, f"{self.base_url}/ra/{','.join(question.value for question in queries)}")

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """Found with the agency; Absent if doi.org does not know the prefix, without scope if it does not answer
        clearly.

        Raises MalformedAnswerError for another body or another prefix.
        """
        stated = _by_name(parse_json(response.body))
        answers: dict[Query, Answer] = {}
        for query in queries:
            item = stated.get(query.value)
            agency, status = (item.text("RA"), item.text("status")) if item else ("", "")
            if agency:
                url = self.request([query]).url
                answers[query] = Found((Record(self.name, query.value, url=url, agency=agency),))
            elif status:
                answers[query] = Absent(_NO_AGENCY if status.lower() in _DENIALS else "")
            else:
                raise MalformedAnswerError(f"doi.org names no agency and no status for {query.value}")
        return answers

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that ask about each prefix of a list alone."""
        prefixes = request.url.rpartition("/")[2].split(",")
        return tuple(self.request([Query("prefix", prefix)]) for prefix in prefixes)


def _by_name(stated: object) -> dict[str, Fields]:
    """The items of a list of registration agencies by DOI or prefix."""
    return {item.text("DOI").lower(): item for item in map(mapping, listing(stated))}


def _in_list(queries: Sequence[Query], stated: list[Any]) -> dict[Query, Answer]:
    """Registered DOIs according to the list of their agencies."""
    items = _by_name(stated)
    answers: dict[Query, Answer] = {}
    for query in queries:
        item = items.get(query.value, mapping(None))
        if item.text("RA"):
            url = f"{DOI_ORG.base_url}/{query.value}"
            answers[query] = Found((Record(DOI_ORG.name, query.value, url=url, doi=query.value),))
        elif item.text("status").lower() in _DENIALS:
            answers[query] = Absent(_NO_HANDLE)
        else:
            raise MalformedAnswerError(f"doi.org names no agency of {query.value}, nor that it does not exist")
    unread = any(not doi_name(mapping(item).text("DOI")) for item in stated)
    return without_absences(answers, DOI_ORG.label) if unread else answers


def _is_alone(value: str) -> bool:
    return "," in value or value.startswith("10/")


def _value(values: object, kind: str) -> str:
    """The first value of this type: the target of a DOI (URL), or the DOI that a short one stands for (HS_ALIAS)."""
    for value in map(mapping, listing(values)):
        if value.get("type") == kind:
            return value.at("data").text("value")
    return ""


DOI_ORG = DoiOrg()
DOI_RA = DoiRegistrationAgency()
