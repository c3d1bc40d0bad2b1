"""The probability beside a verdict: coefficients, features, and properties that hold for any fit."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.fit_probability import Row, fit
from pytest_citecheck.checks import Model, Ruling, decide, features, probability
from pytest_citecheck.inputs import LabelledEntry
from pytest_citecheck.model import Finding, Outcome, QueryResult, Record, Reference, VerdictName
from pytest_citecheck.rows import TABLES
from tests.support.evidence_builders import absent, entry, evaluated, linked, record, reference, silent

TITLE = "Notes on the analysis of difference engines"
TWO = "Ada Lovelace; Alan Turing"
DOI = "10.1000/engines"
PLAIN = reference("inproceedings", author="Ada Lovelace and Alan Turing", title=TITLE, booktitle="ICML", year="2019")
CITED = replace(PLAIN, fields={**PLAIN.fields, "doi": DOI})
RIGHT = record(TITLE, TWO, venue="ICML", year=2019, type="inproceedings", doi=DOI)
SAME = record(TITLE, TWO, source="dblp", venue="ICML", year=2019, type="inproceedings")
THIRD = record(TITLE, TWO, source="pmlr", venue="ICML", year=2019, type="inproceedings")
DECISIVE = ("doi", "title", "authors", "venue", "cross_db")
"""Checks in the fitted data; newer ones count only as ``failed``."""
OTHERS = ("verified", "failed", "rule", "agree", "unavailable")
DATA = json.loads(files("pytest_citecheck.checks").joinpath("data/probability.json").read_text(encoding="utf-8"))


def fitted(on: Iterable[str]) -> list[str]:
    """The features without those of checks that are not in the data."""
    return [name for name in on if name.partition(":")[0] in (*DECISIVE, *OTHERS)]


@pytest.mark.parametrize(
    ("verdict", "on", "expected"),
    [
        ("undecided", (), 0.5),  # odds of 1
        ("undecided", ("three",), 0.75),  # odds of 3 to 1
        ("undecided", ("three", "third"), 0.5),
        ("undecided", ("three", "never seen"), 0.75),
        ("undecided", ("many",), 0.9),  # the most for what is open; 1000/1001 without the limit
        ("fabricated", ("many",), 0.999),
        ("misdescribed", ("third",), 0.5),  # 1/4 without the limit
        ("verified", ("three",), 0.5),
        ("verified", ("third",), 0.25),
    ],
)
def test_odds_multiply(verdict: VerdictName, on: tuple[str, ...], expected: float) -> None:
    model = Model(0.0, {"three": math.log(3), "third": -math.log(3), "many": math.log(1000)})
    assert model.probability(verdict, on) == expected


@pytest.mark.parametrize(
    ("cited", "lines", "expected"),
    [
        (CITED, [linked(RIGHT), SAME], {"verified", "agree:2"}),
        (CITED, [linked(RIGHT), SAME, THIRD], {"verified", "agree:2", "agree:3"}),
        # Which identifier is cited, or none, says nothing.
        (PLAIN, [RIGHT, SAME], {"verified", "agree:2"}),
        (PLAIN, [SAME], {"verified", "cross_db:open", "cross_db:unverifiable:single-source"}),
        (
            CITED,
            [linked(replace(RIGHT, venues=("NeurIPS",)))],
            {"rule:wrong", "failed", "venue:open", "venue:failed", "venue:failed:venue-other"},
        ),
        (
            reference("inproceedings", title=TITLE),
            [silent("crossref")],
            {
                *("rule:silent", "unavailable", "title:open", "title:unverifiable:unavailable"),
                *("cross_db:open", "cross_db:unverifiable:unavailable"),
            },
        ),
    ],
)
def test_features(cited: Reference, lines: list[QueryResult | Record], expected: set[str]) -> None:
    judged = evaluated(cited, *lines)
    on = features(judged.case, judged.findings, decide(judged.case, judged.findings))
    assert set(fitted(on)) == expected
    assert len(on) == len(set(on))


def test_a_code_without_data_counts_as_its_outcome() -> None:
    judged = evaluated(CITED, linked(RIGHT), SAME)
    findings = {**judged.findings, "doi": replace(judged.findings["doi"], outcome="failed", code="doi-of-the-future")}
    coefficients = DATA["coefficients"]
    odds = DATA["intercept"] + sum(
        coefficients.get(name, 0) for name in ("rule:new", "failed", "doi:open", "doi:failed", "agree:2")
    )
    expected = 1 / (1 + math.exp(-odds))
    assert probability(judged.case, findings, Ruling("misdescribed", "new", "")) == pytest.approx(expected, abs=5e-5)


def test_a_rule_without_data_counts_as_the_others_that_accuse() -> None:
    judged = evaluated(CITED, linked(RIGHT), SAME)
    assert set(fitted(features(judged.case, judged.findings, Ruling("misdescribed", "new", "")))) == {
        *("rule:new", "failed", "agree:2")
    }
    assert probability(judged.case, judged.findings, Ruling("misdescribed", "new", "")) > 0.9


def test_rules_that_no_data_have_shown_follow_from_their_findings() -> None:
    """The page lists them; a catalogue's denial is as certain as other accusations."""
    unseen = {rule.name for rule in TABLES["verdict"].rules if rule.gives != "verified"} - {
        name.partition(":")[2] for name in DATA["coefficients"]
    }
    page = (Path(__file__).parents[2] / "docs" / "evidence" / "probability.md").read_text(encoding="utf-8")
    assert "denied-catalogued" in unseen
    assert [rule for rule in unseen if f"`{rule}`" not in page] == []
    invented = entry("@manual{a, author = {Lena Quist}, title = {zq: Quantiles}, year = 2021, "
                     "url = {https://CRAN.R-project.org/package=zq}}")  # fmt: skip
    judged = evaluated(invented, absent("cran", "package", "cran:zq", "there is none"))
    assert (judged.verdict.name, decide(judged.case, judged.findings).rule) == ("fabricated", "denied-catalogued")
    assert judged.verdict.probability == pytest.approx(0.99, abs=0.005)


