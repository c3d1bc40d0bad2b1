"""The local OpenReview, and what the sources read from it."""

from __future__ import annotations

import dataclasses
import json
from urllib.parse import parse_qsl, urlsplit

import pytest

from pytest_citecheck.model import Absent, Answer, Found, Query
from pytest_citecheck.sources import OPENREVIEW, OPENREVIEW_V1, MalformedAnswerError, Response
from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.facts import Facts, Work
from tests.stand_ins.openreview import OpenReview, OpenReviewV1

FACTS = load_facts(FACTS_FILE)
WORKS = [work for work in FACTS.works if work.openreview]
LATER = Facts(tuple(dataclasses.replace(work, issued=(2024, 5)) for work in WORKS))
VERSIONS = [(OPENREVIEW, OpenReview, LATER), (OPENREVIEW_V1, OpenReviewV1, FACTS)]


def ask(version: int, query: Query, facts: Facts | None = None, *, shift: int = 0) -> Answer:
    asked, service, own_facts = VERSIONS[version - 2]
    url = urlsplit(asked.request([query]).url)
    reply = service(facts or own_facts, shift=shift).answer(url.path, dict(parse_qsl(url.query)))
    return asked.parse([query], Response(reply.status, reply.body))[query]


def test_there_are_enough_works() -> None:
    assert len(WORKS) > 4


@pytest.mark.parametrize("version", [2, 3], ids=["2", "1"])
@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.id)
def test_a_submission_is_found_by_id_and_title(version: int, work: Work) -> None:
    answer = ask(version, Query("openreview", work.openreview))
    assert isinstance(answer, Found)
    (record,) = answer.records
    assert (record.id, record.title, record.type) == (work.openreview, work.title, "inproceedings")
    assert list(map(str, record.authors)) == list(map(str, work.authors))
    assert record.years == (2024 if version == 2 else work.issued[0],)
    assert len(record.venues) == 2
    listed = ask(version, Query("title", work.title))
    assert isinstance(listed, Found)
    assert listed.records[0].title == work.title


def test_each_version_holds_its_own() -> None:
    for work in WORKS:
        assert ask(2, Query("openreview", work.openreview), FACTS) == Absent()
    assert ask(3, Query("title", "Graph Attention Networks"), LATER) == Absent()


def test_the_contents_of_version_2_are_objects() -> None:
    for service, facts, wrapped in ((OpenReview, LATER, True), (OpenReviewV1, FACTS, False)):
        reply = service(facts).answer("/notes", {"id": WORKS[0].openreview})
        (note,) = json.loads(reply.body)["notes"]
        assert all(isinstance(value, dict) == wrapped for value in note["content"].values())


def test_what_does_not_exist_is_said_in_json() -> None:
    for path, parameters in (("/notes", {"id": "nothing"}), ("/groups", {}), ("/notes", {})):
        reply = OpenReviewV1(FACTS).answer(path, parameters)
        assert (reply.status, json.loads(reply.body)["name"]) == (404, "NotFoundError")


def test_misfiled_answers_are_refused() -> None:
    with pytest.raises(MalformedAnswerError):
        ask(3, Query("openreview", WORKS[0].openreview), shift=1)
