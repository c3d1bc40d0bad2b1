"""Cited identifiers that no source has: evidence against them, and no verification."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pytest_citecheck.model import QueryResult, Record, Reference
from tests.support.evidence_builders import absent, evaluated, found, linked, outcome, record, reference, silent

TITLE = "Notes on the analysis of difference engines"
TWO = "Ada Lovelace; Alan Turing"
DOI = "10.1109/iccv.2019.00612"
ACL = "10.18653/v1/p19-1001"
WRONG = "10.1109/iccv.2019.00613"


def cited(doi: str = WRONG, **fields: str) -> Reference:
    place = {} if "eprint" in fields else {"booktitle": "ICCV"}
    return reference(
        "inproceedings" if place else "misc",
        **{"author": "Ada Lovelace and Alan Turing", "title": TITLE, "year": "2019", "doi": doi, **place, **fields},
    )


def known(source: str = "dblp", doi: str = DOI, **fields: Any) -> Record:
    stated = {"venue": "ICCV", "year": 2019, "type": "inproceedings", "doi": doi, "id": source} | fields
    return record(TITLE, TWO, source=source, **stated)


def preprint(source: str = "arxiv", arxiv: str = "1905.04899", **fields: Any) -> Record:
    return record(TITLE, TWO, source=source, arxiv=arxiv, venue="arXiv", year=2019, type="preprint", **fields)


def eprint(number: str) -> Reference:
    return cited("", eprint=number, archiveprefix="arXiv")


UNSEEN = [absent("index", "doi", WRONG), absent("index", "doi", DOI)]


@pytest.mark.parametrize(
    ("reference_", "lines", "expected"),
    [
        (cited(), [known(), known("mlanthology")], ("failed", "doi-other-number")),
        (cited(), [known(), known("papercopilot"), silent("crossref")], ("failed", "doi-other-number")),
        (cited(DOI), [known(), known("mlanthology")], ("passed", "doi-ok")),
        # One statement is a warning.
        (cited(), [known()], ("failed", "doi-other-number")),
        (cited(), [known(), known("dblp-crawl")], ("failed", "doi-other-number")),
        (cited(), [known("mlanthology"), known("papercopilot")], ("failed", "doi-other-number")),
        (cited(), [known(), known("openalex", compiled=True)], ("failed", "doi-other-number")),
        (cited(), [known(year=2018)], ("unverifiable", "not-found")),
        (cited(), [preprint(doi=DOI)], ("unverifiable", "not-found")),
        # So are two statements in records that do not state the cited venue.
        (cited(), [known(venue=""), known("mlanthology", venue="")], ("failed", "doi-other-number")),
        # what the two state is of another version, of two, of another registrant, of the whole volume
        (cited(), [known(venue="ICML"), known("mlanthology", venue="ICML")], ("unverifiable", "not-found")),
        (cited(), [known(), known("mlanthology"), known("acl", "10.1109/iccv.2019.00001")], ("unverifiable", "not-found")),
        (cited("10.5281/zenodo.12"), [known(), known("mlanthology")], ("unverifiable", "not-found")),
        (cited("10.1007/978-3-031-19836-6_20", booktitle="ECCV"), [known(doi="10.1007/978-3-031-19836-6", venue="ECCV"),
         known("mlanthology", doi="10.1007/978-3-031-19836-6", venue="ECCV")], ("unverifiable", "not-found")),
        # the registry decides where it answered
        (cited(), [absent("doi_org", "doi", WRONG, "doi.org has every DOI"), known(), known("mlanthology")],
         ("failed", "doi-unregistered")),
        (cited(), [found(record("", id=WRONG, source="doi_org", doi=WRONG), kind="doi", value=WRONG), known(),
                   known("mlanthology")], ("unverifiable", "doi-registered")),
        # beyond the volume: 1,075 papers of ICCV 2019 are known, the last is 01083
        (cited("10.1109/iccv.2019.07000"), [known()], ("failed", "doi-beyond-volume")),
        (cited("10.1109/iccv.2019.01100"), [known()], ("failed", "doi-other-number")),
        (cited("10.1109/iccv.2019.01100"), [], ("unverifiable", "not-found")),
        (cited("10.1109/iccv.2019.07000"), [], ("failed", "doi-beyond-volume")),
        # a prefix that no registrant has
        (cited("10.98765/4407"), [known()], ("failed", "doi-prefix")),
        (cited("10.98765/4407"), [], ("failed", "doi-prefix")),
        # arXiv
        (eprint("1905.04898"), [preprint()], ("failed", "arxiv-other-number")),
        (eprint("1905.04899"), [preprint()], ("passed", "arxiv-ok")),
        (eprint("1905.04898"), [preprint(), preprint(arxiv="1905.04897")], ("unverifiable", "not-found")),
        (eprint("1905.04898"), [known(arxiv="1905.04899")], ("failed", "arxiv-other-number")),
        (eprint("1905.04898"), [known("openalex", arxiv="1905.04899", compiled=True)], ("unverifiable", "not-found")),
        (eprint("1905.04898"), [known(arxiv="1905.04899"), known("mlanthology", arxiv="1905.04899")],
         ("failed", "arxiv-other-number")),
        (eprint("1905.04898"), [record(TITLE, "Grace Hopper", source="arxiv", arxiv="1905.04899", venue="arXiv", year=2019)],
         ("unverifiable", "not-found")),
        (eprint("2405.79999"), [known()], ("failed", "arxiv-beyond-month")),
        (eprint("3105.00001"), [known()], ("failed", "arxiv-beyond-month")),
    ],
)  # fmt: skip
def test_outcome(reference_: Reference, lines: list[QueryResult | Record], expected: tuple[str, str]) -> None:
    arxiv = reference_.fields.get("eprint", "")
    asked = [absent("index", "arxiv", arxiv)] if arxiv else [absent("index", "doi", reference_.fields["doi"])]
    assert outcome(reference_, "doi", *asked, *lines) == expected


def test_one_statement_is_a_warning_in_a_bibliography_and_an_error_in_a_benchmark() -> None:
    warned = evaluated(cited(), *UNSEEN, known())
    assert warned.findings["doi"].likelihood_ratio > 1
    assert warned.findings["doi"].fixes == {"doi": DOI}
    assert warned.verdict.name == "undecided"
    assert outcome(cited(), "doi", *UNSEEN, known(), prior=0.3) == ("failed", "doi-other-number")
    number: list[QueryResult | Record] = [absent("index", "arxiv", "1905.04898"), known(arxiv="1905.04899")]
    assert outcome(eprint("1905.04898"), "doi", *number, prior=0.3) == ("failed", "arxiv-other-number")


def test_a_warning_about_one_identifier_is_not_hidden_by_another_one_that_is_right() -> None:
    claimed = cited(DOI, eprint="1905.04898", archiveprefix="arXiv", booktitle="ICCV")
    lines: list[QueryResult | Record] = [
        absent("index", "arxiv", "1905.04898"), linked(known()), known("mlanthology", arxiv="1905.04899"),
    ]  # fmt: skip
    assert outcome(claimed, "doi", *lines) == ("failed", "arxiv-other-number")
    assert outcome(claimed, "doi", *lines[1:2]) == ("passed", "doi-ok")


@pytest.mark.parametrize("prior", [None, 0.3])
def test_a_number_in_a_field_that_no_style_prints_is_not_even_a_warning(prior: float | None) -> None:
    hidden = cited("", ee=f"https://doi.org/{WRONG}")
    assert outcome(hidden, "doi", *UNSEEN, known(), prior=prior) == ("unverifiable", "doi-to-add")


def test_the_fix_is_what_the_records_state() -> None:
    wrong = evaluated(cited(), *UNSEEN, known(), known("mlanthology"), prior=0.3)
    assert wrong.findings["doi"].fixes == {"doi": DOI}
    assert wrong.findings["doi"].found == DOI
    assert wrong.verdict.type == "fabricated_doi"
    number = evaluated(eprint("1905.04898"), absent("index", "arxiv", "1905.04898"), preprint())
    assert number.findings["doi"].fixes == {"eprint": "1905.04899"}


@pytest.mark.parametrize(
    ("reference_", "lines", "verdict"),
    [
        (cited(), [known()], "undecided"),
        (cited(), [known(doi="")], "undecided"),
        (cited(DOI), [known()], "verified"),
        (cited(ACL, booktitle="ACL"), [known(doi="", venue="ACL", related=(("acl", "P19-1001"),))], "verified"),
        (cited(ACL, booktitle="ACL"), [known(doi="", venue="ACL", related=(("acl", "P19-1002"),))], "undecided"),
        (cited(ACL, booktitle="ACL"), [known(doi="", venue="ACL"),
         record("Notes on the synthesis of looms", TWO, source="acl", related=(("acl", "P19-1001"),))], "undecided"),
        (cited("10.1109/p19-1001"), [known(doi="", related=(("openreview", "10.1109/p19-1001"),))], "undecided"),
        (cited("", eprint="1905.04899"), [known(doi="")], "undecided"),
        (cited("", eprint="1905.04899"), [preprint()], "verified"),
        (cited("10.48550/arxiv.1905.04899"), [known(doi=""), preprint()], "verified"),
        (cited("", eprint="1905.04899"), [known(doi="", related=(("has-preprint", "10.48550/arXiv.1905.04899"),))], "verified"),
        (cited(""), [known()], "verified"),
        (cited(), [found(record("", id=WRONG, source="doi_org", doi=WRONG), kind="doi", value=WRONG), known()], "verified"),
    ],
)  # fmt: skip
def test_what_nobody_has_seen_is_not_verified(
    reference_: Reference, lines: list[QueryResult | Record], verdict: str
) -> None:
    judged = evaluated(reference_, *lines).verdict
    assert judged.name == verdict
    if verdict == "undecided":
        assert re.search("no source queried has a record of the cited|probably wrong: doi-other-number", judged.reason)


def test_a_registered_doi_that_is_not_cited_leaves_nothing_unseen() -> None:
    """The DOI is queried because a record of the work has it."""
    of_another = record("The whole volume", "Grace Hopper", doi=DOI)
    assert not evaluated(cited(""), found(of_another, kind="doi", value=DOI), known()).case.unseen_doi
    registered = found(record("", id=DOI, source="doi_org", doi=DOI), kind="doi", value=DOI)
    assert evaluated(cited(DOI), registered, known(doi="")).case.unseen_doi
