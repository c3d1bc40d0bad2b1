"""The RFC Editor and the W3C: requests, records, answers that are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_citecheck.model import Absent, Answer, Found, Person, Query, Record
from pytest_citecheck.sources import RFC_EDITOR, W3C, MalformedAnswerError, Response, Source

JSON_RFC, TCP = Query("rfc", "8259"), Query("rfc", "793")
XML, XML_2008 = Query("w3c", "xml"), Query("w3c", "xml/20081126")
RFC: dict[str, Any] = {
    "draft": "draft-ietf-jsonbis-rfc7159bis-04",
    "doc_id": "RFC8259",
    "title": "The JavaScript Object Notation (JSON) Data Interchange Format",
    "authors": ["T. Bray, Ed."],
    "pub_status": "INTERNET STANDARD",
    "pub_date": "December 2017",
    "obsoletes": ["RFC7159"],
    "doi": "10.17487/RFC8259",
}
REPORT: dict[str, Any] = {
    "status": "Recommendation",
    "uri": "https://www.w3.org/TR/2008/REC-xml-20081126/",
    "date": "2008-11-26",
    "title": "Extensible Markup Language (XML) 1.0 (Fifth Edition)",
    "shortlink": "https://www.w3.org/TR/xml/",
}
NO_PAGE = b"<html><head><title>404 Not Found</title></head></html>"


def ask(source: Source, query: Query, body: object, status: int = 200) -> Answer:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return source.parse([query], Response(status, raw))[query]


def record(source: Source, query: Query, body: object) -> Record:
    answer = ask(source, query, body)
    assert isinstance(answer, Found)
    return answer.records[0]


def test_an_rfc() -> None:
    assert RFC_EDITOR.request([JSON_RFC]).url == "https://www.rfc-editor.org/rfc/rfc8259.json"
    found = record(RFC_EDITOR, JSON_RFC, RFC)
    assert (found.id, found.number, found.doi, found.years) == ("RFC8259", "8259", "10.17487/rfc8259", (2017,))
    assert found.authors == (Person(given="T.", family="Bray"),)


def test_authors_of_rfcs() -> None:
    stated = RFC | {"authors": ["H. van der Stok", "J.-P. Vasseur, Ed.", "Internet Architecture Board", "", 7]}
    found = record(RFC_EDITOR, JSON_RFC, stated)
    assert list(map(str, found.authors)) == ["H. van der Stok", "J.-P. Vasseur", "Internet Architecture Board"]
    assert [person.group for person in found.authors] == [False, False, True]


def test_old_numbers_are_filled_with_zeros() -> None:
    assert record(RFC_EDITOR, TCP, RFC | {"doc_id": "RFC0793"}).number == "793"


def test_the_rfc_editor_denies_numbers_from_a_thousand_on() -> None:
    answer = ask(RFC_EDITOR, JSON_RFC, NO_PAGE, 404)
    assert isinstance(answer, Absent)
    assert answer.scope
    assert ask(RFC_EDITOR, TCP, NO_PAGE, 404) == Absent()


@pytest.mark.parametrize(
    "wrong",
    [RFC | {"doc_id": "RFC8260"}, RFC | {"doc_id": None}, RFC | {"title": []}, RFC | {"title": " "}, [RFC], NO_PAGE],
)
def test_another_rfc_is_no_answer(wrong: object) -> None:
    with pytest.raises(MalformedAnswerError):
        ask(RFC_EDITOR, JSON_RFC, wrong)


def test_a_version_of_a_report() -> None:
    assert W3C.request([XML_2008]).url == "https://api.w3.org/specifications/xml/versions/20081126"
    found = record(W3C, XML_2008, REPORT)
    assert (found.id, found.years) == ("xml/20081126", (2008,))
    assert found.other_titles == ("Extensible Markup Language (XML) 1.0",)


def test_a_series_of_reports() -> None:
    assert W3C.request([XML]).url == "https://api.w3.org/specifications/xml"
    assert record(W3C, XML, {"shortname": "xml", "title": "XML"}).years == ()


@pytest.mark.parametrize("wrong", [REPORT | {"shortlink": "https://www.w3.org/TR/xslt/"}, REPORT | {"title": None}, {}])
def test_another_report_is_no_answer(wrong: object) -> None:
    with pytest.raises(MalformedAnswerError):
        ask(W3C, XML_2008, wrong)


def test_what_the_w3c_denies_is_no_evidence() -> None:
    assert ask(W3C, XML, {"status": 404, "title": "An error occurred"}, 404) == Absent()
    with pytest.raises(MalformedAnswerError):
        ask(W3C, XML, {"message": "API key missing"}, 404)
