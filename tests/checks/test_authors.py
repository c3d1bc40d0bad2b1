"""The authors check: every outcome from hand-made evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_citecheck.inputs import read_plain_references
from pytest_citecheck.model import Location, Person, QueryResult, Record, Reference
from tests.support.evidence_builders import (
    absent,
    entry,
    evaluated,
    found,
    linked,
    outcome,
    record,
    reference,
    silent,
    stated,
)

TITLE = "Notes on the analysis of difference engines"
DOI = "10.1000/engines"
FOUR = "Ada Lovelace; Alan Turing; Grace Hopper; Barbara Liskov"


def cited(author: str = "Ada Lovelace and Alan Turing and Grace Hopper and Barbara Liskov", **fields: str) -> Reference:
    return reference("article", **{"author": author, "title": TITLE, "journal": "Nature", "year": "2001", **fields})


def known(authors: str = FOUR, source: str = "crossref", **fields: Any) -> Record:
    return record(TITLE, authors, source=source, **{"venue": "Nature", "year": 2001, **fields})


def twice(authors: str = FOUR) -> list[QueryResult | Record]:
    return [known(authors), known(authors, "dblp")]


@pytest.mark.parametrize(
    ("reference_", "lines", "expected"),
    [
        (cited(), [known()], ("passed", "authors-ok")),
        (cited("Lovelace, A. and others"), [known()], ("passed", "authors-ok")),
        # One record of the cited version shows who is missing from a list.
        (cited("Ada Lovelace and Alan Turing"), [known()], ("failed", "authors-truncated")),
        (cited("Ada Lovelace and Alan Turing and Grace Hopper"), [known()], ("failed", "authors-left-out")),
        (cited("Ada Lovelace and Alan Turing", journal="Engine Letters Weekly"), [known()],
         ("failed", "authors-truncated")),
        (cited("Ada Lovelace and Alan Turing", journal="Engine Letters Weekly"), twice(), ("failed", "authors-truncated")),
        (cited(journal="Engine Letters Weekly"), [known(f"{FOUR}; Niels Bohr; Max Born")],
         ("failed", "authors-left-out")),
        (cited("Ada Lovelace and Alan Turing"), [known(venue="Science")], ("unverifiable", "authors-unclear")),
        (cited("Ada Lovelace and Alan Turing"), [known("Ada Lovelace; Alan Turing; Grace Hopper", source="arxiv", arxiv="1",
                                                       type="preprint", venue="arXiv")], ("unverifiable", "authors-unclear")),
        (cited(), twice("Ada Lovelace; Alan Turing; Grace Hopper"), ("failed", "authors-added")),
        (cited(), [known("Ada Lovelace; Alan Turing; Grace Hopper")], ("failed", "authors-added")),
        (cited(), [known("Ada Lovelace; Alan Turing; Grace Hopper", "dblp"),
                   known("Ada Lovelace; Alan Turing; Grace Hopper", "mlanthology")], ("failed", "authors-added")),
        (cited(doi=DOI), [linked(known("Ada Lovelace; Alan Turing; Grace Hopper", "dblp", doi=DOI))],
         ("failed", "authors-added")),  # the list may be cut
        (cited(doi=DOI), [linked(known("Ada Lovelace; Alan Turing; Barbara Liskov", "dblp", doi=DOI))],
         ("failed", "authors-added")),  # a collection that states the DOI
        (cited(doi=DOI), [linked(known("Ada Lovelace; Alan Turing; Barbara Liskov", doi=DOI))],
         ("failed", "authors-added")),  # its registry
        (cited(), twice("Grace Hopper; Alan Turing; Barbara Liskov; Ada Lovelace"), ("failed", "authors-reordered")),
        (cited(), [known("Grace Hopper; Alan Turing; Barbara Liskov; Ada Lovelace")],
         ("failed", "authors-reordered")),
        # An order needs two sources, or the registry of the cited DOI.
        (cited(doi=DOI), [linked(known("Grace Hopper; Alan Turing; Barbara Liskov; Ada Lovelace", "dblp", doi=DOI))],
         ("failed", "authors-reordered")),
        (cited(doi=DOI), [linked(known("Grace Hopper; Alan Turing; Barbara Liskov; Ada Lovelace", doi=DOI))],
         ("failed", "authors-reordered")),
        (cited(), [*twice("Grace Hopper; Alan Turing; Barbara Liskov; Ada Lovelace"), silent("arxiv")],
         ("failed", "authors-reordered")),  # which may have the cited order
        (cited(), [*twice("Grace Hopper; Alan Turing; Barbara Liskov; Ada Lovelace"), silent("arxiv", reason="offline")],
         ("failed", "authors-reordered")),
        # In the order of the alphabet, as a depositor may have sorted it; nobody else did.
        (cited(), [known("Grace Hopper; Barbara Liskov; Ada Lovelace; Alan Turing")],
         ("failed", "authors-reordered")),
        (cited(), twice("Grace Hopper; Barbara Liskov; Ada Lovelace; Alan Turing"), ("failed", "authors-reordered")),
        (cited(), [*twice("Grace Hopper; Barbara Liskov; Ada Lovelace; Alan Turing"), known(source="arxiv", arxiv="1",
          type="preprint", venue="arXiv")], ("passed", "authors-ok")),  # in another order in the preprint
        (cited("Amy Lovelace and Alan Turing and Grace Hopper and Barbara Liskov"), twice(),
         ("failed", "authors-given-name")),  # two have no trace of that name
        (cited("Amy Lovelace and Alan Turing and Grace Hopper"), [known()], ("failed", "authors-given-name")),
        (cited("Amy Lovelace and Alan Turing and Grace Hopper"), twice(), ("failed", "authors-given-name")),
        (cited("Amy Lovelace and Alan Turing and Grace Hopper", doi=DOI), [linked(known(doi=DOI))],
         ("failed", "authors-given-name")),
        (cited("Amy Lovelace and Alan Turing and Barbara Liskov and Grace Hopper"), [known()],
         ("failed", "authors-given-name")),
        (cited("Amy Lovelace and Alan Turing and Grace Hopper and Barbara Liskov", year="1991"), [known()],
         ("failed", "authors-given-name")),
        (cited("Joshua Lovelace", title=TITLE), [known("Jana Lovelace")], ("failed", "authors-renamed")),
        (cited("Joshua Lovelace", title=TITLE), twice("Jana Lovelace"), ("failed", "authors-given-name")),
        (cited("Ada Lovelace and Davic Turing"), [known("Ada Lovelace; David A. Turing")],
         ("failed", "authors-given-name")),
        (cited("Ada Lovelace and Davic Turing"), twice("Ada Lovelace; David A. Turing"), ("failed", "authors-given-name")),
        (cited("Ada Lovelace and Michael Turing"), [known("Ada Lovelace; Michelle Turing")],
         ("failed", "authors-renamed")),  # two names, no slip
        (cited("Ad Lovelace and Alan Turing and Grace Hopper and Barbara Liskov"), twice(),
         ("unverifiable", "authors-unclear")),
        (cited("Amy Lovelace and Alan Turing and Grace Hopper and Barbara Liskov"), [known()],
         ("failed", "authors-renamed")),  # all else agrees: the name may have changed
        (cited("Mary Lovelace and Alan Turing and Grace Hopper and Barbara Liskov"), [known(), silent("dblp")],
         ("unverifiable", "authors-unclear")),  # who did not answer may have the cited name
        (cited("Mary Lovelace and Alan Turing and Grace Hopper and Barbara Liskov"), [known()],
         ("failed", "authors-given-name")),
        (cited("Amy Lovelace and Alfred Turing and Grace Hopper and Barbara Liskov"), [known()],
         ("failed", "authors-given-name")),
        (cited("Amy Lovelace and Alan Turing and Grace Hopper and Barbara Liskov"), [known(venue="Science")],
         ("unverifiable", "authors-unclear")),
        (cited("Mary Lovelace and Alan Turing and Grace Hopper and Barbara Liskov"), twice(),
         ("failed", "authors-given-name")),
        (cited("Mary Lovelace and Alan Turing and Barbara Liskov and Grace Hopper"), twice(),
         ("failed", "authors-given-name")),
        (cited("Mary Lovelace and Bill Turing and Grace Hopper and Barbara Liskov"), twice(),
         ("failed", "authors-given-name")),
        (cited("Mary Lovelace and Alan Turing"), twice("Ada Lovelace; Alan Turing"), ("failed", "authors-given-name")),
        (cited("Ada Lovelade and Alan Turing and Grace Hopper and Barbara Liskov"), twice(),
         ("failed", "authors-misspelled")),
        (cited("Ada Lovelade and Alan Turing and Grace Hopper and Barbara Liskov"), [known()],
         ("failed", "authors-misspelled")),
        (cited("Ada Lovelade and Alan Turing and Grace Hopper and Barbara Liskov", doi=DOI),
         [linked(known(source="dblp", doi=DOI))], ("failed", "authors-misspelled")),
        (cited("Ada Lovelade and Alan Turing and Grace Hopper and Barbara Liskov", doi=DOI), [linked(known(doi=DOI))],
         ("failed", "authors-misspelled")),
        (cited("Joseph Jacquard and Alan Turing and Grace Hopper and Barbara Liskov"), twice(),
         ("failed", "authors-partly-other")),
        (cited("Joseph Jacquard and Alan Turing and Grace Hopper and Barbara Liskov"), [known()],
         ("failed", "authors-partly-other")),
        (cited("Joseph Jacquard and Charles Wheatstone and Michael Faraday"), [known()],
         ("failed", "authors-other")),
        (cited("Joseph Jacquard and Charles Wheatstone and Michael Faraday"), twice(), ("failed", "authors-other")),
        (cited("Joseph Jacquard and Charles Wheatstone and Michael Faraday", doi=DOI), [linked(known(source="dblp", doi=DOI))],
         ("failed", "authors-other")),
        (cited("Joseph Jacquard and Charles Wheatstone and Michael Faraday", doi=DOI), [linked(known(doi=DOI))],
         ("failed", "authors-other")),
        (cited(), [known("")], ("unverifiable", "authors-unclear")),
        (cited("{Analytical Engine Consortium}"), [known()], ("unverifiable", "authors-unclear")),
        (cited(""), [known()], ("unverifiable", "authors-missing")),
        (cited("Anonymous"), [known()], ("unverifiable", "authors-missing")),
        (cited(), [absent("crossref")], ("unverifiable", "not-found")),
        (cited(), [silent("crossref")], ("unverifiable", "unavailable")),
        (cited(), [silent("crossref", reason="not-recorded")], ("unverifiable", "not-recorded")),
        (cited(), [], ("unverifiable", "not-asked")),
    ],
)  # fmt: skip
def test_outcome(reference_: Reference, lines: list[QueryResult | Record], expected: tuple[str, str]) -> None:
    assert outcome(reference_, "authors", *lines) == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("Miltos Allamanis and Grace Hopper and Alan Turing", "unverifiable"),  # short for Miltiadis
        ("Miltos Allamanis and Grace Hopper", "failed"),
        ("Jerry Allamanis and Grace Hopper and Alan Turing", "failed"),  # none that goes with a Greek one
        ("Mlds Allamanis and Grace Hopper and Alan Turing", "unverifiable"),  # m-l-d-s of m-l-t-d-s
        ("Mlds Allamanis and Grace Hopper", "failed"),
        ("Milan Allamanis and Grace Hopper and Alan Turing", "failed"),
        ("Manuel Allamanis and Grace Hopper and Alan Turing", "failed"),
        ("Jerry Allamanis and Grace Hopper and Arthur Turing", "failed"),
        ("Jerry Allamanis and Grace Hopper", "failed"),
        ("Jerry Allamanis and Sharon Hopper and Alan Turing", "failed"),
    ],
)
def test_another_given_name_may_be_a_short_or_second_one(names: str, expected: str) -> None:
    people = "Miltiadis Allamanis; Grace Hopper; Alan Turing"
    assert outcome(cited(names), "authors", *twice(people))[0] == expected


def test_several_given_names_alone_need_a_second_record() -> None:
    wrong = cited("Jerry Allamanis and Sharon Hopper and Alan Turing")
    alone = evaluated(wrong, known("Miltiadis Allamanis; Grace Hopper; Alan Turing")).findings["authors"]
    assert (alone.code, alone.evidence) == ("authors-other", "single record")
    nobody_fits = cited("Jerry Allamanis and Sharon Hopper")
    assert outcome(nobody_fits, "authors", known("Miltiadis Allamanis; Grace Hopper")) == ("failed", "authors-other")
    assert outcome(nobody_fits, "authors", *twice("Miltiadis Allamanis; Grace Hopper")) == ("failed", "authors-other")
    adopted = cited("Jerry Zhu and Grace Hopper and Alan Turing")
    assert outcome(adopted, "authors", *twice("Xiaojin Zhu; Grace Hopper; Alan Turing"))[0] == "unverifiable"


@pytest.mark.parametrize(
    ("names", "people", "expected"),
    [
        ("Johannes Klicpera and Alan Turing", "Johannes Gasteiger; Alan Turing", "authors-unclear"),
        ("Johannes Klicpera and others", "Johannes Gasteiger; Alan Turing", "authors-other"),
        ("Alan Turing and Johannes Klicpera and others", "Alan Turing; Johannes Gasteiger; Ada Lovelace", "authors-unclear"),
        ("Johannes Klicpera and Alan Turing", "Jonas Gasteiger; Alan Turing", "authors-partly-other"),
        ("J. Klicpera and Alan Turing", "J. Gasteiger; Alan Turing", "authors-partly-other"),
        ("J. Klicpera and Alan Turing", "Johannes Gasteiger; Alan Turing", "authors-partly-other"),
        ("Johannes Klicpera and Alan Turing and Ada Lovelace", "Alan Turing; Johannes Gasteiger; Ada Lovelace",
         "authors-partly-other"),
        ("Johannes Klicpera and Alan Turing", "Johannes Gasteiger; Alan Turing; Ada Lovelace", "authors-partly-other"),
        ("Wei Zhang and Alan Turing", "Wei Chen; Alan Turing", "authors-partly-other"),  # a name of many
    ],
)  # fmt: skip
def test_a_family_name_may_have_changed(names: str, people: str, expected: str) -> None:
    assert outcome(cited(names), "authors", *twice(people))[1] == expected


ARXIV = "2001.00001"


@pytest.mark.parametrize(
    ("names", "asked", "expected"),
    [
        (FOUR, [silent("arxiv", "arxiv", ARXIV)], "unverifiable"),
        (FOUR, [silent("datacite", "doi", f"10.48550/arxiv.{ARXIV}")], "failed"),  # nobody cites this DOI
        (FOUR, [absent("arxiv", "arxiv", ARXIV, "arXiv")], "failed"),
        (FOUR, [silent("arxiv", "arxiv", ARXIV), absent("index", "arxiv", ARXIV)], "unverifiable"),
        (FOUR, [linked(known("Ada Lovelace; Alan Turing; Grace Hopper", "arxiv", arxiv=ARXIV, venue="arXiv", type="preprint")),
                silent("datacite", "arxiv", ARXIV)], "failed"),
        ("Ada Lovelace; Alan Turing", [silent("arxiv", "arxiv", ARXIV)], "unverifiable"),
        ("Ada Lovelace; Grace Hopper; Alan Turing", [silent("arxiv", "arxiv", ARXIV)], "unverifiable"),
        ("Ada Lovelace; Grace Hopper; Alan Turing", [absent("arxiv", "arxiv", ARXIV, "arXiv")], "failed"),
        ("Ada Lovelade; Alan Turing; Grace Hopper", [silent("arxiv", "arxiv", ARXIV)], "unverifiable"),
        ("Ada Lovelade; Alan Turing; Grace Hopper", [absent("arxiv", "arxiv", ARXIV, "arXiv")], "failed"),
        ("Amy Lovelace; Alan Turing; Grace Hopper", [silent("arxiv", "arxiv", ARXIV)], "failed"),  # no version has her
        ("Ada Lovelace; Joseph Jacquard; Grace Hopper", [silent("arxiv", "arxiv", ARXIV)], "failed"),
        (FOUR + "; Joseph Jacquard", [silent("arxiv", "arxiv", ARXIV)], "failed"),  # two of five are no slight difference
    ],
)  # fmt: skip
def test_who_came_or_left_between_versions_is_open_while_the_cited_one_is_unseen(
    names: str, asked: list[QueryResult], expected: str
) -> None:
    claimed = cited(names.replace("; ", " and "), eprint=ARXIV, archiveprefix="arXiv")
    lines = twice("Ada Lovelace; Alan Turing; Grace Hopper")
    assert outcome(claimed, "authors", *lines, *asked)[0] == expected


@pytest.mark.parametrize(
    ("latest", "expected"), [(2, ("failed", "authors-left-out")), (3, ("unverifiable", "authors-unclear"))]
)
def test_who_is_missing_may_have_come_with_a_version_that_was_not_seen(latest: int, expected: tuple[str, str]) -> None:
    """arXiv shows the latest version and the first, both of four people and neither under the cited title."""
    three = cited("Ada Lovelace and Alan Turing and Grace Hopper", journal="arXiv", eprint=ARXIV)
    version = record("Weaving algebraical patterns", FOUR, source="arxiv", arxiv=ARXIV, type="preprint", version=latest)
    first = found(replace(version, version=1), kind="arxiv", value=f"{ARXIV}v1")
    assert outcome(three, "authors", linked(version), first) == expected


def test_a_third_voice_convicts_an_order_while_the_preprint_is_unseen() -> None:
    order = "Ada Lovelace; Alan Turing; Grace Hopper"
    lines = [*twice(order), known(order, "pubmed"), silent("arxiv", "arxiv", ARXIV)]
    swapped = cited("Alan Turing and Ada Lovelace and Grace Hopper", eprint=ARXIV, archiveprefix="arXiv")
    assert outcome(swapped, "authors", *lines) == ("failed", "authors-reordered")


def test_an_order_is_that_of_the_cited_version_whoever_registered_its_doi() -> None:
    doi = "10.1000/1"
    lines = [*twice("Ada Lovelace; Alan Turing; Grace Hopper"), silent("crossref", "doi", doi)]
    swapped = cited("Alan Turing and Ada Lovelace and Grace Hopper", doi=doi)
    assert outcome(swapped, "authors", *lines) == ("failed", "authors-reordered")
    fewer = cited("Ada Lovelace and Alan Turing", doi=doi)
    assert outcome(fewer, "authors", *lines) == ("unverifiable", "authors-unclear")


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ([], "single record"),
        ([absent("arxiv")], "two records"),  # there is no preprint
        ([absent("arxiv", "arxiv", ARXIV, "arXiv")], "two records"),
        (
            [known(source="arxiv", arxiv=ARXIV, venue="arXiv", type="preprint")],
            "two records",
        ),  # which has the same order
    ],
)
@pytest.mark.parametrize(
    "names",
    [
        "Ada Lovelace; Grace Hopper; Alan Turing; Barbara Liskov",
        "Alan Turing; Ada Lovelace; Grace Hopper; Barbara Liskov",
        "Ada Lovelace; Barbara Liskov; Grace Hopper; Alan Turing",
    ],
)
def test_the_order_of_authors_needs_the_list_of_the_preprint(
    names: str, more: list[QueryResult | Record], expected: str
) -> None:
    finding = evaluated(cited(names.replace("; ", " and ")), *twice(), *more).findings["authors"]
    assert (finding.code, finding.evidence) == ("authors-reordered", expected)


def eprint(authors: str, **fields: Any) -> Record:
    return known(authors, "arxiv", **{"arxiv": ARXIV, "venue": "arXiv", "type": "preprint", **fields})


@pytest.mark.parametrize(
    ("names", "record_", "expected"),
    [
        (FOUR, eprint("Barbara Liskov; Ada Lovelace"), "unverifiable"),  # two joined
        (FOUR, eprint("Ada Lovelace; Barbara Liskov", version=1), "failed"),  # the only version
        (FOUR, eprint("Ada Lovelace; Barbara Liskov", version=2), "unverifiable"),
        (FOUR, known("Ada Lovelace", arxiv=ARXIV), "unverifiable"),  # the publication names one of the four
        (FOUR + "; others", eprint("Ada Lovelace; Grace Hopper; Niels Bohr; Max Born"), "unverifiable"),
        (FOUR, eprint("Ada Lovelace; Grace Hopper; Niels Bohr; Max Born"), "failed"),  # and two left
        (FOUR, eprint("Ada Lovelace; Amy Hopper"), "failed"),
        ("Ada Lovelace; Alan Turing", eprint("Ada Lovelace; Alan Turing; Grace Hopper"), "unverifiable"),
        ("Ada Lovelace", eprint(FOUR), "failed"),  # a long list cut
        ("Niels Bohr; Max Born", eprint(FOUR), "failed"),
    ],
)
def test_people_join_between_versions_of_a_preprint(names: str, record_: Record, expected: str) -> None:
    claimed = cited(names.replace("; ", " and "), journal=f"arXiv preprint arXiv:{ARXIV}")
    assert outcome(claimed, "authors", linked(record_))[0] == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"journal": "", "year": "2000"}, "unverifiable"),
        ({"journal": "", "year": "2001"}, "failed"),
        ({"journal": "", "year": "1997"}, "failed"),
        ({"journal": "", "year": ""}, "failed"),
        ({"journal": "Nature", "year": "2000"}, "failed"),
        ({"journal": "", "year": "2000", "doi": "10.1000/1"}, "failed"),
    ],
)
def test_who_is_missing_may_have_joined_after_the_cited_year(fields: dict[str, str], expected: str) -> None:
    claimed = cited("Ada Lovelace and Alan Turing and Grace Hopper", **fields)
    assert outcome(claimed, "authors", known(doi="10.1000/1"))[0] == expected


def test_another_name_of_an_author_does_not_hide_who_is_missing() -> None:
    people = "Xiyuan Zhang; Hao Chen; Ada Lovelace; Bernie Wang"
    finding = evaluated(cited("Xiyuan Zhang and Ada Lovelace and Yuyang Wang"), *twice(people)).findings["authors"]
    assert stated(finding) == ("failed", "authors-left-out")
    assert finding.message.endswith("Hao Chen")
    assert finding.fixes["author"].endswith("and Wang, Yuyang")


def test_a_reference_in_plain_text_has_no_damaged_separator() -> None:
    text = "Manu, Yi Guo, and Jo Plested. Notes on the analysis of difference engines. 2000."
    (claimed,) = read_plain_references(text, Location("refs.txt", 1, 1))
    lines = twice("Manu; Yi Guo; Jo Plested")
    assert outcome(claimed, "authors", *lines) == ("passed", "authors-ok")


@pytest.mark.parametrize(("behind", "code"), [(1, "authors-left-out"), (2, "authors-truncated")])
def test_ten_authors_are_the_first_ones_though_a_version_has_one_of_them_further_back(behind: int, code: str) -> None:
    people = [f"{chr(65 + place)}da {chr(65 + place)}ovelace" for place in range(20)]
    names = [*people[: 10 - behind], *people[15 : 15 + behind]]
    assert outcome(cited(" and ".join(sorted(names))), "authors", *twice("; ".join(people)))[1] == code


def test_an_institution_that_follows_a_person_is_no_author() -> None:
    people = "Ada Lovelace; Alan Turing; Washington University in St. Louis"
    finding = evaluated(cited("Ada Lovelace"), *twice(people)).findings["authors"]
    assert finding.fixes == {"author": "Lovelace, Ada and Turing, Alan"}
    assert "Washington" not in finding.found + finding.message
    assert outcome(cited("Ada Lovelace and Alan Turing"), "authors", *twice(people)) == ("passed", "authors-ok")


@pytest.mark.parametrize(
    ("names", "people"),
    [
        ("Ada Lovelace and Alan Turing and {Team Engine}", "Ada Lovelace; Alan Turing"),
        ("{OpenAI} and Ada Lovelace and Alan Turing", "Ada Lovelace; Alan Turing"),
        ("OpenAI and Ada Lovelace and Alan Turing", "Ada Lovelace; Alan Turing"),
        ("Ada Lovelace and Alan Turing", "DeepSeek-AI; Ada Lovelace; Alan Turing"),
        ("Ada Lovelace and Alan Turing", "Ada Lovelace; Alan Turing; Google DeepMind"),
        ("Ada Lovelace and Alan Turing", "Ada Lovelace; Alan Turing; The ATLAS Collaboration"),
    ],
)
def test_a_collective_makes_no_list_wrong(names: str, people: str) -> None:
    assert outcome(cited(names), "authors", *twice(people)) == ("passed", "authors-ok")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("Lovelace, Adaand Turing, Alan and Hopper, Grace", ("failed", "authors-run-together")),
        ("Lovelace, Adand Turing, Alan and Hopper, Grace", ("failed", "authors-run-together")),
        ("Ada Lovelace and Alan Turing andGrace Hopper", ("failed", "authors-run-together")),
        ("Lovelace, Ada Turingand Alan and Hopper, Grace", ("failed", "authors-run-together")),
        ("G. P., A. Turing, and G. Hopper", ("failed", "authors-partly-other")),
        ("Lovelace, Adaand Turing, Alan and Hopper, Grace and Bohr, Niels", ("failed", "authors-partly-other")),
        ("Lovelace, Adaand Turing, Alan", ("failed", "authors-truncated")),
    ],
)
def test_a_name_that_swallowed_a_separator_is_neither_missing_nor_another(
    names: str, expected: tuple[str, str]
) -> None:
    people = "Ada Lovelace; Alan Turing; Grace Hopper"
    finding = evaluated(cited(names), *twice(people)).findings["authors"]
    assert stated(finding) == expected
    if finding.code == "authors-run-together":
        assert finding.fixes == {"author": "Lovelace, Ada and Turing, Alan and Hopper, Grace"}


@pytest.mark.parametrize(
    ("names", "people", "expected"),
    [
        ("Ada Lovelace and Alan Turing and Ada Lovelace", "Ada Lovelace; Alan Turing", "authors-repeated"),
        (
            "Ada Lovelace and Alan Turing and Ada Lovelace and others",
            "Ada Lovelace; Alan Turing; Max Born",
            "authors-repeated",
        ),
        ("Wei Wang and Alan Turing and Wei Wang", "Wei Wang; Alan Turing; Wei Wang", "authors-ok"),
        ("W. Wang and Alan Turing and W. Wang", "Wei Wang; Alan Turing; Wen Wang", "authors-ok"),
        ("W. Wang and Alan Turing and W. Wang", "Wei Wang; Alan Turing", "authors-ok"),
        ("{Team Engine} and Alan Turing and {Team Engine}", "Alan Turing", "authors-ok"),
    ],
)
def test_an_author_who_stands_twice_in_the_list(names: str, people: str, expected: str) -> None:
    assert outcome(cited(names), "authors", *twice(people))[1] == expected


def test_an_author_who_is_cited_twice_is_a_warning_unless_many_references_are_wrong() -> None:
    claimed = cited("Ada Lovelace and Alan Turing and Ada Lovelace")
    lines = twice("Ada Lovelace; Alan Turing")
    assert outcome(claimed, "authors", *lines) == ("failed", "authors-repeated")
    assert outcome(claimed, "authors", *lines, prior=0.3) == ("failed", "authors-repeated")


VASWANI = "Ashish Vaswani; Noam Shazeer; Niki Parmar; Jakob Uszkoreit"


@pytest.mark.parametrize(
    ("names", "people", "code"),
    [
        ("Ashish Vaswani and others", VASWANI, "authors-ok"),
        ("A. Vaswani and N. Shazeer and others", VASWANI, "authors-ok"),
        ("Niki Parmar and others", VASWANI, "authors-not-first"),
        ("Parmar, N. and Vaswani, A. and others", VASWANI, "authors-not-first"),
        ("Jakob Uszkoreit and others", VASWANI, "authors-not-first"),
        ("Ada Lovelace and others", "The ATLAS Collaboration; Ada Lovelace; Alan Turing", "authors-ok"),
        ("Wei Wang and others", "Wei Wang; Ada Lovelace; Wei Wang", "authors-ok"),
    ],
)
def test_and_others_follows_the_first_authors(names: str, people: str, code: str) -> None:
    finding = evaluated(cited(names), *twice(people)).findings["authors"]
    assert finding.code == code
    if code == "authors-not-first":
        assert finding.fixes["author"].startswith("Vaswani, ")
        assert finding.fixes["author"].endswith(" and others")


@pytest.mark.parametrize(
    ("names", "people", "author"),
    [
        ("Haonan, Yu and Jiang, Wang", "Haonan Yu; Jiang Wang", "Yu, Haonan and Wang, Jiang"),
        ("Y Haonan and W Jiang and H Zhiheng", "Haonan Yu; Jiang Wang; Zhiheng Huang",
         "Yu, Haonan and Wang, Jiang and Huang, Zhiheng"),
        ("Zongyan, Qiu and Turing, Alan", "Zongyan Qiu; Alan Turing", "Qiu, Zongyan and Turing, Alan"),
        ("Ada, Lovelace and Alan, Turing", "Ada Lovelace; Alan Turing", "Lovelace, Ada and Turing, Alan"),
        ("Haonan Yu and Jiang Wang", "Haonan Yu; Jiang Wang", ""),
        ("H. Yu and J. Wang", "Haonan Yu; Jiang Wang", ""),
        ("Yu, Haonan and Wang, Jiang", "Yu Haonan; Wang Jiang", ""),  # the record exchanges them
        ("Yi, Yang and Alan Turing", "Yi Yang; Alan Turing", ""),  # both are surnames
    ],
)  # fmt: skip
def test_exchanged_given_and_family_names(names: str, people: str, author: str) -> None:
    finding = evaluated(cited(names), *twice(people)).findings["authors"]
    assert (finding.code, finding.fixes.get("author", "")) == ("authors-exchanged" if author else "authors-ok", author)


def test_a_record_in_the_cited_order_stands_for_it() -> None:
    lines = (
        *twice("Haonan Yu; Jiang Wang"),
        record(TITLE, "Yu Haonan; Wang Jiang", source="openalex", venue="Nature", year=2001),
    )
    assert outcome(cited("Haonan, Yu and Jiang, Wang"), "authors", *lines)[0] in ("passed", "failed")


@pytest.mark.parametrize(
    "names",
    [
        "Jacob Devlin Ming-Wei Chang Kenton and Lee Kristina Toutanova",
        "Jacob Devlin and Ming-Wei and Chang Kenton Lee Kristina Toutanova",
    ],
)
def test_a_separator_inside_a_name_is_told_from_missing_people(names: str) -> None:
    people = "Jacob Devlin; Ming-Wei Chang; Kenton Lee; Kristina Toutanova"
    finding = evaluated(cited(names), *twice(people)).findings["authors"]
    assert finding.code == "authors-run-together"
    assert finding.fixes["author"] == "Devlin, Jacob and Chang, Ming-Wei and Lee, Kenton and Toutanova, Kristina"


def test_arxiv_shows_lists_as_submitters_typed_them() -> None:
    """A list that is run together in a preprint may be so on arXiv too, unless arXiv's record of the cited id shows otherwise."""
    people = "Ada Lovelace; Alan Turing; Grace Hopper"
    names = "Lovelace, Adaand Turing, Alan and Hopper, Grace"
    typed, named = cited(names, journal="arXiv"), cited(names, journal="arXiv", eprint=ARXIV, archiveprefix="arXiv")
    assert outcome(typed, "authors", eprint(people)) == ("failed", "authors-run-together")
    assert outcome(typed, "authors", eprint(people), prior=0.3) == ("failed", "authors-run-together")
    assert outcome(named, "authors", linked(eprint(people))) == ("failed", "authors-run-together")


