"""Publications that share a title or nearly: siblings, reports, theses, abstracts, volumes, and what claims to be no paper."""

from __future__ import annotations

import pytest

from pytest_citecheck.evidence import closed_stream
from pytest_citecheck.inputs import cited_metadata
from pytest_citecheck.matching import is_respelt
from pytest_citecheck.model import Person, Record
from tests.support.evidence_builders import TODAY, entry, evaluated, found, linked, outcome, record, reference

TITLE = "Notes on the analysis of difference engines"
TWO = "Ada Lovelace; Alan Turing"
PARTS = tuple(f"{TITLE}: part {number}" for number in ("one", "two"))
DOIS = ("10.1000/one", "10.1000/two")


def part(number: int, title: str = "") -> Record:
    return record(
        title or PARTS[number], TWO, doi=DOIS[number], venue="Nature", year=2019, type="article", id=DOIS[number]
    )


def cited(title: str, doi: str) -> tuple[str, dict[str, str]]:
    return "article", {
        "author": "Ada Lovelace and Alan Turing",
        "title": title,
        "journal": "Nature",
        "year": "2019",
        "doi": doi,
    }


@pytest.mark.parametrize(
    ("title", "behind", "expected"),
    [
        (PARTS[0], PARTS[1], ("failed", "doi-other-work")),
        (TITLE, TITLE.replace("engines", "engine"), ("failed", "doi-other-work")),
    ],
)
def test_a_doi_of_a_sibling_is_wrong_where_a_record_has_the_cited_title(
    title: str, behind: str, expected: tuple[str, str]
) -> None:
    kind, fields = cited(title, DOIS[1])
    assert outcome(reference(kind, **fields), "doi", linked(part(1, behind)), part(0, title)) == expected


def test_the_doi_of_the_work_itself_is_right() -> None:
    kind, fields = cited(PARTS[0], DOIS[0])
    assert outcome(reference(kind, **fields), "doi", linked(part(0)), part(1)) == ("passed", "doi-ok")


@pytest.mark.parametrize(
    ("type_", "place", "recorded"),
    [
        ("techreport", {"institution": "Bell Labs"}, "inproceedings"),
        ("misc", {"howpublished": "Technical Report 12, Bell Labs"}, "article"),
        ("phdthesis", {"school": "University of London"}, "book"),
        ("inproceedings", {"booktitle": "ICML"}, "thesis"),
    ],
)
def test_another_form_of_a_work_neither_verifies_it_nor_gives_it_a_doi(
    type_: str, place: dict[str, str], recorded: str
) -> None:
    one = reference(type_, author="Ada Lovelace and Alan Turing", title=TITLE, year="2019", **place)
    other = record(TITLE, TWO, doi=DOIS[0], venue="ICML", year=2019, type=recorded)
    evaluation = evaluated(one, other)
    assert evaluation.verdict.name == "undecided"
    assert not any(finding.fixes for finding in evaluation.findings.values())


def test_an_abstract_printed_elsewhere_is_another_publication() -> None:
    one = reference("inproceedings", author="Ada Lovelace and Alan Turing", title=TITLE, booktitle="ICAPS", year="2011")
    abstract = record(f"{TITLE} (Extended Abstract)", TWO, venue="IJCAI", year=2012, type="inproceedings")
    assert outcome(one, "venue", abstract)[0] == "unverifiable"
    assert evaluated(one, abstract).verdict.name == "undecided"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@inproceedings{a, title={T}, booktitle={NIPS 2017}, year=2017}", True),
        ("@proceedings{a, title={T}, booktitle={NIPS 2017}, year=2017}", False),
        ("@misc{a, title={T}, howpublished={Poster presented at NIPS 2017}, year=2017}", False),
        ("@online{a, title={Call for papers}, organization={NIPS 2017}, year=2017}", False),
        ("@techreport{a, title={T}, institution={NIPS 2017}, year=2017}", False),
        ("@inproceedings{a, title={T}, booktitle={NIPS 2017}, note={Poster}, year=2017}", False),
    ],
)
def test_only_a_paper_claims_to_be_in_the_proceedings(text: str, expected: bool) -> None:
    assert bool(closed_stream(cited_metadata(entry(text)), TODAY)) is expected


@pytest.mark.parametrize(
    ("cited_name", "name", "expected"),
    [
        ("Hado Van Haselt", "Hado van Hasselt", True),
        ("Georg Ostrovsky", "Georg Ostrovski", True),
        ("Jörg Müller", "Joerg Mueller", False),
        ("Sergei Ivanov", "Sergey Ivanov", False),
        ("Ada Lovelace", "Ada Lovelace", False),
        ("Wei Zhang", "Wei Zhan", False),
    ],
)
def test_a_respelt_family_name(cited_name: str, name: str, expected: bool) -> None:
    assert is_respelt(Person(literal=cited_name), Person(literal=name)) is expected


def test_a_family_name_that_no_record_spells_so_is_a_warning() -> None:
    one = reference("article", author="Hado Van Haselt and Alan Turing", title=TITLE, journal="Nature", year="2019")
    other = record(TITLE, "Hado van Hasselt; Alan Turing", venue="Nature", year=2019)
    assert outcome(one, "authors", other) == ("failed", "authors-misspelled")
    assert outcome(one, "authors", other, record(TITLE, "Hado van Haselt; Alan Turing", source="dblp"))[0] == "passed"


@pytest.mark.parametrize(
    ("authors", "expected"),
    [
        ("Ada Lovelace, Alan Turing", ("failed", "authors-run-together")),
        ("{Ada Lovelace, Alan Turing}", ("passed", "authors-ok")),
        ("Ada Lovelace and Alan Turing", ("passed", "authors-ok")),
    ],
)
def test_two_authors_joined_by_a_comma_are_one_person(authors: str, expected: tuple[str, str]) -> None:
    one = entry(f"@article{{a, author = {{{authors}}}, title = {{{TITLE}}}, journal = {{Nature}}, year = 2019}}")
    other = record(TITLE, TWO, venue="Nature", year=2019)
    assert outcome(one, "authors", found(other)) == expected
