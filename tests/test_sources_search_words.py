"""Words of titles for searches."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_citecheck.sources.search_words import distinctive_words, parted_words, plain_words


def test_function_words_and_formulas_are_left_out() -> None:
    title = "On the Convergence of $\\ell_1$-Minimization: A {Case} Study, with 5 Examples"
    assert distinctive_words(title, 6) == ("Convergence", "Minimization", "Case", "Study", "Examples")


def test_of_a_compound_the_first_part_is_taken() -> None:
    assert distinctive_words("Pre-training Alzheimer\u2019s models", 6) == ("Pre", "Alzheimer", "models")


def test_no_more_words_than_asked_for() -> None:
    assert distinctive_words("one two three four five six seven", 3) == ("one", "two", "three")


def test_a_title_of_digits_or_function_words_is_still_searched() -> None:
    assert distinctive_words("1984", 6) == ("1984",)
    assert distinctive_words("To be or not to be", 6) != ()
    assert distinctive_words("It", 6) == ("It",)


def test_compounds_are_taken_apart() -> None:
    words = ("Pre", "training", "and", "or", "Alzheimer's", "deep")
    assert parted_words("Pre-training and/or Alzheimer's (deep)", 9) == words
    assert parted_words("Pre-training models", 2) == words[:2]


def test_punctuation_is_no_word() -> None:
    assert plain_words("«(…)» — !?") == ()
    assert plain_words("BERT: Pre-training, (deep)") == ("BERT", "Pre-training", "deep")


@given(st.text(max_size=60))
@settings(max_examples=200, derandomize=True, deadline=None)
def test_words_hold_nothing_that_a_query_language_reads(title: str) -> None:
    for word in distinctive_words(title, 6):
        assert word
        assert not set(word) & set('":()[]{}|$&*?~^\\/+-! ')
    assert bool(distinctive_words(title, 6)) == bool(plain_words(title))
