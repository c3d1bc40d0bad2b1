"""ISBNs, HAL ids and thesis numbers of another work, and the people of books in catalogues."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_citecheck.model import Asked, Person, Record, Reference
from tests.support.evidence_builders import absent, entry, evaluated, found, outcome, record, silent

NUMBER = "9780262035613"
BOOK = "Ian Goodfellow; Yoshua Bengio; Aaron Courville"
THESIS = ("nnt", "2010DENS0040")


def book(
    people: str = "Quillfeather, Ada and Nightwhistle, Tom",
    title: str = "Principles of absent gradients",
    kind: str = "book",
    more: str = "",
) -> Reference:
    return entry(
        f"@{kind}{{a, author = {{{people}}}, title = {{{title}}}, publisher = {{MIT Press}}, year = 2016, "
        f"isbn = {{{NUMBER}}}, {more}}}"
    )


def held(people: str = BOOK, title: str = "Deep learning", source: str = "k10plus", **fields: Any) -> Record:
    stated: dict[str, Any] = {"year": 2016, "type": "book", "isbn": (NUMBER,), "publisher": "MIT Press"}
    return record(title, people, source=source, **stated | fields)


def by_number(*records: Record) -> Asked:
    return found(*records, kind="isbn", value=NUMBER)


def test_a_number_of_a_book_by_others() -> None:
    finding = evaluated(book(), by_number(held())).findings["doi"]
    assert (finding.outcome, finding.code) == ("failed", "number-other-work")
    assert "Deep learning" in finding.message
    assert evaluated(book(), by_number(held())).verdict.name == "misdescribed"


@pytest.mark.parametrize(
    ("cited", "records"),
    [
        (book(), [held(compiled=True)]),  # only who compiles says so
        (book(), [held(), held(title="Principles of absent gradients", people="", id="2")]),  # one of them is the work
        (book(), [held(), held(people="Tom Nightwhistle", title="Absence", id="2")]),
        (book(), [held(people="")]),
        (book(), [held((Person(literal="MIT Press Staff", group=True),))]),  # type: ignore[arg-type]
        (book(), [held("Нина Иванова")]),
        (book(people="Quillfeather"), [held()]),  # as for who goes by one name, a record may have another form
        (book(people="Goodfelow, Ian"), [held()]),  # a letter lost
        (book(more="editor = {Bengio, Yoshua}"), [held()]),  # of the same people, whatever they did
        (book(kind="incollection", more="booktitle = {Deep learning}"), [held()]),
        (book(kind="inproceedings", more="booktitle = {Deep learning}"), [held()]),
        (book(kind="proceedings"), [held()]),
        (book(), [held(isbn=())]),  # found under the number, which the record does not state
    ],
)
def test_what_may_be_the_cited_book(cited: Reference, records: list[Record]) -> None:
    assert outcome(cited, "doi", by_number(*records))[0] != "failed"


def test_no_absence_and_no_outage_convicts() -> None:
    assert outcome(book(), "doi", absent("k10plus", "isbn", NUMBER))[0] == "unverifiable"
    assert outcome(book(), "doi", silent("k10plus", "isbn", NUMBER))[0] == "unverifiable"


def test_the_number_of_another_thesis() -> None:
    thesis = entry(
        "@phdthesis{a, author = {Quillfeather, Ada}, title = {Gradients}, school = {Paris}, year = 2010, "
        "url = {https://theses.fr/2010DENS0040}}"
    )
    other = record("Représentations parcimonieuses", "Julien Mairal", source="theses_fr", related=(THESIS,), year=2010)
    assert outcome(thesis, "doi", found(other, kind="nnt", value=THESIS[1])) == ("failed", "number-other-work")
    own = record("Sparse coding", "Ada Quillfeather", source="theses_fr", related=(THESIS,), year=2010)
    assert outcome(thesis, "doi", found(own, kind="nnt", value=THESIS[1]))[0] != "failed"


def test_the_people_of_the_edition_that_is_cited() -> None:
    """A catalogue may leave authors out, add translators, and keeps no order; who is by none of its people is wrong."""
    cited = book("Goodfellow, Ian and Bengio, Yoshua and Courville, Aaron", "Deep Learning")
    for people in ("Ian Goodfellow", "Aaron Courville; Yoshua Bengio; Ian Goodfellow", f"{BOOK}; Guido Lenz"):
        assert outcome(cited, "authors", by_number(held(people)))[0] != "failed"
    assert outcome(book(title="Deep Learning"), "authors", by_number(held())) == ("failed", "authors-other")
    namesake = held(isbn=())
    assert outcome(book(title="Deep Learning"), "authors", found(namesake))[0] != "failed"
