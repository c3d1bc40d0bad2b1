"""Corpora of one and of several million works, and the titles to look up in them.

The folder in CITECHECK_SHARED has ``records/records.jsonl.zst``, about a million different real titles. A larger corpus is
filled with recombined titles: two titles are spliced at a common word, and a third of the new ones get a made-up word, like the
name of a system.
"""

from __future__ import annotations

import io
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import zstandard

from benchmarks.index.damage import KINDS, damaged
from pytest_citecheck.index import read_title, stated_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_citecheck.model import Record

_HELD_OUT = 4_000
_CONSONANTS, _VOWELS = "bcdfghklmnprstvz", "aeiou"


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """A title that is looked up. kind: ``exact``, a kind of damage, or ``absent``; meant: the title that it was."""

    kind: str
    title: str
    meant: str


def real_records() -> Iterator[Record]:
    """The records of the collection, one for each title of three words and more."""
    path = Path(os.environ["CITECHECK_SHARED"]) / "records" / "records.jsonl.zst"
    seen: set[int] = set()
    with path.open("rb") as file:
        for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8"):
            record = stated_record(json.loads(line))
            words, form = read_title(record.title)
            key = hash(form)
            if len(words) > 2 and key not in seen:
                seen.add(key)
                yield record


class Corpus:
    """``size`` records with different ids, the same for the same size; `held_out` are titles of works that are not in it."""

    def __init__(self, size: int) -> None:
        self.size = size
        real = list(real_records())
        Random(7).shuffle(real)
        self.held_out = [record.title for record in real[:_HELD_OUT]]
        self._real = real[_HELD_OUT : _HELD_OUT + size]
        self._places: dict[str, list[tuple[int, int]]] = {}
        for number, record in enumerate(self._real[:200_000]):
            for place, word in enumerate(record.title.split()[:-1]):
                self._places.setdefault(word.lower(), []).append((number, place))

    def records(self) -> Iterator[Record]:
        """The records, numbered as their ids."""
        for number, record in enumerate(self._real):
            yield replace(record, id=str(number))
        random = Random(11)
        for number in range(len(self._real), self.size):
            model = self._real[random.randrange(len(self._real))]
            doi = f"10.{1000 + number % 9000}/j.{number:x}" if number % 3 else ""
            yield replace(model, id=str(number), title=self.recombined(random), doi=doi, arxiv="", url="")

    def recombined(self, random: Random) -> str:
        """Return a made-up title."""
        real = self._real[random.randrange(min(len(self._real), 200_000))].title.split()
        words: list[str] = []
        place = 0
        while (place < len(real) or len(words) < 4) and len(words) < 20:
            if place == len(real):  # at its end too early
                real, place = self._real[random.randrange(len(self._real))].title.split(), 0
            words.append(real[place])
            place += 1
            if random.random() < 0.3 and (others := self._places.get(words[-1].lower())):
                number, found = random.choice(others)
                real, place = self._real[number].title.split(), found + 1
        if random.random() < 0.35:
            name = "".join(random.choice(_CONSONANTS) + random.choice(_VOWELS) for _ in range(random.randint(2, 4)))
            words.insert(random.randrange(len(words)), name.capitalize())
        return " ".join(words)


def queries(corpus: Corpus, titles: Sequence[str], seed: int) -> list[IndexQuery]:
    """Return titles of the corpus, half exact and half damaged (equally by kind), and half as many absent ones.

    The absent titles are real ones and recombined ones.
    """
    random = Random(seed)
    half = len(titles) // 2
    kinds = list(KINDS)
    found = [IndexQuery("exact", title, title) for title in titles[:half]]
    for i, title in enumerate(titles[half:]):
        kind = kinds[i % len(kinds)]
        found.append(IndexQuery(kind, damaged(title, kind, random), title))
    found += [IndexQuery("absent", title, "") for title in random.sample(corpus.held_out, half // 2)]
    found += [IndexQuery("absent", corpus.recombined(random), "") for _ in range(half - half // 2)]
    return found
