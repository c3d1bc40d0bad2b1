"""Baselines on dev_public against the numbers that HALLMARK and its evaluation publish for them."""

from __future__ import annotations

from collections import Counter
from math import fsum
from pathlib import Path

import pytest

from pytest_citecheck.benchmark import BASELINES, cascade, load_predictions, score
from pytest_citecheck.cli import main
from pytest_citecheck.inputs import load_split
from tests.conformance.test_hallmark_metrics import AGENT, BTU, GPT, LLAMA, PRO, SHARED, entries, predictions

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
    assert rate["ensemble_vote"] == rate["ensemble_vote_decided"]


def _labels(path: Path) -> dict[str, str]:
    return {said.key: said.label for said in load_predictions(path).predictions}


def test_a_vote_divides_by_the_number_of_deciding_tools(tmp_path: Path) -> None:
    """A vote that divides by the sum of all confidences instead gives another label to 123 of 448 entries."""
    split, model = SHARED / "temporal_448.jsonl", SHARED / "predictions" / f"{GPT}.jsonl"
    presence, vote = tmp_path / "presence.jsonl", tmp_path / "vote.jsonl"
    command = ["dataset", "baseline"]
    assert main([*command, "doi_presence", "--split", str(split), "--out", str(presence)]) == 0
    voting = ["--split", str(split), "--predictions", str(model), str(presence), "--out", str(vote)]
    assert main([*command, "ensemble_vote", *voting]) == 0

    runs = [{said.key: said for said in load_predictions(path).predictions} for path in (model, presence)]
    by_number, by_confidence = {}, {}
    for key in runs[0]:
        said = [run[key] for run in runs if run[key].label != "UNCERTAIN"]
        against = fsum(one.confidence for one in said if one.label == "HALLUCINATED")
        by_number[key] = "HALLUCINATED" if against / len(said) > 0.5 else "VALID"
        by_confidence[key] = "HALLUCINATED" if against / fsum(one.confidence for one in said) > 0.5 else "VALID"
    assert _labels(vote) == by_number
    assert sum(by_number[key] != by_confidence[key] for key in by_number) == 123
    # The other name gives the same file, up to the name.
    decided = tmp_path / "decided.jsonl"
    assert main([*command, "ensemble_vote_decided", *voting[:-1], str(decided)]) == 0
    assert decided.read_text().replace("vote_decided", "vote") == vote.read_text()
