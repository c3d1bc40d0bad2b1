"""Thresholds of scores: their syntax and their evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.benchmark import (
    CLAIM_FIGURES,
    GATE_FIELDS,
    ArenaReference,
    GateError,
    arena_scores,
    gate_lines,
    parse_gates,
    score,
)
from pytest_citecheck.models.claims import ResultRow, strict_metrics
from tests.support.metric_rows import MICRO_ENTRIES, MICRO_PREDICTIONS


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("f1=0.9", True),  # at least
        ("f1=0.95", False),
        ("fpr=0.1", True),  # at most
        ("fpr=0.05", False),
        ("fpr<=0.1", True),
        ("fpr<0.1", False),
        ("f1>0.9", False),
        ("f1 >= 0.9", True),
        ("recall>=.5", True),
        ("ece<0.05", True),  # the tie-safe one
        ("ece_file_order<0.05", False),
        ("mcc>-1e-3", True),
    ],
)
def test_what_holds(text: str, held: bool) -> None:
    values = {
        "f1_hallucination": 0.9,
        "false_positive_rate": 0.1,
        "detection_rate": 0.5,
        "ece_tie_safe": 0.01,
        "ece": 0.5,
        "mcc": 0.0,
    }
    (gate,) = parse_gates(text)
    assert gate.text == text
    assert gate.against(values)[1] is held


def test_several_in_their_order() -> None:
    gates = parse_gates(" f1=0.95, fpr<=0.03 ,ece<0.05,")
    assert [gate.text for gate in gates] == ["f1=0.95", "fpr<=0.03", "ece<0.05"]
    assert parse_gates(" , ") == ()


def test_what_is_undefined_does_not_hold() -> None:
    (gate,) = parse_gates("fpr<=1")
    assert gate.against({"false_positive_rate": None}) == ("fpr<=1: undefined", False)


@pytest.mark.parametrize(
    "text", ["f1", "f1=", "f1=high", "=0.9", "f1==0.9", "f1=nan", "f1<inf", "f1 0.9", "f1=0.9 fpr=0.1"]
)
def test_what_cannot_be_read(text: str) -> None:
    with pytest.raises(GateError):
        parse_gates(text)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(GateError, match=r"unknown metric 'accuracy' .*choose from auprc, auroc, .*tw_f1"):
        parse_gates("accuracy=0.9")


def test_scores_of_models_are_gates() -> None:
    references = [
        ArenaReference("good", "1", verdict="verified", confidence=0.9),
        ArenaReference("bad", "1", verdict="verified", confidence=0.9),
        ArenaReference("bad", "1", verdict="fabricated"),
        ArenaReference("mute", "1", delivery="empty"),
    ]
    gates = "verification_rate>=0.9,hallucination_rate=0.1,f1=0.5"
    assert gate_lines(gates, [], (), arena_scores(references)) == [
        ("f1=0.5: no labelled reference was checked", False),
        ("verification_rate>=0.9: 1.0000 (good)", True),
        ("hallucination_rate=0.1: 0.0000 (good)", True),
        ("verification_rate>=0.9: 0.5000 (bad)", False),
        ("hallucination_rate=0.1: 0.5000 (bad)", False),
        ("verification_rate>=0.9: undefined (mute)", False),
        ("hallucination_rate=0.1: undefined (mute)", False),
    ]
    assert gate_lines("completeness>0", []) == [("completeness>0: no answer of a model was checked", False)]


def test_every_gate_reads_a_field_of_the_score() -> None:
    assert set(GATE_FIELDS.values()) <= score(MICRO_ENTRIES, MICRO_PREDICTIONS).keys()


@given(text=st.text(alphabet="f1=<>.,0e- prn", max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        gates = parse_gates(text)
    except GateError:
        return
    assert len(gates) == len([part for part in text.split(",") if part.strip()])


def test_scores_of_judges_of_claims_are_gates() -> None:
    rows = [
        ResultRow(str(place), "j", truth="Supported", verdict=said) for place, said in enumerate(("Supported", "NOT"))
    ]
    judges = {"j": strict_metrics(rows)}
    gates = "claims_exact>=0.5,claims_failures_right=0.9,claims_errors=0"
    assert gate_lines(gates, [], (), None, judges) == [
        ("claims_exact>=0.5: 0.5000", True),
        ("claims_failures_right=0.9: 0.0000", False),
        ("claims_errors=0: 0.0000", True),
    ]
    assert gate_lines("claims_ece<1", []) == [("claims_ece<1: no claim was checked", False)]
    assert all(
        name in (Path(__file__).parents[2] / "docs/metrics.md").read_text(encoding="utf-8") for name in CLAIM_FIGURES
    )
