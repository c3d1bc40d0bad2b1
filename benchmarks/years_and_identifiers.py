"""Measure detection of years that are off by one and of invented identifiers, over real records.

    CITECHECK_SHARED=FOLDER python -m benchmarks.years_and_identifiers [COUNT] [--index works.index] [--examples N]

Takes records of the folder, writes each as an exact BibTeX entry, makes its year or its identifier wrong, and verifies it
offline against an index of all records of the folder.

- *Years*: COUNT (default 2,000) papers that two collections list at one conference in one year, cited for the next and the
  previous year. A year is excluded from the denominator of the last columns if a record of the work has it, an e-print has
  that year, or the volume may have it (Springer's autumn volumes, CoRL, ACML, NeurIPS before 2009, IJCAI 2020). Ten times as
  many papers are cited with their own year, to count false positives.
- *Identifiers*: COUNT of each kind: another number of the same form in the DOI; a number beyond those of the volume; an
  invented arXiv id of a plausible month; one digit of the DOI or arXiv id changed. The last columns are for works whose
  correct identifier is in two collections or in arXiv itself.
"""

from __future__ import annotations

import argparse
import re
import string
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from benchmarks.offline_verdicts import accusations, full_index, judged, read
from benchmarks.styles import plain_entry
from pytest_citecheck.checks import Evaluation
from pytest_citecheck.evidence import is_compiler, upstream
from pytest_citecheck.lookup import IndexSource
from pytest_citecheck.matching import normalise_doi, numbered, parse_venue, safe_line, title_key, venue_kind
from tests.conformance.rendering import Row, read_rows

_SEED = 1
_SEVERAL = 2
_RIGHT = 10
_DISTINCTIVE = 20
_VOLUME = 20
_MONTHS = 12
_ARXIV = "10.48550/"
_NUMBERED_AS_NOW = 2008
_OF_FIVE_DIGITS = 2015
_LATEST = 2025
_PRINTED_IN_TIME = 1995
_PRINTED_AT_NEURIPS = 2009
_DIGIT = re.compile(r"\d")


@dataclass(slots=True)
class Tally:
    """Results for the entries of one kind. decidable: those that the records can decide."""

    entries: int = 0
    caught: int = 0
    verified: int = 0
    decidable: int = 0
    decidable_caught: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)

    def add(self, evaluation: Evaluation, *, decidable: bool, codes: str = "") -> None:
        """Count an entry. codes: prefix of the codes that count as a detection."""
        failed = [finding for finding in accusations(evaluation) if finding.code.startswith(codes)]
        self.entries += 1
        self.caught += bool(failed)
        self.verified += evaluation.verdict.name == "verified"
        self.decidable += decidable
        self.decidable_caught += decidable and bool(failed)
        self.codes.update(finding.code for finding in failed)
        if (decidable and not failed) or (evaluation.verdict.name == "verified" and not codes):
            self.missed.append(_shown(evaluation))


@dataclass(frozen=True, slots=True)
class Works:
    """Records by title, records of conference papers, and the numbers in each volume."""

    by_title: Mapping[str, Sequence[Row]]
    at_conferences: Sequence[Row]
    volumes: Mapping[str, Sequence[int]]

    def stating(self, row: Row, kind: str) -> bool:
        """Return True if two collections, or arXiv for its own ids, have the identifier of the work."""
        value = getattr(row, kind)
        if not value:
            return False
        origins = {
            upstream(other.source) for other in self.by_title[title_key(row.title)] if getattr(other, kind) == value
        }
        return "arxiv" in origins or len(origins) >= _SEVERAL


def collected(rows: Iterable[Row]) -> Works:
    """Collect the records with people, a venue and a year, without machine-made collections."""
    by_title: dict[str, list[Row]] = defaultdict(list)
    volumes: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        if is_compiler(row.source) or not (row.authors and row.year and row.venue) or row.type == "submission":
            continue
        if len(key := title_key(row.title)) >= _DISTINCTIVE:
            by_title[key].append(row)
        volume, number = numbered(normalise_doi(row.doi)) if row.doi else ("", 0)
        if volume:
            volumes[volume].add(number)
    conference = [row for held in by_title.values() for row in held if _conference(row)]
    return Works(by_title, conference, {name: sorted(found) for name, found in volumes.items()})


