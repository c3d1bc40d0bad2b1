"""Works of Crossref: the public data file, the snapshots of Metadata Plus, and pages of the REST API.

Documentation: "Public data file" (crossref.org/learning/public-data-file), a directory or archive of files with
``{"items": […]}`` or one work a line; the works schema of the REST API (api.crossref.org/swagger-ui, "Work").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.arxiv import normalise_arxiv
from pytest_citecheck.identifiers.standard_numbers import find_isbns
from pytest_citecheck.index.entry import Entry
from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.json_fields import date_year, doi_name, listing, mapping, name, text, texts
from pytest_citecheck.services.dumps.json_values import objects

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CROSSREF_WORKS", "CrossrefWorks", "person"]

# Publication dates only. "created" and "deposited" tell when metadata were sent, decades later for old works.
_DATES = ("issued", "published", "published-print", "published-online", "published-other", "posted")
_MARKS = re.compile(
    rb'"(?:reference-count|is-referenced-by-count|deposited|message-type|short-container-title|references-count)"\s*:'
)
_DOI = re.compile(rb'"DOI"\s*:')
_TITLE_LIST = re.compile(rb'"title"\s*:\s*\[')
_ARXIV_DOI = "10.48550/arxiv."
# What has a DOI of its own, but is no work: a container, or a part of a work.
_NO_WORKS = frozenset({
    "journal", "journal-issue", "journal-volume", "book-series", "book-set", "proceedings-series", "report-series", "component",
    "grant",
})  # fmt: skip


class CrossrefWorks:
    """Reads works of Crossref (see the module)."""

    name = "crossref"
    source = "crossref"

    def recognises(self, head: Head) -> bool:
        """By a DOI and fields that only Crossref has, or a list of titles."""
        marked = _MARKS.search(head.data) or _TITLE_LIST.search(head.data)
        return marked is not None and _DOI.search(head.data) is not None

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Entry | Problem]:
        """One entry a work; containers (journals, series), components and grants are skipped."""
        source = context.source or self.source
        for item in objects(chunks, context, _is_work):
            if isinstance(item, Problem):
                yield item
                continue
            offset, line, value = item
            doi = doi_name(value.get("DOI"))
            if not doi:
                stated = text(value.get("DOI"))[:100]
                yield context.problem(offset, "the work has no DOI that is one", line=line, record=stated)
            elif text(value.get("type")) in _NO_WORKS:
                context.skipped["no work"] += 1
            else:
                yield _entry(value, doi, source)


def _is_work(value: dict[str, Any]) -> bool:
    # References and updates within a work have a DOI, too.
    return "DOI" in value and ("prefix" in value or "member" in value or isinstance(value.get("title"), list))


def person(contributor: object) -> str:
    """ "Family, Given, Suffix", or the name of a group."""
    fields = mapping(contributor)
    family, given = name(fields.get("family")), name(fields.get("given"))
    if family and given:
        suffix = text(fields.get("suffix"))
        return f"{family}, {given}, {suffix}" if suffix else f"{family}, {given}"
    return family or given or name(fields.get("name"))


def _entry(work: dict[str, Any], doi: str, source: str) -> Entry:
    titles = texts(work.get("title"))
    title = titles[0] if titles else ""
    subtitle = ": ".join(texts(work.get("subtitle")))
    if subtitle and subtitle.casefold() not in title.casefold():
        title = f"{title}: {subtitle}" if title else ""
    event = mapping(work.get("event"))
    institutions = [text(mapping(item).get("name")) for item in listing(work.get("institution"))]
    venues = [*texts(work.get("container-title")), *texts(work.get("short-container-title")), text(event.get("name"))]
    venues += [*institutions, text(work.get("group-title"))]
    names = list(dict.fromkeys(filter(None, venues))) or [""]
    issue = mapping(work.get("journal-issue"))
    dates = [*(work.get(field) for field in _DATES), issue.get("published-print"), issue.get("published-online")]
    years = map(date_year, (*dates, event.get("start")))
    arxiv = normalise_arxiv(doi[len(_ARXIV_DOI) :])[0] if doi.startswith(_ARXIV_DOI) else ""
    return Entry(
        source,
        doi,
        title,
        tuple(filter(None, map(person, listing(work.get("author"))))),
        next(filter(None, years), None),
        names[0],
        doi,
        arxiv,
        f"https://doi.org/{doi}",
        text(work.get("type")),
        isbn=tuple(dict.fromkeys(isbn for stated in texts(work.get("ISBN")) for isbn in find_isbns(stated)[0])),
        venues=tuple(names[1:]),
        volume=text(work.get("volume")),
        number=text(work.get("issue")),
        pages=text(work.get("page")) or text(work.get("article-number")),
        editors=tuple(filter(None, map(person, listing(work.get("editor"))))),
    )


CROSSREF_WORKS = CrossrefWorks()
