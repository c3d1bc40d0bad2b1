"""Metrics of answers to claims, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_citecheck.models.claims import (
    ResultRow,
    compare,
    comparison_csv,
    flag_threshold,
    kappa,
    matthews,
    mcnemar,
    metrics,
    strict_metrics,
)

S, P, N, U = "Supported", "Partially supported", "Not supported", "Source unavailable"


def row(
    entry: str, verdict: str, truth: str, confidence: float | None = 50, provider: str = "m", **more: object
) -> ResultRow:
    return ResultRow(entry, provider, verdict=verdict, truth=truth, confidence=confidence, **more)  # type: ignore[arg-type]


def test_w6_an_answer_without_verdict_gets_no_credit() -> None:
    rows = [row("a", "PARSE_ERROR", N), row("b", S, S), row("c", "ERROR", S, error="timeout")]
    assert metrics(rows)["binaryAccuracy"] == 1.0
    strict = strict_metrics(rows)
    assert (strict["binary"]["value"], strict["parseErrors"], strict["errors"], strict["answered"]) == (0.5, 1, 1, 2)
    assert strict["confusionMatrix"][N]["PARSE_ERROR"] == 1


def test_without_calls_the_published_latency_is_0() -> None:
    assert metrics([row("a", S, S)])["latency"] == {"avg": 0, "min": 0, "max": 0}


def test_w9_both_treatments_of_an_absent_confidence() -> None:
    rows = [row("a", S, S, 80), row("b", S, N, None), row("c", S, N, 60)]
    assert metrics(rows)["confidence"]["calibration"] == 80 - 30
    assert strict_metrics(rows)["calibration"]["gap"] == 80 - 60
    assert strict_metrics(rows)["calibration"]["stated"] == 2


def test_w9_confidence_that_only_repeats_the_verdict_tells_nothing_within_it() -> None:
    rows = [row("a", S, S, 90), row("b", S, N, 90), row("c", N, N, 95), row("d", N, S, 20)]
    within = strict_metrics(rows)["calibration"]["aucWithin"]
    assert (within[S], within[N], within[P]) == (0.5, 1.0, None)


def test_w17_unknown_cost_is_not_nothing() -> None:
    assert strict_metrics([row("a", S, S)])["cost"] == {
        "dollars": None,
        "priced": 0,
        "perCall": None,
        "perCorrect": None,
    }
    rows = [row("a", S, S, cost=0.5), row("b", S, N, cost=0.25), row("c", S, S)]
    assert strict_metrics(rows)["cost"] == {"dollars": 0.75, "priced": 2, "perCall": 0.375, "perCorrect": 0.75}


def test_w26_quotes_of_contradictions_count() -> None:
    more: Any = {"quote": "q", "quote_verified": True, "quote_status": "exact"}
    rows = [row("a", N, N, reason_type="contradiction", **more), row("b", N, N, reason_type="omission"), row("c", S, S)]
    quotes = strict_metrics(rows)["quotes"]
    assert (quotes["eligible"], quotes["offered"], quotes["fidelity"], quotes["statuses"]) == (2, 1, 1.0, {"exact": 1})


def test_a_threshold_of_flags_keeps_to_its_error() -> None:
    rows = [row(f"r{number}", N, N, 90) for number in range(40)] + [row(f"w{number}", N, S, 40) for number in range(40)]
    found = flag_threshold(rows, 0.1)
    assert found is not None
    assert (found["confidence"], found["flags"], found["wrong"]) == (90, 40, 0)
    assert flag_threshold(rows, 0.01) is None


def test_agreement_by_hand() -> None:
    labels = [("a", "a"), ("a", "a"), ("b", "a"), ("b", "b")]
    assert kappa(labels) == pytest.approx(0.5)
    assert matthews(labels) == pytest.approx(1 / 3**0.5)
    assert kappa([]) is kappa([("a", "a")]) is matthews([("a", "a")]) is None
    assert (mcnemar(0, 0), mcnemar(5, 0), mcnemar(3, 3)) == (1.0, 0.0625, 1.0)


def test_w23_names_with_colons_are_not_cut() -> None:
    before = [row("a", S, N, provider="hf:org/one"), row("a", S, S, provider="hf:org/two")]
    after = [row("a", N, N, provider="hf:org/one"), row("a", N, S, provider="hf:org/two")]
    found = compare(before, after)
    assert [(cell.provider, cell.direction) for cell in found.cells] == [
        ("hf:org/one", "improvement"),
        ("hf:org/two", "regression"),
    ]
    assert (found.is_noise, found.is_worse, found.p) == (True, False, 1.0)


def test_the_table_doubles_quotation_marks() -> None:
    table = comparison_csv([row('say "a"', S, N, provider="x,y")])
    assert table == 'entry_id,ground_truth,"x,y"\n"say ""a""","Not supported","Supported"'
