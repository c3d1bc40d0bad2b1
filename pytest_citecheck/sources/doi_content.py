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
from typing import TYPE_CHECKING, Any

from pytest_citecheck.matching import lazy_pattern, without_markup
from pytest_citecheck.model import Absent, Answer, Found, Notice, Person, Query, QueryKind, Record, RecordType
from pytest_citecheck.sources.base import MalformedAnswerError, Rate, Request, Response, Role, Source, Terms
from pytest_citecheck.sources.crossref import WORK_TYPES, names_of, related_works, work_notices
from pytest_citecheck.sources.parsing import (
    arxiv_id,
    arxiv_id_of_doi,
    doi_name,
    first_text,
    isbn_numbers,
    listing,
    mapping,
    parse_json,
    partial_year,
    path_url,
    plain_texts,
    stated_name,
    text,
    texts,
    undivided,
    unique,
    year_of,
)
from pytest_citecheck.sources.search import SAME_WORK, announced, hyphenated
from pytest_citecheck.sources.xml import marked_text, marked_texts, without_namespaces

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Iterable, Mapping, Sequence

_ACCEPT = "application/vnd.citationstyles.csl+json, application/vnd.crossref.unixref+xml;q=0.9, application/json;q=0.5"
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

    def accepts(self, query: Query) -> bool:
        """Accepts every DOI; useful for those of agencies other than Crossref and DataCite."""
        return query.kind == "doi" and bool(doi_name(query.value))

    def request(self, queries: Sequence[Query]) -> Request:
        """The DOI itself, with the media types that can be read."""
        return Request(self.name, path_url(self.base_url, queries[0].value), accept=_ACCEPT)

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """The record of the DOI from CSL-JSON (one item) or Crossref's XML.

        Raises MalformedAnswerError for everything else: a page, a formatted reference, BibTeX, several items, another DOI.
        """
        return {query: _answer(query.value, response) for query in queries}


def _answer(doi: str, response: Response) -> Answer:
    if response.status >= 300:
        if response.status == 404 and _denies(doi, response.body):
            return Absent()
        raise MalformedAnswerError(f"doi.org or the agency answered status {response.status}")
    record = _from_xml(doi, response.body) if _is_xml(response.body) else _from_json(doi, response.body)
    return Found((record,))


def _denies(doi: str, body: bytes) -> bool:
    """Return True if this is doi.org's own page about an unknown DOI: two phrases and the DOI."""
    page = html.unescape(body.decode("utf-8", "replace")).lower()
    return doi in page and all(words in page for words in _NOT_FOUND)


def _is_xml(body: bytes) -> bool:
    return body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _from_xml(doi: str, body: bytes) -> Record:
    from pytest_citecheck.sources.xml import parse_xml

    record = parse_unixref(parse_xml(body, doctype=True), doi)
    if record is None:
        raise MalformedAnswerError(f"the XML does not describe {doi}")
    return record


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


# One item of CSL-JSON, as registration agencies serve it for a DOI, as a record.


# "article" is used for any independent work (preprints at DataCite, articles elsewhere), so it is ignored here.
_TYPES: Mapping[str, RecordType] = {
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "review": "article",
    "paper-conference": "inproceedings",
    "book": "book",
    "chapter": "chapter",
    "entry": "chapter",
    "entry-dictionary": "chapter",
    "entry-encyclopedia": "chapter",
    "thesis": "thesis",
    "report": "report",
    "dataset": "dataset",
    "software": "software",
}
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
            family=family,
            given=given,
            particle=" ".join(filter(None, particles)),
            suffix=without_markup(text(fields.get("suffix"))),
        )
    group = stated_name(fields.get("name"))
    if group and not family and not given:
        return Person(literal=group, group=True)
    return undivided(stated_name(fields.get("literal")) or family or given)


def _people(stated: object) -> tuple[Person, ...]:
    return tuple(map(_person, listing(stated)))


def _venues(item: Mapping[str, Any]) -> tuple[str, ...]:
    event = item.get("event")
    names = [name for field in _VENUES for name in texts(item.get(field))]
    names += [text(item.get("event-title")), text(event), text(mapping(event).get("name"))]
    names.append(first_text(mapping(event).get("acronym")))
    return unique(map(without_markup, names))


def _numbers(value: object) -> tuple[str, ...]:
    """Several numbers are in an array, or in one string (``1234-5678, 2345-6789``)."""
    return unique(part for stated in texts(value) for part in _SEPARATOR.split(stated.rpartition("/")[2]))


def item_names(item: object) -> frozenset[str]:
    """DOIs of the work that an item describes; without the field, the DOI in its ``URL`` or ``id``."""
    fields = mapping(item)
    if text(fields.get("DOI")):
        return names_of(fields)
    return frozenset(filter(None, (doi_name(text(fields.get(field))) for field in ("URL", "id"))))


