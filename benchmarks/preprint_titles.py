"""Measure false positives for publications cited under their preprint's title, while arXiv is not in the index.

    CITECHECK_SHARED=FOLDER python -m benchmarks.preprint_titles [--index works.index] [--examples N]

Takes each e-print of the folder and looks for its publication: by the same people, from a year before to three years after it,
under the same title or the nearest one. Each pair becomes an entry with the title of the e-print and the people, venue and year
of the publication, without an identifier. It is verified offline with an index without preprints. An accusation that also
occurs with the publication's own title is not caused by the title.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.offline_verdicts import accusations, full_index, judged, read
from benchmarks.styles import plain_entry
from pytest_citecheck.checks import one_word_replaced
from pytest_citecheck.lookup import IndexSource
from pytest_citecheck.matching import TitleComparison, compare_titles, title_key, words
from pytest_citecheck.model import Absent, Found, Query, QueryResult
from tests.conformance.rendering import Row, read_rows

_FEWEST_PEOPLE = 2
_BEFORE, _AFTER = -1, 3
_RETITLED = 0.4
"""Minimum similarity of two titles by the same people in these years that count as one work."""


class WithoutPreprints(IndexSource):
    """An index that knows no preprints."""

    def ask(self, queries: Iterable[Query]) -> dict[Query, QueryResult]:
        return {query: _published(asked) for query, asked in super().ask(queries).items()}


def _published(asked: QueryResult) -> QueryResult:
    if not isinstance(asked.answer, Found):
        return asked
    kept = tuple(record for record in asked.answer.records if record.type not in ("preprint", "submission"))
    return replace(asked, answer=Found(kept, asked.answer.scope) if kept else Absent(asked.answer.scope))


@dataclass(frozen=True, slots=True)
class Pair:
    """An e-print and its publication. differs: the kind of difference between their titles."""

    preprint: Row
    publication: Row
    differs: str


@dataclass(slots=True)
class Tally:
    """Pairs whose titles differ in one way: their number, the number verified, and the accusations."""

    pairs: int = 0
    verified: int = 0
    accused: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)


def pairs_of(rows: Sequence[Row]) -> Iterator[Pair]:
    """The e-prints with their publications, each once by its title."""
    preprints: dict[tuple[str, ...], dict[str, Row]] = defaultdict(dict)
    published: dict[tuple[str, ...], dict[str, Row]] = defaultdict(dict)
    for row in rows:
        if row.type == "preprint" and row.arxiv and len(row.authors) >= _FEWEST_PEOPLE:
            preprints[_people(row)].setdefault(title_key(row.title), row)
    for row in rows:
        if row.type in ("inproceedings", "article") and row.venue and row.year and _people(row) in preprints:
            published[_people(row)].setdefault(title_key(row.title), row)
    for people, works in published.items():
        for key, preprint in preprints[people].items():
            if same := works.get(key):
                yield Pair(preprint, same, "nothing")
                continue
            others = (work for name, work in works.items() if name not in preprints[people])
            near = [(compare_titles(preprint.title, work.title), work) for work in others if _in_time(preprint, work)]
            best = max(near, key=lambda found: found[0].similarity, default=None)
            if best and best[0].similarity >= _RETITLED:
                yield Pair(preprint, best[1], _difference(best[0]))


def _people(row: Row) -> tuple[str, ...]:
    return tuple(" ".join(words(name)) for name in row.authors)


def _in_time(preprint: Row, work: Row) -> bool:
    return _BEFORE <= (work.year or 0) - (preprint.year or 0) <= _AFTER


def _difference(comparison: TitleComparison) -> str:
    if comparison.relation == "same":
        return "nothing"
    if one_word_replaced(comparison):
        return "one word"
    return "more words" if comparison.relation == "near" else "most words"


def told(pairs: Sequence[Pair], index: IndexSource) -> dict[str, Tally]:
    """Return the results of the index for each publication under its preprint's title, by the kind of difference."""
    bare = [replace(pair.publication, doi="", arxiv="") for pair in pairs]
    cited = read(plain_entry(replace(row, title=pair.preprint.title), f"k{n}") for n, (row, pair) in enumerate(zip(bare, pairs, strict=True)))  # fmt: skip # noqa: E501
    tallies: dict[str, Tally] = {kind: Tally() for kind in ("nothing", "one word", "more words", "most words")}
    accused: dict[str, set[str]] = {}
    for key, evaluation in zip(cited, judged(cited.values(), index), strict=True):
        tally = tallies[pairs[int(key[1:])].differs]
        tally.pairs += 1
        tally.verified += evaluation.verdict.name == "verified"
        if failed := accusations(evaluation):
            accused[key] = {finding.code for finding in failed}
    own = read(plain_entry(bare[int(key[1:])], key) for key in accused)
    for key, evaluation in zip(own, judged(own.values(), index), strict=True):
        pair = pairs[int(key[1:])]
        if said := accused[key] - {finding.code for finding in accusations(evaluation)}:
            tally = tallies[pair.differs]
            tally.accused += 1
            tally.codes.update(said)
            row = pair.publication
            tally.examples.append(f"{', '.join(said)}: {pair.preprint.title} | {row.title} | {row.venue}, {row.year}")
    return tallies


def tell(tallies: Mapping[str, Tally], examples: int) -> None:
    """Print the table."""
    print("| titles differ in | pairs | verified | undecided | accused | as |\n|---|---|---|---|---|---|")
    whole = Tally()
    for kind, tally in tallies.items():
        _row(kind, tally)
        whole.pairs, whole.verified, whole.accused = (
            whole.pairs + tally.pairs,
            whole.verified + tally.verified,
            whole.accused + tally.accused,
        )
        whole.codes.update(tally.codes)
    _row("all", whole)
    for tally in tallies.values():
        print(*tally.examples[:examples], sep="\n")


def _row(kind: str, tally: Tally) -> None:
    total = tally.pairs or 1
    undecided = tally.pairs - tally.verified - tally.accused
    codes = ", ".join(f"{code} {count}" for code, count in tally.codes.most_common())
    print(
        f"| {kind} | {tally.pairs:,} | {tally.verified / total:.3f} | {undecided / total:.3f} | "
        f"{tally.accused} ({tally.accused / total:.2%}) | {codes} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Print how often the title of a preprint is held against its publication."
    )
    parser.add_argument("--index", type=Path)
    parser.add_argument("--examples", type=int, default=0, help="accusations shown of each kind")
    chosen = parser.parse_args()
    pairs = list(pairs_of(list(read_rows("records.jsonl.zst"))))
    with full_index(chosen.index, WithoutPreprints) as index:
        tell(told(pairs, index), chosen.examples)


if __name__ == "__main__":
    main()