@pytest.mark.parametrize(
    ("names", "code"),
    [
        ("Ada Lovelace and Alan Turing and Grace Hopper and Barbara Liskov and Niels Bohr", "authors-added"),
        ("Grace Hopper and Alan Turing and Barbara Liskov and Ada Lovelace", "authors-reordered"),
        ("Mary Lovelace and Alan Turing and Grace Hopper and Barbara Liskov", "authors-given-name"),
        ("Joseph Jacquard and Alan Turing and Grace Hopper and Barbara Liskov", "authors-partly-other"),
        ("Joseph Jacquard and Charles Wheatstone", "authors-other"),
    ],
)
def test_one_record_is_a_warning_in_a_bibliography_and_an_error_in_a_benchmark(names: str, code: str) -> None:
    warned = evaluated(cited(names), known())
    finding = warned.findings["authors"]
    assert (finding.outcome, finding.code, finding.evidence) == ("unverifiable", code, "single record")
    assert warned.verdict.name == "undecided"
    assert "only Crossref reports this" in finding.message
    in_benchmark = evaluated(cited(names), known(), prior=0.3).findings["authors"]
    assert (in_benchmark.outcome, in_benchmark.level) == ("failed", "error")
    two = evaluated(cited(names), *twice(), absent("arxiv")).findings["authors"]
    # A record with the first cited people only is a list that was cut.
    assert (two.code, two.evidence) == (code, "single record" if code == "authors-added" else "two records")


