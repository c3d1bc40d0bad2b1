"""The completeness check: required fields by type, years, check digits."""

from __future__ import annotations

import pytest

from pytest_citecheck.checks.completeness import REQUIRED
from tests.support.evidence_builders import absent, evaluated, outcome, reference

WHOLE = {"author": "Ada Lovelace", "title": "Notes", "journal": "Nature", "year": "2001"}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ("passed", "complete")),
        ({"journal": ""}, ("failed", "field-missing")),
        ({"journal": "", "journaltitle": "Nature"}, ("passed", "complete")),
        ({"year": "", "date": "2016-01-28/2016-02-03"}, ("passed", "complete")),
        ({"year": ""}, ("failed", "field-missing")),
        ({"year": "01"}, ("failed", "year-malformed")),
        ({"year": "in press"}, ("passed", "complete")),
        ({"year": "n.d."}, ("passed", "complete")),
        ({"year": "c1999"}, ("passed", "complete")),
        ({"year": "[1999]"}, ("passed", "complete")),
        ({"year": "2027"}, ("passed", "complete")),
        ({"year": "2028"}, ("failed", "year-future")),
        ({"year": "1449"}, ("failed", "year-implausible")),
        ({"isbn": "978-0-387-84857-0"}, ("passed", "complete")),
        ({"isbn": "978-0-387-84857-1"}, ("failed", "isbn-invalid")),
        ({"issn": "0028-0836"}, ("passed", "complete")),
        ({"issn": "0028-0837"}, ("failed", "issn-invalid")),
    ],
)
def test_outcome(fields: dict[str, str], expected: tuple[str, str]) -> None:
    assert outcome(reference("article", **(WHOLE | fields)), "completeness") == expected


@pytest.mark.parametrize("type_", REQUIRED)
def test_every_type_is_complete_with_the_first_of_its_alternatives(type_: str) -> None:
    fields = {alternatives[0]: "2001" for alternatives in REQUIRED[type_]}
    assert outcome(reference(type_, **fields), "completeness") == ("passed", "complete")


@pytest.mark.parametrize("type_", REQUIRED)
def test_every_required_field_is_missed(type_: str) -> None:
    for missing in REQUIRED[type_]:
        fields = {
            name: "2001" for alternatives in REQUIRED[type_] if alternatives != missing for name in alternatives[:1]
        }
        if any(name in fields for name in missing):
            continue
        finding = evaluated(reference(type_, **fields)).findings["completeness"]
        assert finding.code == "field-missing"
        assert " or ".join(missing) in finding.message


def test_an_unknown_type_needs_a_title_only() -> None:
    assert outcome(reference("tweet", title="Notes"), "completeness") == ("passed", "complete")
    assert outcome(reference("tweet", author="Ada"), "completeness") == ("failed", "field-missing")


def test_all_that_is_missing_is_named_at_once() -> None:
    finding = evaluated(reference("article", title="Notes", isbn="1")).findings["completeness"]
    assert "author" in finding.message
    assert "journal" in finding.message
    assert "ISBN" in finding.message


def test_of_several_problems_each_keeps_its_code_its_value_as_cited_and_its_rule() -> None:
    finding = evaluated(
        reference("article", **(WHOLE | {"year": "20x1", "issn": "0028-0837", "isbn": "978-0-387-84857-1"}))
    ).findings["completeness"]
    assert finding.codes == ("year-malformed", "isbn-invalid", "issn-invalid")
    assert [part.partition(" ")[0] for part in finding.message.split("; ")] == [
        "“20x1”",
        "'978-0-387-84857-1'",
        "'0028-0837'",
    ]
    assert finding.cited == "year = 20x1; isbn = 978-0-387-84857-1; issn = 0028-0837"
    assert len(finding.rule.split("; ")) == 3


def test_a_year_to_come_counts_beside_a_missing_field() -> None:
    verdict = evaluated(reference("article", **(WHOLE | {"year": "2099", "journal": ""}))).verdict
    assert (verdict.name, verdict.type) == ("misdescribed", "future_date")


def test_a_web_page_is_gone_only_if_its_server_says_so() -> None:
    page = "https://example.org/notes"
    cited = reference("article", **(WHOLE | {"url": page}))
    assert outcome(cited, "completeness", absent("web_page", "url", page, "404")) == ("failed", "url-gone")
    assert outcome(cited, "completeness", absent("web_page", "url", page)) == ("passed", "complete")
