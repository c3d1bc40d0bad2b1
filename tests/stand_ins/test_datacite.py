"""The local DataCite: records of its own DOIs and of arXiv's, queries in Lucene syntax, refusals."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.datacite import DataCite

FACTS = load_facts(FACTS_FILE.with_name("example_facts.yaml"))
DATACITE = DataCite(FACTS)
ZENODO = "10.5281/zenodo.12345678901"
ATTENTION = "10.48550/arxiv.1706.03762"
PERELMAN = "10.48550/arxiv.math/0211159"


def listed(query: str, **parameters: str) -> Any:
    reply = DATACITE.answer("/dois", {"query": query} | parameters)
    assert reply.status == 200, reply.body
    return json.loads(reply.body)


def ids(query: str) -> list[str]:
    return [resource["id"] for resource in listed(query)["data"]]


def attributes(doi: str) -> Any:
    reply = DATACITE.answer(f"/dois/{doi}", {})
    assert reply.status == 200
    return json.loads(reply.body)["data"]["attributes"]


def test_a_data_set_of_its_own() -> None:
    record = attributes(ZENODO.upper())
    assert record["doi"] == ZENODO
    assert record["titles"] == [
        {"title": "Pandora's boxes: a data set"},
        {"title": "Release & notes", "titleType": "Subtitle"},
    ]
    assert record["creators"] == [
        {
            "name": "O'Neil, Ada Jr.",
            "nameType": "Personal",
            "givenName": "Ada Jr.",
            "familyName": "O'Neil",
            "affiliation": [],
            "nameIdentifiers": [],
        }
    ]
    assert (record["publisher"], record["publicationYear"]) == ("Zenodo", 2019)
    assert record["dates"] == [{"date": "2019-03-20", "dateType": "Issued"}]
    assert record["types"]["resourceTypeGeneral"] == "Dataset"


def test_the_doi_of_an_arxiv_submission() -> None:
    record = attributes("10.48550/arXiv.1706.03762")
    assert record["titles"] == [{"title": "Attention Is All You Need"}]
    assert (record["publisher"], record["publicationYear"], record["version"]) == ("arXiv", 2017, "7")
    assert record["types"]["resourceTypeGeneral"] == "Preprint"
    assert record["identifiers"] == [{"identifier": "1706.03762", "identifierType": "arXiv"}]
    assert {date["dateType"] for date in record["dates"]} == {"Submitted", "Updated", "Available", "Issued"}
    assert len(record["creators"]) == 8
    related = attributes("10.48550/arXiv.1602.03837")["relatedIdentifiers"]
    assert related[0] == {
        "relationType": "IsVersionOf",
        "relatedIdentifier": "10.1103/PhysRevLett.116.061102",
        "relatedIdentifierType": "DOI",
    }


def test_groups_are_organisations() -> None:
    last = attributes("10.48550/arXiv.1602.03837")["creators"][-1]
    assert last["nameType"] == "Organizational"
    assert "familyName" not in last


@pytest.mark.parametrize("path", ["/dois/10.1038/nature14539", "/dois/10.5281/zenodo.1", "/works"])
def test_other_dois_do_not_exist(path: str) -> None:
    reply = DATACITE.answer(path, {})
    assert reply.status == 404
    assert json.loads(reply.body) == {
        "errors": [{"status": "404", "title": "The resource you are looking for doesn't exist."}]
    }


def test_a_batch_of_dois_counts_what_it_found() -> None:
    body = listed(f'doi:("{ZENODO}" OR "10.48550/arXiv.1706.03762" OR "10.1038/nature14539")')
    assert sorted(resource["id"] for resource in body["data"]) == [ATTENTION, ZENODO]
    assert body["meta"] == {"total": 2, "totalPages": 1, "page": 1}
    assert all(resource["type"] == "dois" for resource in body["data"])


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ('titles.title:"attention is all you need"', [ATTENTION]),
        ('titles.title:"attention you need"', []),
        ('titles.title:"attention is you need"', [ATTENTION]),  # a phrase tolerates one word between
        ("titles.title:(attention need)", [ATTENTION]),
        ("titles.title:(attention entropy)", []),
        ('titles.title:"Ricci flow" AND creators.familyName:Perelman', [PERELMAN]),
        ('titles.title:"Ricci flow" AND creators.familyName:Vaswani', []),
        ("titles.title:flow NOT creators.name:Perelman", []),
        ("publicationYear:2019", [ZENODO]),
        ("identifiers.identifier:math\\/0211159", [PERELMAN]),
        ("zyzzyva", []),
    ],
)
def test_queries(query: str, found: list[str]) -> None:
    assert ids(query) == found


def test_or_widens_and_the_best_comes_first() -> None:
    found = ids("titles.title:(entropy OR formula OR Ricci OR attention)")
    assert found == [PERELMAN, ATTENTION]


def test_pages() -> None:
    first = listed("publisher:arXiv", **{"page[size]": "3"})
    second = listed("publisher:arXiv", **{"page[size]": "3", "page[number]": "2"})
    assert (len(first["data"]), len(second["data"])) == (3, 1)
    assert first["meta"] == {"total": 4, "totalPages": 2, "page": 1}
    assert "page[number]=2" in first["links"]["next"]
    assert "next" not in second["links"]


@pytest.mark.parametrize("query", ['titles.title:"open', "doi:(a OR", "AND"])
def test_bad_queries_are_refused(query: str) -> None:
    reply = DATACITE.answer("/dois", {"query": query})
    assert reply.status == 400
    assert json.loads(reply.body)["errors"][0]["status"] == "400"


def test_misfiled_records_are_other_records() -> None:
    reply = DataCite(FACTS, shift=1).answer(f"/dois/{ATTENTION}", {})
    assert json.loads(reply.body)["data"]["id"] == "10.48550/arxiv.1512.03385"
