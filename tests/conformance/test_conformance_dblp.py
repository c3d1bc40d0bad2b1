"""DBLP's recorded responses: parsed records compared with the JSON."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest

from pytest_citecheck.model import Absent, Found, Query, Record
from pytest_citecheck.sources import DBLP, MalformedAnswerError, Response, dblp_record
from tests.conformance.recorded import Recorded, assert_plausible, file_ids, needs_recordings, recordings, the

pytestmark = needs_recordings

RECORDED = recordings("dblp")
WHOLE = [item for item in RECORDED if item.whole]
HIT_LISTS = [item for item in RECORDED if not item.whole]
TITLE = Query("title", "test")


def stated_people(info: dict[str, Any]) -> list[str]:
    author = info.get("authors", {}).get("author", [])
    people = author if isinstance(author, list) else [author]
    return [re.sub(r" \d{4}$", "", html.unescape(person["text"])) for person in people]


def compare(record: Record, info: dict[str, Any]) -> None:
    """Field by field, with the raw hit."""
    assert_plausible(record)
    title = " ".join(html.unescape(info["title"]).split()).removesuffix(".")
    assert title in (record.title, *record.other_titles)
    assert [str(person) for person in (*record.authors, *record.editors)] == stated_people(info)
    assert record.years == (int(info["year"]),)
    assert record.venues == ((html.unescape(info["venue"]),) if "venue" in info else ())
    assert record.doi == info.get("doi", "").lower()
    assert record.url == info["url"]
    if info.get("venue") == "CoRR":
        assert record.type == "preprint"
        assert f"abs/{record.arxiv}" == info["volume"]
    else:
        assert record.arxiv == ""


def test_there_are_recordings() -> None:
    assert len(WHOLE) >= 3
    assert sum(len(item.json) for item in HIT_LISTS) > 90


@pytest.mark.parametrize("item", HIT_LISTS, ids=file_ids)
def test_every_list_of_hits_is_read_field_by_field(item: Recorded) -> None:
    hits = item.json
    for hit in hits:
        record = dblp_record(hit)
        assert record is not None
        compare(record, hit["info"])
    counts = {"@total": str(len(hits)), "@computed": str(len(hits)), "@sent": str(len(hits)), "@first": "0"}
    body = {"result": {"status": {"@code": "200"}, "hits": {**counts, "hit": hits} if hits else counts}}
    answer = DBLP.parse([TITLE], Response(200, json.dumps(body).encode()))[TITLE]
    assert len(answer.records if isinstance(answer, Found) else ()) == len(hits)


def test_a_whole_answer() -> None:
    item = the(WHOLE, "search_test_full_envelope_pid_authors.json")
    answer = DBLP.parse([TITLE], Response(200, item.body))[TITLE]
    assert isinstance(answer, Found)
    record = answer.records[0]
    compare(record, item.json["result"]["hits"]["hit"][0]["info"])
    assert (record.years, record.venues, record.doi) == ((2005,), ("Asian Test Symposium",), "10.1109/ats.2005.17")


def test_an_answer_without_hits() -> None:
    item = the(WHOLE, "search_zero_hits_no_hit_key.json")
    assert DBLP.parse([TITLE], Response(200, item.body)) == {TITLE: Absent("")}


def test_a_list_of_authors_is_refused() -> None:
    item = the(WHOLE, "search_author_single_completion_object.json")
    with pytest.raises(MalformedAnswerError):
        DBLP.parse([TITLE], Response(200, item.body))