def test_sources_that_derive_from_one_another_are_one_record() -> None:
    lines = [known("Joseph Jacquard; Niels Bohr", source) for source in ("dblp", "mlanthology")]
    finding = evaluated(cited(), *lines).findings["authors"]
    assert stated(finding) == ("failed", "authors-other")
    assert finding.evidence == "single record"
    assert finding.message.endswith("DBLP and ML Anthology may share an error")


def test_a_name_that_may_have_been_changed_is_a_warning() -> None:
    claimed = cited("Amy Lovelace and Alan Turing and Grace Hopper and Barbara Liskov")
    finding = evaluated(claimed, known(), prior=0.3).findings["authors"]
    assert (finding.outcome, finding.code, finding.level) == ("unverifiable", "authors-renamed", "warning")


def test_the_list_without_the_repetition_is_the_fix() -> None:
    claimed = cited("Ada Lovelace and Alan Turing and Lovelace, Ada and others")
    finding = evaluated(claimed, *twice("Ada Lovelace; Alan Turing; Max Born")).findings["authors"]
    assert finding.fixes == {"author": "Lovelace, Ada and Turing, Alan and others"}
    both = [known("Ada Lovelace; Alan Turing"), known("Ada Lovelace; Alan Turing; Ada Lovelace", "dblp")]
    assert outcome(cited("Ada Lovelace and Alan Turing and Ada Lovelace"), "authors", *both)[0] == "passed"


