"""The ACL Anthology: requests, MODS entries as records, answers that are refused."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Absent, Answer, Found, Person, Query, Record
from pytest_citecheck.sources import ACL_ANTHOLOGY, MalformedAnswerError, Response, acl_record

PAPER = Query("acl", "P07-1033")

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<modsCollection xmlns="http://www.loc.gov/mods/v3">'
ROLE = '<role><roleTerm authority="marcrelator" type="text">{}</roleTerm></role>'
AUTHOR, EDITOR = ROLE.format("author"), ROLE.format("editor")
TITLE = "<titleInfo><title>Frustratingly Easy: Domain &amp; Adaptation</title></titleInfo>"
PEOPLE = f"""
<name type="personal"><namePart type="given">Hal</namePart><namePart type="family">Daumé</namePart>
  <namePart type="termsOfAddress">III</namePart>{AUTHOR}</name>
<name type="personal"><namePart type="given">Aidan</namePart><namePart type="given">N</namePart>
  <namePart type="family">van den Oord</namePart>{AUTHOR}</name>
<name type="corporate"><namePart>BigScience Workshop</namePart>{AUTHOR}</name>"""
HOST = f"""
<relatedItem type="host">
  <titleInfo><title>Proceedings of the 45th Annual Meeting</title><subTitle>Long Papers</subTitle></titleInfo>
  <name type="personal"><namePart type="given">Annie</namePart><namePart type="family">Zaenen</namePart>{EDITOR}</name>
  <originInfo><publisher>Association for Computational Linguistics</publisher></originInfo>
  <genre authority="marcgt">conference publication</genre>
