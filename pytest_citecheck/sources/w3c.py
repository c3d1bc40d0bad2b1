"""W3C: reports by their short name, and versions of them by their date.

Documentation: the W3C API (api.w3.org/doc), "specifications". Absence: addresses name series, levels and former names in many
ways, so it is no evidence. Limits: 6,000 requests in ten minutes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import Absent, Answer, Found, Query, QueryKind, Record
from pytest_citecheck.sources.base import (
    LARGEST_RECORD,
    MalformedAnswerError,
    Rate,
    Request,
    Response,
    Role,
    Source,
    Terms,
)
from pytest_citecheck.sources.parsing import mapping, parse_json, path_url, text, whole_number, year_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_REPORT = lazy_pattern(r"[A-Za-z][A-Za-z0-9._+-]{0,80}(?:/(?:19|20)\d{6})?")


class W3c(Source):
    """The W3C API as a source of records (see the module)."""

    name = "w3c"
    label = "W3C"
    base_url = "https://api.w3.org"
    documentation = "https://api.w3.org/doc"
    batch: Mapping[QueryKind, int] = {"w3c": 1}
    keeps_author_order = False
    rate = Rate(per_second=2.0, concurrency=1)
    largest_body = LARGEST_RECORD
    limits = "6,000 requests in ten minutes"
    terms = Terms("facts about reports, may be redistributed")
    absence = "no evidence: short names change, and versions have many forms of addresses"
    unconfirmed = "answers without a key, and the fields of a version"
    authoritative_for = ("identifier", "title", "year")
    controls: Mapping[QueryKind, Query] = {"w3c": Query("w3c", "xml/20081126")}
    role = Role(looks_up=("w3c",))

    def accepts(self, query: Query) -> bool:
        """Short names of reports, with the date of a version or without."""
        return query.kind == "w3c" and _REPORT.fullmatch(query.value) is not None

    def request(self, queries: Sequence[Query]) -> Request:
        """``specifications/NAME``, or ``specifications/NAME/versions/DATE``."""
        name, _, date = queries[0].value.partition("/")
        path = f"{name}/versions/{date}" if date else name
        return Request(self.name, path_url(f"{self.base_url}/specifications", path))

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """The one report. Raises MalformedAnswerError for all but the requested one and the API's own 404."""

        body = mapping(parse_json(response.body))
        if response.status == 404 and _says_404(body):
            return dict.fromkeys(queries, Absent())
        record = parse_report(body, queries[0].value) if response.status < 300 else None
        if record is None:
            raise MalformedAnswerError(f"W3C's answer with status {response.status} is not the report asked for")
        return dict.fromkeys(queries, Found((record,)))


def _says_404(body: Mapping[str, object]) -> bool:
    error = mapping(body.get("error"))
    return 404 in (whole_number(body.get("status")), whole_number(body.get("code")), whole_number(error.get("code")))


W3C = W3c()


# One report of the W3C, or one version of it, as a record.


_EDITION = lazy_pattern(r"\([^()]{1,40}\bEdition\)$")


def parse_report(report: object, name: str) -> Record | None:
    """Record of a report requested under this short name; None if it has no title or is a different one."""
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
