"""Europe PMC's recorded responses: parsed records compared with the JSON."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pytest_citecheck.model import Absent, Found, Query, Record
from pytest_citecheck.sources import EUROPE_PMC, MalformedAnswerError, Response, parse_result
from tests.conformance.recorded import Recorded, assert_plausible, file_ids, needs_recordings, recordings, the

pytestmark = needs_recordings

RECORDED = recordings("europepmc")

NEVER_ASKED = {
    "PMC12738713.txt": "a pointer to a file that was not recorded",
    "PMC3258128.txt": "a pointer to a file that was not recorded",
    "PMC3359999.txt": "a pointer to a file that was not recorded",
    "search_cancer_dc.xml": "Dublin Core is not asked for",
}
"""Bodies that none of our requests returns, with the reason."""

PAGES = [item for item in RECORDED if item.file.endswith(".json")]
CORE = "search_cancer_core.json"


def results(item: Recorded) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = item.json["resultList"]["result"]
    return found


ALL = [(item, number) for item in PAGES for number in range(len(results(item)))]
WORKS = [pytest.param(item, number, id=f"{file_ids(item)}-{number}") for item, number in ALL]


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, re.sub(r"</?[a-z]+>", "", text))).lower()


def compare(record: Record, work: dict[str, Any]) -> None:
    """Field by field, with the raw result (of any result type)."""
    assert_plausible(record)
    assert record.id == f"{work['source']}:{work['id']}"
    assert record.pmid == work.get("pmid", "")
    assert record.doi == work.get("doi", "").lower()
    assert letters(record.title) == letters(work.get("title", ""))
    authors = work.get("authorList", {}).get("author", [])
    assert [person.family or person.literal for person in record.authors] == [
        author.get("lastName") or author["collectiveName"] for author in authors
    ]
    assert [person.given for person in record.authors] == [author.get("firstName", "") for author in authors]
    if "pubYear" in work:
        assert record.years[0] == int(work["pubYear"])
    journal = work.get("journalInfo", {}).get("journal", {})
    assert {journal.get("title"), journal.get("isoabbreviation")} - {None} <= set(record.venues)
    assert record.volume == work.get("journalInfo", {}).get("volume", "")
    assert record.pages == work.get("pageInfo", "")
    assert dict(record.related).get("pmcid", "") == work.get("pmcid", "")
    assert not record.compiled
    assert record.notices == ()


def test_there_are_recordings(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(ALL) > 80
    with capsys.disabled():
        print(f"\nEurope PMC: {len(PAGES)} pages with {len(ALL)} works read, {len(NEVER_ASKED)} bodies never asked")


@pytest.mark.parametrize(("item", "number"), WORKS)
def test_every_work_is_read_field_by_field(item: Recorded, number: int) -> None:
    work = results(item)[number]
    record = parse_result(work)
    assert record is not None
    compare(record, work)


@pytest.mark.parametrize("item", PAGES, ids=file_ids)
def test_every_page_is_answered_by_identifier(item: Recorded) -> None:
    response = Response(item.status, item.body)
    for work in results(item):
        asked = [("pmid", work["pmid"]), ("doi", work.get("doi", "").lower()), ("pmcid", work.get("pmcid", ""))]
        for kind, value in asked:
            if value:
                query = Query(kind, value)  # type: ignore[arg-type]
                answer = EUROPE_PMC.parse([query], response)[query]
                assert isinstance(answer, Found)
                assert [record.pmid for record in answer.records] == [work["pmid"]]
        title = Query("title", work.get("title", ""))
        answer = EUROPE_PMC.parse([title], response)[title]
        if title.value:
            assert isinstance(answer, Found)
            assert work["pmid"] in [record.pmid for record in answer.records]


def test_a_page_without_results() -> None:
    item = the(RECORDED, "search_no_results.json")
    for query in (Query("title", "ecology"), Query("doi", "10.1/x"), Query("pmid", "1")):
        assert EUROPE_PMC.parse([query], Response(item.status, item.body)) == {query: Absent("")}


def test_a_page_that_leaves_out_most_is_no_answer_to_an_identifier() -> None:
    with pytest.raises(MalformedAnswerError, match="more works"):
        EUROPE_PMC.parse([Query("pmid", "1")], Response(200, the(RECORDED, CORE).body))


@pytest.mark.parametrize("item", [item for item in RECORDED if item not in PAGES], ids=file_ids)
def test_every_other_body_is_refused(item: Recorded) -> None:
    assert file_ids(item) in NEVER_ASKED
    with pytest.raises(MalformedAnswerError):
        EUROPE_PMC.parse([Query("title", "ecology")], Response(item.status, item.body))


FACTS = {
    "39709209": ("Schoenfeld", 3, (2025, 2024), "Lancet", "10.1016/s0140-6736(24)02600-x", "2603-2604"),
    "40468710": ("Al-Abbadey", 7, (2025,), "British journal of health psychology", "10.1111/bjhp.12807", "e12807"),
    "40464630": ("Dinkel", 6, (2025,), "Dtsch Arztebl Int", "10.3238/arztebl.m2025.0086", "arztebl.m2025.0086"),
}
"""First family name, number of authors, years, one venue, DOI and pages, as a reader of the bodies notes them."""


@pytest.mark.parametrize("pmid", FACTS)
def test_facts_about_single_works(pmid: str) -> None:
    query = Query("pmid", pmid)
    answer = EUROPE_PMC.parse([query], Response(200, the(RECORDED, CORE).body))[query]
    assert isinstance(answer, Found)
    (record,) = answer.records
    first, count, years, venue, doi, pages = FACTS[pmid]
    assert (record.authors[0].family, len(record.authors), record.years) == (first, count, years)
    assert (record.doi, record.pages, record.type) == (doi, pages, "article")
    assert venue in record.venues
