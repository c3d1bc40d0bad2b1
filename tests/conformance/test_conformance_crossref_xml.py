"""Crossref's recorded XML, by content negotiation and by its transform service, against an independent walk of the elements."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.matching import find_isbns
from pytest_citecheck.model import Found, Query, Record
from pytest_citecheck.sources import DOI_CONTENT, MalformedAnswerError, Response, parse_xml
from tests.conformance.recorded import Recorded, assert_plausible, file_ids, needs_recordings, recordings, the

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET

pytestmark = needs_recordings

RECORDED = recordings("crossref_xml") + [item for item in recordings("doi_cn") if "unixsd" in item.file]
OTHER_TITLES = ("content_item", "conference_paper")


def body_of(item: Recorded) -> bytes:
    """The body; some were cut out of another document, which declared a prefix that they use."""
    body = item.body
    return body if b"xmlns:xsi" in body else re.sub(rb"\sxsi:\w+=\"[^\"]*\"", b"", body)


def local(element: ET.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def below(element: ET.Element, *path: str) -> list[ET.Element]:
    found = [element]
    for name in path:
        found = [child for parent in found for child in parent if local(child) == name]
    return found


def squeeze(element: ET.Element) -> str:
    return " ".join(html.unescape("".join(element.itertext())).split())


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def deposits(item: Recorded) -> list[tuple[str, ET.Element]]:
    """Each DOI that a body holds metadata for, with the element that it was deposited for."""
    root = parse_xml(body_of(item))
    crossref = [element for element in root.iter() if local(element) == "crossref"]
    held = [element for found in crossref for element in found.iter()]
    return [(squeeze(doi).lower(), element) for element in held for doi in below(element, "doi_data", "doi")]


def compare(record: Record, element: ET.Element) -> None:
    """Field by field, with the raw element."""
    assert_plausible(record)
    titles = [squeeze(title) for title in below(element, "titles", "title")]
    if titles:
        assert letters(record.title) == letters(re.sub(r"<[^<>]*>", "", titles[0]))
    contributors = below(element, "contributors", "person_name") + below(element, "person_name")
    for role, people in (("author", record.authors), ("editor", record.editors)):
        families = [
            squeeze(one)
            for person in contributors
            if person.get("contributor_role") == role
            for one in below(person, "surname")
        ]
        assert [person.family or person.literal for person in people if not person.group] == families
        groups = [
            squeeze(one)
            for one in below(element, "contributors", "organization")
            if one.get("contributor_role") == role
        ]
        assert [person.literal for person in people if person.group] == groups
    dates = [
        below(element, name, "year") for name in ("publication_date", "posted_date", "approval_date", "review_date")
    ]
    years = {int(squeeze(year)) for found in dates for year in found}
    assert years <= set(record.years)
    assert not years or record.years[0] == min(years)
    first = [squeeze(page) for page in below(element, "pages", "first_page")]
    assert record.pages.startswith(first[0] if first else "")
    stated = {isbn for number in below(element, "isbn") for isbn in find_isbns(squeeze(number))[0]}
    assert stated <= set(record.isbn)
    institutions = [squeeze(name) for name in below(element, "institution", "institution_name")]
    assert set(institutions) <= set(record.venues)


def test_there_are_recordings() -> None:
    assert len(RECORDED) >= 65
    kinds = {local(element) for item in RECORDED for _, element in deposits(item)}
    assert kinds >= {
        "journal_article", "conference_paper", "book_metadata", "book_series_metadata", "content_item", "dissertation",
        "posted_content", "peer_review", "dataset", "report-paper_metadata",
    }  # fmt: skip


@pytest.mark.parametrize("item", RECORDED, ids=file_ids)
def test_every_deposit_is_read_field_by_field(item: Recorded) -> None:
    found = deposits(item)
    assert found
    for doi, element in found:
        query = Query("doi", doi)
        answer = DOI_CONTENT.parse([query], Response(item.status, body_of(item)))[query]
        assert isinstance(answer, Found)
        compare(answer.records[0], element)


@pytest.mark.parametrize("item", RECORDED, ids=file_ids)
def test_no_body_answers_for_another_doi(item: Recorded) -> None:
    other = Query("doi", "10.1/other")
    with pytest.raises(MalformedAnswerError, match="does not describe"):
        DOI_CONTENT.parse([other], Response(item.status, body_of(item)))


FACTS = {
    "unixsd_xml-7.xml": ("10.5005/jp/books/12414_3", "Saha", 2015, "Clinical Methods and Interpretation in Medicine", "chapter"),
    "ads_crossref_conf_10.1109-MWSYM.2013.6697399.xml": ("10.1109/mwsym.2013.6697399", None, 2013, None, "inproceedings"),
    "ads_crossref_book_10.1017-CBO9780511709265.xml": ("10.1017/cbo9780511709265", "Clerke", 2009, None, "book"),
    "ads_crossref_10.1103_PhysRevD_64-117303.xml": ("10.1103/physrevd.64.117303", "Ma", 2001, "Physical Review D", "article"),
    "unixsd_xml-3.xml": ("10.14264/uql.2020.791", None, 2020, None, "thesis"),
    "unixsd_xml-12.xml": ("10.1101/097196", "Fenner", 2016, "bioRxiv", "preprint"),
    "unixsd_xml-9.xml": ("10.2172/972169", None, None, None, "report"),
    "unixsd_xml-8.xml": ("10.2737/rds-2018-0001", "Ribic", None, None, "dataset"),
    "zotero_00_10.1109_ISSCC.2017.7870285.xml": (
        "10.1109/isscc.2017.7870285",
        "Peng",
        2017,
        "2017 IEEE International Solid-State Circuits Conference (ISSCC)",
        "inproceedings",
    ),
}  # fmt: skip
"""DOI, first family name, year, one venue and type, as a reader of the bodies notes them."""


@pytest.mark.parametrize("name", FACTS)
def test_facts_about_single_works(name: str) -> None:
    doi, first, year, venue, kind = FACTS[name]
    item, query = the(RECORDED, name), Query("doi", doi)
    answer = DOI_CONTENT.parse([query], Response(200, body_of(item)))[query]
    assert isinstance(answer, Found)
    record = answer.records[0]
    assert first in (None, record.authors[0].family)
    assert year in (None, *record.years[:1])
    assert venue in (None, *record.venues)
    assert record.type == kind
