"""Find the highest numbers of volumes, of arXiv months and of prefixes of DOIs: the data of `matching.identifiers`.

    CITECHECK_SHARED=FOLDER python -m benchmarks.numbering > pytest_citecheck/matching/data/highest_numbers.json

Counts the records of the folder, without machine-made collections. A volume is listed if enough of its numbers are known and
nearly without gaps; a month if enough of its ids are known. Prefixes are in blocks by their number of digits: a block ends
where the next known prefix is too far away to be missing by chance.
"""

from __future__ import annotations

import datetime
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from benchmarks.doi_patterns import records
from pytest_citecheck.matching import normalise_arxiv, normalise_doi, numbered
from pytest_citecheck.thresholds import BEYOND_A_PREFIX

_COMPILED = ("api-openalex", "api-semanticscholar")
_FEWEST = 50
"""Minimum count of numbers for a volume to be listed."""
_FEWEST_OF_A_MONTH = 40
_WITHOUT_GAPS = 0.9
"""Share of the numbers between the lowest and the highest one that have to be known."""


def main() -> None:
    volumes: dict[str, set[int]] = defaultdict(set)
    months: dict[str, set[int]] = defaultdict(set)
    prefixes: dict[int, set[int]] = defaultdict(set)
    for record in records():
        if record["source"] in _COMPILED:
            continue
        digits = re.split(r"[./]", normalise_doi(record["doi"]), maxsplit=2)[1:2]
        for one in digits:
            prefixes[len(one)].add(int(one))
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
    count = sum(map(len, prefixes.values()))
    source = f"{len(kept)} volumes, {len(of_months)} months and {count} prefixes, counted on {today}"
    blocks = {str(digits): list(_blocks(sorted(seen))) for digits, seen in sorted(prefixes.items())}
    head = f'{{\n "source": {json.dumps(source)},\n "year": {today.year},\n "prefixes": {json.dumps(blocks)},\n'
    print(head + ' "volumes": {\n%s\n },\n "months": {\n%s\n }\n}' % (_lines(kept), _lines(of_months)))  # noqa: UP031


def _blocks(seen: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the lowest and the highest prefix of each block, and how many are known."""
    widest = BEYOND_A_PREFIX * (seen[-1] - seen[0] + 1) / len(seen)
    edges = [0, *(place for place in range(1, len(seen)) if seen[place] - seen[place - 1] > widest), len(seen)]
    for start, end in pairwise(edges):
        yield seen[start], seen[end - 1], end - start


def _lines(rows: Mapping[str, tuple[int, ...]]) -> str:
    return ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())


if __name__ == "__main__":
    main()
