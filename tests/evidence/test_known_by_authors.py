"""A record with the cited title by others is the cited work if half of its people wrote the one that the reference names."""

from __future__ import annotations

import pytest

from pytest_citecheck.evidence import candidates
from pytest_citecheck.inputs import cited_metadata
from tests.support.evidence_builders import evidence, linked, record, reference, silent

DOI = "10.1000/engines"
CITED = reference("article", author="Joseph Jacquard", title="Deep looms", journal="Silk", year="1801", doi=DOI)


@pytest.mark.parametrize(
    ("people", "relation"),
    [("Ada Lovelace; Grace Hopper", "work"), ("Ada Lovelace; Grace Hopper; Emmy Noether", "similar")],
    ids=["half", "a third"],
)
def test_half_of_the_people(people: str, relation: str) -> None:
    named = record("Deep looms", "Ada Lovelace; Alan Turing", doi=DOI, venue="Nature", year=2019)
    other = record("Deep looms", people, source="dblp", venue="ICML", year=2018)
    found = candidates(cited_metadata(CITED), evidence(linked(named), other, silent("arxiv")))
    assert [candidate.relation for candidate in found] == ["work", relation]


def test_a_namesake_is_not_the_work_of_the_cited_doi() -> None:
    cited = reference(
        "article",
        author="Ada Lovelace",
        title="Deep looms of the north sea shore",
        journal="Nature",
        year="2019",
        doi=DOI,
    )
    named = record("Deep looms of the north sea shore", "Ada Lovelace", doi=DOI, venue="Nature", year=2019)
    other = record("Deep looms of the north sea shore", "Emmy Noether", source="dblp", venue="ICML", year=2019)
    for lines, relations in (((linked(named), other), ["work", "similar"]), ((other,), ["work"])):
        found = candidates(cited_metadata(cited), evidence(*lines))
        assert [candidate.relation for candidate in found] == relations
