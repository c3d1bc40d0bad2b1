"""Readers of answers: yes or no, the overlap of two lists, refusals, titles."""

from __future__ import annotations

import pytest

from pytest_citecheck.models.selfcheck import (
    YES,
    YesRule,
    clean_title,
    is_refusal,
    overlap,
    overlap_compat,
    share_of_yes,
    years,
)


@pytest.mark.parametrize(
    ("answer", "compat", "product"),
    [
        ("ANS: 85 JUSTIFICATION: 17 of 20", 0.85, 0.85),
        ("answer: 33.3%", 0.333, 0.333),
        ("100%", 1.0, 1.0),
        ("150", 1.0, "out of range"),
        ("50-60", 0.5, 0.55),
        ("The overlap is 50%", 0.0, 0.5),
        ("ANSWER: ANS: 40", 0.0, 0.4),
        ("ANS: <40>", 0.0, 0.4),
        ("ANS = 20", 0.0, 0.2),
        ("ANS: .5", 0.0, 0.005),
        ("ANS: ninety", 0.0, "no number"),
        ("", 0.0, "empty"),
        ("ANS 0", 0.0, 0.0),
        ("ANS: none JUSTIFICATION: 50% of nothing", 0.0, "no number"),
        ("9" * 400, 1.0, "out of range"),
    ],
)
def test_q5_an_overlap_is_read_in_both_ways(answer: str, compat: float, product: float | str) -> None:
    assert overlap_compat(answer) == pytest.approx(compat)
    assert overlap(answer) == (product if isinstance(product, str) else pytest.approx(product))


def test_q5_a_number_behind_other_words_is_a_percentage() -> None:
    assert overlap("There are 3 authors in each list") == "no number"
    assert overlap("There are 3 authors in each list: 50%") == 0.5


@pytest.mark.parametrize(
    ("answer", "values"),
    [
        ("Yes", (1, 1, 1, 1)),
        ("no.", (0, 0, 0, 0)),
        ("yesterday", (1, 0, 0, 0.5)),
        ("I cannot say yes or no", (1, 1, 0, 0.5)),
        ("**Yes**, it does", (1, 1, 1, 1)),
        ("No, yes would be wrong", (1, 1, 0, 0)),
        ("", (0, 0, 0, 0.5)),
    ],
)
def test_q6_four_rules_for_a_yes(answer: str, values: tuple[float, ...]) -> None:
    rules: tuple[YesRule, ...] = ("substring", "word", "starts", "three")
    assert tuple(YES[rule](answer) for rule in rules) == values


def test_a_missing_answer_counts_as_no() -> None:
    assert share_of_yes(("yes", None, "no", "Yes!"), "word") == 0.5
    assert share_of_yes((), "word") is None


@pytest.mark.parametrize(
    ("answer", "refused"),
    [
        ("I’m sorry, but I couldn’t find that book.", True),
        ("There is no specific reference of that title.", True),
        ("", True),
        ("AUTHORS: unknown", True),
        ("Ian Goodfellow, Yoshua Bengio", False),
        ("The authors are: Joachim von zur Gathen and Jürgen Gerhard", False),
    ],
)
def test_sentences_that_name_nobody_are_refusals(answer: str, refused: bool) -> None:
    assert is_refusal(answer) is refused


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ('"A Survey of Routing",', "A Survey of Routing"),
        ("3. Design in 28 nm CMOS", "Design in 28 nm CMOS"),
        ("28 nm CMOS, 2.5 D", "28 nm CMOS, 2.5 D"),
        ("1984: A Novel", "1984: A Novel"),
        ("  Two\nlines ", "Two lines"),
    ],
)
def test_q16_faults_8_and_9_a_title_loses_what_is_not_its_own(written: str, title: str) -> None:
    assert clean_title(written) == title


def test_years_are_read_from_words_around_them() -> None:
    assert years("YEAR: 2017 (not 12345, nor 3017)") == {2017}
