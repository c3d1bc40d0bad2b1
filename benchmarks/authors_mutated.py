"""Measure false positives and detection for author lists: `python -m benchmarks.authors_mutated [COUNT]`.

Takes COUNT records with four to twelve authors (default 5,000) from the folder in CITECHECK_SHARED. Writes each list in a
legitimate form (initials, family name first, LaTeX or no accents, `and others`, capitalised particles, a name without blanks),
which must not be flagged. Then adds one error. The columns show how many lists the comparison flags, and how many the check of
authors fails if one or two sources have the correct record.
"""

from __future__ import annotations

import datetime
import random
import re
import string
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from pytest_citecheck.checks import ReferenceCase, check_authors
from pytest_citecheck.inputs import name_list, read_bibtex, readable_value
from pytest_citecheck.matching import compare_authors, is_suffix
from pytest_citecheck.model import Evidence, Finding, Found, Location, Query, QueryResult, Reference
from tests.conformance.rendering import Row, as_record, bibtex, read_rows

_TODAY = datetime.date(2026, 11, 20)
_EVERY = 40
_FEWEST, _MOST = 4, 12
_FULL_NAME = re.compile(r"[^\W\d_]{3,}")
_LONG_NAME = re.compile(r"[^\W\d_]{5,}")
_SHOWN = 6
_SHORT = 4  # letters; another letter makes another family name

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stock:
    """People of all records: full names, and given names by their initial."""

    names: Sequence[str]
    given: dict[str, Sequence[str]]


def _dropped(names: Names, _: Stock, dice: random.Random) -> Names:
    place = dice.randrange(1, len(names) - 1)
    return names[:place] + names[place + 1 :]


def _added(names: Names, stock: Stock, dice: random.Random) -> Names:
    place = dice.randrange(len(names) + 1)
    return (*names[:place], dice.choice(stock.names), *names[place:])


def _replaced(names: Names, stock: Stock, dice: random.Random) -> Names:
    place = dice.randrange(len(names))
    return (*names[:place], dice.choice(stock.names), *names[place + 1 :])


def _swapped(names: Names, _: Stock, dice: random.Random) -> Names:
    one, other = sorted(dice.sample(range(len(names)), 2))
    changed = list(names)
    changed[one], changed[other] = changed[other], changed[one]
    return tuple(changed)


def _respelt(names: Names, _: Stock, dice: random.Random) -> Names:
    """Double a letter of a family name, or write a doubled letter once."""
    places = [place for place, name in enumerate(names) if len(name.split()[-1]) > _SHORT and name.isascii()]
    if not places:
        return names
    place = dice.choice(places)
    given, _blank, family = names[place].rpartition(" ")
    at = next((i for i in range(1, len(family)) if family[i] == family[i - 1]), 0)
    middle = len(family) // 2
    changed = family[:at] + family[at + 1 :] if at else family[:middle] + family[middle - 1] + family[middle:]
    return (*names[:place], f"{given} {changed}".strip(), *names[place + 1 :])


def _same_initial(names: Names, stock: Stock, dice: random.Random) -> Names:
    return _given_name(names, dice, lambda given: [name for name in stock.given[given[0]] if name != given])


def _other_initial(names: Names, stock: Stock, dice: random.Random) -> Names:
    def others(given: str) -> Sequence[str]:
        letters = [letter for letter in stock.given if letter != given[0]]
        return stock.given[dice.choices(letters, [len(stock.given[letter]) for letter in letters])[0]]

    return _given_name(names, dice, others)


def _given_name(names: Names, dice: random.Random, others: Callable[[str], Sequence[str]]) -> Names:
    places = [i for i, name in enumerate(names) if len(name.split()) == 2 and _FULL_NAME.fullmatch(name.split()[0])]
    if not places:
        return names
    place = dice.choice(places)
    given, family = names[place].split()
    known = others(given)
    return (*names[:place], f"{dice.choice(known)} {family}", *names[place + 1 :]) if known else names


def _one_letter(names: Names, _: Stock, dice: random.Random) -> Names:
    places = [i for i, name in enumerate(names) if " " in name and _LONG_NAME.fullmatch(name.split()[-1])]
    if not places:
        return names
    place = dice.choice(places)
    given, family = names[place].rsplit(maxsplit=1)
    at = dice.randrange(1, len(family))
    letter = dice.choice([letter for letter in string.ascii_lowercase if letter != family[at].lower()])
    return (*names[:place], f"{given} {family[:at]}{letter}{family[at + 1 :]}", *names[place + 1 :])


