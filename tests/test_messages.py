"""Every message is short, and uses ordinary words (`tests.pages.messages` lists them)."""

from __future__ import annotations

import pytest

from pytest_citecheck.checks import TABLE
from pytest_citecheck.plugin import OPTIONS
from tests.pages.messages import MOST_WORDS, Message, long_sentences, messages, unusual_phrases

pytestmark = pytest.mark.exhaustive  # .ci/run runs them with the linters


def test_no_sentence_of_a_message_is_long() -> None:
    assert {message.place: long_sentences(message) for message in messages() if long_sentences(message)} == {}


def test_no_message_contains_an_unusual_phrase() -> None:
    assert {message.place: unusual_phrases(message) for message in messages() if unusual_phrases(message)} == {}


def test_the_list_contains_codes_options_and_help() -> None:
    listed = {message.text for message in messages()}
    sentences = {row.sentence for row in TABLE if row.check != "authors" and len(row.sentence.split()) > 6}
    assert sentences <= listed
    assert {option.help for option in OPTIONS} <= listed
    assert any("Exit code" in text for text in listed)


@pytest.mark.parametrize("words", [MOST_WORDS, MOST_WORDS + 1])
def test_a_sentence_is_long_beyond_the_limit(words: int) -> None:
    text = " ".join(["word"] * words)
    found = long_sentences(Message("x.py:1", f"Short. {text}"))
    assert found == ([text] if words > MOST_WORDS else [])


def test_a_noun_clause_at_the_start_is_an_unusual_phrase() -> None:
    assert unusual_phrases(Message("x.py:1", "What a line yields"))
    assert not unusual_phrases(Message("x.py:1", "the line has no name"))
