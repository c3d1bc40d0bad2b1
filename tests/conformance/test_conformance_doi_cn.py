"""Recorded responses of content negotiation: CSL-JSON is parsed correctly, and other content is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_citecheck.model import Absent, Found, Query
from pytest_citecheck.sources import DOI_CONTENT, MalformedAnswerError, Response
from tests.conformance.recorded import Recorded, assert_plausible, file_ids, needs_recordings, recordings, the

pytestmark = needs_recordings

RECORDED = recordings("doi_cn")
CSL = [item for item in RECORDED if item.file.endswith(".json")]
PAGE = "404_10.1126_foo.html"
OTHERS = [item for item in RECORDED if item not in CSL and not item.file.endswith(PAGE)]
"""BibTeX, formatted references, a redirect page: the client requests none of these."""


def items(item: Recorded) -> list[dict[str, Any]]:
    body = item.json
    return body if isinstance(body, list) else [body]


def test_there_are_recordings() -> None:
    assert sum(len(items(item)) for item in CSL) >= 6
    assert len(OTHERS) >= 20


@pytest.mark.parametrize("item", CSL, ids=file_ids)
def test_every_item_is_read_field_by_field(item: Recorded) -> None:
    for raw in items(item):
        query = Query("doi", raw["DOI"].lower())
        response = Response(200, item.body if item.whole else json.dumps(raw).encode())
        answer = DOI_CONTENT.parse([query], response)[query]
        assert isinstance(answer, Found)
        record = answer.records[0]
        assert_plausible(record)
        assert record.doi == query.value
        assert record.title == " ".join(raw["title"].split())
        stated = [person.get("family") or person["literal"] for person in raw["author"]]
        assert [person.family or person.literal for person in record.authors] == stated
        assert record.years[0] == int(raw["issued"]["date-parts"][0][0])
        assert record.venues[0] == raw["container-title"]
        assert (record.volume, record.pages) == (raw.get("volume", ""), raw.get("page", ""))
        assert record.issn == tuple([raw["ISSN"]] if isinstance(raw.get("ISSN"), str) else raw.get("ISSN", []))


def test_a_list_of_several_items_is_refused() -> None:
    item = the(CSL, "manubot_crossref-deep-review-csl.json")
    both = json.dumps(items(item) * 2).encode()
    with pytest.raises(MalformedAnswerError):
        DOI_CONTENT.parse([Query("doi", "10.1098/rsif.2017.0387")], Response(200, both))


@pytest.mark.parametrize("item", OTHERS, ids=file_ids)
def test_everything_else_is_refused(item: Recorded) -> None:
    query = Query("doi", "10.1126/science.169.3946.635")
    with pytest.raises(MalformedAnswerError):
        DOI_CONTENT.parse([query], Response(item.status, item.body))


def test_the_page_about_an_unknown_doi() -> None:
    item, query = the(RECORDED, PAGE), Query("doi", "10.1126/foo")
    assert DOI_CONTENT.parse([query], Response(404, item.body)) == {query: Absent("")}
    for status, doi in ((200, "10.1126/foo"), (404, "10.1126/bar")):
        with pytest.raises(MalformedAnswerError):
            DOI_CONTENT.parse([Query("doi", doi)], Response(status, item.body))