def test_the_data_file_says_where_it_comes_from() -> None:
    assert datetime.date.fromisoformat(DATA["date"]) <= datetime.datetime.now(tz=datetime.UTC).date()
    assert 0 < DATA["wrong"] < DATA["n"]
    assert "benchmarks.fit_probability" in DATA["command"]
    assert set(DATA["rows"]) == set(DATA["coefficients"])
    assert all(0 <= wrong <= count for count, wrong in DATA["rows"].values())


def test_the_features_are_findings_and_nothing_of_how_an_entry_looks() -> None:
    heads = {name.partition(":")[0] for name in DATA["coefficients"]}
    assert heads <= {*DECISIVE, *OTHERS}
    assert not [name for name in DATA["coefficients"] if name.endswith(("-not-cited", "-missing"))]


def test_the_signs_of_the_coefficients() -> None:
    for name, value in DATA["coefficients"].items():
        head = name.partition(":")[0]
        assert value >= 0 or head not in (*DECISIVE, "failed"), name
        assert value <= 0 or head not in ("agree", "verified"), name


JUDGED = evaluated(CITED, linked(RIGHT), SAME)
CODES: dict[tuple[str, Outcome], list[str]] = {
    (check, outcome): sorted(
        {"new", *(name.split(":")[2] for name in DATA["coefficients"] if name.startswith(f"{check}:{outcome}:"))}
    )
    for check in DECISIVE
    for outcome in ("failed", "unverifiable", "passed")
}
rulings = st.sampled_from(
    [
        Ruling("verified", "all-pass", ""),
        Ruling("misdescribed", "wrong", ""),
        Ruling("fabricated", "absent", ""),
        Ruling("undecided", "silent", ""),
        Ruling("undecided", "never-seen", ""),
    ]
)


@st.composite
def findings_of(draw: st.DrawFn) -> dict[str, Finding]:
    """Any outcome with any of its codes, of each check."""
    found = {**JUDGED.findings}
    for check in DECISIVE:
        outcome: Outcome = draw(st.sampled_from(["passed", "failed", "unverifiable"]))
        found[check] = Finding(check, outcome, draw(st.sampled_from(CODES[check, outcome])), "")
    return found


@given(findings_of(), rulings, st.sampled_from(DECISIVE), st.data())
def test_one_more_failure_never_makes_a_citation_more_probable(
    found: dict[str, Finding], ruling: Ruling, check: str, data: st.DataObject
) -> None:
    sound = {**found, check: Finding(check, "passed", "ok", "")}
    failing = {**found, check: Finding(check, "failed", data.draw(st.sampled_from(CODES[check, "failed"])), "")}
    less, more = (probability(JUDGED.case, one, ruling) for one in (sound, failing))
    assert less <= more


@given(findings_of(), rulings)
def test_no_probability_says_the_opposite_of_its_verdict(found: dict[str, Finding], ruling: Ruling) -> None:
    chance = probability(JUDGED.case, found, ruling)
    assert 0 < chance < 1
    if ruling.name == "verified":
        assert chance <= 0.5
    elif ruling.name != "undecided":
        assert chance >= 0.5


def rows(wrong: int, right: int, *on: str) -> list[Row]:
    """Return rows with these features, under one condition."""
    labels = [*["HALLUCINATED"] * wrong, *["VALID"] * right]
    entries = [LabelledEntry(key="", type="", fields={}, label=label, line=1) for label in labels]  # type: ignore[arg-type]
    return [Row(entry, "as it is", "undecided", on) for entry in entries]


def test_what_is_fitted_without_features_is_the_share_of_wrong_ones() -> None:
    assert fit(rows(30, 10)).intercept == pytest.approx(math.log(3), abs=1e-4)


@pytest.mark.exhaustive
def test_a_coefficient_is_shrunk_towards_nothing() -> None:
    # Unpenalised it would be log(9) - log(1/3); with few rows it has to be less, with many it comes near.
    full = math.log(9) + math.log(3)
    few, many = (
        fit([*rows(30 * n, 90 * n), *rows(90 * n, 10 * n, "title:open")]).coefficients["title:open"] for n in (1, 20)
    )
    assert 0.5 * full < few < many < full


def test_no_sign_is_fitted_that_cannot_be_right() -> None:
    model = fit([*rows(50, 50), *rows(1, 30, "failed"), *rows(30, 1, "agree:2"), *rows(1, 30, "unavailable")])
    assert model.coefficients["failed"] == 0
    assert model.coefficients["agree:2"] == 0
    assert model.coefficients["unavailable"] < -1
