"""One report of the W3C, or one version of it, as a record.

Source: the W3C API (api.w3.org/doc), "specifications". Editors are not stated in the same answer.
"""

from __future__ import annotations

from pytest_citecheck.model import Record
from pytest_citecheck.services.parsing.json_body import mapping, text, year_of
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["parse_report"]

_EDITION = lazy_pattern(r"\([^()]{1,40}\bEdition\)$")


def parse_report(report: object, name: str) -> Record | None:
    """The record of a report that was asked for under this short name; None if it has no title or is another one."""
    fields = mapping(report)
    title = " ".join(text(fields.get("title")).split())
    stated = text(fields.get("shortname")) or text(fields.get("shortlink")).rstrip("/").rpartition("/TR/")[2]
    if not title or stated.casefold() != name.partition("/")[0].casefold():
        return None
    year = year_of(fields.get("date"))
    bare = _EDITION.sub("", title).rstrip()
    return Record(
        source="w3c",
        id=name,
        url=text(fields.get("uri")) or text(fields.get("shortlink")),
        title=title,
        other_titles=(bare,) if bare != title else (),
        years=(year,) if year else (),
        venues=("W3C", "World Wide Web Consortium", "W3C Recommendation"),
        type="report",
        publisher="W3C; World Wide Web Consortium",
    )
