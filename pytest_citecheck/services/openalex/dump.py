"""Works of OpenAlex: the partitions of its snapshot (``data/works/updated_date=…/part_000.gz``) and pages of its API.

Documentation: "OpenAlex snapshot" (docs.openalex.org/download-all-data/openalex-snapshot) and the work object
(docs.openalex.org/api-entities/works/work-object).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.arxiv import normalise_arxiv
from pytest_citecheck.index.entry import Entry
from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.json_fields import doi_name, listing, mapping, name, text, year_in
from pytest_citecheck.services.dumps.json_values import objects

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["OPENALEX_WORKS", "OpenalexWorks"]

_ID = re.compile(rb'"id"\s*:\s*"(?:https?://openalex\.org/)?W\d')
_MARK = re.compile(rb'"(?:authorships|publication_year)"\s*:')
_WORK = re.compile(r"(?:https?://openalex\.org/)?(W\d+)", re.IGNORECASE)
_PMID = re.compile(r"(?:https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/)?(\d{1,8})/?")
_ARXIV_PAGE = re.compile(r"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf)/(\S+?)(?:\.pdf)?", re.IGNORECASE)
_ARXIV_DOI = "10.48550/arxiv."


class OpenalexWorks:
    """Reads works of OpenAlex (see the module)."""

    name = "openalex"
    source = "openalex"

    def recognises(self, head: Head) -> bool:
        """By an id of OpenAlex and the field of the authors."""
        return _ID.search(head.data) is not None and _MARK.search(head.data) is not None

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Entry | Problem]:
        """One entry a work; what OpenAlex calls paratext (covers, tables of contents) is skipped."""
        source = context.source or self.source
        for item in objects(chunks, context, _is_work):
            if isinstance(item, Problem):
                yield item
                continue
            offset, line, value = item
            identifier = _WORK.fullmatch(text(value.get("id")))
            if identifier is None:
                yield context.problem(
                    offset, "the id is none of a work of OpenAlex", line=line, record=text(value["id"])[:100]
                )
            elif value.get("is_paratext") is True or value.get("type") == "paratext":
                context.skipped["front matter"] += 1
            else:
                yield _entry(value, identifier[1].upper(), source)


def _is_work(value: dict[str, Any]) -> bool:
    # Authors and topics within a work have an id, too.
    return "id" in value and ("authorships" in value or "publication_year" in value)


def _person(authorship: object) -> str:
    """The name that the publication prints, else that of the profile to which OpenAlex assigned it."""
    fields = mapping(authorship)
    return name(fields.get("raw_author_name")) or name(mapping(fields.get("author")).get("display_name"))


def _place_names(place: Mapping[str, Any]) -> tuple[str, str]:
    """The name of the source, and the one that was stated; repositories put whole citations there, aggregators addresses."""
    source = mapping(place.get("source"))
    stated = text(place.get("raw_source_name"))
    return text(source.get("display_name")), "" if source.get("type") == "repository" or "://" in stated else stated


def _entry(work: dict[str, Any], identifier: str, source: str) -> Entry:
    doi = doi_name(work.get("doi"))
    places = [mapping(place) for place in (work.get("primary_location"), *listing(work.get("locations")))]
    names = [name for place in places for name in _place_names(place)]
    venue, *further = list(dict.fromkeys(filter(None, names))) or [""]
    biblio = mapping(work.get("biblio"))
    pages = dict.fromkeys(filter(None, (text(biblio.get("first_page")), text(biblio.get("last_page")))))
    pmid = _PMID.fullmatch(text(mapping(work.get("ids")).get("pmid")))
    kind = text(work.get("type"))
    if kind == "article" and mapping(places[0].get("source")).get("type") == "conference":
        kind = "inproceedings"
    return Entry(
        source,
        identifier,
        text(work.get("title")) or text(work.get("display_name")),
        tuple(filter(None, map(_person, listing(work.get("authorships"))))),
        year_in(work.get("publication_year")),
        venue,
        doi,
        _arxiv(doi, places),
        f"https://openalex.org/{identifier}",
        kind,
        pmid[1] if pmid else "",
        venues=tuple(further),
        volume=text(biblio.get("volume")),
        number=text(biblio.get("issue")),
        pages="-".join(pages),
        complete=work.get("is_authors_truncated") is not True,
    )


def _arxiv(doi: str, places: list[Any]) -> str:
    found = normalise_arxiv(doi[len(_ARXIV_DOI) :])[0] if doi.startswith(_ARXIV_DOI) else ""
    for place in places:
        page = text(place.get("landing_page_url"))
        if not found and (match := _ARXIV_PAGE.fullmatch(page)):
            found = normalise_arxiv(match[1])[0]
    return found


OPENALEX_WORKS = OpenalexWorks()
