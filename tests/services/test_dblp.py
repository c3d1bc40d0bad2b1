"""DBLP: requests, hits as records, answers that are refused."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Absent, Answer, Found, Person, Query, Record
from pytest_citecheck.sources import DBLP, MalformedAnswerError, Response, dblp_record

TITLE = Query("title", "Attention is All you Need", authors=("Vaswani",))
BYLINE = Query("author_search", "conf/nips", authors=("Vaswani", "van den Oord"), year=2017)
VOLUME = Query("venue_year", "conf/nips", year=2017)

INFO: dict[str, Any] = {
    "authors": {"author": [{"@pid": "1", "text": "Wei Wang 0001"}, {"@pid": "2", "text": "A&aacute;ron van den Oord"}]},
    "title": "Pandora&apos;s Box &amp; Friends.",
    "venue": "NIPS",
    "pages": "5998-6008",
    "year": "2017",
    "type": "Conference and Workshop Papers",
    "access": "open",
    "key": "conf/nips/WangO17",
    "doi": "10.5555/3295222.ABC",
    "ee": "https://proceedings.example",
    "url": "https://dblp.org/rec/conf/nips/WangO17",
}


def answer_body(hits: object, *, total: int, sent: int | None = None, code: str = "200") -> bytes:
    counts = {"@total": str(total), "@computed": "9", "@sent": str(total if sent is None else sent), "@first": "0"}
    result = {
        "query": "x*",
        "status": {"@code": code, "text": "OK"},
        "hits": counts if hits is None else {**counts, "hit": hits},
    }
    return json.dumps({"result": result}).encode()


def ask(query: Query, body: bytes, status: int = 200) -> Answer:
    return DBLP.parse([query], Response(status, body))[query]


def record(**changes: object) -> Record:
    parsed = dblp_record({"@score": "6", "info": {**INFO, **changes}})
    assert parsed is not None
    return parsed


def test_a_conference_paper() -> None:
    assert record() == Record(
        source="dblp",
        id="conf/nips/WangO17",
        url="https://dblp.org/rec/conf/nips/WangO17",
        title="Pandora's Box & Friends",
        authors=(Person(literal="Wei Wang"), Person(literal="Aáron van den Oord")),
        years=(2017,),
        venues=("NIPS",),
        type="inproceedings",
        doi="10.5555/3295222.abc",
        pages="5998-6008",
    )


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        ({"@pid": "1", "text": "Jane Doe"}, ("Jane Doe",)),
        ("Jane Doe 0012", ("Jane Doe",)),
        (["Jane Doe", {"text": "John Roe Jr."}], ("Jane Doe", "John Roe Jr.")),
        (["R2D2 Ops", "Model 12345"], ("R2D2 Ops", "Model 12345")),
        (None, ()),
        ([None, 3, {}], ()),
    ],
)
def test_authors_in_every_form(author: object, expected: tuple[str, ...]) -> None:
    assert tuple(map(str, record(authors={"author": author}).authors)) == expected


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("Deep learning.", "Deep learning"),
        ("Why Deep?", "Why Deep?"),
        ("To be continued...", "To be continued..."),
        ("Java vs. C++", "Java vs. C++"),
    ],
)
def test_the_closing_period_is_dblps_own(stated: str, expected: str) -> None:
    assert record(title=stated).title == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"type": "Journal Articles"}, "article"),
        ({"type": "Informal and Other Publications", "venue": "CoRR"}, "preprint"),
        ({"type": "Informal or Other Publications", "venue": "CoRR"}, "preprint"),
        ({"type": "Informal and Other Publications", "venue": "Dagstuhl Reports"}, "other"),
        ({"type": "Books and Theses", "key": "books/daglib/1"}, "book"),
        ({"type": "Books and Theses", "key": "phd/hal/Sharma22"}, "thesis"),
        ({"type": "Parts in Books or Collections"}, "chapter"),
        ({"type": "Editorship"}, "proceedings"),
        ({"type": "Data and Artifacts"}, "dataset"),
        ({"type": None}, "other"),
    ],
)
def test_types(changes: dict[str, object], expected: str) -> None:
    assert record(**changes).type == expected


def test_the_people_of_an_editorship_are_editors() -> None:
    found = record(type="Editorship")
    assert (found.authors, tuple(map(str, found.editors))) == ((), ("Wei Wang", "Aáron van den Oord"))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"venue": "CoRR", "volume": "abs/1706.03762"}, "1706.03762"),
        ({"venue": "CoRR", "volume": "cs.LO/0207041"}, "cs/0207041"),
        ({"venue": "CoRR", "volume": "math.GT/0309136"}, "math/0309136"),
        (
            {"venue": "CoRR", "volume": None, "ee": ["http://x.example", "http://arxiv.org/abs/1706.03762"]},
            "1706.03762",
        ),
        ({"venue": "CoRR", "doi": "10.48550/ARXIV.2406.20062"}, "2406.20062"),
        ({"volume": "abs/1706.03762"}, ""),
    ],
)
def test_arxiv_ids(changes: dict[str, object], expected: str) -> None:
    assert record(**changes).arxiv == expected


def test_venues_may_be_a_list() -> None:
    assert record(venue=["CVPR Workshops", "J. Imaging &amp; Co"]).venues == ("CVPR Workshops", "J. Imaging & Co")
    assert record(venue=None).venues == ()


def test_a_thesis_with_a_translated_title() -> None:
    found = record(key="phd/hal/X", type="Books and Theses", title="Learning (fast). (Apprentissage (rapide)).")
    assert found.title == "Learning (fast)"
    assert found.other_titles[0] == "Apprentissage (rapide)"


def test_hits_as_list_single_object_or_missing() -> None:
    assert ask(TITLE, answer_body([{"info": INFO}], total=1)) == Found((record(),))
    assert ask(TITLE, answer_body({"info": INFO}, total=1)) == Found((record(),))
    assert ask(TITLE, answer_body(None, total=0)) == Absent("")
    assert ask(TITLE, answer_body([], total=0)) == Absent("")
    assert ask(TITLE, answer_body([{"info": INFO}, None, {"info": {}}], total=900, sent=3)) == Found((record(),))


def test_a_whole_list_of_an_author_search_names_its_scope_and_so_does_its_absence() -> None:
    scope = "DBLP lists 1 works in conf/nips 2017 by an author named Vaswani or van den Oord"
    assert ask(BYLINE, answer_body([{"info": INFO}], total=1)) == Found((record(),), scope)
    assert ask(BYLINE, answer_body([{"info": INFO}], total=1200, sent=1)) == Found((record(),), "")
    absent = "DBLP lists no work in conf/nips 2017 by an author named Vaswani or van den Oord"
    assert ask(BYLINE, answer_body(None, total=0)) == Absent(absent)


def test_a_volume_is_listed_or_not() -> None:
    assert ask(VOLUME, answer_body([{"info": INFO}], total=679, sent=1)) == Found(
        (record(),), "DBLP lists conf/nips 2017"
    )
    assert ask(VOLUME, answer_body(None, total=0)) == Absent("")


def test_records_from_elsewhere_show_that_a_facet_was_not_understood() -> None:
    for query in (BYLINE, VOLUME):
        with pytest.raises(MalformedAnswerError):
            ask(query, answer_body([{"info": INFO | {"key": "conf/icml/Other20"}}], total=1))


@pytest.mark.parametrize(
    "body",
    [
        answer_body(None, total=3),
        answer_body([{"info": INFO}], total=5, sent=2),
        answer_body(None, total=0, code="500"),
        answer_body([{"info": {"author": "Oleg Basov", "url": "https://dblp.org/pid/1"}}], total=1),
        answer_body("text", total=1),
        b'{"result": {"hits": {}}}',
        b'{"result": {"hits": []}}',
        b'{"result": null}',
    ],
)
def test_answers_that_are_not_whole_are_refused(body: bytes) -> None:
    for query in (TITLE, BYLINE, VOLUME):
        with pytest.raises(MalformedAnswerError):
            ask(query, body)


def test_requests() -> None:
    def query(query: Query) -> dict[str, list[str]]:
        return parse_qs(urlsplit(DBLP.request([query]).url).query)

    long = Query("title", "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding")
    assert query(long)["q"] == ["BERT Pre Deep Bidirectional Transformer Language"]
    assert query(long)["format"] == ["json"]
    assert query(long)["h"] == ["30"]
    assert query(TITLE)["q"] == ["Attention All Need"]
    assert query(Query("title", "Deep Learning", ("LeCun",)))["q"] == ["Deep Learning LeCun"]
    assert query(BYLINE)["q"] == ["Vaswani|Oord streamid:conf/nips: year:2017:"]
    assert query(BYLINE)["h"] == ["1000"]
    assert query(VOLUME)["q"] == ["streamid:conf/nips: year:2017:"]
    journal = Query("author_search", "journals/jmlr", authors=("O'Neil", "Neil-Smith", "Schölkopf", "王"), year=2003)
    assert query(journal)["q"] == ["Neil|Sch streamid:journals/jmlr: year:2003:"]
    accented = Query("author_search", "journals/jmlr", authors=("Müller", "Øye"), year=2003)
    assert query(accented)["q"] == ["Muller|Oye streamid:journals/jmlr: year:2003:"]


def test_words_are_asked_for_as_far_as_every_spelling_agrees() -> None:
    title = Query("title", "Optimising Schrödinger bridges: analyses of Alzheimer's classes")
    asked = parse_qs(urlsplit(DBLP.request([title]).url).query)["q"]
    assert asked == ["Optim Schr bridge anal Alzheimer classe"]
    cyrillic = DBLP.request([Query("title", "Модель системной динамики процесса обучения")]).url
    assert parse_qs(urlsplit(cyrillic).query)["q"] == ["Модель системной динамики процесса обучения"]


@pytest.mark.parametrize("authors", [("王伟",), ("Ž",), ("O'Neil",), ("",)])
def test_an_author_search_without_a_name_that_dblp_would_spell_alike_is_not_asked(authors: tuple[str, ...]) -> None:
    assert not DBLP.accepts(Query("author_search", "conf/nips", authors=authors, year=2019))


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["text", "author"]), inner, max_size=2),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from([name for name in INFO if name not in ("key", "title")]), JSON_VALUES))
def test_fields_of_any_type_do_no_harm(fields: dict[str, object]) -> None:
    body = answer_body([{"info": {**fields, "key": "x/y", "title": "T."}}], total=1)
    answer = ask(TITLE, body)
    assert isinstance(answer, Found)
    assert answer.records[0].title == "T"
