"""Measure how works cited in footnotes of the humanities are read: found, right titles, invented, by style and container.

    python -m benchmarks.footnotes [--examples COUNT] [--only STYLE ...] [--frames FRAME ...]

Cites the works of ``fixtures/refs.bib`` in documents of twelve notes: each work in full, then in short forms (``ibid.``,
``op. cit.``, ``a. a. O.``) and with a page. A frame is what stands around a work in its note: "see", a sentence, a short form,
another work. *Found* counts works with an item of their own, *titles* the found works whose
title has the right words, *invented* the items that correspond to no work: a short form is not a work.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random

from benchmarks.answers import shares, works
from benchmarks.reading import Expected, Score, scored
from pytest_citecheck.inputs import (
    MARKDOWN,
    PLAIN_TEXT,
    NoFiles,
    Surroundings,
    UnreadableDocumentError,
    read_reference_strings,
    reference_items,
)
from pytest_citecheck.model import Location, Person, Reference
from tests.support.reference_styles import Known

_WORKS_OF_A_DOCUMENT, _NOTES_OF_A_PAGE = 6, 4
_TEXT_LINES = 30


def _full(person: Person) -> str:
    return person.literal if person.group or not person.family else f"{person.given} {_family(person)}".strip()


def _family(person: Person) -> str:
    return f"{person.particle} {person.family}".strip() or person.literal


def _names(work: Known, last: str, others: str, between: str = ", ") -> str:
    names = [_full(person) for person in work.people]
    if work.others or len(names) > 3:
        return f"{names[0]}{others}"
    return names[0] if len(names) == 1 else between.join(names[:-1]) + last + names[-1]


def _pages(work: Known, before: str) -> str:
    return f"{before}{work.pages}" if work.pages else ""


def _chicago(work: Known, page: int) -> str:
    number = f", no. {work.number}" if work.number else ""
    where = f"{work.venue} {work.volume}{number} ({work.year})" if work.journal else f"in {work.venue} ({work.year})"
    title = f"“{work.title}{'' if work.title.endswith('?') else ','}”"
    return f"{_names(work, ', and ', ' et al.')}, {title} {where}{': ' if work.journal else ', '}{page}."


def _mhra(work: Known, page: int) -> str:
    number = f".{work.number}" if work.number else ""
    volume = f", {work.volume}{number} ({work.year})" if work.journal else f" ({work.year})"
    pages = _pages(work, ", pp. ") + f" (p. {page})"
    return f"{_names(work, ' and ', ' and others')}, ‘{work.title}’, {'' if work.journal else 'in '}{work.venue}{volume}{pages}."


def _book(work: Known, page: int) -> str:
    return f"{_names(work, ' and ', ' et al.')}, *{work.title}* (Cambridge: Cambridge University Press, {work.year}), {page}."


def _german(work: Known, page: int) -> str:
    number = f", H. {work.number}" if work.number else ""
    volume = f" {work.volume} ({work.year}){number}" if work.journal else f", {work.year}"
    pages = _pages(work, ", S. ") + f", hier S. {page}"
    return f"{_names(work, '/', ' u. a.', '/')}: {work.title}, in: {work.venue}{volume}{pages}."


def _german_quoted(work: Known, page: int) -> str:
    volume = f" {work.volume} ({work.year})" if work.journal else f" ({work.year})"
    return f"Vgl. {_names(work, ' und ', ' et al.')}, „{work.title}“, in: {work.venue}{volume}{_pages(work, ', S. ')}, S. {page}."


def _oscola(work: Known, page: int) -> str:
    volume = f"{work.volume} " if work.volume else ""
    return f"{_names(work, ' and ', ' and others')}, ‘{work.title}’ ({work.year}) {volume}{work.venue} {page}."


@dataclass(frozen=True, slots=True)
class NoteStyle:
    """A style: the full form of a work with a page, and the short forms of a name, a title, a page and a note's number."""

    full: Callable[[Known, int], str]
    short: tuple[str, ...]


STYLES: Mapping[str, NoteStyle] = {
    "Chicago notes": NoteStyle(_chicago, ("Ibid., {page}.", "Ibid.", "{name}, “{title},” {page}.")),
    "MHRA": NoteStyle(_mhra, ("Ibid., p. {page}.", "{name}, p. {page}.", "{name}, op. cit., p. {page}.")),
    "German": NoteStyle(
        _german, ("Ebd., S. {page}.", "{name}, a. a. O., S. {page}.", "{name} (wie Anm. {note}), S. {page}.")
    ),
    "German, quoted": NoteStyle(_german_quoted, ("Vgl. ebd.", "{name}, a.a.O., S. {page}.", "Ebenda, S. {page} f.")),
    "Chicago book": NoteStyle(_book, ("Ibid., {page}.", "{name}, *{title}*, {page}.")),
    "OSCOLA": NoteStyle(_oscola, ("ibid {page}.", "{name} (n {note}) {page}.", "ibid.")),
}


