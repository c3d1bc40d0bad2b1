"""doi.org content negotiation: the metadata of a DOI from its registration agency, whichever it is.

Documentation: DOI Handbook, "Content negotiation"
(doi.org/the-identifier/resources/factsheets/doi-resolution-documentation), and the agencies' common guide
(citation.doi.org/docs.html). doi.org redirects to the agency; one that does not take part leads to the publisher's
page, which is not an answer. Absence: doi.org's page "DOI Not Found" is not a documented response, so an absence has no
scope (the source ``doi_org`` asks the registry itself). Author order: as deposited, reliable. Limits: none are
published; the agencies ask for moderation, so 2 requests a second.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from pytest_citecheck.matching import lazy_pattern, without_markup
from pytest_citecheck.model import Absent, Answer, Found, Person, Query, QueryKind, Record
from pytest_citecheck.sources.base import MalformedAnswerError, Rate, Request, Response, Role, Source, Terms
from pytest_citecheck.sources.crossref import names_of, related_works, work_notices
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
    stated_name,
    text,
    texts,
    undivided,
    unique,
)
from pytest_citecheck.sources.record_types import record_type

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ACCEPT = "application/vnd.citationstyles.csl+json, application/json;q=0.5"
_NOT_FOUND = ("doi not found", "cannot be found in the doi system")


class DoiContent(Source):
    """Content negotiation for DOIs as a source of records (see the module)."""

    name = "doi_content"
    label = "doi.org content negotiation"
    base_url = "https://doi.org"
    documentation = "https://citation.doi.org/docs.html"
    batch: Mapping[QueryKind, int] = {"doi": 1}
    keeps_author_order = True
    rate = Rate(per_second=2.0, concurrency=1)
    limits = "none published; 2 requests a second, since each is redirected to a registration agency"
    terms = Terms("facts about registrations")
    absence = "no evidence: not all agencies take part; the registry itself is the source doi_org"
    authoritative_for = ("identifier", "title", "authors", "year", "venue")
    role = Role(doi_content=True)
    follows = True
    controls: Mapping[QueryKind, Query] = {"doi": Query("doi", "10.1186/s13059-014-0550-8")}

    def request(self, queries: Sequence[Query]) -> Request:
        """The DOI itself, with the media types that can be read."""
        return Request(self.name, path_url(self.base_url, queries[0].value), accept=_ACCEPT)

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """The record of the DOI from CSL-JSON (one item).

        Raises MalformedAnswerError for everything else: a page, a formatted reference, BibTeX, several items, another DOI.
        """
        return {query: _answer(query.value, response) for query in queries}


def _answer(doi: str, response: Response) -> Answer:
    if response.status >= 300:
        if response.status == 404 and _denies(doi, response.body):
            return Absent()
        raise MalformedAnswerError(f"doi.org or the agency answered status {response.status}")
    return Found((_from_json(doi, response.body),))


def _denies(doi: str, body: bytes) -> bool:
    """Return True if this is doi.org's own page about an unknown DOI: two phrases and the DOI."""
    page = html.unescape(body.decode("utf-8", "replace")).lower()
    return doi in page and all(words in page for words in _NOT_FOUND)


def _from_json(doi: str, body: bytes) -> Record:

    stated = parse_json(body)
    item = stated[0] if isinstance(stated, list) and len(stated) == 1 else stated
    if not isinstance(item, dict):
        raise MalformedAnswerError("the answer is not one item of CSL-JSON")
    names = item_names(item)
    if doi not in names:
        raise MalformedAnswerError(f"the answer describes {', '.join(sorted(names)) or 'no DOI'} instead of {doi}")
    record = parse_item(item, doi)
    if not record.title and not item.get("DOI"):
        raise MalformedAnswerError("the answer has neither a title nor a field for its DOI")
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
    family, given = stated_name(fields.get("family")), stated_name(fields.get("given"))
    if family and given:
        particles = (stated_name(fields.get(f"{kind}-particle")) for kind in ("dropping", "non-dropping"))
        return Person(
            family=family, given=given, particle=" ".join(filter(None, particles)), suffix=fields.plain("suffix")
        )
    group = stated_name(fields.get("name"))
    if group and not family and not given:
        return Person(literal=group, group=True)
    return undivided(stated_name(fields.get("literal")) or family or given)


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
    return frozenset(filter(None, (doi_name(fields.text(field)) for field in ("URL", "id"))))


def parse_item(item: object, doi: str) -> Record:
    """Record of an item that describes the work with this DOI (see `item_names`), possibly under a different DOI.

    Fields of an unexpected type count as absent; without a title, the record only shows that the DOI is registered.
    """
    fields = mapping(item)
    doi = doi_name(fields.text("DOI")) or doi
    titles = fields.plains("title")
    title = titles[0] if titles else ""
    subtitle = ": ".join(fields.plains("subtitle"))
    if subtitle.casefold() in title.casefold():
        subtitle = ""
    notices, bare = work_notices(fields, title, doi)
    others = [bare, *titles[1:]]
    for field in ("original-title", "title-short", "short-title"):
        others += fields.plains(field)
    stated = fields.text("type")
    years = [partial_year(fields.get(field)) for field in _DATES]
    years.append(partial_year(fields.at("event").get("start")))
    return Record(
        source="doi_content",
        id=doi,
        url=f"https://doi.org/{doi}",
        title=title,
        subtitle=subtitle,
        other_titles=unique(other for other in others if other != title),
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
        notices=notices,
    )
