"""The completeness check: required fields by type, years, check digits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_citecheck.checks import ADVISED, DEFAULT, REQUIRED, PolicyContext
from pytest_citecheck.inputs import read_bibtex, read_reference_strings
from pytest_citecheck.model import Location
from pytest_citecheck.reports import explain
from tests.support.evidence_builders import absent, evaluated, outcome, record, reference, stated

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
        ({"isbn": "0028-0836"}, ("passed", "issn-in-isbn")),
        ({"isbn": "00280836-1476-4687"}, ("failed", "isbn-invalid")),
        ({"issn": "0028-08361476-4687"}, ("passed", "complete")),  # joined by an export
        ({"issn": "0028-08361476-4688"}, ("failed", "issn-invalid")),
        ({"eprint": "NIHMS150003", "archiveprefix": "arXiv"}, ("passed", "eprint-generated")),
        ({"arxiv": "1011.1669v3"}, ("passed", "eprint-generated")),
        ({"isbn": "0028-0837"}, ("failed", "isbn-invalid")),
        ({"title": ""}, ("failed", "field-missing")),
        *(
            ({"author": name}, ("failed", "placeholder"))
            for name in (
                "John Doe",
                "Doe, Jane and Roe, Richard",
                "Firstname Lastname and others",
                "First Author and Second Author",
                "TODO",
            )
        ),
        *(
            ({"author": name}, ("passed", "complete"))
            for name in (
                "Doe, Robert",
                "Johnson, Jane",
                "Author, Philip",
                "Doering, John",
                "First, Ruth",
                "Todo, Yosuke",
                "Yosuke Todo and Kazumaro Aoki",
                "Xxx, A. and Doe, B.",
            )
        ),
        *(
            ({"title": title}, ("failed", "placeholder"))
            for title in ("TODO", "Title of the paper", "{XXX}", "Your title here")
        ),
        *(
            ({"title": title}, ("passed", "complete"))
            for title in ("Titles of papers", "The title of nobility", "To do is to be", "Todo")
        ),
        *(({"doi": doi}, ("failed", "placeholder")) for doi in ("10.1234/567.890", "10.1145/xxxxxxx", "10.xxxx/yyy")),
        *(
            ({"doi": doi}, ("passed", "complete"))
            for doi in ("10.12345678/1", "10.1145/xx1", "10.1038/s41586-1234", "10.9999/abc")
        ),
        *(
            ({"note": note}, ("failed", "placeholder"))
            for note in ("arXiv:2305.XXXXX", "arXiv:XXXX.XXXXX", "arXiv:2401.00000")
        ),
        *(
            ({"note": note}, ("passed", "complete"))
            for note in ("arXiv:2305.10000", "Version 2010.12", "arXiv:2401.10001", "arXiv:2305.12345")
        ),
        ({"author": "Stuart Russell 0001 and Peter Norvig"}, ("failed", "name-numbered")),
        ({"author": "Peter Norvig and Russell 0001, Stuart"}, ("failed", "name-numbered")),
        ({"author": "Louis 14 and Agent 007"}, ("passed", "complete")),
        ({"author": ""}, ("failed", "field-missing")),
        ({"author": "", "organization": "The Royal Society"}, ("passed", "complete")),
        ({"year": "", "pubstate": "forthcoming"}, ("passed", "complete")),
        ({"journal": "", "note": "arXiv:1706.03762"}, ("passed", "complete")),
        ({"journal": "", "arxivid": "1706.03762"}, ("passed", "complete")),
    ],
)
def test_outcome(fields: dict[str, str], expected: tuple[str, str]) -> None:
    assert outcome(reference("article", **(WHOLE | fields)), "completeness") == expected


BIBLATEX_TYPES = ("thesis", "report", "online", "dataset", "software", "patent")
DIALECTS = [(type_, biblatex) for type_ in REQUIRED for biblatex in {type_ in BIBLATEX_TYPES, True}]


def whole(type_: str, *, biblatex: bool) -> dict[str, str]:
    """The fields that a type requires and those that its style asks for, as the style calls them."""
    wanted = (*REQUIRED[type_], *ADVISED[biblatex].get(type_, ()))
    return {fields[biblatex]: "2001" for fields in wanted}


@pytest.mark.parametrize(("type_", "biblatex"), DIALECTS)
def test_every_type_is_complete_with_what_its_style_asks_for(type_: str, biblatex: bool) -> None:
    fields = whole(type_, biblatex=biblatex) | ({"langid": "english"} if biblatex else {})
    assert outcome(reference(type_, **fields), "completeness") == ("passed", "complete")


@pytest.mark.parametrize(("type_", "biblatex"), DIALECTS)
def test_a_required_field_is_missed_and_an_advised_one_is_a_hint(type_: str, biblatex: bool) -> None:
    fields = whole(type_, biblatex=biblatex) | ({"langid": "english"} if biblatex else {})
    for table, expected in ((REQUIRED, ("failed", "field-missing")), (ADVISED[biblatex], ("passed", "field-advised"))):
        for missing in table.get(type_, ()):
            rest = {name: value for name, value in fields.items() if name not in missing}
            finding = evaluated(reference(type_, **rest)).findings["completeness"]
            assert stated(finding) == expected
            assert f"@{type_} has no {missing[biblatex]}" in finding.message


@pytest.mark.parametrize(
    ("type_", "fields", "expected"),
    [
        ("book", {}, ("passed", "field-advised")),  # BibTeX asks for a publisher
        ("book", {"date": "2001"}, ("passed", "complete")),  # biblatex does not
        ("book", {"publisher": "Norton"}, ("passed", "complete")),
        ("inproceedings", {}, ("failed", "field-missing")),
        ("misc", {"year": "", "author": ""}, ("passed", "complete")),
        ("misc", {"year": "", "author": "", "langid": "english"}, ("passed", "field-advised")),
        ("online", {}, ("passed", "field-advised")),
        ("online", {"url": "https://example.org"}, ("passed", "complete")),
    ],
)
def test_the_dialect_says_what_is_asked_for(type_: str, fields: dict[str, str], expected: tuple[str, str]) -> None:
    given = {"author": "Ada Lovelace", "title": "Notes", "year": "2001"} | fields
    assert outcome(reference(type_, **given), "completeness") == expected


KNOWN = record("Notes on engines", "Ada Lovelace; Charles Babbage", year=2001, venue="Nature", type="article")


@pytest.mark.parametrize(
    ("fields", "fixes"),
    [
        ({"author": "Ada Lovelace and Charles Babbage", "year": "2001"}, {"journal": "Nature"}),
        ({"author": "Ada Lovelace and Charles Babbage", "journal": "Nature"}, {"year": "2001"}),
        ({"author": "Ada Lovelace and Charles Babbage", "date": "2001"}, {"journaltitle": "Nature"}),
    ],
)
def test_a_missing_field_is_filled_from_the_record(fields: dict[str, str], fixes: dict[str, str]) -> None:
    finding = evaluated(reference("article", title="Notes on engines", **fields), KNOWN).findings["completeness"]
    assert finding.code == "field-missing"
    assert dict(finding.fixes) == fixes
    ((name, value),) = fixes.items()
    assert finding.message == f"@article has no {name}; Crossref has {name} = {{{value}}}"


def test_a_conference_is_no_journal() -> None:
    there = record("Notes on engines", "Ada Lovelace", year=2001, venue="ICML", type="inproceedings")
    cited = reference("article", title="Notes on engines", author="Ada Lovelace", year="2001")
    assert evaluated(cited, there).findings["completeness"].fixes == {}


def test_the_text_of_a_failure_is_one_line_without_sources() -> None:
    cited = reference("article", title="Notes on engines", author="Ada Lovelace", year="2001")
    evaluation = evaluated(cited, KNOWN, absent("dblp", "title", "Notes on engines"))
    text = explain(cited, evaluation.findings["completeness"], evaluation)
    assert text.splitlines() == [
        f"refs.bib:1 key [completeness] field-missing: {evaluation.findings['completeness'].message}"
    ]


@pytest.mark.parametrize(
    ("fields", "severity"),
    [({"journal": ""}, "error"), ({"issn": "0028-0837"}, "warning"), ({"isbn": "0028-0836"}, "info"), ({}, "ignore")],
)
def test_how_severe_it_is(fields: dict[str, str], severity: str) -> None:
    finding = evaluated(reference("article", **(WHOLE | fields))).findings["completeness"]
    assert DEFAULT.severity(finding, PolicyContext()) == severity


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


@pytest.mark.parametrize(
    ("dated", "code"),
    [
        (("2099",), "year-future"),
        (("2099", "2026"), "year-future"),
        (("2099", "2098"), "complete"),
        (("2026", "2026", "2099"), "year-future"),
    ],
)
def test_one_service_with_a_wrong_clock_changes_no_year(dated: tuple[str, ...], code: str) -> None:
    """Today is the newest date that two sources state, or that of the clock."""
    answers = [
        replace(absent(source), date=f"{year}-03-01T00:00:00Z")
        for source, year in zip(("dblp", "crossref", "arxiv"), dated, strict=False)
    ]
    cited = reference("article", **(WHOLE | {"year": "2040"}))
    assert outcome(cited, "completeness", *answers)[1] == code


def test_a_web_page_is_gone_only_if_its_server_says_so() -> None:
    page = "https://example.org/notes"
    cited = reference("article", **(WHOLE | {"url": page}))
    assert outcome(cited, "completeness", absent("web_page", "url", page, "404")) == ("failed", "url-gone")
    assert outcome(cited, "completeness", absent("web_page", "url", page)) == ("passed", "complete")


def test_names_before_a_printed_title_that_cannot_be_told_apart_are_no_missing_field() -> None:
    place = Location("paper.pdf", 1, 1, "page")
    title = (
        "“Overcoming Stalling and Friction in Collective Action”. In: Proc. CHI. 2015. doi: 10.1145/2702123.2702508."
    )
    (named,) = read_reference_strings([(f"Niloufar Salehi, Lilly C. Irani, and Clickhappier. {title}", place)])
    (bare,) = read_reference_strings([(title, place)])
    codes = []
    for one in (named, bare):
        unread = {name: value for name, value in one.fields.items() if name != "author"}
        found = evaluated(replace(one, fields=unread, raw=unread)).findings["completeness"]
        codes.append(stated(found))
    assert codes == [("passed", "complete"), ("failed", "field-missing")]


def test_fields_inherited_from_a_file_that_was_not_read_are_not_missing() -> None:
    text = b"@inproceedings{a, author = {Ada Lovelace}, title = {Notes}, crossref = {meeting2001}}"
    (child,) = read_bibtex("refs.bib", text).references
    known = record("Notes", "Ada Lovelace", venue="A Meeting", year=2001, type="inproceedings")
    finding = evaluated(child, known).findings["completeness"]
    assert (finding.outcome, dict(finding.fixes)) == ("passed", {})


def test_a_missing_venue_is_not_taken_from_a_version_of_another_year() -> None:
    cited = reference("inproceedings", author="Ada Lovelace", title="Notes on the Engine", year="2019")
    known = record(
        "Notes on the Engine", "Ada Lovelace", venue="8th Conference on Engines", year=2020, type="inproceedings"
    )
    assert dict(evaluated(cited, known).findings["completeness"].fixes) == {}
