"""Parts of a split, sub-tests, types, cost, several tools together, dates. Expected values are counted beside each."""

from __future__ import annotations

import pytest

from pytest_citecheck.benchmark import (
    compare_around,
    cost,
    pair,
    per_generation_method,
    per_source_combination,
    per_stage,
    per_tier,
    per_type,
    segments,
    subtest_metrics,
    temporal_robustness,
    type_accuracy,
    type_confusion,
    union_recall,
)
from pytest_citecheck.inputs import TIERS, LabelledEntry, Prediction
from tests.support.metric_rows import H, U, V, hallucinated, said, valid

ENTRIES = (
    hallucinated("h1", "fabricated_doi", 1, generation_method="perturbation"),
    hallucinated("h2", "near_miss_title", 3, generation_method="perturbation"),
    hallucinated("h3", "near_miss_title", 3, generation_method="adversarial"),
    valid("v1", generation_method="scraped"),
    valid("v2", generation_method="scraped"),
)
PAIRS = pair(
    ENTRIES,
    [
        said("h1", H, sources=("crossref", "arxiv"), stage="stage1_db"),
        said("h2", V, sources=("arxiv", "crossref"), stage="stage1_db"),
        said("h3", H, stage="stage2_diagnosis"),
        said("v1", H, sources=("crossref", "crossref")),
        said("v2", U),
    ],
)


def test_a_tier_is_held_against_all_valid_entries() -> None:
    blocks = per_tier(PAIRS)
    assert list(blocks) == ["1", "3"]
    # Tier 3: TP 1, FN 1, and FP 1 of one decided valid entry.
    assert blocks["3"] == {
        "detection_rate": 0.5,
        "false_positive_rate": 1.0,
        "f1": 0.5,
        "precision": 0.5,
        "count": 4,
        "num_hallucinated": 2,
        "num_valid": 2,
        "decided": 3,
        "tp": 1,
        "fp": 1,
        "tn": 0,
        "fn": 1,
    }


def test_a_type_stands_alone() -> None:
    blocks = per_type(PAIRS)
    assert list(blocks) == ["fabricated_doi", "near_miss_title", "valid"]
    near = blocks["near_miss_title"]
    assert (near["detection_rate"], near["false_positive_rate"], near["count"]) == (0.5, None, 2)
    assert near["f1"] == pytest.approx(2 / 3)  # 2 DR / (1 + DR)
    assert blocks["valid"]["false_positive_rate"] == 1
    # One of two valid entries is decided, and it is accused: Wilson's interval of 1 of 1 is [1/(1 + z²), 1] with z = 1.96.
    assert blocks["valid"]["false_positive_rate_ci"] == pytest.approx([1 / (1 + 1.96**2), 1])
    counts = ("count", "decided", "num_hallucinated", "num_valid", "tp", "fp", "tn", "fn")
    assert [blocks["valid"][name] for name in counts] == [2, 1, 0, 2, 0, 1, 0, 0]
    assert [near[name] for name in counts] == [2, 2, 2, 0, 1, 0, 0, 1]


def test_of_a_type_without_a_decision_there_is_no_interval() -> None:
    pairs = pair([hallucinated("h", "near_miss_title", 3), valid("v")], [said("h", U), said("v", V)])
    near = per_type(pairs)["near_miss_title"]
    assert (near["detection_rate"], near["f1"], near["detection_rate_ci"]) == (None, None, None)
    assert (near["count"], near["decided"]) == (1, 0)


def test_methods_and_sources() -> None:
    assert {name: block["count"] for name, block in per_generation_method(PAIRS).items()} == {
        "adversarial": 1,
        "perturbation": 2,
        "scraped": 2,
    }
    sources = per_source_combination(PAIRS)
    assert {name: block["count"] for name, block in sources.items()} == {"arxiv,crossref": 2, "crossref": 1, "none": 2}
    assert sources["arxiv,crossref"]["detection_rate"] == 0.5


def test_stages_of_a_cascade() -> None:
    stages = per_stage(PAIRS)
    assert stages["stage1_db"] == {"count": 2, "fraction": 0.4, "HALL": 1, "VALID": 1, "UNCERTAIN": 0}
    assert stages["none"] == {"count": 2, "fraction": 0.4, "HALL": 1, "VALID": 0, "UNCERTAIN": 1}
    assert stages["prescreening"]["count"] == 0


def with_doi(key: str, doi: str, gold: bool | None) -> LabelledEntry:
    return LabelledEntry(key, "article", {"doi": doi} if doi else {}, "VALID", subtests={"doi_resolves": gold})


def test_subtests_with_and_without_gold_null() -> None:
    entries = [
        with_doi("a", "10.1/a", gold=True),
        with_doi("b", "10.1/b", gold=False),
        with_doi("c", "10.1/c", gold=None),
        with_doi("d", "", gold=False),
        with_doi("e", "10.1/e", gold=True),
        valid("f"),
    ]
    said_true = dict.fromkeys("abcf", True)
    predictions = [
        *(said(key, V, subtests={"doi_resolves": value}) for key, value in said_true.items()),
        said("d", V, subtests={"doi_resolves": False}),
        said("e", V, subtests={"doi_resolves": None}),
    ]
    pairs = pair(entries, predictions)
    found = subtest_metrics(pairs)
    # a right, b wrong, c never right and negative, d right; e undecided, f without gold. Cleaned: c has no gold value, d no DOI.
    assert found["doi_resolves"] == {
        "accuracy": 0.5,
        "count": 4,
        "correct": 2,
        "tp": 1,
        "fp": 2,
        "tn": 1,
        "fn": 0,
        "cleaned": {"accuracy": 0.5, "count": 2, "correct": 1, "tp": 1, "fp": 1, "tn": 0, "fn": 0},
    }
    nothing = {"accuracy": None, "count": 0, "correct": 0, "tp": 0, "fp": 0, "tn": 0, "fn": 0}
    assert found["title_exists"] == {**nothing, "cleaned": nothing}