</relatedItem>"""
REST = """
<originInfo><dateIssued>2007-06</dateIssued></originInfo>
<identifier type="citekey">daume-iii-2007</identifier>
<identifier type="doi">10.18653/v1/P07-1033</identifier>
<location><url>https://aclanthology.org/P07-1033/</url></location>
<part><date>2007-06</date><extent unit="page"><start>256</start><end>263</end></extent></part>"""


def collection(*entries: str) -> bytes:
    return (HEAD + "".join(f"<mods>{entry}</mods>" for entry in entries) + "</modsCollection>").encode()


def ask(body: bytes, status: int = 200, query: Query = PAPER) -> Answer:
    return ACL_ANTHOLOGY.parse([query], Response(status, body))[query]


def record(entry: str, query: Query = PAPER) -> Record:
    answer = ask(collection(entry), query=query)
    assert isinstance(answer, Found)
    (found,) = answer.records
    return found


def test_a_paper_of_a_conference() -> None:
    assert record(TITLE + PEOPLE + HOST + REST) == Record(
        source="acl_anthology",
        id="P07-1033",
        url="https://aclanthology.org/P07-1033/",
        title="Frustratingly Easy: Domain & Adaptation",
        authors=(
            Person(family="Daumé", given="Hal", suffix="III"),
            Person(family="van den Oord", given="Aidan N"),
            Person(literal="BigScience Workshop", group=True),
        ),
        editors=(Person(family="Zaenen", given="Annie"),),
        years=(2007,),
        venues=("Proceedings of the 45th Annual Meeting: Long Papers",),
        type="inproceedings",
        publisher="Association for Computational Linguistics",
        doi="10.18653/v1/p07-1033",
        pages="256-263",
    )


def test_an_article() -> None:
    journal = """<relatedItem type="host"><titleInfo><title>Computational Linguistics</title></titleInfo>
    <genre authority="bibutilsgt">academic journal</genre></relatedItem>
    <part><detail type="volume"><number>33</number></detail><detail type="issue"><number>2</number></detail></part>"""
    found = record(TITLE + PEOPLE + journal + REST)
    assert (found.type, found.venues, found.volume, found.number) == (
        "article",
        ("Computational Linguistics",),
        "33",
        "2",
    )


def test_titles_in_parts_and_other_forms() -> None:
    parts = """<titleInfo type="abbreviated"><title>Short</title></titleInfo>
    <titleInfo><nonSort>The</nonSort><title>Domain <i>Adaptation</i></title><subTitle>Easy</subTitle></titleInfo>"""
    found = record(parts + HOST + REST)
    assert (found.title, found.subtitle) == ("The Domain Adaptation", "Easy")


@pytest.mark.parametrize(
    ("volume", "front_matter"), [("P07-1", "P07-1000"), ("W19-54", "W19-5400"), ("2020.acl-main", "2020.acl-main.0")]
)
def test_a_volume_is_its_front_matter(volume: str, front_matter: str) -> None:
    query = Query("acl", volume)
    assert ACL_ANTHOLOGY.accepts(query)
    assert ACL_ANTHOLOGY.request([query]).url == f"https://aclanthology.org/{front_matter}.xml"
    people = PEOPLE.replace("author<", "editor<")
    found = record(TITLE + people + REST.replace("P07-1033", front_matter), query)
    assert (found.id, found.type, found.authors, len(found.editors)) == (front_matter, "proceedings", (), 3)


def test_the_address_may_be_an_older_one_and_pages_and_dates_may_be_missing() -> None:
    rest = "<location><url>https://www.aclweb.org/anthology/P07-1033</url></location>"
    found = record(TITLE + HOST + rest)
    assert (found.id, found.years, found.pages, found.doi) == ("P07-1033", (), "", "")
    assert record(TITLE + rest + "<part><extent unit='page'><start>7</start></extent></part>").pages == "7"


def test_the_anthologys_own_page_says_that_there_is_no_such_paper() -> None:
    page = b"<!doctype html><html><head><title>Page not found - ACL Anthology</title></head></html>"
    assert ask(page, 404) == Absent()
    with pytest.raises(MalformedAnswerError):
        ask(page, 200)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"<!doctype html><html><head><title>404 Not Found</title></head></html>", 404),
        (b"<html><body>The ACL Anthology is under maintenance</body></html>", 404),
        (collection(TITLE + REST), 404),
        (collection(TITLE + REST), 400),
        (collection(), 200),
        (collection(TITLE + REST, TITLE + REST), 200),
        (collection(TITLE), 200),
        (collection(REST), 200),
        (collection(TITLE + REST)[:-30], 200),
        (collection(TITLE + REST.replace("P07-1033", "P07-1034")), 200),
        (collection(TITLE + REST.replace("aclanthology.org/", "example.org/")), 200),
        (collection(TITLE + REST).replace(b"modsCollection", b"collection"), 200),
    ],
)
def test_other_answers_are_refused(body: bytes, status: int) -> None:
    with pytest.raises(MalformedAnswerError):
        ask(body, status)


def test_what_is_asked() -> None:
    assert ACL_ANTHOLOGY.request([PAPER]).url == "https://aclanthology.org/P07-1033.xml"
    assert ACL_ANTHOLOGY.accepts(Query("acl", "2020.acl-main.1"))
    for value in (
        "",
        "p07-1033",
        "10.18653/v1/P07-1033",
        "P07-1033 ",
        "../P07-1033",
        "https://aclanthology.org/P07-1033",
    ):
        assert not ACL_ANTHOLOGY.accepts(Query("acl", value))


NAMES = ("titleInfo", "title", "subTitle", "name", "namePart", "role", "roleTerm", "relatedItem", "part", "extent", "start",
         "detail", "number", "originInfo", "dateIssued", "location", "url", "identifier", "genre")  # fmt: skip
TREES = st.recursive(
    st.text(alphabet="ab P07-1033./:&", max_size=12),
    lambda inner: st.tuples(
        st.sampled_from(NAMES), st.sampled_from(("", "host", "doi", "given")), st.lists(inner, max_size=3)
    ),
    max_leaves=12,
)


def tree(value: object, parent: ET.Element) -> None:
    if isinstance(value, tuple):
        element = ET.SubElement(parent, value[0], {"type": value[1]} if value[1] else {})
        for child in value[2]:
            tree(child, element)
    else:
        parent.text = (parent.text or "") + str(value)


@given(st.lists(TREES, max_size=4))
def test_elements_in_any_place_do_no_harm(values: list[object]) -> None:
    entry = ET.fromstring(f"<mods>{TITLE}{REST}</mods>")  # noqa: S314 - written above
    for value in values:
        tree(value, entry)
    found = acl_record(entry)
    assert found is not None
    assert (found.id, found.title) == ("P07-1033", "Frustratingly Easy: Domain & Adaptation")
