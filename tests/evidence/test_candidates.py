"""Relation of a record to a reference."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_citecheck.evidence import Candidate, candidates, same_venue, same_venue_and_year
from pytest_citecheck.inputs import cited_metadata
from pytest_citecheck.matching import venue_kind
from pytest_citecheck.model import Person, QueryResult, Record, Reference
from tests.support.evidence_builders import evidence, found, linked, record, reference, silent

TITLE = "Notes on the analysis of difference engines"
TWO = "Ada Lovelace; Alan Turing"
DOI = "10.1000/engines"
CITED = reference("inproceedings", author="Ada Lovelace and Alan Turing", title=TITLE, booktitle="ICML", year="2019")
WITH_DOI = reference(
    "inproceedings", author="Ada Lovelace and Alan Turing", title=TITLE, booktitle="ICML", year="2019", doi=DOI
)
SIX = reference("book", author="Ada Lovelace", title="Notes on analysis of difference engines", year="2019")
RUBRIC = reference("book", author="Ada Lovelace", title=f"Editorial: {TITLE}", year="2019")
VOLUME = "Proceedings of the 36th International Conference on Machine Learning"
SHORT = reference("book", author="Ada Lovelace and Alan Turing", title="Engines", year="2019")


def only(cited: Reference, line: QueryResult | Record) -> Candidate:
    found_ = candidates(cited_metadata(cited), evidence(line))
    assert len(found_) == 1
    return found_[0]


def known(title: str = TITLE, authors: str = TWO, **fields: Any) -> Record:
    return record(title, authors, **fields)


NEAR = "Notes on the synthesis of difference engines"


@pytest.mark.parametrize(
    ("cited", "line", "relation"),
    [
        (CITED, known(), "work"),
        (CITED, known(authors=""), "work"),
        (SHORT, known("Engines", ""), "similar"),
        (SHORT, known("Engines", "Joseph Jacquard"), "similar"),
        (CITED, known(authors="Joseph Jacquard"), "work"),  # a title of seven words is that of one work
        (CITED, known(authors="Anonymous"), "work"),
        (CITED, known(authors="Joseph Jacquard; Alan Turing; Grace Hopper; Barbara Liskov; Mary Shaw"), "work"),
        (SIX, known("Notes on analysis of difference engines", "Joseph Jacquard"), "similar"),
        (RUBRIC, known(f"Editorial: {TITLE}", "Joseph Jacquard"), "similar"),
        (CITED, known(authors="Joseph Jacquard", year=2019), "work"),
        (CITED, known(authors="Joseph Jacquard", venue="ICML"), "work"),
        (CITED, known(f"{TITLE}: A survey", venue="ICML", year=2019), "work"),
        (CITED, known(f"{TITLE}: A survey", venue="NeurIPS", year=2010), "similar"),
        (CITED, known(NEAR, venue="ICML", year=2019), "near"),
        (CITED, known(NEAR, venue="ICML", year=2018), "similar"),
        (CITED, known(NEAR, venue="NeurIPS", year=2019), "similar"),
        (CITED, known(NEAR, "Joseph Jacquard", venue="ICML", year=2019), "similar"),
        (CITED, known("Weaving algebraical patterns"), "other"),
        (WITH_DOI, linked(known(doi=DOI, authors="Joseph Jacquard")), "work"),
        (WITH_DOI, linked(known(NEAR, doi=DOI)), "near"),
        (WITH_DOI, linked(known("Weaving algebraical patterns", doi=DOI)), "target"),
        (WITH_DOI, linked(known(VOLUME, "", doi=DOI, type="proceedings")), "container"),
        (WITH_DOI, linked(known(VOLUME, "", doi=DOI, type="article")), "target"),
    ],
)  # fmt: skip
def test_relation(cited: Reference, line: QueryResult | Record, relation: str) -> None:
    assert only(cited, line).relation == relation


def test_a_namesake_is_one_while_a_record_by_the_cited_people_is_there() -> None:
    found_ = candidates(cited_metadata(CITED), evidence(known(authors="Joseph Jacquard"), known(id="2", year=2010)))
    assert [candidate.relation for candidate in found_] == ["similar", "work"]


def test_who_did_not_answer_may_know_the_work_by_the_cited_people() -> None:
    lines = (known(authors="Joseph Jacquard"), silent("dblp"))
    assert [one.relation for one in candidates(cited_metadata(CITED), evidence(*lines))] == ["similar"]


def test_a_record_found_twice_is_one_candidate_and_keeps_its_anchor() -> None:
    right = known(doi=DOI)
    twice = candidates(cited_metadata(WITH_DOI), evidence(found(right), linked(right)))
    assert [candidate.matched_identifier for candidate in twice] == ["doi"]


def test_a_record_is_anchored_by_the_question_that_found_it() -> None:
    moved = known(doi="10.1000/new")
    assert only(WITH_DOI, found(moved, kind="doi", value=DOI)).matched_identifier == "doi"
    assert only(WITH_DOI, found(moved)).matched_identifier == ""


def test_a_record_with_the_authors_of_the_anchored_one_is_the_same_work() -> None:
    cited = reference("inproceedings", author="Joseph Jacquard", title=TITLE, booktitle="NeurIPS", year="2001", doi=DOI)
    anchored, other = candidates(
        cited_metadata(cited), evidence(linked(known(doi=DOI)), known(source="dblp", venue="ICML", year=2019))
    )
    assert (anchored.relation, other.relation) == ("work", "work")


def test_nobody_is_a_candidate_without_a_title() -> None:
    assert candidates(cited_metadata(CITED), evidence(Record("doi_org", DOI, doi=DOI))) == ()


@pytest.mark.parametrize(
    ("person", "code"),
    [
        ("Ada Lovelace, Alan Turing", ""),
        ("A. Lovelace and A. Turing", ""),
        ("Lovelace, Ada, Turing, Alan", ""),
        ("Joseph Jacquard, Charles Wheatstone", "authors-other"),
    ],
)
def test_joined_names_are_taken_apart_where_that_makes_them_fit(person: str, code: str) -> None:
    joined = Record("crossref", "1", title=TITLE, authors=(Person(literal=person),))
    assert only(CITED, joined).authors.code == code


def test_joined_names_in_the_citation_are_taken_apart_too() -> None:
    cited = reference("article", author="Ada Lovelace, Alan Turing; Grace Hopper", title=TITLE)
    assert only(cited, known(authors="Ada Lovelace; Alan Turing; Grace Hopper")).authors.code == ""


def test_a_person_named_twice_in_a_record_counts_once() -> None:
    assert only(CITED, known(authors=f"{TWO}; Alan Turing")).authors.code == ""


def test_editors_of_a_volume_pass_for_its_authors_but_are_not_held_against_them() -> None:
    editors = (Person(literal="Ada Lovelace"), Person(literal="Alan Turing"))
    assert not only(CITED, Record("crossref", "1", title=TITLE, editors=editors)).authors.abstain
    assert only(CITED, Record("crossref", "1", title=TITLE, editors=editors[:1])).authors.abstain


def test_arxiv_speaks_once() -> None:
    deposits = [
        known(source="arxiv", arxiv="1", type="preprint"),
        known(source="datacite", arxiv="1", type="preprint", venue="arXiv"),
        known(source="dblp", arxiv="1", venue="CoRR"),
    ]
    assert {only(CITED, deposit).upstream for deposit in deposits} == {"arxiv"}
    assert only(CITED, known(source="dblp", arxiv="1", venue="ICML")).upstream == "dblp"


@pytest.mark.parametrize(
    ("venue", "names", "answer"),
    [
        ("ICML", ("International Conference on Machine Learning", "PMLR"), "same"),
        ("ICML", ("PMLR", "International Conference on Machine Learning"), "same"),
        ("NeurIPS", ("International Conference on Machine Learning", "PMLR"), "different"),
        ("NeurIPS", (), "unknown"),
        ("", ("ICML",), "unknown"),
    ],
)
def test_a_record_may_name_its_venue_in_several_ways(venue: str, names: tuple[str, ...], answer: str) -> None:
    assert same_venue(venue, Record("crossref", "1", venues=names)) == answer


@pytest.mark.parametrize(
    ("venue", "told_by", "kind"),
    [
        ("ICML", "journal", "conference"),
        ("Nature", "booktitle", "journal"),
        ("ICML 2019 Workshop on Engines", "booktitle", "beside"),
        ("Memoirs of Engines", "journal", "journal"),
        ("Memoirs of Engines", "inproceedings", "conference"),
        ("Memoirs of Engines", "publisher", ""),
    ],
)
def test_the_kind_of_a_venue(venue: str, told_by: str, kind: str) -> None:
    assert venue_kind(venue, told_by) == kind


def test_where_and_when() -> None:
    assert same_venue_and_year(cited_metadata(CITED), known(venue="ICML", year=2020))
    assert same_venue_and_year(cited_metadata(CITED), known(venue="Some unknown place", year=2018))
    assert not same_venue_and_year(cited_metadata(CITED), known(venue="ICML", year=2021))
    assert not same_venue_and_year(cited_metadata(CITED), known(venue="NeurIPS", year=2019))


PROCEEDINGS = "Medical Image Computing and Computer-Assisted Intervention - MICCAI 2015"


@pytest.mark.parametrize(
    ("cited", "line", "relation"),
    [
        # The parts of a volume are titled in many ways; its DOI says which one is meant.
        (
            reference("proceedings", editor="Nassir Navab", title=f"{PROCEEDINGS}, Part III", year="2015", doi=DOI),
            linked(known(PROCEEDINGS, "", doi=DOI, type="book")),
            "work",
        ),
        (
            reference("proceedings", editor="Nassir Navab", title="Proceedings of MICCAI 2015, Part III", doi=DOI),
            linked(known("Computer Vision - ECCV 2014", "", doi=DOI, type="book")),
            "target",
        ),
        # A catalogue's remark behind the title of the book with the cited ISBN, and of another one.
        (
            reference("book", author="Ada Lovelace", title="Pattern Recognition in Engines", isbn="978-0-387-31073-2"),
            known("Pattern Recognition in Engines (Information Science)", "Ada Lovelace", isbn=("9780387310732",)),
            "work",
        ),
        (
            reference("book", author="Ada Lovelace", title="Pattern Recognition in Engines", isbn="978-0-387-31073-2"),
            known("Pattern Recognition in Engines (Information Science)", "Ada Lovelace", isbn=("9780262035613",)),
            "similar",
        ),
    ],
)
def test_volumes_and_books(cited: Reference, line: QueryResult | Record, relation: str) -> None:
    assert only(cited, line).relation == relation


@pytest.mark.parametrize(
    ("authors", "fields", "expected"),
    [
        ("Ada Lovelace; Alan Turing; Grace Hopper; Barbara Liskov", {}, "work"),
        ("Ada Lovelace; Alan Turing; Niels Bohr; Max Born", {}, "similar"),
        ("Ada Lovelace; Alan Turing; Niels Bohr; Max Born", {"year": 2021}, "work"),
        ("Ada Lovelace; Alan Turing; Niels Bohr; Max Born", {"venue": "Computational Linguistics"}, "work"),
    ],
)
def test_a_short_title_by_half_of_the_people_elsewhere_and_in_another_year_is_a_namesake(
    authors: str, fields: dict[str, Any], expected: str
) -> None:
    claim = cited_metadata(
        reference(
            author="Ada Lovelace and Alan Turing and Grace Hopper and Barbara Liskov",
            title="Universal dependencies",
            journal="Computational Linguistics",
            year="2021",
        )
    )
    stated: dict[str, Any] = {"venue": "Machine Learning", "year": 2017, **fields}
    line = record("Universal dependencies", authors, **stated)
    assert candidates(claim, evidence(line))[0].relation == expected
