"""One work as Crossref describes it, as a record.

Source: the works schema of the Crossref REST API (api.crossref.org/swagger-ui, "Work") and Crossref's list of
content types (api.crossref.org/types).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.model import Notice, Person, Record, RecordType
from pytest_citecheck.services.parsing.identifiers import arxiv_id, arxiv_id_of_doi, doi_name, isbn_numbers
from pytest_citecheck.services.parsing.json_body import first_text, listing, mapping, text, texts
from pytest_citecheck.services.parsing.notices import announced, notices_of
from pytest_citecheck.services.parsing.partial_date import partial_year
from pytest_citecheck.services.parsing.relations import SAME_WORK
from pytest_citecheck.services.parsing.stated_names import stated_name, stated_parts, undivided
from pytest_citecheck.text.markup import without_markup

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "SELECT",
    "WORK_TYPES",
    "is_beside_the_work",
    "is_notice_under_its_title",
    "names_of",
    "parse_work",
    "related_works",
    "work_notices",
]

SELECT = (
    "DOI,title,subtitle,short-title,original-title,author,editor,issued,published,published-print,published-online,"
    "posted,container-title,short-container-title,event,group-title,type,publisher,relation,volume,issue,page,"
    "article-number,ISBN,ISSN,updated-by,update-to"
)
"""What is asked of every work: elements that the API documents as selectable (``institution`` is not)."""

_COPIES = frozenset({"10.65215"})
"""Prefixes under which copies of famous works are registered, with their titles and authors: member 54718, 279 works of posted
content, of which eight are titled "Attention Is All You Need" and dated 2025 (api.crossref.org/members/54718, October 2026)."""

WORK_TYPES: Mapping[str, RecordType] = {
    "journal-article": "article",
    "proceedings-article": "inproceedings",
    "posted-content": "preprint",
    "book": "book",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "book-chapter": "chapter",
    "book-section": "chapter",
    "book-part": "chapter",
    "book-track": "chapter",
    "reference-entry": "chapter",
    "proceedings": "proceedings",
    "dissertation": "thesis",
    "report": "report",
    "report-component": "report",
    "dataset": "dataset",
    "database": "dataset",
}
"""Crossref's types of works; all others are ``other``."""

# Publication dates only. "created" and "deposited" tell when metadata were sent, decades later for old works.
_DATES = ("issued", "published", "published-print", "published-online", "published-other", "posted")

# Preprint servers by the DOI prefix that is theirs, for answers without "institution": the list of
# posted-content prefixes of Crossref's members. One prefix may serve several servers.
_PREPRINT_SERVERS: Mapping[str, tuple[str, ...]] = {
    "10.1101": ("bioRxiv", "medRxiv"),
    "10.64898": ("bioRxiv", "medRxiv"),
    "10.2139": ("SSRN Electronic Journal", "SSRN"),
    "10.20944": ("Preprints.org",),
    "10.21203": ("Research Square",),
    "10.22541": ("Authorea",),
    "10.26434": ("ChemRxiv",),
    "10.31219": ("OSF Preprints",),
    "10.31222": ("MetaArXiv",),
    "10.31223": ("EarthArXiv",),
    "10.31234": ("PsyArXiv",),
    "10.31235": ("SocArXiv",),
    "10.32942": ("EcoEvoRxiv",),
    "10.35542": ("EdArXiv",),
    "10.36227": ("TechRxiv",),
}


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


def _plain_texts(value: object) -> tuple[str, ...]:
    return _unique(map(without_markup, texts(value)))


def _years(work: Mapping[str, Any]) -> tuple[int, ...]:
    issue = mapping(work.get("journal-issue"))
    dates = [work.get(name) for name in _DATES]
    dates += [issue.get("published-print"), issue.get("published-online")]
    # A conference of December is printed next year and cited with either.
    dates.append(mapping(work.get("event")).get("start"))
    return tuple(dict.fromkeys(year for year in map(partial_year, dates) if year))


def _person(contributor: object) -> Person | None:
    fields = mapping(contributor)
    family, given = stated_parts(fields.get("family"), fields.get("given"))
    if family and given:
        return Person(family=family, given=given, suffix=without_markup(text(fields.get("suffix"))))
    single = family or given
    if single:
        # A family name alone is a mononym, or a whole name that was deposited in one field.
        return undivided(single) if " " in single else Person(family=single)
    name = stated_name(fields.get("name"))
    return Person(literal=name, group=True) if name else None


def _people(contributors: object) -> tuple[Person, ...]:
    return tuple(person for person in map(_person, listing(contributors)) if person)


