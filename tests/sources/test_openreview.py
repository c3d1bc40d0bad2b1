"""OpenReview: requests, notes of both versions as records, publication status, refused responses."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Absent, Answer, Found, Person, Query, Record
from pytest_citecheck.sources import OPENREVIEW, OPENREVIEW_V1, MalformedAnswerError, Response, parse_note

NOTE = Query("openreview", "rJXMpikCZ")
TITLE = Query("title", "Graph Attention Networks: {LaTeX} & more", ("Velickovic",))

CONTENT: dict[str, Any] = {
    "title": "Graph Attention Networks",
    "authors": ["Petar Veličković", "Yoshua Bengio"],
    "authorids": ["~Petar_Velickovic1", "~Yoshua_Bengio1"],
    "venue": "ICLR 2018 Poster",
    "venueid": "ICLR.cc/2018/Conference",
    "_bibtex": "@inproceedings{\nvelickovic2018graph,\ntitle={Graph Attention Networks},\n"
    "booktitle={International {C}onference on Learning Representations},\nyear={2018},\nurl={https://x.example}\n}",
}
# Submitted on 27 October 2017, decided on 29 January 2018, put into the system years later.
SUBMITTED, DECIDED, MOVED = 1509100000000, 1517180000000, 1700000000000


def note(version: int = 1, content: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    stated: dict[str, Any] = CONTENT | (content or {})
    if version == 2:
        stated = {name: {"value": value} for name, value in stated.items()}
    times = {"cdate": SUBMITTED, "pdate": DECIDED, "tcdate": MOVED}
    return {"id": "rJXMpikCZ", "forum": "rJXMpikCZ", "content": stated, **times, **changes}


def record(content: dict[str, Any] | None = None, **changes: Any) -> Record:
    parsed = parse_note(note(1, content, **changes))
    assert parsed is not None
    return parsed


def body(*notes: object, count: object = 0) -> bytes:
    return json.dumps({"notes": notes, "count": count or len(notes)}).encode()


def ask(query: Query, answer: bytes, status: int = 200) -> Answer:
    return OPENREVIEW.parse([query], Response(status, answer))[query]


@pytest.mark.parametrize("version", [1, 2])
def test_a_published_paper_in_both_versions(version: int) -> None:
    assert parse_note(note(version)) == Record(
        source="openreview",
        id="rJXMpikCZ",
        url="https://openreview.net/forum?id=rJXMpikCZ",
        title="Graph Attention Networks",
        authors=(Person(literal="Petar Veličković"), Person(literal="Yoshua Bengio")),
        years=(2018,),
        venues=("ICLR 2018 Poster", "International Conference on Learning Representations"),
        type="inproceedings",
    )


def test_records_name_the_version_that_was_asked() -> None:
    for asked in (OPENREVIEW, OPENREVIEW_V1):
        answer = asked.parse([NOTE], Response(200, body(note())))[NOTE]
        assert isinstance(answer, Found)
        assert [found.source for found in answer.records] == [asked.name]


@pytest.mark.parametrize(
    "content",
    [
        {"venue": "Submitted to ICLR 2018"},
        {"venue": "ICLR 2018 Conference Withdrawn Submission"},
        {"venue": "ICLR 2018 Conference Desk Rejected Submission"},
        {"venue": "ICLR 2018 Invite to Workshop Track"},
        {"venue": "Under review for TMLR", "venueid": "TMLR/Under_Review"},
        {"venue": "Decision pending for TMLR", "venueid": "TMLR"},
        {"venue": "ICLR 2018", "venueid": "ICLR.cc/2018/Conference/Rejected_Submission"},
        {"venue": "ICLR 2018", "venueid": "ICLR.cc/2018/Conference/Withdrawn_Submission"},
        {"venueid": "TMLR/Rejected"},
        {"venue": "", "venueid": ""},
        {"venue": None, "venueid": "ICLR.cc/2018/Conference"},
    ],
)
@pytest.mark.parametrize("version", [1, 2])
def test_what_is_not_accepted_is_no_publication(content: dict[str, Any], version: int) -> None:
    found = parse_note(note(version, content))
    assert found is not None
    assert (found.type, found.venues) == ("preprint", ("OpenReview",))
    assert 2017 in found.years
    assert 2018 in found.years


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ({"venue": "NeurIPS 2021 Workshop DistShift Poster"}, "inproceedings"),
        ({"venue": "RLDM 2022: Reinforcement Learning and Decision Making"}, "inproceedings"),
        ({"venue": "Accepted by TMLR", "venueid": "TMLR", "_bibtex": ""}, "article"),
        ({"venue": "DMLR", "venueid": "x", "_bibtex": "@article{a, journal={Journal of Data-centric ML}}"}, "article"),
        ({"venue": "J. ACM", "venueid": "dblp.org/journals/JACM/2018", "_bibtex": ""}, "article"),
        ({"venue": "CoRR 2017", "venueid": "dblp.org/journals/CORR/2017", "_bibtex": "@article{a}"}, "preprint"),
    ],
)
def test_types(content: dict[str, Any], kind: str) -> None:
    found = record(content)
    assert found.type == kind
    assert found.venues[0] == content["venue"]


def test_the_entry_for_citing_does_not_name_the_venue_before_the_decision() -> None:
    entry = "@inproceedings{a, booktitle={Submitted to ICLR 2018}, year={2017}, note={under review}}"
    assert record({"_bibtex": entry}).venues == ("ICLR 2018 Poster",)


@pytest.mark.parametrize(
    ("content", "changes", "years"),
    [
        # The decisions of ICLR 2019 were made in December 2018.
        ({"venueid": "ICLR.cc/2019/Conference", "venue": "ICLR 2019 Poster", "_bibtex": ""}, {}, (2019, 2018)),
        ({"venueid": "TMLR", "venue": "TMLR", "_bibtex": "@article{a, year={2023}}"}, {}, (2023, 2018)),
        ({"venueid": "TMLR", "venue": "TMLR", "_bibtex": ""}, {}, (2018,)),
        ({"_bibtex": ""}, {"pdate": None}, (2018,)),
        ({"_bibtex": ""}, {"pdate": 10**30}, (2018,)),
        ({"_bibtex": ""}, {"pdate": True}, (2018,)),
        ({"venueid": "", "venue": "Venue", "_bibtex": ""}, {"pdate": "soon"}, ()),
    ],
)
def test_years(content: dict[str, Any], changes: dict[str, Any], years: tuple[int, ...]) -> None:
    assert record(content, **changes).years == years


@pytest.mark.parametrize(
    ("content", "doi", "arxiv"),
    [
        ({"venueid": "dblp.org/conf/KDD/2016", "html": "https://doi.org/10.1145/2939672.2939785"}, True, ""),
        ({"venueid": "dblp.org/journals/CORR/2017", "html": "http://arxiv.org/abs/1706.03762"}, False, "1706.03762"),
        ({"html": "https://doi.org/10.1145/2939672.2939785"}, False, ""),
    ],
)
def test_what_was_fetched_from_elsewhere_is_compiled(content: dict[str, Any], doi: bool, arxiv: str) -> None:
    found = record(content)
    assert found.compiled == ("venueid" in content)
    assert (found.doi, found.arxiv) == ("10.1145/2939672.2939785" if doi else "", arxiv)


def test_notes_without_a_group_tell_by_their_invitation() -> None:
    assert record({"venueid": ""}, invitation="dblp.org/-/record").compiled
    assert record({"venueid": ""}, invitations=["DBLP.org/-/Record", "DBLP.org/-/Edit"]).compiled
    assert not record({"venueid": ""}, invitations=["ICLR.cc/2018/Conference/-/Submission"]).compiled


def test_people() -> None:
    assert record({"authors": ["Anonymous"]}).authors == ()
    assert record({"authors": None}).authors == ()
    assert record({"authors": [{"fullname": "Ada O'Neil", "username": "~Ada1"}, 3, ""]}).authors == (
        Person(literal="Ada O'Neil"),
    )


def test_a_review_is_no_work() -> None:
    review = note(2, {"title": "Official Review"}, id="SyR3k1x5z", forum="rJXMpikCZ")
    query = Query("openreview", "SyR3k1x5z")
    answer = ask(query, body(review))
    assert isinstance(answer, Found)
    assert [found.title for found in answer.records] == [""]
    assert ask(TITLE, body(review)) == Absent()


def test_a_note_that_does_not_exist_is_absent_and_that_is_no_evidence() -> None:
    missing = b'{"name": "NotFoundError", "message": "The Note rJXMpikCZ was not found", "status": 404, "details": {}}'
    assert ask(NOTE, missing, 404) == Absent()
    assert ask(NOTE, b'{"notes": [], "count": 0}') == Absent()
    assert ask(TITLE, b'{"notes": [], "count": 0}') == Absent()
    assert ask(TITLE, b'{"notes": []}') == Absent()  # version 2 counts only where that is asked for
    with pytest.raises(MalformedAnswerError):
        ask(TITLE, missing, 404)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (b'{"name": "ForbiddenError", "message": "no", "status": 403}', 404),
        (b'{"name": "NotFoundError", "message": "no", "status": 404}', 200),
        (b'{"name": "ValidationError", "message": "bad id", "status": 400}', 400),
        (b'{"notes": {}, "count": 0}', 200),
        (b'{"notes": [], "count": 3}', 200),
        (b'{"notes": [], "count": 0, "errors": ["x"]}', 200),
        (b'{"notes": [1, null, {"id": "rJXMpikCZ"}], "count": 3}', 200),
    ],
)
def test_answers_that_are_not_whole_are_refused(answer: bytes, status: int) -> None:
    for query in (NOTE, TITLE):
        with pytest.raises(MalformedAnswerError):
            ask(query, answer, status)


def test_a_list_is_as_long_as_it_counts_up_to_what_was_asked_for() -> None:
    with pytest.raises(MalformedAnswerError):
        ask(TITLE, body(note(), count=2))
    assert isinstance(ask(TITLE, body(*[note()] * 10, count=400)), Found)


@pytest.mark.parametrize("other", ["rjxmpikcz", "SJU4ayYgl"])
def test_another_note_is_never_the_answer(other: str) -> None:
    with pytest.raises(MalformedAnswerError):
        ask(NOTE, body(note(id=other, forum=other)))


def test_requests() -> None:
    assert OPENREVIEW.request([NOTE]).url == "https://api2.openreview.net/notes?id=rJXMpikCZ"
    search = urlsplit(OPENREVIEW_V1.request([TITLE]).url)
    assert (search.netloc, search.path) == ("api.openreview.net", "/notes/search")
    assert parse_qs(search.query) == {
        "term": ["Graph Attention Networks LaTeX more"],
        "content": ["title"],
        "group": ["all"],
        "source": ["forum"],
        "limit": ["10"],
    }


def test_what_is_accepted() -> None:
    for value in ("", "abc", "rJXMpikCZ ", "a/b", "https://openreview.net/forum?id=rJXMpikCZ"):
        assert not OPENREVIEW.accepts(Query("openreview", value))
    for asked in (OPENREVIEW, OPENREVIEW_V1):
        assert asked.credentials is not None
        assert asked.credentials.required == ("openreview",)  # the search answers everybody


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["value", "fullname"]), inner, max_size=2)
    ),
    max_leaves=5,
)
FIELDS = st.dictionaries(st.sampled_from([*CONTENT, "html"]), JSON_VALUES)
OUTER = st.dictionaries(st.sampled_from(["cdate", "pdate", "invitation", "invitations"]), JSON_VALUES)


@pytest.mark.exhaustive
@given(FIELDS, OUTER)
def test_fields_of_any_type_do_no_harm(content: dict[str, Any], outer: dict[str, Any]) -> None:
    found = parse_note({**outer, "id": "rJXMpikCZ", "content": {**CONTENT, **content}})
    assert found is not None
    assert all(1400 <= year < 2100 for year in found.years)
    assert found.venues
