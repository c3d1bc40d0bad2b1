"""Measure how often data encoded in an identifier agrees with the records that have it: the table of docs/identifiers.md.

    CITECHECK_SHARED=FOLDER python -m benchmarks.doi_patterns [--disagreeing]

Every record of the folder with a DOI (or an arXiv id) is a pair of identifier and citation that counts as correct. A pair
counts for a form if the encoded data can be compared with the venue or year of the record. Machine-made collections sometimes
join works and identifiers wrongly, so they are counted separately. ``--disagreeing`` prints the pairs that do not agree.
"""

from __future__ import annotations

import argparse
import io
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zstandard

from pytest_citecheck.matching import (
    VOLUME,
    PatternMatch,
    doi_patterns,
    is_preprint_venue,
    match_arxiv_id,
    match_doi,
    normalise_arxiv,
    normalise_doi,
)

COMPILED = ("mlanthology", "api-openalex", "api-semanticscholar")
"""Collections that machines put together from others."""


def records() -> Iterator[dict[str, Any]]:
    path = Path(os.environ["CITECHECK_SHARED"]) / "records" / "records.jsonl.zst"
    with path.open("rb") as file:
        for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8"):
            yield json.loads(line)


def encodings(record: dict[str, Any]) -> Iterator[PatternMatch]:
    """Yield the data that a record's identifiers encode about the version that it describes."""
    doi = match_doi(normalise_doi(record["doi"])) if record["doi"] else None
    if doi is not None:
        yield doi
    if record["arxiv"] and (record["type"] == "preprint" or is_preprint_venue(record["venue"])):
        found = match_arxiv_id(normalise_arxiv(record["arxiv"])[0])
        if found is not None:
            yield found


def outcomes(record: dict[str, Any], found: PatternMatch) -> Iterator[str]:
    """Yield the categories in which the pair of identifier and record counts."""
    place = found.place(record["venue"]) if record["venue"] else "unknown"
    if place != "unknown":
        yield f"venue {place}"
    # Another venue's year is that of another version.
    if record["year"] and found.year and (place == "same" or found.kind == "preprint"):
        yield "year same" if found.may_be_of(record["year"]) else "year different"


def share(same: int, different: int) -> str:
    return f"{same / (same + different):.2%}" if same + different else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description="agreement of identifiers with the records that carry them")
    parser.add_argument("--disagreeing", action="store_true", help="print the pairs that do not agree")
    disagreeing = parser.parse_args().disagreeing
    counted: Counter[tuple[bool, str, str]] = Counter()
    pairs: Counter[bool] = Counter()
    readable: Counter[bool] = Counter()
    accused: Counter[bool] = Counter()
    for record in records():
        compiled = record["source"] in COMPILED
        answers = [(found, answer) for found in encodings(record) for answer in outcomes(record, found)]
        wrong = [(found, answer) for found, answer in answers if answer.endswith("different")]
        if record["doi"] and record["venue"] and record["year"]:
            pairs[compiled] += 1
            readable[compiled] += bool(answers)
        accused[compiled] += bool(wrong)
        counted.update((compiled, found.form, answer) for found, answer in answers)
        for found, answer in wrong if disagreeing else ():
            print(f"{record['source']}: {found.identifier} {answer}: {record['venue']!r} {record['year']}")
    print(
        "| form | venues | agreeing | years | agreeing | venues, compiled | agreeing |\n|---|---|---|---|---|---|---|"
    )
    for form in (*(form.id for form in doi_patterns()), VOLUME):
        cells = [form]
        for compiled, what in ((False, "venue"), (False, "year"), (True, "venue")):
            same, different = (counted[compiled, form, f"{what} {answer}"] for answer in ("same", "different"))
            cells += [f"{same + different:,}", share(same, different)]
        print(f"| {' | '.join(cells)} |")
    for compiled, whose in ((False, "records"), (True, "records of compiling collections")):
        print(
            f"\n{pairs[compiled]:,} {whose} have a DOI, a venue and a year; {readable[compiled]:,} of them can be compared; "
            f"{accused[compiled]} do not agree."
        )


if __name__ == "__main__":
    main()
