"""The RFC Editor: RFCs by number.

Documentation: www.rfc-editor.org/retrieve, and the files beside the RFCs; each has ``rfcNNNN.json``. Absence: the RFC
Editor alone numbers RFCs and has them all; the text of some of the first thousand was never put online, so a missing
file is no evidence there. Author order: as printed. Limits: none are published for this static site.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import Absent, Person, Query, QueryKind, Record
from pytest_citecheck.sources.base import Rate, Response, Role, Terms
from pytest_citecheck.sources.by_identifier import ByIdentifier
from pytest_citecheck.sources.parsing import Fields, doi_name, mapping, stated_name

if TYPE_CHECKING:
    from collections.abc import Mapping

_NUMBER = lazy_pattern(r"[1-9]\d{0,4}")
_NOT_FOUND = lazy_pattern(rb"<(?:title|h1)\b[^>]{0,200}>[^<]{0,200}\b(?:404|not found)\b", re.IGNORECASE)
_ALL_ONLINE_FROM = 1000
_NO_SUCH_RFC = "the RFC Editor, who numbers all RFCs, has published none of this number"


class RfcEditor(ByIdentifier):
    """The RFC Editor's files as a source of records (see the module)."""

    name = "rfc_editor"
    label = "RFC Editor"
    base_url = "https://www.rfc-editor.org"
    documentation = "https://www.rfc-editor.org/retrieve/"
    kind: QueryKind = "rfc"
    work = "the RFC asked for"
    keeps_author_order = True
    rate = Rate(per_second=2.0, concurrency=1)
    limits = "none published for this static site; 2 requests a second are used"
    terms = Terms("facts about RFCs, may be redistributed")
    absence = "complete for RFCs from number 1000 on, which only it assigns and publishes"
    unconfirmed = "the JSON file of each RFC, and the response for a missing one"
    authoritative_for = ("identifier", "title", "authors", "year")
    role = Role(looks_up=("rfc",))
    controls: Mapping[QueryKind, Query] = {"rfc": Query("rfc", "2119")}

    def names(self, value: str) -> bool:
        return _NUMBER.fullmatch(value) is not None

    def url(self, value: str) -> str:
        return f"{self.base_url}/rfc/rfc{value}.json"

    def body(self, response: Response) -> Fields:
        """The JSON file; empty for a page about a missing one."""
        return mapping(None) if response.status >= 400 else super().body(response)

    def denies(self, response: Response, body: Fields) -> bool:  # noqa: ARG002 - a page says so
        return response.status == 404 and _NOT_FOUND.search(response.body) is not None

    def denied(self, value: str) -> Absent:
        """RFCs with lower numbers are not all online."""
        return Absent(_NO_SUCH_RFC if int(value) >= _ALL_ONLINE_FROM else "")

    def read(self, body: Fields, value: str) -> Record | None:
        record = parse_rfc(body)
        return record if record is not None and record.number == value else None


RFC_EDITOR = RfcEditor()


_ID = lazy_pattern(r"RFC0*([1-9]\d{0,4})")
_EDITOR = lazy_pattern(r"\(?\bEds?\.?\)?$")
_PERSON = lazy_pattern(r"((?:[A-Z][A-Za-z]?\.[ -]?)+)\s*(.+)")


def parse_rfc(rfc: object) -> Record | None:
    """The record of one RFC; None if it states no number or no title."""
    fields = mapping(rfc)
    match = _ID.fullmatch(fields.text("doc_id").upper())
    title = " ".join(fields.text("title").split())
    if not match or not title:
        return None
    number, year = match[1], fields.year("pub_date")
    return Record(
        source="rfc_editor",
        id=f"RFC{number}",
        url=f"https://www.rfc-editor.org/info/rfc{number}",
        title=title,
        other_titles=(f"RFC {number}: {title}", f"{title} (RFC {number})"),
        authors=tuple(map(_person, map(stated_name, fields.all("authors")))),
        years=(year,) if year else (),
        venues=("RFC Editor", "Request for Comments", "RFC", "IETF", "Internet Engineering Task Force"),
        type="report",
        publisher="RFC Editor; Internet Engineering Task Force; IETF",
        doi=doi_name(fields.text("doi")),
        number=number,
    )


def _person(stated: str) -> Person:
    """``T. Bray, Ed.``; a name without initials is a group."""
    name = _EDITOR.sub("", stated.strip()).rstrip(" ,")
    match = _PERSON.fullmatch(name)
    return Person(given=match[1].strip(), family=match[2].strip()) if match else Person(literal=name, group=bool(name))
