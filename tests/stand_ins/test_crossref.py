"""The local Crossref: the two message types, selection, filters, ranking, refusals."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from pytest_citecheck.sources import crossref_record
from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.crossref import Crossref
from tests.stand_ins.crossref_works import SELECTABLE
from tests.stand_ins.facts import Notice

FACTS = load_facts(FACTS_FILE.with_name("example_facts.yaml"))
CROSSREF = Crossref(FACTS)
NATURE = "10.1038/nature14539"
RESNET = "10.1109/cvpr.2016.90"


def message(path: str, **parameters: str) -> Any:
    reply = CROSSREF.answer(path, {name.replace("__", "."): value for name, value in parameters.items()})
    assert reply.status == 200, reply.body
    body = json.loads(reply.body)
    assert (body["status"], body["message-version"]) == ("ok", "1.0.0")
    return body["message"]


def refusal(**parameters: str) -> Any:
    reply = CROSSREF.answer("/works", {name.replace("__", "."): value for name, value in parameters.items()})
    assert reply.status == 400
    body = json.loads(reply.body)
    assert (body["status"], body["message-type"]) == ("failed", "validation-failure")
    return body["message"][0]


def dois(**parameters: str) -> list[str]:
    return [item["DOI"] for item in message("/works", **parameters)["items"]]


def test_one_work_by_doi_in_any_case_and_encoding() -> None:
    work = message("/works/10.1109%2FCVPR.2016.90")
    assert work["DOI"] == RESNET
    assert work["title"] == ["Deep Residual Learning for Image Recognition"]
    assert work["author"][0] == {
        "given": "Kaiming",
        "family": "He",
        "sequence": "first",
        "affiliation": [],
        "role": [{"role": "author", "vocabulary": "crossref"}],
    }
    assert work["author"][1]["sequence"] == "additional"
    assert work["issued"] == work["published"] == work["published-print"] == {"date-parts": [[2016, 6]]}
    assert work["event"] == {"name": "2016 IEEE Conference on Computer Vision and Pattern Recognition (CVPR)"}
    assert work["score"] == 1
    assert message("/works/10.1109/cvpr.2016.90") == work


def test_slashes_are_escaped_and_limits_announced() -> None:
    reply = CROSSREF.answer(f"/works/{NATURE}", {})
    assert rb'"DOI":"10.1038\/nature14539"' in reply.body
    assert (reply.headers["x-rate-limit-limit"], reply.headers["x-rate-limit-interval"]) == ("5", "1s")
    assert (reply.headers["x-api-pool"], reply.headers["x-concurrency-limit"]) == ("public-single", "1")
    polite = CROSSREF.answer("/works", {"query": "deep", "mailto": "a@b.c", "rows": "1"})
    assert (polite.headers["x-api-pool"], polite.headers["x-rate-limit-limit"]) == ("polite-array", "3")
    assert reply.content_type == "application/json"


@pytest.mark.parametrize("path", ["/works/10.1038/nothing", "/works/10.5281/zenodo.12345678901", "/journals", "/"])
def test_what_crossref_does_not_hold_is_a_plain_404(path: str) -> None:
    reply = CROSSREF.answer(path, {})
    assert (reply.status, reply.content_type, reply.body) == (404, "text/plain", b"Resource not found.")


def test_journal_article_has_both_dates_and_numbers() -> None:
    work = message(f"/works/{NATURE}")
    assert work["published-online"] == {"date-parts": [[2015, 5, 27]]}
    assert work["published-print"] == {"date-parts": [[2015, 5, 28]]}
    assert work["journal-issue"] == {
        "issue": "7553",
        "published-print": work["published-print"],
        "published-online": work["published-online"],
    }
    assert (work["volume"], work["issue"], work["page"]) == ("521", "7553", "436-444")
    assert work["ISSN"] == ["0028-0836", "1476-4687"]
    assert [one["type"] for one in work["issn-type"]] == ["print", "electronic"]


def test_old_works_were_deposited_long_after_publication() -> None:
    work = message("/works/10.1090/s0002-9904-1956-10036-0")
    assert work["issued"] == {"date-parts": [[1956]]}
    assert 2002 <= work["created"]["date-parts"][0][0] <= 2009
    assert work["deposited"]["timestamp"] >= work["created"]["timestamp"]


def test_markup_and_entities_are_served_as_stated_or_escaped_once() -> None:
    work = message("/works/10.1002/9780470748343.ch1")
    assert work["title"] == ["Structure of H<sub>2</sub>O &amp;amp; the case of <i>p</i> &amp;lt; 0.05"]
    assert work["container-title"] == ["Deep learning of water &amp; ice"]
    assert work["editor"][0]["family"] == "Roe"
    assert work["ISBN"] == ["9780470748343"]
    assert work["isbn-type"] == [{"value": "9780470748343", "type": "print"}]


def test_groups_have_a_name() -> None:
    last = message("/works/10.1103/physrevlett.116.061102")["author"][-1]
    assert last["name"] == "LIGO Scientific Collaboration and Virgo Collaboration"
    assert "family" not in last


def test_a_batch_gives_each_doi_it_holds_and_selects_members() -> None:
    listed = message("/works", filter=f"doi:{NATURE},doi:10.1109/CVPR.2016.90,doi:10.1/no", select="DOI,title")
    assert listed["total-results"] == 2
    assert sorted(item["DOI"] for item in listed["items"]) == [NATURE, RESNET]
    assert all(set(item) == {"DOI", "title"} for item in listed["items"])


def test_rows_cut_and_offset_skips() -> None:
    everything = dois()
    assert len(everything) == 5
    assert dois(rows="2", offset="1") == everything[1:3]
    listed = message("/works", rows="0")
    assert (listed["items"], listed["items-per-page"], listed["total-results"]) == ([], 0, 5)


def test_search_ranks_whatever_shares_a_word() -> None:
    found = message("/works", query__bibliographic="Deep residuals of image recognition, He 2016")
    ranked = [(item["DOI"], item["score"]) for item in found["items"]]
    assert ranked[0][0] == RESNET
    assert {doi for doi, _ in ranked} > {RESNET, NATURE}
    assert [score for _, score in ranked] == sorted((score for _, score in ranked), reverse=True)
    assert dois(query__bibliographic="zyzzyva") == []


def test_accents_do_not_matter_to_the_search() -> None:
    assert dois(query__author="Erdos") == ["10.1090/s0002-9904-1956-10036-0"]


def test_field_queries_must_all_match_and_dates_filter() -> None:
    parameters = {"query.author": "LeCun He", "query.container-title": "Nature"}
    reply = json.loads(CROSSREF.answer("/works", parameters).body)
    assert [item["DOI"] for item in reply["message"]["items"]] == [NATURE]
    assert dois(query__title="deep", filter="from-pub-date:2015,until-pub-date:2015") == [NATURE]
    assert dois(query__title="deep", filter="from-pub-date:2016-06,until-pub-date:2016-06-30") == [RESNET]
    assert dois(query__title="deep", filter="from-pub-date:2017") == []


def test_other_filters() -> None:
    assert dois(filter="type:book-chapter") == ["10.1002/9780470748343.ch1"]
    assert dois(filter="prefix:10.1038,issn:1476-4687") == [NATURE]
    assert dois(filter="prefix:10.1038,prefix:10.1109") == [NATURE, RESNET]


@pytest.mark.parametrize(
    ("parameters", "kind"),
    [
        ({"select": "DOI,institution"}, "parameter-not-found"),
        ({"filter": "doi:10.1000/a,b"}, "filter-not-valid"),
        ({"filter": "colour:blue"}, "filter-not-available"),
        ({"filter": "from-pub-date:soon"}, "date-not-valid"),
        ({"rows": "1001"}, "integer-not-valid"),
        ({"rows": "-1"}, "integer-not-valid"),
        ({"query__titel": "x"}, "parameter-not-found"),
    ],
)
def test_what_the_api_does_not_know_it_refuses(parameters: dict[str, str], kind: str) -> None:
    assert refusal(**parameters)["type"] == kind


def test_every_selectable_member_that_is_served_can_be_selected() -> None:
    whole = message("/works", filter=f"doi:{NATURE}")["items"][0]
    for name in SELECTABLE & set(whole):
        assert message("/works", filter=f"doi:{NATURE}", select=name)["items"] == [{name: whole[name]}]


def test_misfiled_records_are_other_records() -> None:
    misfiling = Crossref(FACTS, shift=1)
    assert json.loads(misfiling.answer(f"/works/{NATURE}", {}).body)["message"]["DOI"] == RESNET
    listed = json.loads(misfiling.answer("/works", {"filter": f"doi:{NATURE}"}).body)["message"]["items"]
    assert [item["DOI"] for item in listed] == [RESNET]


def test_notices_stand_on_the_work_that_they_are_about() -> None:
    notices = (Notice("concern", (2020, 5), "10.1038/CONCERN"), Notice("retraction", (2021, 2, 3)))
    works = tuple(replace(work, notices=notices) if work.doi == NATURE else work for work in FACTS.works)
    body = json.loads(Crossref(replace(FACTS, works=works)).answer(f"/works/{NATURE}", {}).body)
    concern, retraction = body["message"]["updated-by"]
    assert (concern["DOI"], concern["type"], concern["source"]) == (
        "10.1038/concern",
        "expression_of_concern",
        "publisher",
    )
    assert retraction["updated"]["date-parts"] == [[2021, 2, 3]]
    record = crossref_record(body["message"])
    assert record is not None
    assert [(notice.kind, notice.doi) for notice in record.notices] == [
        ("concern", "10.1038/concern"),
        ("retraction", ""),
    ]


def test_the_works_of_a_journal() -> None:
    whole = message("/journals/0028-0836/works", rows="1000")
    assert NATURE in [item["DOI"] for item in whole["items"]]
    assert {number for item in whole["items"] for number in item["ISSN"]} >= {"0028-0836"}
    none = message("/journals/0028-0836/works", filter="from-pub-date:1900,until-pub-date:1901")
    assert none["total-results"] == 0
    unknown = CROSSREF.answer("/journals/0000-0000/works", {})
    assert (unknown.status, unknown.body) == (404, b"Resource not found.")
