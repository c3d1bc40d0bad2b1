"""doi.org: registration of a DOI, its registration agency, and its metadata by content negotiation.

Documentation: Handle.Net proxy server REST API (hdl.handle.net/20.1000/105, section "REST API") for ``/api/handles``,
DOI Handbook section "Which RA?" (doi.org/the-identifier/resources/handbook) for ``/ra`` and ``/doiRA``, which take
several prefixes or whole DOIs, and say which of these do not exist. Absence: the Handle System is the registry itself,
so its word that a handle does not exist is complete for all agencies; response code 200 means that the handle exists
without values. A short DOI (shortdoi.org) is a handle with a value of type HS_ALIAS, the DOI. Records of the registry say
nothing of the work: author order is meaningless there. Limits: none are published; 5 requests a second are customary.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pytest_citecheck.matching import lazy_pattern, without_markup
from pytest_citecheck.model import Absent, Answer, Found, Person, Query, QueryKind, Record
from pytest_citecheck.sources import base
from pytest_citecheck.sources.crossref import names_of, related_works, titles_and_notices
from pytest_citecheck.sources.parsing import (
    Fields,
    arxiv_id_of_doi,
    doi_name,
    isbn_numbers,
    listing,
    mapping,
    parse_json,
    partial_year,
    path_url,
    record_type,
    stated_name,
    text,
    texts,
    undivided,
    unique,
    without_absences,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NO_HANDLE = "doi.org: the Handle System has no such DOI"
_NO_AGENCY = "doi.org: no registration agency has this prefix"
_PREFIX = lazy_pattern(r"10\.\d[\d.]*")
_EXISTS, _NO_SUCH_HANDLE, _NO_VALUES = 1, 100, 200
_DENIALS = frozenset({"doi does not exist", "invalid doi"})


class _DoiOrgService(base.Source):
    base_url = "https://doi.org"
    documentation = "https://www.doi.org/the-identifier/resources/factsheets/doi-resolution-documentation"
    keeps_author_order = False
    rate = base.Rate(per_second=5.0, concurrency=2)
    largest_body = base.LARGEST_RECORD
    limits = "none published; 5 requests a second are customary"
    terms = base.Terms("facts about registrations")
    authoritative_for = ("identifier",)


class DoiOrg(_DoiOrgService):
    """The look-up of a DOI in the Handle System (see the module)."""

    name = "doi_org"
    label = "doi.org"
    batch: Mapping[QueryKind, int] = {"doi": 20}
    absence = (
        "complete: the Handle System is the registry of all DOIs; it must confirm an absence from the list of agencies"
    )
    role = base.Role(doi_registry=True)
    confirms_alone = True
    version = 2
    controls: Mapping[QueryKind, Query] = {"doi": base.DESEQ2["doi"]}

    def accepts(self, query: Query) -> bool:
        """Every DOI, and every short DOI."""
        return query.kind == "doi" and bool(doi_name(query.value) or _is_alone(query.value))

    def group(self, query: Query) -> str:
        """A comma ends a DOI in a list, and agencies have no short DOIs: these are queried alone."""
        return query.value if _is_alone(query.value) else ""

    def request(self, queries: Sequence[Query]) -> base.Request:
        """``/doiRA/{doi},{doi}`` for several, where none has a comma; ``/api/handles/{doi}`` for one."""
        names = [query.value for query in queries]
        if len(names) == 1 or any(map(_is_alone, names)):
            return base.Request(self.name, path_url(f"{self.base_url}/api/handles", names[0]))
        return base.Request(self.name, path_url(f"{self.base_url}/doiRA", ",".join(names)))

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
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
                raise base.MalformedAnswerError(
                    f"doi.org answered for {handle or 'no handle'} instead of {query.value}"
                )
            if code == _NO_SUCH_HANDLE and response.status == 404:
                answers[query] = Absent(_NO_HANDLE)
            elif code == _NO_VALUES or (code == _EXISTS and response.status < 300):
                url = _value(body.get("values"), "URL") or f"{self.base_url}/{handle}"
                doi = doi_name(_value(body.get("values"), "HS_ALIAS")) or handle
                answers[query] = Found((Record(self.name, handle, url=url, doi=doi),))
            else:
                raise base.MalformedAnswerError(f"doi.org answered code {code} with status {response.status}")
        return answers

    def singles(self, request: base.Request) -> tuple[base.Request, ...]:
        """The requests that look up each DOI of a list alone."""
        names = unquote(request.url).partition("/doiRA/")[2].split(",")
        return tuple(self.request([Query("doi", name)]) for name in names if name) or (request,)


class DoiRegistrationAgency(_DoiOrgService):
    """The agency whose DOIs carry a prefix (see the module); the record names it in ``agency``."""

    name = "doi_ra"
    label = "doi.org registration agencies"
    batch: Mapping[QueryKind, int] = {"prefix": 20}
    absence = "complete for prefixes: doi.org knows the agency of each one"
    role = base.Role()
    controls: Mapping[QueryKind, Query] = {"prefix": Query("prefix", "10.1186")}

    def accepts(self, query: Query) -> bool:
        """Every prefix of a DOI."""
        return query.kind == "prefix" and _PREFIX.fullmatch(query.value) is not None

    def request(self, queries: Sequence[Query]) -> base.Request:
        """``/ra/{prefix},{prefix}``."""
        return base.Request(self.name, f"{self.base_url}/ra/{','.join(question.value for question in queries)}")

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
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
                raise base.MalformedAnswerError(f"doi.org names no agency and no status for {query.value}")
        return answers

    def singles(self, request: base.Request) -> tuple[base.Request, ...]:
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
            raise base.MalformedAnswerError(f"doi.org names no agency of {query.value}, nor that it does not exist")
    unread = any(not mapping(item).doi("DOI") for item in stated)
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


_ACCEPT = "application/vnd.citationstyles.csl+json, application/json;q=0.5"
_NOT_FOUND = ("doi not found", "cannot be found in the doi system")


class DoiContent(base.Source):
    """doi.org content negotiation: the metadata of a DOI from its registration agency, whichever it is.

    Documentation: DOI Handbook, "Content negotiation"
    (doi.org/the-identifier/resources/factsheets/doi-resolution-documentation), and the agencies' common guide
    (citation.doi.org/docs.html). doi.org redirects to the agency; one that does not take part leads to the publisher's page,
    which is not an answer. Absence: doi.org's page "DOI Not Found" is not a documented response, so an absence has no scope
    (the source ``doi_org`` asks the registry itself). Author order: as deposited, reliable. Limits: none are published; the
    agencies ask for moderation, so 2 requests a second.
    """

    name = "doi_content"
    label = "doi.org content negotiation"
    base_url = "https://doi.org"
    documentation = "https://citation.doi.org/docs.html"
    batch: Mapping[QueryKind, int] = {"doi": 1}
    rate = base.Rate(per_second=2.0, concurrency=1)
    limits = "none published; 2 requests a second, since each is redirected to a registration agency"
    terms = base.Terms("facts about registrations")
    absence = "no evidence: not all agencies take part; the registry itself is the source doi_org"
    authoritative_for = ("identifier", "title", "authors", "year", "venue")
    role = base.Role(doi_content=True)
    follows = True
    controls: Mapping[QueryKind, Query] = {"doi": base.DESEQ2["doi"]}

    def request(self, queries: Sequence[Query]) -> base.Request:
        """The DOI itself, with the media types that can be read."""
        return base.Request(self.name, path_url(self.base_url, queries[0].value), accept=_ACCEPT)

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
        """The record of the DOI from CSL-JSON (one item).

        Raises MalformedAnswerError for everything else: a page, a formatted reference, BibTeX, several items, another DOI.
        """
        return {query: _answer(query.value, response) for query in queries}


def _answer(doi: str, response: base.Response) -> Answer:
    if response.status >= 300:
        if response.status == 404 and _denies(doi, response.body):
            return Absent()
        raise base.MalformedAnswerError(f"doi.org or the agency answered status {response.status}")
    return Found((_from_json(doi, response.body),))


def _denies(doi: str, body: bytes) -> bool:
    """Return True if this is doi.org's own page about an unknown DOI: two phrases and the DOI."""
    page = html.unescape(body.decode("utf-8", "replace")).lower()
    return doi in page and all(words in page for words in _NOT_FOUND)


