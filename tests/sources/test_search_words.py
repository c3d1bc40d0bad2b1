"""Words of titles for searches."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.sources import parted_words, plain_words, whole_words


def test_compounds_are_taken_apart() -> None:
    words = ("Pre", "training", "and", "or", "Alzheimer's", "deep")
    assert parted_words("Pre-training and/or Alzheimer's (deep)", 9) == words
    assert parted_words("Pre-training models", 2) == words[:2]


def test_punctuation_is_no_word() -> None:
    assert plain_words("«(…)» — !?") == ()
    assert plain_words("BERT: Pre-training, (deep)") == ("BERT", "Pre-training", "deep")


def test_whole_words_are_those_that_every_engine_keeps() -> None:
    assert whole_words("Pre-training of Alzheimer\u2019s models during the \u03b2 phase, shown in 12 mice", 6) == (
        "models",
        "phase",
        "mice",
    )
    assert whole_words("one two three four five six seven", 3) == ("one", "two", "three")


def test_whole_words_of_a_title_without_any_are_its_parts() -> None:
    assert whole_words("BERT: Pre-training", 6) == ("BERT", "Pre", "training")
    assert whole_words("To be or not to be", 6) == ("To", "be", "or", "not", "to")
    assert whole_words("\u00dcber\u00fcberg\u00e4nge", 6) == ("\u00dcber\u00fcberg\u00e4nge",)


@given(st.text(max_size=60))
def test_there_is_a_whole_word_wherever_there_is_a_word(title: str) -> None:
    found = whole_words(title, 6)
    assert bool(found) == bool(plain_words(title))
    assert not {sign for word in found for sign in word} & set('":()[]{}|$&*?~^\\/+-! ')