FRAMES: Mapping[str, tuple[str, int]] = {
    "alone": ("{0}.", 1),
    "see": ("See also {0}.", 1),
    "after a sentence": ("This point is due to an anonymous reader. For a longer discussion see {0}.", 1),
    "after a short form": ("Ibid., 80; cf. {0}.", 1),
    "two works": ("{0}; {1}.", 2),
    "two works with see": ("See {0}; but compare {1}.", 2),
}
"""The text of a note around its works, and the number of works."""


def notes_of(style: NoteStyle, cited: list[Known], random: Random, frame: str) -> list[str]:
    """Return the notes of a document: each work in full, and a short form after it."""
    notes = []
    form, number = FRAMES[frame]
    for place in range(0, len(cited), number):
        group = cited[place : place + number]
        work, page = group[0], random.randint(2, 400)
        full = [style.full(one, page).removeprefix("Vgl. ").removesuffix(".") for one in group]
        notes.append(form.format(*full) if frame != "alone" and len(full) == number else style.full(work, page))
        title = " ".join(work.title.partition(":")[0].split()[:4])
        short = random.choice(style.short)
        notes.append(short.format(name=_family(work.people[0]), title=title, page=page + 1, note=len(notes)))
    return notes


def _markdown(notes: list[str]) -> list[Reference]:
    text = "\n\n".join(f"A claim.[^{number}]" for number, _ in enumerate(notes, start=1))
    listed = "\n\n".join(f"[^{number}]: {note}" for number, note in enumerate(notes, start=1))
    return [
        *MARKDOWN.read_document("p.md", f"# Essay\n\n{text}\n\n# Notes\n\n{listed}\n".encode(), _NOTHING).references
    ]


def _plain(notes: list[str]) -> list[Reference]:
    listed = "\n".join(f"{number}. {note}" for number, note in enumerate(notes, start=1))
    return [*PLAIN_TEXT.read_document("p.txt", f"An essay.\n\nNotes\n\n{listed}\n".encode(), _NOTHING).references]


def _page(notes: list[str]) -> list[Reference]:
    """Read the notes below the text of pages, in smaller type."""
    pages = []
    for first in range(0, len(notes), _NOTES_OF_A_PAGE):
        rows = [
            (f"Words of the text that go on for the line {line}", 72.0, 480.0, 760.0 - 14 * line, 11.0)
            for line in range(_TEXT_LINES)
        ]
        bottom = 760.0 - 14 * _TEXT_LINES
        for number, note in enumerate(notes[first : first + _NOTES_OF_A_PAGE], start=first + 1):
            words = f"{number} {note}".split()
            for start in range(0, len(words), 14):
                bottom -= 11
                rows.append((" ".join(words[start : start + 14]), 72.0, 480.0, bottom, 9.0))
        pages.append(rows)
    items = [item for item in reference_items(pages) if item.kind == "reference"]
    return read_reference_strings([(item.text, Location("p.pdf", 1, 1)) for item in items])


_NOTHING = Surroundings(NoFiles())
CONTAINERS: Mapping[str, Callable[[list[str]], list[Reference]]] = {
    "Markdown footnotes": _markdown, "list of notes": _plain, "footnotes of pages": _page,
}  # fmt: skip


def documents() -> Iterator[list[Known]]:
    """Yield groups of works, always the same."""
    known = works()
    Random(1).shuffle(known)
    for start in range(0, len(known), _WORKS_OF_A_DOCUMENT):
        yield known[start : start + _WORKS_OF_A_DOCUMENT]


def measure(style: str, container: str, frame: str = "alone") -> Score:
    """Read the documents of one style in one container. frame: what stands around each work."""
    score, random = Score(), Random(style)
    for cited in documents():
        expected = [Expected(title=work.title, year=work.year) for work in cited]
        try:
            references = CONTAINERS[container](notes_of(STYLES[style], cited, random, frame))
        except UnreadableDocumentError:
            references = []
        scored(score, f"{style}, {container}", expected, references)
    return score


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--examples", type=int, default=0, help="misread works to print of each row")
    parser.add_argument("--only", nargs="+", choices=[*STYLES], default=[*STYLES], help="styles")
    parser.add_argument("--frames", nargs="+", choices=[*FRAMES], default=[*FRAMES], help="what stands around a work")
    given = parser.parse_args()
    print("| style | frame | container | works | found | titles | invented |\n|---|---|---|---|---|---|---|")
    for style, frame, container in product(given.only, given.frames, CONTAINERS):
        score = measure(style, container, frame)
        found, titles, invented = shares(score)
        print(f"| {style} | {frame} | {container} | {score.expected} | {found:.1%} | {titles:.1%} | {invented:.1%} |")
        print("".join(f"  {line}\n" for line in score.examples[: given.examples]), end="")


if __name__ == "__main__":
    main()