def parse_item(item: object, doi: str) -> Record:
    """Record of an item that describes the work with this DOI (see `item_names`), possibly under a different DOI.

    Fields of an unexpected type count as absent; without a title, the record only shows that the DOI is registered.
    """
    fields = mapping(item)
    doi = doi_name(text(fields.get("DOI"))) or doi
    titles = plain_texts(fields.get("title"))
    title = titles[0] if titles else ""
    subtitle = ": ".join(plain_texts(fields.get("subtitle")))
    if subtitle.casefold() in title.casefold():
        subtitle = ""
    notices, bare = work_notices(fields, title, doi)
    others = [bare, *titles[1:]]
    for field in ("original-title", "title-short", "short-title"):
        others += plain_texts(fields.get(field))
    stated = text(fields.get("type"))
    years = [partial_year(fields.get(field)) for field in _DATES]
    years.append(partial_year(mapping(fields.get("event")).get("start")))
    return Record(
        source="doi_content",
        id=doi,
        url=f"https://doi.org/{doi}",
        title=title,
        subtitle=subtitle,
        other_titles=unique(other for other in others if other != title),
        authors=_people(fields.get("author")),
        editors=_people(fields.get("editor")),
        years=tuple(dict.fromkeys(year for year in years if year)),
        venues=_venues(fields),
        type=_TYPES.get(stated) or WORK_TYPES.get(stated, "other"),
        publisher=without_markup(first_text(fields.get("publisher"))),
        doi=doi,
        arxiv=arxiv_id_of_doi(doi),
        volume=without_markup(text(fields.get("volume"))),
        number=without_markup(text(fields.get("issue")) or text(fields.get("number"))),
        pages=without_markup(text(fields.get("page")) or text(fields.get("article-number"))),
        isbn=isbn_numbers(texts(fields.get("ISBN"))),
        issn=_numbers(fields.get("ISSN")),
        related=related_works(fields),
        notices=notices,
    )


# One work in Crossref's XML as a record: unixref, as its publishers deposit it, alone or in Crossref's query output.


_UNIXREF_TYPES: Mapping[str, RecordType] = {
    "journal_article": "article",
    "conference_paper": "inproceedings",
    "proceedings_metadata": "proceedings",
    "proceedings_series_metadata": "proceedings",
    "book_metadata": "book",
    "book_series_metadata": "book",
    "book_set_metadata": "book",
    "content_item": "chapter",
    "dissertation": "thesis",
    "report-paper_metadata": "report",
    "report-paper_series_metadata": "report",
    "dataset": "dataset",
    "database_metadata": "dataset",
}
_PREPRINTS = frozenset({"", "preprint", "working_paper"})
# Metadata of the whole that an item is part of: beside the item or beside its parent.
_WHOLES = (
    "journal_metadata",
    "proceedings_metadata",
    "proceedings_series_metadata",
    "book_metadata",
    "book_series_metadata",
    "book_set_metadata",
    "report-paper_metadata",
    "report-paper_series_metadata",
    "database_metadata",
    "event_metadata",
)
_TITLES = ("titles/title", "proceedings_title", "full_title")
_UNIXREF_DATES = (
    "publication_date",
    "posted_date",
    "approval_date",
    "review_date",
    "database_date/publication_date",
    "database_date/creation_date",
)


def _first(parents: Iterable[ET.Element], *paths: str) -> str:
    """The first text at one of the paths below one of the elements."""
    return next((text for parent in parents for path in paths for text in marked_texts(parent, path)), "")


def _years(parents: Iterable[ET.Element], paths: Sequence[str] = _UNIXREF_DATES) -> list[int]:
    """Years of publication, the earliest first; print and online years come in any order."""
    dates = [date for parent in parents for path in paths for date in parent.findall(path)]
    return sorted({year for date in dates if (year := year_of(date.findtext("year") or ""))})


def _unixref_person(contributor: ET.Element) -> Person | None:
    if contributor.tag == "organization":
        name = stated_name(marked_text(contributor))
        return Person(literal=name, group=True) if name else None
    given, family = (stated_name(contributor.findtext(name)) for name in ("given_name", "surname"))
    if given and family:
        return Person(family=family, given=given, suffix=without_markup(contributor.findtext("suffix") or ""))
    single = family or given
    return undivided(single) if single else None


def _unixref_people(item: ET.Element, role: str) -> tuple[Person, ...]:
    # The author of a dissertation is a direct child.
    stated = [*item.findall("contributors/*"), *item.findall("person_name")]
    wanted = [
        one for one in stated if one.tag in ("person_name", "organization") and one.get("contributor_role") == role
    ]
    return tuple(person for person in map(_unixref_person, wanted) if person)


