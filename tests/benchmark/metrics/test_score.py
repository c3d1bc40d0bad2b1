"""Scores by hand: the matrix, its edge cases, calibration, curves. Expected values are worked out beside each."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.benchmark import (
    Bin,
    Confusion,
    NoOverlapError,
    Pairs,
    aggressive,
    as_published,
    auprc,
    auroc,
    bin_edges,
    brier,
    cautions,
    confusion,
    ece_file_order,
    ece_fixed_width,
    ece_tie_safe,
    fpr_at_coverage,
    pair,
    pr,
    reliability,
    risk_coverage,
    roc,
    score,
    tier_counts,
    tier_weighted_f1,
)
from pytest_citecheck.inputs import LabelledEntry, Prediction
from tests.support.metric_rows import MICRO_ENTRIES, MICRO_PREDICTIONS, H, U, V, hallucinated, said, valid

# Published with HALLMARK's conventions, six digits.
CONSERVATIVE = {
    "detection_rate": 0.5,
    "false_positive_rate": 0.5,
    "f1_hallucination": 0.5,
    "tier_weighted_f1": 1 / 3,
    "mcc": 0,
    "macro_f1": 0.5,
    "ece": 0.466667,
    "auroc": 0.5,
    "auprc": 0.833333,
    "coverage": 0.8,
    "coverage_adjusted_f1": 0.4,
    "tier3_f1": 0,
}
AGGRESSIVE = {
    "detection_rate": 0.5,
    "false_positive_rate": 1,
    "f1_hallucination": 1 / 3,
    "tier_weighted_f1": 0.25,
    "mcc": -0.612372,
    "macro_f1": 1 / 6,
    "ece": 0.5,
    "auprc": 0.7,
    "coverage": 1,
}


def micro(**more: Any) -> dict[str, Any]:
    return score(MICRO_ENTRIES, MICRO_PREDICTIONS, **more)


def test_the_micro_vector() -> None:
    found = micro()
    assert {name: found[name] for name in CONSERVATIVE} == pytest.approx(CONSERVATIVE, abs=1e-6)
    assert found["counts"] == {"tp": 1, "fp": 1, "tn": 1, "fn": 1, "uncertain": 1, "missing": 1}
    assert found["per_tier_metrics"]["1"]["f1"] == pytest.approx(2 / 3)
    assert found["committed_coverage"] == pytest.approx(0.8)
    assert found["num_uncertain"] == 1


def test_what_is_undefined_is_published_as_0() -> None:
    # All that is hallucinated is undecided, and nothing else is in the split.
    found = score([hallucinated("h1", "wrong_venue")], [said("h1", U)])
    stated = as_published(found)
    for name in ("detection_rate", "precision", "f1_hallucination"):
        assert (found[name], stated[name]) == (None, 0), name
    assert found["false_positive_rate"] is stated["false_positive_rate"] is None
    of_type = stated["per_type_metrics"]["wrong_venue"]
    assert (of_type["detection_rate"], of_type["false_positive_rate"], of_type["f1"]) == (0, 0, 0)
    assert of_type["detection_rate_ci"] is None
    assert found["per_type_metrics"]["wrong_venue"]["detection_rate"] is None
    both = score([hallucinated("h1", "wrong_venue"), valid("v1")], [said("h1", H), said("v1", U)])
    assert (both["false_positive_rate"], as_published(both)["false_positive_rate"]) == (None, 0)


def test_the_micro_vector_forced_to_answer() -> None:
    found = micro(mode="aggressive")
    assert {name: found[name] for name in AGGRESSIVE} == pytest.approx(AGGRESSIVE, abs=1e-6)
    assert found["counts"] == {"tp": 1, "fp": 3, "tn": 0, "fn": 1, "uncertain": 0, "missing": 0}


def test_the_readings_of_uncertain() -> None:
    # v2 is UNCERTAIN: as VALID it is the second TN (FPR 1/3), as HALLUCINATED the second FP (FPR 2/3, precision 1/3).
    readings = micro()["readings"]
    rates = [readings[name]["false_positive_rate"] for name in ("excluded", "as_valid", "as_hallucinated")]
    assert rates == pytest.approx([1 / 2, 1 / 3, 2 / 3])
    assert readings["as_hallucinated"]["precision"] == pytest.approx(1 / 3)


def test_the_document_is_json_without_nan() -> None:
    for predictions in (MICRO_PREDICTIONS, ()):
        document = score(MICRO_ENTRIES, predictions, replicates=20, tool_name="a", split_name="b")
        assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_without_valid_entries_there_is_no_false_positive_rate() -> None:
    found = score([hallucinated("h1"), hallucinated("h2")], [said("h1", H, 0.9), said("h2", V, 0.8)], replicates=20)
    assert found["false_positive_rate"] is None
    assert found["fpr_ci"] is None
    assert found["auroc"] is None
    assert found["mcc"] == 0
    assert found["f1_hallucination"] == pytest.approx(2 / 3)  # precision 1, recall 1/2
    assert found["per_tier_metrics"]["3"]["false_positive_rate"] is None


def test_without_hallucinated_entries() -> None:
    found = score([valid("v1"), valid("v2")], [said("v1", H, 0.9), said("v2", V, 0.8)])
    assert found["false_positive_rate"] == 0.5
    assert (found["detection_rate"], found["f1_hallucination"], found["tier3_f1"]) == (None,) * 3
    assert found["auprc"] is None
    assert (found["roc"], found["pr"], found["per_tier_metrics"]) == ([], [], {})


def test_a_tool_that_commits_itself_to_nothing() -> None:
    found = score([hallucinated("h"), valid("v")], [said("h", U), said("v", U)], replicates=20)
    assert found["counts"] == {"tp": 0, "fp": 0, "tn": 0, "fn": 0, "uncertain": 2, "missing": 0}
    assert (found["coverage"], found["committed_coverage"], found["uncertain_precision"]) == (1, 0, 0.5)
    nothing = ("detection_rate", "false_positive_rate", "precision", "f1_hallucination", "tier_weighted_f1", "mcc", "macro_f1",
               "tier3_f1", "coverage_adjusted_f1")  # fmt: skip
    assert {name: found[name] for name in nothing} == dict.fromkeys(nothing)
    assert found["readings"]["as_valid"]["false_positive_rate"] == 0
    assert found["subtask_diagnostic"]["recognition_accuracy"] is None
    assert (found["ece"], found["ece_tie_safe"], found["brier"], found["fpr_at_coverage"]) == (None,) * 4
    assert found["fpr_ci"] is None
    assert found["risk_coverage"] == []


def test_missing_predictions_count_as_valid_only_in_the_matrix() -> None:
    entries = [hallucinated("h1"), hallucinated("h2"), valid("v1"), valid("v2")]
    found = score(entries, [said("h1", H, 0.9), said("v1", V, 0.8)])
    assert found["counts"] == {"tp": 1, "fp": 0, "tn": 2, "fn": 1, "uncertain": 0, "missing": 2}
    assert found["coverage"] == 0.5
    assert found["coverage_adjusted_f1"] == pytest.approx(1 / 3)  # F1 2/3, half of it
    assert sum(one["count"] for one in found["reliability"]) == 2


def test_which_of_two_predictions_counts() -> None:
    entries, twice = [hallucinated("h")], [said("h", H), said("h", V), said("h", V)]
    assert confusion(pair(entries, twice, "first")).tp == 1
    assert confusion(pair(entries, twice, "last")).fn == 1
    assert pair(entries, twice).repeated == 2


def test_predictions_about_other_splits() -> None:
    with pytest.raises(NoOverlapError, match="none of the 1 predicted keys"):
        pair(MICRO_ENTRIES, [said("elsewhere", H)])
    assert len(pair(MICRO_ENTRIES, []).predictions) == 0  # no predictions are no error
    stranger = said("elsewhere", U)
    found = score(MICRO_ENTRIES, [*MICRO_PREDICTIONS, stranger])
    assert found["num_uncertain"] == 2  # over the list
    assert found["counts"]["uncertain"] == 1  # over the split
    assert stranger not in aggressive(pair(MICRO_ENTRIES, [*MICRO_PREDICTIONS, stranger])).predictions


def test_blind_entries_and_canaries() -> None:
    with pytest.raises(ValueError, match="line 7"):
        pair([LabelledEntry("blind", "article", {}, line=7)], [])
    assert len(pair([valid("__canary__1"), valid("v")], [said("v", V)])) == 1


@pytest.mark.parametrize(
    ("counts", "mcc", "macro"),
    [
        (Confusion(tp=4, fp=1, tn=3, fn=2), 10 / (5 * 6 * 4 * 5) ** 0.5, (8 / 11 + 6 / 9) / 2),
        (Confusion(tp=3), 0, 0.5),  # no other cell: the product is 0; F1 1 and mirrored 0
        (Confusion(), None, None),
    ],
)
def test_the_matrix(counts: Confusion, mcc: float | None, macro: float | None) -> None:
    assert counts.mcc == pytest.approx(mcc)
    assert counts.macro_f1 == pytest.approx(macro)


def test_weights_by_tier() -> None:
    # Found: tier 1 and 3, missed: tier 2 and one without tier (1); one false alarm: wTP 4, wFN 3, P 4/5, R 4/7.
    entries = [hallucinated(f"h{tier}", tier=tier) for tier in (1, 2, 3)] + [
        hallucinated("none", tier=None),
        valid("v"),
    ]
    pairs = pair(entries, [said("h1", H), said("h2", V), said("h3", H), said("none", V), said("v", H)])
    tiers = tier_counts(pairs)
    assert tier_weighted_f1(tiers, 1) == pytest.approx(2 * (4 / 5) * (4 / 7) / (4 / 5 + 4 / 7))
    # All alike it is F1: P 2/3, R 1/2.
    assert tier_weighted_f1(tiers, 1, {1: 1, 2: 1, 3: 1}) == pytest.approx(4 / 7)


def answered(*rows: tuple[float, bool]) -> Pairs:
    """Valid entries, called VALID with this confidence where right, else HALLUCINATED."""
    entries = [valid(str(place)) for place in range(len(rows))]
    return pair(entries, [said(str(place), V if right else H, c) for place, (c, right) in enumerate(rows)])


# Twenty predictions make bins of two. .5 is right in half of four, .75 in one of two, 1 always.
SURE = [(0.75, True), (0.75, False)] + [(1.0, True)] * 14
GROUPED = [(0.5, True), (0.5, True), (0.5, False), (0.5, False), *SURE]
ALTERNATING = [(0.5, True), (0.5, False), (0.5, True), (0.5, False), *SURE]


def test_ece_in_file_order_depends_on_it_and_the_tie_safe_one_does_not() -> None:
    # Gaps |right - sum of confidences| of the bins, over 20: grouped 1 + 1 + .5, alternating 0 + 0 + .5.
    assert ece_file_order(answered(*GROUPED)) == pytest.approx(0.125)
    assert ece_file_order(answered(*ALTERNATING)) == pytest.approx(0.025)
    assert ece_tie_safe(answered(*GROUPED)) == pytest.approx(0.025)
    assert ece_tie_safe(answered(*ALTERNATING)) == pytest.approx(0.025)


def test_tied_confidences_go_to_the_bin_of_their_middle() -> None:
    # Five predictions have a bin each; .5 takes that of its first (0 = |1 - 1|), .8 its own (.8), .9 one (|2 - 1.8|).
    rows = ((0.5, True), (0.5, False), (0.8, False), (0.9, True), (0.9, True))
    assert ece_tie_safe(answered(*rows)) == pytest.approx((0 + 0.8 + 0.2) / 5)
    assert ece_file_order(answered(*rows)) == pytest.approx((0.5 + 0.5 + 0.8 + 0.1 + 0.1) / 5)


@pytest.mark.parametrize(
    ("count", "edges"),
    [(3, [0, 1, 2, 3, *[3] * 7]), (20, list(range(0, 21, 2))), (12, [0, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12])],
)
def test_the_first_bins_have_one_more(count: int, edges: list[int]) -> None:
    assert bin_edges(count) == edges


def test_reliability_brier_and_the_ece_of_equal_widths() -> None:
    pairs = answered(*GROUPED)
    bins = reliability(pairs)
    assert [(one.low, one.count, one.confidence, one.accuracy) for one in bins if one.count] == [
        (0.5, 4, 0.5, 0.5),
        (0.7, 2, 0.75, 0.5),
        (0.9, 14, 1.0, 1.0),  # 1 belongs to the last bin
    ]
    assert bins[0] == Bin(0, 0.1, 0, None, None)
    assert ece_fixed_width(pairs) == pytest.approx(2 * 0.25 / 20)
    assert brier(pairs) == pytest.approx((4 * 0.25 + 0.0625 + 0.5625) / 20)


def test_two_confidences_are_no_probabilities() -> None:
    pairs = answered((0.5, True), (0.9, True))
    assert (ece_file_order(pairs), ece_tie_safe(pairs)) == (None, None)
    assert ece_fixed_width(pairs) is None
    # A third one of another split counts for the ECE in file order, as published; it does not for the tie-safe one.
    foreign = Pairs(pairs.entries, pairs.answers, (*pairs.predictions, said("elsewhere", V, 0.1)))
    assert ece_file_order(foreign) == pytest.approx((0.5 + 0.1) / 2)
    assert ece_tie_safe(foreign) is None


# Scores: h1 and v1 .9 (tied), h2 .6 (VALID at .4), v2 .1 (VALID at .9); v3 is UNCERTAIN.
CURVE = pair(
    [hallucinated("h1"), hallucinated("h2"), valid("v1"), valid("v2"), valid("v3")],
    [said("h1", H, 0.9), said("v1", H, 0.9), said("h2", V, 0.4), said("v2", V, 0.9), said("v3", U, 0.9)],
)


def test_roc_and_pr_with_ties() -> None:
    assert roc(CURVE) == [(0, 0), (0.5, 0.5), (0.5, 1), (1, 1)]
    assert auroc(CURVE) == 2.5 / 4  # pairs in the right order: h1-v2, h2-v2, and half of the tie h1-v1
    assert pr(CURVE) == [(0.5, 0.5), (1, 2 / 3), (1, 0.5)]
    assert auprc(CURVE) == pytest.approx(2 / 3)  # the envelope lifts the first step to 2/3


def test_risk_and_coverage() -> None:
    # Of five entries three at .9 (v1 wrong), then h2 at .4 (wrong).
    assert risk_coverage(CURVE) == [(3 / 5, 1 / 3), (4 / 5, 2 / 4)]


@pytest.mark.parametrize(
    ("coverage", "expected"),
    [
        (0.3, 0.5),  # half of the three at .9: .5 FP of 1 valid entry
        (0.7, 0.5),  # all of them and half of h2, which is not valid: 1 of 2
        (0.8, 0.5),
        (0.9, None),  # it answers four of five
    ],
)
def test_fpr_at_coverage(coverage: float, expected: float | None) -> None:
    assert fpr_at_coverage(CURVE, coverage) == (None if expected is None else pytest.approx(expected))


def test_cautions() -> None:
    entries = [*(hallucinated(f"h{n}") for n in range(20)), *(valid(f"v{n}") for n in range(20))]
    fine = [said(entry.key, H if n % 2 else V, 0.9) for n, entry in enumerate(entries)]
    assert cautions(pair(entries, fine)) == []
    assert cautions(pair(entries, [])) == []
    (few,) = cautions(pair(entries, fine[:19]))
    assert few.startswith("only 19 of 40")
    assert cautions(pair(entries, fine[:20])) == []
    (one,) = cautions(pair(entries, [said(entry.key, H, 0.9) for entry in entries]))
    assert one == "40 of 40 predictions are HALLUCINATED"
    inverted = [said(entry.key, V if entry.label == V else H, 0.2) for entry in entries]
    assert "20 of 20 correct VALID" in cautions(pair(entries, inverted))[0]
    (twice,) = cautions(pair(entries, [*fine, fine[0]]))
    assert twice.startswith("1 further prediction")


LABELS = st.sampled_from([H, V, U, None])


@given(
    rows=st.lists(st.tuples(st.booleans(), LABELS, st.integers(0, 10), st.integers(1, 3)), min_size=1, max_size=40),
    seed=st.integers(0, 99),
)
def test_only_the_ece_in_file_order_depends_on_the_order(rows: list[tuple[Any, ...]], seed: int) -> None:
    entries = [
        hallucinated(str(place), f"type{tier}", tier) if wrong else valid(str(place))
        for place, (wrong, _, _, tier) in enumerate(rows)
    ]
    predictions: list[Prediction] = [
        said(str(place), label, tenths / 10, seconds=tenths / 7, sources=("b", "a"))
        for place, (_, label, tenths, _) in enumerate(rows)
        if label
    ]
    shuffler = random.Random(seed)  # noqa: S311
    shuffled = shuffler.sample(entries, len(entries))
    first, second = (score(entries, predictions), score(shuffled, shuffler.sample(predictions, len(predictions))))
    for document in (first, second):
        for name in ("ece", "subtask_diagnostic"):
            del document[name]
    assert first == second
    assert list(first["per_type_metrics"]) == list(second["per_type_metrics"])
