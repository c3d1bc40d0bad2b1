"""Published runs of claim verification are computed again, to the last digit (alex-o-748/citation-checker-script)."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.models.claims import (
    ClaimFile,
    Panel,
    ResultRow,
    Rule,
    analysis,
    compare,
    comparison_csv,
    joined,
    match_quote,
    metrics,
    panel_row,
    providers_of,
    read_claims,
    read_results,
    strict_metrics,
)

SHARED = Path(os.environ.get("CITECHECK_SHARED", "/nowhere")) / "claims"
pytestmark = pytest.mark.skipif(
    not SHARED.exists(), reason="CITECHECK_SHARED names no folder with the published claims"
)

V1, SONNET, HISTORICAL = "results_v1.json", "results_claude_sonnet5.json", "historical_2026-01-20_results.json"
MEMBERS = ("openrouter-mistral-small-3.2", "openrouter-olmo-3.1-32b", "openrouter-deepseek-v3.2")


@cache
def rows(name: str) -> tuple[ResultRow, ...]:
    return tuple(read_results((SHARED / name).read_text(encoding="utf-8"), name)[0])


@cache
def claims(name: str = "dataset.json", version: str = "all") -> ClaimFile:
    return read_claims((SHARED / name).read_text(encoding="utf-8"), name, version=version)


def published(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((SHARED / name).read_text(encoding="utf-8"))
    return value


def restricted(value: Any, pattern: Any) -> Any:
    """The part of a value that a published block states."""
    return {key: restricted(value[key], one) for key, one in pattern.items()} if isinstance(pattern, dict) else value


def test_c1_the_blocks_of_the_first_run() -> None:
    ours, theirs = analysis(rows(V1), "")["providers"], published("analysis_v1.json")["providers"]
    assert set(theirs) - set(ours) == {"claude-sonnet", "gemini-flash"}  # published without rows: 532 calls, 380 rows
    for name, block in ours.items():
        assert restricted(block, theirs[name]) == theirs[name]


def test_c2_the_whole_analysis_of_a_run_with_quotes() -> None:
    theirs = published("analysis_claude_sonnet5.json")
    assert analysis(rows(SONNET), theirs["generated"]) == theirs
    assert [strict_metrics(rows(SONNET))["needsReview"][key] for key in ("tp", "fp", "fn", "tn")] == [95, 27, 7, 53]


def test_c3_the_comparison_table_is_the_same_to_the_byte() -> None:
    assert comparison_csv(rows(V1)).encode() == (SHARED / "results_comparison_v1.csv").read_bytes()


@pytest.mark.parametrize(
    ("provider", "rule"), [("openrouter-vote-3", "plurality"), ("openrouter-vote-3-binary", "binary")]
)
def test_c4_votes(provider: str, rule: Rule) -> None:
    theirs = {row.entry: row for row in rows(HISTORICAL) if row.provider == provider}
    votes = [{row.entry: row for row in providers_of(rows(HISTORICAL))[member]} for member in MEMBERS]
    whole = [entry for entry in votes[0] if all(entry in of_member for of_member in votes)]
    panel = Panel(provider, MEMBERS, rule)
    ours = [panel_row(panel, [of_member[entry] for of_member in votes]) for entry in whole]
    assert len(ours) == len(theirs) == 187
    for row in ours:
        other = theirs[row.entry]
        assert (row.verdict, row.latency, row.confidence) == (other.verdict, other.latency, other.confidence)
        assert (row.panel, row.tiebreaker) == (other.panel, other.tiebreaker)
    if rule == "plurality":
        ties = Counter((frozenset(row.panel), row.verdict) for row in ours if row.tiebreaker)
        u, s, p, n = "Source unavailable", "Supported", "Partially supported", "Not supported"
        assert ties == {(frozenset({p, s, u}), p): 8, (frozenset({n, p, s}), p): 3, (frozenset({n, s, u}), n): 1}


def test_c5_the_published_table() -> None:
    table = {
        "openrouter-mistral-small-3.2": (41.2, 67.9, 83.4),
        "openrouter-olmo-3.1-32b": (40.6, 58.8, 74.3),
        "openrouter-deepseek-v3.2": (38.5, 57.8, 78.6),
        "claude-sonnet-4-5": (46.5, 64.2, 81.8),
        "gemini-2.5-flash": (66.3, 78.6, 79.1),
        "openrouter-vote-3": (42.2, 66.3, 84.5),
        "openrouter-vote-3-binary": (58.8, 84.5, 84.5),
    }
    mended = [replace(row, truth="Not supported") if row.entry == "row_188" else row for row in rows(HISTORICAL)]
    for name, own in providers_of(mended).items():
        block = metrics(own)
        assert tuple(round(100 * block[f"{kind}Accuracy"], 1) for kind in ("exact", "lenient", "binary")) == table[name]


def test_c6_all_quotes_have_their_status() -> None:
    sources = {pair.id: pair.source for pair in claims().pairs}
    found = [match_quote(row.quote, sources[row.entry]).status == row.quote_status for row in rows(SONNET)]
    assert found.count(True) == len(found) == 182


def test_c7_rows_at_the_edge() -> None:
    assert metrics(rows("edge_fixture.json")) == published("edge_fixture.json")["expected"]


def test_c8_truths_that_drifted() -> None:
    numbers = (3, 5, 11, 29, 42, 48, 49, 51, 52, 54, 65, 68, 77, 78)
    assert joined(rows(V1), claims())[1] == [f"row_{number}" for number in numbers]
    assert joined(rows(V1), claims("dataset_v1.json"))[1] == []
    assert joined(rows(HISTORICAL), claims())[1] == ["row_77"]
    assert joined(rows(SONNET), claims())[1] == []


def test_w1_w19_rows_that_can_be_judged() -> None:
    counts = {
        version: sum(pair.runs for pair in claims(version=version).pairs) for version in ("all", "v1", "v2", "v3")
    }
    assert counts == {"all": 182, "v1": 74, "v2": 33, "v3": 75}
    assert claims().unfit() == {"the source could not be fetched": 7}
    assert sum(pair.runs for pair in claims("dataset_v1.json").pairs) == 76


def test_w7_further_metrics() -> None:
    found = {name: strict_metrics(own) for name in (V1, SONNET) for name, own in providers_of(rows(name)).items()}
    assert [round(block["kappa"], 6) for block in found.values()] == [
        0.214403,
        0.262899,
        0.246988,
        0.355357,
        0.357143,
        0.356534,
    ]
    assert [round(block["mcc"], 6) for block in found.values()] == [
        0.267738,
        0.264579,
        0.261458,
        0.363087,
        0.428746,
        0.371066,
    ]
    intervals = [tuple(round(bound, 4) for bound in block["exact"]["interval"]) for block in found.values()]
    assert intervals[0] == (0.4605, 0.6790)
    assert intervals[-1] == (0.4714, 0.6147)
    assert [round(block["calibration"]["ece"], 3) for block in found.values()][:4] == [0.226, 0.123, 0.093, 0.051]
    f1 = {verdict: round(block["f1"] or 0, 4) for verdict, block in found["claude-sonnet-5"]["classes"].items()}
    assert f1 == {"Supported": 0.7571, "Partially supported": 0.4222, "Not supported": 0.4909, "Source unavailable": 0}
    assert found["claude-sonnet-5"]["classes"]["Source unavailable"]["recall"] is None


def test_w8_every_model_of_the_first_run_is_below_the_majority() -> None:
    marks = {name: strict_metrics(own)["exact"]["belowMajority"] for name, own in providers_of(rows(V1)).items()}
    assert len(marks) == 5
    assert all(marks.values())


@pytest.mark.parametrize(
    ("name", "control", "treatment", "counts", "p"),
    [
        (HISTORICAL, MEMBERS[0], "gemini-2.5-flash", [65, 19, 23, 58, 22], 4.75e-7),
        (HISTORICAL, MEMBERS[0], "openrouter-vote-3", [8, 6, 10, 71, 92], 0.7905),
        (V1, "qwen-sealion", "claude-sonnet-4-5", [6, 4, 3, 51, 11], 0.7539),
        (V1, "apertus-70b", "claude-sonnet-4-5", [20, 6, 4, 37, 8], 0.009355),
    ],
)
def test_w23_runs_compared(name: str, control: str, treatment: str, counts: list[int], p: float) -> None:
    found = compare(rows(name), rows(name), providers=(control, treatment))
    assert list(found.counts().values()) == counts
    assert found.p == pytest.approx(p, rel=1e-3)
