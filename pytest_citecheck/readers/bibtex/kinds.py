"""Which entries of a file are bibliography: glossaries, abbreviations and settings of styles stand in the same files."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["KNOWN_TYPES", "is_bibliography"]

KNOWN_TYPES = frozenset((
    "article", "book", "booklet", "conference", "inbook", "incollection", "inproceedings", "manual", "mastersthesis", "misc",
    "phdthesis", "proceedings", "techreport", "unpublished",
    "mvbook", "bookinbook", "suppbook", "collection", "mvcollection", "suppcollection", "dataset", "online", "patent",
    "periodical", "suppperiodical", "mvproceedings", "reference", "mvreference", "inreference", "report", "set", "software",
    "thesis", "xdata", "electronic", "www", "artwork", "audio", "bibnote", "commentary", "image", "jurisdiction",
    "legislation", "legal", "letter", "movie", "music", "performance", "review", "standard", "video", "newspaper",
))  # fmt: skip
"""The types of BibTeX's standard styles and of biblatex (manual, section 2.1), and ``newspaper``."""
_FIELDS = frozenset((
    "author", "editor", "title", "booktitle", "journal", "journaltitle", "year", "date", "publisher", "howpublished",
    "school", "institution", "organization", "doi", "url", "eprint", "isbn", "issn", "crossref", "xref", "xdata", "note",
))  # fmt: skip


def is_bibliography(kind: str, fields: Collection[str]) -> bool:
    """Whether an entry of this type (lower case) with these fields may describe a work.

    An entry of a type that no style knows does if it has a field of a bibliography: its type may be misspelt.
    """
    return not kind or kind in KNOWN_TYPES or not _FIELDS.isdisjoint(fields)
