"""Hosts of one service are alternatives: with one of them down, a reference is checked if another one answered."""

from __future__ import annotations

import pytest

from pytest_citecheck.checks import ReferenceCase
from pytest_citecheck.model import Absent, Answer, Evidence, Query, QueryResult, Unavailable
from tests.support.evidence_builders import TODAY, entry

TITLE = Query("title", "Notes on looms", ("Lovelace",))
LIST = Query("venue_year", "conf/nips", (), 2017)
DOWN, NOTHING = Unavailable("timeout", ""), Absent()


@pytest.mark.parametrize(
    ("answers", "silent"),
    [
        ([("dblp_sparql", TITLE, DOWN), ("dblp", TITLE, NOTHING)], []),
        ([("dblp_sparql", TITLE, NOTHING), ("dblp", TITLE, DOWN)], []),
        ([("dblp_sparql", TITLE, DOWN), ("dblp", TITLE, DOWN)], ["dblp_sparql", "dblp"]),
        ([("dblp_sparql", TITLE, DOWN), ("dblp", LIST, NOTHING)], ["dblp_sparql"]),
        ([("crossref", TITLE, DOWN), ("dblp", TITLE, NOTHING)], ["crossref"]),
        ([("crossref", TITLE, NOTHING), ("crossref_isbn", TITLE, DOWN)], ["crossref_isbn"]),
    ],
)
def test_who_is_silent(answers: list[tuple[str, Query, Answer]], silent: list[str]) -> None:
    evidence = Evidence(tuple(QueryResult(source, query, answer, "", "") for source, query, answer in answers))
    assert [one.source for one in evidence.unanswered] == silent
    reference = entry("@article{a, title = {Notes on looms}, author = {Ada Lovelace}, year = {1843}}")
    assert [name for name, _ in ReferenceCase(reference, evidence, TODAY).unavailable] == silent
