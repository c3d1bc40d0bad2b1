"""ISBNs and catalogue numbers of another work, and the people of books in catalogues."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_citecheck.checks import DEFAULT, PolicyContext
from pytest_citecheck.model import Person, QueryKind, QueryResult, Record, Reference
from tests.support.evidence_builders import absent, entry, evaluated, found, linked, outcome, record, silent, stated

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


def by_number(*records: Record) -> QueryResult:
    return found(*records, kind="isbn", value=NUMBER)


def in_both(*records: Record) -> list[QueryResult]:
    """The catalogues K10plus and Library of Congress have these records under the number."""
    return [by_number(*(replace(one, source=source) for one in records)) for source in ("k10plus", "loc")]


def test_a_number_of_a_book_by_others() -> None:
    evaluation = evaluated(book(), *in_both(held()))
    finding = evaluation.findings["doi"]
    assert (finding.code, finding.evidence) == ("number-other-work", "two records")
    assert "Deep learning" in finding.message


@pytest.mark.parametrize(
    "second",
    [
        held("Lena Quist", "Sums of squares", "loc"),  # the publisher has printed the number in two books
        held(source="open_library", compiled=True),  # repeats what catalogues have
        held(source="k10plus", id="2"),  # another record of the same catalogue
    ],
)
def test_one_catalogue_alone_has_another_book_under_the_number(second: Record) -> None:
    evaluation = evaluated(book(), by_number(held()), by_number(second))
    finding = evaluation.findings["doi"]
    assert (finding.code, finding.evidence) == ("number-other-work", "single record")
    assert "Deep learning" in finding.message


def test_a_wrong_number_beside_the_doi_of_the_work_is_a_warning() -> None:
    work = record("Principles of absent gradients", "Ada Quillfeather; Tom Nightwhistle", year=2016, type="book",
                  publisher="MIT Press", doi="10.7551/mitpress/1")  # fmt: skip
    evaluation = evaluated(book(more="doi = {10.7551/mitpress/1}"), linked(work), *in_both(held()))
    finding = evaluation.findings["doi"]
    assert stated(finding) == ("passed", "number-mistaken")
    assert "Deep learning" in finding.message
    assert evaluation.verdict.name == "undecided"
    assert DEFAULT.severity(finding, PolicyContext.of(evaluation)) == "warning"
    found_elsewhere = record(work.title, work.authors, year=2016, type="book", isbn=(NUMBER,))
    assert outcome(book(), "doi", found(found_elsewhere), *in_both(held()))[1] != "number-other-work"


@pytest.mark.parametrize(
    ("cited", "records"),
    [
        (book(), [held(compiled=True)]),  # only services that compile say so
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
    assert outcome(cited, "doi", *in_both(*records))[1] != "number-other-work"


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


LINKS = {
    "acl": ("https://aclanthology.org/N19-1423/", "N19-1423", "acl_anthology"),
    "openreview": ("https://openreview.net/forum?id=rJXMpikCZ", "rJXMpikCZ", "openreview"),
    "dblp": ("https://dblp.org/rec/conf/cvpr/HeZRS16", "conf/cvpr/HeZRS16", "dblp"),
    "pmid": ("https://pubmed.ncbi.nlm.nih.gov/25516281/", "25516281", "pubmed"),
}


@pytest.mark.parametrize("kind", LINKS)
def test_the_page_of_another_work(kind: QueryKind) -> None:
    """Its catalogue knows: that is an error. Another source may link a wrong page, so alone it is a reason to warn."""
    link, number, catalogue = LINKS[kind]
    cited = entry(
        "@inproceedings{a, author = {He, Kai and Sun, Jo}, title = {Principles of absent gradients}, "
        f"booktitle = {{NeurIPS}}, year = 2016, url = {{{link}}}}}"
    )
    named: dict[str, Any] = {"pmid": number} if kind == "pmid" else {"related": ((kind, number),)}
    other = record("Deep learning", "Kenton Lee; Ming Chang", source=catalogue, year=2016, **named)
    finding = evaluated(cited, found(other, kind=kind, value=number)).findings["doi"]
    assert (stated(finding), finding.evidence) == (("failed", "number-other-work"), "registry")
    finding = evaluated(cited, found(replace(other, source="inspire"), kind=kind, value=number)).findings["doi"]
    assert (finding.code, finding.evidence) == ("number-other-work", "single record")
    cited_work = replace(other, authors=(Person(literal="Kai He"),))  # under a former title
    volume = replace(other, title="Proceedings of the Meeting on Deep Learning")  # of the paper
    for one in (cited_work, volume, replace(other, type="proceedings")):
        assert outcome(cited, "doi", found(one, kind=kind, value=number))[1] != "number-other-work"
    not_cited = outcome(book(), "doi", found(other, kind=kind, value=number))
    assert not_cited[1] != "number-other-work"


def test_the_people_of_the_edition_that_is_cited() -> None:
    """A catalogue may leave authors out, add translators, and keeps no order. If it has none of the cited people, that is a
    warning, and an error with a second catalogue."""
    cited = book("Goodfellow, Ian and Bengio, Yoshua and Courville, Aaron", "Deep Learning")
    for people in ("Ian Goodfellow", "Aaron Courville; Yoshua Bengio; Ian Goodfellow", f"{BOOK}; Guido Lenz"):
        assert outcome(cited, "authors", by_number(held(people)))[0] != "failed"
    assert outcome(book(title="Deep Learning"), "authors", by_number(held())) == ("failed", "authors-other")
    # K10plus takes records from the Library of Congress.
    assert outcome(book(title="Deep Learning"), "authors", *in_both(held())) == ("failed", "authors-other")
    both = [by_number(held(source="loc")), found(held(source="crossref"))]
    assert outcome(book(title="Deep Learning"), "authors", *both) == ("failed", "authors-other")
    namesake = held(isbn=())
    assert outcome(book(title="Deep Learning"), "authors", found(namesake))[0] != "failed"
