"""Semantic Scholar's recorded responses: parsed records compared with the JSON."""

from __future__ import annotations

import html
import json
from typing import Any

import pytest

from pytest_citecheck.model import Absent, Found, Query, Record, Unavailable
from pytest_citecheck.sources import SEMANTIC_SCHOLAR, MalformedAnswerError, Response, parse_paper
from tests.conformance.recorded import Recorded, assert_plausible, file_ids, needs_recordings, recordings, the

pytestmark = needs_recordings

RECORDED = recordings("semanticscholar", "semanticscholar_v1")

NEVER_ASKED = {
    "/v1/": "the first version of the API, which is switched off",
    "400_": "a request with a mistake that is not made",
    "403_": "a key that is refused: not read, and no answer",
    "429_": "too many requests: not read, and no answer",
    "404_paper_DOI": "the words for an unknown paper that is asked for alone",
    "404_v1_": "an author, or a paper that is asked for alone",
    "_authors_fields": "the authors of a paper",
    "_references_": "the papers that a paper cites",
    "_citations_": "the papers that cite a paper",
    "v1_author_search": "a search for authors",
    "v1_paper_batch_fields_authors": "a batch without titles and ids",
    "search_bulk_query_kubernetes": "the last page of a search, without titles",
    "_fields_cit": "a search without titles",
    "_publicationTypes_": "a search without titles",
    "_fields_venue": "a search without titles",
    "_fields_year": "a search without titles",
}
"""Parts of file names or URLs of unread bodies, and why they never answer our queries."""
NOT_A_BODY = "refchecker"  # lists and single papers without what was around them


def reason(item: Recorded) -> str:
    if item.url.startswith("https://api.semanticscholar.org/v1/"):
        return "/v1/"
    if "/search/match" in item.url:
        return ""
    return next((part for part in NEVER_ASKED if part in item.file), "")


PARTS = [item for item in RECORDED if NOT_A_BODY in item.file]
REFUSED = [item for item in RECORDED if item not in PARTS and reason(item)]
READ = [item for item in RECORDED if item not in PARTS and not reason(item)]
SEARCHES = [item for item in READ if "/search" in item.url]
BATCHES = [item for item in READ if "/paper/batch" in item.url]
ALONE = [item for item in READ if item not in SEARCHES and item not in BATCHES]


def papers(item: Recorded) -> list[dict[str, Any]]:
    """The papers of a body, found without the code under test."""
    body = item.json
    if isinstance(body, list):
        return [paper for paper in body if paper]
    found: list[dict[str, Any]] = [] if "error" in body else [body] if "paperId" in body else body.get("data", [])
    return found


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, html.unescape(text))).lower()


def compare(record: Record, paper: dict[str, Any]) -> None:
    """Field by field, with the raw paper."""
    assert_plausible(record)
    assert record.compiled
    assert record.id == paper["paperId"]
    assert letters(record.title) == letters(paper["title"])
    ids = paper.get("externalIds") or {}
    assert record.doi == ids.get("DOI", "").lower()
    deposit = record.doi.removeprefix("10.48550/arxiv.") if record.doi.startswith("10.48550/") else ""
    assert record.arxiv == ids.get("ArXiv", deposit)
    assert record.pmid == ids.get("PubMed", "")
    assert set(record.years) >= ({paper["year"]} if paper.get("year") else set())
    assert record.years[:1] == ((paper["year"],) if paper.get("year") else ())
    authors = paper.get("authors") or []
    assert [person.literal for person in record.authors] == [" ".join(author["name"].split()) for author in authors]
    assert record.authors_complete == (len(authors) < 500)
    journal = paper.get("journal") or {}
    stated = [(paper.get("publicationVenue") or {}).get("name"), paper.get("venue"), journal.get("name")]
    assert {" ".join(html.unescape(name).split()) for name in stated if name} <= set(record.venues)
    if record.venues:
        archives = ("arxiv", "biorxiv", "medrxiv")
        elsewhere = [name for name in stated if name and not name.lower().startswith(archives)]
        assert record.venues[0] == " ".join(html.unescape((elsewhere or list(filter(None, stated)))[0]).split())
    volume = journal.get("volume") or ""
    assert record.volume == ("" if volume.startswith("abs/") else volume.strip())
    assert letters(record.pages) == letters(journal.get("pages") or "")


def test_there_are_recordings() -> None:
    read = len(SEARCHES) + len(BATCHES) + len(ALONE)
    print(f"{read} bodies read, {len(PARTS)} parts of bodies read, {len(REFUSED)} refused, with a reason each")
    assert len(SEARCHES) > 15
    assert len(ALONE) > 8
    assert sum(len(papers(item)) for item in PARTS) > 130


