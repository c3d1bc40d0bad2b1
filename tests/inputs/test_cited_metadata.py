"""Metadata of a reference, from any of its fields."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.inputs import cited_metadata
from tests.support.evidence_builders import entry, evaluated, reference

DATES = {
    "2015": 2015, "2015-03-01": 2015, "c. 2015": 2015, "2015~": 2015, "March 2015": 2015, "2015/2015": 2015, "2015/2016": 2015,
    "2015-11-30/2015-12-04": 2015, "-0499": None, "499 BCE": None, "44 B.C.": None, "201X": None, "20XX": None, "201u": None,
    "2010s": None, "2015/": None, "2015/..": None, "/2015": None, "../2015": None, "2010/2015": None, "2563 BE": 2020,
    "พ.ศ. 2563": 2020, "1399 [2020]": 2020, "1399 SH": 2020, "1399 AP": 2020, "1442 AH": 2021, "1442 هـ": 2021, "1687": 1687,
    "−0499": None, "BC 44": None, "y-17000": None, "AD 79": None, "79 CE": None, "19th century": None, "199?": None,
    "[199-]": None, "..2015": None, "2015/open": None, "unknown/2015": None, "BE 2563": 2020, "B.E. 2563": 2020, "AH 1442": 2021,
    "1442H": 2021, "SH 1399": 2020, "1399 هـ.ش": 2020, "1399 ش": 2020, "1399/2020": 2020, "2015?": 2015, "2015-21": 2015,
}  # fmt: skip


@pytest.mark.parametrize("text", DATES)
@pytest.mark.parametrize("field", ["year", "date"])
def test_the_year_of_a_date(text: str, field: str) -> None:
    """A date without a single year contradicts no year, and is not malformed."""
    cited = reference("misc", author="Ada Lovelace", title="On the motion of stars", **{field: text})
    assert cited_metadata(cited).year == DATES[text]
    found = evaluated(cited).findings["completeness"]
    assert (found.outcome, found.code) == ("passed", "complete")


_THAI = {"title": "ไวยากรณ์ไทย", "author": "สมชาย ใจดี"}
_PERSIAN = {"title": "نثر فارسی", "author": "رضا کریمی"}
_ARABIC = {"title": "تاريخ الأدب العربي", "author": "شوقي ضيف"}


@pytest.mark.parametrize(
    ("fields", "year", "expected"),
    [
        (_THAI, "2566", 2023), (_PERSIAN, "1399", 2020), (_ARABIC, "1442", 2021),
        (_THAI, "2015", 2015), (_PERSIAN, "2020", 2020), (_ARABIC, "1995", 1995),
        ({"langid": "thai"}, "2566", 2023), ({"langid": "persian"}, "1399", 2020), ({"langid": "Arabic"}, "1442", 2021),
        ({"langid": "french"}, "2566", 2566), ({}, "2566", 2566), ({}, "1399", 1399),
    ],
)  # fmt: skip
def test_a_year_in_the_calendar_of_the_language(fields: dict[str, str], year: str, expected: int) -> None:
    """Works in some languages are dated in another calendar, usually without the name of the era."""
    cited = reference("misc", **({"author": "Ada Lovelace", "title": "On the motion of stars"} | fields), year=year)
    assert cited_metadata(cited).year == expected
    code = evaluated(cited).findings["completeness"].code
    assert code == ("complete" if 1450 < expected < 2100 else "year-future" if expected > 2100 else "year-implausible")


@pytest.mark.parametrize("text", ["20x1", "201", "two thousand", "20170"])
def test_what_is_no_date_is_malformed(text: str) -> None:
    cited = reference("misc", author="Ada Lovelace", title="On the motion of stars", year=text)
    assert evaluated(cited).findings["completeness"].code == "year-malformed"


@pytest.mark.parametrize(
    ("type_", "fields", "field", "venue"),
    [
        ("article", {"journal": "Nature"}, "journal", "Nature"),
        ("article", {"journaltitle": "Nature", "journal": "Science"}, "journaltitle", "Nature"),
        ("article", {"journal": "Phys.Lett.", "volume": "B716"}, "journal", "Phys.Lett B"),
        ("article", {"journal": "Phys. Lett. B", "volume": "B716"}, "journal", "Phys. Lett. B"),
        ("article", {"journal": "Nature", "volume": "171"}, "journal", "Nature"),
        ("article", {"journal": "CoRR", "volume": "abs/1701.00001"}, "journal", "CoRR"),
        ("inproceedings", {"booktitle": "ICML", "volume": "A12"}, "booktitle", "ICML"),
        ("article", {"booktitle": "ICML"}, "booktitle", "ICML"),
        ("inproceedings", {"booktitle": "ICML", "series": "PMLR"}, "booktitle", "ICML"),
        ("inproceedings", {"journal": "CoRR"}, "journal", "CoRR"),
        ("conference", {"eventtitle": "ICML"}, "eventtitle", "ICML"),
        ("book", {"publisher": "Springer"}, "publisher", "Springer"),
        ("phdthesis", {"school": "ETH"}, "school", "ETH"),
        ("techreport", {"institution": "RAND"}, "institution", "RAND"),
        ("misc", {"howpublished": "arXiv:1701.00001"}, "howpublished", "arXiv:1701.00001"),
        ("misc", {"howpublished": "https://example.org/page"}, "", ""),
        ("misc", {"eprint": "1701.00001", "archiveprefix": "arXiv"}, "eprint", "arXiv"),
        ("online", {"url": "https://example.org"}, "", ""),
    ],
)
def test_the_venue_and_its_field(type_: str, fields: dict[str, str], field: str, venue: str) -> None:
    read = cited_metadata(reference(type_, **fields))
    assert (read.venue_field, read.venue) == (field, venue)


@pytest.mark.parametrize(
    ("fields", "year"),
    [
        ({"year": "2016"}, 2016),
        ({"year": "c1999"}, 1999),
        ({"year": "[1999]"}, 1999),
        ({"year": "1998/99"}, 1998),
        ({"date": "2016-01-28/2016-02-03"}, 2016),
        ({"year": "", "date": "2016"}, 2016),
        ({"year": "in press"}, None),
        ({"year": "20166"}, None),
        ({}, None),
    ],
)
def test_the_year(fields: dict[str, str], year: int | None) -> None:
    assert cited_metadata(reference("article", **fields)).year == year


def test_a_subtitle_is_part_of_the_title() -> None:
    assert cited_metadata(reference("book", title="Engines:", subtitle="A history")).title == "Engines: A history"
    assert cited_metadata(reference("book", subtitle="A history")).title == ""


def test_editors_stand_in_for_authors() -> None:
    read = cited_metadata(reference("proceedings", editor="Ada Lovelace and others"))
    assert read.edited
    assert [str(person) for person in read.people.names] == ["Ada Lovelace"]
    assert read.people.others
    assert not cited_metadata(reference("article", author="Ada Lovelace", editor="Alan Turing")).edited
    assert not cited_metadata(reference("misc")).edited


@pytest.mark.parametrize("name", ["Anonymous", "anonymous authors", "Anon.", "Anonymous Author(s)", "Unknown"])
def test_nobody_in_particular_is_no_author(name: str) -> None:
    assert cited_metadata(reference("misc", author=name)).people.names == ()


def test_a_person_of_such_a_name_is_one() -> None:
    assert len(cited_metadata(reference("misc", author="Anonymous and Ada Lovelace")).people.names) == 2
    assert len(cited_metadata(reference("misc", author="N. N. Unknownsky")).people.names) == 1


@pytest.mark.parametrize(
    ("venue", "preprint"), [("arXiv preprint arXiv:1701.00001", True), ("CoRR", True), ("ICML", False), ("", False)]
)
def test_whether_it_is_cited_as_a_preprint(venue: str, preprint: bool) -> None:
    assert cited_metadata(reference("article", journal=venue)).preprint is preprint


@given(
    st.dictionaries(
        st.sampled_from(["title", "author", "year", "date", "journal", "doi", "eprint", "note"]), st.text(max_size=40)
    )
)
def test_any_text_in_any_field_is_read(fields: dict[str, str]) -> None:
    read = cited_metadata(reference("misc", **fields))
    assert read.year is None or str(read.year) in read.year_text


def test_an_entry_without_anything_claims_nothing() -> None:
    read = cited_metadata(entry("@misc{a,}"))
    assert (read.title, read.people.names, read.year, read.venue) == ("", (), None, "")
