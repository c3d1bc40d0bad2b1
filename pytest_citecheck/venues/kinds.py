"""What a venue is: a journal, a conference, or something beside a conference."""

from __future__ import annotations

from typing import Literal

from pytest_citecheck.venues.parsing import parse_venue

__all__ = ["venue_kind"]

_PRINTED_IN_JOURNALS = frozenset({"journal", "journaltitle", "shortjournal", "article"})
_PRINTED_IN_PROCEEDINGS = frozenset({"booktitle", "maintitle", "eventtitle", "inproceedings", "chapter"})


def venue_kind(venue: str, stated_by: str) -> Literal["journal", "conference", "beside", ""]:
    """What a venue is: a journal, a conference, or something ``beside`` a conference (a workshop, a demonstration).

    The table of venues says so where it knows the venue; otherwise the entry's field or the record's type in ``stated_by``.
    """
    parsed = parse_venue(venue)
    if parsed.part != "main":
        return "beside"
    kinds = {known.kind for known in parsed.venues}
    if kinds == {"workshop"}:
        return "beside"
    if kinds == {"journal"}:
        return "journal"
    if kinds == {"conference"}:
        return "conference"
    if stated_by in _PRINTED_IN_JOURNALS:
        return "journal"
    return "conference" if stated_by in _PRINTED_IN_PROCEEDINGS else ""
