"""Baselines on dev_public against the numbers that HALLMARK and its evaluation publish for them."""

from __future__ import annotations

from collections import Counter

import pytest

from pytest_citecheck.benchmark.baselines import BASELINES, cascade
from pytest_citecheck.benchmark.score import score
from pytest_citecheck.inputs.hallmark import load_split
from tests.conformance.test_hallmark_metrics import AGENT, BTU, LLAMA, PRO, SHARED, entries, predictions

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="CITECHECK_SHARED names no folder with HALLMARK's data")


# F1 of trivial rules, to three digits.
@pytest.mark.parametrize(
    ("name", "f1"),
    [
        ("always_hallucinated", 0.703),
        ("doi_presence", 0.500),
        ("venue_oracle", 0.401),
        ("future_year", 0.094),
        ("duplicate_title", 0.579),
        ("always_valid", 0.0),
    ],
)
def test_trivial_rules(name: str, f1: float) -> None:
    dev, baseline = entries(BTU), BASELINES[name]
    said = baseline.predict(dev, pool=dev if baseline.pooled else ())
    assert score(dev, said)["f1_hallucination"] == pytest.approx(f1, abs=0.0006)


def test_no_title_of_one_split_tells_on_another() -> None:
    temporal = load_split(SHARED / "temporal_448.jsonl").entries
    said = BASELINES["title_oracle"].predict(temporal, pool=entries(BTU))
    assert score(temporal, said)["detection_rate"] == 0


def test_the_stages_of_the_published_cascade() -> None:
    said = cascade([entry.key for entry in entries(BTU)], predictions(BTU), predictions(AGENT))
    assert Counter(one.stage for one in said) == {"stage1_db": 805, "prescreening": 48, "stage2_diagnosis": 266}
    # Without a model: the published 53 false positives and 2 misses include those of these two stages.
    alone = score(entries(BTU), cascade([entry.key for entry in entries(BTU)], predictions(BTU), []))
    assert alone["num_uncertain"] == 266
    assert alone["counts"]["fp"] <= 53
    assert alone["counts"]["fn"] <= 6
    # An aggressive cascade decides everything.
    forced = BASELINES["cascade_aggressive"].predict(entries(BTU), [predictions(BTU), ()])
    assert score(entries(BTU), forced)["cascade_breakdown_stats"]["stage2_diagnosis"]["HALL"] == 266


def test_ensembles_of_four_tools() -> None:
    """The rules differ as the published rates do: below the largest suspicion, and below a vote of the decided tools."""
    dev, runs = entries(BTU), [predictions(stem) for stem in (BTU, AGENT, PRO, LLAMA)]
    rate = {
        name: score(dev, baseline.predict(dev, runs))["false_positive_rate"]
        for name, baseline in BASELINES.items()
        if name.startswith("ensemble")
    }
    members = [score(dev, run)["false_positive_rate"] for run in runs]
    assert rate["ensemble_any"] >= max(members) > rate["ensemble_max"]
    assert rate["ensemble_vote"] <= rate["ensemble_vote_decided"]
