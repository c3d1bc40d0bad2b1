"""Crossref: requests, works as records, answers that are refused."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Absent, Answer, Found, Notice, Person, Query, Record, Unavailable
from pytest_citecheck.sources import CROSSREF, SELECT, MalformedAnswerError, Pool, Rate, Response, crossref_record

DOI = Query("doi", "10.1038/nature14539")
OTHER = Query("doi", "10.1145/3065386")
COMMA = Query("doi", "10.1000/a,b")
TITLE = Query("title", "Deep learning", authors=("LeCun", "Bengio"))

WORK: dict[str, Any] = {
    "DOI": "10.1038/NATURE14539",
    "type": "journal-article",
    "title": ["Deep learning"],
    "author": [
        {"given": "Yann", "family": "LeCun", "sequence": "first", "affiliation": []},
        {"given": "Yoshua", "family": "Bengio", "sequence": "additional", "affiliation": [{"name": "Somewhere"}]},
    ],
    "issued": {"date-parts": [[2015, 5, 27]]},
    "published-print": {"date-parts": [[2015, 5, 28]]},
    "created": {"date-parts": [[2021, 1, 1]]},
    "deposited": {"date-parts": [[2023, 1, 1]]},
    "container-title": ["Nature"],
    "short-container-title": ["Nature"],
    "volume": "521",
    "issue": "7553",
    "page": "436-444",
    "publisher": "Springer Science and Business Media LLC",
    "ISSN": ["0028-0836", "1476-4687"],
}


def work_list(*items: object, total: int | None = None, rows: int = 20) -> Response:
    message = {
        "total-results": len(items) if total is None else total,
        "items-per-page": rows,
        "items": list(items),
        "query": {"start-index": 0},
    }
    body = {"status": "ok", "message-type": "work-list", "message-version": "1.0.0", "message": message}
    return Response(200, json.dumps(body).encode())


def single(work: object) -> Response:
    return Response(200, json.dumps({"status": "ok", "message-type": "work", "message": work}).encode())


def ask(query: Query, response: Response) -> Answer:
    return CROSSREF.parse([query], response)[query]


def record(**changes: object) -> Record:
    parsed = crossref_record({**WORK, **changes})
    assert parsed is not None
    return parsed


def test_a_journal_article() -> None:
    assert record() == Record(
        source="crossref",
        id="10.1038/nature14539",
        url="https://doi.org/10.1038/nature14539",
        title="Deep learning",
        authors=(Person(family="LeCun", given="Yann"), Person(family="Bengio", given="Yoshua")),
        years=(2015,),
        venues=("Nature",),
        type="article",
        publisher="Springer Science and Business Media LLC",
        doi="10.1038/nature14539",
        volume="521",
        number="7553",
        pages="436-444",
        issn=("0028-0836", "1476-4687"),
        agency="Crossref",
    )


def test_titles_subtitles_and_other_titles() -> None:
    found = record(
        title=["The <i>H</i><sub>2</sub>O &amp;amp; us", "Second title"],
        subtitle=["A subtitle", "and another"],
        **{"original-title": ["L'eau et nous"], "short-title": ["H2O"]},
    )
    assert found.title == "The H2O & us"
    assert found.subtitle == "A subtitle: and another"
    assert found.other_titles == ("Second title", "L'eau et nous", "H2O")


def test_a_subtitle_that_the_title_holds_is_not_repeated() -> None:
    assert record(title=["NeRF: Representing Scenes"], subtitle=["Representing scenes"]).subtitle == ""


@pytest.mark.parametrize(
    ("contributor", "expected"),
    [
        ({"given": "John", "family": "Smith", "suffix": "Jr."}, Person(family="Smith", given="John", suffix="Jr.")),
        ({"name": "ATLAS Collaboration"}, Person(literal="ATLAS Collaboration", group=True)),
        ({"family": "Suharto"}, Person(family="Suharto")),
        ({"family": "Aäron van den Oord"}, Person(literal="Aäron van den Oord")),
        ({"given": None, "family": "O&apos;Neil"}, Person(family="O'Neil")),
    ],
)
def test_names(contributor: dict[str, object], expected: Person) -> None:
    assert record(author=[contributor]).authors == (expected,)
    assert record(editor=[contributor]).editors == (expected,)


def test_what_is_no_name_is_no_author() -> None:
    assert record(author=[{"name": "&NA;"}, {}, None, 3, {"family": ["x"]}, {"affiliation": []}]).authors == ()


def test_years_are_those_of_publication_and_the_issued_one_comes_first() -> None:
    found = record(
        issued={"date-parts": [[2013, 1]]},
        posted={"date-parts": [[2011]]},
        event={"name": "Conference", "start": {"date-parts": [[2010, 12, 6]]}},
        **{"published-online": {"date-parts": [["2012"]]}, "published-print": {"date-parts": [[2014]]}},
    )
    assert found.years == (2013, 2014, 2012, 2011, 2010)


@pytest.mark.parametrize("issued", [None, {"date-parts": [[None]]}, {"date-parts": []}, {"date-parts": [[3]]}, "x"])
def test_a_deposit_date_is_no_year(issued: object) -> None:
    found = crossref_record(
        {"DOI": "10.1/x", "issued": issued, "created": WORK["created"], "deposited": WORK["deposited"]}
    )
    assert found is not None
    assert found.years == ()


def test_venues_full_short_event_institution() -> None:
    found = record(
        event={"name": "KDD '16: The 22nd Conference", "acronym": ["KDD '16"]},
        institution=[{"name": "bioRxiv"}],
        **{
            "container-title": ["Proceedings of\n   the 22nd", "Series &amp; Co"],
            "short-container-title": ["Proc. 22nd"],
            "group-title": "Genomics",
        },
    )
    assert found.venues == (
        "Proceedings of the 22nd",
        "Series & Co",
        "Proc. 22nd",
        "KDD '16: The 22nd Conference",
        "KDD '16",
        "bioRxiv",
        "Genomics",
    )


def test_the_publisher_of_a_book_is_no_venue() -> None:
    found = record(type="monograph", publisher="Springer", **{"container-title": [], "short-container-title": []})
    assert (found.type, found.publisher, found.venues) == ("book", "Springer", ())


def test_a_preprint_server_is_known_by_its_prefix() -> None:
    preprint = {"DOI": "10.26434/chemrxiv-2022-x", "type": "posted-content", "title": ["T"]}
    found = crossref_record(preprint)
    assert found is not None
    assert (found.type, found.venues) == ("preprint", ("ChemRxiv",))
    article = crossref_record({**preprint, "type": "journal-article"})
    assert article is not None
    assert article.venues == ()


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("proceedings-article", "inproceedings"),
        ("reference-book", "book"),
        ("reference-entry", "chapter"),
        ("dissertation", "thesis"),
        ("dataset", "dataset"),
        ("component", "other"),
        ("something new", "other"),
        (None, "other"),
        (["book"], "other"),
    ],
)
def test_types(stated: object, expected: str) -> None:
    assert record(type=stated).type == expected


def test_relations_to_other_versions() -> None:
    found = record(
        relation={
            "has-preprint": [{"id-type": "doi", "id": "10.48550/arXiv.1706.03762", "asserted-by": "subject"}],
            "cites": [{"id-type": "doi", "id": "10.1000/cited"}],
            "is-version-of": {"id": "https://doi.org/10.1000/V1"},
            "is-preprint-of": [None, {"id": 3}],
        }
    )
    assert found.related == (("has-preprint", "10.48550/arxiv.1706.03762"), ("is-version-of", "10.1000/v1"))
    assert found.arxiv == "1706.03762"


def test_a_doi_question_takes_only_the_record_of_that_doi() -> None:
    assert ask(DOI, single(WORK)) == Found((record(),))
    assert CROSSREF.parse([DOI, OTHER], work_list(WORK)) == {DOI: Found((record(),)), OTHER: Absent()}
    assert ask(OTHER, single(WORK)) == Absent()


def test_an_alias_is_the_same_doi() -> None:
    assert ask(OTHER, single({**WORK, "aliases": ["10.1145/3065386"]})) == Found((record(),))
    identical = {**WORK, "relation": {"is-identical-to": [{"id": "10.1145/3065386", "id-type": "doi"}]}}
    assert isinstance(ask(OTHER, work_list(identical)), Found)


def test_unknown_dois_are_absent_without_scope() -> None:
    assert ask(DOI, Response(404, b"Resource not found.")) == Absent("")
    assert ask(DOI, work_list()) == Absent("")


def test_a_search_gives_candidates_in_order_and_leaves_out_untitled_ones() -> None:
    second = {**WORK, "DOI": "10.1/2", "title": ["Deep Learning"]}
    found = ask(TITLE, work_list(WORK, {"DOI": "10.1/3", "title": []}, second))
    assert isinstance(found, Found)
    assert [candidate.doi for candidate in found.records] == ["10.1038/nature14539", "10.1/2"]
    assert ask(TITLE, work_list()) == Absent("")


def test_an_odd_item_costs_only_itself() -> None:
    assert ask(DOI, work_list(None, 3, {"DOI": 5}, {"title": "x"}, WORK)) == Found((record(),))


@pytest.mark.parametrize("message_type", ["member-list", "journal-list", "work-agency", "type-list", "funder", None])
def test_lists_of_other_things_are_refused(message_type: str | None) -> None:
    body = json.dumps({"status": "ok", "message-type": message_type, "message": {"items": [WORK], "DOI": "10.1/x"}})
    with pytest.raises(MalformedAnswerError):
        ask(DOI, Response(200, body.encode()))


def test_a_list_cut_short_is_refused() -> None:
    with pytest.raises(MalformedAnswerError, match="1 of 2"):
        CROSSREF.parse([DOI, OTHER], work_list(WORK, total=2))
    with pytest.raises(MalformedAnswerError, match="0 of 20"):
        ask(TITLE, work_list(total=500))


def test_a_refused_request_says_why() -> None:
    failure = {"status": "failed", "message-type": "validation-failure", "message": [{"message": "no such select"}]}
    with pytest.raises(MalformedAnswerError, match="no such select"):
        ask(DOI, Response(400, json.dumps(failure).encode()))


@pytest.mark.parametrize("queries", [[TITLE], [DOI, OTHER]])
def test_a_404_of_a_search_is_no_absence(queries: list[Query]) -> None:
    with pytest.raises(MalformedAnswerError):
        CROSSREF.parse(queries, Response(404, b"Resource not found."))


def test_requests() -> None:
    batch = parse_qs(urlsplit(CROSSREF.request([DOI, OTHER]).url).query)
    assert batch["filter"] == ["doi:10.1038/nature14539,doi:10.1145/3065386"]
    assert batch["rows"] == ["2"]
    assert batch["select"] == [SELECT]
    title = parse_qs(urlsplit(CROSSREF.request([TITLE]).url).query)
    assert title["query.bibliographic"] == ["Deep learning LeCun"]
    assert title["rows"] == ["12"]


def test_a_doi_with_a_comma_is_asked_alone() -> None:
    assert CROSSREF.request([COMMA]).url == "https://api.crossref.org/works/10.1000/a%2Cb"
    assert CROSSREF.singles(CROSSREF.request([COMMA])) == (CROSSREF.request([COMMA]),)
    mixed = CROSSREF.request([DOI, COMMA])
    assert mixed == CROSSREF.request([DOI])
    answers = CROSSREF.parse([DOI, COMMA], work_list(WORK, rows=1))
    assert answers[DOI] == Found((record(),))
    assert isinstance(answers[COMMA], Unavailable)


DOI_VALUES = st.builds(
    lambda prefix, suffix: f"10.{prefix}/{suffix}".lower(),
    st.integers(1000, 99999),
    st.text(alphabet="abcXYZ0189.-_:;()<>[]/%&?#+='\"\\ö", min_size=1, max_size=20),
)


@given(st.lists(DOI_VALUES, min_size=1, max_size=40, unique=True))
def test_a_batch_is_found_again_by_each_of_its_questions(values: list[str]) -> None:
    queries = [Query("doi", value) for value in values]
    assert CROSSREF.singles(CROSSREF.request(queries)) == tuple(CROSSREF.request([query]) for query in queries)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "given", "name"]), inner),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from([*SELECT.split(","), "institution", "journal-issue", "aliases"]), JSON_VALUES))
def test_fields_of_any_type_do_no_harm(fields: dict[str, object]) -> None:
    found = ask(DOI, single({**fields, "DOI": DOI.value}))
    assert isinstance(found, Found)
    assert all(isinstance(title, str) for title in (found.records[0].title, *found.records[0].other_titles))


def test_notices_on_a_work() -> None:
    update = {
        "type": "retraction",
        "source": "publisher",
        "DOI": "10.1038/R",
        "updated": {"date-parts": [[2016, 2, 1]]},
    }
    stated = Notice("retraction", "crossref", "2016-02-01", "10.1038/r")
    assert record(**{"updated-by": [update]}).notices == (stated,)
    titled = record(title=["RETRACTED ARTICLE: Deep learning"])
    assert (titled.notices, titled.other_titles) == ((Notice("retraction", "crossref"),), ("Deep learning",))
    both = record(title=["RETRACTED ARTICLE: Deep learning"], **{"updated-by": [update]})
    assert both.notices == (stated,)


def test_a_notice_is_not_what_it_is_about() -> None:
    update = {"type": "retraction", "source": "publisher", "DOI": "10.1038/other"}
    notice = record(title=["Retracted: Deep learning"], **{"update-to": [update]})
    assert (notice.notices, notice.other_titles) == ((), ())


def test_the_longest_list_of_dois_fits_into_a_url() -> None:
    queries = [Query("doi", f"10.1016/j.neucom.2019.{number:05}") for number in range(CROSSREF.batch["doi"])]
    assert len(CROSSREF.request(queries).url) < 4000


def test_a_notice_under_the_title_of_the_work_it_retracts_is_not_that_work() -> None:
    query = Query("title", "A Study of Entirely Invented Gradients")
    notice = {
        "DOI": "10.1000/notice",
        "title": ["Retracted: A Study of Entirely Invented Gradients"],
        "update-to": [{"DOI": "10.1000/work"}],
    }
    work = {"DOI": "10.1000/work", "title": ["A Study of Entirely Invented Gradients"]}
    for items, expected in (([notice, work], ["10.1000/work"]), ([notice], [])):
        body = {"status": "ok", "message-type": "work-list", "message": {"items": items, "total-results": len(items)}}
        answer = CROSSREF.parse([query], Response(200, json.dumps(body).encode()))[query]
        assert [record.doi for record in getattr(answer, "records", ())] == expected


def test_lists_and_single_works_are_counted_apart() -> None:
    assert (CROSSREF.rate, CROSSREF.contact_rate) == (Rate(1.0, 1), Rate(3.0, 3))
    assert CROSSREF.pools["single"] == Pool(Rate(5.0, 1), Rate(10.0, 3))
    assert [CROSSREF.pool(query) for query in (DOI, TITLE, COMMA)] == ["", "", "single"]


@pytest.mark.parametrize(
    "beside", [{"DOI": "10.65215/abc.1", "type": "posted-content"}, {"DOI": "10.1/t001", "type": "component"}]
)
def test_copies_and_parts_of_works_are_no_result_of_a_search(beside: dict[str, str]) -> None:
    answer = CROSSREF.parse([TITLE], work_list(WORK | beside, WORK))[TITLE]
    assert isinstance(answer, Found)
    assert [record.doi for record in answer.records] == ["10.1038/nature14539"]
    copy = Query("doi", beside["DOI"])
    assert isinstance(CROSSREF.parse([copy], work_list(WORK | beside))[copy], Found)


PLACE = Query("place", "Nature||521|436", ("LeCun",), 2015)
VOLUME = Query("volume", "Nature|0028-0836|521|", (), 2015)


def test_a_place_is_searched_for_by_journal_volume_page_and_years() -> None:
    url = urlsplit(CROSSREF.request([PLACE]).url)
    asked = parse_qs(url.query)
    assert url.path == "/works"
    assert asked["query.container-title"] == ["Nature"]
    assert asked["query.bibliographic"] == ["LeCun 521 436 2015"]
    assert asked["filter"] == ["from-pub-date:2014,until-pub-date:2016,type:journal-article"]


def test_a_volume_is_read_from_the_works_of_the_journal_in_these_years() -> None:
    url = urlsplit(CROSSREF.request([VOLUME]).url)
    assert url.path == "/journals/0028-0836/works"
    assert parse_qs(url.query)["filter"] == ["from-pub-date:2014,until-pub-date:2016,type:journal-article"]


def test_a_search_for_a_place_finds_only_what_is_there() -> None:
    elsewhere = WORK | {"DOI": "10.1038/other", "page": "437-440"}
    answer = ask(PLACE, work_list(elsewhere, WORK))
    assert isinstance(answer, Found)
    assert [record.doi for record in answer.records] == ["10.1038/nature14539"]
    shown = ask(PLACE, work_list(elsewhere, elsewhere))
    assert isinstance(shown, Found)
    assert [record.issn for record in shown.records] == [("0028-0836", "1476-4687")]  # one work of the journal
    assert ask(PLACE, work_list(elsewhere | {"container-title": ["Cell"], "short-container-title": []})) == Absent()
    assert ask(PLACE, work_list()) == Absent()


@pytest.mark.parametrize(
    ("items", "total", "volumes", "whole"),
    [
        ([WORK, WORK | {"volume": "522"}], 2, ["521"], True),
        ([WORK, WORK | {"volume": "522"}], 9000, ["521"], False),  # there are more than one answer holds
        ([WORK | {"volume": "520"}, WORK | {"volume": "522"}], 2, ["520", "522"], True),
        ([WORK, {"title": ["no DOI"]}], 2, ["521"], False),
    ],
)
def test_a_volume_is_whole_if_all_articles_were_read(
    items: list[object], total: int, volumes: list[str], whole: bool
) -> None:
    answer = ask(VOLUME, work_list(*items, total=total, rows=2))
    assert isinstance(answer, Found)
    assert [record.volume for record in answer.records] == volumes
    assert bool(answer.scope) == whole


def test_an_unknown_issn_is_no_evidence() -> None:
    assert ask(VOLUME, Response(404, b"Resource not found.")) == Absent()
    assert not CROSSREF.accepts(Query("volume", "Nature||521|", (), 2015))
    assert not CROSSREF.accepts(Query("volume", "Nature|0028-0836|521|"))
    assert not CROSSREF.accepts(Query("place", "||521|436", (), 2015))