def test_initials_that_are_a_family_name_do_not_break_a_list_of_commas() -> None:
    people = "Gokul P.; Neethu Thomas; Crisil Thomas; Deepa P. Gopinath"
    claimed = cited("G. P., N. Thomas, C. Thomas, and D. P. Gopinath")
    assert outcome(claimed, "authors", *twice(people)) == ("passed", "authors-ok")


def test_undefined_macros_are_nobody() -> None:
    text = f"@article{{a, author = LovelaceA # {{ and }} # TuringA, title = {{{TITLE}}}, journal = {{Nature}}, year = 2001}}"
    assert outcome(entry(text), "authors", *twice("Ada Lovelace; Alan Turing")) == ("unverifiable", "authors-missing")
    text = text.replace("LovelaceA", "{Ada Lovelace}")
    assert outcome(entry(text), "authors", *twice("Ada Lovelace; Alan Turing")) == ("passed", "authors-ok")


@pytest.mark.parametrize(
    "people",
    [
        "Alan Turing, Ada Lovelace, Barbara Liskov",
        "Ada Lovelace; Lovelace; Turing; Hopper; Liskov",
        "Ada Lovelace; Alan Turing; Turing; Grace Hopper",
        "Ada Lovelace; Alan Turing; Shaun D'; Angelo",
        "Ada Lovelace and Grace Murray",
    ],
)
def test_a_list_with_damaged_names_counts_for_nothing(people: str) -> None:
    assert outcome(cited(), "authors", known(people)) == ("unverifiable", "authors-unclear")
    other = known("Ada Lovelace; Alan Turing; Grace Hopper", "dblp")
    assert outcome(cited(), "authors", known(people), other) == ("failed", "authors-added")
    strangers = [known("Joseph Jacquard; Charles Wheatstone", source) for source in ("dblp", "pubmed")]
    assert outcome(cited(), "authors", known(people), strangers[0]) == ("failed", "authors-other")
    assert outcome(cited(), "authors", known(people), *strangers) == ("failed", "authors-other")


