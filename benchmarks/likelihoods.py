"""Print the counts behind the likelihood ratios of single evidence.

    python -m benchmarks.export_rule 20000 --indexes FOLDER --json exports.json
    python -m benchmarks.export_rule --indexes FOLDER --single dblp --index works.index --json damaged.json
    python -m benchmarks.likelihoods exports.json damaged.json COUNT

COUNT is the number of references in the first run. The rows are those of `pytest_citecheck.checks.likelihoods`. A finding that
the tool reports as an error, as it has more than single evidence, counts as well: it shows how often such a difference occurs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pytest_citecheck.checks import LIKELIHOODS

_VENUES = ("venue-elsewhere", "venue-other")
_PEOPLE = ("authors-added", "authors-partly-other", "authors-other", "authors-given-name")
_KINDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "people": (
        _PEOPLE,
        ("author appended", "author replaced", "given name, another initial", "authors of another paper"),
    ),
    "order of people": (("authors-reordered",), ("two authors swapped",)),
    "spelling": (("authors-misspelled",), ("family name respelt",)),
    "repeated": (("authors-repeated",), ("author twice",)),
    "elsewhere": (_VENUES, ("another known venue",)),
    "main": (("venue-main",), ("workshop of the conference",)),
    "subtitle": (("title-subtitle",), ("foreign subtitle",)),
    "mixed": (("title-mixed",), ("chimera of two titles",)),
    "similar title": (("title-similar",), ("title word dropped", "title negated")),
    "published title": (("title-published",), ("title word replaced",)),
    "year of a volume": (("year-other",), ("year one off, conference",)),
    "year": (("year-other",), ("year two off", "year three off")),
    "registrant": (("doi-registrant",), ("DOI of another paper",)),
    "number": (("doi-other-number", "arxiv-other-number"), ("invented DOI", "invented DOI, biology")),
}
"""By kind of evidence: the codes of its findings, and the damages that it is to show."""


def _cited(rows: Iterable[Mapping[str, Any]], codes: Iterable[str]) -> int:
    """Number of references with a finding that has one of these codes."""
    return len({(row["group"], row["entry"]) for row in rows if row["code"] in codes})


def main() -> None:
    """Print a row for each kind."""
    exports, damaged = (json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:3])
    correct = int(sys.argv[3])
    print("| kind | damaged with the finding | correct with the finding | ratio in use |\n|---|---|---|---|")
    for kind, (codes, damages) in _KINDS.items():
        made = [row for row in damaged if row["group"] in damages]
        total = len({(row["group"], row["entry"]) for row in made})
        hits, alarms = _cited(made, codes), _cited(exports, codes)
        print(f"| {kind} | {hits} of {total} | {alarms} of {correct:,} | {LIKELIHOODS[kind].ratio:,.0f} |")


if __name__ == "__main__":
    main()
