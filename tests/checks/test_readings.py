"""Fields that only the most probable reading of a string delimits never lead to an accusation."""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from pytest_citecheck.checks import Findings, ReferenceCase
from pytest_citecheck.inputs import read_reference_strings
from pytest_citecheck.model import Absent, Evidence, Finding, Found, Location, Person, Query, QueryResult, Record

TODAY = datetime.date(2026, 11, 1)
STRING = "Ann Lee. What do birds see. A study of crows. Ethology of the north, 2020. arXiv:2001.00001"
OTHER = Record(
    "arxiv", "2001.00001", title="Weaving looms by night", authors=(Person(family="Wu"),), arxiv="2001.00001"
)


def found(text: str, *answers: QueryResult) -> Mapping[str, Finding]:
    (reference,) = read_reference_strings([(text, Location("strings.txt", 1, 1))])
    return Findings(ReferenceCase(reference, Evidence(answers), TODAY))


BY_ID = QueryResult("arxiv", Query("arxiv", "2001.00001"), Found((OTHER,)))


def test_another_work_under_the_identifier_is_no_accusation_of_an_uncertain_title() -> None:
    finding = found(STRING, BY_ID)["doi"]
    assert (finding.outcome, finding.code) == ("unverifiable", "reading-uncertain")
    assert "title “What do birds see" in finding.message


def test_it_is_one_where_marks_delimit_the_title() -> None:
    marked = "Ann Lee. “What do birds see. A study of crows.” Ethology of the north, 2020. arXiv:2001.00001"
    assert found(marked, BY_ID)["doi"].code == "arxiv-other-work"


def test_the_most_probable_reading_is_shown_where_no_record_is_found() -> None:
    query = Query("title", "What do birds see. A study of crows")
    finding = found(STRING, QueryResult("crossref", query, Absent()))["title"]
    assert (finding.outcome, finding.code) == ("unverifiable", "reading-uncertain")
    assert "year “2020”" in finding.message


def test_what_the_identifier_shows_alone_stays() -> None:
    registry = QueryResult("doi_org", Query("doi", "10.1000/engines"), Absent("the registry of DOIs"))
    assert found(STRING.replace("arXiv:2001.00001", "doi:10.1000/engines"), registry)["doi"].code == "doi-unregistered"
