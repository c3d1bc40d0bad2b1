"""Find the highest numbers of volumes and of arXiv months: the data of `matching.identifiers`.

    CITECHECK_SHARED=FOLDER python -m benchmarks.numbering > pytest_citecheck/matching/data/highest_numbers.json

Counts the records of the folder, without machine-made collections. A volume is listed if enough of its numbers are known and
nearly without gaps; a month if enough of its ids are known.
"""

from __future__ import annotations

import datetime
import json
from collections import defaultdict
from collections.abc import Mapping

from benchmarks.doi_patterns import records
from pytest_citecheck.matching import normalise_arxiv, normalise_doi, numbered

_COMPILED = ("api-openalex", "api-semanticscholar")
_FEWEST = 50
"""Minimum count of numbers for a volume to be listed."""
_FEWEST_OF_A_MONTH = 40
_WITHOUT_GAPS = 0.9
"""Share of the numbers between the lowest and the highest one that have to be known."""


def main() -> None:
    volumes: dict[str, set[int]] = defaultdict(set)
    months: dict[str, set[int]] = defaultdict(set)
    for record in records():
        if record["source"] in _COMPILED:
            continue
        # Journals number on: only a volume of proceedings has an end.
        printed = record["doi"] and record["type"] == "inproceedings"
        volume, number = numbered(normalise_doi(record["doi"])) if printed else ("", 0)
        if volume:
            volumes[volume].add(number)
        arxiv = normalise_arxiv(record["arxiv"])[0] if record["arxiv"] else ""
        if arxiv[:4].isdigit():
            months[arxiv[:4]].add(int(arxiv[5:]))
    rows = {name: (len(seen), min(seen), max(seen)) for name, seen in sorted(volumes.items()) if len(seen) >= _FEWEST}
    kept = {name: row for name, row in rows.items() if row[0] >= _WITHOUT_GAPS * (row[2] - row[1] + 1)}
    of_months = {
        name: (len(seen), max(seen)) for name, seen in sorted(months.items()) if len(seen) >= _FEWEST_OF_A_MONTH
    }
    today = datetime.datetime.now(tz=datetime.UTC).date()
    source = f"{len(kept)} volumes and {len(of_months)} months, counted on {today}"
    parts = (_lines(kept), _lines(of_months))
    print('{\n "source": %s,\n "volumes": {\n%s\n },\n "months": {\n%s\n }\n}' % (json.dumps(source), *parts))  # noqa: UP031


def _lines(rows: Mapping[str, tuple[int, ...]]) -> str:
    return ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())


if __name__ == "__main__":
    main()