def _from_json(doi: str, body: bytes) -> Record:

    stated = parse_json(body)
    item = stated[0] if isinstance(stated, list) and len(stated) == 1 else stated
    if not isinstance(item, dict):
        raise base.MalformedAnswerError("the answer is not one item of CSL-JSON")
    names = item_names(item)
    if doi not in names:
        raise base.MalformedAnswerError(f"the answer describes {', '.join(sorted(names)) or 'no DOI'} instead of {doi}")
    record = parse_item(item, doi)
    if not record.title and not item.get("DOI"):
        raise base.MalformedAnswerError("the answer has neither a title nor a field for its DOI")
    return record


DOI_CONTENT = DoiContent()


# CSL's own dates of publication, and those that Crossref keeps beside them.
_DATES = ("issued", "published", "published-print", "published-online", "posted")
_VENUES = (
    "container-title",
    "container-title-short",
    "short-container-title",
    "journalAbbreviation",
    "collection-title",
)
_SEPARATOR = lazy_pattern(r"[\s,;]+")


def _person(stated: object) -> Person:
    fields = mapping(stated)
    family, given = fields.name("family"), fields.name("given")
    if family and given:
        particles = (stated_name(fields.get(f"{kind}-particle")) for kind in ("dropping", "non-dropping"))
        return Person(
            family=family, given=given, particle=" ".join(filter(None, particles)), suffix=fields.plain("suffix")
        )
    group = fields.name("name")
    if group and not family and not given:
        return Person(literal=group, group=True)
    return undivided(fields.name("literal") or family or given)


