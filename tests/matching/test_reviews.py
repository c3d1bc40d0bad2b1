"""Reviews cited as such, and reviews registered under the title of the reviewed work."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching import is_review_of, reviewers
from pytest_citecheck.model import Person
from tests.support.evidence_builders import entry, failures, linked, outcome, record

DOI = "10.2307/411334"
CITED = entry(
    "@article{a, author = {Chomsky, Noam}, title = {Review of {B. F. Skinner}, \\emph{Verbal Behavior}}, "
    f"journal = {{Language}}, year = 1959, doi = {{{DOI}}}}}"
)


@pytest.mark.parametrize(
    ("cited", "title", "expected"),
    [
        ("Review of B. F. Skinner, Verbal Behavior", "Verbal behavior", True),
        ("A Review of B. F. Skinner's Verbal Behavior", "Verbal Behavior", True),
        ("Book review: Verbal Behavior", "Verbal Behavior", True),
        ("[Review of the book Verbal Behavior]", "Verbal Behavior", True),
        ("Verbal Behavior", "Verbal Behavior", False),
        ("Review of Verbal Behavior and its critics", "Verbal Behavior", False),
        ("Reviewing Verbal Behavior", "Verbal Behavior", False),
        ("Review of Verbal Behavior", "", False),
    ],
)
def test_what_is_a_review_of_what(cited: str, title: str, expected: bool) -> None:
    assert is_review_of(cited, title) is expected


def test_authors_of_the_book_are_named_in_the_title_of_the_review() -> None:
    people = (Person(family="Chomsky", given="Noam"), Person(literal="B. F. Skinner"))
    assert reviewers(people, "Review of B. F. Skinner, Verbal Behavior") == people[:1]
    assert reviewers(people, "Review of Verbal Behavior") == people


def test_a_review_is_not_accused_of_the_title_and_the_authors_of_the_book() -> None:
    known = record(
        "Verbal Behavior", "Noam Chomsky; B. F. Skinner", year=1959, venue="Language", doi=DOI, type="article"
    )
    assert failures(CITED, linked(known)) == []
    assert outcome(CITED, "title", linked(known)) == ("passed", "title-ok")
    assert outcome(CITED, "authors", linked(known))[0] == "passed"


def test_a_review_of_another_book_behind_the_doi_is_told() -> None:
    known = record("Syntactic Structures", "Robert B. Lees", year=1957, venue="Language", doi=DOI, type="article")
    assert "doi-other-work" in [finding.code for finding in failures(CITED, linked(known))]


def test_the_doi_of_the_book_itself_is_told() -> None:
    known = record("Verbal Behavior", "B. F. Skinner", year=1957, doi=DOI, type="book")
    assert failures(CITED, linked(known)) != []
