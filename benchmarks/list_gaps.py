"""Papers and inventions of some venues and years, checked against an index that has nearly all papers of these.

    CITECHECK_SHARED=FOLDER python -m benchmarks.list_gaps [iclr:2024 ...] [--index works.index] [--count 300] [--prior 0.3]

Takes COUNT papers of each venue and year. Cites each as its record states it, while the index lacks the paper's records of one
source at a time; and cites as many inventions: the halves of two titles, with people of others. Prints what the index holds, and
how many are errors and warnings at the prior of papers and at the given one.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from benchmarks.offline_verdicts import TODAY, full_index, read
from benchmarks.styles import plain_entry
from pytest_citecheck.evidence import AbsenceContext, upstream
from pytest_citecheck.index import Coverage, LocalIndex, venue_ids
from pytest_citecheck.lookup import IndexSource, LookupState, look_up
from pytest_citecheck.matching import title_key
from pytest_citecheck.model import Found, Query, QueryResult, Record
from pytest_citecheck.thresholds import PRIOR_OF_PAPERS
from tests.conformance.rendering import Row

_CODES = ("title-not-in-venue", "title-not-listed")
_PLACES = ["iclr:2024", "icml:2025", "neurips:2024"]


class _Without(IndexSource):
    """An index that lacks the works with some titles in one source."""

    source = ""
    missing: frozenset[str] = frozenset()

    def ask(self, queries: Iterable[Query]) -> dict[Query, QueryResult]:
        return {query: self._without(asked) for query, asked in super().ask(queries).items()}

    def _without(self, asked: QueryResult) -> QueryResult:
        if not isinstance(asked.answer, Found):
            return asked
        left = tuple(
            one
            for one in asked.answer.records
            if upstream(one.source) != self.source or title_key(one.title) not in self.missing
        )
        return replace(asked, answer=replace(asked.answer, records=left))


def _row(record: Record) -> Row:
    return Row(
        source=record.source, id=record.id, url="", title=record.title, authors=tuple(map(str, record.authors)), year=record.year,
        venue=record.venue, type="inproceedings", doi="", arxiv="",
    )  # fmt: skip


def _invented(papers: list[Record], dice: Random) -> Row:
    first, second = (dice.choice(papers).title.split() for _ in range(2))
    title = " ".join([*first[: len(first) // 2 + 1], *second[len(second) // 2 :]])
    people = tuple(str(dice.choice(dice.choice(papers).authors)) for _ in range(3))
    return replace(_row(papers[0]), title=title, authors=people)


def _judged(index: _Without, rows: list[Row], prior: float) -> Counter[str]:
    references = read(plain_entry(row, f"k{number}") for number, row in enumerate(rows)).values()
    states = [LookupState.of(one, TODAY) for one in references]
    look_up(index, states)
    counted: Counter[str] = Counter()
    for state in states:
        found = state.evaluate_finally(AbsenceContext(prior=prior)).findings["title"]
        if found.code in _CODES:
            counted["error" if found.outcome == "failed" else "warning"] += 1
    return counted


def _groups(index: _Without, papers: list[Record], count: int) -> Iterator[tuple[str, Callable[[float], Counter[str]]]]:
    dice = Random(5)
    chosen = dice.sample(papers, min(count, len(papers)))
    rows = list(map(_row, chosen))
    titles = frozenset(title_key(one.title) for one in chosen)
    made = [_invented(papers, dice) for _ in range(count)]
    for source in ("", *sorted({upstream(one.source) for one in papers})):

        def run(prior: float, source: str = source) -> Counter[str]:
            index.source, index.missing = source, titles
            return _judged(index, rows, prior)

        yield f"real, without {source}" if source else "real", run

    def run_made(prior: float) -> Counter[str]:
        index.missing = frozenset()
        return _judged(index, made, prior)

    yield "invented", run_made


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("places", nargs="*", default=_PLACES, help="venue:year, as `citecheck index info` names them")
    parser.add_argument("--index", type=Path, help="of all records; built first if missing")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--prior", type=float, default=0.3)
    given = parser.parse_args()
    places = [(venue, int(year)) for venue, _, year in (place.partition(":") for place in given.places)]
    with full_index(given.index, _Without) as index, LocalIndex(index.path) as opened:
        assert isinstance(index, _Without)
        coverage = Coverage(opened)
        papers: dict[tuple[str, int], dict[str, Record]] = {place: {} for place in places}
        for record in opened:
            for venue in venue_ids(record.venue, record.year) if record.type not in ("preprint", "submission") else ():
                if (venue, record.year) in papers:
                    papers[venue, record.year or 0].setdefault(title_key(record.title), record)
        print("| venue and year | the index | citations | errors | warnings | errors at the prior given |")
        print("|---|---|---|---|---|---|")
        for place in places:
            held = coverage.closed.get(place) or coverage.nearly.get(place) or ("", "unknown")
            for name, run in _groups(index, list(papers[place].values()), given.count):
                usual, higher = run(PRIOR_OF_PAPERS), run(given.prior)
                print(
                    f"| {place[0]} {place[1]} | {held[1]} | {name} | {usual['error']} | {usual['warning']} | {higher['error']} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
