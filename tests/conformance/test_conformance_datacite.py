"""DataCite's recorded responses: parsed records compared with the JSON."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_citecheck.model import Absent, Found, Query, Record
from pytest_citecheck.sources import DATACITE, MalformedAnswerError, Response, datacite_record
from tests.conformance.recorded import Recorded, assert_plausible, file_ids, needs_recordings, recordings, the

pytestmark = needs_recordings

WHOLE = recordings("datacite")
PARTS = recordings("datacite_record")
DOIS = [item for item in WHOLE if "re3data" not in item.file and "reports" not in item.file and item.status == 200]
OTHERS = [item for item in WHOLE if "re3data" in item.file or "reports" in item.file]
"""Registry entries of repositories (re3data) and usage reports: other resources of the same API, no works."""
EMPTY_PAGE = "re3data_page_number_3_page_size_1000_query.json"


def attributes(item: Recorded) -> dict[str, Any]:
    body = item.json
    body = body.get("data", body)
    found: dict[str, Any] = body.get("attributes", body)
    return found


def squeeze(text: str) -> str:
    return " ".join(text.split())


def compare(record: Record, raw: dict[str, Any]) -> None:
    """Field by field, with the raw attributes."""
    assert_plausible(record)
    assert record.doi == raw["doi"].lower()
    assert record.agency == "DataCite"
    titles = [title for title in raw["titles"] if not title.get("titleType")] or raw["titles"]
    assert record.title == squeeze(titles[0]["title"])
    subtitles = [title["title"] for title in raw["titles"] if title.get("titleType") == "Subtitle"]
    assert record.subtitle == (squeeze(subtitles[0]) if subtitles else "")
    if raw.get("publicationYear"):
        assert record.years[0] == int(raw["publicationYear"])
    issued = [date.get("date") or "" for date in raw.get("dates") or [] if date.get("dateType") == "Issued"]
    assert {int(date.strip()[:4]) for date in issued if date.strip()} <= set(record.years)
    container = (raw.get("container") or {}).get("title")
    assert container is None or squeeze(container) in record.venues
    creators = [creator for creator in raw["creators"] if creator.get("name") or creator.get("familyName")]
    assert len(record.authors) <= len(creators)
    for person, creator in zip(record.authors, creators, strict=False):
        if len(record.authors) == len(creators):
            stated = creator.get("familyName") or creator["name"]
            assert squeeze(stated) in (person.family, person.literal) or person.family == stated.split(",")[0]
            assert person.group == (creator.get("nameType") == "Organizational") or "ollaboration" in stated


def test_there_are_recordings() -> None:
    assert len(DOIS) > 30
    assert len(PARTS) > 30
    assert OTHERS


@pytest.mark.parametrize("item", DOIS, ids=file_ids)
def test_every_body_of_a_doi_is_read_field_by_field(item: Recorded) -> None:
    raw = attributes(item)
    query = Query("doi", raw["doi"].lower())
    other = Query("doi", "10.1/other")
    answers = DATACITE.parse([query, other], Response(item.status, item.body))
    answer = answers[query]
    assert isinstance(answer, Found)
    assert answers[other] == Absent("")
    compare(answer.records[0], raw)


@pytest.mark.parametrize("item", PARTS, ids=file_ids)
def test_every_record_is_read_field_by_field(item: Recorded) -> None:
    record = datacite_record(item.json)
    assert record is not None
    assert_plausible(record)
    raw = attributes(item)
    assert record.doi == raw["doi"].lower().removeprefix("https://doi.org/")
    if raw.get("publicationYear"):
        assert record.years[0] == int(raw["publicationYear"])
    titles = [title["title"] for title in raw.get("titles") or [] if title.get("title")]
    assert bool(record.title) == bool(titles)
    assert record.title in [squeeze(title) for title in titles] or not titles or "<" in titles[0] or "&" in titles[0]


@pytest.mark.parametrize("item", [item for item in OTHERS if not item.file.endswith(EMPTY_PAGE)], ids=file_ids)
def test_other_resources_are_refused(item: Recorded) -> None:
    query = Query("doi", "10.17616/r3003x")
    with pytest.raises(MalformedAnswerError):
        DATACITE.parse([query], Response(item.status, item.body))


def test_an_empty_page_of_no_results_says_nothing_about_its_kind() -> None:
    query = Query("title", "x")
    assert the(OTHERS, EMPTY_PAGE).json["data"] == []
    assert DATACITE.parse([query], Response(200, the(OTHERS, EMPTY_PAGE).body)) == {query: Absent("")}


def test_the_404_of_a_doi() -> None:
    missing = [item for item in WHOLE if item.status == 404]
    query = Query("doi", "10.4124/05f6c379-dd68-4cdb-880d-33d3e9576d52/1")
    assert missing
    for item in missing:
        assert DATACITE.parse([query], Response(404, item.body)) == {query: Absent("")}


FACTS = {
    "dois_10.5281_zenodo.28518_include_media_client.json": ("Vanderplas", 2, 2015, "Zenodo", "software"),
    "dois_10.5061_dryad.8515_include_media_client.json": ("Ollomo", 8, 2011, "Dryad", "dataset"),
    "dois_10.4230_lipics.tqc.2013.93_include_media_client.json": ("Johnston", 1, 2013, None, "inproceedings"),
    "dois_10.3205_zma001102_include_media_client.json": (
        "Huber-Lang",
        6,
        2017,
        "GMS Journal for Medical Education",
        "article",
    ),
    "dois_10.4121_uuid_3926db30-f712-4394-aebc-75976070e91f_include_media_client.json": (
        "van Dongen",
        1,
        2012,
        "Eindhoven University of Technology",
        "dataset",
    ),
    "dois_10.26301_jgf3-jm06_include_media_client.json": ("CyArk", 1, 2020, "Open Heritage", "dataset"),
    "dois_10.2314_coscv1_include_media_client.json": ("Heller", 14, 2014, None, "other"),
    "dois_10.14463_gbv_873056442_include_media_client.json": ("Schumacher", 2, 1822, None, "book"),
    "10.26102_2310-6018_2019.24.1.006_include_media_client.json": ("Ганичева", 2, 2019, None, "article"),
    "dois_10.1594_pangaea.721193_include_media_client.json": (
        "Kurihara",
        3,
        2007,
        "PANGAEA - Data Publisher for Earth & Environmental Science",
        "dataset",
    ),
    "dois_10.3204_desy-2014-01645_include_media_client.json": ("Conrad", 1, 2014, "University of Hamburg", "thesis"),
}
"""First author, number of authors, year, one venue and type, as a reader of the bodies notes them."""


@pytest.mark.parametrize("name", FACTS)
def test_facts_about_single_works(name: str) -> None:
    first, count, year, venue, kind = FACTS[name]
    record = datacite_record(the(DOIS, name).json["data"])
    assert record is not None
    assert (record.authors[0].family or record.authors[0].literal, len(record.authors)) == (first, count)
    assert record.years[0] == year
    assert venue in (None, *record.venues)
    assert record.type == kind
