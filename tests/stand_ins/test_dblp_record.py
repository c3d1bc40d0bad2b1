"""The local DBLP records: what the source reads in them is what the facts say, and what the search says."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from pytest_citecheck.model import Absent, Answer, Found, Query
from pytest_citecheck.sources import DBLP_RECORD, MalformedAnswerError, Response, dblp_record
from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.dblp import Dblp, DblpRecords
from tests.stand_ins.facts import DblpRecord
from tests.support.suites import identified

FACTS = load_facts(FACTS_FILE)
SERVICE, SEARCH = DblpRecords(FACTS), Dblp(FACTS)
RECORDS = [record for work in FACTS.works for record in work.dblp]


def ask(key: str, service: DblpRecords = SERVICE) -> Answer:
    query = Query("dblp", key)
    assert DBLP_RECORD.accepts(query)
    reply = service.answer(urlsplit(DBLP_RECORD.request([query]).url).path, {})
    return DBLP_RECORD.parse([query], Response(reply.status, reply.body))[query]


@pytest.mark.parametrize("stated", identified(RECORDS, lambda record: record.key, 12))
def test_a_record_says_what_the_search_says(stated: DblpRecord) -> None:
    answer = ask(stated.key)
    assert isinstance(answer, Found)
    (record,) = answer.records
    words = stated.title.split()[0]
    reply = SEARCH.answer("/search/publ/api", {"q": f"{words} year:{stated.year}:", "format": "json", "h": "1000"})
    hits = json.loads(reply.body)["result"]["hits"]["hit"]
    searched = next(dblp_record(hit) for hit in hits if hit["info"]["key"] == stated.key)
    assert searched is not None
    # The record of a publication links its DOI, the search states it.
    assert replace(record, doi=searched.doi, arxiv=searched.arxiv) == searched
    assert record.id == stated.key
    assert record.years == (int(stated.year),)


def test_an_unknown_key() -> None:
    assert ask("conf/nips/Nobody99") == Absent("")


def test_misfiled_answers_are_refused() -> None:
    with pytest.raises(MalformedAnswerError, match="instead of"):
        ask(RECORDS[0].key, DblpRecords(FACTS, shift=1))
