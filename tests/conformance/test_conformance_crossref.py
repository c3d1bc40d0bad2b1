"""Crossref's recorded responses: parsed records compared with the JSON."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from pytest_citecheck.model import Absent, Found, Notice, Query, Record
from pytest_citecheck.sources import CROSSREF, MalformedAnswerError, Response, crossref_record
from tests.conformance.recorded import Recorded, assert_plausible, file_ids, needs_recordings, recordings, the

pytestmark = needs_recordings

RECORDED = recordings("crossref")
WHOLE = [item for item in RECORDED if item.whole]
PARTS = [item for item in RECORDED if not item.whole and item.status == 200]
QUOTED = [item for item in RECORDED if not item.whole and item.status != 200]
ANY_TITLE = Query("title", "ecology")

NOT_WORKS = {
    "agency": "answers of works/{doi}/agency name an agency, not a work",
    "funders": "funders are no works",
    "licenses": "licences are no works",
    "members": "members are no works",
    "fatcat_crossref-works.single.json": "a line of a data dump: a work without the envelope of the API",
}
"""Parts of file names whose bodies contain no works in the API's form, with the reason."""


def excluded(item: Recorded) -> bool:
    return any(part in item.file for part in NOT_WORKS)


def works(item: Recorded) -> list[dict[str, Any]]:
    """The works of a body, found without the code under test."""
    body = item.json
    if isinstance(body, list):
        return body
    message = body.get("message", body)
    found: list[dict[str, Any]] = message.get("items", [message])
    return found


def plain(stated: str) -> str:
    """An independent, cruder way to plain text: for titles in which markup never joins or parts words."""
    unescaped = html.unescape(html.unescape(stated))
    return " ".join(re.sub(r"</?[a-z]+>", "", unescaped).split())


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def year(work: dict[str, Any], name: str) -> int | None:
    parts = work[name]["date-parts"][0] if work.get(name) else []
    return int(parts[0]) if parts and parts[0] else None


def stated_years(work: dict[str, Any]) -> set[int]:
    names = ("issued", "published", "published-print", "published-online", "published-other", "posted")
    return {stated for name in names if (stated := year(work, name))}


def stated_name(person: dict[str, Any]) -> str:
    """Return the family name or its substitute; some depositors put the whole name in the given name."""
    family = plain(person.get("family") or person.get("name") or "")
    return family if letters(family) else plain(person.get("given") or "")


def compare(record: Record, work: dict[str, Any]) -> None:
    """Field by field, with the raw work."""
    assert_plausible(record)
    assert record.doi == work["DOI"].lower()
    titles = [title for title in work.get("title") or [] if title]
    assert letters(record.title) == (letters(plain(titles[0])) if titles else "")
    assert set(record.years) >= stated_years(work)
    if year(work, "issued"):
        assert record.years[0] == year(work, "issued")
    names = [stated_name(person) for person in work.get("author") or []]
    assert [person.family or person.literal for person in record.authors] == [
        name for name in names if name and name != "&NA;"
    ]
    containers = work.get("container-title") or []
    containers = containers if isinstance(containers, list) else [containers]
    for container in containers:
        assert plain(container) in record.venues
    if containers:
        assert record.venues[0] == plain(containers[0])
    updates = work.get("updated-by") or []
    assert [(notice.kind, notice.doi) for notice in record.notices] == [
        (update["type"], update["DOI"].lower()) for update in updates
    ]


def test_there_are_recordings() -> None:
    assert len(WHOLE) > 100
    assert len(PARTS) > 30


@pytest.mark.parametrize("item", [item for item in WHOLE if item.status == 200 and not excluded(item)], ids=file_ids)
def test_every_body_of_works_is_read_field_by_field(item: Recorded) -> None:
    raw = works(item)
    answer = CROSSREF.parse([ANY_TITLE], Response(item.status, item.body))[ANY_TITLE]
    titled = [work for work in raw if any(work.get("title") or [])]
    assert isinstance(answer, Found if titled else Absent)
    records = answer.records if isinstance(answer, Found) else ()
    assert len(records) == len(titled)
    for record, work in zip(records, titled, strict=True):
        compare(record, work)
    for work in raw:
        query = Query("doi", work["DOI"].lower())
        by_doi = CROSSREF.parse([query], Response(item.status, item.body))[query]
        assert isinstance(by_doi, Found)
        assert by_doi.records[0].doi == query.value


@pytest.mark.parametrize("item", PARTS, ids=file_ids)
def test_every_part_of_a_body_is_read_field_by_field(item: Recorded) -> None:
    for work in works(item):
        record = crossref_record(work)
        assert record is not None
        compare(record, work)


@pytest.mark.parametrize("item", [item for item in WHOLE if item.status != 200 or excluded(item)], ids=file_ids)
def test_every_other_body_is_refused(item: Recorded) -> None:
    query = Query("doi", "10.1371/notarealdoi")
    response = Response(item.status, item.body)
    if item.status == 404:
        assert CROSSREF.parse([query], response) == {query: Absent("")}
        return
    with pytest.raises(MalformedAnswerError):
        CROSSREF.parse([query], response)


