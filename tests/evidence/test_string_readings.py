"""A record whose title occurs in a reference string locates the parts of the string."""

from __future__ import annotations

import pytest

from pytest_citecheck.evidence import beside_records
from pytest_citecheck.inputs import read_reference_strings
from pytest_citecheck.model import Evidence, Found, Location, Person, Query, QueryResult, Record, Reference

HERE = Location("strings.txt", 1, 1)
TWO_SENTENCES = "Ann Lee. What do birds see. A study of crows. Ethology of the north, 2020."
LEE = Person(family="Lee", given="Ann")


def string(text: str) -> Reference:
    (reference,) = read_reference_strings([(text, HERE)])
    return reference


def beside(text: str, *records: Record) -> Reference:
    query = Query("title", "whatever")
    return beside_records(string(text), Evidence((QueryResult("crossref", query, Found(records)),)))


def record(title: str, *people: Person) -> Record:
    return Record("crossref", "10.1/x", title=title, authors=people or (LEE,))


@pytest.mark.parametrize(
    ("text", "title", "author"),
    [
        # Nothing in the string says which full stop ends the title.
        (TWO_SENTENCES, "What do birds see. A study of crows", "Ann Lee"),
        (TWO_SENTENCES, "What do birds see", "Ann Lee"),
        ("Ann Lee. Crows and stones: the sight of birds? A study. Ethology, 2020.", "Crows and Stones: The Sight of Birds?",
         "Ann Lee"),
    ],
)  # fmt: skip
def test_the_title_of_a_record_fixes_the_reading(text: str, title: str, author: str) -> None:
    found = beside(text, record(title))
    assert found.fields["title"].lower() == title.lower()
    assert found.fields["author"] == author
    assert found.fields["year"] == "2020"
    assert not found.uncertain


def test_a_title_that_goes_on_in_the_string_fixes_nothing() -> None:
    text = "Ann Lee. The flight of small birds: a survey of winds. Ethology, 5(2):1-9, 2020."
    assert (
        beside(text, record("The flight of small birds")).fields["title"]
        == "The flight of small birds: a survey of winds"
    )


def test_the_title_of_the_volume_is_not_that_of_the_paper() -> None:
    text = "Ann Lee. The flight of birds. In Proceedings of the Third Workshop on Small Birds, pages 1-9, 2020."
    volume = Record(
        "dblp", "x", title="Proceedings of the Third Workshop on Small Birds", editors=(LEE,), type="proceedings"
    )
    assert beside(text, volume).fields["title"] == "The flight of birds"


def test_a_short_title_by_nobody_who_is_named_fixes_nothing() -> None:
    text = "Ann Lee. What do birds see. A study of crows. Ethology of the north, 2020."
    other = record("A study of crows", Person(family="Smith", given="Bo"))
    assert beside(text, other).fields == string(text).fields


def test_nearly_the_title_of_a_record_chooses_among_the_readings_and_what_differs_stays() -> None:
    text = "Ann Lee. What do small birds see in winter. A study of crows. Ethology of the north, 2020."
    found = beside(text, record("What do small birds see in summer: a study of crows"))
    assert found.fields["title"] == "What do small birds see in winter. A study of crows"
    assert not found.uncertain


def test_marks_in_the_string_are_not_overruled() -> None:
    text = "A. Lee, “The flight of small birds. A survey,” Ethology, vol. 5, 2020."
    assert beside(text, record("The flight of small birds")).fields["title"] == "The flight of small birds. A survey"
