"""Lists of references in thirteen styles, with each mark of items, in each layout: every item is read, and no other."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

import pytest

from pytest_citecheck.inputs import MARKDOWN, PLAIN_TEXT, DocumentReader, NoFiles, Surroundings, references_in
from pytest_citecheck.model import Location, Reference

_WORKS = tuple(
    tuple(work.split(" | "))
    for work in (
        "Smith | John | A. | Brown | Learning deep networks for vision | Journal of Machine Learning | 12 | 3 | 1 | 20 | 2019",
        "Brown | Alice | C. | Miller | Parsing natural language with trees | Computational Linguistics | 10 | 2 | 2 | 9 | 2018",
        "Green | Bob | D. | Weber | A theory of graphs and minors | Annals of Combinatorics | 3 | 1 | 4 | 11 | 2017",
        "White | Carla | E. | Rossi | Optimal transport in practice | Foundations of Data Science | 8 | 4 | 100 | 120 | 2020",
        "Black | Dana | F. | Novak | Kernels for small molecules | Journal of Chemistry | 5 | 6 | 10 | 12 | 2021",
        "Gray | Evan | G. | Lopez | Hashing at very large scale | Data Engineering | 15 | 1 | 33 | 40 | 2016",
    )
)
"""Family and given name, initial and family name of the second author, title, journal, volume, number, pages, year."""

_STYLES = {
    "APA": "{0}, {1[0]}., & {3}, {2} ({10}). {4}. {5}, {6}({7}), {8}–{9}.",
    "Vancouver": "{0} {1[0]}, {3} {2[0]}. {4}. {5}. {10};{6}({7}):{8}-{9}.",
    "Chicago": "{0}, {1}, and {2} {3}. “{4}.” {5} {6}, no. {7} ({10}): {8}–{9}.",
    "Chicago, author-date": "{0}, {1}, and {2} {3}. {10}. “{4}.” {5} {6} ({7}): {8}–{9}.",
    "MLA": '{0}, {1}, and {2} {3}. "{4}." {5}, vol. {6}, no. {7}, {10}, pp. {8}-{9}.',
    "IEEE": "{1[0]}. {0} and {2} {3}, “{4},” {5}, vol. {6}, no. {7}, pp. {8}–{9}, {10}.",
    "ACM": "{1} {0} and {2} {3}. {10}. {4}. {5} {6}, {7} ({10}), {8}–{9}.",
    "Harvard": "{0}, {1[0]}. and {3}, {2} {10}, ‘{4}’, {5}, vol. {6}, no. {7}, pp. {8}-{9}.",
    "GB/T 7714": "{0} {1[0]}, {3} {2[0]}. {4}[J]. {5}, {10}, {6}({7}): {8}-{9}.",
    "Springer": "{0}, {1[0]}., {3}, {2}: {4}. {5} {6}({7}), {8}–{9} ({10})",
    "plain.bst": "{1} {0} and {2} {3}. {4}. {5}, {6}({7}):{8}–{9}, {10}.",
    "Elsevier": "{1[0]}. {0}, {2} {3}, {4}, {5} {6} ({10}) {8}–{9}.",
    "Nature": "{0}, {1[0]}. & {3}, {2} {4}. {5} {6}, {8}–{9} ({10}).",
}

_NUMBERS = [
    "{}. ", "[{}] ", "{}\t", "{}.\t", "[{}]\t", "{}) ", "({}) ", "{}: ", "{} - ", "#{} ", "Ref. {}: ", "Paper {}: ", "[R{}] ",
    "[0{}] ", "^{} ", "【{}】", "［{}］", "（{}）", "{}、", "{}．", "{}：", "文献{}：", "**{}.** ",
]  # fmt: skip
_MARKS = {
    "none": [""] * 6,
    **{sign: [f"{sign} "] * 6 for sign in "-•*–"},
    "a)": [f"{letter}) " for letter in "abcdef"],
    "(a)": [f"({letter}) " for letter in "abcdef"],
    "(i)": [f"({number}) " for number in ("i", "ii", "iii", "iv", "v", "vi")],
    "①": [f"{sign} " for sign in "①②③④⑤⑥"],
    "[Smith19]": [f"[{work[0]}{work[-1][2:]}] " for work in _WORKS],
    "[SB19]": [f"[{work[0][0]}{work[3][0]}{work[-1][2:]}] " for work in _WORKS],
    **{form: [form.format(number) for number in range(1, 7)] for form in _NUMBERS},
}

_LAYOUTS: dict[str, Callable[[Sequence[str]], str]] = {
    "lines": "\n".join,
    "empty lines": "\n\n".join,
    "wrapped": lambda items: "\n".join(line for item in items for line in textwrap.wrap(item, 60)),
    "hanging": lambda items: "\n".join(
        line for item in items for line in textwrap.wrap(item, 60, subsequent_indent="    ")
    ),
    "wrapped, with empty lines": lambda items: "\n\n".join("\n".join(textwrap.wrap(item, 60)) for item in items),
}
_READERS: dict[str, DocumentReader] = {"list.txt": PLAIN_TEXT, "list.md": MARKDOWN}


def _items(style: str, mark: str) -> list[str]:
    return [sign + _STYLES[style].format(*work) for sign, work in zip(_MARKS[mark], _WORKS, strict=True)]


def _is_open(style: str, mark: str, layout: str) -> bool:
    """Return True where nothing in the list tells a wrapped line from the beginning of an item: it may begin like a name."""
    wrapped = layout in ("wrapped", "hanging")
    return wrapped and (mark == "none" or (style == "ACM" and layout == "hanging"))


def _unlike(references: Sequence[Reference]) -> bool:
    titles = [one.fields.get("title", "").strip('“”"‘’.,') for one in references]
    return titles != [work[4] for work in _WORKS]


@pytest.mark.sample(4)
@pytest.mark.parametrize("mark", _MARKS)
@pytest.mark.parametrize("name", _READERS)
def test_every_item_of_a_list_is_read(name: str, mark: str) -> None:
    heading = "# References" if name.endswith(".md") else "References"
    wrong = []
    for style in _STYLES:
        for layout, written in _LAYOUTS.items():
            if not _is_open(style, mark, layout):
                text = f"{heading}\n\n{written(_items(style, mark))}\n"
                references = _READERS[name].read_document(name, text.encode(), Surroundings(NoFiles())).references
                wrong += [(style, layout)] if _unlike(references) else []
    assert wrong == []


@pytest.mark.sample(4)
@pytest.mark.parametrize("mark", _MARKS)
def test_every_item_of_an_answer_is_read(mark: str) -> None:
    wrong = []
    for style in _STYLES:
        for layout in ("lines", "empty lines"):
            listed = _LAYOUTS[layout](_items(style, mark))
            answer = f"Here are six references:\n\n{listed}\n\nTell me if you need more."
            wrong += [(style, layout)] if _unlike(references_in(answer, Location("answers.json", 1, 1))[0]) else []
    assert wrong == []
