"""The probability beside a verdict agrees with its findings, whatever they are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.checks import Severity, level_of, level_table, probability
from pytest_citecheck.evidence import AbsenceContext
from pytest_citecheck.model import Finding, Outcome, Record, VerdictName
from tests.support.evidence_builders import evaluated, linked, record, reference

TITLE = "Notes on the analysis of difference engines"
TWO = "Ada Lovelace; Alan Turing"
CITED = reference(
    "inproceedings", author="Ada Lovelace and Alan Turing", title=TITLE, booktitle="ICML", year="2019", doi="10.1000/x"
)
RIGHT = record(TITLE, TWO, doi="10.1000/x", venue="ICML", year=2019, type="inproceedings")
SAME = replace(RIGHT, source="dblp", doi="")
JUDGED = evaluated(CITED, linked(RIGHT), SAME)
ROWS = sorted(at for at in level_table() if at[0] != "*")


@st.composite
def accusations(draw: st.DrawFn, prior: float) -> dict[str, Finding]:
    """The findings of a right citation, some of them replaced by accusations of the table of levels."""
    found = dict(JUDGED.findings)
    for check in draw(st.sets(st.sampled_from(sorted(found)))):
        code, evidence = draw(st.sampled_from(ROWS))
        row = level_of(code, evidence)
        level = row.name(prior)
        outcome: Outcome = "failed" if level == "error" else "unverifiable"
        found[check] = Finding(check, outcome, code, "", evidence=evidence, level=level, likelihood_ratio=row.ratio)
    return found


PRIORS = st.sampled_from([0.0004, 0.03, 0.3, 0.6])


def chance(found: dict[str, Finding], verdict: VerdictName, prior: float) -> float:
    return probability(replace(JUDGED.case, absences=AbsenceContext(prior=prior)), found, verdict)


@given(PRIORS, st.data())
def test_no_probability_contradicts_a_finding(prior: float, data: st.DataObject) -> None:
    found = data.draw(accusations(prior))
    least: dict[Severity, float] = {"error": 0.95, "warning": 0.5}
    levels = [one.level for one in found.values() if not one.code.endswith(("volume-other", "pages-other"))]
    stated = chance(found, "undecided", prior)
    assert all(stated >= least.get(level, 0) for level in levels if level)
    assert chance(found, "verified", prior) <= 0.5
    assert chance(found, "misdescribed", prior) >= 0.95


@given(PRIORS, st.data())
def test_one_more_accusation_never_makes_a_citation_more_probable(prior: float, data: st.DataObject) -> None:
    found = data.draw(accusations(prior))
    check = data.draw(st.sampled_from(sorted(found)))
    less = {**found, check: JUDGED.findings[check]}
    assert chance(less, "undecided", prior) <= chance(found, "undecided", prior)


@given(st.data())
def test_more_wrong_references_make_each_more_improbable(data: st.DataObject) -> None:
    found = data.draw(accusations(0.0004))
    few, many = sorted([data.draw(PRIORS), data.draw(PRIORS)])
    assert chance(found, "undecided", few) <= chance(found, "undecided", many)


@pytest.mark.parametrize(
    ("lines", "low", "high"),
    [
        ([linked(RIGHT), SAME], 0.001, 0.01),
        ([linked(replace(RIGHT, venues=("NeurIPS",)))], 0.95, 0.999),
        ([], 0.0, 0.5),
    ],
)
def test_the_probability_of_usual_references(lines: list[Record], low: float, high: float) -> None:
    assert low <= evaluated(CITED, *lines).verdict.probability <= high
