"""The RFC Editor: RFCs by number.

Documentation: www.rfc-editor.org/retrieve, and the files beside the RFCs; each has ``rfcNNNN.json``. Absence: the RFC
Editor alone numbers RFCs and has them all; the text of some of the first thousand was never put online, so a missing
file is no evidence there. Author order: as printed. Limits: none are published for this static site.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import Absent, Answer, Found, Person, Query, QueryKind, Record
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
from pytest_citecheck.sources.parsing import doi_name, mapping, parse_json, stated_name, text, texts, year_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NUMBER = lazy_pattern(r"[1-9]\d{0,4}")
_NOT_FOUND = lazy_pattern(rb"<(?:title|h1)\b[^>]{0,200}>[^<]{0,200}\b(?:404|not found)\b", re.IGNORECASE)
_ALL_ONLINE_FROM = 1000
_NO_SUCH_RFC = "the RFC Editor, who numbers all RFCs, has published none of this number"


class RfcEditor(Source):
    """The RFC Editor's files as a source of records (see the module)."""

    name = "rfc_editor"
    label = "RFC Editor"
    base_url = "https://www.rfc-editor.org"
    documentation = "https://www.rfc-editor.org/retrieve/"
    batch: Mapping[QueryKind, int] = {"rfc": 1}
    keeps_author_order = True
    rate = Rate(per_second=2.0, concurrency=1)
    largest_body = LARGEST_RECORD
    limits = "none published for this static site; 2 requests a second are used"
    terms = Terms("facts about RFCs, may be redistributed")
    absence = "complete for RFCs from number 1000 on, which only it assigns and publishes"
    unconfirmed = "the JSON file of each RFC, and the response for a missing one"
    authoritative_for = ("identifier", "title", "authors", "year")
    role = Role(looks_up=("rfc",))
    controls: Mapping[QueryKind, Query] = {"rfc": Query("rfc", "2119")}

    def accepts(self, query: Query) -> bool:
        """Numbers of RFCs."""
        return query.kind == "rfc" and _NUMBER.fullmatch(query.value) is not None

    def request(self, queries: Sequence[Query]) -> Request:
        """``rfc/rfcNNNN.json``."""
        return Request(self.name, f"{self.base_url}/rfc/rfc{queries[0].value}.json")

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """Parse the one RFC. Raises MalformedAnswerError for anything but its file and the page for a missing RFC."""

        if response.status == 404 and _NOT_FOUND.search(response.body):
            return {query: _absent(query) for query in queries}
        record = parse_rfc(parse_json(response.body)) if response.status < 300 else None
        if record is None or any(record.number != query.value for query in queries):
            raise MalformedAnswerError(
                f"the RFC Editor's answer with status {response.status} is not the RFC asked for"
            )
        return dict.fromkeys(queries, Found((record,)))


def _absent(query: Query) -> Absent:
    return Absent(_NO_SUCH_RFC) if int(query.value) >= _ALL_ONLINE_FROM else Absent()


RFC_EDITOR = RfcEditor()


# One RFC as the RFC Editor describes it, as a record.


_ID = lazy_pattern(r"RFC0*([1-9]\d{0,4})")
_EDITOR = lazy_pattern(r"\(?\bEds?\.?\)?$")
_PERSON = lazy_pattern(r"((?:[A-Z][A-Za-z]?\.[ -]?)+)\s*(.+)")


def parse_rfc(rfc: object) -> Record | None:
    """The record of one RFC; None if it states no number or no title."""
    fields = mapping(rfc)
    match = _ID.fullmatch(text(fields.get("doc_id")).upper())
    title = " ".join(text(fields.get("title")).split())
    if not match or not title:
        return None
    number, year = match[1], year_of(fields.get("pub_date"))
    return Record(
        source="rfc_editor",
        id=f"RFC{number}",
        url=f"https://www.rfc-editor.org/info/rfc{number}",
        title=title,
        other_titles=(f"RFC {number}: {title}", f"{title} (RFC {number})"),
        authors=tuple(_person(name) for name in map(stated_name, texts(fields.get("authors"))) if name),
        years=(year,) if year else (),
        venues=("RFC Editor", "Request for Comments", "RFC", "IETF", "Internet Engineering Task Force"),
        type="report",
        publisher="RFC Editor; Internet Engineering Task Force; IETF",
        doi=doi_name(text(fields.get("doi"))),
        number=number,
    )


def _person(stated: str) -> Person:
    """``T. Bray, Ed.``; a name without initials is a group."""
    name = _EDITOR.sub("", stated.strip()).rstrip(" ,")
    match = _PERSON.fullmatch(name)
    return Person(given=match[1].strip(), family=match[2].strip()) if match else Person(literal=name, group=True)
