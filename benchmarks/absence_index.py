"""Count how many real references of papers an index has, by stratum: is an absence from it evidence? (docs/verdicts.md)

    CITECHECK_SHARED=FOLDER python -m benchmarks.absence_index [--index works.index]

Reads the reference strings of ``FOLDER/citeaudit/dev.jsonl`` that are from papers (CiteAudit, arXiv:2602.23452) and compares them
with the index alone. Prints by stratum how many of the real ones the index does not have, and the same for the invented ones; a
venue and year of which the index holds every paper are counted apart.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Container
from pathlib import Path

from benchmarks.offline_verdicts import TODAY, full_index, judged
from benchmarks.reference_strings import read, reference_strings
from pytest_citecheck.evidence import Stratum, stratum
from pytest_citecheck.index import Coverage, LocalIndex, venue_id
from pytest_citecheck.model import CitedMetadata

_FEWEST = 20


def _place(cited: CitedMetadata, complete: Container[tuple[str, int | None]]) -> str:
    place = stratum(cited, TODAY)
    if not isinstance(place, Stratum):
        return "in no stratum"
    held = (venue_id(cited.venue, cited.year), cited.year) in complete
    return "in a venue and year that the index holds completely" if held else str(place)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--index", type=Path, help="of all records; built first if missing")
    wanted = parser.parse_args()
    strings = reference_strings(Path(os.environ["CITECHECK_SHARED"], "citeaudit", "dev.jsonl"))
    from_papers = [string for string in strings if string.half == "realworld"]
    references = {
        string.key: reference
        for number, string in enumerate(from_papers, start=1)
        if (reference := read(string, number)) is not None
    }
    real = {string.key: string.real for string in from_papers}
    counts: Counter[tuple[str, bool, bool]] = Counter()
    with full_index(wanted.index) as index:
        with LocalIndex(index.path) as records:
            complete = Coverage(records).closed
        for key, evaluation in zip(references, judged(references.values(), index), strict=True):
            case = evaluation.case
            found = bool(case.works or case.near_matches or case.identifier_targets)
            counts[_place(case.cited, complete), real[key], found] += 1
    print("| stratum | real | not in the index | invented | not in the index |")
    print("|---|---|---|---|---|")
    for place in sorted({place for place, _, _ in counts}):
        row = [(counts[place, kind, False], counts[place, kind, True]) for kind in (True, False)]
        if sum(row[0]) >= _FEWEST:
            cells = [f"{missed + found} | {missed / max(1, missed + found):.0%}" for missed, found in row]
            print(f"| {place} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
