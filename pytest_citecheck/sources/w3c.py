"""W3C: reports by their short name, and versions of them by their date.

Documentation: the W3C API (api.w3.org/doc), "specifications". Absence: addresses name series, levels and former names in many
ways, so it is no evidence. Limits: 6,000 requests in ten minutes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import Query, QueryKind, Record
from pytest_citecheck.sources.base import Rate, Response, Role, Terms
from pytest_citecheck.sources.by_identifier import ByIdentifier
from pytest_citecheck.sources.parsing import Fields, mapping, path_url, whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping

_REPORT = lazy_pattern(r"[A-Za-z][A-Za-z0-9._+-]{0,80}(?:/(?:19|20)\d{6})?")


class W3c(ByIdentifier):
    """The W3C API as a source of records (see the module)."""

    name = "w3c"
    label = "W3C"
    base_url = "https://api.w3.org"
    documentation = "https://api.w3.org/doc"
    kind: QueryKind = "w3c"
    work = "the report asked for"
    rate = Rate(per_second=2.0, concurrency=1)
    limits = "6,000 requests in ten minutes"
    terms = Terms("facts about reports, may be redistributed")
    absence = "no evidence: short names change, and versions have many forms of addresses"
    unconfirmed = "answers without a key, and the fields of a version"
    authoritative_for = ("identifier", "title", "year")
    controls: Mapping[QueryKind, Query] = {"w3c": Query("w3c", "xml/20081126")}
    role = Role(looks_up=("w3c",))

    def names(self, value: str) -> bool:
        return _REPORT.fullmatch(value) is not None

    def url(self, value: str) -> str:
        name, _, date = value.partition("/")
        return path_url(f"{self.base_url}/specifications", f"{name}/versions/{date}" if date else name)

    def denies(self, response: Response, body: Fields) -> bool:
        error = body.at("error")
        stated = (body.get("status"), body.get("code"), error.get("code"))
        return response.status == 404 and 404 in map(whole_number, stated)

    def read(self, body: Fields, value: str) -> Record | None:
        return parse_report(body, value)


W3C = W3c()


_EDITION = lazy_pattern(r"\([^()]{1,40}\bEdition\)$")


def parse_report(report: object, name: str) -> Record | None:
    """Record of a report requested under this short name; None if it has no title or is a different one."""
    fields = mapping(report)
    title = " ".join(fields.text("title").split())
    stated = fields.text("shortname") or fields.text("shortlink").rstrip("/").rpartition("/TR/")[2]
    if not title or stated.casefold() != name.partition("/")[0].casefold():
        return None
    year = fields.year("date")
    bare = _EDITION.sub("", title).rstrip()
    return Record(
        source="w3c",
        id=name,
        url=fields.text("uri") or fields.text("shortlink"),
        title=title,
        other_titles=(bare,) if bare != title else (),
        years=(year,) if year else (),
        venues=("W3C", "World Wide Web Consortium", "W3C Recommendation"),
        type="report",
        publisher="W3C; World Wide Web Consortium",
    )
