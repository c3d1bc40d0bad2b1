"""OpenAlex: requests, works as records, answers that are refused."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Absent, Answer, Found, Notice, Person, Query, Record, RecordType, Unavailable
from pytest_citecheck.sources import OPENALEX, MalformedAnswerError, Response, openalex_record

DOI = Query("doi", "10.1038/nature14539")
OTHER = Query("doi", "10.1109/cvpr.2016.90")
ODD = Query("doi", "10.1002/1096-8644(200010)113:2,1|2")
PMID = Query("pmid", "26017442")
TITLE = Query("title", "Deep learning", authors=("LeCun",))

NATURE: dict[str, Any] = {
    "id": "https://openalex.org/S137773608",
    "display_name": "Nature",
    "issn_l": "0028-0836",
    "issn": ["0028-0836", "1476-4687"],
    "host_organization_name": "Nature Portfolio",
    "type": "journal",
}
WORK: dict[str, Any] = {
    "id": "https://openalex.org/W2919115771",
    "doi": "https://doi.org/10.1038/Nature14539",
    "title": "Deep learning",
    "publication_year": 2015,
    "ids": {"openalex": "https://openalex.org/W2919115771", "pmid": "https://pubmed.ncbi.nlm.nih.gov/26017442"},
    "type": "article",
    "primary_location": {"landing_page_url": "https://doi.org/10.1038/nature14539", "source": NATURE},
    "locations": [
        {"landing_page_url": "https://doi.org/10.1038/nature14539", "source": NATURE},
        {
            "landing_page_url": "https://hal.science/hal-04206682",
            "source": {"display_name": "HAL (Le Centre)", "type": "repository"},
            "raw_source_name": "Nature, 2015, 521 (7553), pp. 436-444",
        },
    ],
    "authorships": [
        {"author": {"display_name": "Yann LeCun"}, "raw_author_name": "Yann LeCun"},
        {"author": {"display_name": "J. Bengio"}, "raw_author_name": "Bengio, Yoshua"},
        {"author": {"display_name": "Geoffrey E. Hinton"}, "raw_author_name": None},
    ],
    "biblio": {"volume": "521", "issue": "7553", "first_page": "436", "last_page": "444"},
    "is_retracted": False,
}


def listed(*works: object, **meta: object) -> Response:
    body = {"meta": {"count": len(works), "page": 1, "per_page": 100, **meta}, "results": works, "group_by": []}
    return Response(200, json.dumps(body).encode())


def ask(query: Query, response: Response) -> Answer:
    return OPENALEX.parse([query], response)[query]


def record(**changes: object) -> Record:
    parsed = openalex_record({**WORK, **changes})
    assert parsed is not None
    return parsed


def test_an_article() -> None:
    assert record() == Record(
        source="openalex",
        id="W2919115771",
        url="https://openalex.org/W2919115771",
        title="Deep learning",
        authors=(
            Person(literal="Yann LeCun"),
            Person(family="Bengio", given="Yoshua"),
            Person(literal="Geoffrey E. Hinton"),
        ),
        years=(2015,),
        venues=("Nature", "HAL (Le Centre)"),
        type="article",
        publisher="Nature Portfolio",
        doi="10.1038/nature14539",
        pmid="26017442",
        volume="521",
        number="7553",
        pages="436-444",
        issn=("0028-0836", "1476-4687"),
        compiled=True,
    )


def test_nothing_but_an_id() -> None:
    empty = dict.fromkeys(WORK) | {"id": "https://openalex.org/W1"}
    assert openalex_record(empty) == Record(
        source="openalex", id="W1", url="https://openalex.org/W1", type="other", compiled=True
    )


@pytest.mark.parametrize("value", [None, [], {}, {"id": None}, {"id": "https://openalex.org/A5"}, {"doi": DOI.value}])
def test_what_is_no_work(value: object) -> None:
    assert openalex_record(value) is None


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("LeCun, Yann", Person(family="LeCun", given="Yann")),
        ("Department of Physics, University of Oslo", Person(literal="Department of Physics, University of Oslo")),
        ("Smith, John, Jr.", Person(literal="Smith, John, Jr.")),
        ("ATLAS Collaboration", Person(literal="ATLAS Collaboration", group=True)),
        ("Smith,", Person(literal="Smith,")),
        ("M&uuml;ller", Person(literal="Müller")),
        ("12", Person(literal="Profile Name")),
    ],
)
def test_the_stated_name_goes_before_that_of_the_profile(stated: str, expected: Person) -> None:
    authorship = {"author": {"display_name": "Profile Name"}, "raw_author_name": stated}
    assert record(authorships=[authorship]).authors == (expected,)


@pytest.mark.parametrize(("count", "flag", "complete"), [(99, None, True), (100, None, False), (3, True, False)])
def test_lists_of_authors_are_cut(count: int, flag: object, complete: bool) -> None:
    authorships = [{"raw_author_name": f"Ada L{'a' * position}"} for position in range(count)]
    assert record(authorships=authorships, is_authors_truncated=flag).authors_complete is complete


@pytest.mark.parametrize(
    ("stated", "source", "expected"),
    [
        ("article", NATURE, "article"),
        ("review", NATURE, "article"),
        ("article", {"display_name": "ICML", "type": "conference"}, "inproceedings"),
        ("article", {"display_name": "arXiv (Cornell University)", "type": "repository"}, "preprint"),
        ("article", {"display_name": "Zenodo", "type": "repository"}, ""),
        ("article", None, ""),
        ("preprint", None, "preprint"),
        ("book-chapter", NATURE, "chapter"),
        ("dissertation", None, "thesis"),
        ("paratext", NATURE, "other"),
        (None, None, "other"),
    ],
)
def test_types(stated: object, source: object, expected: RecordType) -> None:
    assert record(type=stated, primary_location={"source": source}).type == expected


def test_places() -> None:
    proceedings = {"source": None, "raw_source_name": "Proceedings of a &amp; b"}
    page = {"source": None, "raw_source_name": "https://host.example/a.pdf"}
    found = record(primary_location=proceedings, locations=[proceedings, page, None])
    assert found.venues == ("Proceedings of a & b",)
    assert (found.publisher, found.issn) == ("", ())
    archive = {
        "source": {"display_name": "arXiv", "type": "repository", "host_organization_name": "Cornell University"}
    }
    assert record(primary_location=archive).publisher == ""


@pytest.mark.parametrize(
    ("doi", "page", "expected"),
    [
        (None, "http://arxiv.org/abs/1706.03762", "1706.03762"),
        (None, "https://arxiv.org/pdf/1706.03762v7.pdf", "1706.03762"),
        (None, "https://doi.org/10.48550/arXiv.math/0211159", "math/0211159"),
        ("https://doi.org/10.48550/arxiv.1706.03762", None, "1706.03762"),
        (None, "https://arxiv.org.example/abs/1706.03762", ""),
        (None, "https://hal.science/1706.03762", ""),
    ],
)
def test_arxiv_ids(doi: object, page: object, expected: str) -> None:
    assert record(doi=doi, locations=[{"landing_page_url": page}]).arxiv == expected


def test_retractions_are_notices() -> None:
    assert record(is_retracted=True).notices == (Notice("retraction", "openalex"),)
    assert record(is_retracted="no").notices == ()


@pytest.mark.parametrize(
    ("biblio", "expected"), [(("1", "1"), "1"), (("1", None), "1"), ((None, "9"), ""), (("e1", "e9"), "e1-e9")]
)
def test_pages(biblio: tuple[object, object], expected: str) -> None:
    assert record(biblio={"first_page": biblio[0], "last_page": biblio[1]}).pages == expected


def asked(url: str) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(urlsplit(url).query).items()}


def test_identifiers_are_alternatives_of_one_filter() -> None:
    request = OPENALEX.request([DOI, OTHER])
    assert asked(request.url)["filter"] == f"doi:{DOI.value}|{OTHER.value}"
    assert OPENALEX.singles(request) == (OPENALEX.request([DOI]), OPENALEX.request([OTHER]))
    numbers = OPENALEX.request([PMID, Query("pmid", "1")])
    assert asked(numbers.url)["filter"] == "pmid:26017442|1"
    assert OPENALEX.singles(numbers) == (OPENALEX.request([PMID]), OPENALEX.request([Query("pmid", "1")]))


def test_a_doi_that_no_filter_can_hold_is_fetched_alone() -> None:
    assert OPENALEX.request([DOI, ODD]) == OPENALEX.request([DOI])
    request = OPENALEX.request([ODD])
    assert urlsplit(request.url).path.endswith("/works/doi:10.1002/1096-8644%28200010%29113%3A2%2C1%7C2")
    assert OPENALEX.singles(request) == (request,)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("BERT: Pre-training, of | deep (NOT shallow) models!", "bert pre training of deep not shallow models"),
        ("WAR AND PEACE", "war and peace"),
        ("The $L_1$ norm", "the norm"),
    ],
)
def test_titles_lose_what_the_filter_syntax_knows(title: str, expected: str) -> None:
    request = OPENALEX.request([Query("title", title)])
    assert asked(request.url)["filter"] == f"title.search:{expected}"
    assert asked(request.url)["per-page"] == "5"


@given(st.text(max_size=80))
def test_any_title_is_one_condition(title: str) -> None:
    query = Query("title", title)
    if OPENALEX.accepts(query):
        condition = asked(OPENALEX.request([query]).url)["filter"].removeprefix("title.search:")
        assert condition
        assert not set(condition) & set(',|:"!()*?~-/') & set(map(chr, range(128)))
        assert not {"AND", "OR", "NOT"} & set(condition.split())


def test_records_go_to_those_who_asked_for_them() -> None:
    answers = OPENALEX.parse([DOI, OTHER], listed(WORK))
    assert answers == {DOI: Found((record(),)), OTHER: Absent()}
    twin = {**WORK, "id": "https://openalex.org/W2"}
    found = ask(DOI, listed(WORK, twin))
    assert isinstance(found, Found)
    assert [one.id for one in found.records] == ["W2919115771", "W2"]
    assert ask(PMID, listed(WORK)) == Found((record(),))
    assert ask(Query("pmid", "1"), listed(WORK)) == Absent()


def test_an_answer_that_goes_on_proves_no_absence() -> None:
    answers = OPENALEX.parse([DOI, OTHER], listed(WORK, count=2, per_page=1))
    assert isinstance(answers[DOI], Found)
    assert isinstance(answers[OTHER], Unavailable)


def test_titles() -> None:
    untitled = {**WORK, "id": "W2", "title": None}
    assert ask(TITLE, listed(WORK, untitled)) == Found((record(),))
    assert ask(TITLE, listed(untitled)) == Absent()
    assert ask(TITLE, listed()) == Absent()


def test_one_work() -> None:
    alone = Response(200, json.dumps(WORK).encode())
    assert ask(DOI, alone) == Found((record(),))
    for query in (OTHER, TITLE, PMID):
        with pytest.raises(MalformedAnswerError):
            ask(query, alone)
    with pytest.raises(MalformedAnswerError):
        OPENALEX.parse([DOI, OTHER], alone)


UNKNOWN = (
    b"<!doctype html>\n<html lang=en><title>404 Not Found</title><p>The requested URL was not found on the server."
)


def test_the_page_for_an_unknown_work() -> None:
    assert ask(DOI, Response(404, UNKNOWN)) == Absent()
    with pytest.raises(MalformedAnswerError):
        ask(TITLE, Response(404, UNKNOWN))
    with pytest.raises(MalformedAnswerError):
        ask(DOI, Response(200, UNKNOWN))
    with pytest.raises(MalformedAnswerError):
        ask(DOI, Response(404, UNKNOWN.replace(b"URL was", b"page was")))


@pytest.mark.parametrize(
    "response",
    [
        listed(WORK, count=3),
        listed(WORK, None),
        listed(WORK, {"id": "https://openalex.org/A1"}),
        listed(WORK, count="many"),
        Response(200, b'{"results": []}'),
        Response(200, b'{"meta": {"count": 0}, "results": null}'),
        Response(200, b'{"meta": {"count": 0}, "results": [], "error": "Invalid query parameters error."}'),
        Response(400, b'{"error": "Invalid query parameters error.", "message": "no such field"}'),
        Response(404, b'{"meta": {"count": 0}, "results": []}'),
    ],
)
@pytest.mark.parametrize("query", [DOI, PMID, TITLE])
def test_what_is_refused(query: Query, response: Response) -> None:
    with pytest.raises(MalformedAnswerError):
        ask(query, response)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(list(WORK)), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(list(WORK)), JSON))
def test_fields_of_any_type_are_read_or_absent(changes: dict[str, object]) -> None:
    parsed = openalex_record({**WORK, **changes})
    assert parsed is None or (parsed.compiled and parsed.id.startswith("W"))
