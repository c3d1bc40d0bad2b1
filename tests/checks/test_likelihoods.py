"""Likelihood ratios of single evidence, and the level of the findings that rest on it."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_citecheck import checks
from pytest_citecheck.checks import LIKELIHOODS, Likelihood, ReferenceCase, single_evidence
from pytest_citecheck.evidence import AbsenceContext
from pytest_citecheck.model import Absent, Answer, Found, Query, QueryKind, QueryResult, Record, Reference
from pytest_citecheck.net import asked
from pytest_citecheck.thresholds import CONVINCING, MOST_CONVINCING_RATIO, PRIOR_OF_MODELS, PRIOR_OF_PAPERS
from tests.support.evidence_builders import TODAY, absent, covering, evaluated, evidence, found, record, reference

TITLE = "Notes on the analysis of difference engines"
TWO = "Ada Lovelace; Alan Turing"
DOI = "10.1109/iccv.2019.00612"
ROWS = pytest.mark.parametrize("row", LIKELIHOODS.values(), ids=lambda row: row.name)


def cited(year: str = "2019", venue: str = "ICML", **fields: str) -> Reference:
    stated = {"author": "Ada Lovelace and Alan Turing", "title": TITLE, "booktitle": venue, "year": year}
    return reference("inproceedings", **stated | fields)


def known(**fields: Any) -> Record:
    stated: dict[str, Any] = {"venue": "ICML", "year": 2019, "type": "inproceedings", "source": "dblp"} | fields
    return record(stated.pop("title", TITLE), stated.pop("authors", TWO), **stated)


def likelihood(wrong: tuple[int, int], right: tuple[int, int]) -> Likelihood:
    return Likelihood("made up", wrong, right, "")


def test_the_ratio_is_that_of_the_shares_with_half_a_case_added() -> None:
    assert likelihood((9, 9), (0, 99)).ratio == pytest.approx(0.95 / 0.005)
    assert likelihood((4, 9), (4, 9)).ratio == pytest.approx(1)
    assert likelihood((0, 9), (9, 9)).ratio == pytest.approx(0.05 / 0.95)


def test_no_ratio_is_above_the_cap() -> None:
    assert likelihood((999, 999), (0, 99_999)).ratio == MOST_CONVINCING_RATIO
    assert likelihood((999, 999), (0, 249)).ratio == pytest.approx(499.75)


def test_the_posterior_follows_from_prior_and_ratio() -> None:
    row = likelihood((9, 9), (0, 99))
    assert row.posterior(0.5) == pytest.approx(190 / 191)
    assert row.posterior(0.01) == pytest.approx(1.9 / (1.9 + 0.99))
    assert (row.posterior(0), row.posterior(1)) == (0, 1)
    assert likelihood((4, 9), (4, 9)).posterior(0.2) == pytest.approx(0.2)
    posteriors = [row.posterior(prior / 100) for prior in range(101)]
    assert posteriors == sorted(posteriors)


@ROWS
def test_each_row_is_a_warning_in_a_bibliography_and_an_error_in_a_benchmark(row: Likelihood) -> None:
    assert 1 < row.ratio <= MOST_CONVINCING_RATIO
    assert row.posterior(PRIOR_OF_PAPERS) < CONVINCING <= row.posterior(PRIOR_OF_MODELS)
    assert (PRIOR_OF_PAPERS, PRIOR_OF_MODELS) == (0.0004, 0.3)


@ROWS
def test_each_row_states_possible_counts_and_a_reason(row: Likelihood) -> None:
    assert all(0 <= hits <= of for hits, of in (row.wrong, row.right))
    assert row.wrong[0]
    assert row.why


def test_the_checks_use_every_row() -> None:
    modules = [path for path in Path(checks.__file__).parent.glob("*.py") if path.stem != "likelihoods"]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in modules]
    written = {node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert [name for name in LIKELIHOODS if name not in written] == []


def level(prior: float | None, kind: str = "people") -> tuple[str, str, float]:
    absences = None if prior is None else AbsenceContext(prior=prior)
    case = ReferenceCase(cited(), evidence(), TODAY, absences=absences)
    finding = single_evidence(case, kind, "authors", "authors-other", "other people")
    return finding.outcome, finding.code, finding.likelihood_ratio


def test_the_prior_of_the_run_decides_about_single_evidence() -> None:
    ratio = round(LIKELIHOODS["people"].ratio, 1)
    assert level(None) == level(0.0004) == ("failed", "authors-other", ratio)
    assert level(0.3) == ("failed", "authors-other", ratio)


def test_single_evidence_is_an_error_from_the_convincing_probability_on() -> None:
    ratio = LIKELIHOODS["people"].ratio
    boundary = CONVINCING / (CONVINCING + ratio * (1 - CONVINCING))
    assert level(boundary * 0.999)[0] == "unverifiable"
    assert level(boundary * 1.001)[0] == "failed"


SYNTHESIS = TITLE.replace("analysis", "synthesis")
WRONG_NUMBER = cited(venue="ICCV", doi="10.1109/iccv.2019.00613"), known(venue="ICCV", doi=DOI)
SINGLE: dict[str, tuple[Reference, Record]] = {
    "authors-other": (cited(author="Joseph Jacquard and Niels Bohr"), known()),
    "authors-added": (cited(author="Ada Lovelace and Alan Turing and Grace Hopper"), known()),
    "authors-reordered": (cited(author="Alan Turing and Ada Lovelace"), known()),
    "authors-repeated": (cited(author="Ada Lovelace and Alan Turing and Ada Lovelace"), known()),
    "venue-elsewhere": (cited(venue="NeurIPS"), known()),
    "venue-main": (cited(venue="ICML 2019 Workshop on Machines"), known()),
    "year-other": (cited("2017"), known()),
    "title-published": (cited(), known(title=SYNTHESIS)),
    "title-similar": (cited(), known(title=TITLE.replace("analysis", "early analysis"))),
    "title-subtitle": (cited(title=f"{TITLE}: a survey of looms"), known()),
    "doi-registrant": (cited(venue="CVPR", doi="10.1000/engines"), known(venue="CVPR", doi="10.1109/cvpr.2019.1")),
    "arxiv-other-number": (cited(eprint="1905.04898", archiveprefix="arXiv"), known(arxiv="1905.04899")),
}


def findings(
    cited_: Reference, *lines: QueryResult | Record, prior: float | None = None
) -> dict[str, tuple[str, str, float]]:
    identifiers = cited_.fields.get("doi", ""), cited_.fields.get("eprint", "")
    kinds: tuple[QueryKind, ...] = ("doi", "arxiv")
    asked_ = [absent("index", kind, value) for kind, value in zip(kinds, identifiers, strict=True) if value]
    found_ = evaluated(cited_, *lines, *asked_, prior=prior).findings
    return {name: (one.outcome, one.code, one.likelihood_ratio) for name, one in found_.items()}


@pytest.mark.parametrize("code", SINGLE)
def test_a_compiled_record_alone_is_not_even_a_warning(code: str) -> None:
    wrong, line = SINGLE[code]
    assert code in {one for _, one, ratio in findings(wrong, line).values() if ratio > 1}
    for prior in (None, 0.3):
        compiled = findings(wrong, replace(line, source="openalex", compiled=True), prior=prior)
        assert [name for name, one in compiled.items() if one[2] or one[0] == "failed"] == []
        assert code not in {one for _, one, _ in compiled.values()}


@pytest.mark.parametrize("prior", [None, 0.3])
def test_a_compiled_record_with_another_number_is_a_warning_whatever_the_prior(prior: float | None) -> None:
    wrong, line = WRONG_NUMBER
    outcome, code, ratio = findings(wrong, replace(line, source="openalex", compiled=True), prior=prior)["doi"]
    assert (outcome, code, ratio > 1) == ("failed", "doi-other-number", True)


def test_a_compiled_record_beside_one_at_first_hand_takes_nothing_from_it() -> None:
    wrong, line = SINGLE["authors-other"]
    both = findings(wrong, line, replace(line, source="openalex", compiled=True))["authors"]
    assert both[:2] == ("failed", "authors-other")


COMPILING: Any = SimpleNamespace(name="my_source", authoritative_for=())
STATING: Any = SimpleNamespace(name="my_source", authoritative_for=("title", "authors", "venue", "year"))


def answered(
    source: Any, answer: Answer, kind: QueryKind = "title", value: str = TITLE, year: int | None = None
) -> QueryResult:
    return asked(source, Query(kind, value, (), year), answer, "https://example.org")


def test_records_of_a_source_without_first_hand_fields_are_compiled() -> None:
    line = answered(COMPILING, Found((known(source="my_source"),), "all of them"))
    assert isinstance(line.answer, Found)
    assert (line.compiled, line.answer.records[0].compiled, line.answer.scope) == (True, True, "all of them")
    line = answered(STATING, Found((known(source="my_source"),)))
    assert isinstance(line.answer, Found)
    assert (line.compiled, line.answer.records[0].compiled) == (False, False)
    line = answered(STATING, Found((known(source="my_source", compiled=True),)))
    assert isinstance(line.answer, Found)
    assert line.answer.records[0].compiled  # as its parser says
    assert answered(COMPILING, Absent()).answer == Absent()


@pytest.mark.parametrize("code", SINGLE)
def test_a_source_without_first_hand_fields_cannot_convict(code: str) -> None:
    wrong, line = SINGLE[code]
    own = Found((replace(line, source="my_source"),))
    for prior in (None, 0.3):
        judged = findings(wrong, answered(COMPILING, own), prior=prior)
        assert [name for name, one in judged.items() if one[2] or one[0] == "failed"] == []


def test_a_source_without_first_hand_fields_is_no_second_source() -> None:
    wrong, line = SINGLE["authors-other"]
    own = Found((replace(line, source="my_source"),))
    assert findings(wrong, line, answered(COMPILING, own))["authors"][0] == "unverifiable"
    assert findings(wrong, line, answered(STATING, own))["authors"][0] == "failed"


@pytest.mark.parametrize(
    ("source", "outcome"), [(COMPILING, "unverifiable"), (STATING, "failed")], ids=["compiling", "stating"]
)
@pytest.mark.parametrize("records", [(), (known(title="Another paper", authors="Grace Hopper", source="my_source"),)])
def test_only_a_source_with_first_hand_fields_covers_a_venue(
    source: Any, outcome: str, records: tuple[Record, ...]
) -> None:
    lines = [answered(source, Absent()), answered(source, Found(records), "venue_year", "neurips", 2019)]
    assert findings(cited(venue="NeurIPS"), known(), *lines)["venue"][0] == outcome


@pytest.mark.parametrize("records", [(), (known(title="Another paper", authors="Grace Hopper", source="my_source"),)])
def test_only_a_source_with_first_hand_fields_has_a_complete_list(records: tuple[Record, ...]) -> None:
    def title(source: Any) -> str:
        listed = answered(source, Found(records, "it lists ICML 2019"), "venue_year", "icml", 2019)
        none = answered(source, Absent("it lists no work of theirs"), "author_search", "icml", 2019)
        return findings(cited(), answered(source, Absent()), listed, none)["title"][1]

    assert (title(COMPILING), title(STATING)) == ("compiled-only", "title-not-in-venue")


def test_only_a_source_with_first_hand_fields_denies_an_identifier() -> None:
    def doi(source: Any) -> str:
        denied = answered(source, Absent("it has every DOI"), "doi", "10.1000/engines")
        return evaluated(cited(doi="10.1000/engines"), denied).findings["doi"].code

    assert (doi(COMPILING), doi(STATING)) == ("compiled-only", "doi-unregistered")


def test_an_index_covers_a_venue_without_showing_its_works() -> None:
    lines = [found(known(), source="index"), covering("neurips", 2019, "index")]
    assert findings(cited(venue="NeurIPS"), *lines)["venue"][:2] == ("failed", "venue-other")
