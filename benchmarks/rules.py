"""Count how often each rule of the tables of rules decides.

    CITECHECK_SHARED=FOLDER python -m benchmarks.rules --indexes FOLDER [--index works.index] [--count 300] [--write]
Evaluates real bibliographies (``real_bibs``), the references of HALLMARK (``dev_public``), COUNT correct exports of each source
family, and COUNT / 10 damaged records for each damage and family (`benchmarks.export_rule`), all offline. Prints how often each
rule decides in each of these. A rule that decides nothing anywhere is deleted, unless only a service can make it decide: an
outage, a registry, a record that no index has. ``--write`` writes the counts for the pages of the checks.

"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.export_rule import checked, damages, exports, pool_of
from benchmarks.offline_evidence import hallmark_references, offline_evidence
from benchmarks.offline_verdicts import TODAY, full_index
from benchmarks.source_families import FAMILIES, Collections, index_without
from pytest_citecheck.checks import evaluate
from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.lookup import IndexSource
from pytest_citecheck.model import Reference
from pytest_citecheck.rows import TABLES, Rule, Table
from pytest_citecheck.sources import SOURCES

_COUNTS = Path(__file__).parents[1] / "tests" / "pages" / "rule_counts.json"
_PLACES = ("real bibliographies", "HALLMARK", "exports", "damaged records")

Counts = Counter[tuple[str, str, str]]
"""How often a rule decides: by place, table and rule."""


@contextlib.contextmanager
def counted(place: str, counts: Counts) -> Iterator[None]:
    """Count the decisions of all tables."""
    plain = Table.deciding

    def deciding(table: Table[Any], facts: Any) -> Rule[Any]:
        rule = plain(table, facts)
        counts[place, table.name, rule.name] += 1
        return rule

    Table.deciding = deciding  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        Table.deciding = plain  # type: ignore[method-assign]


def _bibliographies(folder: Path, index: IndexSource) -> None:
    for path in sorted(folder.glob("*.bib")):
        references: dict[str, Reference] = {}
        for one in read_bibtex(path.name, path.read_bytes()).references:
            if one.readable:
                references.setdefault(one.key, one)
        for reference, evidence in offline_evidence(references, index, SOURCES, TODAY):
            evaluate(reference, evidence, TODAY)


def _of_families(collections: Collections, folder: Path, count: int, counts: Counts) -> None:
    works, pool = list(collections.shared_works()), pool_of(collections)
    for family in FAMILIES:
        with contextlib.closing(IndexSource(index_without(family, collections.rows, folder), "index")) as index:
            with counted("exports", counts):
                checked(exports(works, family, count), index)
            held = [row for work in works for row in work.get(family.name, ())[:1]]
            with counted("damaged records", counts):
                checked(damages(held, family.export, pool, count // 10), index)


def main() -> None:
    """Print the table, and write the counts if asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--indexes", type=Path, required=True, help="folder of the indexes; missing ones are built")
    parser.add_argument("--index", type=Path, help="an index of all records; without it, one is built")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--write", action="store_true", help="write the counts for the pages of the checks")
    given = parser.parse_args()
    shared = Path(os.environ["CITECHECK_SHARED"])
    given.indexes.mkdir(parents=True, exist_ok=True)
    counts: Counts = Counter()
    with full_index(given.index) as index:
        with counted("real bibliographies", counts):
            _bibliographies(shared / "real_bibs", index)
        with counted("HALLMARK", counts):
            split = hallmark_references(shared / "hallmark" / "dev_public.jsonl")
            for reference, evidence in offline_evidence(split, index, (), TODAY):
                evaluate(reference, evidence, TODAY)
    _of_families(Collections.read(given.indexes), given.indexes, given.count, counts)
    print(f"| table | rule | {' | '.join(_PLACES)} |\n|---|---|{'---|' * len(_PLACES)}")
    written: dict[str, dict[str, list[int]]] = {}
    for table in TABLES.values():
        for rule in table.rules:
            numbers = [counts[place, table.name, rule.name] for place in _PLACES]
            written.setdefault(table.name, {})[rule.name] = numbers
            print(f"| {table.name} | {rule.name} | {' | '.join(map(str, numbers))} |")
    if given.write:
        _COUNTS.write_text(json.dumps({"places": _PLACES, "tables": written}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
