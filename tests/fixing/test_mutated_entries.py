"""Mutated entries in many styles are restored, none is made worse, and a second correction changes nothing."""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_citecheck.checks import Evaluation
from pytest_citecheck.cli import Engine, mend
from pytest_citecheck.evidence import same_venue
from pytest_citecheck.fixing import FieldEdit
from pytest_citecheck.inputs import cited_metadata
from pytest_citecheck.matching import compare_authors, title_key
from pytest_citecheck.model import Reference
from tests.support.mutated_entries import MUTATIONS, Mutated, SameEvidence, mutated, written

ROOT = Path(__file__).parents[2]
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-8")
_A_FILE = 50


@pytest.fixture(scope="module")
def originals() -> Mapping[str, tuple[Reference, Evaluation]]:
    """The correct references of the fixtures that records confirm, with their evidence."""
    chosen = argparse.Namespace(config=None, citecheck_cassettes=str(ROOT / "cassettes"), citecheck_offline=True)
    engine = Engine(chosen, "citecheck fix")
    known = engine.evaluations({"refs.bib": (ROOT / "fixtures/refs.bib").read_bytes()})
    engine.close()
    return {
        reference.key: (reference, evaluation)
        for reference, evaluation in known.values()
        if evaluation.verdict.name == "verified" and not reference.defects and not failing(evaluation)
    }


def failing(evaluation: Evaluation) -> set[str]:
    return {name for name, finding in evaluation.findings.items() if finding.outcome == "failed"}


def restored(one: Mutated, after: Evaluation) -> bool:
    """Return True if the mutated field has its original value again."""
    old, new = cited_metadata(one.original), after.case.cited
    if one.field == "title":
        return title_key(old.title) == title_key(new.title)
    if one.field == "author":
        return not compare_authors(old.people, new.people.names).code
    if one.field == "year":
        return new.year in {year for work in after.case.works for year in work.record.years}
    if one.field == "doi":
        return new.identifiers.doi in {work.record.doi for work in after.case.works}
    return any(same_venue(new.venue, work.record) == "same" for work in after.case.works)


def check(number: int, known: Mapping[str, tuple[Reference, Evaluation]]) -> None:
    dice = random.Random(number)  # noqa: S311
    references = [reference for reference, _ in known.values()]
    entries: list[Mutated] = []
    while len(entries) < number:
        if one := mutated(references, MUTATIONS[len(entries) % len(MUTATIONS)], len(entries), dice):
            entries.append(one)
    engine = SameEvidence(entries, {key: evaluation.case.evidence for key, (_, evaluation) in known.items()})
    contents: dict[str, bytes] = {}
    for first in range(0, number, _A_FILE):
        text = "".join(written(one, dice) for one in entries[first : first + _A_FILE])
        ends = dice.choice(["\n", "\r\n"])
        contents[f"{first}.bib"] = text.replace("\n", ends).encode(ENCODINGS[first // _A_FILE % len(ENCODINGS)])
    before = engine.evaluations(contents)
    assert len(before) == number
    mended = mend(engine, contents, FieldEdit())
    after = engine.evaluations(mended.contents)
    convicted = told = well = uncertain = 0
    for place, (_, evaluation) in before.items():
        one, then = entries[int(place[0].removesuffix(".bib")) + place[1]], after[place][1]
        assert failing(then) <= failing(evaluation), (place, one)
        if place in mended.written:
            gone = (
                one.field == "doi" and not then.case.cited.identifiers.doi
            )  # no registry is known to have the right one
            assert restored(one, then) or failing(then) or gone, (place, one)
        convicted += bool(failing(evaluation))
        told += any(finding.evidence or finding.outcome == "failed" for finding in evaluation.findings.values())
        well += bool(failing(evaluation)) and not failing(then) and restored(one, then)
        uncertain += bool(failing(then)) and "--unsafe" in mended.left[place][1]
    assert told > 0.7 * number
    assert convicted > 0.5 * number  # a single record warns
    assert uncertain <= 0.07 * convicted, f"{uncertain} of {convicted}"
    assert well >= 0.95 * (convicted - uncertain), f"{well} of {convicted - uncertain}"
    assert mend(engine, mended.contents, FieldEdit()).contents == mended.contents


@pytest.mark.exhaustive
def test_a_few_mutated_entries(originals: Mapping[str, tuple[Reference, Evaluation]]) -> None:
    check(42, originals)


@pytest.mark.exhaustive
def test_two_thousand_mutated_entries(originals: Mapping[str, tuple[Reference, Evaluation]]) -> None:
    check(2000, originals)
