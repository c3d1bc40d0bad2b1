"""Measure how references are read from answers of assistants: found, right titles, invented, by layout.

    python -m benchmarks.answers [N] [--seed SEED] [--examples COUNT] [--only CONTAINER ...]

Writes N answers (5,000 unless stated) from the works of ``fixtures/refs.bib`` in every container, style, decoration and
language of ``tests/support/written_answers.py``, reads them and prints a table of each. *Found* counts works with an item
of their own, *titles* the found works whose title has the right words, *people* those whose first author has the right
family name, *invented* the items that correspond to no work.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from benchmarks.reading import Expected, Score, scored
from pytest_citecheck.inputs import read_bibtex, references_in
from pytest_citecheck.model import Location
from tests.support.reference_styles import Known, known
from tests.support.written_answers import Written, written

FIXTURES = Path(__file__).parent.parent / "fixtures"
_SIDES = ("container", "style", "decoration", "language", "talk")


def works() -> list[Known]:
    """Works of the fixtures with people, title, year and venue."""
    read = read_bibtex("refs.bib", (FIXTURES / "refs.bib").read_bytes()).references
    found = [known(one) for one in read if "title" in one.fields and "author" in one.fields]
    found = [one for one in found if one.people and one.year.isdecimal() and one.venue]
    return [one for one in found if not any("," in person.literal for person in one.people)]


@dataclass(slots=True)
class Counts:
    """Scores of all answers and by each value of each side."""

    whole: Score = field(default_factory=Score)
    sides: dict[str, dict[str, Score]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(Score)))

    def add(self, answer: Written) -> None:
        """Read one answer and count the result."""
        references, _ = references_in(answer.text, Location("answers.jsonl", 1, 1))
        expected = [Expected(title=work.title, year=work.year) for work in answer.works]
        one = Score()
        scored(one, "", expected, references)
        if one.examples:
            where = " | ".join(getattr(answer, side) for side in _SIDES)
            self.whole.examples.append(f"=== {where}\n{answer.text}\n--- " + "\n--- ".join(one.examples))
        for total in (self.whole, *(self.sides[side][getattr(answer, side)] for side in _SIDES)):
            for name in ("expected", "read", "titled", "right", "found", "foreign", "files"):
                setattr(total, name, getattr(total, name) + getattr(one, name))


def measure(number: int, seed: int = 1, only: Sequence[str] = ()) -> Counts:
    """Read this many answers, of all containers or of some."""
    counts = Counts()
    made = (one for one in written(works(), seed) if not only or one.container in only)
    for answer in islice(made, number):
        counts.add(answer)
    return counts


def shares(score: Score) -> tuple[float, float, float]:
    """Shares of works found, of right titles among them, and of items that are no work."""
    return (
        score.read / max(score.expected, 1) if score.expected else 1.0,
        score.right / max(score.titled, 1) if score.titled else 1.0,
        score.foreign / max(score.found, score.expected, score.files, 1),
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("number", type=int, nargs="?", default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=0, help="misread answers to print")
    parser.add_argument("--only", nargs="+", default=[], help="containers")
    given = parser.parse_args()
    counts = measure(given.number, given.seed, given.only)
    print("\n\n".join(counts.whole.examples[: given.examples]))
    for side in _SIDES:
        print(f"\n| {side} | works | found | titles | invented |\n|---|---|---|---|---|")
        for name, score in sorted(counts.sides[side].items(), key=lambda pair: shares(pair[1])):
            found, titles, invented = shares(score)
            print(f"| {name or '–'} | {score.expected} | {found:.1%} | {titles:.1%} | {invented:.1%} |")
    found, titles, invented = shares(counts.whole)
    print(f"\n{given.number:,} answers: found {found:.1%}, titles {titles:.1%}, invented {invented:.1%}")


if __name__ == "__main__":
    main()