def test_types() -> None:
    entries = [
        hallucinated("right", "fabricated_doi", 1),
        hallucinated("wrong", "wrong_venue", 2),
        hallucinated("stress", "merged_citation", 2),
        hallucinated("untyped", "wrong_venue", 2),
        hallucinated("missed", "wrong_venue", 2),
        hallucinated("new", "never_heard_of", 2),
        hallucinated("silent", "future_date", 1),
        valid("v"),
    ]
    predictions = [
        said("right", H, type="fabricated_doi"),
        said("wrong", H, type="fabricated_doi"),
        said("stress", H, type="merged_citation"),
        said("untyped", H),
        said("missed", V),
        said("new", U, type="wrong_venue"),
        said("v", H, type="wrong_venue"),
    ]
    pairs = pair(entries, predictions)
    accuracy = type_accuracy(pairs)
    assert accuracy == {
        "overall": pytest.approx(2 / 3),
        "main_types_only": 0.5,
        "stress_test_only": 1,
        "num_evaluated": 3,
        "num_correct": 2,
        "tier_1": 1,
        "tier_2": 0.5,
        "tier_3": None,
    }
    confused = type_confusion(pairs)
    assert confused["rows"] == [*TIERS, "valid", "never_heard_of"]
    assert len(confused["columns"]) == 17
    cells = {
        (row, column): count
        for row, counts in zip(confused["rows"], confused["counts"], strict=True)
        for column, count in zip(confused["columns"], counts, strict=True)
        if count
    }
    assert cells == {
        ("fabricated_doi", "fabricated_doi"): 1,
        ("wrong_venue", "fabricated_doi"): 1,
        ("merged_citation", "merged_citation"): 1,
        ("wrong_venue", "HALLUCINATED_unknown"): 1,
        ("wrong_venue", "VALID"): 1,
        ("never_heard_of", "UNCERTAIN"): 1,
        ("future_date", "VALID"): 1,  # without prediction
        ("valid", "wrong_venue"): 1,
    }


def test_cost() -> None:
    entries = [valid(key) for key in "abcd"]
    predictions: list[Prediction] = [
        said("a", V, seconds=1, calls=2),
        said("b", V, seconds=2, calls=4, reason="[Error fallback] Parse error"),
        said("c", V, seconds=5, calls=0, reason="Error fallback is a title"),
        said("elsewhere", V, seconds=100, calls=100),
    ]
    found = cost(pair(entries, predictions))
    assert found["total_seconds"] == 8
    assert found["entries_per_second"] == 3 / 8
    assert (found["mean_api_calls"], found["median_seconds"]) == (2, 2)
    assert found["mean_seconds"] == pytest.approx(8 / 3)
    assert found["p95_seconds"] == pytest.approx(4.7)  # position 1.9 between 2 and 5
    assert found["fallbacks"] == 1
    nothing = cost(pair(entries, [said("a", V)]))
    assert (nothing["entries_per_second"], nothing["mean_api_calls"]) == (None, 0)
    assert cost(pair(entries, []))["mean_api_calls"] is None


def test_union_recall() -> None:
    entries = [hallucinated(key) for key in "abcd"] + [valid("v")]
    tools = {
        "one": pair(entries, [said("a", H), said("b", U), said("v", H)]),
        "two": pair(entries, [said("a", H), said("b", H), said("c", H)]),
    }
    assert union_recall(tools) == {1: 0.25, 2: 0.75}
    assert union_recall(tools, {"one": 2.0, "two": 1.0}) == {1: 0.75, 2: 0.75}
    assert union_recall({"one": pair([valid("v")], [said("v", H)])}) == {}


def dated(key: str, date: str) -> LabelledEntry:
    return hallucinated(key, publication_date=date)


def test_segments_around_a_year() -> None:
    dates = ("2014", "2015-01-01", "2021", "2022-05", "2023-12-31", "2024", "2028", "2029", "", "soon")
    entries = [dated(date or "none", date) for date in dates]
    pairs = pair(entries, [said("2015-01-01", H), said("2021", H), said("2022-05", H), said("2024", H)])
    found = segments(pairs, 2023)
    assert {name: (one.tp, one.fn) for name, one in found.items()} == {
        "historical": (2, 0),
        "recent": (1, 1),
        "future": (1, 1),
    }
    assert temporal_robustness(pairs, 2023) == 0.5  # 1 - 1/2
    assert temporal_robustness(pairs, 2040) is None


def test_before_and_after_a_day() -> None:
    entries = [
        dated("early", "2023-12-31"),
        dated("same", "2024-06-01"),
        dated("year", "2024"),
        dated("month", "2024-06"),
        dated("next", "2025"),
        valid("v", publication_date="2024-07"),
        dated("none", ""),
    ]
    pairs = pair(entries, [said("early", H), said("same", U), said("next", H)])
    before, after, undated = compare_around(pairs, "2024-06-01")
    assert undated == 3  # of 2024 and of June 2024 nobody knows, and one has no date
    # The day itself is before: so HALLMARK divides.
    rates = {"detection_rate": 1, "false_positive_rate": None, "uncertain_rate": 0.5, "coverage": 1}
    assert before == {"count": 2, **rates}
    assert (after["count"], after["false_positive_rate"]) == (2, 0)
    assert (after["uncertain_rate"], after["coverage"]) == (0.5, 0.5)  # one is missing
    with pytest.raises(ValueError, match="YYYY-MM-DD"):
        compare_around(pairs, "2024")
