"""The local doi.org: handles and registration agencies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.doi_org import DoiOrg

FACTS = load_facts(FACTS_FILE.with_name("example_facts.yaml"))
DOI_ORG = DoiOrg(FACTS)


def answer(path: str, **parameters: str) -> tuple[int, Any]:
    reply = DOI_ORG.answer(path, parameters)
    assert reply.content_type == "application/json;charset=UTF-8"
    return reply.status, json.loads(reply.body)


@pytest.mark.parametrize("doi", ["10.1038/nature14539", "10.1038/NATURE14539", "10.48550/arXiv.1706.03762"])
def test_a_registered_doi_has_values_and_is_repeated_as_asked(doi: str) -> None:
    status, body = answer(f"/api/handles/{doi}")
    assert (status, body["responseCode"], body["handle"]) == (200, 1, doi)
    address, *_, administrator = body["values"]
    assert (address["index"], address["type"], address["data"]["format"]) == (1, "URL", "string")
    assert address["data"]["value"].startswith("https://")
    assert administrator["data"]["value"]["handle"] == f"0.na/{doi.partition('/')[0]}"


def test_an_unknown_doi_is_a_404_with_code_100() -> None:
    assert answer("/api/handles/10.1038/no%20such") == (404, {"responseCode": 100, "handle": "10.1038/no such"})


def test_values_of_one_type() -> None:
    _, body = answer("/api/handles/10.1038/nature14539", type="URL")
    assert [value["type"] for value in body["values"]] == ["URL"]
    status, body = answer("/api/handles/10.1038/nature14539", type="EMAIL")
    assert (status, body) == (200, {"responseCode": 200, "handle": "10.1038/nature14539"})


@pytest.mark.parametrize("start", ["/ra/", "/doiRA/"])
def test_agencies_of_dois_and_prefixes(start: str) -> None:
    asked = "10.1038/nature14539,10.48550/arXiv.1706.03762,10.1241,10.1038/nothing,10.99999/x,rubbish"
    status, body = answer(start + asked)
    assert status == 200
    assert body == [
        {"DOI": "10.1038/nature14539", "RA": "Crossref"},
        {"DOI": "10.48550/arXiv.1706.03762", "RA": "DataCite"},
        {"DOI": "10.1241", "RA": "JaLC"},
        {"DOI": "10.1038/nothing", "status": "DOI does not exist"},
        {"DOI": "10.99999/x", "status": "DOI does not exist"},
        {"DOI": "rubbish", "status": "Invalid DOI"},
    ]


def test_everything_else_is_a_page() -> None:
    reply = DOI_ORG.answer("/10.1038/nature14539", {})
    assert (reply.status, reply.content_type) == (404, "text/html;charset=utf-8")


def test_misfiled_answers_are_about_another_doi() -> None:
    misfiling = DoiOrg(FACTS, shift=1)
    body = json.loads(misfiling.answer("/api/handles/10.1038/nature14539", {}).body)
    assert body["handle"] == "10.1109/CVPR.2016.90"
    assert json.loads(misfiling.answer("/ra/10.1038/nature14539", {}).body)[0]["DOI"] == "10.1109/CVPR.2016.90"
    assert json.loads(misfiling.answer("/ra/10.1038", {}).body)[0]["DOI"] != "10.1038"
