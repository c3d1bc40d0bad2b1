"""A record with a known fault neither convicts a citation nor corrects it; without the fault it does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_citecheck.evidence import FAULTS
from pytest_citecheck.fixing import FieldEdit, corrections
from pytest_citecheck.model import Person, QueryResult, Record, Reference
from tests.support.evidence_builders import absent, entry, evaluated, found, linked, outcome, record

BOOK = "Practical Weaving: A Hands-On Guide to Dissecting Malicious Looms"
BOOK_CITED = (
    f"@book{{b, title={{{BOOK}}}, author={{Ada Lovelace and Alan Turing}}, publisher={{No Starch}}, year={{2012}}}}"
)
PAGE = "Loom Transformer: Weaving Patterns with Long-Term Structure"
PAGE_CITED = (
    f"@misc{{p, title={{{PAGE}}}, author={{Ada Lovelace and Alan Turing and Grace Hopper}}, year={{2018}}, "
    r"note={Available at \url{https://looms.example.org/transformer}}}"
)
MANY = "Ada Lovelace; Alan Turing; " + "; ".join(f"Anna Weaver{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(97))


def paper(title: str, people: str, source: str, **fields: Any) -> Record:
    return record(title, people, source, **({"year": 2018, "venue": "ICML", "type": "inproceedings"} | fields))


def twice(title: str, people: str, **fields: Any) -> list[Record]:
    return [paper(title, people, source, **fields) for source in ("dblp", "acl_anthology")]


def speaks_against(cited: Reference, *lines: QueryResult | Record) -> set[str]:
    """The codes of errors, and of warnings that rest on few records."""
    findings = evaluated(cited, *lines).findings.values()
    counted = (
        one for one in findings if one.check != "completeness" and (one.outcome == "failed" or one.likelihood_ratio)
    )
    return {one.code for one in counted}


def written(cited: Reference, *lines: QueryResult | Record) -> set[str]:
    return {one.field for one in corrections(evaluated(cited, *lines), FieldEdit(unsafe=True))}


REVIEW = twice(BOOK, "Charles Babbage; Joseph Jacquard", year=2012, venue="Computers & Security", type="article")
OTHER_BOOK = [replace(one, type="book", venues=()) for one in REVIEW]
TEN = twice(
    PAGE, "; ".join(f"Ada Weaver{letter}" for letter in "abcdefg") + "; Ada Lovelace; Alan Turing; Grace Hopper"
)
CUT = twice(PAGE, MANY + "; Charles Babbage")
SHORT = twice(PAGE, MANY)
LONG_CITED = entry(
    f"@inproceedings{{l, title={{{PAGE}}}, booktitle={{ICML}}, year=2018, author={{"
    + f"{MANY}; Charles Babbage; Joseph Jacquard".replace("; ", " and ")
    + "}}"
)


@pytest.mark.parametrize(
    ("cited", "faulty", "sound"),
    [
        (entry(BOOK_CITED), REVIEW, OTHER_BOOK),
        (entry(PAGE_CITED), TEN, None),
        (entry(PAGE_CITED.replace("@misc", "@online")), TEN, None),
        (entry(PAGE_CITED.replace("@misc", "@article").replace("note=", "journal={The Loom Blog}, note=")), TEN, None),
        (
            entry(PAGE_CITED.replace("looms.example.org/transformer", "proceedings.example.org/transformer.pdf")),
            [],
            TEN,
        ),
        (entry(PAGE_CITED.replace("@misc", "@inproceedings").replace("note=", "booktitle={ICML}, note=")), [], TEN),
        (LONG_CITED, CUT, SHORT),
    ],
    ids=["review of a book", "page", "online page", "blog", "paper at arXiv", "paper", "cut list"],
)
def test_a_record_of_another_work(cited: Reference, faulty: list[Record], sound: list[Record] | None) -> None:
    assert speaks_against(cited, *faulty) == set()
    assert written(cited, *faulty) == set()
    if sound is not None:
        assert speaks_against(cited, *sound) & {
            "authors-other",
            "authors-truncated",
            "authors-added",
            "authors-left-out",
        }


LATE_CITED = entry(
    "@misc{m, title={Multimodal Weaving}, author={Ada Lovelace and Alan Turing}, eprint={2301.04856}, archiveprefix={arXiv}, "
    "year={2023}}"
)


@pytest.mark.parametrize(("year", "expected"), [(2011, set()), (2022, {"arxiv-other-work"})])
def test_the_number_of_a_much_younger_e_print(year: int, expected: set[str]) -> None:
    other = paper("Deep Looms", "Charles Babbage; Joseph Jacquard", "dblp", year=year, arxiv="2301.04856")
    assert speaks_against(LATE_CITED, found(other, kind="arxiv", value="2301.04856")) & {"arxiv-other-work"} == expected


WORD = "The Faulty Behaviour of Looms with a Hard Activation Function"
WORD_CITED = entry(
    f"@article{{w, title={{{WORD}}}, author={{Ada Lovelace and Alan Turing}}, journal={{Neural Looms}}, year={{1997}}, "
    "doi={10.1000/9.5}}"
)
LONE = [absent("index", "word", "fuction", "one title has it"), found(kind="word", value="function", source="index")]
KNOWN = [found(kind="word", value=word, source="index") for word in ("fuction", "function")]


@pytest.mark.parametrize(("words", "expected"), [(LONE, set()), (KNOWN, {"title-near-miss"})])
def test_a_word_that_no_other_title_has(words: list[QueryResult], expected: set[str]) -> None:
    slip = record(
        WORD.replace("Function", "Fuction"), "Ada Lovelace; Alan Turing", "mlanthology", doi="10.1000/9.5", year=1997,
        venue="Neural Looms", type="article",
    )  # fmt: skip
    assert speaks_against(WORD_CITED, linked(slip), *words) == expected
    assert written(WORD_CITED, linked(slip), *LONE) == set()


@pytest.mark.parametrize(
    ("cited", "family", "given", "agrees"),
    [
        ("Yoshua Bengio", "Yoshua", "Bengio", True),
        ("Y. Bengio", "Yoshua", "Bengio", True),
        ("Bengio, Y.", "Yoshua", "Bengio", True),
        ("Y. Benson", "Yoshua", "Bengio", False),
    ],
)
def test_given_and_family_name_may_be_exchanged_in_the_record(
    cited: str, family: str, given: str, agrees: bool
) -> None:
    named = entry(
        f"@inproceedings{{x, title={{{PAGE}}}, author={{{cited} and Grace Hopper}}, booktitle={{ICML}}, year=2018}}"
    )
    people = (Person(family=family, given=given), Person(family="Grace", given="Hopper"))
    lines = [
        record(PAGE, people, source, year=2018, venue="ICML", type="inproceedings") for source in ("dblp", "zbmath")
    ]
    assert (outcome(named, "authors", *lines)[0] == "passed") == agrees


RETITLED = (
    "@article{{p, title={{Optimal Looms: With Applications to Weaving}}, author={{Ada Lovelace and {other}}}, "
    "journal={{Neural Looms}}, year={{{year}}}, doi={{10.1000/9.6}}}}"
)


@pytest.mark.parametrize(
    ("other", "year", "right"),
    [("Alan Turing", 1997, True), ("Alan Turing", 2007, False), ("Grace Hopper", 1997, False)],
)
@pytest.mark.parametrize("title", ["Computational Transport", "Optimal Looms"])
def test_the_record_of_the_cited_doi_with_these_people_journal_and_year_is_the_work(
    other: str, year: int, right: bool, title: str
) -> None:
    held = record(
        title, "Ada Lovelace; Alan Turing", doi="10.1000/9.6", year=1997, venue="Neural Looms", type="article"
    )
    accused = speaks_against(entry(RETITLED.format(other=other, year=year)), linked(held))
    assert not (right and "doi-other-work" in accused)
    if title == "Optimal Looms":
        assert (accused == set()) == right


def test_every_fault_is_counted() -> None:
    assert all(row.sentence and row.counted for row in FAULTS)
    assert len({row.name for row in FAULTS}) == len(FAULTS)
