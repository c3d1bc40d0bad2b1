"""Intervals, paired tests, corrections, ranking. The bootstrap is held against the procedure written out as loops."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.benchmark import RESAMPLED_METRICS as METRICS
from pytest_citecheck.benchmark import (
    PairedTest,
    Pairs,
    ToolOutcomes,
    bootstrap_intervals,
    confusion,
    ece_file_order,
    leaderboard,
    letters,
    mean_scores,
    mid_ranks,
    pair,
    percentile_interval,
    plackett_luce,
    ranking_stability,
    resampled,
    scores,
    tier_counts,
    tier_weighted_f1,
    wilson,
    wins,
)
from pytest_citecheck.benchmark import ranking as comparison
from pytest_citecheck.inputs import Prediction
from tests.support.metric_rows import H, U, V, hallucinated, said, split_of, valid


@pytest.mark.parametrize(
    ("successes", "count", "low", "high"),
    [
        (0, 0, 0, 0),
        (0, 10, 0, 0.277533),  # z² / (n + z²) = 3.8416 / 13.8416 = .277540 at the upper end
        (10, 10, 0.722467, 1),
        (5, 10, 0.236590, 0.763410),  # .5 ± 1.96 √(.25/10 + 3.8416/400) / 1.38416
    ],
)
def test_wilson(successes: int, count: int, low: float, high: float) -> None:
    assert wilson(successes, count) == pytest.approx((low, high), abs=1e-5)


def test_percentiles_leave_out_what_is_undefined() -> None:
    assert percentile_interval(np.array([np.nan, *range(41)])) == (1, 39)  # positions .025 and .975 of 40
    assert percentile_interval(np.array([np.nan])) is None


def example(seed: int = 0, size: int = 60) -> Pairs:
    """All outcomes, with ties, UNCERTAIN and missing ones, types mixed in the file."""
    generator = random.Random(seed)  # noqa: S311
    kinds = ("near_miss_title", "fabricated_doi", "wrong_venue")
    entries, predictions = [], []
    for place in range(size):
        kind = generator.choice([*kinds, "valid", "valid"])
        key = str(place)
        entries.append(valid(key) if kind == "valid" else hallucinated(key, kind, 1 + kinds.index(kind)))
        if generator.random() < 0.9:
            predictions.append(said(key, generator.choice([H, V, V, U]), generator.choice([0.5, 0.6, 0.7, 0.9])))
    return pair(entries, predictions)


def replicate(pairs: Pairs, drawn: list[int]) -> dict[str, float | None]:
    """The metrics of one replicate, by the functions for whole splits."""
    answers: list[Prediction] = [pairs.answers[place] or said(pairs.entries[place].key, V, 0.5) for place in drawn]
    sample = Pairs(tuple(pairs.entries[place] for place in drawn), tuple(answers), pairs.predictions)
    counts, tiers = confusion(sample), tier_counts(sample)
    hardest = tiers[3]
    tp, fn, fp = hardest.tp, hardest.fn, counts.fp
    ece = ece_file_order(sample)
    assert ece is not None
    return {
        "detection_rate": counts.detection_rate,
        "false_positive_rate": counts.false_positive_rate,
        "f1_hallucination": counts.f1,
        "tier_weighted_f1": tier_weighted_f1(tiers, counts.fp),
        "mcc": counts.mcc,
        "ece": ece,
        "tier3_f1": 2 * tp / (2 * tp + fp + fn),
    }


def test_replicates_are_those_of_the_procedure() -> None:
    pairs = example()
    strata: dict[str, list[int]] = {}
    for place, entry in enumerate(pairs.entries):
        strata.setdefault(entry.hallucination_type or "valid", []).append(place)
    generator = np.random.default_rng(42)
    expected = []
    for _ in range(60):
        drawn = [
            members[number]
            for members in strata.values()
            for number in generator.choice(len(members), len(members), replace=True)
        ]
        expected.append(replicate(pairs, drawn))
    outcomes = ToolOutcomes(pairs)
    (draws,) = resampled(pairs.entries, 60, 42)
    found = outcomes.replicates(draws, METRICS)
    for name in METRICS:
        assert found[name] == pytest.approx([row[name] for row in expected], abs=1e-12), name


def test_blocks_of_replicates_continue_one_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = example().entries
    (whole,) = resampled(entries, 10, 7)
    monkeypatch.setattr("pytest_citecheck.benchmark.resampling._AT_ONCE", 3 * len(entries))
    parts = list(resampled(entries, 10, 7))
    assert [len(part) for part in parts] == [3, 3, 3, 1]
    assert (np.concatenate(parts) == whole).all()


def test_intervals_hold_the_point_and_repeat() -> None:
    pairs = example()
    found = bootstrap_intervals(pairs, 300)
    assert found == bootstrap_intervals(pairs, 300)
    low, high = found["f1_hallucination"] or (1, 0)
    assert low < (confusion(pairs).f1 or 0) < high
    assert bootstrap_intervals(pair(pairs.entries, [said("0", V, 0.9)]), 10)["ece"] is None


def tool(right: int, count: int = 40) -> Pairs:
    """So many of the hallucinated entries are found, and no valid one is flagged."""
    return pair(*split_of({"near_miss_title": (count, right), "valid": (10, 0)}))


def test_a_paired_test() -> None:
    better, worse = tool(36), tool(12)
    test = comparison.paired_test(better, worse, "detection_rate", replicates=400, seed=42)
    assert test.difference == pytest.approx(0.6, abs=1e-12)  # on the split, not the mean of replicates
    assert test.p_greater == test.p == 0
    assert test.interval[0] < 0.6 < test.interval[1]
    assert test.effect == pytest.approx(2 * (math.asin(0.9**0.5) - math.asin(0.3**0.5)), abs=1e-12)
    other_way = comparison.paired_test(worse, better, "detection_rate", replicates=400, seed=42)
    assert other_way.p_greater == 1
    assert other_way.p == 0  # two-sided, whichever is named first
    same = comparison.paired_test(better, better, "detection_rate", replicates=20, seed=42)
    assert (same.p_greater, same.p, same.effect) == (1, 1, 0)


def test_what_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="auroc"):
        comparison.paired_test(tool(1), tool(2), "auroc", replicates=5, seed=1)
    with pytest.raises(ValueError, match="same entries"):
        comparison.paired_test(tool(1), tool(2, count=39), "mcc", replicates=5, seed=1)
    with pytest.raises(ValueError, match="undefined"):
        comparison.paired_test(tool(1), tool(2), "ece", replicates=5, seed=1)


def test_the_seed_of_a_pair_is_that_of_its_places() -> None:
    tools = {"c": tool(30), "a": tool(20), "b": tool(25)}
    tests = comparison.compare_all(tools, "f1_hallucination", replicates=20)
    assert [(test.a, test.b) for test in tests] == [("a", "b"), ("a", "c"), ("b", "c")]
    alone = comparison.paired_test(
        tools["b"], tools["c"], "f1_hallucination", names=("b", "c"), replicates=20, seed=42 + 1000 * 1 + 2
    )
    assert tests[2].difference == alone.difference
    assert [test.adjusted for test in tests] == comparison.corrected([test.p for test in tests])


@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        ("holm", [0.06, 0.03, 0.08]),  # 2 · .03, 3 · .01, 1 · .08
        ("bonferroni", [0.09, 0.03, 0.24]),
        ("bh", [0.045, 0.03, 0.08]),  # .03 · 3/2, .01 · 3/1, .08 · 3/3
    ],
)
def test_corrections(correction: comparison.Correction, expected: list[float]) -> None:
    assert comparison.corrected([0.03, 0.01, 0.08], correction) == pytest.approx(expected)
    assert comparison.corrected([], correction) == []
    assert max(comparison.corrected([0.9, 0.8], correction)) <= 1


@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_corrections_keep_order_and_bounds(p: list[float]) -> None:
    bonferroni, holm, bh = (comparison.corrected(p, name) for name in ("bonferroni", "holm", "bh"))
    for raw, loose, tight, false_discoveries in zip(p, bonferroni, holm, bh, strict=True):
        assert raw <= false_discoveries * (1 + 1e-12)
        assert false_discoveries <= tight * (1 + 1e-12)
        assert tight <= loose * (1 + 1e-12) <= 1 + 1e-12
    ascending = sorted(range(len(p)), key=p.__getitem__)
    for values in (holm, bh):
        assert [values[place] for place in ascending] == sorted(values)


def test_effect_sizes() -> None:
    assert comparison.effect_size(1, 0) == pytest.approx(math.pi)
    assert comparison.effect_size(0.75, 0.25) == pytest.approx(math.pi / 3)  # asin √.75 = π/3, asin √.25 = π/6
    assert comparison.effect_size(-0.2, 0.5) == pytest.approx(-0.7)


def test_equivalence() -> None:
    same = [1.0, 0.0] * 1000
    found = comparison.equivalence(same, same, margin=0.1, permutations=300)
    assert found.equivalent
    assert found.difference == 0
    assert not comparison.equivalence([1.0] * 30, [0.0] * 30, permutations=200).equivalent
    assert not comparison.equivalence(same[:20], same[:20], permutations=200).equivalent  # too few to say
    constant = comparison.equivalence([1.0] * 5, [1.0] * 5, permutations=20)
    assert constant.p == 0
    with pytest.raises(ValueError, match="cannot compare an empty group"):
        comparison.equivalence([], [1.0])


def test_power() -> None:
    # (1.959964 + .841621) √(.5 / n); for .1: 7.848879 · .5 / .01 = 392.4.
    assert comparison.minimum_detectable_effect(393) == pytest.approx(2.801585 * math.sqrt(0.5 / 393), abs=1e-6)
    assert comparison.sample_size(0.1) == 393


def differing(*pairs: str) -> list[PairedTest]:
    return [
        PairedTest(a, b, 0, (0, 0), 0, 0, 0.01 if f"{a}{b}" in pairs else 0.5, 0) for a in "PQR" for b in "PQR" if a < b
    ]


@pytest.mark.parametrize(
    ("differ", "expected"),
    [((), "aaa"), (("PQ", "PR", "QR"), "abc"), (("PR",), "aab"), (("PQ",), "aba"), (("PQ", "QR"), "aba")],
)
def test_letters(differ: tuple[str, ...], expected: str) -> None:
    assert "".join(letters("PQR", differing(*differ)).values()) == expected


def test_the_27th_letter() -> None:
    names = [str(place) for place in range(28)]
    tests = [PairedTest(a, b, 0, (0, 0), 0, 0, 0, 0) for a in names for b in names if a < b]
    assert list(letters(names, tests).values())[25:] == ["z", "aa", "ab"]


def test_a_leaderboard() -> None:
    tools = {"low": tool(10), "high": tool(39), "twin": tool(39)}
    rows, _ = leaderboard(tools, replicates=200)
    assert [(row.rank, row.tool, row.letter) for row in rows] == [(1, "high", "a"), (2, "twin", "a"), (3, "low", "b")]
    # All confidences are equal, so no tool has an ECE: they come by name, without letters.
    undefined, _ = leaderboard(tools, sort="ece", replicates=10)
    assert [(row.tool, row.letter) for row in undefined] == [("high", ""), ("low", ""), ("twin", "")]
    with pytest.raises(KeyError):
        leaderboard(tools, sort="beauty", replicates=10)


ENTRIES = [hallucinated("x"), hallucinated("y"), valid("z")]


def test_scores_and_wins() -> None:
    table = scores(
        {
            "a": pair(ENTRIES, [said("x", H, 0.9), said("y", V, 0.8), said("z", V, 0.6)]),
            "b": pair(ENTRIES, [said("x", H, 0.7), said("y", U, 0.8), said("z", V, 0.6)]),
            "idle": pair(ENTRIES, []),
        }
    )
    assert table.values[:, 0] == pytest.approx([0.9, 0.2, 0.6])
    assert mean_scores(table) == {"a": pytest.approx(1.7 / 3), "b": pytest.approx(0.65), "idle": None}
    beaten = wins(table)
    assert beaten[0, 0, 1] == 1  # x: a is surer and right
    assert beaten[1].sum() == 0  # y: b did not answer
    assert beaten[2].sum() == 1  # z: tied; SHA-256("z:a:b") begins with 0x5c, which is even
    assert beaten[2, 0, 1] == 1


@pytest.mark.exhaustive
def test_plackett_luce() -> None:
    # a beats b three times of four: with two tools the strengths are 3/4 and 1/4, but for the regularisation.
    entries = [valid(str(place)) for place in range(4)]
    tools = {
        "a": pair(entries, [said(str(place), V, 0.9) for place in range(4)]),
        "b": pair(entries, [said(str(place), V, 0.95 if place == 0 else 0.5) for place in range(4)]),
    }
    model = plackett_luce(scores(tools), replicates=20)
    assert model.fitted
    assert model.strength["a"] == pytest.approx(0.75, abs=0.01)
    assert sum(model.strength.values()) == pytest.approx(1)
    assert model.ranks["a"][0] == 1
    assert model == plackett_luce(scores(tools), replicates=20)


@pytest.mark.exhaustive
def test_plackett_luce_with_partial_answers() -> None:
    entries = [valid(str(place)) for place in range(60)]

    def answers(confidence: float, places: range) -> Pairs:
        return pair(entries, [said(str(place), V, confidence) for place in places])

    # The best answered a third only, and meets each other tool somewhere.
    tools = {"good": answers(0.7, range(60)), "best": answers(0.9, range(20)), "poor": answers(0.5, range(10, 60))}
    model = plackett_luce(scores(tools), replicates=20)
    assert sorted(model.strength, key=lambda name: -model.strength[name]) == ["best", "good", "poor"]
    assert model.fitted
    alone = plackett_luce(scores({"one": tools["good"]}), replicates=5)
    assert alone.strength == {"one": 1}
    assert alone.ranks == {"one": (1, 1)}


def test_without_a_comparison_the_mean_scores_stand() -> None:
    tools = {
        "a": pair(ENTRIES, [said("x", H, 0.9)]),
        "b": pair(ENTRIES, [said("y", V, 0.8), said("z", V, 0.6)]),  # 0.2 and 0.6
    }
    model = plackett_luce(scores(tools), replicates=10)
    assert not model.fitted
    assert model.strength == {"a": pytest.approx(0.9 / 1.3), "b": pytest.approx(0.4 / 1.3)}
    with pytest.raises(ValueError, match="no tool"):
        scores({})


def test_tied_ranks() -> None:
    assert list(mid_ranks(np.array([0.5, 0.9, 0.5, 0.1]))) == [2.5, 1, 2.5, 4]


def test_ranking_stability() -> None:
    outcomes = {"first": (40, 20), "second": (40, 10), "twin": (40, 20)}
    tools = {
        name: pair(*split_of({"near_miss_title": easy, "wrong_venue": (20, 20), "valid": (5, 0)}))
        for name, easy in outcomes.items()
    }
    found = ranking_stability(tools, resamples=100)
    assert list(found) == ["near_miss_title", "wrong_venue"]
    apart, equal = found["near_miss_title"], found["wrong_venue"]
    assert apart.order == ("first", "twin", "second")
    assert apart.ranks["second"] == (3, 3)
    assert apart.distinguishable == (("first", "second"), ("second", "twin"))  # the twins are the same tool
    assert equal.stable  # all find everything: the ranks are tied in each resample
    assert equal.distinguishable == ()
    assert ranking_stability({}) == {}
