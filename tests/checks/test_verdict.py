"""From findings to a verdict, missing evidence, and invariants for any evidence."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.checks import CHECKS, Need, evaluate
from pytest_citecheck.evidence import AbsenceContext
from pytest_citecheck.model import Evidence, Found, Query, QueryKind, QueryResult, Record, Reference, Unavailable
from tests.support.evidence_builders import (
    LISTED,
    NONE_OF_THEIRS,
    TODAY,
    absent,
    asked,
    evaluated,
    evidence,
    found,
    linked,
    record,
    reference,
    silent,
)

TITLE = "Notes on the analysis of difference engines"
TWO = "Ada Lovelace; Alan Turing"
DOI = "10.1000/engines"
CITED = reference(
    "inproceedings", author="Ada Lovelace and Alan Turing", title=TITLE, booktitle="ICML", year="2019", doi=DOI
)
PLAIN = reference("inproceedings", author="Ada Lovelace and Alan Turing", title=TITLE, booktitle="ICML", year="2019")
RIGHT = record(TITLE, TWO, venue="ICML", year=2019, type="inproceedings", doi=DOI)
SAME = record(TITLE, TWO, source="dblp", venue="ICML", year=2019, type="inproceedings")
OTHER = record("Weaving algebraical patterns", "Joseph Jacquard", id="weaving", doi=DOI, venue="Silk", year=1801)
PREPRINT = record(TITLE, TWO, source="arxiv", venue="arXiv", year=2019, arxiv="1901.00001", type="preprint")
NO_DOI = absent("doi_org", "doi", DOI, "no such DOI")
PREPRINT_ONLY = reference(
    "misc", author="Ada Lovelace", title=TITLE, eprint="1901.00009", archiveprefix="arXiv", year="2019"
)
NO_ID = absent("arxiv", "arxiv", "1901.00009", "arXiv has no such id")
OF_CROSSREF = asked("doi_ra", "prefix", "10.1000", found(Record("doi_ra", "10.1000", agency="Crossref")).answer)


@pytest.mark.parametrize(
    ("cited", "lines", "verdict"),
    [
        (CITED, [linked(RIGHT), SAME], "verified"),
        (PLAIN, [replace(SAME, doi="10.1000/other")], "verified"),
        (PLAIN, [replace(SAME, years=(2024,))], "undecided"),  # put online then, or cited wrongly
        (replace(PLAIN, type="book"), [replace(SAME, years=(2024,))], "verified"),  # another edition
        (CITED, [linked(replace(RIGHT, venues=("NeurIPS",)))], "misdescribed"),
        (CITED, [linked(replace(RIGHT, venues=("NeurIPS",), source="openalex", compiled=True))], "undecided"),
        (CITED, [NO_DOI, SAME], "misdescribed"),
        (CITED, [linked(OTHER), SAME], "misdescribed"),
        (CITED, [linked(replace(OTHER, authors=RIGHT.authors))], "misdescribed"),
        (CITED, [linked(OTHER)], "fabricated"),
        (CITED, [NO_DOI, absent("crossref")], "undecided"),
        (PREPRINT_ONLY, [NO_ID, absent("arxiv")], "fabricated"),
        (replace(CITED, type="book"), [NO_DOI, absent("crossref"), OF_CROSSREF], "undecided"),
        (CITED, [NO_DOI, absent("crossref"), OF_CROSSREF], "undecided"),
        (PLAIN, [absent("dblp"), LISTED, NONE_OF_THEIRS], "fabricated"),
        (CITED, [NO_DOI, silent("crossref")], "undecided"),
        (PLAIN, [absent("crossref"), absent("dblp")], "undecided"),
        (PLAIN, [silent("crossref"), silent("dblp")], "undecided"),
        (replace(PLAIN, fields={**PLAIN.fields, "year": "2040"}), [absent("crossref")], "misdescribed"),
        (PLAIN, [], "undecided"),
    ],
)  # fmt: skip
def test_verdict(cited: Reference, lines: list[QueryResult | Record], verdict: str) -> None:
    assert evaluated(cited, *lines).verdict.name == verdict


def test_stronger_evidence_stands_higher() -> None:
    order: list[list[QueryResult | Record]] = [
        [linked(RIGHT), SAME],
        [silent("crossref")],
        [SAME],  # nobody has the cited DOI
        [linked(replace(RIGHT, venues=("NeurIPS",)))],
        [NO_DOI, linked(replace(RIGHT, venues=("NeurIPS",)))],
        [NO_DOI, silent("crossref")],
    ]
    probabilities = [evaluated(CITED, *lines).verdict.probability for lines in order]
    assert probabilities == sorted(probabilities)
    assert all(0 < probability < 1 for probability in probabilities)


def test_completeness_never_decides() -> None:
    bare = replace(PLAIN, fields={**PLAIN.fields, "isbn": "1"})
    judged = evaluated(bare, SAME, RIGHT)
    assert judged.findings["completeness"].outcome == "failed"
    assert judged.verdict.name == "verified"


@pytest.mark.parametrize(
    ("cited", "lines", "lacking"),
    [
        (CITED, [], {"record", "preprint", "place"}),
        (CITED, [linked(RIGHT)], {"second_opinion"}),
        (CITED, [linked(RIGHT), SAME], set()),
        (PLAIN, [PREPRINT], {"record", "preprint", "place"}),
        (PLAIN, [replace(SAME, venues=("Nature",), type="article")], {"record", "place"}),
        (CITED, [NO_DOI, SAME, RIGHT], set()),
    ],
)
def test_what_is_lacking(cited: Reference, lines: list[QueryResult | Record], lacking: set[str]) -> None:
    need = Need(evaluated(cited, *lines))
    kinds = ("record", "preprint", "place", "former_title", "second_opinion")
    assert {kind for kind in kinds if getattr(need, kind)} == lacking


RECORDS = [
    RIGHT,
    SAME,
    OTHER,
    PREPRINT,
    replace(SAME, id="2", venues=("NeurIPS",)),
    replace(SAME, id="3", years=(2012,)),
    replace(RIGHT, id="4", authors=RIGHT.authors[:1]),
    replace(RIGHT, id="5", title="Notes on the synthesis of difference engines"),
    replace(SAME, id="6", authors=OTHER.authors),
    replace(PREPRINT, id="7", title="Engines"),
    Record("doi_org", DOI, doi=DOI),
]
KINDS: list[QueryKind] = ["doi", "title", "arxiv"]
VALUES = {"doi": DOI, "title": TITLE, "arxiv": "1901.00001"}


@st.composite
def answers(draw: st.DrawFn) -> QueryResult:
    """A line of evidence: records, an absence with or without a scope, no answer, a complete list."""
    kind = draw(st.sampled_from(KINDS))
    number = draw(st.integers(0, 12))
    if number < len(RECORDS):
        return QueryResult(RECORDS[number].source, Query(kind, VALUES[kind]), Found((RECORDS[number],)))
    return draw(
        st.sampled_from(
            [
                NO_DOI,
                LISTED,
                NONE_OF_THEIRS,
                OF_CROSSREF,
                absent("crossref"),
                absent("dblp"),
                *map(silent, ("crossref", "dblp")),
            ]
        )
    )


REFERENCES = [
    CITED,
    PLAIN,
    reference("article", author="Ada Lovelace and Alan Turing", title=TITLE, journal="Nature", year="2016"),
    reference(
        "misc", author="Ada Lovelace and others", title=TITLE, eprint="1901.00001", archiveprefix="arXiv", year="2019"
    ),
    reference("book", title=TITLE, year="1999"),
]
references = st.sampled_from(REFERENCES)
lines = st.lists(answers(), max_size=5)


def outcomes(cited: Reference, asked_: list[QueryResult], today: datetime.date = TODAY) -> dict[str, tuple[str, str]]:
    findings = evaluate(cited, Evidence(tuple(asked_)), today).findings
    assert tuple(findings) == CHECKS
    return {name: (finding.outcome, finding.code) for name, finding in findings.items()}


@given(references, st.lists(st.sampled_from(["timeout", "offline", "http-429", "not-recorded"]), max_size=6))
def test_silence_alone_never_fails_anything(cited: Reference, reasons: list[str]) -> None:
    judged = evaluate(cited, evidence(*(silent("crossref", reason=reason) for reason in reasons)), TODAY)
    assert [
        name for name, finding in judged.findings.items() if finding.outcome == "failed" and name != "completeness"
    ] == []
    assert judged.verdict.name == "undecided"


@given(references, lines, st.sampled_from(["crossref", "dblp", "arxiv", "doi_org"]), st.sampled_from(KINDS))
def test_more_silence_never_turns_a_finding_into_a_failure(
    cited: Reference, asked_: list[QueryResult], source: str, kind: QueryKind
) -> None:
    before = outcomes(cited, asked_)
    quiet = QueryResult(source, Query(kind, VALUES[kind]), Unavailable("timeout"))
    after = outcomes(cited, [*asked_, quiet])
    assert [name for name in CHECKS if after[name][0] == "failed" != before[name][0]] == []


@given(references, lines, st.randoms(use_true_random=False))
def test_the_order_of_the_evidence_decides_nothing(cited: Reference, asked_: list[QueryResult], dice: object) -> None:
    shuffled = list(asked_)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]
    assert {name: outcome for name, (outcome, _) in outcomes(cited, shuffled).items()} == {
        name: outcome for name, (outcome, _) in outcomes(cited, asked_).items()
    }


without_record = st.lists(
    st.one_of(
        st.builds(
            lambda source, kind: QueryResult(source, Query(kind, VALUES[kind]), Unavailable("offline")),
            st.sampled_from(["crossref", "dblp", "arxiv", "doi_org"]),
            st.sampled_from(KINDS),
        ),
        st.sampled_from([LISTED, NONE_OF_THEIRS, absent("index", "word", "engines", "no other title has it")]),
    ),
    max_size=3,
)


@given(
    references,
    lines,
    without_record,
    st.sampled_from([5, 5, 0, 1, 2]),
    st.sampled_from([None, AbsenceContext(), AbsenceContext(prior=0.5)]),
    st.sampled_from([CHECKS, CHECKS[:2], ()]),
)
def test_an_earlier_evaluation_only_saves_time(
    cited: Reference,
    asked_: list[QueryResult],
    further: list[QueryResult],
    known: int,
    absences: AbsenceContext | None,
    read: Sequence[str],
) -> None:
    earlier = evaluate(cited, Evidence(tuple(asked_[:known])), TODAY)
    assert [earlier.findings[name].check for name in read] == list(read)
    whole = Evidence((*asked_, *further))
    continued, anew = evaluate(cited, whole, TODAY, earlier, absences), evaluate(cited, whole, TODAY, None, absences)
    assert continued == anew
    assert continued.verdict == anew.verdict
    assert continued.case.candidates == anew.case.candidates


@given(references, lines)
def test_a_failure_names_what_it_rests_on(cited: Reference, asked_: list[QueryResult]) -> None:
    for finding in evaluate(cited, Evidence(tuple(asked_)), TODAY).findings.values():
        assert finding.message
        if finding.outcome == "failed":
            assert finding.rule or finding.code.endswith("malformed")
            if finding.check in ("authors", "cross_db"):
                assert finding.record is not None


@given(references, lines)
def test_a_line_said_twice_changes_nothing(cited: Reference, asked_: list[QueryResult]) -> None:
    assert outcomes(cited, [*asked_, *asked_]) == outcomes(cited, asked_)