def test_the_fix_keeps_no_given_name_that_only_resembles_that_of_the_record() -> None:
    wrong = cited("Stephan Lovelace and A. Turing and Grace Brewster Hopper")
    finding = evaluated(wrong, *twice("Stephen Lovelace; Alan Turing; Grace Hopper; Barbara Liskov")).findings[
        "authors"
    ]
    assert finding.fixes == {
        "author": "Lovelace, Stephen and Turing, A. and Hopper, Grace Brewster and Liskov, Barbara"
    }


def test_the_people_of_a_work_whose_title_is_only_similar_convict_nobody() -> None:
    near = [
        replace(known("Alan Turing; Ada Lovelace", source), title=TITLE.replace("analysis", "synthesis"))
        for source in ("crossref", "dblp")
    ]
    assert outcome(cited("Ada Lovelace and Alan Turing"), "authors", *near) == ("unverifiable", "authors-unclear")


def test_the_fix_is_written_as_bibtex_wants_it() -> None:
    people = (
        Person(family="Beethoven", given="Ludwig", particle="van", suffix="Jr."),
        Person(literal="Analytical Engine Consortium", group=True),
        Person(literal="Alan Turing"),
    )
    right = Record(
        "crossref", "10.1000/x", title=TITLE, authors=people, venues=("Nature",), years=(2001,), doi="10.1000/x"
    )
    finding = evaluated(cited("Joseph Jacquard and Charles Wheatstone", doi="10.1000/x"), linked(right)).findings[
        "authors"
    ]
    assert finding.fixes == {"author": "van Beethoven, Jr., Ludwig and {Analytical Engine Consortium} and Turing, Alan"}


