"""OpenAlex's recorded responses: parsed records compared with the JSON."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from pytest_citecheck.model import Absent, Found, Notice, Query, Record
from pytest_citecheck.sources import OPENALEX, MalformedAnswerError, Response, openalex_record
from tests.conformance.recorded import Recorded, assert_plausible, file_ids, needs_recordings, recordings, the

pytestmark = needs_recordings

RECORDED = recordings("openalex")
ANY_TITLE = Query("title", "learning")
OTHER_FIELDS = "select_open_access_doi"
"""Part of the file names of bodies requested without the id or title of the work."""


def complete(item: Recorded) -> bool:
    """Return True if the body is complete: some partial bodies lack the envelope of the list."""
    return item.shape.startswith("full_response")


WHOLE = [item for item in RECORDED if complete(item) and item.status == 200]
LISTS = [item for item in WHOLE if "results" in item.json]
ALONE = [item for item in WHOLE if "results" not in item.json and OTHER_FIELDS not in item.file]
REST = [item for item in RECORDED if complete(item) and item not in LISTS and item not in ALONE]


def works(item: Recorded) -> list[dict[str, Any]]:
    """The works of a body, found without the code under test."""
    body = item.json
    found: list[dict[str, Any]] = body if isinstance(body, list) else body.get("results", [body])
    return found


def plain(stated: str) -> str:
    return " ".join(re.sub(r"</?[a-z]+>", "", html.unescape(html.unescape(stated))).split())


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def stated_names(work: dict[str, Any]) -> list[list[str]]:
    """The words of each name as the publication has it, whichever part comes first."""
    stated = [plain(one["raw_author_name"] or one["author"]["display_name"]) for one in work["authorships"]]
    return [sorted(name.replace(",", " ").split()) for name in stated if letters(name)]


def stated_places(work: dict[str, Any]) -> list[str]:
    places = [work.get("primary_location"), *(work.get("locations") or [])]
    named = [plain(place["source"]["display_name"]) for place in places if place and place["source"]]
    return list(dict.fromkeys(named))


def compare(record: Record, work: dict[str, Any]) -> None:
    """Field by field, with the raw work."""
    assert_plausible(record)
    assert record.compiled
    assert work["id"] == f"https://openalex.org/{record.id}" == record.url
    assert record.doi == (work["doi"] or "").removeprefix("https://doi.org/").lower()
    assert letters(record.title) == letters(plain(work["title"] or ""))
    assert record.years == ((work["publication_year"],) if work["publication_year"] else ())
    assert [sorted(str(person).replace(",", " ").split()) for person in record.authors] == stated_names(work)
    assert record.authors_complete == (len(work["authorships"]) != 100)
    places = stated_places(work)
    assert [name for name in record.venues if name in places] == places
    primary = work.get("primary_location") or {}
    if primary.get("source"):
        assert record.venues[0] == places[0]
    elif primary.get("raw_source_name"):
        assert record.venues[0] == plain(primary["raw_source_name"])
    assert record.pmid == work["ids"].get("pmid", "").removeprefix("https://pubmed.ncbi.nlm.nih.gov/")
    pages = [work["doi"] or "", *(place["landing_page_url"] or "" for place in work.get("locations") or [])]
    preprints = [found[1] for page in pages if (found := re.search(r"arxiv\.(?:org/abs/)?(\d{4}\.\d{4,5})", page))]
    assert record.arxiv == (preprints[0] if preprints else "")
    biblio = work.get("biblio") or {}
    assert (record.volume, record.number) == (biblio.get("volume") or "", biblio.get("issue") or "")
    assert record.pages.split("-")[0] == (biblio.get("first_page") or "").split("-")[0]
    assert record.notices == ((Notice("retraction", "openalex"),) if work.get("is_retracted") else ())


def test_there_are_recordings() -> None:
    print(f"{len(LISTS)} lists and {len(ALONE)} works read, {len(REST)} bodies refused, with a reason each")
    assert len(LISTS) > 3
    assert len(ALONE) > 8
    assert sum(len(works(item)) for item in RECORDED if item.status == 200) > 150


@pytest.mark.parametrize("item", [item for item in RECORDED if item not in REST], ids=file_ids)
def test_every_work_is_read_field_by_field(item: Recorded) -> None:
    for work in works(item):
        record = openalex_record(work)
        assert record is not None
        compare(record, work)


@pytest.mark.parametrize("item", LISTS, ids=file_ids)
def test_every_list_is_read_whole(item: Recorded) -> None:
    answer = OPENALEX.parse([ANY_TITLE], Response(item.status, item.body))[ANY_TITLE]
    assert isinstance(answer, Found)
    assert [record.url for record in answer.records] == [work["id"] for work in works(item) if work["title"]]
    for work in works(item):
        if work["doi"]:
            query = Query("doi", work["doi"].removeprefix("https://doi.org/").lower())
            by_doi = OPENALEX.parse([query], Response(item.status, item.body))[query]
            assert isinstance(by_doi, Found)
            assert {record.doi for record in by_doi.records} == {query.value}
    unknown = Query("doi", "10.1371/notarealdoi")
    assert OPENALEX.parse([unknown], Response(item.status, item.body)) == {unknown: Absent()}


@pytest.mark.parametrize("item", ALONE, ids=file_ids)
def test_every_single_work_answers_its_own_doi_only(item: Recorded) -> None:
    response = Response(item.status, item.body)
    doi = (item.json["doi"] or "").removeprefix("https://doi.org/").lower()
    if doi:
        query = Query("doi", doi)
        answer = OPENALEX.parse([query], response)[query]
        assert isinstance(answer, Found)
        compare(answer.records[0], item.json)
    for query in (Query("doi", "10.1371/notarealdoi"), ANY_TITLE):
        with pytest.raises(MalformedAnswerError):
            OPENALEX.parse([query], response)


@pytest.mark.parametrize("item", REST, ids=file_ids)
def test_every_other_body_is_refused_or_the_page_for_unknown_works(item: Recorded) -> None:
    query = Query("doi", "10.1371/notarealdoi")
    if item.status == 404:
        assert OPENALEX.parse([query], Response(item.status, item.body)) == {query: Absent()}
        return
    assert OTHER_FIELDS in item.file
    with pytest.raises(MalformedAnswerError):
        OPENALEX.parse([query], Response(item.status, item.body))


FACTS = {
    "doi.org_10.1007_s40278-023-41815-2.json": ("", 0, 2023, "Reactions Weekly", "article", ""),
    "doi.org_10.1016_j.addr.2015.01.008.json": ("Richard S. Geary", 4, 2015, "PubMed", "article", "25666165"),
    "doi.org_10.1023_a_1007154515475.json": ("Subrata Adak", 4, 2001, "PubMed", "article", "11330823"),
    "doi.org_10.1073_pnas.1414271111.json": ("Eleftherios A. Makris", 5, 2014, "PubMed Central", "article", "25349395"),
    "zotero_00_10.2307_1885099.json": (
        "George A. Akerlof",
        1,
        1982,
        "The Quarterly Journal of Economics",
        "article",
        "",
    ),
    "zotero_01_10.1257_0002828042002561.json": (
        "Marianne Bertrand",
        2,
        2004,
        "The American Economic Review",
        "article",
        "",
    ),
    "zotero_03_Clinical_Labor.json": ("Melinda Cooper", 2, 2014, "Duke University Press eBooks", "book", ""),
    "zotero_04_The_GULag_and_Laogai_A_Comparative_Study_of_Force.json": (
        "Stanley Joseph Stepanic",
        1,
        2017,
        None,
        "thesis",
        "",
    ),
    "zotero_06_Generalizing_to_Unseen_Domains_via_Adversarial_Dat.json": (
        "Riccardo Volpi",
        6,
        2018,
        "Neural Information Processing Systems",
        "inproceedings",
        "",
    ),
    "zotero_07_10.48550_arxiv.1201.0490.json": (
        "Fabian Pedregosa",
        16,
        2012,
        "arXiv (Cornell University)",
        "preprint",
        "",
    ),
    "refchecker_127b04f2af95.json": ("Ronny Kohavi Barry Becker", 1, 1996, "UC Irvine", "dataset", ""),
}
"""First author, number of authors, year, one place, type and PubMed id, as a reader of the bodies notes them."""


@pytest.mark.parametrize("name", FACTS)
def test_facts_about_single_works(name: str) -> None:
    first, count, year, venue, kind, pmid = FACTS[name]
    record = openalex_record(works(the(RECORDED, name))[0])
    assert record is not None
    assert " ".join(map(str, record.authors[:1])) == first
    assert (len(record.authors), record.years, record.type, record.pmid) == (count, (year,), kind, pmid)
    assert venue in (None, *record.venues)


def test_the_name_of_a_profile_may_be_that_of_a_namesake() -> None:
    stated = {
        (one["author"]["display_name"], str(person))
        for item in RECORDED
        if item not in REST
        for work in works(item)
        if (record := openalex_record(work))
        for one, person in zip(work["authorships"], record.authors, strict=True)
    }
    assert {("Jason Lee", "Jason Wei"), ("David Wong", "Denise Wong")} <= stated
