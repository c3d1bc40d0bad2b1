"""The local OpenAlex: lists by identifier and by words of the title, single works, refusals."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.facts import Facts, Name, Notice
from tests.stand_ins.openalex import OpenAlex

FACTS = load_facts(FACTS_FILE.with_name("example_facts.yaml"))
OPENALEX = OpenAlex(FACTS)
LECUN = "https://doi.org/10.1038/nature14539"
ATTENTION = "https://doi.org/10.48550/arxiv.1706.03762"


def listed(condition: str, service: OpenAlex = OPENALEX, parameters: dict[str, str] | None = None) -> Any:
    reply = service.answer("/works", {"filter": condition} | (parameters or {}))
    assert reply.status == 200, reply.body
    return json.loads(reply.body)


def dois(condition: str) -> list[str]:
    return [work["doi"] for work in listed(condition)["results"]]


def test_works_by_their_dois() -> None:
    body = listed("doi:10.1038/NATURE14539|https://doi.org/10.48550/arxiv.1706.03762|10.1/none")
    assert {work["doi"] for work in body["results"]} == {LECUN, ATTENTION}
    assert body["meta"]["count"] == 2
    assert body["group_by"] == []


def test_a_journal_article() -> None:
    work = listed("doi:10.1038/nature14539")["results"][0]
    assert (work["title"], work["type"], work["publication_date"]) == ("Deep learning", "article", "2015-05-27")
    assert work["biblio"] == {"volume": "521", "issue": "7553", "first_page": "436", "last_page": "444"}
    source = work["primary_location"]["source"]
    assert (source["display_name"], source["type"], source["issn_l"]) == ("Nature", "journal", "0028-0836")
    assert [one["author_position"] for one in work["authorships"]] == ["first", "middle", "last"]
    assert work["authorships"][0]["raw_author_name"] == "Yann LeCun"


def test_a_submission_of_arxiv_is_a_work_of_its_own() -> None:
    work = listed("doi:10.48550/arxiv.1706.03762")["results"][0]
    assert work["type"] == "preprint"
    assert [place["landing_page_url"] for place in work["locations"]] == ["http://arxiv.org/abs/1706.03762", ATTENTION]
    assert work["authorships"][0]["raw_author_name"] == "Vaswani, Ashish"
    assert work["authorships"][0]["author"]["display_name"] == "Ashish Vaswani"


def test_proceedings_have_a_name_but_no_source() -> None:
    place = listed("title.search:deep residual learning")["results"][0]["primary_location"]
    assert place["source"] is None
    assert place["raw_source_name"].startswith("2016 IEEE Conference")


def test_titles_must_have_every_word() -> None:
    residual = ["https://doi.org/10.1109/cvpr.2016.90", "https://doi.org/10.48550/arxiv.1512.03385"]
    assert dois("title.search:learning the deep") == [LECUN, *residual]
    assert dois("title.search:shallow learning") == []


def test_pages_of_results() -> None:
    body = listed("title.search:learning", parameters={"per-page": "1"})
    assert (body["meta"]["count"], body["meta"]["per_page"], len(body["results"])) == (3, 1, 1)


def test_what_is_selected() -> None:
    (work,) = listed("doi:10.1038/nature14539", parameters={"select": "id,doi"})["results"]
    assert (set(work), work["doi"]) == ({"id", "doi"}, LECUN)


def test_one_work() -> None:
    assert json.loads(OPENALEX.answer("/works/https://doi.org/10.1038/nature14539", {}).body)["doi"] == LECUN
    unknown = OPENALEX.answer("/works/https://doi.org/10.1038/none", {})
    assert (unknown.status, b"<title>404 Not Found</title>" in unknown.body) == (404, True)


@pytest.mark.parametrize(
    "parameters",
    [
        {"filter": "colour:blue"},
        {"filter": "doi"},
        {"filter": "title.search:deep OR shallow"},
        {"filter": "doi:10.1038/nature14539", "select": "colour"},
        {"per-page": "1000"},
    ],
)
def test_refusals(parameters: dict[str, str]) -> None:
    reply = OPENALEX.answer("/works", parameters)
    assert reply.status == 403
    assert json.loads(reply.body)["error"] == "Invalid query parameters error."


def test_long_lists_of_authors_are_cut_and_retractions_told() -> None:
    work = next(work for work in FACTS.works if work.id == "lecun2015deep")
    many = tuple(Name(given="Ada", family=f"Lovelace{number}") for number in range(120))
    crowd = replace(work, authors=many, pmid="26017442", notices=(Notice("retraction", (2020,)),))
    service = OpenAlex(Facts((crowd,)))
    found = listed("pmid:26017442", service)["results"][0]
    assert (len(found["authorships"]), found["is_authors_truncated"], found["is_retracted"]) == (100, True, True)
    assert found["locations"][1]["source"]["display_name"] == "PubMed"
    alone = json.loads(service.answer("/works/https://doi.org/10.1038/nature14539", {}).body)
    assert len(alone["authorships"]) == 120


def test_with_a_shift_another_work_is_shown() -> None:
    assert listed("doi:10.1038/nature14539", OpenAlex(FACTS, shift=1))["results"][0]["doi"] != LECUN


def test_a_work_by_its_place() -> None:
    place = "primary_location.source.issn:0028-0836,biblio.volume:521,biblio.first_page:{}"
    assert dois(place.format(436)) == [LECUN]
    assert dois(place.format(437)) == []
