"""How long a text or a list may be before it can be no title, no name, no venue of any work.

What is longer comes from a broken export or from somebody who wants a run to take long. The limits stand far above what real
works have. Count: ``python -m benchmarks.longest_values`` over 1,479,328 records of arXiv, DBLP, Crossref, DataCite, PubMed
and others prints as the longest title 818 characters (99.99 %: 263), venue 346 (315), DOI 66 (41), URL 341 (193), name in a
list of authors 1,213 (64), list of authors 5,154 people (127), which take 81,518 characters as a BibTeX field (2,153).
"""

from __future__ import annotations

__all__ = ["MOST_AUTHORS", "MOST_STATED", "PEOPLE", "longest", "longest_written"]

MOST_AUTHORS = 20_000
"""People in one list: four times the longest."""

MOST_STATED = 1_000
"""Venues, years, other titles, numbers, notices that a source states of one work: the services give some ten at most."""

PEOPLE = frozenset({"author", "editor", "translator"})
"""Fields of a reference that list people, who are read as written."""

_TITLE = 5_000
_VENUE = 5_000
_NAME = 5_000
_IDENTIFIER = 5_000  # some people put a whole citation, or the addresses of all copies, into such a field
_PEOPLE = 400_000
_OTHER = 1_000_000
"""Abstracts and notes, which no check compares, and unknown fields."""

_LONGEST = {
    **dict.fromkeys(("title", "subtitle", "titleaddon", "maintitle", "shorttitle", "other_titles"), _TITLE),
    **dict.fromkeys(
        (
            "journal", "journaltitle", "journalsubtitle", "shortjournal", "booktitle", "booksubtitle", "series", "eventtitle",
            "issuetitle", "school", "institution", "organization", "publisher", "howpublished", "venues", "venue",
        ),
        _VENUE,
    ),
    **dict.fromkeys(("literal", "family", "given", "particle", "suffix"), _NAME),
    **dict.fromkeys(
        (
            "doi", "url", "eprint", "arxivid", "arxiv", "isbn", "issn", "pmid", "pmcid", "pages", "eid", "year", "date", "month",
            "volume", "number", "issue", "archiveprefix", "primaryclass", "eprinttype", "eprintclass", "edition", "version",
            "source", "id", "agency", "type",
        ),
        _IDENTIFIER,
    ),
    **dict.fromkeys((*PEOPLE, "authors", "editors"), _PEOPLE),
}  # fmt: skip


def longest(name: str) -> int:
    """How many characters a field of this name may hold, of a reference (``booktitle``) or a record (``venues``)."""
    return _LONGEST.get(name, _OTHER)


def longest_written(name: str) -> int:
    """The same of a field as it is written: with markup, macros and braces, which may be many times what they stand for."""
    return max(_OTHER, longest(name)) if name not in PEOPLE else longest(name)