def _related(item: ET.Element) -> tuple[tuple[str, str], ...]:
    related: list[tuple[str, str]] = []
    for kind in ("intra_work_relation", "inter_work_relation"):
        for stated in item.findall(f"program/related_item/{kind}"):
            relation, value = hyphenated(stated.get("relationship-type", "")), without_markup(stated.text or "")
            identifier = doi_name(value) or arxiv_id(value)
            if relation in SAME_WORK and identifier:
                related.append((relation, identifier))
    return tuple(dict.fromkeys(related))


def _unixref_venues(item: ET.Element, wholes: Sequence[ET.Element]) -> tuple[str, ...]:
    """Names of the container, then its short ones, its series, the event, the institution, the server's section."""
    names: list[str] = []
    for path in (*_TITLES, "abbrev_title", "series_metadata/titles/title", "set_metadata/titles/title"):
        names += [name for whole in wholes for name in marked_texts(whole, path)]
    if item.tag in _WHOLES:
        names += marked_texts(item, "series_metadata/titles/title")
    for path in ("conference_name", "conference_acronym"):
        names += [name for whole in wholes for name in marked_texts(whole, path)]
    for path in ("institution/institution_name", "group_title"):
        names += marked_texts(item, path)
    return unique(names)


def _pages(item: ET.Element) -> str:
    first, last = (without_markup(item.findtext(f"pages/{name}") or "") for name in ("first_page", "last_page"))
    if first:
        return f"{first}-{last}" if last else first
    numbers = item.findall("publisher_item/item_number")
    return next(
        (without_markup(one.text or "") for one in numbers if one.get("item_number_type") == "article_number"), ""
    )


def _type(item: ET.Element) -> RecordType:
    if item.tag == "posted_content":
        return "preprint" if item.get("type", "") in _PREPRINTS else "other"
    return _UNIXREF_TYPES.get(item.tag, "other")


def _item(root: ET.Element, doi: str) -> list[ET.Element]:
    """The element for which this DOI was deposited, and its parents from the inside out; empty without one."""
    parents = {child: parent for parent in root.iter() for child in parent}
    for item in root.iter():
        if any(doi_name(without_markup(stated.text or "")) == doi for stated in item.findall("doi_data/doi")):
            path = [item]
            while path[-1] in parents and path[-1].tag != "crossref":
                path.append(parents[path[-1]])
            return path
    return []


def parse_unixref(document: ET.Element, doi: str) -> Record | None:
    """The record of the item that this DOI (in lower case) was deposited for, or None if the document has no such item.

    The tree is left with local names.
    """
    path = _item(without_namespaces(document), doi)
    if not path:
        return None
    item, around = path[0], path[1:]
    wholes = [found for outer in around for name in _WHOLES for found in outer.findall(name) if found is not item]
    issues = [found for outer in around for found in outer.findall("journal_issue") if found is not item]
    own, last = [item], [item, *issues, *wholes]
    titles = [title for path_ in _TITLES for title in marked_texts(item, path_)]
    title = titles[0] if titles else ""
    said = announced(title, doi)
    others = [said[1] if said else "", *titles[1:], *marked_texts(item, "titles/original_language_title")]
    related = _related(item)
    return Record(
        source="doi_content",
        id=doi,
        url=f"https://doi.org/{doi}",
        title=title,
        subtitle=_first(own, "titles/subtitle"),
        other_titles=unique(other for other in others if other != title),
        authors=_unixref_people(item, "author"),
        editors=_unixref_people(item, "editor"),
        years=_all_years(own, issues, wholes),
        venues=_unixref_venues(item, wholes),
        type=_type(item),
        publisher=_first(last, "publisher/publisher_name"),
        doi=doi,
        arxiv=arxiv_id_of_doi(doi) or next((name for _, name in related if not name.startswith("10.")), ""),
        volume=_first(last, "journal_volume/volume", "volume"),
        number=_first(issues, "issue"),
        pages=_pages(item),
        isbn=isbn_numbers(number for whole in last for number in marked_texts(whole, "isbn")),
        issn=_issn_numbers(last),
        agency="Crossref",
        related=related,
        notices=(Notice(said[0], "crossref"),) if said and item.find("crossmark/updates") is None else (),
    )


def _all_years(own: list[ET.Element], issues: list[ET.Element], wholes: list[ET.Element]) -> tuple[int, ...]:
    conferences = [_start(date) for whole in wholes for date in whole.findall("conference_date")]
    return tuple(dict.fromkeys(filter(None, [*_years(own), *_years(issues), *_years(wholes), *conferences])))


def _issn_numbers(items: list[ET.Element]) -> tuple[str, ...]:
    paths = ("issn", "series_metadata/issn")
    return unique(number for item in items for path in paths for number in marked_texts(item, path))


def _start(conference: ET.Element) -> int | None:
    return year_of(conference.get("start_year", ""))