def _conference(row: Row) -> str:
    """Return the id of the conference whose main proceedings contain the record, or `""`."""
    if row.type != "inproceedings" or venue_kind(row.venue, "booktitle") != "conference":
        return ""
    ids = [venue.id for venue in parse_venue(row.venue).venues]
    return ids[0] if len(ids) == 1 else ""


def wrong_years(works: Works, count: int, index: IndexSource) -> dict[str, Tally]:
    """Return the results for ``count`` conference papers with a neighbouring year, and ten times as many with their own."""
    origins: dict[tuple[str, str, int | None], dict[str, Row]] = defaultdict(dict)
    for row in works.at_conferences:
        origins[title_key(row.title), _conference(row), row.year][upstream(row.source)] = row
    agreed = [tuple(held.values()) for held in origins.values() if len(held) >= _SEVERAL]
    dice = Random(_SEED)
    chosen = [dice.choice(held) for held in dice.sample(agreed, min(count, len(agreed)))]
    print(f"{len(works.at_conferences):,} records of conference papers; {len(agreed):,} papers in two collections\n")
    tallies = {}
    for kind, gap in (("the year after", 1), ("the year before", -1)):
        tallies[kind] = Tally()
        wrong = [replace(row, year=(row.year or 0) + gap) for row in chosen]
        for row, cited, evaluation in zip(chosen, wrong, _judged(wrong, index), strict=True):
            tallies[kind].add(evaluation, decidable=_decidable(row, cited.year or 0, works), codes="year-")
    right = dice.sample(works.at_conferences, min(_RIGHT * count, len(works.at_conferences)))
    tallies["its own year"] = Tally()
    for evaluation in _judged(right, index):
        tallies["its own year"].add(evaluation, decidable=False, codes="year-")
    return tallies


def _decidable(row: Row, cited: int, works: Works) -> bool:
    """Return True if no legitimate reason explains the cited year; see the module docstring."""
    others = [other for other in works.by_title[title_key(row.title)] if other.year]
    if any(other.year == cited for other in others):
        return False
    held = row.year or 0
    if cited < held:
        posted = (2000 + int(other.arxiv[:2]) for other in others if other.arxiv[:2].isdigit())
        return not any(
            year < held for year in (*posted, *(other.year or 0 for other in others if other.type == "preprint"))
        )
    conference = _conference(row)
    late = (
        conference in ("corl", "acml")
        or (conference, held) == ("ijcai", 2020)
        or (conference == "neurips" and held < _PRINTED_AT_NEURIPS)
    )
    springer = any(other.doi.startswith("10.1007/") and other.year == held for other in others)
    return not (late or springer or held < _PRINTED_IN_TIME)


def wrong_identifiers(works: Works, count: int, index: IndexSource) -> dict[str, Tally]:
    """Return the results for ``count`` entries with each kind of wrong identifier."""
    rows = [row for held in works.by_title.values() for row in held]
    tallies = {}
    for kind, mutate in _KINDS.items():
        dice = Random(f"{_SEED} {kind}")
        made: list[tuple[Row, Row]] = []
        for row in dice.sample(rows, len(rows)):
            wrong = mutate(row, works, dice) if len(made) < count else None
            if wrong is not None:
                made.append((row, wrong))
        tallies[kind] = Tally()
        for (row, wrong), evaluation in zip(made, _judged([wrong for _, wrong in made], index), strict=True):
            changed = "doi" if wrong.doi != row.doi else "arxiv"
            tallies[kind].add(evaluation, decidable=works.stating(row, changed))
    return tallies


def _another_number(row: Row, _: Works, dice: Random) -> Row | None:
    volume, number = numbered(row.doi)
    if not volume or row.doi.startswith(_ARXIV):
        return None
    digits = row.doi.removeprefix(volume)
    other = "".join(dice.choice(string.digits) for _ in digits)
    return replace(row, doi=volume + other) if int(other) != number else None


