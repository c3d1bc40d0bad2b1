"""Faults of the Reference Hallucination Arena that this package must not have: one test for each, named W1 to W26.

Other tests are next to the code: W15 to W20 in `test_asking`, W21 to W24 in `tests/models/chat` and in this folder.
"""

from __future__ import annotations

import importlib
from dataclasses import replace

import pytest

from pytest_citecheck.benchmark import ArenaReference, arena_scores, status, strict_result
from pytest_citecheck.checks import evaluate
from pytest_citecheck.evidence import AbsenceContext
from pytest_citecheck.inputs import cited_metadata, name_list, references_in
from pytest_citecheck.matching import compare_authors, compare_titles
from pytest_citecheck.model import Location, NameList, Person, Query, Reference
from pytest_citecheck.sources import ARXIV, CROSSREF, crossref_record, parse_publication, parse_xml
from pytest_citecheck.thresholds import PRIOR_OF_MODELS
from tests.support.evidence_builders import TODAY, absent, entry, evaluated, found, record, silent

TITLE = "Notes on the analysis of difference engines"
BERT = "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"
TWO = "Ada Lovelace; Alan Turing"
CITED = (
    f"@article{{k, author = {{Ada Lovelace and Alan Turing}}, title = {{{TITLE}}}, year = 2001, journal = {{Nature}}}}"
)


def read(answer: str) -> list[Reference]:
    return references_in(answer, Location("answers.jsonl", 1, 1))[0]


def people(text: str) -> NameList:
    return name_list(text)


@pytest.mark.parametrize("reason", ["http-429", "http-503", "timeout"])
def test_w1_an_outage_is_no_hallucination(reason: str) -> None:
    reference = entry(CITED)
    evaluation = evaluated(reference, silent("crossref", reason=reason), absent("dblp"))
    codes = {name: finding.code for name, finding in evaluation.findings.items()}
    one = ArenaReference("m", "q", verdict=evaluation.verdict.name, codes=codes)
    assert status(one) == "ERROR"
    assert strict_result(reference, evaluation.case.evidence, "other").status == "ERROR"


@pytest.mark.parametrize(
    ("cited", "stated"),
    [
        ("van den Oord, Aaron", "Aäron van den Oord"),
        ("Garc{\\'\\i}a M{\\'a}rquez, Gabriel", "Gabriel García Márquez"),
        ("de Freitas, Nando", "Nando de Freitas"),
        ("King, Jr., Martin Luther", "Martin Luther King, Jr."),
        ("Gates, III, William", "William Gates III"),
    ],
)
def test_w2_compound_surnames(cited: str, stated: str) -> None:
    assert compare_authors(people(cited), [Person(literal=stated)]).code == ""


def test_w3_homonym_numbers_of_dblp() -> None:
    element = '<article key="journals/x/y"><author>Wei Wang 0001</author><title>A Title.</title></article>'
    parsed = parse_publication(parse_xml(element.encode()))
    assert parsed is not None
    assert compare_authors(people("Wang, Wei"), parsed.authors).code == ""


def test_w4_the_year_of_a_deposit_is_no_year() -> None:
    work = {"DOI": "10.1/x", "title": ["T"], "created": {"date-parts": [[2021]]}, "type": "journal-article"}
    parsed = crossref_record(work | {"published-print": {"date-parts": [[2017]]}})
    bare = crossref_record(work)
    assert parsed is not None
    assert bare is not None
    assert (parsed.years, bare.years) == ((2017,), ())


@pytest.mark.parametrize(
    ("cited", "stated"),
    [(r"Schr{\"o}dinger, Erwin", "Erwin Schrödinger"), ("Straße, A.", "A. Strasse"), (r"{\O}rsted, H", "H. Ørsted")],
)
def test_w5_accents(cited: str, stated: str) -> None:
    assert compare_authors(people(cited), [Person(literal=stated)]).code == ""


@pytest.mark.parametrize(
    ("cited", "stated"),
    [
        ("A Pre-training of Deep Nets", "A Pretraining of Deep Nets"),
        ("Splitting of H$_2$O by Light", "Splitting of H<sub>2</sub>O by Light"),
        ("Search & Rescue in Deserts", "Search and Rescue in Deserts"),
        (r"On $\beta$-decay in Nuclei", "On β-decay in Nuclei"),
        ("On Efﬁcient Search in Graphs", "On Efficient Search in Graphs"),
        ("A Theory of Proofs (Extended Abstract)", "A Theory of Proofs"),
        ("深度学习 综述", "深度学习综述"),
    ],
)
def test_w6_titles(cited: str, stated: str) -> None:
    title = cited_metadata(entry(f"@misc{{k, title = {{{cited}}}}}")).title
    known = record(stated, "A B")
    case = evaluated(entry(f"@misc{{k, author = {{B, A}}, title = {{{cited}}}, year = 2001}}"), found(known))
    assert compare_titles(title, stated).relation == "same" or case.case.works


@pytest.mark.parametrize("field", ["booktitle", "shorttitle"])
def test_w7_a_title_is_no_part_of_another_field(field: str) -> None:
    (one,) = read(f"@inproceedings{{k, {field} = {{Proceedings of Something}}, title = {{{TITLE}}}, year = 2001}}")
    assert one.fields["title"] == TITLE


@pytest.mark.parametrize(
    "doi", ["https://doi.org/10.1000/A_b", "doi:10.1000/a_b", "10.1000/a_b.", r"10.1000/a\_b", "DOI 10.1000/a_b"]
)
def test_w8_forms_of_dois(doi: str) -> None:
    assert cited_metadata(entry(f"@article{{k, title = {{T}}, doi = {{{doi}}}}}")).identifiers.doi == "10.1000/a_b"


