"""Correct references in the light of evidence that tempts to accuse them: no check may fail.

The scenes stand in correct_references.yaml. The wrong twins below show that such evidence convicts a reference that is
really wrong, so that no scene passes because nothing can fail.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest
import yaml

from pytest_citecheck.model import Absent, Answer, Asked, Found, Person, Question, Record, Unavailable
from tests.support.evidence_builders import entry, failures, found, linked, record, silent

SOURCES = ("crossref", "datacite", "doi_org", "dblp", "arxiv")


@dataclass(frozen=True, slots=True)
class Scene:
    """A reference as cited, and what the sources say."""

    name: str
    bibtex: str
    lines: tuple[Asked, ...]


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
            question = Question(said.get("kind", "title"), said.get("value", ""), (), said.get("year"))
            records = [_record(said["source"], number, item) for number, item in enumerate(said.get("records", ()))]
            answer: Answer = Found(tuple(records), said.get("scope", ""))
            if said.get("absent"):
                answer = Absent(said.get("scope", ""))
            elif "unavailable" in said:
                answer = Unavailable(said["unavailable"])
            lines.append(Asked(said["source"], question, answer))
        yield Scene(row["name"], row["bibtex"], tuple(lines))


SCENES = list(_scenes())


def accusations(scene: Scene, *more: Asked) -> list[str]:
    found = failures(entry(scene.bibtex), *scene.lines, *more)
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
            silent(line.source, line.question.kind, line.question.value) if number == missing else line
            for number, line in enumerate(scene.lines)
        )
        assert accusations(Scene(scene.name, scene.bibtex, lines)) == []


ENGINES = "Notes on the analysis of difference engines"
TWO = "Ada Lovelace; Alan Turing"

WRONG = {
    "the DOI of another work": (
        "doi-other-work",
        "@article{a, author={Ada Lovelace}, title={Notes on the analysis of difference engines}, doi={10.1000/x}}",
        (linked(record("Weaving algebraical patterns", "Joseph Jacquard", doi="10.1000/x")),),
    ),
    "a journal paper under the name of another journal": (
        "venue-other",
        (
            "@article{a, author={Ada Lovelace and Alan Turing}, title={Notes on the analysis of difference engines}, "
            "journal={Nature}, year=2001}"
        ),
        (found(record(ENGINES, TWO, venue="Science", year=2001, type="article")),),
    ),
    "a conference paper under the name of another conference": (
        "venue-other",
        (
            "@inproceedings{a, author={Ada Lovelace and Alan Turing}, title={Notes on the analysis of difference engines}, "
            "booktitle={ICML}, year=2020}"
        ),
        (found(record(ENGINES, TWO, source="dblp", venue="NeurIPS", year=2020, type="inproceedings")),),
    ),
    "most authors exchanged": (
        "authors-other",
        (
            "@article{a, author={Joseph Jacquard and Charles Wheatstone and Ada Lovelace}, year=2001, journal={Nature}, "
            "title={Notes on the analysis of difference engines}}"
        ),
        (found(record(ENGINES, "Ada Lovelace; Alan Turing; Grace Hopper", venue="Nature", year=2001)),),
    ),
    "a year far from every version": (
        "year-other",
        (
            "@inproceedings{a, author={Ada Lovelace and Alan Turing}, title={Notes on the analysis of difference engines}, "
            "booktitle={ICML}, year=2024}"
        ),
        (found(record(ENGINES, TWO, source="dblp", venue="ICML", year=2015, type="inproceedings")),),
    ),
    "a word of the title exchanged, the identifier kept": (
        "title-near-miss",
        (
            "@article{a, author={Ada Lovelace and Alan Turing}, title={Notes on the synthesis of difference engines}, "
            "journal={Nature}, year=2001, doi={10.1000/x}}"
        ),
        (linked(record(ENGINES, TWO, doi="10.1000/x", venue="Nature", year=2001)),),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_twin_is_convicted(name: str) -> None:
    code, bibtex, lines = WRONG[name]
    assert code in [finding.code for finding in failures(entry(bibtex), *lines)]
