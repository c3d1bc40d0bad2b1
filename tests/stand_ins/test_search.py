"""Ranking: what shares a word is found, what shares more and rarer words comes first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.stand_ins.search import Index, words

TITLES = ("Deep learning", "Deep residual learning for image recognition", "A theory of water", "Łódź and Ærø")
INDEX = Index([{"title": title, "place": str(position % 2)} for position, title in enumerate(TITLES)])


def ranked(**query: str) -> list[int]:
    return [position for _, position in INDEX.rank(query)]


def test_any_shared_word_is_enough_and_the_closest_comes_first() -> None:
    assert ranked(title="deep learning") == [0, 1]
    assert ranked(title="residual learning in water") == [1, 2, 0]
    assert ranked(title="nothing shared") == []


def test_every_field_that_is_asked_for_must_share_a_word() -> None:
    assert ranked(title="deep", place="1") == [1]
    assert ranked(title="deep", author="LeCun") == []
    assert ranked() == []


def test_letters_with_strokes_and_ligatures_are_folded() -> None:
    assert words("Łódź, ÆRØ & Straße") == ("lodz", "aero", "strasse")
    assert ranked(title="lodz") == [3]


@given(st.lists(st.sampled_from(["deep", "residual", "water", "theory", "of", "x"]), max_size=6))
def test_scores_fall_and_exactly_the_sharing_documents_are_found(query: list[str]) -> None:
    scored = INDEX.rank({"title": " ".join(query)})
    scores = [score for score, _ in scored]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)
    assert {position for _, position in scored} == {
        position for position, title in enumerate(TITLES) if set(words(title)) & set(query)
    }
