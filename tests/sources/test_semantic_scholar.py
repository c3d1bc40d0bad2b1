"""Semantic Scholar: requests, papers as records, answers that are refused."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Absent, Answer, Found, Person, Query, QueryKind, Record, RecordType, Unavailable
from pytest_citecheck.sources import SEMANTIC_SCHOLAR, MalformedAnswerError, Response, identifiers_of, parse_paper

DOI = Query("doi", "10.18653/v1/2020.acl-main.539")
OTHER = Query("doi", "10.1109/cvpr.2016.90")
THIRD = Query("doi", "10.1162/neco.1997.9.8.1735")
ARXIV = Query("arxiv", "2004.13659")
ACL = Query("acl", "2020.ACL-main.539")
PMID = Query("pmid", "26017442")
TITLE = Query("title", "LogicalFactChecker: Leveraging Logical Operations for Fact Checking with Graph Module Network")
SECOND = Query("title", "Deep Residual Learning for Image Recognition", authors=("He",))
SHORT = Query("title", "Deep learning")

PAPER: dict[str, Any] = {
    "paperId": "9b8a1a1a1c2c3d4e5f60718293a4b5c6d7e8f901",
    "externalIds": {
        "DBLP": "conf/acl/ZhongTFDZGSJWY20",
        "ArXiv": "2004.13659",
        "ACL": "2020.acl-main.539",
        "DOI": "10.18653/V1/2020.ACL-MAIN.539",
        "CorpusId": 216562233,
    },
    "publicationVenue": {
        "name": "Annual Meeting of the Association for Computational Linguistics",
        "type": "conference",
        "alternate_names": ["ACL"],
    },
    "title": TITLE.value,
    "venue": "Annual Meeting of the Association for Computational Linguistics",
    "year": 2020,
    "publicationTypes": ["JournalArticle", "Conference"],
    "publicationDate": "2019-12-28",
    "journal": {"name": "ArXiv", "volume": "abs/2004.13659", "pages": "\n  6053 - 6065\n "},
    "authors": [{"authorId": "1", "name": "Wanjun Zhong"}, {"authorId": None, "name": "D. Tang"}, {"name": None}],
}
RESNET: dict[str, Any] = {
    "paperId": "2c03df8b48bf3fa39054345bafabfeff15bfd11d",
    "externalIds": {"DOI": "10.1109/CVPR.2016.90", "ArXiv": "1512.03385"},
    "title": SECOND.value,
}
UNLISTED: dict[str, Any] = {"paperId": "f00d", "externalIds": {"CorpusId": 1}, "title": "A report"}


def respond(body: object, status: int = 200) -> Response:
    return Response(status, json.dumps(body).encode())


def ask(query: Query, body: object, status: int = 200) -> Answer:
    return SEMANTIC_SCHOLAR.parse([query], respond(body, status))[query]


def record(**changes: object) -> Record:
    parsed = parse_paper({**PAPER, **changes})
    assert parsed is not None
    return parsed


def read(paper: object) -> Record:
    parsed = parse_paper(paper)
    assert parsed is not None
    return parsed


def test_a_paper_of_a_conference_with_its_preprint() -> None:
    assert record() == Record(
        source="semantic_scholar",
        id="9b8a1a1a1c2c3d4e5f60718293a4b5c6d7e8f901",
        url="https://www.semanticscholar.org/paper/9b8a1a1a1c2c3d4e5f60718293a4b5c6d7e8f901",
        title=TITLE.value,
        authors=(Person(literal="Wanjun Zhong"), Person(literal="D. Tang")),
        authors_complete=False,
        years=(2020, 2019),
        venues=("Annual Meeting of the Association for Computational Linguistics", "ArXiv", "ACL"),
        type="inproceedings",
        doi="10.18653/v1/2020.acl-main.539",
        arxiv="2004.13659",
        pages="6053-6065",
        compiled=True,
    )


def test_nothing_but_an_id() -> None:
    assert parse_paper(dict.fromkeys(PAPER) | {"paperId": "ab"}) == Record(
        source="semantic_scholar", id="ab", url="https://www.semanticscholar.org/paper/ab", compiled=True
    )


@pytest.mark.parametrize("value", [None, [], "x", {}, {"paperId": None, "title": "A cited work"}])
def test_what_is_no_paper(value: object) -> None:
    assert parse_paper(value) is None


@pytest.mark.parametrize(
    ("types", "place", "venue", "expected"),
    [
        (["JournalArticle"], None, "Nature", "article"),
        (["Review", "JournalArticle"], None, "", "article"),
        (["JournalArticle"], None, "arXiv.org", "preprint"),
        (["Book"], None, "", "book"),
        (["BookSection", "Book"], None, "", "chapter"),
        (["Study"], None, "", ""),
        (None, "conference", "", "inproceedings"),
        (None, "journal", "", "article"),
        (None, None, "", ""),
    ],
)
def test_types(types: object, place: object, venue: str, expected: RecordType) -> None:
    found = record(publicationTypes=types, publicationVenue={"type": place}, venue=venue, journal=None)
    assert found.type == expected


def test_the_place_of_publication_goes_before_the_archive() -> None:
    found = record(publicationVenue=None, venue="bioRxiv", journal={"name": "Cell Genomics", "volume": "5"})
    assert found.venues == ("Cell Genomics", "bioRxiv")
    assert (found.volume, found.type) == ("5", "inproceedings")


def test_long_lists_of_authors_are_cut() -> None:
    authors = [{"name": "Ada Lovelace"}] * 500
    assert not record(authors=authors).authors_complete
    assert record(authors=authors[1:]).authors_complete


def test_the_identifiers_of_a_paper() -> None:
    assert identifiers_of(PAPER) == {
        "doi": {"10.18653/v1/2020.acl-main.539", "10.48550/arxiv.2004.13659"},
        "arxiv": {"2004.13659"},
        "pmid": frozenset(),
        "acl": {"2020.acl-main.539"},
    }
    found = identifiers_of({"externalIds": {"DOI": "10.3115/v1/P14-1001", "PubMed": 12}})
    assert found["acl"] == {"p14-1001"}
    assert found["pmid"] == {"12"}
    assert identifiers_of({"externalIds": {"DOI": "10.48550/arXiv.2004.13659"}})["arxiv"] == {"2004.13659"}


def asked(url: str) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(urlsplit(url).query).items()}


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("doi", "10.1/a,b", "DOI:10.1/a,b"),
        ("arxiv", "math/0211159", "ARXIV:math/0211159"),
        ("pmid", "26017442", "PMID:26017442"),
        ("acl", "P19-1001", "ACL:P19-1001"),
    ],
)
def test_identifiers_are_posted(kind: QueryKind, value: str, expected: str) -> None:
    query, another = Query(kind, value), Query(kind, "10.2/c" if kind == "doi" else "1")
    request = SEMANTIC_SCHOLAR.request([query, another])
    assert urlsplit(request.url).path == "/graph/v1/paper/batch"
    assert json.loads(request.body)["ids"][0] == expected
    assert SEMANTIC_SCHOLAR.singles(request) == (SEMANTIC_SCHOLAR.request([query]), SEMANTIC_SCHOLAR.request([another]))


def test_one_title_is_matched_several_are_searched_as_phrases() -> None:
    alone = SEMANTIC_SCHOLAR.request([SECOND])
    assert urlsplit(alone.url).path == "/graph/v1/paper/search/match"
    assert asked(alone.url)["query"] == SECOND.value
    assert SEMANTIC_SCHOLAR.singles(alone) == (alone,)
    both = SEMANTIC_SCHOLAR.request([TITLE, SECOND])
    assert urlsplit(both.url).path == "/graph/v1/paper/search/bulk"
    assert asked(both.url)["query"] == f'"{TITLE.value.replace(":", "")}" | "{SECOND.value}"'
    assert SEMANTIC_SCHOLAR.singles(both) == (SEMANTIC_SCHOLAR.request([TITLE]), alone)


def test_short_titles_are_left_to_themselves() -> None:
    alone = SEMANTIC_SCHOLAR.request([SHORT])
    assert SEMANTIC_SCHOLAR.request([SHORT, SECOND]) == SEMANTIC_SCHOLAR.request([SECOND])
    assert alone not in SEMANTIC_SCHOLAR.singles(SEMANTIC_SCHOLAR.request([TITLE, SHORT, SECOND]))
    assert SEMANTIC_SCHOLAR.request([SHORT, Query("title", "GANs")]) == alone


@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_phrases_hold_no_signs_of_the_query_syntax(titles: list[str]) -> None:
    queries = [query for title in titles if SEMANTIC_SCHOLAR.accepts(query := Query("title", title))]
    for query in queries:
        words = asked(SEMANTIC_SCHOLAR.request([query]).url)["query"]
        assert words
        assert not set(words) & set('"|+-*()~:')
    if queries:
        request = SEMANTIC_SCHOLAR.request(queries)
        assert set(SEMANTIC_SCHOLAR.singles(request)) <= {SEMANTIC_SCHOLAR.request([one]) for one in queries}


@pytest.mark.parametrize(
    ("query", "accepted"),
    [
        (Query("doi", "10.1/x"), True),
        (Query("doi", "x"), False),
        (Query("arxiv", "x"), False),
        (Query("pmid", "PMC1"), False),
        (Query("acl", ""), False),
        (Query("acl", "P19 1001"), False),
        (Query("isbn", "9780262033848"), False),
    ],
)
def test_what_can_be_asked(query: Query, accepted: bool) -> None:
    assert SEMANTIC_SCHOLAR.accepts(query) is accepted


@pytest.mark.parametrize("query", [DOI, Query("doi", "10.48550/arxiv.2004.13659"), ARXIV, ACL])
def test_a_paper_that_carries_the_id(query: Query) -> None:
    assert ask(query, [PAPER]) == Found((record(),))


@pytest.mark.parametrize("query", [PMID, DOI, ARXIV, ACL])
def test_a_paper_that_carries_no_such_id_is_the_one_asked_for(query: Query) -> None:
    assert ask(query, [UNLISTED]) == Found((read(UNLISTED),))


@pytest.mark.parametrize("query", [DOI, ARXIV])
def test_a_paper_that_carries_another_id_is_not(query: Query) -> None:
    with pytest.raises(MalformedAnswerError):
        ask(query, [RESNET])


def test_null_is_an_unknown_id() -> None:
    assert ask(DOI, [None]) == Absent()
    answers = SEMANTIC_SCHOLAR.parse([THIRD, DOI, OTHER], respond([None, PAPER, RESNET]))
    assert answers == {THIRD: Absent(), DOI: Found((record(),)), OTHER: Found((read(RESNET),))}


def test_a_recording_of_more_questions_in_another_order() -> None:
    body = respond([RESNET, None, PAPER])
    assert SEMANTIC_SCHOLAR.parse([DOI], body) == {DOI: Found((record(),))}
    assert SEMANTIC_SCHOLAR.parse([DOI, THIRD], body) == {DOI: Found((record(),)), THIRD: Absent()}
    assert SEMANTIC_SCHOLAR.parse([DOI, OTHER, THIRD], body) == {
        DOI: Found((record(),)),
        OTHER: Found((read(RESNET),)),
        THIRD: Absent(),
    }


def test_in_a_batch_what_is_not_confirmed_is_no_answer() -> None:
    answers = SEMANTIC_SCHOLAR.parse([DOI, OTHER], respond([PAPER, UNLISTED]))
    assert answers[DOI] == Found((record(),))
    assert isinstance(answers[OTHER], Unavailable)
    answers = SEMANTIC_SCHOLAR.parse([DOI, THIRD, OTHER], respond([PAPER, RESNET]))
    assert isinstance(answers[OTHER], Found)
    assert isinstance(answers[THIRD], Unavailable)


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        {"data": [PAPER]},
        PAPER,
        [PAPER, 1],
        [{"paperId": "a", "authors": []}],
        [RESNET, UNLISTED],
        {"error": "No valid paper ids given"},
    ],
)
def test_batches_that_are_refused(body: object) -> None:
    with pytest.raises(MalformedAnswerError):
        ask(DOI, body)


def test_a_title_is_answered_by_the_papers_that_resemble_it() -> None:
    found = {"data": [{**RESNET, "matchScore": 171.9}]}
    assert ask(SECOND, found) == Found((read(RESNET),))
    assert ask(TITLE, found) == Absent()
    near = {**RESNET, "paperId": "2", "title": "Deep Residual Learning for Image Recognition Tasks"}
    bulk = {"total": 3, "token": None, "data": [near, PAPER, RESNET]}
    answers = SEMANTIC_SCHOLAR.parse([TITLE, SECOND, SHORT], respond(bulk))
    assert answers == {TITLE: Found((record(),)), SECOND: Found((read(RESNET), read(near))), SHORT: Absent()}


def test_no_more_than_five_papers_a_title() -> None:
    namesakes = [{**RESNET, "paperId": str(number)} for number in range(9)]
    answer = ask(SECOND, {"total": 9, "token": None, "data": namesakes})
    assert isinstance(answer, Found)
    assert [found.id for found in answer.records] == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize("more", [{"token": "PCOA3RZ3"}, {"next": 100}])
def test_an_answer_that_goes_on_proves_no_absence(more: dict[str, object]) -> None:
    answers = SEMANTIC_SCHOLAR.parse([TITLE, SECOND], respond({"total": 3027, "data": [RESNET], **more}))
    assert isinstance(answers[SECOND], Found)
    assert answers[TITLE] == Unavailable("not-asked", "Semantic Scholar found more papers than one answer contains")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"error": "Title match not found"}, 404),
        ({"data": []}, 200),
        ({"total": 0, "offset": 0}, 200),
        ({"total": 0, "token": None, "data": []}, 200),
    ],
)
def test_titles_that_nobody_has(body: object, status: int) -> None:
    assert ask(TITLE, body, status) == Absent()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"error": "Title match not found"}, 200),
        ({"error": "Title match not found"}, 400),
        ({"error": "Paper with id 0 not found"}, 404),
        ({"error": "Unrecognized or unsupported fields: [doi]"}, 400),
        ({"message": "Forbidden"}, 404),
        ({"total": 2, "token": None, "data": [RESNET]}, 200),
        ({"total": 3}, 200),
        ({"data": None}, 200),
        ({"data": [RESNET, None]}, 200),
        ({"data": [{"paperId": "2", "citationCount": 80}]}, 200),
        ({"offset": 0, "data": [{"citedPaper": RESNET}]}, 200),
        ({"total": 1, "offset": 0, "data": [{"authorId": "2262347", "name": "A. Turing"}]}, 200),
        ([RESNET], 200),
    ],
)
def test_searches_that_are_refused(body: object, status: int) -> None:
    with pytest.raises(MalformedAnswerError):
        ask(SECOND, body, status)


def test_a_batch_without_any_known_id() -> None:
    assert ask(DOI, {"error": "No valid paper ids given"}, 400) == Absent()
    with pytest.raises(MalformedAnswerError):
        ask(TITLE, {"error": "No valid paper ids given"}, 400)
    with pytest.raises(MalformedAnswerError):
        ask(DOI, {"error": "Title match not found"}, 404)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(list(PAPER)), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(list(PAPER)), JSON))
def test_fields_of_any_type_are_read_or_absent(changes: dict[str, object]) -> None:
    paper = {**PAPER, **changes}
    parsed = parse_paper(paper)
    assert parsed is None or (parsed.compiled and parsed.id)
    assert set(identifiers_of(paper)) == {"doi", "arxiv", "pmid", "acl"}
