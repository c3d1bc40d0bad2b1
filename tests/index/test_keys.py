"""The normal form of titles and the numbers under which an index keeps things."""

from __future__ import annotations

import string
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.index import (
    VERSION,
    author_keys,
    exact_hash,
    family,
    half_keys,
    identifier_text,
    identifiers,
    is_correctable,
    one_mistake_apart,
    posting_keys,
    read_title,
    title_text,
    wanted_keys,
)
from tests.support.records import work


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("BERT: Pre-training of Deep Transformers", "Bert pretraining of deep transformers."),
        ("Pre training", "PRETRAINING"),
        (r"K{\"a}hler und {\O}rsted", "Kähler und Ørsted"),
        (r"\c{C}a va, \'{e}t\'e", "Ça va, été"),
        (r"$\alpha$-divergences", "α-divergences"),
        (r"\textit{E. coli} in \mathbb{R}^n", "<i>E. coli</i> in R<sup>n</sup>"),
        ("Fish &amp; Chips", "Fish Chips"),
        ("What’s in a name", "What's in a name"),
        ("Soft\u00adware", "Software"),
        ("ﬁnite Ｗｉｄｅ ①", "finite wide 1"),
        ("16×16 words", "16x16 Words"),
        ("Straße", "STRASSE"),
        ("深度学习：综述", "深度学习 综述"),
        ("Łódź", "Lodz"),
    ],
)
def test_titles_that_are_found_as_equal(one: str, other: str) -> None:
    assert read_title(one)[1] == read_title(other)[1]


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Attention Is All You Need", ["attention", "is", "all", "you", "need"]),
        ("深度学习综述 in NLP", ["深度", "度学", "学习", "习综", "综述", "in", "nlp"]),
        ("x<y and z>w", ["x", "y", "and", "z", "w"]),
        ("Введение в анализ", ["введение", "в", "анализ"]),
        ("हिन्दी", ["हिन्दी"]),
        ("???", []),
        ("", []),
    ],
)
def test_words(title: str, words: list[str]) -> None:
    assert read_title(title)[0] == words


def test_a_title_of_signs_is_its_signs() -> None:
    assert read_title("? !")[1] == "?!"
    assert read_title("")[1] == ""


@given(st.text(max_size=40))
def test_any_text_can_be_read_and_its_text_is_its_own(title: str) -> None:
    text = title_text(title)
    assert title_text(text).split() == text.split()
    posting_keys(read_title(title)[0])


def test_separated_joined_and_hyphenated_words_meet() -> None:
    keys = [
        set(posting_keys(read_title(title)[0]))
        for title in ("deep pre-training", "deep pretraining", "deep pre training")
    ]
    assert crc32(b"pretraining") in set.intersection(*keys)


def test_stop_words_count_only_where_there_are_no_others() -> None:
    assert posting_keys(["the", "theory", "of", "nets"]) == posting_keys(["theory", "nets"])
    assert posting_keys(["to", "the"]) == [crc32(b"to"), crc32(b"the"), crc32(b"tothe")]


def test_the_longest_titles_get_bounded_keys() -> None:
    assert len(posting_keys([f"word{i}" for i in range(1000)])) == 64 + 63 + 62


def test_what_stands_in_files_is_what_it_was() -> None:
    """If this fails, files of older versions cannot be read: raise VERSION, and change the expected values."""
    title = r"Über {\ss}tochastic $\beta$-mixing of Pre-trained 深度学习 <b>models</b> &amp; more"
    assert VERSION == 1
    words, form = read_title(title)
    assert form == "ubersstochasticbetamixingofpretrained深度学习modelsmore"
    assert exact_hash(form) == 22276363850415
    assert sum(posting_keys(words)) == 59635405944
    assert sum(author_keys(["kahler"], 2020)) == 1343105719
    assert sum(half_keys("learning")) == 4176519241


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ashish Vaswani", "vaswani"),
        ("Vaswani, Ashish", "vaswani"),
        ("van der Maaten, Laurens", "maaten"),
        ("Laurens van der Maaten", "maaten"),
        ("Martin Luther King Jr.", "king"),
        ("King, Jr., Martin", "king"),
        ("Sammy Davis III", "davis"),
        ("Bernhard Schölkopf", "scholkopf"),
        ("Seán O'Brien", "obrien"),
        ("Wei Wang 0001", "wang"),
        ("Plato", "plato"),
        ("", ""),
    ],
)
def test_family_names(name: str, expected: str) -> None:
    assert family(name) == expected


def test_identifiers_of_an_entry() -> None:
    entry = work(
        "s", "i", "t", doi="10.1000/ABC", arxiv="1706.03762", pmid="123", acl="P19-1001", openreview="aBcDe",
        dblp="conf/nips/V17", isbn=("9780306406157", "9783161484100"),
    )  # fmt: skip
    assert identifiers(entry) == [
        "doi:10.1000/abc", "arxiv:1706.03762", "pmid:123", "acl:p19-1001", "openreview:aBcDe", "dblp:conf/nips/V17",
        "isbn:9780306406157", "isbn:9783161484100",
    ]  # fmt: skip
    assert identifiers(work("s", "i", "t")) == []
    assert identifier_text("acl", "P19-1001") == "acl:p19-1001"


WORDS = st.text(string.ascii_lowercase, min_size=5, max_size=12)


@given(WORDS, st.data())
def test_a_word_with_one_mistake_leads_to_the_word(word: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(word) - 2))
    letter = data.draw(st.sampled_from("qxz"))
    mistaken = data.draw(
        st.sampled_from(
            [
                word[:place] + letter + word[place + 1 :],
                word[:place] + letter + word[place:],
                word[:place] + word[place + 1 :],
                word[:place] + word[place + 1] + word[place] + word[place + 2 :],
            ]
        )
    )
    assert set(half_keys(word)) & set(wanted_keys(mistaken))
    assert one_mistake_apart(mistaken, word) or mistaken == word


@pytest.mark.parametrize(
    ("one", "other"), [("abcd", "abdce"), ("abcdef", "badcef"), ("learning", "training"), ("abcd", "abcdef")]
)
def test_two_mistakes_are_not_one(one: str, other: str) -> None:
    assert not one_mistake_apart(one, other)
    assert not one_mistake_apart(other, one)


@pytest.mark.parametrize(
    ("word", "judged"), [("nets", True), ("net", False), ("gpt4", False), ("深度学习", True), ("a" * 41, False)]
)
def test_words_whose_spelling_is_judged(word: str, judged: bool) -> None:
    assert is_correctable(word) is judged
