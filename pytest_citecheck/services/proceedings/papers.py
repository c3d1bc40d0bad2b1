"""The papers of a list, as records: out of pages for people, and out of BibTeX.

Written after the pages of proceedings.mlr.press, papers.nips.cc, aclanthology.org and openaccess.thecvf.com as they were known in
2025, and not from recorded answers. A page is whole if it ends as a page does and every paper on it could be read.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from pytest_citecheck.model import Record
from pytest_citecheck.readers.bibtex.reader import read_bibtex
from pytest_citecheck.services.base import MalformedAnswerError
from pytest_citecheck.text.markup import without_markup
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_citecheck.venues.lists import VenueYearList

__all__ = ["attribute", "bibtex_papers", "inside", "listed_paper", "page_text", "plain"]

_END = lazy_pattern(r"</html\s*>\s*(?:<!--[^<>]{0,500}-->\s*)?\Z", re.IGNORECASE)
_TAG = lazy_pattern(r"<[^<>]{0,2000}>")
_BESIDE = frozenset({"proceedings", "xdata", "set", "comment"})


def page_text(body: bytes) -> str:
    """The text of a page. Raises MalformedAnswerError unless it is one and goes to its end."""
    text = body.decode("utf-8", "replace")
    if not _END.search(text[-2000:]):
        raise MalformedAnswerError("the list is no web page, or was cut off")
    return text


def plain(marked: str) -> str:
    """The text of a piece of a page, without tags."""
    return without_markup(html.unescape(_TAG.sub("", marked)))


def attribute(name: str, value: str) -> str:
    """The pattern of an attribute with a value of this pattern, in quotation marks or, as minified pages have it, without."""
    return rf"""\b{name}\s*=\s*["']?{value}["']?(?=[\s>/])"""


def inside(element: str) -> str:
    """The pattern of what an element holds, up to the tag that ends it or begins another one; with its end tag."""
    return rf"([^<]*+(?:<(?!/?{element}\b)[^<]*+)*+)</{element}\s*>"


def listed_paper(
    source: str, listed: VenueYearList, identifier: str, url: str, title: str, people: Iterable[str], volume: str = ""
) -> Record:
    """The record of a paper on a page; in the main proceedings, unless the page names another volume.

    Raises MalformedAnswerError for one without a title.
    """
    from pytest_citecheck.services.parsing.stated_names import undivided

    if not title:
        raise MalformedAnswerError(f"the paper {identifier} has no title")
    return Record(
        source=source,
        id=identifier,
        url=url,
        title=title,
        authors=tuple(undivided(name) for name in people if name),
        years=(listed.year,),
        venues=(volume,) if volume else (listed.venue.name, *listed.venue.aliases[:1]),
        type="inproceedings",
    )


def bibtex_papers(source: str, listed: VenueYearList, body: bytes) -> list[Record]:
    """The records of a file of BibTeX. Raises MalformedAnswerError for one with an entry that could not be read."""
    from pytest_citecheck.services.bibtex.record import broken, entry_record

    bibliography = read_bibtex(f"{source}.bib", body)
    papers = [reference for reference in bibliography.references if reference.type not in _BESIDE]
    for reference in papers:
        if reason := broken(reference):
            raise MalformedAnswerError(f"line {reference.location.line}: {reason}")
    records = [entry_record(reference, source) for reference in papers]
    if any(not record.title for record in records):
        raise MalformedAnswerError("an entry has no title")
    if any(listed.year not in record.years for record in records if record.years):
        raise MalformedAnswerError(f"an entry is not of {listed.year}")
    return records
