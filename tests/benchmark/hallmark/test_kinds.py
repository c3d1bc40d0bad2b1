"""A hallucinated entry is a work that does not exist, or a real one described wrongly: predictions and scores tell both apart."""

from __future__ import annotations

import json

import pytest

from pytest_citecheck.benchmark import (
    PREDICTED,
    CheckResult,
    by_split,
    pair,
    prediction_line,
    read_predictions,
    score_pairs,
)
from pytest_citecheck.inputs import TIERS, LabelledEntry, Prediction, kind_of
from tests.support.report_data import html_page, markdown_page

OF_VERDICT = {
    "fabricated": "fabricated",
    "misdescribed": "misdescribed",
    "verified": "",
    "unfindable": "",
    "undecided": "",
}


def test_the_kind_of_each_type() -> None:
    fabricated = {name for name in TIERS if kind_of(name) == "fabricated"}
    assert fabricated == {"chimeric_title", "hybrid_fabrication", "plausible_fabrication"}


@pytest.mark.parametrize("verdict", PREDICTED)
def test_a_prediction_names_the_kind_beside_the_published_label(verdict: str) -> None:
    case = CheckResult("s.jsonl", "k", 1, "title", "failed", "", verdict, 0.9)
    (one,) = by_split([case])["s.jsonl"][1]
    row = json.loads(prediction_line(one))
    assert row["label"] == PREDICTED[verdict]
    assert row.get("predicted_kind", "") == OF_VERDICT[verdict]
    (again,) = read_predictions("p.jsonl", [prediction_line(one).encode()]).predictions
    assert again.kind == OF_VERDICT[verdict]


def entry(key: str, kind: str) -> LabelledEntry:
    return LabelledEntry(key, "article", {}, "HALLUCINATED", kind, TIERS[kind])


def test_scores_and_pages_show_the_detection_of_each() -> None:
    """Two fabricated entries: one detected and named right, one missed. Three real works: two detected, one named right."""
    entries = [
        entry("a", "plausible_fabrication"), entry("b", "chimeric_title"),
        entry("c", "wrong_venue"), entry("d", "swapped_authors"), entry("e", "near_miss_title"),
        LabelledEntry("v", "article", {}, "VALID"),
    ]  # fmt: skip
    found = {"a": "fabricated", "c": "misdescribed", "d": "fabricated"}
    predictions = [
        Prediction(one.key, "HALLUCINATED" if one.key in found else "VALID", 0.9, kind=found.get(one.key, ""))
        for one in entries
    ]
    scores = score_pairs(pair(entries, predictions), tool_name="t", split_name="s")
    kinds = scores["per_kind_metrics"]
    assert {name: (one["tp"], one["fn"], one["named"], one["naming"]) for name, one in kinds.items()} == {
        "fabricated": (1, 1, 1, 1),
        "misdescribed": (2, 1, 1, 2),
    }
    plain = score_pairs(
        pair(entries, [Prediction(one.key, "HALLUCINATED") for one in entries]), tool_name="t", split_name="s"
    )
    assert {name: one["detection_rate"] for name, one in plain["per_kind_metrics"].items()} == {
        "fabricated": 1,
        "misdescribed": 1,
    }
    report = {"metrics": scores, "references": []}
    for page in (html_page(report), markdown_page(report)):
        assert "Detection rate of fabricated works and of real works described wrongly" in page
        assert "named as such" in page
        assert "66.7 %" in page
    assert "named as such" not in markdown_page({"metrics": plain, "references": []})
