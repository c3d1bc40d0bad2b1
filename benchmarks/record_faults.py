"""Known faults of records (`evidence.record_faults`): how many records have each.

    CITECHECK_SHARED=FOLDER python -m benchmarks.record_faults

Over all records of the folder (3 minutes, 4 GB). Titles are compared by their letters. The column ``counted`` of the table in the
package repeats these numbers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from benchmarks.offline_verdicts import RECORDS
from pytest_citecheck.evidence import FAULTS, is_page
from pytest_citecheck.inputs import cited_metadata, read_bibtex
from pytest_citecheck.matching import (
    is_damaged,
    is_second_appearance,
    match_arxiv_id,
    match_doi,
    parse,
    title_key,
    words,
)
from pytest_citecheck.model import Person
from pytest_citecheck.thresholds import LATE_E_PRINT
from tests.conformance.rendering import Row, read_rows

_TELLING = 20
"""Letters of a title that hardly belongs to two works."""
_PAPERS = frozenset({"inproceedings", "article", "chapter"})
_NEAR = 3
"""Lists whose length differs at most by this from the length at which lists are cut."""


def _families(row: Row) -> frozenset[str]:
    return frozenset(parse(Person(literal=name)).family_key for name in row.authors)


def _versus(works: Mapping[str, Sequence[Row]], one: Iterable[str], other: Iterable[str]) -> str:
    """How many records of some types have the title of a record of other types, and how many of these nobody of its people."""
    ours, theirs = frozenset(one), frozenset(other)
    same = others = 0
    for rows in works.values():
        people = [_families(row) for row in rows if row.type in theirs and row.authors]
        for row in rows if people else ():
            if row.type in ours and row.authors:
                same += 1
                others += all(_families(row).isdisjoint(theirs_) for theirs_ in people)
    return f"{same} with the title of the other, {others} of them by other people"


def _cut(rows: Sequence[Row]) -> str:
    lengths = Counter(len(row.authors) for row in rows)
    found = []
    for length in (100, 500):
        beside = sum(lengths[length + step] for step in range(-_NEAR, _NEAR + 1) if step)
        found.append(f"{lengths[length]} stop at {length}, {beside} at the {2 * _NEAR} lengths beside it")
    return "; ".join(found)


def _late(rows: Iterable[Row]) -> str:
    ages: Counter[int] = Counter()
    for row in rows:
        issued = match_arxiv_id(row.arxiv) if row.arxiv and row.year else None
        if issued is not None and issued.year and row.year:
            ages[issued.year - row.year] += 1
    late = {age: count for age, count in ages.items() if age > LATE_E_PRINT}
    near = sum(count for age, count in ages.items() if 1 < age <= LATE_E_PRINT)
    return f"{sum(late.values())} of {ages.total():,}, {sorted(late)} years; {near} with 2 to {LATE_E_PRINT} years"


def _dois(rows: Iterable[Row]) -> str:
    stated = wrong = 0
    for row in rows:
        pattern = match_doi(row.doi) if row.doi and row.venue else None
        if pattern is not None:
            stated += 1
            wrong += pattern.place(row.venue) == "different"
    return f"{wrong} of {stated:,} with a telling form belong to another venue"


def _unknown_words(rows: Sequence[Row]) -> str:
    """Pairs of records with one DOI or e-print, whose titles differ in one word that occurs only once in all records."""
    known = Counter(word for row in rows for word in set(words(row.title)))
    named: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.doi or row.arxiv:
            named[row.doi or row.arxiv].append(row)
    pairs = 0
    for group in named.values():
        for one, other in combinations(group, 2):
            ours, theirs = Counter(words(one.title)), Counter(words(other.title))
            mine, yours = list((ours - theirs).elements()), list((theirs - ours).elements())
            if len(mine) == len(yours) == 1:
                pairs += sorted((known[mine[0]] > 1, known[yours[0]] > 1)) == [False, True]
    return f"{pairs} pairs of records with one identifier"


def _pages(works: Mapping[str, Sequence[Row]], folder: Path) -> str:
    """Cited web pages of real bibliographies with the title of a paper, and how many are by other people."""
    pages = same = others = 0
    for path in sorted(folder.glob("*.bib")):
        for reference in read_bibtex(path.name, path.read_bytes()).references:
            cited = cited_metadata(reference)
            pages += is_page(cited)
            papers = [row for row in works.get(title_key(cited.title), ()) if row.type in _PAPERS | {"preprint"}]
            if papers and cited.people.names and is_page(cited):
                mine = {parse(person).family_key for person in cited.people.names}
                same += 1
                others += all(mine != _families(row) for row in papers)
    return f"{pages} cited pages, {same} with the title of a paper, {others} of them by other people"


def _titles(rows: Iterable[Row], has: Callable[[str], bool]) -> str:
    return f"{sum(has(row.title) for row in rows):,} records"


def main(shared: Path) -> None:
    rows = list(read_rows(RECORDS))
    works: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        key = title_key(row.title)
        if len(key) >= _TELLING:
            works[key].append(row)
    counted: Mapping[str, Callable[[], str]] = {
        "paper of a report": lambda: _versus(works, _PAPERS, {"report"}),
        "report of a paper": lambda: _versus(works, {"report", "thesis"}, _PAPERS),
        "no thesis": lambda: _versus(works, _PAPERS, {"thesis"}),
        "abstract": lambda: _titles(rows, is_second_appearance),
        "review of a book": lambda: _versus(works, _PAPERS, {"book"}),
        "page of a paper": lambda: _pages(works, shared / "real_bibs"),
        "list that was cut": lambda: _cut(rows),
        "late e-print": lambda: _late(rows),
        "DOI of another": lambda: _dois(rows),
        "damaged title": lambda: _titles(rows, is_damaged),
        "unknown word": lambda: _unknown_words(rows),
    }
    print(f"{len(rows):,} records")
    for fault in FAULTS:
        print(f"{fault.name}: {counted[fault.name]()}", flush=True)


if __name__ == "__main__":
    import os

    main(Path(os.environ["CITECHECK_SHARED"]))
