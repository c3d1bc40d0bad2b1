"""A correction is certain only if a registry or two independent sources back it."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_citecheck.fixing import FieldEdit, corrections, why_not_corrected
from pytest_citecheck.model import QueryResult, Record, Reference
from tests.support.evidence_builders import absent, entry, evaluated, linked, record

TITLE = "Regret Bounds for Stochastic Bandits with Delays"
PEOPLE = "Ada Lovelace; Alan Turing; Grace Hopper"
CITED = f"""@inproceedings{{key, author = {{Jane Roe and John Roe}}, title = {{{TITLE}}},
  booktitle = {{International Conference on Machine Learning}}, year = {{2019}}}}"""

LEFT_OUT = CITED.replace("Jane Roe and John Roe", "Ada Lovelace and Grace Hopper")


def certain(cited: Reference, *lines: QueryResult | Record, unsafe: bool = False) -> dict[str, tuple[str, ...]]:
    return {one.field: one.sources for one in corrections(evaluated(cited, *lines), FieldEdit(unsafe=unsafe))}


def one(source: str, **fields: Any) -> Record:
    place = {"venue": "International Conference on Machine Learning", "type": "inproceedings", "year": 2019} | fields
    return record(TITLE, PEOPLE, source, **place)


def test_one_source_is_not_enough_unless_it_is_a_registry() -> None:
    cited = entry(CITED)
    assert certain(cited, one("dblp")) == {}
    assert certain(cited, one("dblp"), unsafe=True) == {}  # a warning is left to people
    assert certain(cited, one("dblp"), one("semantic_scholar", compiled=True)) == {}
    assert certain(cited, one("crossref", doi="10.1/x")) == {}
    behind = entry(CITED.replace("year =", "doi = {10.1000/x}, year ="))
    assert certain(behind, linked(one("crossref", doi="10.1000/x"))) == {"author": ("Crossref",)}
    assert certain(behind, linked(one("dblp_record", doi="10.1000/x"))) == {}
    assert certain(cited, one("dblp"), one("acl_anthology")) == {}  # nobody of the cited people would stay
    assert certain(entry(LEFT_OUT), one("dblp"), one("acl_anthology")) == {"author": ("DBLP", "ACL Anthology")}


def test_sources_that_take_from_each_other_are_one() -> None:
    cited = entry(LEFT_OUT)
    assert certain(cited, one("dblp"), one("mlanthology-2024")) == {}
    assert certain(cited, one("dblp"), one("semantic_scholar", compiled=True)) == {}
    assert certain(cited, one("dblp"), one("zbmath")) == {"author": ("DBLP", "zbMATH Open")}


def test_where_and_when_a_second_source_may_have_compiled_it() -> None:
    cited = entry(
        CITED.replace("Jane Roe and John Roe", "Ada Lovelace and Alan Turing and Grace Hopper").replace("2019", "2029")
    )
    assert certain(cited, one("dblp")) == {}
    assert certain(cited, one("dblp"), one("semantic_scholar", compiled=True))["year"] == ("DBLP", "Semantic Scholar")


def test_a_denied_doi_becomes_the_one_in_a_record_of_the_work() -> None:
    text = CITED.replace("Jane Roe and John Roe", "Ada Lovelace and Alan Turing and Grace Hopper")
    cited = entry(text.replace("year =", "doi = {10.9999/none}, year ="))
    denied = absent("doi_org", "doi", "10.9999/none", "doi.org: the Handle System has no such DOI")
    assert certain(cited, denied, one("crossref", doi="10.1/x")) == {"doi": ("Crossref",)}
    assert certain(cited, denied, one("dblp", doi="10.1/x")) == {"doi": ("DBLP",)}
    assert certain(cited, denied, one("semantic_scholar", doi="10.1/x", compiled=True)) == {}
    assert certain(cited, denied, one("dblp", doi="10.1/x"), one("acl_anthology", doi="10.1/y")) == {}
    (gone,) = corrections(evaluated(cited, denied, one("dblp")), FieldEdit())
    assert (gone.field, gone.value) == ("doi", "")


RIGHT = "author = {Ada Lovelace and Alan Turing and Grace Hopper}"
WRONG_DOIS = {
    "malformed": ("http://dl.acm.org/citation.cfm?id=1", ()),
    "denied": (
        "10.9999/none",
        (absent("doi_org", "doi", "10.9999/none", "doi.org: the Handle System has no such DOI"),),
    ),
    "of another work": (
        "10.9999/weaving",
        (linked(record("Weaving", "Joseph Jacquard", "crossref", doi="10.9999/weaving", year=1999)),),
    ),
}


@pytest.mark.parametrize("kind", WRONG_DOIS)
@pytest.mark.parametrize("source", ["crossref", "dblp", "mlanthology-2024"])
def test_a_wrong_doi_becomes_the_one_that_the_message_shows(kind: str, source: str) -> None:
    wrong, lines = WRONG_DOIS[kind]
    cited = entry(CITED.replace("author = {Jane Roe and John Roe}", f"{RIGHT}, doi = {{{wrong}}}"))
    (fix,) = corrections(evaluated(cited, *lines, one(source, doi="10.1/x")), FieldEdit())
    assert (fix.field, fix.value) == ("doi", "10.1/x")


def test_a_missing_doi_needs_two_records() -> None:
    cited = evaluated(entry(CITED.replace("author = {Jane Roe and John Roe}", RIGHT)), one("dblp", doi="10.1/x"))
    assert corrections(cited, FieldEdit(add_doi=True)) == ()


NAMED = "doi = {10.1000/x}, "
REGISTRY = (linked(one("crossref", doi="10.1000/x")),)
TWO = (one("dblp"), one("acl_anthology"))
AUTHORS = (  # cited authors, other fields, records, and whether the authors are corrected
    ("Ada Lovelace and Grace Hopper", "", TWO, True),  # one is left out
    ("Ada Lovelace and Alan Turing", "", TWO, True),
    ("Ada Lovelace and Brian Turing and Grace Hopper", NAMED, REGISTRY, False),
    ("Alan Turing and Ada Lovelace and Grace Hopper", "", TWO, False),  # another order, as on arXiv
    ("Ada Lovelace and Alan Turing and Grace Hopper and Jane Roe", "", TWO, False),  # joined since
    ("Ada Lovelace and Jane Roe and Grace Hopper", "", TWO, False),
    ("Jane Roe and John Roe", "", TWO, False),
    ("Jane Roe and John Roe", NAMED, REGISTRY, True),
    ("Jane Roe and others", "", TWO, False),
    ("Jane Roe and others", NAMED, REGISTRY, False),
    ("Jane Roe and Ada Lovelace and others", NAMED, REGISTRY, False),
)


@pytest.mark.parametrize(("authors", "fields", "lines", "corrected"), AUTHORS)
def test_whose_names_are_written(
    authors: str, fields: str, lines: tuple[QueryResult | Record, ...], corrected: bool
) -> None:
    cited = entry(CITED.replace("author = {Jane Roe and John Roe}", f"author = {{{authors}}}, {fields}"))
    assert ("author" in certain(cited, *lines)) == corrected


@pytest.mark.parametrize(
    ("type_", "corrected"), [("inproceedings", True), ("article", True), ("book", False), ("phdthesis", False)]
)
def test_no_value_of_another_type_of_work_is_written(type_: str, corrected: bool) -> None:
    text = CITED.replace("@inproceedings", f"@{type_}").replace(
        "Jane Roe and John Roe", "Ada Lovelace and Grace Hopper"
    )
    assert ("author" in certain(entry(text), *TWO)) == corrected


def test_the_findings_that_are_selected() -> None:
    cited, known = entry(CITED.replace("year =", "doi = {10.1000/x}, year =")), linked(one("crossref", doi="10.1000/x"))
    assert corrections(evaluated(cited, known), FieldEdit(frozenset({"venue", "doi"}))) == ()
    assert corrections(evaluated(cited, known), FieldEdit(frozenset({"authors"})))
    assert corrections(evaluated(cited, known), FieldEdit(frozenset({"authors-other"})))


def test_a_preprint_becomes_its_publication_if_asked() -> None:
    cited = entry(
        f"@article{{k, author={{Ada Lovelace and Alan Turing and Grace Hopper}}, title={{{TITLE}}}, "
        "journal={arXiv preprint arXiv:1901.00001}, year={2019}}"
    )
    known = (
        linked(record(TITLE, PEOPLE, "arxiv", arxiv="1901.00001", year=2019, venue="arXiv", type="preprint")),
        one("crossref", doi="10.1/x"),
    )
    assert certain(cited, *known) == {}
    found = corrections(evaluated(cited, *known), FieldEdit(upgrade=True))
    assert {one.field: one.value for one in found} == {
        "@": "inproceedings",
        "journal": "",
        "booktitle": "International Conference on Machine Learning",
        "doi": "10.1/x",
    }
    assert all(one.certain for one in found)


def test_an_invented_title_over_a_real_doi_is_not_replaced_by_that_work() -> None:
    cited = entry(
        "@article{k, author={Jane Roe}, title={Replica Symmetry Breaking in Driven Lattices}, journal={Physical Review Letters},"
        " volume={77}, pages={3865--3868}, year={1996}, doi={10.1/prl}}"
    )
    other = record(
        "Generalized Gradient Approximation Made Simple", "John P. Perdew; Kieron Burke", doi="10.1/prl", year=1996,
        venue="Physical Review Letters", type="article", pages="3865-3868", volume="77",
    )  # fmt: skip
    assert certain(cited, linked(other)) == {}


def test_what_is_left_is_named_with_its_reason() -> None:
    cited = entry(CITED)
    single = evaluated(cited, one("dblp"))
    assert why_not_corrected(single, FieldEdit(), cited).startswith(
        "authors-other: only one record supports author = {Lovelace, Ada"
    )
    assert why_not_corrected(single, FieldEdit(select=frozenset({"venue"})), cited) == ""
    assert why_not_corrected(single, FieldEdit(waived=lambda *_: True), cited) == ""
    twice = evaluated(
        cited, record(TITLE, "Ada Lovelace; Ada Lovelace", "dblp", venue="ICML", year=2019, type="inproceedings")
    )
    assert why_not_corrected(twice, FieldEdit(), cited).endswith(": no correction is known")
