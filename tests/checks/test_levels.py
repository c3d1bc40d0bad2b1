"""Kinds of evidence against a citation, and the levels that findings have earned with them."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from pytest_citecheck.checks import CODES, Level, level_of, level_table, posterior
from pytest_citecheck.model import (
    Absent,
    Answer,
    EvidenceKind,
    Finding,
    Found,
    Query,
    QueryKind,
    QueryResult,
    Record,
    Reference,
)
from pytest_citecheck.net import asked
from pytest_citecheck.thresholds import EARNED, PRIOR_OF_MODELS, PRIOR_OF_PAPERS, PROBABLE
from tests.support.evidence_builders import absent, covering, evaluated, found, linked, record, reference

TITLE = "Notes on the analysis of difference engines"
TWO = "Ada Lovelace; Alan Turing"
DOI = "10.1109/iccv.2019.00612"


def cited(year: str = "2019", venue: str = "ICML", **fields: str) -> Reference:
    stated = {"author": "Ada Lovelace and Alan Turing", "title": TITLE, "booktitle": venue, "year": year}
    return reference("inproceedings", **stated | fields)


def known(**fields: Any) -> Record:
    stated: dict[str, Any] = {"venue": "ICML", "year": 2019, "type": "inproceedings", "source": "dblp"} | fields
    return record(stated.pop("title", TITLE), stated.pop("authors", TWO), **stated)


def level(right: float = 0, false: float = 0, **more: Any) -> Level:
    stated: dict[str, Any] = {
        "evidence": "two records",
        "precision": 0.9,
        "bound": 0.9,
        "ratio": 500.0,
        "basis": "judged",
    }
    return Level("authors-other", right=right, false=false, **stated | more)


def test_the_posterior_follows_from_prior_and_ratio() -> None:
    assert posterior(0.5, 190) == pytest.approx(190 / 191)
    assert posterior(0.01, 190) == pytest.approx(1.9 / (1.9 + 0.99))
    assert (posterior(0, 190), posterior(1, 190)) == (0, 1)
    posteriors = [posterior(prior / 100, 190) for prior in range(101)]
    assert posteriors == sorted(posteriors)


@pytest.mark.parametrize(
    ("row", "prior", "expected"),
    [
        (level(bound=EARNED), 0, "error"),
        (level(bound=EARNED - 0.001), 0, "warning"),
        (level(bound=0.2, precision=PROBABLE, ratio=1), 0, "warning"),
        (level(bound=0.2, precision=PROBABLE - 0.001, ratio=1), 0, "info"),
        (level(bound=0.2, precision=0.2), PRIOR_OF_PAPERS, "info"),
        (level(bound=0.2, precision=0.2), PRIOR_OF_MODELS, "error"),
        (level(bound=0.2, precision=0.2, ratio=30), PRIOR_OF_MODELS, "warning"),
        (level(bound=1, evidence="compiled record"), 1, "warning"),
    ],
)
def test_levels(row: Level, prior: float, expected: str) -> None:
    assert row.name(prior) == expected


def test_the_table_has_a_level_for_each_kind_of_evidence_and_known_codes_only() -> None:
    rows = level_table()
    assert {evidence for code, evidence in rows if code == "*"} == set(get_args(EvidenceKind))
    assert {code for code, _ in rows} - {"*"} <= CODES.keys()


def test_a_code_that_was_never_judged_starts_as_a_warning() -> None:
    for evidence_ in get_args(EvidenceKind):
        assert level_of("a-new-code", evidence_).name() in ("warning", "info")


def test_no_error_below_the_bound() -> None:
    wrong = [row for row in level_table().values() if row.name() == "error" and row.bound < EARNED]
    assert wrong == []


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (["dblp"], "single record"),
        (["dblp", "dblp-crawl"], "single record"),
        (["dblp", "mlanthology"], "single record"),  # which takes from DBLP
        (["mlanthology", "papercopilot"], "single record"),  # both take from OpenReview
        (["dblp", "crossref"], "two records"),
        (["dblp", "papercopilot"], "two records"),
        (["dblp", "openalex"], "single record"),  # compiled
        (["openalex", "europe_pmc"], "compiled record"),
    ],
)
def test_two_records_need_two_origins(sources: list[str], expected: str) -> None:
    lines = [known(source=name, compiled=name in ("openalex", "europe_pmc")) for name in sources]
    finding = evaluated(cited(author="Joseph Jacquard and Niels Bohr"), *lines).findings["authors"]
    assert (finding.code, finding.evidence) == ("authors-other", expected)


FORUM = "https://openreview.net/forum?id=B1x2y3z4A5"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (FORUM, "https://openreview.net/pdf?id=B1x2y3z4A5", "single record"),
        (FORUM, "https://openreview.net/forum?id=B1x2y3z4A6", "two records"),
        ("https://proceedings.mlr.press/v97/a19.html", "http://proceedings.mlr.press/v97/a19.html", "single record"),
        ("https://papers.nips.cc/paper/1-Abstract.html", "https://dblp.org/rec/conf/nips/A19", "two records"),
        ("https://dblp.org/rec/a", "https://dblp.org/rec/a", "two records"),  # the address of the record itself
    ],
)
def test_records_copied_from_one_page_are_one(first: str, second: str, expected: str) -> None:
    lines = [known(url=first), known(source="papercopilot", url=second)]
    assert evaluated(cited(author="Joseph Jacquard and Niels Bohr"), *lines).findings["authors"].evidence == expected


def test_the_agency_of_the_cited_identifier_is_its_registry() -> None:
    finding = evaluated(
        cited(author="Joseph Jacquard and Niels Bohr", doi=DOI), linked(known(source="crossref", doi=DOI))
    )
    assert finding.findings["authors"].evidence == "registry"


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


def findings(cited_: Reference, *lines: QueryResult | Record, prior: float | None = None) -> dict[str, Finding]:
    identifiers = cited_.fields.get("doi", ""), cited_.fields.get("eprint", "")
    kinds: tuple[QueryKind, ...] = ("doi", "arxiv")
    asked_ = [absent("index", kind, value) for kind, value in zip(kinds, identifiers, strict=True) if value]
    return dict(evaluated(cited_, *lines, *asked_, prior=prior).findings)


@pytest.mark.parametrize("code", SINGLE)
def test_a_compiled_record_alone_never_convicts(code: str) -> None:
    wrong, line = SINGLE[code]
    assert code in {one.code for one in findings(wrong, line).values() if one.evidence}
    for prior in (None, 0.3):
        compiled = findings(wrong, replace(line, source="openalex", compiled=True), prior=prior)
        assert [one for one in compiled.values() if one.outcome == "failed" and one.check != "completeness"] == []


def test_a_compiled_record_beside_one_at_first_hand_takes_nothing_from_it() -> None:
    wrong, line = SINGLE["authors-other"]
    both = findings(wrong, line, replace(line, source="openalex", compiled=True))["authors"]
    assert (both.code, both.evidence) == ("authors-other", "single record")


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
        assert [one for one in judged.values() if one.outcome == "failed" and one.check != "completeness"] == []


def test_a_source_without_first_hand_fields_is_no_second_source() -> None:
    wrong, line = SINGLE["authors-other"]
    own = Found((replace(line, source="my_source"),))
    assert findings(wrong, line, answered(COMPILING, own))["authors"].evidence == "single record"
    assert findings(wrong, line, answered(STATING, own))["authors"].evidence == "two records"


@pytest.mark.parametrize("records", [(), (known(title="Another paper", authors="Grace Hopper", source="my_source"),)])
def test_only_a_source_with_first_hand_fields_has_a_complete_list(records: tuple[Record, ...]) -> None:
    def title(source: Any) -> str:
        listed = answered(source, Found(records, "it lists ICML 2019"), "venue_year", "icml", 2019)
        none = answered(source, Absent("it lists no work of theirs"), "author_search", "icml", 2019)
        return findings(cited(), answered(source, Absent()), listed, none)["title"].code

    assert title(COMPILING) != "title-not-in-venue"
    assert title(STATING) == "title-not-in-venue"


def test_only_a_source_with_first_hand_fields_denies_an_identifier() -> None:
    def doi(source: Any) -> Finding:
        denied = answered(source, Absent("it has every DOI"), "doi", "10.1000/engines")
        return evaluated(cited(doi="10.1000/engines"), denied).findings["doi"]

    assert (doi(COMPILING).outcome, doi(COMPILING).evidence) == ("unverifiable", "compiled record")
    assert (doi(STATING).outcome, doi(STATING).code) == ("failed", "doi-unregistered")


def test_an_index_covers_a_venue_without_showing_its_works() -> None:
    lines = [found(known(), source="index"), covering("neurips", 2019, "index")]
    assert findings(cited(venue="NeurIPS"), *lines)["venue"].code == "venue-other"
