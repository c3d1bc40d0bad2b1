"""Europe PMC: requests, results as records, answers that are refused."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Absent, Answer, Found, Notice, Person, Query, Record, Unavailable
from pytest_citecheck.sources import EUROPE_PMC, MalformedAnswerError, Response, parse_result

DOI = Query("doi", "10.1038/nature14539")
OTHER = Query("doi", "10.1016/s0140-6736(97)11096-0")
PMID = Query("pmid", "26017442")
PMCID = Query("pmcid", "PMC8371605")
TITLE = Query("title", "Highly accurate protein structure prediction with AlphaFold", authors=("Jumper",))
LONG = Query("title", "Induction of pluripotent stem cells from mouse fibroblast cultures")
SHORT = Query("title", "Deep learning", authors=("LeCun",))

RESULT: dict[str, Any] = {
    "id": "26017442",
    "source": "MED",
    "pmid": "26017442",
    "doi": "10.1038/NATURE14539",
    "title": "Deep learning.",
    "authorString": "LeCun Y, Bengio Y.",
    "authorList": {
        "author": [
            {"fullName": "LeCun Y", "firstName": "Yann", "lastName": "LeCun", "initials": "Y"},
            {"fullName": "Bengio Y", "lastName": "Bengio", "initials": "Y"},
        ]
    },
    "journalInfo": {
        "issue": "7553",
        "volume": "521",
        "dateOfPublication": "2015 May",
        "yearOfPublication": 2015,
        "printPublicationDate": "2015-05-01",
        "journal": {
            "title": "Nature (London)",
            "medlineAbbreviation": "Nature",
            "isoabbreviation": "Nature",
            "issn": "0028-0836",
            "essn": "1476-4687",
        },
    },
    "pubYear": "2015",
    "pageInfo": "436-444",
    "pubTypeList": {"pubType": ["Review", "Journal Article"]},
    "dateOfCreation": "2015-05-29",
    "firstPublicationDate": "2015-05-01",
}


def page(*results: object, count: int | None = None, size: int = 100, query: str = "x") -> Response:
    body = {
        "version": "6.9",
        "hitCount": len(results) if count is None else count,
        "request": {"queryString": query, "pageSize": size},
        "resultList": {"result": list(results)},
    }
    return Response(200, json.dumps(body).encode())


def ask(query: Query, response: Response) -> Answer:
    return EUROPE_PMC.parse([query], response)[query]


def record(**changes: object) -> Record:
    parsed = parse_result({**RESULT, **changes})
    assert parsed is not None
    return parsed


def test_a_journal_article() -> None:
    assert record() == Record(
        source="europe_pmc",
        id="MED:26017442",
        url="https://europepmc.org/article/MED/26017442",
        title="Deep learning",
        authors=(Person(family="LeCun", given="Yann"), Person(family="Bengio", given="Y")),
        years=(2015,),
        venues=("Nature", "Nature (London)"),
        type="article",
        doi="10.1038/nature14539",
        pmid="26017442",
        volume="521",
        number="7553",
        pages="436-444",
        issn=("0028-0836", "1476-4687"),
    )


def test_a_preprint_is_compiled_and_names_its_server() -> None:
    found = parse_result(
        {
            "id": "PPR1234",
            "source": "PPR",
            "doi": "10.1101/2020.01.01.1",
            "title": "A <i>preprint</i>",
            "pubYear": "2020",
            "bookOrReportDetails": {"publisher": "bioRxiv", "yearOfPublication": 2020},
            "commentCorrectionList": {
                "commentCorrection": [
                    {
                        "type": "Preprint of",
                        "reference": "Cell. 2021 Jul 20;1:1. doi: 10.1016/J.CELL.1.",
                        "source": "MED",
                    }
                ]
            },
            "pubTypeList": {"pubType": ["Preprint"]},
        }
    )
    assert found is not None
    assert (found.type, found.venues, found.title, found.years) == ("preprint", ("bioRxiv",), "A preprint", (2020,))
    assert (found.compiled, found.pmid) == (True, "")
    assert found.related == (("is-preprint-of", "10.1016/j.cell.1"),)


@pytest.mark.parametrize(("source", "compiled"), [("MED", False), ("PMC", False), ("AGR", True), ("PAT", True)])
def test_only_what_is_of_pubmed_counts_as_first_hand(source: str, compiled: bool) -> None:
    assert record(source=source).compiled == compiled


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        (
            {"collectiveName": "Canadian Respiratory Network"},
            Person(literal="Canadian Respiratory Network", group=True),
        ),
        ({"lastName": "Smith", "firstName": "J", "suffix": "Jr"}, Person(family="Smith", given="J", suffix="Jr")),
        ({"fullName": "van der Berg JA"}, Person(family="van der Berg", given="JA")),
        ({"fullName": "Suharto"}, Person(literal="Suharto")),
        ({"firstName": "Madonna"}, Person(literal="Madonna")),
    ],
)
def test_names(author: dict[str, str], expected: Person) -> None:
    assert record(authorList={"author": [author, {}, None, 3]}).authors == (expected,)


def test_an_author_that_is_no_list() -> None:
    assert record(authorList={"author": {"lastName": "One", "initials": "O"}}).authors == (
        Person(family="One", given="O"),
    )


def test_years_of_issue_and_of_earlier_publication() -> None:
    journal = {"yearOfPublication": 2025, "dateOfPublication": "2025 Dec"}
    assert record(journalInfo=journal, pubYear="2025", firstPublicationDate=None).years == (2025, 2015)
    assert record(electronicPublicationDate="2014-12-30").years == (2015, 2014)
    assert record(dateOfCreation="2021-01-01").years == (2015,)
    assert record(journalInfo=None, pubYear=None, firstPublicationDate=None).years == ()


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (["Book"], "book"),
        (["Book Chapter"], "chapter"),
        (["Thesis"], "thesis"),
        (["Patent"], "other"),
        ([], "other"),
        (["Preprint"], "preprint"),
    ],
)
def test_types_without_a_journal(types: list[str], expected: str) -> None:
    assert record(journalInfo=None, pubTypeList={"pubType": types}).type == expected


def test_a_retraction() -> None:
    link = {"id": "20137807", "source": "MED", "reference": "Lancet. 2010 Feb 6;375(9713):445", "type": "Retraction in"}
    found = record(commentCorrectionList={"commentCorrection": [link, {**link, "type": "Comment in"}, None]})
    assert found.notices == (Notice("retraction", "europe_pmc", "2010-02-06"),)
    assert record(pubTypeList={"pubType": "Retracted Publication"}).notices == (Notice("retraction", "europe_pmc"),)


def test_identifiers_take_only_the_record_of_that_identifier() -> None:
    answers = EUROPE_PMC.parse([DOI, OTHER], page(RESULT))
    assert answers == {DOI: Found((record(),)), OTHER: Absent("")}
    assert ask(PMID, page(RESULT)) == Found((record(),))
    assert ask(Query("pmid", "1"), page(RESULT)) == Absent("")
    assert ask(PMCID, page(RESULT)) == Absent("")
    assert ask(PMCID, page({**RESULT, "pmcid": "PMC8371605"})) == Found((record(pmcid="PMC8371605"),))


def test_each_title_gets_the_records_that_resemble_it() -> None:
    fold = {**RESULT, "id": "2", "title": "Highly accurate protein structure prediction with AlphaFold."}
    near = {**RESULT, "id": "3", "title": "Accurate protein structure prediction with AlphaFold."}
    answers = EUROPE_PMC.parse([TITLE, LONG], page(RESULT, fold, near, {**RESULT, "title": ""}))
    found = answers[TITLE]
    assert isinstance(found, Found)
    assert [each.id for each in found.records] == ["MED:2", "MED:3"]
    assert answers[LONG] == Absent("")


def test_a_title_crowded_out_by_others_was_not_asked() -> None:
    crowded = page(RESULT, count=5000, size=1)
    answers = EUROPE_PMC.parse([TITLE, LONG], crowded)
    assert all(isinstance(answer, Unavailable) and answer.reason == "not-asked" for answer in answers.values())
    # So it is when the recorded batch is read for one of its queries; a search for one title has ranked it.
    together = parse_qs(urlsplit(EUROPE_PMC.request([TITLE, LONG]).url).query)["query"][0]
    assert isinstance(ask(TITLE, page(RESULT, count=5000, size=1, query=together)), Unavailable)
    assert ask(TITLE, crowded) == Absent("")


def test_a_title_of_few_words_is_asked_alone() -> None:
    assert EUROPE_PMC.request([SHORT, TITLE]) == EUROPE_PMC.request([TITLE])
    assert EUROPE_PMC.singles(EUROPE_PMC.request([SHORT])) == (EUROPE_PMC.request([SHORT]),)
    answers = EUROPE_PMC.parse([SHORT, TITLE], page())
    assert isinstance(answers[SHORT], Unavailable)
    assert answers[TITLE] == Absent("")
    assert ask(SHORT, page()) == Absent("")
    assert ask(SHORT, page(RESULT)) == Found((record(),))


@pytest.mark.parametrize(
    "body",
    [
        {"version": "6.9", "errCode": 404, "errMsg": "Invalid query"},
        {"version": "6.9", "hitCount": 0},
        {"version": "6.9", "hitCount": 0, "resultList": {}},
        {"version": "6.9", "resultList": {"result": []}},
        {"version": "6.9", "hitCount": 2, "resultList": {"result": [RESULT]}},
        {"version": "6.9", "hitCount": 2, "resultList": {"result": [{"title": "x"}, None]}},
    ],
)
def test_other_bodies_are_refused(body: dict[str, object]) -> None:
    with pytest.raises(MalformedAnswerError):
        ask(DOI, Response(200, json.dumps(body).encode()))


def test_more_hits_than_were_asked_for_are_refused() -> None:
    with pytest.raises(MalformedAnswerError, match="more works"):
        ask(OTHER, page(RESULT, count=3, size=1))
    with pytest.raises(MalformedAnswerError, match="status 404"):
        ask(DOI, Response(404, page(RESULT).body))


def test_requests() -> None:
    def query(*queries: Query) -> str:
        values = parse_qs(urlsplit(EUROPE_PMC.request(queries).url).query)
        assert (values["resultType"], values["format"]) == (["core"], ["json"])
        return values["query"][0]

    assert query(DOI, OTHER) == 'DOI:"10.1038/nature14539" OR DOI:"10.1016/s0140-6736(97)11096-0"'
    assert query(PMID) == "(EXT_ID:26017442 AND SRC:MED)"
    assert query(PMCID) == "PMCID:PMC8371605"
    assert query(TITLE) == ("TITLE:(highly AND accurate AND protein AND structure AND prediction AND alphafold)")
    assert query(SHORT) == '(TITLE:(deep AND learning) AND AUTH:"lecun")'


@pytest.mark.parametrize(
    "query",
    [
        Query("doi", '10.1/a"b'),
        Query("doi", "10.1/a\\b"),
        Query("doi", "10.1/a b"),
        Query("doi", "11.1/a"),
        Query("pmid", "PMC1"),
        Query("pmcid", "8371605"),
        Query("pmcid", "PMC8371605.1"),
    ],
)
def test_what_cannot_be_asked(query: Query) -> None:
    assert not EUROPE_PMC.accepts(query)


VALUES = {
    "doi": st.text(alphabet="abz0189.-_:;()<>[]/%&?#+='ö", min_size=1, max_size=20).map(lambda rest: f"10.1000/{rest}"),
    "pmid": st.integers(1, 99_999_999).map(str),
    "pmcid": st.integers(1, 99_999_999).map(lambda number: f"PMC{number}"),
    "title": st.lists(
        st.sampled_from(["Gene", "OR", "AND", "cell-like", "protein", "NOT", "α", "(x)", "structure", "of", "mouse"]),
        min_size=1,
        max_size=9,
    ).map(" ".join),
}


@pytest.mark.parametrize("kind", ["doi", "pmid", "pmcid", "title"])
@given(st.data())
def test_a_batch_is_found_again_by_each_of_its_questions(kind: Any, data: st.DataObject) -> None:
    values = data.draw(st.lists(VALUES[kind], min_size=1, max_size=EUROPE_PMC.batch[kind], unique=True))
    queries = [Query(kind, value) for value in values]
    singles = EUROPE_PMC.singles(EUROPE_PMC.request(queries))
    alone = [EUROPE_PMC.request([query]) for query in queries]
    if kind == "title":
        # Those of few words are left out.
        assert set(singles) <= set(alone)
    else:
        assert singles == tuple(alone)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["author", "lastName", "journal", "title", "pubType", "type"]), inner)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*RESULT, "bookOrReportDetails", "commentCorrectionList"]), JSON_VALUES))
def test_fields_of_any_type_do_no_harm(fields: dict[str, object]) -> None:
    found = ask(DOI, page({**fields, "doi": DOI.value, "source": "MED", "id": "7"}))
    assert isinstance(found, Found)
    assert found.records[0].doi == DOI.value