def _people(stated: object) -> tuple[Person, ...]:
    return tuple(map(_person, listing(stated)))


def _venues(item: Fields) -> tuple[str, ...]:
    event = item.get("event")
    names = [name for field in _VENUES for name in item.texts(field)]
    names += [item.text("event-title"), text(event), mapping(event).text("name")]
    names.append(mapping(event).first("acronym"))
    return unique(map(without_markup, names))


def _numbers(value: object) -> tuple[str, ...]:
    """Several numbers are in an array, or in one string (``1234-5678, 2345-6789``)."""
    return unique(part for stated in texts(value) for part in _SEPARATOR.split(stated.rpartition("/")[2]))


def item_names(item: object) -> frozenset[str]:
    """DOIs of the work that an item describes; without the field, the DOI in its ``URL`` or ``id``."""
    fields = mapping(item)
    if fields.text("DOI"):
        return names_of(fields)
    return frozenset(filter(None, (fields.doi(field) for field in ("URL", "id"))))


def parse_item(item: object, doi: str) -> Record:
    """Record of an item that describes the work with this DOI (see `item_names`), possibly under a different DOI.

    Fields of an unexpected type count as absent; without a title, the record only shows that the DOI is registered.
    """
    fields = mapping(item)
    doi = fields.doi("DOI") or doi
    stated = fields.text("type")
    years = [partial_year(fields.get(field)) for field in _DATES]
    years.append(partial_year(fields.at("event").get("start")))
    return Record(
        source="doi_content",
        id=doi,
        url=f"https://doi.org/{doi}",
        **titles_and_notices(fields, doi, ("original-title", "title-short", "short-title")),
        authors=_people(fields.get("author")),
        editors=_people(fields.get("editor")),
        years=unique(years),
        venues=_venues(fields),
        # "article" is used for any independent work (preprints at DataCite, articles elsewhere).
        type="other" if stated in ("", "article") else record_type(stated),
        publisher=without_markup(fields.first("publisher")),
        doi=doi,
        arxiv=arxiv_id_of_doi(doi),
        volume=fields.plain("volume"),
        number=without_markup(fields.text("issue") or fields.text("number")),
        pages=without_markup(fields.text("page") or fields.text("article-number")),
        isbn=isbn_numbers(fields.texts("ISBN")),
        issn=_numbers(fields.get("ISSN")),
        related=related_works(fields),
    )
