"""Works mentioned in sentences, without a list."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.inputs import blanked_markdown, mentioned_works, read_plain_references
from pytest_citecheck.model import Location

HERE = Location("answer.txt", 1, 1)
BUILT, FELL = "How Bridges Are Built", "Why Bridges Fall"


def fields(text: str) -> list[dict[str, str]]:
    return [dict(reference.raw) for reference in read_plain_references(text, HERE)]


@pytest.mark.parametrize(
    ("said", "people", "year"),
    [
        (f'One is "{BUILT}" by Quill et al. (1999), which began it.', "Quill and others", "1999"),
        (f"One is “{BUILT},” by Ann Quill and Bo Reed (1999).", "Ann Quill and Bo Reed", "1999"),
        (f"See *{BUILT}* (1999) by Ann Quill.", "Ann Quill", "1999"),
        (f"Siehe „{BUILT}“ von Ann Quill und Bo Reed (1999).", "Ann Quill and Bo Reed", "1999"),
        (f"Voir « {BUILT} » par Ann Quill (1999).", "Ann Quill", "1999"),
    ],
)
def test_a_sentence_names_title_people_and_year(said: str, people: str, year: str) -> None:
    [found] = fields(said)
    assert (found["title"].strip(), found["author"], found["year"]) == (BUILT, people, year)


def test_a_paragraph_names_several() -> None:
    text = f'First "{BUILT}" by Quill et al. (1999) came, and then "{FELL}" by Ann Reed, Nature 2001, which says why.'
    assert [(one["title"], one["year"]) for one in fields(text)] == [(BUILT, "1999"), (FELL, "2001")]
    assert fields(text)[1]["journal"] == "Nature"


@pytest.mark.parametrize(
    "said",
    [
        f'The phrase "{BUILT}" is often heard.',  # nobody wrote it
        f'"{BUILT}" by Ann Quill is a poem.',  # without a year
        f'"{BUILT}" by candlelight (1999).',  # no name
        f"{BUILT} by Ann Quill (1999).",  # no marks
        f'In 1999 he wrote "{BUILT}", and by Monday it was sold.',
    ],
)
def test_what_names_no_work(said: str) -> None:
    assert fields(said) == []


@pytest.mark.parametrize(
    "people", ["the Ada team", "Quill and her team", "Quill and seven others", "researchers at Ada"]
)
def test_people_who_are_not_named_are_left_out(people: str) -> None:
    assert fields(f'One is "{BUILT}" by {people} (1999).') == [{"title": BUILT, "year": "1999"}]


@pytest.mark.parametrize(
    ("citation", "title"),
    [
        (
            "Quill, A., & Reed, B. (2019). A study of many things. Nature, 5(2), 10-20; doi: 10.1000/abc",
            "A study of many things",
        ),
        ("李航, 王明. 统计学习方法研究[J]. 计算机学报, 2012, 35(2): 100-110。DOI：10.1000/abc", "统计学习方法研究"),
    ],
)
def test_a_label_at_the_end_of_a_citation(citation: str, title: str) -> None:
    [found] = read_plain_references(f"1. {citation}\n", HERE)
    assert (found.raw["title"], found.raw["doi"]) == (title, "10.1000/abc")
    assert found.readings  # so that a record may choose


def test_pages_after_a_venue_in_brackets() -> None:
    found = fields(f"1. **{BUILT}** - Ann Quill and Bo Reed (ICLR 2015), pp. 3-9.\n")[0]
    assert (found["booktitle"], found["pages"]) == ("ICLR 2015", "3-9")


def test_prose_beside_a_list_repeats_it() -> None:
    listed = (
        f'1. Quill, A. (1999). {BUILT}. Nature, 4(2), 1-9.\n\nAs said, "{BUILT}" by Quill et al. (1999) began it.\n'
    )
    assert [one["title"] for one in fields(listed)] == [BUILT]


def test_an_item_that_goes_on_after_its_year_is_not_lost() -> None:
    text = f"1. *{BUILT}* by Ann Quill, Bo Reed and Cy Teal, CVPR 2016, shows how.\n2. *{FELL}* by Ann Quill (2001).\n"
    assert [(one["title"], one["year"]) for one in fields(text)] == [(BUILT, "2016"), (FELL, "2001")]
    assert fields(text)[0]["author"] == "Ann Quill and Bo Reed and Cy Teal"


@pytest.mark.parametrize(
    "line",
    [
        "1. 标题：桥梁的故事；作者：张三，李四；年份：2019",
        "1. 《桥梁的故事》 作者：张三，李四；年份：2019；出版社：人民出版社",
        "1. 题名：桥梁的故事。作者：张三，李四。年份：2019",
    ],
)
def test_labels_on_one_line(line: str) -> None:
    [found] = fields(line)
    assert (found["title"], found["author"], found["year"]) == ("桥梁的故事", "张三 and 李四", "2019")


def test_where_it_was_published_is_no_part_of_the_name() -> None:
    found = fields(f'1. "{BUILT}" by Ann Quill and Bo Reed (2017), published in NeurIPS. It shows how.\n')[0]
    assert found["booktitle"] == "NeurIPS"
    found = fields(f"1. **{BUILT}** - Ann Quill and Bo Reed (ICLR 2015). It shows how.\n")[0]
    assert (found["booktitle"], found["year"]) == ("ICLR 2015", "2015")


@given(st.text(alphabet='“”"*_《》()by Ann Quill,.19 2\n–', max_size=80))
def test_any_text(text: str) -> None:
    for reading in mentioned_works(text):
        assert reading.fields["title"].strip(), reading
        assert {"author", "year"} & {*reading.fields}


@pytest.mark.parametrize(
    ("text", "blanked"),
    [
        ("a <!-- b --> c", "a            c"),
        ("a <!-- b", "a <!-- b"),
        ("a <!-- b <!-- c --> d", "a                   d"),
        ("```\nb\n``` c", "   \n \n    c"),
        ("~~~\nb <!-- c --> d", "~~~\nb            d"),
    ],
)
def test_code_and_comments_of_markdown_are_blank_unless_they_do_not_end(text: str, blanked: str) -> None:
    assert blanked_markdown(text) == blanked