def test_w9_arxiv_ids_and_quoted_titles() -> None:
    cited = cited_metadata(entry("@misc{k, title = {T}, eprint = {arXiv:1706.03762v5}}")).identifiers
    assert (cited.arxiv, cited.arxiv_version) == ("1706.03762", 5)
    by_id = ARXIV.request([Query("arxiv", cited.arxiv)]).url
    by_title = ARXIV.request([Query("title", TITLE)]).url
    assert "id_list=1706.03762" in by_id
    assert "ti%3a%22notes%20on%20the" in by_title.lower().replace("+", "%20")


def test_w10_a_search_names_an_author() -> None:
    assert "Lovelace" in CROSSREF.request([Query("title", TITLE, ("Lovelace", "Turing"))]).url


def test_w11_omission_is_not_rewarded() -> None:
    bare = evaluated(entry("@misc{k, title = {Introduction}}"), found(record("Introduction", TWO, year=2001)))
    assert bare.verdict.name != "verified"
    silent_one = ArenaReference("m", "q", verdict="verified", outcomes={"title": "passed"},
                                codes={"authors": "authors-missing"})  # fmt: skip
    (scores,) = arena_scores([silent_one])["rankings"]
    assert scores["fields"]["author"]["accuracy"] is None
    smith = compare_authors(people("Smith J"), [Person(literal="Ada Lovelace")])
    assert smith.code != ""


def test_w12_a_stolen_doi_and_a_wrong_venue_are_seen() -> None:
    real = record(TITLE, TWO, year=2001, venue="Nature", doi="10.1000/own")
    other = record("Something else entirely", "Grace Hopper", year=1999, venue="Science", doi="10.1000/other")
    stolen = evaluated(
        entry(CITED.replace("year", "doi = {10.1000/other}, year")),
        found(real, value=TITLE), found(other, kind="doi", value="10.1000/other"),
    )  # fmt: skip
    assert stolen.findings["doi"].code == "doi-other-work"
    elsewhere = evaluated(
        entry(CITED.replace("Nature", "Cell")), found(real), found(replace(real, source="dblp"), source="dblp")
    )
    assert elsewhere.findings["venue"].code == "venue-elsewhere"
    many = AbsenceContext(prior=PRIOR_OF_MODELS)
    in_an_answer = evaluate(elsewhere.case.reference, elsewhere.case.evidence, TODAY, absences=many)
    assert in_an_answer.findings["venue"].outcome == "failed"


def test_w13_answers_without_references_and_repeats_count() -> None:
    good = ArenaReference("m", "a", requested=5, verdict="verified", outcomes={"title": "passed"})
    repeats = [replace(good, duplicate=True)] * 4
    failed = ArenaReference("m", "b", requested=5, delivery="failed")
    refused = ArenaReference("m", "c", requested=5, delivery="empty")
    (scores,) = arena_scores([good, *repeats, failed, refused])["rankings"]
    assert (scores["requested"], scores["delivered"], scores["duplicates"]) == (15, 1, 4)
    assert scores["verified_of_requested"] == pytest.approx(1 / 15)


def test_w14_only_verified_years_comply() -> None:
    near = ArenaReference("m", "a", verdict="fabricated", year=2001, found_years=(2001,), latest=2005)
    (scores,) = arena_scores([near, replace(near, verdict="verified")])["rankings"]
    assert scores["year_compliance"]["unknown"] == 1
    assert (scores["year_compliance"]["rate"], len(scores["verification_interval"])) == (1.0, 2)


@pytest.mark.parametrize("kind", ["online", "incollection", "inbook", "mastersthesis", "conference"])
def test_w22_all_types_of_entries_are_read(kind: str) -> None:
    (one,) = read(f"Here:\n@{kind}{{k, title = {{{TITLE}}}, year = 2001}}")
    assert one.fields["title"] == TITLE
    assert read("") == []


def test_w26_many_models_have_many_colours() -> None:
    pytest.importorskip("matplotlib")
    colours = importlib.import_module("pytest_citecheck.reports.charts").colours
    assert len(set(map(str, colours(14)))) == 14


def test_the_smoke_bibliography() -> None:
    """Two real works, one of them cited as its preprint, and an invented one."""
    vaswani = record(
        "Attention is All you Need", "Ashish Vaswani; Noam Shazeer", year=2017, venue="NeurIPS", source="dblp"
    )
    devlin = record(BERT, "Jacob Devlin; Ming-Wei Chang", year=2018, venue="arXiv", source="arxiv", arxiv="1810.04805")
    cited = [
        (("@inproceedings{a, author={Vaswani, A. and Shazeer, N.}, title={Attention Is All You Need}, year=2017, "
         "booktitle={NeurIPS}}"), [found(vaswani)]),
        ((f"@article{{b, author={{Devlin, J. and others}}, title={{{BERT}}}, year=2018, "
         "journal={arXiv preprint arXiv:1810.04805}}"), [found(devlin, kind="arxiv", value="1810.04805")]),
        (CITED.replace("2001", "2024"), [absent("crossref"), absent("dblp")]),
    ]  # fmt: skip
    verdicts = [evaluated(entry(text), *answers).verdict.name for text, answers in cited]
    assert verdicts[:2] == ["verified", "verified"]
    assert verdicts[2] != "verified"
