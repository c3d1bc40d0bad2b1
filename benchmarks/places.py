"""Measure what volume and pages prove: right citations, slips of authors, and five kinds of inventions.

    CITECHECK_SHARED=FOLDER python -m benchmarks.places [--count 500] [--right 5000]

Builds an index of the complete volumes in ``places/volumes.jsonl``. Checks the citations of ``places/dev.jsonl`` to these
journals, works of the volumes as they are and with their own records removed (a service with gaps), and inventions. Prints for
each group how many are confirmed, get a finding on volume or pages, a warning or an error. Citations that begin on page 1,
article numbers and supplements are rows of their own.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.offline_verdicts import TODAY, read
from pytest_citecheck.checks import Evaluation
from pytest_citecheck.index import build
from pytest_citecheck.lookup import IndexSource, LookupState, look_up, place_question
from pytest_citecheck.matching import cited_locator_of, compare_venues
from pytest_citecheck.model import EvidenceKind, Found, Person, Query, QueryResult, Record

BY_AUTHORS = "cited by authors"
_LOCATOR = ("volume-other", "pages-other")
ACCUSING = ("place-other-work", "not-in-volume")
_AT_ONCE = 500
_BEYOND = 4
"""An invented page beyond the end of a volume is at most this many times its last page."""
_ABBREVIATED = {
    "Machine Learning": "Mach. Learn.",
    "Journal of Artificial Intelligence Research": "J. Artif. Intell. Res.",
    "Journal of Machine Learning Research": "JMLR",
}

_ONE_PAGED = {"Journal of Machine Learning Research": 17}
"""First volume in which each paper begins on page 1."""

Work = Mapping[str, Any]


class GappyIndex(IndexSource):
    """An index that lacks the works with some titles."""

    missing: frozenset[str] = frozenset()

    def ask(self, queries: Iterable[Query]) -> dict[Query, QueryResult]:
        return {query: self._without(asked) for query, asked in super().ask(queries).items()}

    def _without(self, asked: QueryResult) -> QueryResult:
        if not isinstance(asked.answer, Found):
            return asked
        records = tuple(one for one in asked.answer.records if one.title not in self.missing)
        return QueryResult(asked.source, asked.query, Found(records), asked.endpoint, asked.date)


class IndexOfPlaces(GappyIndex):
    """The same, asked for single places only, as a service that has no tables of contents."""

    def volumes(self, state: LookupState) -> Iterator[Query]:
        question = place_question(state, "place")
        if question is not None and state.need().record and not state.works():
            yield question


@dataclass(slots=True)
class Group:
    """Counts of one group of citations. codes: findings of the venue check on volume and pages, with the kind of evidence."""

    name: str
    checked: int = 0
    confirmed: int = 0
    codes: Counter[tuple[str, EvidenceKind]] = field(default_factory=Counter)
    warnings: int = 0
    errors: int = 0

    def add(self, evaluation: Evaluation) -> None:
        found = evaluation.findings["venue"]
        self.checked += 1
        self.confirmed += found.code == "place-ok"
        if found.code in (*_LOCATOR, *ACCUSING):
            self.codes[found.code, found.evidence or "single record"] += 1
            self.errors += found.outcome == "failed"
            self.warnings += found.level == "warning"

    def row(self) -> str:
        codes = ", ".join(f"{code} {count}" for (code, _), count in sorted(self.codes.items())) or "–"
        return (
            f"| {self.name} | {self.checked:,} | {self.confirmed:,} | {codes} | {self.warnings:,} | {self.errors:,} |"
        )


def works(folder: Path) -> list[Work]:
    """The works of the complete volumes."""
    return [json.loads(line) for line in (folder / "volumes.jsonl").read_text(encoding="utf-8").splitlines()]


def record_of(work: Work, number: int) -> Record:
    """The record of a work."""
    return Record(
        source="dblp",
        id=str(number),
        title=work["title"],
        authors=tuple(map(Person, work["authors"])),
        years=(work["year"],),
        venues=(work["journal"],),
        type="article",
        doi=work["doi"],
        volume=work["volume"],
        number=work["number"],
        pages="-".join(filter(None, (work["first"], work["last"]))),
    )


def entry(key: int | str, work: Work, **changed: object) -> str:
    """Return a BibTeX entry without a DOI. changed: values that replace values of the work."""
    stated = {**work, **changed}
    pages = "--".join(filter(None, (str(stated["first"]), str(stated.get("last") or ""))))
    named = key if isinstance(key, str) else f"k{key}"
    people = stated.get("author") or " and ".join(stated["authors"])
    fields = {
        "author": people, "title": stated["title"], "journal": stated["journal"], "volume": stated["volume"],
        "number": stated["number"], "pages": pages, "year": stated["year"],
    }  # fmt: skip
    return f"@article{{{named}, " + ", ".join(f"{name} = {{{value}}}" for name, value in fields.items() if value) + "}"


def evaluations(entries: Sequence[str], index: IndexSource) -> Iterator[Evaluation]:
    """The evaluation of each entry from the index alone."""
    for first in range(0, len(entries), _AT_ONCE):
        references = read(entries[first : first + _AT_ONCE]).values()
        states = [LookupState.of(one, TODAY) for one in references]
        look_up(index, states)
        yield from (state.evaluate_so_far() for state in states)


def cited_works(folder: Path, journals: Iterable[str]) -> Iterator[tuple[Work, str]]:
    """The citations of authors to these journals, with the name of the journal."""
    names = list(journals)
    for line in (folder / "dev.jsonl").read_text(encoding="utf-8").splitlines():
        cited = json.loads(line)
        for journal in names:
            if any(compare_venues(name, journal) == "same" for name in cited["journals"]):
                yield cited, journal


def inventions(known: Sequence[Work], count: int) -> Mapping[str, list[str]]:
    """Invented citations of each kind, as entries."""
    random = Random(7)
    last: dict[tuple[str, str], int] = {}
    for work in known:
        if work["first"].isdigit():
            at = work["journal"], work["volume"]
            last[at] = max(last.get(at, 0), int(work["last"] or work["first"]))
    paged = [work for work in known if is_paged(work)]
    one_paged = [work for work in known if _ONE_PAGED.get(work["journal"], 999) <= int(work["volume"])]

    def invented(where: str = "", among: Sequence[Work] = paged) -> str:
        """A plausible article: the halves of two titles, and people of two works."""
        work, one, other = random.choice(among), random.choice(paged), random.choice(paged)
        first, second = one["title"].split(), other["title"].split()
        title = " ".join([*first[: len(first) // 2 + 1], *second[len(second) // 2 :]])
        people = [random.choice(random.choice(paged)["authors"]) for _ in range(3)]
        end = last[work["journal"], work["volume"]]
        page = {"within": random.randint(2, max(end - 5, 3)), "beyond": random.randint(end + 1, _BEYOND * end)}
        stated: dict[str, object] = {"title": title, "authors": people}
        if where in page:
            stated |= {"first": page[where], "last": page[where] + random.randint(8, 30)}
        if where == "volume":
            stated["volume"] = random.randint(300, 999)
        return entry(random.randrange(10**9), work, **stated)

    def moved() -> str:
        """A real title at the place of another work."""
        work, other = random.choice(paged), random.choice(paged)
        place = {name: other[name] for name in ("volume", "number", "first", "last")}
        return entry(random.randrange(10**9), work, **place)

    return {
        "invented: pages within the volume": [invented(where="within") for _ in range(count)],
        "invented: pages beyond the end": [invented(where="beyond") for _ in range(count)],
        "invented: volume that does not exist": [invented(where="volume") for _ in range(count)],
        "invented: title at a real place": [invented() for _ in range(count)],
        "page 1 of a volume without through paging": [invented(among=one_paged) for _ in range(count)],
        "real title at another place": [moved() for _ in range(count)],
    }


def is_paged(work: Work) -> bool:
    """Return True if pages go through the volume of a work."""
    return bool(work["first"].isdigit() and _ONE_PAGED.get(work["journal"], 999) > int(work["volume"]))


def invented_within(key: str, work: Work, known: Sequence[Work], dice: Random) -> str:
    """Return an invented article on pages of the volume of a work: the halves of two titles, and people of three works."""
    same = [
        int(one["last"] or one["first"])
        for one in known
        if (one["journal"], one["volume"]) == (work["journal"], work["volume"])
    ]
    first, second = (dice.choice(known)["title"].split() for _ in range(2))
    page = dice.randint(2, max(*same, 8) - 5)
    return entry(
        key,
        work,
        title=" ".join([*first[: len(first) // 2 + 1], *second[len(second) // 2 :]]),
        authors=[dice.choice(dice.choice(known)["authors"]) for _ in range(3)],
        first=page,
        last=page + dice.randint(8, 30),
    )


def kind_of_place(work: Work) -> str:
    """The kind of the place, for the rows."""
    place = cited_locator_of({"volume": str(work["volume"]), "pages": str(work["first"])})
    if "1" in place.starts:
        return "page 1"
    if not place.starts:
        return "no page"
    return "pages" if place.page_range else "letters"


def measured(folder: Path, right: int, source: str, kind: type[GappyIndex], count: int = 0) -> Iterator[Group]:
    """Check works that are cited rightly, citations of authors, and inventions. source: that states the volumes."""
    known = works(folder)
    chosen = Random(3).sample(known, min(right, len(known)))
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "volumes.index")
        build(path, [replace(record_of(work, number), source=source) for number, work in enumerate(known)])
        with closing(kind(path, "index")) as index:
            for name, entries in (*_by_authors(folder).items(), *_rightly(chosen, count).items()):
                yield _checked(name, entries, index)
            absent = Group("right, its own record missing")
            for number, work in enumerate(chosen):
                index.missing = frozenset({work["title"]})
                for evaluation in evaluations([entry(number, work)], index):
                    absent.add(evaluation)
            index.missing = frozenset()
            yield absent
            for name, entries in inventions(known, count).items():
                yield _checked(name, entries, index)


def _checked(name: str, entries: Sequence[str], index: IndexSource) -> Group:
    group = Group(name)
    for evaluation in evaluations(entries, index):
        group.add(evaluation)
    return group


def _by_authors(folder: Path) -> Mapping[str, list[str]]:
    """Real citations of these journals, grouped by the kind of their place. Slips are places that only one file states."""
    by_kind: dict[str, list[str]] = {}
    for number, (cited, _) in enumerate(cited_works(folder, _ABBREVIATED)):
        at = {"journal": cited["journals"][0], "authors": [cited["author"]]}
        shared = " (in several files)" if cited["stated_in"] > 1 else ""
        by_kind.setdefault(f"{BY_AUTHORS}: {kind_of_place(cited)}{shared}", []).append(entry(number, cited, **at))
    return dict(sorted(by_kind.items()))


def _rightly(chosen: Sequence[Work], count: int) -> Mapping[str, list[str]]:
    short = [entry(number, work, journal=_ABBREVIATED[work["journal"]], last="") for number, work in enumerate(chosen)]
    return {
        "right": [entry(number, work) for number, work in enumerate(chosen)],
        "right, abbreviated journal and first page": short,
        "right, without a title": [entry(number, work, title="") for number, work in enumerate(chosen[:count])],
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=500, help="inventions of each kind")
    parser.add_argument("--right", type=int, default=5000, help="works that are cited rightly")
    given = parser.parse_args()
    started = time.process_time()
    folder = Path(os.environ["CITECHECK_SHARED"], "places")
    groups = list(measured(folder, given.right, "dblp", GappyIndex, given.count))
    print("| citations | checked | confirmed | findings | warnings | errors |\n|---|---|---|---|---|---|")
    for group in groups:
        print(group.row())
    invented = [group for group in groups if group.name.startswith("invented")]
    share = sum(group.errors for group in invented) / max(1, sum(group.checked for group in invented))
    accused = sum(group.codes[one] for group in groups if group.name.startswith("right") for one in group.codes)
    print(f"\ninventions that are errors: {share:.3f}; right citations with a finding: {accused}")
    checked = sum(group.checked for group in groups)
    print(f"{1000 * (time.process_time() - started) / checked:.1f} ms of processor time per citation")


if __name__ == "__main__":
    main()