def test_editors_are_compared_with_editors() -> None:
    volume = reference(
        "proceedings", editor="Ada Lovelace and Alan Turing", title="Proceedings of the engine conference", year="2001"
    )
    people = (Person(literal="Joseph Jacquard"), Person(literal="Michael Faraday"))
    other = Record("crossref", "1", title="Proceedings of the engine conference", editors=people, years=(2001,))
    finding = evaluated(volume, other).findings["authors"]
    assert finding.code == "authors-other"
    assert list(finding.fixes) == ["editor"]


def test_an_author_is_not_held_against_the_editors_of_the_volume() -> None:
    edited = Record(
        "crossref", "1", title=TITLE, editors=(Person(literal="Richard Taylor"),), years=(2001,), venues=("Nature",)
    )
    assert outcome(cited(), "authors", edited) == ("unverifiable", "authors-unclear")


def test_thousands_of_names_are_shown_in_part() -> None:
    names = "; ".join(f"A. Physic{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(600))
    finding = evaluated(
        cited("Joseph Jacquard and Ada Lovelace", doi="10.1000/x"), linked(known(names, doi="10.1000/x"))
    ).findings["authors"]
    assert finding.evidence == "registry"
    assert finding.found.endswith("… (600 names)")


def test_a_namesake_does_not_convict_while_the_record_of_the_cited_doi_is_unseen() -> None:
    doi = "10.1103/physrev.47.777"
    title = "Can quantum mechanical description of physical reality be considered complete"
    claimed = reference("article", author="Albert Einstein and Boris Podolsky", title=title, journal="Phys. Rev.", year="1935",
                        doi=doi)  # fmt: skip
    namesake = record(
        title, "Niels Bohr", venue="Physical Review", year=1935, type="article", doi="10.1103/physrev.48.696"
    )
    assert outcome(claimed, "authors", namesake) == ("failed", "authors-other")
    assert outcome(claimed, "authors", namesake, replace(namesake, source="dblp")) == ("failed", "authors-other")
    registered = found(Record("doi_org", doi, doi=doi), kind="doi", value=doi)
    assert outcome(claimed, "authors", namesake, registered) == ("unverifiable", "authors-unclear")


@pytest.mark.parametrize("name", ["J?rg M?ller", "J\ufffdrg M\ufffdller", "Total St", "T."])
def test_a_name_that_lost_letters_neither_accuses_nor_confirms(name: str) -> None:
    one = cited("Ada Lovelace and Alan Turing and Total Stranger")
    lines = [known(f"Ada Lovelace; Alan Turing; {name}", source) for source in ("crossref", "dblp")]
    assert outcome(one, "authors", *lines)[0] == "unverifiable"