def _beyond(row: Row, works: Works, dice: Random) -> Row | None:
    volume, _ = numbered(row.doi)
    numbers = works.volumes.get(volume, ())
    if len(numbers) < _VOLUME or row.doi.startswith(_ARXIV):
        return None
    span = numbers[-1] - numbers[0] + 1
    number = numbers[-1] + dice.randrange(span // 2, 3 * span)
    return replace(row, doi=volume + str(number).zfill(len(row.doi.removeprefix(volume))))


def _invented_id(row: Row, _: Works, dice: Random) -> Row | None:
    """An arXiv id of the year of the work, or of the year before a publication."""
    year = (row.year or 0) - (row.type != "preprint" and dice.random() < 1 / 2)
    if not _NUMBERED_AS_NOW <= year <= _LATEST:
        return None
    number = dice.randrange(1, 15_000 if year >= _OF_FIVE_DIGITS else 9_000)
    digits = f"{number:05}" if year >= _OF_FIVE_DIGITS else f"{number:04}"
    return replace(row, arxiv=f"{year % 100:02}{dice.randint(1, _MONTHS):02}.{digits}")


def _one_digit(row: Row, _: Works, dice: Random) -> Row | None:
    name = "arxiv" if row.arxiv else "doi"
    value = getattr(row, name)
    places = [match.start() for match in _DIGIT.finditer(value, value.find("/") + 1 if name == "doi" else 5)]
    if not places or row.doi.startswith(_ARXIV):
        return None
    at = dice.choice(places)
    other = dice.choice([digit for digit in string.digits if digit != value[at]])
    return replace(row, **{name: value[:at] + other + value[at + 1 :]})


_KINDS: Mapping[str, Callable[[Row, Works, Random], Row | None]] = {
    "another number of the same shape": _another_number,
    "a number beyond the volume": _beyond,
    "an invented arXiv id": _invented_id,
    "one digit changed": _one_digit,
}


def _judged(rows: Sequence[Row], index: IndexSource) -> list[Evaluation]:
    references = read(plain_entry(row, f"r{number}") for number, row in enumerate(rows))
    return list(judged((references[f"r{number}"] for number in range(len(rows))), index))


def _shown(evaluation: Evaluation) -> str:
    fields = evaluation.case.reference.fields
    shown = safe_line("; ".join(f"{name}: {value}" for name, value in fields.items()))
    return f"{evaluation.verdict.name}: {evaluation.verdict.reason} | {shown}"


def _tell(heading: str, decidable: str, tallies: Mapping[str, Tally], examples: int) -> None:
    print(
        f"| {heading} | entries | caught | verified | {decidable} | caught of these | as |\n|---|---|---|---|---|---|---|"
    )
    for kind, tally in tallies.items():
        total = tally.entries or 1
        mostly = ", ".join(f"{code} {found:,}" for code, found in tally.codes.most_common(3))
        share = f"{tally.decidable_caught / tally.decidable:.3f}" if tally.decidable else "-"
        print(
            f"| {kind} | {tally.entries:,} | {tally.caught:,} ({tally.caught / total:.3f}) | {tally.verified:,} | "
            f"{tally.decidable:,} | {share} | {mostly} |"
        )
    print()
    for kind, tally in tallies.items():
        for line in tally.missed[:examples]:
            print(f"{kind}: {line}")


def main() -> None:
    """Print the two tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("count", nargs="?", type=int, default=2_000)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--examples", type=int, default=0, help="entries shown of each kind that were not caught")
    chosen = parser.parse_args()
    works = collected(read_rows("records.jsonl.zst"))
    with full_index(chosen.index) as index:
        _tell("year", "decidable", wrong_years(works, chosen.count, index), chosen.examples)
        _tell("identifier", "stated twice", wrong_identifiers(works, chosen.count, index), chosen.examples)


if __name__ == "__main__":
    main()
