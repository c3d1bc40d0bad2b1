"""Panels vote from stored answers."""

from __future__ import annotations

import pytest

from pytest_citecheck.models.claims import Panel, ResultRow, binary, panel_row, plurality

S, P, N, U = "Supported", "Partially supported", "Not supported", "Source unavailable"


@pytest.mark.parametrize(
    ("said", "verdict", "tie"),
    [((S, S, N), S, False), ((S, N), N, True), ((P, S, U), P, True), ((U, S), U, True), ((N, N, P, P, S), P, True)],
)
def test_w10_plurality(said: tuple[str, ...], verdict: str, tie: bool) -> None:
    assert (plurality(said).verdict, plurality(said).tie) == (verdict, tie)


@pytest.mark.parametrize(("said", "verdict"), [((S, P, N), S), ((S, N), N), ((U, U, S), N), ((P, P), S)])
def test_w10_binary(said: tuple[str, ...], verdict: str) -> None:
    assert binary(said).verdict == verdict


def test_w10_failed_calls_abstain() -> None:
    said = ("ERROR", "ERROR", S)
    assert plurality(said).verdict == S
    assert binary(("PARSE_ERROR", "PARSE_ERROR", S)).verdict == S
    assert plurality(said, quorum=2).verdict == ""
    assert plurality(()).verdict == ""


def row(provider: str, verdict: str, confidence: float | None, **more: object) -> ResultRow:
    return ResultRow("row_1", provider, verdict=verdict, confidence=confidence, **more)  # type: ignore[arg-type]


def test_w11_what_a_panel_takes() -> None:
    rows = [
        row("a", S, 90, latency=100, tokens_in=10, tokens_out=0, cost=0.0),
        row("b", P, 60, latency=300, tokens_in=20, tokens_out=None, cost=0.25),
        row("c", S, 70, latency=200, tokens_in=30, tokens_out=5, cost=0.5),
    ]
    found = panel_row(Panel("panel", ("a", "b", "c")), rows)
    assert (found.verdict, found.confidence, found.latency) == (S, 80, 300)
    assert (found.tokens_in, found.tokens_out, found.cost) == (60, None, 0.75)


def test_a_panel_of_failures_is_a_failure() -> None:
    rows = [row("a", "ERROR", None, error="http-500"), row("b", "ERROR", None, error="timeout")]
    found = panel_row(Panel("panel", ("a", "b"), "binary"), rows)
    assert found.error == "only 0 of 2 members gave a verdict"
