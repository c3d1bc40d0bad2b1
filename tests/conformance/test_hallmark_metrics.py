"""Every published metric block is reproduced from the predictions that it was computed from.

The numbers written out here are single published values; all other expectations are read from the published blocks.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.benchmark import (
    Confusion,
    DuplicatePolicy,
    EvaluationMode,
    as_published,
    compare_around,
    load_predictions,
    pair,
    score,
    union_recall,
)
from pytest_citecheck.cli import main
from pytest_citecheck.inputs import LabelledEntry, Prediction, load_split

SHARED = Path(os.environ.get("CITECHECK_SHARED", "/nowhere")) / "hallmark"
pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="CITECHECK_SHARED names no folder with HALLMARK's data")

BTU, AGENT, PRO, LLAMA = (
    f"{name}_dev_public" for name in ("bibtexupdater", "agentic_openai", "gemini_pro", "llama_4_maverick")
)
SONNET, GPT, FLASH = (f"{name}_temporal_448" for name in ("claude_sonnet_4_6", "gpt_5_1", "gemini_flash_cutoff_aware"))
ALL = (BTU, AGENT, PRO, LLAMA, SONNET, GPT, FLASH)
DUPLICATES: Mapping[str, DuplicatePolicy] = {GPT: "first"}


@cache
def entries(stem: str) -> tuple[LabelledEntry, ...]:
    split = load_split(SHARED / f"{'dev_public' if stem.endswith('dev_public') else 'temporal_448'}.jsonl")
    assert not split.problems
    return split.entries


@cache
def predictions(stem: str) -> tuple[Prediction, ...]:
    file = load_predictions(SHARED / "predictions" / f"{stem}.jsonl")
    assert not [problem for problem in file.problems if problem.severity == "error"]
    return file.predictions


@cache
def scored(stem: str, mode: EvaluationMode = "conservative", replicates: int = 0) -> dict[str, Any]:
    duplicates = DUPLICATES.get(stem, "last")
    return score(entries(stem), predictions(stem), duplicates=duplicates, mode=mode, replicates=replicates)


def published(stem: str) -> dict[str, Any]:
    text = (SHARED / "metrics" / f"{stem}.json").read_text(encoding="utf-8")
    block: dict[str, Any] = json.loads(text)
    return block


def cells(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Each number of a block with its path; NaN as None."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if not name.startswith("_"):
                yield from cells(inner, f"{path}/{name}")
    else:
        yield path, None if isinstance(value, float) and math.isnan(value) else value


NAMES = ("/tool_name", "/split_name")


@pytest.mark.parametrize("stem", ALL)
def test_every_cell_of_the_published_block(stem: str) -> None:
    ours = as_published(scored(stem))
    computed = dict(cells(ours))
    expected = dict(cells(published(stem)))
    compared = 0
    for path, value in expected.items():
        if path in NAMES:
            continue
        if value is None or isinstance(value, int):
            assert computed[path] == value, path
        else:
            assert computed[path] == pytest.approx(value, rel=0, abs=1e-9), path
        compared += 1
    assert compared > 90
    for block in ("per_tier_metrics", "per_type_metrics"):
        assert ours[block].keys() == published(stem)[block].keys()


COUNTS = {
    BTU: (524, 47, 466, 82, 0),
    AGENT: (586, 245, 268, 20, 0),
    PRO: (277, 25, 475, 305, 37),
    LLAMA: (372, 75, 438, 234, 0),
    SONNET: (121, 36, 264, 27, 0),
    GPT: (138, 224, 71, 6, 9),
    FLASH: (105, 108, 122, 27, 86),
}


@pytest.mark.parametrize("stem", ALL)
def test_the_confusion_matrix(stem: str) -> None:
    counts = scored(stem)["counts"]
    assert tuple(counts[name] for name in ("tp", "fp", "tn", "fn", "uncertain")) == COUNTS[stem]
    assert counts["missing"] == 0


def test_the_last_of_several_predictions_counts_unless_told_otherwise() -> None:
    last = score(entries(GPT), predictions(GPT))
    assert last["false_positive_rate"] == pytest.approx(0.742373, abs=5e-7)
    assert last["f1_hallucination"] == pytest.approx(0.550898, abs=5e-7)


@pytest.mark.parametrize(
    ("stem", "counts", "f1", "fpr"),
    [(PRO, (301, 38, 475, 305), 0.637037, 0.074074), (FLASH, (121, 178, 122, 27), 0.541387, 0.593333)],
)
def test_forced_to_answer(stem: str, counts: tuple[int, ...], f1: float, fpr: float) -> None:
    found = scored(stem, "aggressive")
    assert tuple(found["counts"][name] for name in ("tp", "fp", "tn", "fn")) == counts
    assert found["f1_hallucination"] == pytest.approx(f1, abs=5e-7)
    assert found["false_positive_rate"] == pytest.approx(fpr, abs=5e-7)
    assert found["coverage"] == found["committed_coverage"] == 1


def test_the_ece_of_a_tool_that_is_forced_to_answer() -> None:
    assert scored(PRO, "aggressive")["ece"] == pytest.approx(0.284111, abs=5e-7)


@pytest.mark.parametrize(("stem", "f1"), [(PRO, 0.610132), (FLASH, 0.581717)])
def test_uncertain_read_as_valid(stem: str, f1: float) -> None:
    assert scored(stem)["readings"]["as_valid"]["f1_hallucination"] == pytest.approx(f1, abs=5e-7)


@pytest.mark.parametrize(
    ("stem", "rate"),
    [(AGENT, 0.099067), (PRO, 0.086826), (LLAMA, 0.240881), (SONNET, 0.176657), (GPT, 0.289905), (FLASH, 0.472176)],
)
def test_entries_per_second(stem: str, rate: float) -> None:
    assert scored(stem)["cost_efficiency"] == pytest.approx(rate, abs=5e-7)


def test_union_recall() -> None:
    tools = {stem: pair(entries(stem), predictions(stem)) for stem in (BTU, PRO, LLAMA, AGENT)}
    assert list(union_recall(tools).values()) == pytest.approx([0.864686, 0.882838, 0.912541, 0.990099], abs=5e-7)


INTERVALS = {
    AGENT: (
        (0.953795, 0.978548),
        (0.432749, 0.520468),
        (0.801647, 0.830028),
        (0.881544, 0.902622),
        (0.517184, 0.598188),
    ),
    PRO: ((0.441941, 0.510454), (0.032000, 0.069860), (0.594533, 0.657837), (0.572929, 0.644049), (0.433710, 0.510652)),
    LLAMA: (
        (0.580858, 0.645215),
        (0.116959, 0.177388),
        (0.679686, 0.732314),
        (0.678713, 0.736996),
        (0.430380, 0.519703),
    ),
}


@pytest.mark.parametrize("stem", INTERVALS)
def test_bootstrap_intervals(stem: str) -> None:
    found = scored(stem, replicates=10_000)
    fields = ("detection_rate_ci", "fpr_ci", "f1_hallucination_ci", "tier_weighted_f1_ci", "mcc_ci")
    for field, interval in zip(fields, INTERVALS[stem], strict=True):
        assert found[field] == pytest.approx(interval, abs=5e-7), field
    assert found["ece_ci"][0] < found["ece_ci"][1]
    assert found["tier3_f1_ci"][0] < found["tier3_f1"] < found["tier3_f1_ci"][1]


@pytest.mark.parametrize(("stem", "value"), [(PRO, 0.043), (LLAMA, 0.121)])
def test_fpr_at_90_percent_coverage(stem: str, value: float) -> None:
    # The published values cut through tied confidences in file order; ours takes a share of the tied answers.
    assert scored(stem)["fpr_at_coverage"] == pytest.approx(value, abs=0.006)


def test_cascades_from_their_published_counts() -> None:
    dev = Confusion(tp=487, fn=2, fp=53, tn=437, uncertain=140)
    assert (dev.f1, dev.false_positive_rate) == pytest.approx((0.946550, 0.108163), abs=5e-7)
    stress = Confusion(tp=97, fn=5, uncertain=19)
    assert (stress.detection_rate, stress.f1, stress.mcc) == pytest.approx((0.950980, 0.974874, 0), abs=5e-7)
    assert Confusion(tp=116, fn=5).f1 == pytest.approx(0.978903, abs=5e-7)


def test_a_published_block_ranks_where_its_predictions_do(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(SHARED / "predictions" / f"{stem}.jsonl") for stem in (BTU, AGENT, PRO)]
    files += [str(SHARED / "metrics" / f"{stem}.json") for stem in (BTU, LLAMA)]
    assert (
        main(["rank", "--split", str(SHARED / "dev_public.jsonl"), *files, "--bootstrap", "5", "--format", "json"]) == 0
    )
    rows = json.loads(capsys.readouterr().out)["leaderboard"]
    assert [(row["tool_name"], row["result"]) for row in rows] == [
        (BTU, "recomputed"), (BTU, "as published"), (AGENT, "recomputed"), (LLAMA, "as published"), (PRO, "recomputed"),
    ]  # fmt: skip
    assert rows[0]["f1_hallucination"] == pytest.approx(rows[1]["f1_hallucination"], abs=1e-9)


def test_entries_of_the_cut_off_day_count_as_before() -> None:
    before, after, undated = compare_around(pair(entries(SONNET), predictions(SONNET)), "2024-01-01")
    assert (before["count"], after["count"], undated) == (247, 201, 0)
