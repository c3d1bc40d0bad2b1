"""The local Semantic Scholar: batches, the match of a title, searches for phrases, errors."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.facts import Facts
from tests.stand_ins.semantic_scholar import SemanticScholar

FACTS = load_facts(FACTS_FILE.with_name("example_facts.yaml"))
SCHOLAR = SemanticScholar(FACTS)
BATCH, MATCH, BULK = (f"/graph/v1/paper/{name}" for name in ("batch", "search/match", "search/bulk"))
ALL = "externalIds,title,authors,year,publicationDate,venue,publicationVenue,journal,publicationTypes"


def posted(*ids: object, service: SemanticScholar = SCHOLAR, fields: str = ALL) -> Any:
    reply = service.post(BATCH, {"fields": fields}, json.dumps({"ids": ids}).encode())
    assert reply.status == 200, reply.body
    return json.loads(reply.body)


def searched(path: str, query: str, status: int = 200) -> Any:
    reply = SCHOLAR.answer(path, {"query": query, "fields": "title"})
    assert reply.status == status, reply.body
    return json.loads(reply.body)


def test_a_batch_keeps_the_order_and_says_null_for_the_unknown() -> None:
    found = posted("DOI:10.1038/none", "ARXIV:1706.03762", "DOI:10.1038/NATURE14539", fields="title")
    assert [paper and paper["title"] for paper in found] == [None, "Attention is All you Need", "Deep learning"]
    assert set(found[1]) == {"paperId", "title"}


def test_preprint_and_publication_are_one_paper() -> None:
    paper, again = posted("ARXIV:1706.03762", "DOI:10.48550/arXiv.1706.03762")
    assert paper == again
    ids = paper["externalIds"]
    assert (ids["ArXiv"], ids["DBLP"]) == ("1706.03762", "conf/nips/VaswaniSPUJGKP17")
    assert paper["venue"] == "Advances in Neural Information Processing Systems 30"
    assert paper["journal"] == {"name": "ArXiv", "volume": "abs/1706.03762"}
    assert (paper["year"], paper["publicationDate"]) == (2017, "2017-12-04")
    assert paper["publicationTypes"] == ["JournalArticle", "Conference"]
    names = [author["name"] for author in paper["authors"]]
    assert any(name[1] == "." for name in names)
    assert not all(name[1] == "." for name in names)


def test_an_article_of_a_journal() -> None:
    work = next(work for work in FACTS.works if work.id == "lecun2015deep")
    service = SemanticScholar(Facts((replace(work, pmid="26017442", pmcid="PMC1", acl="P15-1"),)))
    (paper,) = posted("PMID:26017442", service=service)
    assert paper == posted("ACL:p15-1", service=service)[0] == posted("PMCID:1", service=service)[0]
    assert paper["publicationVenue"]["alternate_names"] == ["Nature"]
    assert paper["journal"] == {"name": "Nature", "pages": "436 - 444", "volume": "521"}


def test_works_without_any_identifier_are_known_from_dblp() -> None:
    work = next(work for work in FACTS.works if work.id == "vaswani2017attention")
    service = SemanticScholar(Facts((replace(work, arxiv=None),)))
    reply = service.answer(MATCH, {"query": work.title, "fields": ALL})
    assert set(json.loads(reply.body)["data"][0]["externalIds"]) == {"DBLP", "CorpusId"}
    nothing = SemanticScholar(Facts((replace(work, arxiv=None, dblp=()),)))
    assert nothing.answer(MATCH, {"query": work.title}).status == 404


def test_the_match_of_a_title() -> None:
    (paper,) = searched(MATCH, "attention is all you need")["data"]
    assert paper["title"] == "Attention is All you Need"
    assert paper["matchScore"] > 0
    assert searched(MATCH, "attention to quite another matter", 404) == {"error": "Title match not found"}


def test_phrases() -> None:
    body = searched(BULK, '"Deep Residual Learning" | "is all you need" | "learning deep"')
    assert (body["total"], body["token"]) == (2, None)
    assert {paper["title"] for paper in body["data"]} == {
        "Attention is All you Need",
        "Deep Residual Learning for Image Recognition",
    }


@pytest.mark.parametrize(
    ("path", "parameters", "status"),
    [
        (BULK, {"query": "deep + learning"}, 400),
        (BULK, {"query": '"deep learning" -shallow'}, 400),
        (MATCH, {"query": "deep", "fields": "colour"}, 400),
        ("/graph/v1/paper/DOI:10.1/x", {}, 404),
    ],
)
def test_errors(path: str, parameters: dict[str, str], status: int) -> None:
    assert SCHOLAR.answer(path, parameters).status == status


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b'{"ids": []}', b'{"ids": ["nonsense"]}', b'{"ids": 1}'])
def test_batches_without_an_id(body: bytes) -> None:
    reply = SCHOLAR.post(BATCH, {"fields": ALL}, body)
    assert reply.status == 400
    assert json.loads(reply.body)["error"]


def test_unknown_fields_are_named() -> None:
    reply = SCHOLAR.post(BATCH, {"fields": "title,colour"}, b'{"ids": ["DOI:10.1/x"]}')
    assert json.loads(reply.body) == {"error": "Unrecognized or unsupported fields: [colour]"}


def test_with_a_shift_another_paper_is_shown() -> None:
    shifted = SemanticScholar(FACTS, shift=1)
    assert posted("ARXIV:1706.03762", service=shifted) != posted("ARXIV:1706.03762")