@pytest.mark.parametrize("item", QUOTED, ids=file_ids)
def test_errors_as_quoted_are_refused(item: Recorded) -> None:
    with pytest.raises(MalformedAnswerError):
        CROSSREF.parse([ANY_TITLE], Response(item.status, item.body))


@pytest.mark.parametrize("name", [part for part in NOT_WORKS if part != "fatcat_crossref-works.single.json"])
def test_each_exclusion_is_needed(name: str) -> None:
    found = [item for item in WHOLE if name in item.file and item.status == 200]
    assert found
    assert not any(item.json["message-type"] in ("work", "work-list") for item in found)


NAACL_2018 = (
    "Proceedings of the 2018 Conference of the North American Chapter of the Association for Computational "
    "Linguistics: Human Language Technologies, Volume 2 (Short Papers)"
)
FACTS = {
    "works_10.1038_srep16696.json": ("10.1038/srep16696", "Tosatto", 8, 2015, "Scientific Reports", "article"),
    "works_10.1016_j.tcs.2015.06.001.json": (
        "10.1016/j.tcs.2015.06.001",
        "Dennunzio",
        3,
        2015,
        "Theoretical Computer Science",
        "article",
    ),
    "works_10.1002_jor.1100150407.json": (
        "10.1002/jor.1100150407",
        "Lieber",
        12,
        1997,
        "Journal of Orthopaedic Research",
        "article",
    ),
    "litstudy_10.2139_ssrn.4079400.json": (
        "10.2139/ssrn.4079400",
        "Heldens",
        7,
        2022,
        "SSRN Electronic Journal",
        "article",
    ),
    "works_10.1371_journal.pone.0020476.json": (
        "10.1371/journal.pone.0020476",
        "Boulkedid",
        5,
        2011,
        "PLoS ONE",
        "article",
    ),
    "query.title_Att.json": ("10.18653/v1/n18-2074", "Shaw", 3, 2018, NAACL_2018, "inproceedings"),
    "works_10.1101_2024.04.01.587366_mailto_example_papercrow.ai.json": (
        "10.1101/2024.04.01.587366",
        "Herger",
        6,
        2024,
        "bioRxiv",
        "preprint",
    ),
    "works_10.1186_isrctn11093872.json": ("10.1186/isrctn11093872", "Taheri", 1, 2015, "ISRCTN", "dataset"),
    "works_10.1109_icdcsw.2003.1203662.json": (
        "10.1109/icdcsw.2003.1203662",
        "Arya",
        2,
        None,
        "23rd International Conference on Distributed Computing Systems Workshops, 2003.",
        "inproceedings",
    ),
    "hepcrawl_9781316535783.011.json": (
        "10.1017/9781316535783.011",
        "Smeenk",
        1,
        None,
        "The Philosophy Of Cosmology",
        "chapter",
    ),
    "doi.org_10.1101_119180.txt": ("10.1101/119180", "Cazettes", 4, 2017, "bioRxiv", "preprint"),
    "peerj.3819v0.1_reviews_2.json": ("10.7287/peerj.3819v0.1/reviews/2", "Georgescu", 1, 2017, None, "other"),
}
"""DOI, first family name, number of authors, year, one venue and type, as a reader of the bodies notes them."""


@pytest.mark.parametrize("name", FACTS)
def test_facts_about_single_works(name: str) -> None:
    doi, first, count, issued, venue, kind = FACTS[name]
    answer = CROSSREF.parse([ANY_TITLE], Response(200, the(WHOLE, name).body))[ANY_TITLE]
    assert isinstance(answer, Found)
    record = answer.records[0]
    assert (record.doi, record.authors[0].family, len(record.authors)) == (doi, first, count)
    assert record.years[:1] == ((issued,) if issued else ())
    assert venue in (None, *record.venues)
    assert record.type == kind


def test_a_correction_of_a_work() -> None:
    found = [
        crossref_record(work) for item in WHOLE if item.status == 200 and not excluded(item) for work in works(item)
    ]
    notices = {record.doi: record.notices for record in found if record and record.notices}
    assert notices == {
        "10.1073/pnas.1414271111": (Notice("correction", "crossref", "2015-05-04", "10.1073/pnas.1507001112"),),
        "10.1371/journal.pone.0033693": (
            Notice("correction", "crossref", "2012-05-08", "10.1371/annotation/c76da2c1-ccb8-4797-94c1-359d3ceceeda"),
        ),
    }


def test_titles_that_markup_makes_hard() -> None:
    titles = [
        crossref_record(work)
        for item in PARTS + WHOLE
        if item.status == 200 and not excluded(item)
        for work in works(item)
    ]
    found = {record.title for record in titles if record}
    assert "National Fire Danger Rating System (NFDRS)" in found
    assert "Nutritional ecology, functional ecology and Functional Ecology" in found
    assert "Noise and scale behavior of relational descriptions" in found
    assert "Treebase: an R package for discovery, access and manipulation of online phylogenies" in found