@pytest.mark.parametrize("item", PARTS + SEARCHES + BATCHES + ALONE, ids=file_ids)
def test_every_paper_is_read_field_by_field(item: Recorded) -> None:
    for paper in papers(item):
        record = parse_paper(paper)
        assert record is not None
        compare(record, paper)


@pytest.mark.parametrize("item", SEARCHES, ids=file_ids)
def test_every_search_answers_the_titles_that_it_found(item: Recorded) -> None:
    response = Response(item.status, item.body)
    found = papers(item)
    for paper in found[:20]:
        query = Query("title", paper["title"])
        answer = SEMANTIC_SCHOLAR.parse([query], response)[query]
        assert isinstance(answer, Found)
        assert letters(paper["title"]) in {letters(record.title) for record in answer.records}
    other = Query("title", "A title that nobody has given to a paper in all these years")
    answer = SEMANTIC_SCHOLAR.parse([other], response)[other]
    goes_on = "next" in item.json
    assert isinstance(answer, Unavailable) if goes_on else answer == Absent()


@pytest.mark.parametrize("item", BATCHES, ids=file_ids)
def test_every_batch_answers_in_its_order(item: Recorded) -> None:
    sent = item.json
    queries = [
        Query("doi", paper["externalIds"]["DOI"].lower() if paper else f"10.1371/unknown{place}")
        for place, paper in enumerate(sent)
    ]
    answers = SEMANTIC_SCHOLAR.parse(queries, Response(item.status, item.body))
    assert None in sent
    for query, paper in zip(queries, sent, strict=True):
        answer = answers[query]
        if paper is None:
            assert answer == Absent()
        else:
            assert isinstance(answer, Found)
            assert [record.id for record in answer.records] == [paper["paperId"]]


@pytest.mark.parametrize("item", ALONE, ids=file_ids)
def test_every_single_paper_is_found_under_the_id_that_was_asked(item: Recorded) -> None:
    """The response to a single paper is the same object as in a batch of one."""
    body = json.dumps([item.json]).encode()
    doi = item.url.partition("/graph/v1/paper/")[2].partition("?")[0].removeprefix("DOI:").lower()
    query = Query("doi", doi)
    answer = SEMANTIC_SCHOLAR.parse([query], Response(200, body))[query]
    assert isinstance(answer, Found)
    assert answer.records[0].id == item.json["paperId"]
    if item.json.get("externalIds"):
        with pytest.raises(MalformedAnswerError):
            SEMANTIC_SCHOLAR.parse([Query("doi", "10.1371/notarealdoi")], Response(200, body))


@pytest.mark.parametrize("item", REFUSED, ids=file_ids)
@pytest.mark.parametrize(
    "query", [Query("doi", "10.1371/notarealdoi"), Query("title", "On a subject")], ids=["doi", "title"]
)
def test_every_other_body_is_refused(item: Recorded, query: Query) -> None:
    with pytest.raises(MalformedAnswerError):
        SEMANTIC_SCHOLAR.parse([query], Response(item.status, item.body))


@pytest.mark.parametrize("part", NEVER_ASKED)
def test_each_reason_is_needed(part: str) -> None:
    assert any(reason(item) == part for item in REFUSED)


CHEMISTRY = "paper_search_match_query_Augmenting_large_language_models_with_c-6.json"
FACTS = {
    CHEMISTRY: ("10.1038/s42256-024-00832-8", "2304.05376", 6, 2023, "Nature Machine Intelligence", "article"),
    "paper_search_match_query_PaperQA_Retrieval-Augmented_Generati.json": (
        "10.48550/arxiv.2312.07559",
        "2312.07559",
        6,
        2023,
        "arXiv.org",
        "preprint",
    ),
    "paper_search_match_query_High-throughput_screening_of_human_gene.json": (
        "10.1016/j.xgen.2025.100814",
        "",
        6,
        2024,
        "Cell Genomics",
        "article",
    ),
    "paper_search_match_query_National_Flag_of_Canada_Day_fields_auth.json": (
        "10.3138/9781442621534-019",
        "",
        2,
        2016,
        None,
        "",
    ),
    "paper_search_match_query_Convalescent-anti-sars-cov-2-plasma_imm.json": (
        "10.1007/s40278-023-33114-1",
        "",
        0,
        2023,
        "Reactions weekly",
        "",
    ),
}
"""DOI, arXiv id, number of authors, year, one place and type, as a reader of the bodies notes them."""


@pytest.mark.parametrize("name", FACTS)
def test_facts_about_single_papers(name: str) -> None:
    doi, arxiv, count, year, venue, kind = FACTS[name]
    record = parse_paper(papers(the(RECORDED, name))[0])
    assert record is not None
    assert (record.doi, record.arxiv, len(record.authors), record.years[0]) == (doi, arxiv, count, year)
    assert venue in (None, *record.venues)
    assert record.type == kind
