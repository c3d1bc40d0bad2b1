"""Works cited in footnotes of the humanities, and the short forms after them."""

from __future__ import annotations

from itertools import product

import pytest

from benchmarks.answers import shares
from benchmarks.footnotes import CONTAINERS, FRAMES, STYLES, measure
from pytest_citecheck.inputs import MARKDOWN, PLAIN_TEXT, NoFiles, Surroundings
from tests.support.suites import first_fast


@pytest.mark.sample(2)
@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize(("style", "frame"), first_fast(product(STYLES, FRAMES), 2))
def test_works_in_notes_are_found(style: str, frame: str, container: str) -> None:
    found, titles, invented = shares(measure(style, container, frame))
    assert found >= (0.7 if "OSCOLA" in style else 0.85)  # in a plain list its volumes look like numbers of items
    assert titles >= 0.8
    assert invented <= 0.01


@pytest.mark.parametrize(
    ("note", "works"),
    [
        ("Ibid., 80; cf. Greta Holm, ‘The Toll of Narva’, Baltic Studies, 14 (2006), pp. 1–20.", 1),
        ("See Greta Holm, *The Toll of Narva* (Tartu: University Press, 2006), 9; Juhan Tamm, *Amber Law* (Riga, 2005).", 2),
        ("I owe this to a reader. For the numbers see Greta Holm, *The Toll of Narva* (Tartu: Tartu University Press, 2006), 9.",
         1),
        ("Holm, G.; Tamm, J. The Toll of Narva. J. Balt. Stud. 2006, 14, 1–20.", 1),
        ("Holm, G. (2006). The toll of Narva; Revised edition. Tartu University Press, 2006.", 1),
    ],
)  # fmt: skip
def test_a_note_may_cite_several_works_after_words_of_its_own(note: str, works: int) -> None:
    notes = [*_WORKS, note, *_WORKS]
    text = "A claim.[^1]\n\n" + "\n".join(f"[^{number}]: {one}" for number, one in enumerate(notes, start=1))
    read = MARKDOWN.read_document("essay.md", text.encode(), Surroundings(NoFiles()))
    titles = [one.fields.get("title", "") for one in read.references]
    assert len(titles) == 6 + works
    assert all(title[:4] in ("Salt", "Ambe", "The ") for title in titles)


_WORKS = (
    "Marta Ilves, ‘Salt Roads of the North’, Baltic Studies, 12 (2004), pp. 3–29 (p. 5).",
    "Juhan Tamm, ‘Amber and Law’, Baltic Studies, 13 (2005), pp. 30–41 (p. 33).",
    "Greta Holm, ‘The Toll of Narva’, Baltic Studies, 14 (2006), pp. 1–20 (p. 2).",
)


@pytest.mark.parametrize(
    ("short", "unread"),
    [("Ibid., p. 7.", 0), ("Ebd.", 0), ("Holm, p. 9.", 0), ("Holm, op. cit., p. 9.", 0), ("Okafor, p. 9.", 1)],
)
def test_a_short_form_of_an_earlier_work_is_neither_a_reference_nor_an_error(short: str, unread: int) -> None:
    notes = [*_WORKS, short, *_WORKS]
    text = "A claim.[^1]\n\n" + "\n".join(f"[^{number}]: {note}" for number, note in enumerate(notes, start=1))
    read = MARKDOWN.read_document("essay.md", text.encode(), Surroundings(NoFiles()))
    assert sum("title" in one.fields for one in read.references) == 6
    assert sum("unread-item" in [defect.code for defect in one.defects] for one in read.references) == unread


@pytest.mark.parametrize(
    ("first", "author"),
    [
        ("S. N. Lind and A. V. Moor", "Lind, S. N. and Moor, A. V."),
        ("See, K. and So, Y.", "See, K. and So, Y."),
        ("So, Y. and Lind, S.", "So, Y. and Lind, S."),
        ("Vgl. S. N. Lind and A. V. Moor", "Lind, S. N. and Moor, A. V."),
        ("See also A. V. Moor", "Moor, A. V."),
    ],
)
def test_a_name_at_the_beginning_of_a_note_is_no_word_of_the_note(first: str, author: str) -> None:
    notes = [
        f"{first}, “Tides of the {place} Sound”, Baltic Studies, 12 (2004), 3–29."
        for place in ("North", "East", "West")
    ]
    text = "References\n\n" + "\n".join(f"[{number}] {note}" for number, note in enumerate(notes, start=1))
    read = PLAIN_TEXT.read_document("list.txt", text.encode(), Surroundings(NoFiles()))
    assert [one.fields["author"] for one in read.references] == [author] * 3
