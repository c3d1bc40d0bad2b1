"""Reliability of a single record: counts behind the rules for failing a check on one record.

    CITECHECK_SHARED=FOLDER python -m benchmarks.one_record

Over all records of the folder (4 minutes), five tables:

- *Disagreement between collections*: if two collections have one publication (title, year), how often the record of one
  contradicts a citation that repeats the other. Frequent kinds need a second collection.
- *Years of articles*: difference between the years of a journal article in a collection and in one that lists volumes.
- *Siblings*: publications with another one by exactly the same people in their venue and year under a similar title
  (`matching.titles`). If there are almost none, a similar title is the same work.
- *Printed twice*: titles in two journals, or at two conferences, by the same people or also by others.
- *Namesakes*: titles, by number of words, that also belong to works by completely different people.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, permutations

from pytest_citecheck.checks import one_word_replaced
from pytest_citecheck.evidence import independent_compilers, is_distinctive, upstream
from pytest_citecheck.matching import (
    compare_authors,
    compare_titles,
    compare_venues,
    is_anonymous,
    is_preprint_venue,
    title_key,
    venue_kind,
    words,
)
from pytest_citecheck.model import NameList, Person
from pytest_citecheck.thresholds import AGREEING
from tests.conformance.rendering import Row, read_rows

_DISTINCTIVE = 25
"""Minimum letters of a title that identifies one publication."""
_BY_VOLUME = ("dblp", "mlanthology")
_MOST_IN_A_GROUP = 60
_FEWEST_PAIRS = 1000
_INITIALS = 2
_TELLING = 7
_CODES = (
    "authors-reordered", "authors-misspelled", "authors-given-name", "authors-truncated", "authors-added",
    "authors-partly-other", "authors-other",
)  # fmt: skip

Pair = tuple[str, str]
"""Accusing collection, accused collection."""
Sibling = tuple[str, str]
"""Authorship ("one author", "several") and the difference between the titles."""
Twice = tuple[str, str, int]
"""The kind of the two venues, whether just the same people wrote both, and the years between them."""


def _published(rows: Iterable[Row]) -> Iterable[Row]:
    return (row for row in rows if row.authors and row.year and row.venue and row.type in ("inproceedings", "article"))


def another_word(rows: Iterable[Row]) -> dict[Pair, Counter[str]]:
    """Count how often the authors in one collection's record contradict those in another's, by code; "" for no difference."""
    works: dict[tuple[str, int | None, str], dict[str, Row]] = defaultdict(dict)
    for row in _published(rows):
        key = title_key(row.title)
        if len(key) >= _DISTINCTIVE:
            works[key, row.year, row.type].setdefault(upstream(row.source), row)
    said: dict[Pair, Counter[str]] = defaultdict(Counter)
    for by_origin in works.values():
        for (one, accused), (other, accuser) in permutations(by_origin.items(), 2):
            comparison = compare_authors(NameList(_people(accused)), _people(accuser))
            if not comparison.abstain:
                said[other, one][comparison.code] += 1
    return said


def _people(row: Row) -> tuple[Person, ...]:
    return tuple(Person(literal=name) for name in row.authors)


def years_of_articles(rows: Iterable[Row]) -> dict[str, Counter[int]]:
    """By how many years other collections date the journal articles later (less than 0: earlier) than a list of volumes."""
    listed: dict[str, set[int]] = defaultdict(set)
    others: list[tuple[str, str, int]] = []
    for row in _published(rows):
        key, origin = title_key(row.title), upstream(row.source)
        if row.type != "article" or len(key) < _DISTINCTIVE or row.year is None:
            continue
        if origin in _BY_VOLUME:
            listed[key].add(row.year)
        else:
            others.append((key, row.source, row.year))
    gaps: dict[str, Counter[int]] = defaultdict(Counter)
    for key, source, year in others:
        if key in listed:
            gaps[source][min((year - known for known in listed[key]), key=abs)] += 1
    return gaps


def siblings(rows: Iterable[Row]) -> tuple[Counter[str], Counter[Sibling]]:
    """Count publications by one and by several authors, and pairs of siblings of each kind."""
    written: Counter[str] = Counter()
    groups: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for row in _published(rows):
        written[_by(row.authors)] += 1
        groups[upstream(row.source), row.venue, row.year, row.authors].add(row.title)
    pairs: Counter[Sibling] = Counter()
    for (*_, authors), titles in groups.items():
        for one, other in combinations(sorted(titles) if 1 < len(titles) <= _MOST_IN_A_GROUP else (), 2):
            comparison = compare_titles(one, other)
            if comparison.relation == "near":
                kind = "one word replaced" if one_word_replaced(comparison) else "more, or the number of a part"
                pairs[_by(authors), kind] += 1  # type: ignore[arg-type]
    return written, pairs


def printed_twice(rows: Iterable[Row]) -> tuple[Counter[str], Counter[Twice], Counter[tuple[str, str]]]:
    """Count titles by kind of venue, titles with a second venue of the kind, and those with both venues in two collections.

    The second count is by people and by the years between the venues.
    """
    works: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in _published(rows):
        key, kind = title_key(row.title), _kind_of(row.venue, row.type)
        if len(key) >= _DISTINCTIVE and kind in ("journal", "conference"):
            works[kind, key].append(row)
    twice: Counter[Twice] = Counter()
    confirmed: Counter[tuple[str, str]] = Counter()
    for (kind, _), printed in works.items():
        for one, other in combinations(printed, 2):
            if _places_differ(one.venue, other.venue) and _share_people(one, other):
                people = "the same people" if _same_people(one, other) else "others too"
                twice[kind, people, abs((one.year or 0) - (other.year or 0))] += 1
                confirmed[kind, people] += all(_collections(printed, row) > 1 for row in (one, other))
                break
    return Counter(kind for kind, _ in works), twice, confirmed


def _same_people(one: Row, other: Row) -> bool:
    comparison = compare_authors(NameList(_people(one)), _people(other))
    return not comparison.missing and not comparison.added


def _collections(printed: Iterable[Row], there: Row) -> int:
    return independent_compilers(
        {upstream(row.source) for row in printed if not _places_differ(row.venue, there.venue)}
    )


def namesakes(rows: Iterable[Row]) -> dict[str, tuple[int, int]]:
    """Count, by number of words, the titles and those shared by two works without a common author."""
    works: dict[str, list[frozenset[str]]] = defaultdict(list)
    shown: dict[str, str] = {}
    for row in rows:
        if row.authors and not is_anonymous(_people(row)):
            key = title_key(row.title)
            works[key].append(frozenset(word for name in row.authors for word in words(name) if len(word) > _INITIALS))
            shown.setdefault(key, row.title)
    counted: dict[str, tuple[int, int]] = {}
    for key, lists in works.items():
        length = len(words(shown[key]))
        group = (
            f"{length}"
            if length < _TELLING
            else f"{_TELLING} or more" + ("" if is_distinctive(shown[key]) else ", of a rubric")
        )
        titles, twice = counted.get(group, (0, 0))
        counted[group] = (titles + 1, twice + any(one.isdisjoint(other) for one, other in combinations(lists, 2)))
    return counted


@lru_cache(maxsize=1 << 16)
def _kind_of(venue: str, told_by: str) -> str:
    return "" if is_preprint_venue(venue) else venue_kind(venue, told_by)


@lru_cache(maxsize=1 << 16)
def _places_differ(one: str, other: str) -> bool:
    return compare_venues(one, other) == "different"


def _share_people(one: Row, other: Row) -> bool:
    comparison = compare_authors(NameList(_people(one)), _people(other))
    return not comparison.abstain and comparison.overlap >= AGREEING


def _by(authors: Sequence[str]) -> str:
    return "several authors" if len(authors) > 1 else "one author"


def _tell(heading: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    print(f"{heading}:\n\n| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |")
    print()


def _tell_words(said: Mapping[Pair, Counter[str]]) -> None:
    shares = (
        (*pair, f"{codes.total():,}", *(f"{codes[code] / codes.total() * 10_000:.1f}" for code in _CODES))
        for pair, codes in sorted(said.items())
        if codes.total() >= _FEWEST_PAIRS
    )
    heading = (
        "Disagreement between collections, per 10,000 publications that both have: findings from the record of the first "
        "collection if the publication is cited as in the second"
    )
    _tell(heading, ("record from", "cited as in", "publications", *_CODES), shares)


def _tell_years(gaps: Mapping[str, Counter[int]]) -> None:
    rows = (
        (source, ", ".join(f"{gap:+}: {count}" for gap, count in sorted(counted.items())))
        for source, counted in sorted(gaps.items())
    )
    _tell("Years of articles, compared with a list of volumes", ("collection", "years later: articles"), rows)


def _tell_siblings(written: Mapping[str, int], pairs: Mapping[Sibling, int]) -> None:
    rows = ((by, f"{written[by]:,}", kind, count) for (by, kind), count in sorted(pairs.items()))
    columns = ("by", "publications", "titles differ in", "pairs")
    _tell("Siblings, by the same people in the same venue and year under a near title", columns, rows)


def _tell_twice(
    titles: Mapping[str, int], twice: Mapping[Twice, int], confirmed: Mapping[tuple[str, str], int]
) -> None:
    rows = []
    for kind, people in sorted({(kind, people) for kind, people, _ in twice}):
        counted = {gap: count for (where, by, gap), count in sorted(twice.items()) if (where, by) == (kind, people)}
        by_gap = ", ".join(f"{gap}: {count}" for gap, count in counted.items())
        total = sum(counted.values())
        rows.append((f"{kind}s", f"{titles[kind]:,}", people, total, by_gap, confirmed.get((kind, people), 0)))
    columns = ("in two", "titles", "by", "printed twice", "by years between: titles", "both places in two collections")
    _tell("Printed twice, under one title", columns, rows)


def _tell_namesakes(counted: Mapping[str, tuple[int, int]]) -> None:
    rows = (
        (length, f"{titles:,}", twice, f"{twice / titles * 10_000:.1f}")
        for length, (titles, twice) in sorted(counted.items())
    )
    columns = ("words of the title", "titles", "with a namesake", "in 10,000")
    _tell("Namesakes, works under one title whose people share no name", columns, rows)


def main() -> None:
    """Print the tables."""
    rows = list(read_rows("records.jsonl.zst"))
    _tell_words(another_word(rows))
    _tell_years(years_of_articles(rows))
    _tell_siblings(*siblings(rows))
    _tell_twice(*printed_twice(rows))
    _tell_namesakes(namesakes(rows))


if __name__ == "__main__":
    main()
