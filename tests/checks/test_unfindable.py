"""References that no source has: a warning if a real one would almost certainly be found, an error if most are invented."""

from __future__ import annotations

import pytest

from pytest_citecheck.checks import Evaluation, evaluate
from pytest_citecheck.evidence import AbsenceContext, Controls
from pytest_citecheck.model import Absent, Query, QueryResult, Reference
from pytest_citecheck.thresholds import MISS_LIMIT
from tests.support.absences import counted
from tests.support.evidence_builders import TODAY, absent, evidence, found, record, reference, silent

PAPER = reference(
    "inproceedings",
    author="Hugo Abbott and Iris Bishop",
    title="Unheard thoughts on a topic of nobody",
    booktitle="Proceedings of the Meeting on Nothing",
    year="2015",
)
NOBODY = (absent("dblp"), absent("crossref"))
KNOWN = counted(40)


def judged(
    cited: Reference = PAPER, *lines: QueryResult, controls: Controls = KNOWN, prior: float = 0.0004
) -> Evaluation:
    return evaluate(cited, evidence(*(lines or NOBODY)), TODAY, absences=AbsenceContext(controls, prior=prior))


def of_title(evaluation: Evaluation) -> tuple[str, str]:
    finding = evaluation.findings["title"]
    return finding.outcome, finding.code


def test_what_a_real_work_would_hardly_be_is_unfindable() -> None:
    evaluation = judged()
    assert of_title(evaluation) == ("unverifiable", "title-unfindable")
    assert evaluation.verdict.name == "unfindable"
    assert evaluation.verdict.probability < 0.2
    message = evaluation.findings["title"].message
    assert "DBLP, Crossref answered" in message
    assert "40 of 40 other references" in message


def test_where_many_are_invented_it_fails() -> None:
    """The controls come from another file: forty real references would be evidence that this file is not a model's answer."""
    evaluation = judged(prior=0.3, controls=Controls(identified=KNOWN.identified))
    assert of_title(evaluation) == ("failed", "title-unfindable")
    assert evaluation.verdict.name == "unfindable"
    assert evaluation.verdict.probability > 0.9


@pytest.mark.parametrize(("above", "verdict"), [(0.0, "unfindable"), (-1e-4, "undecided")])
def test_on_either_side_of_the_limit(above: float, verdict: str) -> None:
    missed = judged().case.miss_probability
    assert missed is not None
    limit = missed.mean + above
    absences = AbsenceContext(KNOWN, limit=limit)
    assert evaluate(PAPER, evidence(*NOBODY), TODAY, absences=absences).verdict.name == verdict
    looser = judged(PAPER, absent("crossref"), prior=0.3).case.miss_probability
    assert looser is not None
    assert missed.mean < MISS_LIMIT < looser.mean


@pytest.mark.parametrize(
    ("cited", "lines", "controls"),
    [
        pytest.param(PAPER, (absent("crossref"),), KNOWN, id="one source alone"),
        pytest.param(PAPER, (absent("dblp"), silent("crossref")), KNOWN, id="an outage is no absence"),
        pytest.param(PAPER, NOBODY, counted(20, 5), id="controls that are not found"),
        pytest.param(
            reference("book", author="Hugo Abbott", title="Unheard thoughts", publisher="Nobody", year="2015"),
            NOBODY,
            KNOWN,
            id="a book",
        ),
    ],
)
def test_otherwise_it_stays_undecided(cited: Reference, lines: tuple[QueryResult, ...], controls: Controls) -> None:
    evaluation = judged(cited, *lines, controls=controls)
    assert evaluation.findings["title"].outcome == "unverifiable"
    assert evaluation.findings["title"].code != "title-unfindable"
    assert evaluation.verdict.name == "undecided"


def test_what_was_found_is_never_unfindable() -> None:
    there = record(
        "Unheard thoughts on a topic of nobody", "Hugo Abbott; Iris Bishop", venue="Meeting on Nothing", year=2015
    )
    evaluation = judged(PAPER, absent("dblp"), found(there), prior=0.9)
    assert evaluation.case.miss_probability is None
    assert evaluation.findings["title"].outcome == "passed"


def test_the_work_that_is_perhaps_meant_is_shown() -> None:
    alike = record(
        "Unheard words on a subject of few", "Hugo Abbott; Iris Bishop", venue="Meeting on Nothing", year=2015
    )
    evaluation = judged(PAPER, absent("dblp"), found(alike))
    message = evaluation.findings["title"].message
    assert "Nearest work: “Unheard words on a subject of few”" in message
    assert "differs in title" in message


def test_while_evidence_is_gathered_an_absence_says_nothing() -> None:
    query = Query("title", "x")
    evaluation = evaluate(PAPER, evidence(QueryResult("dblp", query, Absent())), TODAY)
    assert evaluation.case.miss_probability is None
