"""How fluent the titles of mutations are, and if their venues and names fit: seeded mutations of real bibliographies.

    CITECHECK_SHARED=FOLDER python -m benchmarks.mutation_fluency --index works.index [--material] [--seed N] [--print]

Draws 10 mutations of each of four types from the .bib files of ``real_bibs`` in that folder, at most one of a type and a file if
there are enough files. The measures:

- fluency of a title: the share of its pairs of neighbouring words that titles of the index contain, and that of the originals.
  The index has less of some disciplines, so only the difference tells something.
- venue fits: a topic word of the invented or changed venue occurs in the title of the reference, or in titles or venues of
  the ten references of the file that share most topic words with it.
- names fit: each invented name is in one script, and all are in the scripts of the original authors.

``--material`` gives the mutations the index as material too. ``--print`` prints each mutation.
"""

from __future__ import annotations

import argparse
import itertools
import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from pytest_citecheck.benchmark import Stream, benchmark
from pytest_citecheck.index import LocalIndex
from pytest_citecheck.inputs import LabelledEntry, read_bibtex
from pytest_citecheck.matching import HEADS, NOISE, venue_words, without_latex_and_markup, words

_TITLES = ("hybrid_fabrication", "chimeric_title")
_VENUES = ("nonexistent_venue", "preprint_as_published")
_NAMES = ("hybrid_fabrication", "placeholder_authors")
_OF_EACH = 10
_YEAR = 2026
_NEAR = 10


class Drawn:
    """A mutation with its original and the texts of the other references of the file."""

    def __init__(self, right: LabelledEntry, wrong: LabelledEntry, others: frozenset[str]) -> None:
        self.right, self.wrong, self.others = right, wrong, others


def drawn(folder: Path, types: tuple[str, ...], seed: int, material: LocalIndex | None) -> Iterator[Drawn]:
    given = {"nearby": material.by_title} if material else {}
    made: dict[str, list[list[Drawn]]] = {name: [] for name in types}
    for path in sorted(folder.glob("*.bib")):
        entries = benchmark(read_bibtex(path.name, path.read_bytes()).references, seed, types, _OF_EACH, _YEAR, **given)
        right = {entry.source: entry for entry in entries.entries if entry.label == "VALID"}
        texts = {key: _topic(entry) for key, entry in right.items()}
        for name in types:
            found = [one for one in entries.entries if one.hallucination_type == name]
            found.sort(key=lambda entry: Stream("drawn", seed, entry.source, entry.hallucination_type).share())
            rows = []
            for one in found:
                own = _stems(right[one.source].fields["title"])
                near = sorted((key for key in texts if key != one.source), key=lambda key: -len(texts[key] & own))
                others = own.union(*(texts[key] for key in near[:_NEAR]))
                rows.append(Drawn(right[one.source], one, others))
            made[name].append(rows)
    for name in types:
        order = Stream("files", seed, name).shuffled(made[name])
        rounds = (rows[place] for place in range(_OF_EACH) for rows in order if place < len(rows))
        yield from (one for one, _ in zip(rounds, range(_OF_EACH), strict=False))


def _venue(entry: LabelledEntry) -> str:
    return next((entry.fields[name] for name in ("journal", "journaltitle", "booktitle") if name in entry.fields), "")


def _stems(text: str) -> frozenset[str]:
    plain = without_latex_and_markup(text)
    return frozenset(
        word[:5] for word in venue_words(plain) if word not in HEADS and word not in NOISE and len(word) > 3
    )


def _topic(entry: LabelledEntry) -> frozenset[str]:
    return _stems(entry.fields["title"]) | _stems(_venue(entry))


def pairs(title: str) -> list[tuple[str, str]]:
    found = words(without_latex_and_markup(title))
    return list(itertools.pairwise(found))


def scripts(authors: str) -> list[set[str]]:
    """The scripts of each name."""
    return [
        {unicodedata.name(letter, "?").split()[0] for letter in name if letter.isalpha()}
        for name in without_latex_and_markup(authors).split(" and ")
    ]


def names_fit(one: Drawn) -> bool:
    own, made = scripts(one.right.fields["author"]), scripts(one.wrong.fields["author"])
    known = set().union(*own)
    # Japanese mixes its scripts within a name.
    return all(len(name) == 1 or name <= {"CJK", "HIRAGANA", "KATAKANA"} for name in made) and all(
        name <= known for name in made
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--material", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--print", action="store_true")
    chosen = parser.parse_args()
    folder = Path(os.environ["CITECHECK_SHARED"]) / "real_bibs"
    types = tuple(dict.fromkeys((*_TITLES, *_VENUES, *_NAMES)))
    with LocalIndex(chosen.index) as index:
        found = list(drawn(folder, types, chosen.seed, index if chosen.material else None))
        titled = [one for one in found if one.wrong.hallucination_type in _TITLES]
        wanted = {pair for one in titled for entry in (one.right, one.wrong) for pair in pairs(entry.fields["title"])}
        seen: set[tuple[str, str]] = set()
        for record in index:
            seen.update(wanted.intersection(pairs(record.title)))

    def fluency(entry: LabelledEntry) -> float:
        of = pairs(entry.fields["title"])
        return sum(pair in seen for pair in of) / len(of) if of else 1.0

    print("| type | mutations | fluency | of the originals | venue fits | names fit |\n|---|---|---|---|---|---|")
    for name in types:
        rows = [one for one in found if one.wrong.hallucination_type == name]
        mean = [
            sum(map(fluency, entries)) / len(rows)
            for entries in ([one.wrong for one in rows], [one.right for one in rows])
        ]
        cells = [f"{mean[0]:.2f}", f"{mean[1]:.2f}"] if name in _TITLES else ["", ""]
        fits = sum(bool(_stems(_venue(one.wrong)) & one.others) for one in rows)
        cells += [f"{fits} of {len(rows)}" if name in _VENUES else ""]
        cells += [f"{sum(map(names_fit, rows))} of {len(rows)}" if name in _NAMES else ""]
        print(f"| {name} | {len(rows)} | {' | '.join(cells)} |")
    if chosen.print:
        for one in found:
            print(f"{one.wrong.hallucination_type}: {one.wrong.explanation}")


if __name__ == "__main__":
    main()
