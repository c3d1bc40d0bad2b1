"""Find the conference and year of each proceedings volume that DOIs name: data of `matching.identifiers`.

    CITECHECK_SHARED=FOLDER python -m benchmarks.volumes > pytest_citecheck/matching/data/proceedings_volumes.json

Counts the records of the folder, without machine-made collections. A volume is listed if enough of its papers are known and
nearly all of them are in the main proceedings of one conference and year. Records with an unknown venue are ignored.
"""

from __future__ import annotations

import datetime
import json
from collections import Counter, defaultdict

from benchmarks.doi_patterns import COMPILED, records
from pytest_citecheck.matching import normalise_doi, parse_venue, volume_name

FEWEST = 10
"""Minimum number of papers for a volume to be listed."""
PRACTICALLY_ALL = 0.995


def conference(text: str) -> str:
    """Return the conference whose main proceedings the text names, ``other`` for other venues, `""` if unknown."""
    parsed = parse_venue(text)
    if parsed.part == "main" and not parsed.venues:
        return ""
    ids = [venue.id for venue in parsed.venues if venue.kind == "conference"]
    return ids[0] if parsed.part == "main" and len(ids) == len(parsed.venues) == 1 else "other"


def main() -> None:
    volumes: dict[str, Counter[tuple[str, int]]] = defaultdict(Counter)
    for record in records():
        if record["source"] in COMPILED or not record["doi"] or not record["year"]:
            continue
        name, venue = volume_name(normalise_doi(record["doi"])), conference(record["venue"])
        if name and venue:
            volumes[name][venue, record["year"]] += 1
    kept = {}
    for name, counted in sorted(volumes.items()):
        (venue, year), most = counted.most_common(1)[0]
        if venue != "other" and most >= FEWEST and most >= PRACTICALLY_ALL * counted.total():
            kept[name] = (venue, year, most)
    text = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in kept.items())
    today = datetime.datetime.now(tz=datetime.UTC).date()
    source = f"{sum(most for _, _, most in kept.values()):,} papers in {len(kept)} volumes, counted on {today}"
    print(f'{{\n "source": {json.dumps(source)},\n "volumes": {{\n{text}\n }}\n}}')


if __name__ == "__main__":
    main()
