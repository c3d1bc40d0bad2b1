"""A file that is read again after an edit: the memory of unchanged entries changes no result."""

from __future__ import annotations

import random

import pytest

from pytest_citecheck.inputs import Bibliography, EntryMemory, read_bibtex

TEXT = r"""
% a comment with an e-mail: me@example.org
@string{cvpr = "Conference on " # vision}
@string{vision = {Vision}}
@preamble{"\newcommand{\x}{y}"}
@article{a, title = {On {\'E}tudes}, author = {Smith, Anna and Bo Jones}, year = 2020, month = jan, doi = {10.1/a}}
@inproceedings{b, crossref = {book}, title = "Deep \"Uber", author = {A. Other, B. Last}, pages = {1--2}, title = {Twice}}
@inproceedings{c, title = {C}, booktitle = cvpr # { 2020}, author = {A}, year = 2020}
@book{book, title = {The Book}, editor = {E. Ditor}, year = {1999}, publisher = pub}
@xdata{x, publisher = {House}}
@misc{d, xdata = {x}, title = {D}, note = "% citecheck: ignore[x] why"}
% citecheck: ignore[venue-other] it is a reprint
@misc(e, title = {Parentheses}, year = {2001})
@comment{@misc{hidden, title = {H}}}
@misc{a, title = {The same key}, year = {2003}}
@glossaryentry{g, name = {nothing}}
@misc{f, title = {Broken, year = {2002},
@misc{h, title = {After the broken one}, year = {2003}, citecheck = {ignore[title] because}}
"""
PIECES = (
    "{", "}", '"', ",", "@", "%", "\n", "\r\n", "#", "=", " x ", "é", "\0", "@string{cvpr = {C}}\n", "@string{pub = cvpr}\n",
    "@misc{new, title = {New}, month = feb}\n", "p", ", crossref = {a}", ", note = cvpr", "@comment{", "@article{a,\n", "\n\n",
)  # fmt: skip


def edited(chosen: random.Random, text: str) -> str:
    """Insert, remove, double or move a part at a random place."""
    start = chosen.randrange(len(text) + 1)
    end = min(len(text), start + chosen.choice((0, 0, 1, 5, 120)))
    what = chosen.choice((*PIECES, "", "", text[start:end] * 2))
    if chosen.random() < 0.2:
        lines = text.splitlines(keepends=True)
        chosen.shuffle(lines)
        return "".join(lines)
    return text[:start] + what + text[end:]


def whole(read: Bibliography) -> tuple[object, ...]:
    return read, [one.macros for one in read.references], [one.raw for one in read.references]


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(8))
def test_texts_that_are_edited_are_read_as_new_ones(seed: int) -> None:
    chosen, memory, text = random.Random(seed), EntryMemory(60), TEXT  # noqa: S311 - repeatable
    for _ in range(150):
        text = edited(chosen, text) if 200 < len(text) < 5000 else TEXT
        data = text.encode("utf-8", "replace")
        with memory.remembering():
            again = read_bibtex("refs.bib", data)
        assert whole(again) == whole(read_bibtex("refs.bib", data)), text


def test_other_texts_of_the_macros_are_other_values() -> None:
    memory, entry = EntryMemory(9), "@misc{a, title = {A}, note = s # { and } # jan}"
    notes = []
    for definition in ("@string{s = {one}}", "@string{s = {two}}", "", "@string{s = {one}}"):
        with memory.remembering():
            (read,) = read_bibtex("refs.bib", f"{definition}\n{entry}".encode()).references
        notes.append(read.fields["note"])
    assert [note.split()[0] for note in notes] == ["one", "two", "s", "one"]


def test_the_limit_of_macros_counts_remembered_ones() -> None:
    long = "@string{s = {" + "x" * 9000 + "}}\n"
    text = (long + "".join(f"@misc{{k{number}, note = s}}\n" for number in range(300))).encode()
    memory, expected = EntryMemory(1000), read_bibtex("refs.bib", text)
    assert any(one.code == "macro-overflow" for ref in expected.references for one in ref.defects)
    for _ in range(3):
        with memory.remembering():
            assert read_bibtex("refs.bib", text) == expected
