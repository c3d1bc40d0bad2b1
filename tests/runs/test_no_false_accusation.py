"""Correct references with misleading evidence: no check may fail.

correct_references.yaml has the scenes. The wrong twins below prove that the tests can fail: proof convicts a reference that is
really wrong, and single evidence gives a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import product
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest
import yaml

from pytest_citecheck.checks import evaluate
from pytest_citecheck.evidence import AbsenceContext
from pytest_citecheck.model import Absent, Answer, Found, Person, Query, QueryResult, Record, Unavailable
from pytest_citecheck.thresholds import PRIOR_OF_MODELS
from tests.support.evidence_builders import (
    TODAY,
    entry,
    evaluated,
    evidence,
    failures,
    found,
    linked,
    outcome,
    record,
    silent,
)

SOURCES = ("crossref", "datacite", "doi_org", "dblp", "arxiv")


@dataclass(frozen=True, slots=True)
class Scene:
    """A reference as cited, and the evidence of the sources."""

    name: str
    bibtex: str
    lines: tuple[QueryResult, ...]


def _people(names: list[str] | int) -> tuple[Person, ...]:
    if isinstance(names, int):
        initials = list(product(ascii_uppercase, repeat=2))[:names]
        return tuple(Person(family=f"{a}physic{b.lower()}ist", given=f"{b}.") for a, b in initials)
    return tuple(Person(literal=name) for name in names)


def _record(source: str, number: int, row: dict[str, Any]) -> Record:
    values: dict[str, Any] = {"source": source, "id": f"{source}-{number}"}
    for key, value in row.items():
        if key in ("authors", "editors"):
            values[key] = _people(value)
        else:
            values[key] = tuple(value) if isinstance(value, list) else value
    return Record(**values)


def _scenes() -> Iterator[Scene]:
    rows = yaml.safe_load((Path(__file__).parent / "correct_references.yaml").read_text(encoding="utf-8"))
    for row in rows:
        lines = []
        for said in row["answers"]:
            query = Query(said.get("kind", "title"), said.get("value", ""), (), said.get("year"))
            records = [_record(said["source"], number, item) for number, item in enumerate(said.get("records", ()))]
            answer: Answer = Found(tuple(records), said.get("scope", ""))
            if said.get("absent"):
                answer = Absent(said.get("scope", ""))
            elif "unavailable" in said:
                answer = Unavailable(said["unavailable"])
            lines.append(QueryResult(said["source"], query, answer))
        yield Scene(row["name"], row["bibtex"], tuple(lines))


SCENES = list(_scenes())


def accusations(scene: Scene, *more: QueryResult) -> list[str]:
    found = [one for one in failures(entry(scene.bibtex), *scene.lines, *more) if one.outcome == "failed"]
    return [f"{finding.check}: {finding.code}: {finding.message}" for finding in found]


def test_the_scenes_name_only_what_a_record_has() -> None:
    assert len(SCENES) >= 45
    assert len({scene.name for scene in SCENES}) == len(SCENES)
    assert {"title", "authors", "years", "venues"} <= {field.name for field in fields(Record)}


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_correct_reference_is_not_accused_whatever_source_fails(scene: Scene) -> None:
    assert accusations(scene) == []
    assert accusations(scene, *map(silent, SOURCES)) == []
    for missing in range(len(scene.lines)):
        lines = tuple(
            silent(line.source, line.query.kind, line.query.value) if number == missing else line
            for number, line in enumerate(scene.lines)
        )
        assert accusations(Scene(scene.name, scene.bibtex, lines)) == []


CUT = [scene for scene in SCENES if scene.name.startswith(("a record with its first", "a record with the first"))]


@pytest.mark.parametrize("scene", CUT, ids=lambda scene: scene.name)
def test_a_cut_list_is_no_evidence_beside_a_whole_one(scene: Scene) -> None:
    cited = entry(scene.bibtex)
    assert evaluated(cited, *scene.lines).findings["authors"].level == "info"
    names = cited.fields["author"].replace(" and ", ";")
    whole = found(record(cited.fields["title"], names, source="dblp", venue="Nature", year=2001, type="article"))
    assert outcome(cited, "authors", *scene.lines, whole) == ("passed", "authors-ok")


ENGINES = "Notes on the analysis of difference engines"
TWO = "Ada Lovelace; Alan Turing"

ALTERED = "Notes on the synthesis of difference engines"


def _cites(type_: str = "article", **fields: str) -> str:
    stated = {"author": "Ada Lovelace and Alan Turing", "title": ENGINES, "year": "2001"} | fields
    return f"@{type_}{{a, " + ", ".join(f"{name}={{{value}}}" for name, value in stated.items()) + "}"


def _listed(venue: str, stream: str, year: int) -> QueryResult:
    """A source shows that it covers the cited venue and year."""
    other = record("Another paper", "Grace Hopper", source="dblp", venue=venue, year=year)
    return found(other, kind="venue_year", value=stream, year=year)


def _twice(row: Record) -> tuple[QueryResult, ...]:
    return found(row), found(replace(row, source="crossref" if row.source == "dblp" else "dblp"))


SCIENCE = record(ENGINES, TWO, venue="Science", year=2001, type="article", doi="10.1000/x")
AT_NEURIPS = record(ENGINES, TWO, source="dblp", venue="NeurIPS", year=2020, type="inproceedings")
AT_ICML = record(ENGINES, TWO, source="dblp", venue="ICML", year=2015, type="inproceedings")
BY_THREE = record(ENGINES, "Ada Lovelace; Alan Turing; Grace Hopper", venue="Nature", year=2001)
STRANGERS = "Joseph Jacquard and Charles Wheatstone and Ada Lovelace"

PROVEN = {
    "the DOI of another work": (
        "doi-other-work",
        "@article{a, author={Ada Lovelace}, title={Notes on the analysis of difference engines}, doi={10.1000/x}}",
        (linked(record("Weaving algebraical patterns", "Joseph Jacquard", doi="10.1000/x")),),
    ),
    "another journal than that of the cited DOI": (
        "venue-other",
        _cites(journal="Nature", doi="10.1000/x"),
        (linked(SCIENCE),),
    ),
    "a conference paper under the name of a conference that a source covers": (
        "venue-other",
        _cites("inproceedings", booktitle="ICML", year="2020"),
        (*_twice(AT_NEURIPS), _listed("ICML", "conf/icml", 2020)),
    ),
    "most authors exchanged, by two sources": (
        "authors-other",
        _cites(author=STRANGERS, journal="Nature"),
        _twice(BY_THREE),
    ),
    "a year far from every version, of a volume that a source covers": (
        "year-other",
        _cites("inproceedings", booktitle="ICML", year="2024"),
        (*_twice(AT_ICML), _listed("ICML", "conf/icml", 2024)),
    ),
    "a word of the title exchanged, the identifier kept": (
        "title-near-miss",
        _cites(title=ALTERED, journal="Nature", doi="10.1000/x"),
        (linked(record(ENGINES, TWO, doi="10.1000/x", venue="Nature", year=2001)),),
    ),
}

PROBABLE = {
    "a journal paper under the name of another journal": (
        "venue-elsewhere",
        _cites(journal="Nature"),
        (found(SCIENCE),),
    ),
    "a conference paper under the name of another conference": (
        "venue-elsewhere",
        _cites("inproceedings", booktitle="ICML", year="2020"),
        (found(AT_NEURIPS),),
    ),
    "most authors exchanged": ("authors-other", _cites(author=STRANGERS, journal="Nature"), (found(BY_THREE),)),
    "a year far from every version": (
        "year-other",
        _cites("inproceedings", booktitle="ICML", year="2024"),
        (found(AT_ICML),),
    ),
}


@pytest.mark.parametrize("name", PROVEN)
def test_a_wrong_twin_is_convicted(name: str) -> None:
    code, bibtex, lines = PROVEN[name]
    assert code in [finding.code for finding in failures(entry(bibtex), *lines)]


@pytest.mark.parametrize("name", PROBABLE)
def test_a_wrong_twin_is_warned_of_on_single_evidence(name: str) -> None:
    code, bibtex, lines = PROBABLE[name]
    evaluation = evaluated(entry(bibtex), *lines)
    (probable,) = (finding for finding in evaluation.findings.values() if finding.evidence)
    assert (probable.outcome, probable.code, probable.level) == ("unverifiable", code, "warning")
    assert (evaluation.verdict.name, evaluation.verdict.reason.endswith(code)) == ("undecided", True)


@pytest.mark.parametrize("name", PROBABLE)
def test_single_evidence_is_enough_where_many_references_are_wrong(name: str) -> None:
    code, bibtex, lines = PROBABLE[name]
    many = AbsenceContext(prior=PRIOR_OF_MODELS)
    evaluation = evaluate(entry(bibtex), evidence(*lines), TODAY, absences=many)
    assert code in [finding.code for finding in evaluation.findings.values() if finding.outcome == "failed"]
    assert evaluation.verdict.name == "misdescribed"