def related_works(work: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The relations to other forms of this work, each with a DOI or an arXiv id."""
    related: list[tuple[str, str]] = []
    for name, targets in mapping(work.get("relation")).items():
        if name in SAME_WORK:
            for target in listing(targets):
                stated = text(mapping(target).get("id"))
                identifier = doi_name(stated) or arxiv_id(stated)
                if identifier:
                    related.append((name, identifier))
    return tuple(dict.fromkeys(related))


def _arxiv(related: tuple[tuple[str, str], ...]) -> str:
    for _, identifier in related:
        found = arxiv_id_of_doi(identifier) if identifier.startswith("10.") else identifier
        if found:
            return found
    return ""


def _venues(work: Mapping[str, Any], kind: RecordType, doi: str) -> tuple[str, ...]:
    event = mapping(work.get("event"))
    institutions = [text(mapping(item).get("name")) for item in listing(work.get("institution"))]
    names = [*texts(work.get("container-title")), *texts(work.get("short-container-title"))]
    names += [text(event.get("name")), first_text(event.get("acronym")), *institutions]
    if kind == "preprint" and not any(institutions):
        names += _PREPRINT_SERVERS.get(doi.partition("/")[0], ())
    names.append(text(work.get("group-title")))
    return _unique(map(without_markup, names))


def work_notices(work: Mapping[str, Any], title: str, doi: str) -> tuple[tuple[Notice, ...], str]:
    """The notices on this work, and its title without what announces one (empty if nothing does)."""
    notices = notices_of(work)
    # A publisher may give a retraction notice the title "Retracted: …" as well; such a work updates another one.
    said = None if listing(work.get("update-to")) else announced(title, doi)
    if said is None:
        return notices, ""
    kind, bare = said
    known = any(notice.kind == kind and notice.stated_by == "crossref" for notice in notices)
    return notices if known else (*notices, Notice(kind, "crossref")), bare


def is_beside_the_work(work: object) -> bool:
    """Whether this is a copy of a work under a DOI of its own, or a part of one (a figure, a table)."""
    fields = mapping(work)
    return text(fields.get("DOI")).partition("/")[0] in _COPIES or fields.get("type") == "component"


def is_notice_under_its_title(work: object) -> bool:
    """Whether this is a notice of retraction that bears the title of the work it is about, as some publishers do."""
    fields = mapping(work)
    title = next((text(value) for value in listing(fields.get("title"))), "")
    return bool(listing(fields.get("update-to"))) and announced(without_markup(title)) is not None


def names_of(work: Mapping[str, Any]) -> frozenset[str]:
    """The DOIs under which Crossref knows this work: its own, and stated aliases and identical ones."""
    names = {doi_name(text(work.get("DOI")))}
    names.update(doi_name(alias) for alias in texts(work.get("aliases")))
    for relation in ("is-identical-to", "is-same-as"):
        for target in listing(mapping(work.get("relation")).get(relation)):
            names.add(doi_name(text(mapping(target).get("id"))))
    return frozenset(name for name in names if name)


def parse_work(work: object) -> Record | None:
    """The record of one work (an item of ``message.items`` or the ``message`` of a single work).

    None if the value is no work at all, that is an object without a DOI. Fields of an unexpected type count
    as absent.
    """
    fields = mapping(work)
    doi = doi_name(text(fields.get("DOI")))
    if not doi:
        return None
    titles = _plain_texts(fields.get("title"))
    title = titles[0] if titles else ""
    subtitle = ": ".join(_plain_texts(fields.get("subtitle")))
    if subtitle and subtitle.casefold() in title.casefold():
        subtitle = ""
    others = [
        *titles[1:],
        *_plain_texts(fields.get("original-title")),
        *_plain_texts(fields.get("short-title")),
    ]
    kind = WORK_TYPES.get(text(fields.get("type")), "other")
    related = related_works(fields)
    notices, bare = work_notices(fields, title, doi)
    return Record(
        source="crossref",
        id=doi,
        url=f"https://doi.org/{doi}",
        title=title,
        subtitle=subtitle,
        other_titles=_unique(other for other in [bare, *others] if other != title),
        authors=_people(fields.get("author")),
        editors=_people(fields.get("editor")),
        years=_years(fields),
        venues=_venues(fields, kind, doi),
        type=kind,
        publisher=without_markup(text(fields.get("publisher"))),
        doi=doi,
        arxiv=arxiv_id_of_doi(doi) or _arxiv(related),
        volume=without_markup(text(fields.get("volume"))),
        number=without_markup(text(fields.get("issue"))),
        pages=without_markup(text(fields.get("page")) or text(fields.get("article-number"))),
        isbn=isbn_numbers(texts(fields.get("ISBN"))),
        issn=_unique(texts(fields.get("ISSN"))),
        agency="Crossref",
        related=related,
        notices=notices,
    )