MUTATIONS: dict[str, Callable[[Names, Stock, random.Random], Names]] = {
    "one dropped from the middle": _dropped,
    "one added": _added,
    "one replaced": _replaced,
    "two swapped": _swapped,
    "family name respelt": _respelt,
    "given name, same initial": _same_initial,
    "given name, another initial": _other_initial,
    "one letter of a family name": _one_letter,
}


def _as_written(row: Row, number: int, dice: random.Random) -> str:
    """The author field of the row in one of many styles."""
    names = list(row.authors)
    habit = dice.randrange(4)
    if habit == 0:
        names = [
            "".join(c for c in unicodedata.normalize("NFD", name) if not unicodedata.combining(c)) for name in names
        ]
    elif habit == 1:
        place = dice.randrange(len(names))
        if all(_FULL_NAME.fullmatch(word) and not is_suffix(word) for word in names[place].split()):
            names[place] = names[place].replace(" ", "")
    elif habit == 2:
        names = [" ".join(word.capitalize() if word.islower() else word for word in name.split()) for name in names]
    text = bibtex(replace(row, authors=tuple(names)), number)
    return read_bibtex("refs.bib", text.encode()).references[0].raw["author"]


def authors_finding(row: Row, author: str, sources: Sequence[str]) -> Finding:
    """Return the finding of the check of authors for this field if these sources have the record."""
    fields = {"author": author, "title": row.title, "booktitle": row.venue, "year": str(row.year)}
    read = {**fields, "author": readable_value("author", author)}
    reference = Reference("key", "inproceedings", read, Location("refs.bib", 1, 1), fields)
    query = Query("title", row.title)
    asked = tuple(QueryResult(name, query, Found((replace(as_record(row), source=name),))) for name in sources)
    return check_authors(ReferenceCase(reference, Evidence(asked), _TODAY))


@dataclass(slots=True)
class Tally:
    """Results for the lists of one kind."""

    said: Counter[str]
    examples: list[str]

    def add(self, row: Row, author: str) -> None:
        """Compares this author field with the authors of the row, and checks it with one source and with two."""
        self.said["lists"] += 1
        comparison = compare_authors(name_list(author), as_record(row).authors)
        self.said["compared"] += bool(comparison.code)
        self.said["one"] += authors_finding(row, author, ("dblp",)).outcome == "failed"
        self.said["two"] += authors_finding(row, author, ("dblp", "crossref")).outcome == "failed"
        if comparison.code:
            self.examples.append(f"{comparison.code}: {author} | {', '.join(row.authors)}")


def rows_of(count: int, *, fewest: int = _FEWEST, most: int = _MOST) -> Iterator[Row]:
    """Yield ``count`` conference papers whose number of authors is in this range."""
    usable = (
        row
        for row in read_rows("records.jsonl.zst", every=_EVERY)
        if fewest <= len(row.authors) <= most and row.venue and row.year and row.type == "inproceedings"
    )
    yield from (row for row, _ in zip(usable, range(count), strict=False))


def stock(rows: Sequence[Row]) -> Stock:
    """The people of these records."""
    names = sorted({name for row in rows for name in row.authors if len(name.split()) == 2})
    given: dict[str, set[str]] = defaultdict(set)
    for name in names:
        first = name.split()[0]
        if _FULL_NAME.fullmatch(first):
            given[first[0]].add(first)
    return Stock(names, {letter: sorted(known) for letter, known in sorted(given.items())})


def main() -> None:
    rows = list(rows_of(int(sys.argv[1]) if len(sys.argv) > 1 else 5000))
    known = stock(rows)
    tallies = {name: Tally(Counter(), []) for name in ("as people write it", *MUTATIONS)}
    dice = random.Random(1)
    for number, row in enumerate(rows):
        tallies["as people write it"].add(row, _as_written(row, number, dice))
        for name, mutate in MUTATIONS.items():
            wrong = mutate(row.authors, known, dice)
            if wrong != row.authors:
                tallies[name].add(row, " and ".join(wrong))
    print(f"{'list':<30}{'lists':>8}{'compared':>10}{'one source':>12}{'two sources':>13}")
    for name, tally in tallies.items():
        total = tally.said["lists"]
        shares = [tally.said[column] / total for column in ("compared", "one", "two")]
        print(f"{name:<30}{total:>8}{shares[0]:>10.2%}{shares[1]:>12.2%}{shares[2]:>13.2%}")
    print("said against right lists, for example:", *tallies["as people write it"].examples[:_SHOWN], sep="\n  ")


if __name__ == "__main__":
    main()
