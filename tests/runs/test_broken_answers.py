"""All services lose values in the same way: right references of the fixtures are not accused.

A title that is cut after a whole word is left out: it may be another title.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from pytest_citecheck.checks import Evaluation
from pytest_citecheck.cli import Engine
from tests.support.broken_bodies import broken_cassettes, damages

ROOT = Path(__file__).parents[2]
DAMAGES = damages(6)
QUICK = ("question marks", "replacement characters", "null 0", "cut 0")


def _evaluations(cassettes: Path) -> Mapping[str, Evaluation]:
    chosen = argparse.Namespace(config=None, citecheck_cassettes=str(cassettes), citecheck_offline=True)
    engine = Engine(chosen, "citecheck fix")
    try:
        known = engine.evaluations({"refs.bib": (ROOT / "fixtures/refs.bib").read_bytes()})
    finally:
        engine.close()
    return {reference.key: evaluation for reference, evaluation in known.values()}


@cache
def _whole() -> Mapping[str, Evaluation]:
    return _evaluations(ROOT / "cassettes")


def _accusations(evaluations: Mapping[str, Evaluation]) -> set[tuple[str, str, str]]:
    return {
        (key, name, finding.code)
        for key, evaluation in evaluations.items()
        for name, finding in evaluation.findings.items()
        if finding.outcome == "failed"
    }


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.exhaustive) for name in DAMAGES]
)
def test_what_all_services_lose_accuses_nobody(name: str, tmp_path: Path) -> None:
    broken_cassettes(ROOT / "cassettes", tmp_path / "broken", DAMAGES[name])
    evaluations = _evaluations(tmp_path / "broken")
    assert sum(evaluation.verdict.name == "verified" for evaluation in evaluations.values()) >= 25
    assert _accusations(evaluations) - _accusations(_whole()) == set()
