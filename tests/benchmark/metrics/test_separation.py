"""Areas, curves, thresholds and agreement: small vectors computed by hand, and undefined values."""

from __future__ import annotations

import math

import pytest

from pytest_citecheck.benchmark import (
    Labelled,
    area,
    bootstrap,
    cohen,
    components,
    draws,
    fdr_at,
    fdr_band,
    fdr_curve,
    flagged,
    fleiss,
    kept_above,
    paired,
    reachable,
    threshold_for,
    youden,
)


def of_classes(negative: list[float], positive: list[float]) -> Labelled:
    return Labelled.of([*negative, *positive], [False] * len(negative) + [True] * len(positive))


FIVE = of_classes([0.5, 0], [1, 0.5, 0.5])
FOUR = Labelled.of([1, 1, 0.5, 0], [True, False, True, False])


def test_delong_by_hand() -> None:
    v10, v01 = components(FIVE)
    assert v10.tolist() == [1, 0.75, 0.75]
    assert v01.tolist() == pytest.approx([0.666667, 1], abs=1e-6)
    found = area(FIVE)
    assert (found.value, found.se) == pytest.approx((0.833333, 0.186339), abs=1e-6)
    assert found.se is not None
    assert found.se**2 == pytest.approx(0.0347222, abs=1e-7)


@pytest.mark.parametrize(
    ("negative", "positive", "value", "note"),
    [
        ([], [0.1, 0.2], None, "one class"),
        ([0.1, 0.2], [], None, "one class"),
        ([0.3, 0.3], [0.3, 0.3], 0.5, "equal"),
        ([0.1, 0.2], [0.8, 0.9], 1.0, "separated"),
        ([0.1], [0.0, 0.9], 0.5, "one row"),
    ],
)
def test_q8_an_error_that_is_undefined_is_none_with_a_note(
    negative: list[float], positive: list[float], value: float | None, note: str
) -> None:
    found = area(of_classes(negative, positive))
    assert (found.value, found.se, found.interval) == (value, None, None)
    assert note in found.note


def test_q13_the_logit_interval_stays_inside() -> None:
    rows = of_classes([0.1, 0.2, 0.3, 0.75], [0.7, 0.8, 0.9, 1.0])
    found = area(rows)
    assert found.interval is not None
    assert found.logit_interval is not None
    assert found.interval[1] == 1
    assert found.logit_interval[0] < 0.9375 < found.logit_interval[1] < 1
    assert youden(rows) == (0.75, 0.75)
    assert youden(of_classes([], [1.0])) is None


def test_q8_paired_scores_of_the_same_rows() -> None:
    same = paired(FIVE, FIVE)
    assert (same.value, same.z) == (0, None)
    other = of_classes([0.9, 0.4], [0.5, 0.3, 0.8])
    there, back = paired(FIVE, other), paired(other, FIVE)
    assert there.value == pytest.approx(-(back.value or 0.0))
    assert there.p == pytest.approx(back.p)
    with pytest.raises(ValueError, match="same rows"):
        paired(FIVE, FOUR)


def test_q10_false_discoveries_by_hand() -> None:
    assert [fdr_at(FOUR, fraction) for fraction in (0, 0.25, 0.5, 0.75, 1)] == [
        None,
        0.5,
        0.5,
        pytest.approx(1 / 3),
        0.5,
    ]
    assert reachable(FOUR) == 0.5
    assert fdr_curve(FOUR) == [(0.5, 0.5), (0.75, pytest.approx(1 / 3)), (1, 0.5)]
    nothing = kept_above(FOUR, 1)
    assert (nothing.rows, nothing.fdr, nothing.interval) == (0, None, None)
    assert flagged(FOUR, -1).precision is None


def test_q14_the_threshold_for_a_share_of_false_discoveries_keeps_the_most() -> None:
    rows = Labelled.of([0.9] * 50 + [0.6] * 40 + [0.6] * 2 + [0.1] * 8, [True] * 90 + [False] * 10)
    found = threshold_for(rows, 0.05)
    assert found is not None
    assert (found.value, found.kept.rows) == (0.1, 92)
    assert found.kept.fdr == pytest.approx(2 / 92)
    sure = threshold_for(rows, 0.075, surely=True)
    assert sure is not None
    assert (sure.value, sure.kept.rows) == (0.6, 50)
    whole = threshold_for(rows, 0.1)
    assert whole is not None
    assert (whole.value, whole.kept.rows) == (-1, 100)
    assert threshold_for(Labelled.of([0.5], [False]), 0.1) is None


def test_q9_fault_6_a_bootstrap_repeats_and_does_not_shrink_with_its_replicates() -> None:
    rows = of_classes([0.1, 0.4, 0.35, 0.8] * 10, [0.3, 0.7, 0.9, 0.6] * 10)
    few, many = bootstrap(rows, 200, 7), bootstrap(rows, 800, 7)
    assert few == bootstrap(rows, 200, 7)
    assert few is not None
    assert many is not None
    assert many.sd == pytest.approx(few.sd, rel=0.3)
    assert few.normal[1] - few.normal[0] == pytest.approx(2 * 1.96 * few.sd, rel=1e-3)
    assert bootstrap(of_classes([], [1.0, 0.5]), 100) is None
    nothing, half, whole = fdr_band(rows, (0, 0.5, 1), 200, 7)
    assert nothing is None
    assert half is not None
    assert whole is not None
    assert half[0] < (fdr_at(rows, 0.5) or 0) < half[1]
    assert whole[0] < 0.5 < whole[1]


def test_fault_7_groups_are_drawn_whole() -> None:
    rows = Labelled.of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [True, False] * 3, ["a", "a", "b", "b", "b", "c"])
    for positions in draws(rows, 20, by_group=True):
        drawn = positions.tolist()
        assert drawn.count(0) == drawn.count(1)
        assert drawn.count(2) == drawn.count(3) == drawn.count(4)
    with pytest.raises(ValueError, match="no groups"):
        next(draws(FIVE, 1, by_group=True))


def test_q11_kappas_by_hand_and_where_chance_agrees_fully() -> None:
    found = cohen("HHGGG", "HGGGG")
    assert found.observed == 0.8
    assert found.kappa == pytest.approx((0.8 - 0.56) / 0.44)
    assert cohen("HG", "HG").kappa == 1
    assert cohen("HH", "HH") == fleiss(["HH", "HH"])
    assert (cohen("HH", "HH").observed, cohen("HH", "HH").kappa) == (1, None)
    assert cohen("", "").observed is None
    # Fleiss 1971 on two rows of three raters: P = (1 + 1/3) / 2, p = (4/6, 2/6).
    assert fleiss(["HHH", "HGG"]).kappa == pytest.approx((2 / 3 - 5 / 9) / (4 / 9))
    with pytest.raises(ValueError, match="same number"):
        fleiss(["HH", "H"])


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_scores_are_numbers(score: float) -> None:
    with pytest.raises(ValueError, match="not a number"):
        Labelled.of([score], [True])
    with pytest.raises(ValueError, match="labels"):
        Labelled.of([1.0], [])
