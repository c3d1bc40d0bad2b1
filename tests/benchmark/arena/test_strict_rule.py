"""The Arena's strict rule: vectors computed with its code, and the choice among records."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_citecheck.benchmark import (
    ArenaReference,
    StrictResult,
    confidence,
    lenient_status,
    match_authors,
    match_record,
    same_title,
    same_year,
    strict_result,
    strict_scores,
    title_overlap,
)
from pytest_citecheck.model import (
    Absent,
    Answer,
    Evidence,
    Found,
    Location,
    Person,
    Query,
    QueryResult,
    Record,
    Reference,
)
from pytest_citecheck.model import Unavailable as Silent

BERT = "BERT: {} of Deep Bidirectional Transformers for Language Understanding"
VASWANI = ("Ashish Vaswani", "Noam Shazeer", "Niki Parmar")


@pytest.mark.parametrize(
    ("cited", "found", "overlap", "exact"),
    [
        ("Deep learning", "Deep learning in neural networks: An overview", 0.2857, False),
        (BERT.format("Pre-training"), BERT.format("Pretraining"), 1.0, False),
        ("Graph neural nets: a review", "Graph Neural Nets – A Review", 1.0, True),
        ("Metal–organic frameworks", "Metal-organic frameworks", 1.0, True),
        ("Alzheimers disease", "Alzheimer's disease", 1.0, False),
        ("深度学习 综述", "深度学习综述", 0.0, False),
    ],
)
def test_titles(cited: str, found: str, overlap: float, exact: bool) -> None:
    assert title_overlap(cited, found) == pytest.approx(overlap, abs=5e-5)
    assert same_title(cited, found) is exact


@pytest.mark.parametrize(
    ("cited", "found", "overlap", "strict"),
    [
        ("Vaswani and Shazeer and others", VASWANI, 2 / 3, True),
        ("Jumper, J. and Evans, R.", ("Jumper J", "Evans R", "Pritzel A"), 2 / 3, True),
        ("van den Oord, Aaron", ("Aäron van den Oord",), 0.0, False),
        ("Wang, Wei", ("Wei Wang 0001",), 0.0, False),
        ("Müller, B", ("B Muller",), 1.0, True),
        ("Mueller, B", ("B Müller",), 0.0, False),
        ("De Vos, J", ("De Vos J",), 1.0, True),
        ("", VASWANI, 1.0, True),
        ("李明", VASWANI, 1.0, True),
        ("Vaswani, A", (), 0.0, False),
        (r"Schr{\"o}dinger, E", ("Erwin Schrödinger",), 1.0, True),
    ],
)
def test_authors(cited: str, found: tuple[str, ...], overlap: float, strict: bool) -> None:
    shared, every = match_authors(cited, found)
    assert shared == pytest.approx(overlap)
    assert every is strict


def test_confidence() -> None:
    assert confidence(0.8, 0.5, year=False) == 0.55
    stated = Record("x", "1", title="one two three four", years=(2019,), doi="10.1/X",
        authors=(Person(family="Berg", given="A"), Person(family="Stein", given="B")))  # fmt: skip
    cited = {"title": "one two three four", "author": "Berg, A", "year": "2020", "doi": "10.1/x"}
    half = match_record(cited, stated)
    assert (half.confidence, half.status, half.doi) == (0.65, "NOT_FOUND", True)
    worse = match_record(cited | {"title": "one two three four five"}, stated)
    assert worse.detail == "T:80%, A:50%, Y:✗"
    assert worse.confidence == 0.55


def test_years() -> None:
    assert [same_year("2019", "2018"), same_year("", "2018"), same_year("2019", "")] == [False, True, True]


def test_the_lenient_profile() -> None:
    statuses = [lenient_status(StrictResult("NOT_FOUND", number)) for number in (0.7, 0.69, 0.4, 0.39)]
    assert statuses == ["VERIFIED", "SUSPECT", "SUSPECT", "NOT_FOUND"]
    assert lenient_status(StrictResult("ERROR", 0.9)) == "ERROR"


def record(source: str, title: str = "A Study of Birds", year: int = 2020) -> Record:
    return Record(source, "1", title=title, authors=(Person(family="Berg", given="Anna"),), years=(year,), doi="10.1/b")


def asked(source: str, answer: Answer, kind: str = "title") -> QueryResult:
    return QueryResult(source, Query(kind, "x"), answer)  # type: ignore[arg-type]


CITED = Reference(
    "k", "article", {"title": "A Study of Birds", "author": "Berg, Anna", "year": "2020"}, Location("f", 1, 1)
)


def test_the_first_source_of_the_route_that_verifies_counts() -> None:
    evidence = Evidence((asked("arxiv", Found((record("arxiv"),))), asked("dblp", Found((record("dblp"),)))))
    assert strict_result(CITED, evidence, "computer_science").source == "dblp"
    assert strict_result(CITED, evidence, "physics").source == "arxiv"
    assert strict_result(CITED, evidence, "physics").status == "VERIFIED"


def test_the_nearest_record_stays_and_an_outage_is_an_error() -> None:
    near = asked("crossref", Found((record("crossref", year=2021),)))
    result = strict_result(CITED, Evidence((near, asked("dblp", Absent()))), "other")
    assert (result.status, result.confidence, result.title, result.year) == ("NOT_FOUND", 0.8, True, False)
    assert strict_result(CITED, Evidence((near, asked("arxiv", Silent("timeout")))), "other").status == "ERROR"
    far = asked("crossref", Found((record("crossref", title="Something else entirely", year=2021),)))
    assert strict_result(CITED, Evidence((far,)), "other").confidence == 0.0


def test_what_a_doi_leads_to_counts_only_if_it_matches() -> None:
    by_doi = asked("crossref", Found((record("crossref", year=2021),)), "doi")
    assert strict_result(CITED, Evidence((by_doi,)), "other") == StrictResult("NOT_FOUND", detail="crossref")
    same = asked("crossref", Found((record("crossref"),)), "doi")
    assert strict_result(CITED, Evidence((same,)), "other").confidence == 1.0


def test_six_queries_with_a_real_and_an_invented_reference_each() -> None:
    real = ArenaReference(
        "m", "q", cited=frozenset({"doi", "year", "authors"}), year=2020,
        strict=StrictResult("VERIFIED", 1.0, "crossref", 2020, True, True, True, True),
    )  # fmt: skip
    fake = replace(real, cited=frozenset({"year", "authors"}), year=2021, strict=StrictResult("NOT_FOUND"))
    references = [
        replace(one, query=f"q{number}", latest=2020 if number == 3 else None)
        for number in range(6)
        for one in (real, fake)
    ]
    (scores,) = strict_scores(references)["rankings"]
    expected = {"overall_accuracy": 0.5, "doi_accuracy": 0.5, "avg_confidence": 1.0, "year_compliance_rate": 0.5}
    expected |= {"hallucination_rate": 0.5}
    assert {name: scores[name] for name in expected} == expected
    assert scores["completeness"] == pytest.approx(5 / 6)


def test_the_text_of_a_result_is_read_again() -> None:
    result = StrictResult("NOT_FOUND", 0.65, "dblp", 2019, title=True, detail="T:80%, A:50%, Y:✗")
    assert StrictResult.from_text(result.to_text()) == result
    with pytest.raises(ValueError):
        StrictResult.from_text('{"other": 1}')
