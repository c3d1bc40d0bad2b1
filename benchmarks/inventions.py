"""Wrong references of many kinds, and right ones of four fields, checked against an index of all records.

    CITECHECK_SHARED=FOLDER python -m benchmarks.inventions [--index works.index] [--count 150] [--kind NAME] [--examples N]

Each kind makes a wrong reference of real records, as models and careless authors do: a famous title with everything else
invented, names replaced or exchanged, identifiers and years of other works, mixed titles, works of types that few catalogues
hold. Prints how many are errors, warnings, silent (no verdict) and verified; then the same for right references of each field.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from benchmarks.damages import DAMAGES, Pool, damaged
from benchmarks.offline_verdicts import RECORDS, full_index, judged, read
from benchmarks.styles import bibtex_entry, plain_entry
from pytest_citecheck.checks import Evaluation, earned_severity
from pytest_citecheck.matching import compare_venues, words
from tests.conformance.rendering import Row, read_rows

_OUTCOMES = ("error", "warning", "silent", "verified")
_OF_COMPUTER_SCIENCE = ("dblp", "mlanthology", "papercopilot", "acl", "sigchi", "api-dblp")
_OF_BIOMEDICINE = ("api-europepmc", "pubmed", "asreview")
_SHARE = 0.02
"""Share of the records of large collections to read; small collections are read in full."""
_PUBLISHERS = ("Springer", "Wiley", "Oxford University Press", "MIT Press", "Cambridge University Press")


@dataclass(frozen=True, slots=True)
class Rows:
    """Records of computer science and of other fields, and the pool of `benchmarks.damages`."""

    computing: Sequence[Row]
    others: Sequence[Row]
    biomedicine: Sequence[Row]
    pool: Pool

    @classmethod
    def load(cls) -> Rows:
        """Read a sample of the records that CITECHECK_SHARED names."""
        dice = Random(11)
        kept = [
            row
            for row in read_rows(RECORDS)
            if row.title and row.year and row.venue and row.authors
            if row.source.startswith("api-") or row.source.startswith(_OF_BIOMEDICINE) or dice.random() < _SHARE
        ]
        computing = [row for row in kept if row.source.startswith(_OF_COMPUTER_SCIENCE) and row.type == "inproceedings"]
        others = [row for row in kept if row.type == "article" and not row.source.startswith(_OF_COMPUTER_SCIENCE)]
        return cls(computing, others, [one for one in others if one.source.startswith(_OF_BIOMEDICINE)], Pool.of(kept))


Make = Callable[[Rows, Random], str]
"""Makes an entry with the key ``k``; empty if the chosen records do not allow it."""


def _of(rows: Sequence[Row], dice: Random, *, words_: range = range(3, 40), authors: int = 1) -> Row:
    return next(
        row
        for row in iter(lambda: dice.choice(rows), None)
        if len(words(row.title)) in words_ and len(row.authors) >= authors
    )


def _mixed(rows: Sequence[Row], dice: Random) -> str:
    """The first half of a title, continued by the second half of another one."""
    first, second = (_of(rows, dice, words_=range(5, 20)).title.split() for _ in range(2))
    return " ".join([*first[: (len(first) + 1) // 2], *second[len(second) // 2 :]])


def _namesake(length: range) -> Make:
    """The title of a work; people, venue and year of another."""

    def make(rows: Rows, dice: Random) -> str:
        work, other = _of(rows.computing, dice, words_=length), _of(rows.computing, dice)
        return plain_entry(replace(other, title=work.title, doi="", arxiv=""), "k")

    return make


def _others(rows: Rows, dice: Random) -> str:
    """A person of another work before "and others"."""
    work, other = _of(rows.computing, dice, authors=3), _of(rows.computing, dice)
    entry = plain_entry(replace(work, authors=(other.authors[0],)), "k")
    return re.sub(r"(author = \{.*)\},\n", r"\1 and others},\n", entry, count=1)


def _exchanged(rows: Rows, dice: Random) -> str:
    """The initial of the family name, then the given name, for all authors: "Y Haonan"."""
    work = _of(rows.computing, dice, authors=2)
    people = [name.rpartition(" ") for name in work.authors]
    if any(not given for given, _, _ in people):
        return ""
    exchanged = tuple(f"{family[0]} {given.split()[0]}" for given, _, family in people)
    return plain_entry(replace(work, authors=exchanged, doi=""), "k")


def _damage(name: str, field: str) -> Make:
    def make(rows: Rows, dice: Random) -> str:
        row = damaged(_of(getattr(rows, field), dice, authors=2), DAMAGES[name], rows.pool, dice)
        return plain_entry(row, "k") if row else ""

    return make


def _journal(rows: Rows, dice: Random) -> str:
    """Another journal, with the right DOI."""
    work, other = _of(rows.others, dice), _of(rows.others, dice)
    if not work.doi or compare_venues(work.venue, other.venue) == "same":
        return ""
    return plain_entry(replace(work, venue=other.venue), "k")


def _people(rows: Rows, dice: Random) -> str:
    """People of another work, with the right DOI."""
    work, other = _of(rows.biomedicine, dice, authors=2), _of(rows.biomedicine, dice, authors=2)
    return plain_entry(replace(work, authors=other.authors), "k") if work.doi else ""


def _year(step: int, field: str) -> Make:
    def make(rows: Rows, dice: Random) -> str:
        work = _of(getattr(rows, field), dice)
        return plain_entry(replace(work, year=(work.year or 0) + step), "k") if (work.year or 0) + step < 2026 else ""

    return make


def _doi(prefix: str) -> Make:
    """An invented DOI, of a prefix or of one that no registrant has."""

    def make(rows: Rows, dice: Random) -> str:
        work = _of(rows.computing, dice)
        return "" if work.doi else plain_entry(replace(work, doi=f"{prefix}/{dice.randrange(10**6, 10**7)}"), "k")

    return make


def _chimera(rows: Rows, dice: Random) -> str:
    """Halves of two titles, people of a third work, venue and year of a fourth."""
    people, place = _of(rows.computing, dice), _of(rows.computing, dice)
    return plain_entry(
        replace(place, title=_mixed(rows.computing, dice), authors=people.authors, doi="", arxiv=""), "k"
    )


def _invented(kind: str, **more: str) -> Make:
    """A work of a type that few catalogues hold."""

    def make(rows: Rows, dice: Random) -> str:
        work = _of(rows.others, dice)
        fields = {"title": _mixed(rows.others, dice), "author": " and ".join(work.authors), "year": str(work.year)}
        return bibtex_entry(
            kind, "k", fields | {name: value.format(dice.choice(_PUBLISHERS)) for name, value in more.items()}
        )

    return make


def _one_author(change: Callable[[str], str]) -> Make:
    def make(rows: Rows, dice: Random) -> str:
        work = _of(rows.computing, dice, authors=2)
        return plain_entry(replace(work, authors=(change(work.authors[0]), *work.authors[1:])), "k")

    return make


KINDS: Mapping[str, Make] = {
    "famous title of 3 words, all else of another work": _namesake(range(3, 4)),
    "famous title of 4 to 6 words, all else of another work": _namesake(range(4, 7)),
    "another first author, and others": _others,
    "given name with the same initial": _damage("given name, same initial", "computing"),
    "given and family name exchanged": _exchanged,
    "number of a database in a name": _one_author(lambda name: f"{name} 0001"),
    "placeholder in the names": _one_author(lambda _: "John Doe"),
    "another journal, right DOI, other fields": _journal,
    "other people, right DOI, biomedicine": _people,
    "year three later, biomedicine": _year(3, "biomedicine"),
    "year two earlier, computer science": _year(-2, "computing"),
    "invented DOI, unknown prefix": _doi("10.98765"),
    "invented DOI, known prefix": _doi("10.1109"),
    "chimera": _chimera,
    "invented book": _invented("book", publisher="{}"),
    "invented chapter": _invented("incollection", booktitle="Handbook of Applied Methods", publisher="{}"),
    "invented thesis": _invented("phdthesis", school="University of Edinburgh"),
    "invented report": _invented("techreport", institution="RAND Corporation", number="RR-{}"),
    "invented web page": _invented("misc", howpublished="Web page of {}"),
}
"""The kinds, by name."""


def _right(field: str) -> Make:
    return lambda rows, dice: plain_entry(_of(getattr(rows, field), dice), "k")


CONTROLS: Mapping[str, Make] = {name: _right(name) for name in ("computing", "others", "biomedicine")}
"""Right references, by field."""


def entries(make: Make, rows: Rows, count: int, seed: str) -> Iterator[str]:
    """As many entries of a kind, with keys k0, k1, …"""
    dice = Random(seed)
    made = filter(None, (make(rows, dice) for _ in range(20 * count)))
    return (entry.replace("{k,", f"{{k{number},", 1) for number, entry in zip(range(count), made, strict=False))


def outcome(evaluation: Evaluation) -> tuple[str, list[str]]:
    """The outcome of a reference, and the codes of its errors and warnings."""
    by_level: dict[str, list[str]] = defaultdict(list)
    for finding in evaluation.findings.values():
        for code in finding.codes:
            if finding.outcome != "passed":
                by_level[earned_severity(finding, code)].append(code)
    for level in ("error", "warning"):
        if by_level[level]:
            return level, by_level[level]
    return ("verified", []) if evaluation.verdict.name == "verified" else ("silent", [])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--index", type=Path, help="of all records; built first if missing")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--kind", default="", help="part of the name of a kind: only this one")
    parser.add_argument("--examples", type=int, default=0, help="silent and verified entries of each kind to print")
    given = parser.parse_args()
    rows = Rows.load()
    print(f"| kind | references | {' | '.join(_OUTCOMES)} | most frequent codes |\n|---|---|---|---|---|---|---|")
    with full_index(given.index) as index:
        for name, make in {**KINDS, **{f"right: {field}": make for field, make in CONTROLS.items()}}.items():
            if given.kind not in name:
                continue
            written = list(entries(make, rows, given.count, name))
            counts: Counter[str] = Counter()
            codes: Counter[str] = Counter()
            shown: list[str] = []
            for evaluation in judged(read(written).values(), index, prior=None):
                level, of_level = outcome(evaluation)
                counts[level] += 1
                codes.update(of_level)
                missed = level in ("error", "warning") if name.startswith("right") else level in ("silent", "verified")
                if missed and len(shown) < given.examples:
                    shown.append(f"  {level}: {evaluation.case.reference.raw}")
            told = ", ".join(f"{count} {code}" for code, count in codes.most_common(3))
            print(
                f"| {name} | {counts.total()} | {' | '.join(str(counts[one]) for one in _OUTCOMES)} | {told} |",
                flush=True,
            )
            print(*shown, sep="\n") if shown else None


if __name__ == "__main__":
    main()
