"""Time the judging of a reference: `python -m benchmarks.evaluate [COUNT]`.

Prints the CPU time a reference of six findings and a verdict, for references with two records, with eight records of
works alike in title and people, with nothing found, and with 3,000 authors.
"""

from __future__ import annotations

import datetime
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from benchmarks.generated import bibtex, evidence, works
from pytest_citecheck.model import Asked, Evidence, Found, Person, Question, Record, Reference
from pytest_citecheck.readers.bibtex import read_bibtex
from pytest_citecheck.verdict import evaluate

__all__ = ["main"]

_TODAY = datetime.date(2026, 11, 20)


def _with_lookalikes(record: Record, made: Sequence[Record], dice: random.Random) -> Evidence:
    """The two records of the work, and six of other works by the same people, as a search by title brings them."""
    others = tuple(
        replace(other, authors=record.authors, title=f"{record.title.rsplit(' ', 3)[0]} {other.title}")
        for other in dice.sample(made, 6)
    )
    line = Asked("crossref", Question("title", record.title), Found(others))
    return Evidence((*evidence(record).asked, line))


def _nothing(record: Record) -> Evidence:
    return Evidence((Asked("crossref", Question("title", record.title), Found(())),))


def _time(name: str, references: Sequence[Reference], made: Sequence[Evidence]) -> None:
    start = time.process_time()
    for reference, known in zip(references, made, strict=True):
        evaluate(reference, known, _TODAY)
    taken = (time.process_time() - start) / len(references)
    print(f"{name:<28}{taken * 1e6:>10.0f} µs a reference")


def _many_authors(count: int) -> tuple[Reference, Evidence]:
    names = tuple(Person(family=f"Physicist{number:04}".translate(_LETTERS), given="Ada") for number in range(count))
    record = replace(works(1)[0], authors=names)
    return read_bibtex("refs.bib", bibtex([record]).encode()).references[0], evidence(record)


_LETTERS = str.maketrans("0123456789", "abcdefghij")


def main(count: int) -> None:
    """Time ``count`` generated references in each of the situations."""
    dice = random.Random(1)
    made = works(count)
    references = read_bibtex("refs.bib", bibtex(made, wrong=0.1).encode()).references
    situations: dict[str, Callable[[Record], Evidence]] = {
        "two records": evidence,
        "eight records": lambda record: _with_lookalikes(record, made, dice),
        "nothing found": _nothing,
    }
    for name, situation in situations.items():
        _time(name, references, [situation(record) for record in made])
    reference, known = _many_authors(3000)
    _time("3,000 authors", [reference], [known])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
