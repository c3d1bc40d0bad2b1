"""Compute the table of levels from findings in real bibliographies that were judged by hand.

    CITECHECK_SHARED=FOLDER python -m benchmarks.levels [--index works.index] [--leave-file-out] [--write] [--exports FILE …]

Reads ``real_bibs/adjudication*.tsv`` and finds the kind of evidence of each judged finding in an index (`evidence` of the
finding; if the code is not reported any more, the kind of the records that contradict the field). Counts right and false
findings for each code and kind of evidence. The precision of a row has a Beta distribution whose prior is that of its kind of
evidence (mean and weight fitted by maximum likelihood over the codes), so a code with few cases borrows from its kind. The bound
is its 10% quantile. Prints the table, and writes ``checks/data/levels.toml`` with ``--write``.

Few findings of an offline index rest on a registry's record. With ``--exports`` (files of `benchmarks.export_rule --json`), rows
with fewer than `_ENOUGH` judged findings are counted instead: false ones are the findings on correct exports, right ones those on
damaged exports, weighted by the share of wrong citations.

``--leave-file-out`` judges the findings of each file with the table of all other files, and prints how many errors and warnings
are right.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.offline_verdicts import TODAY, full_index
from benchmarks.offline_evidence import offline_evidence
from pytest_citecheck.checks import CHECKS, TABLE, Level, ReferenceCase, default_severity, findings
from pytest_citecheck.evidence import Candidate, Field, kind_of_evidence, same_venue
from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.model import EvidenceKind, Reference
from pytest_citecheck.sources import SOURCES

_FILE = Path(__file__).parents[1] / "pytest_citecheck" / "checks" / "data" / "levels.toml"
_RIGHT = frozenset({"right"})
_FALSE = frozenset({"false", "false-unprinted-field", "junk", "misdiagnosed", "wrong-diagnosis"})
"""Judgements; all others (arguable, undecidable, pedantic) count neither way."""
_QUANTILE = 0.1
_ENOUGH = 5
_WEIGHTS = (1, 2, 4, 8, 16, 32)
_BASE = 0.03
"""Share of wrong citations among those that the index can decide: 147 of 5,345 in the first sample, and warnings."""
_REDEFINED: Mapping[str, int] = {"title-not-in-venue": 3}
"""Codes whose rule has changed since: the number of the sample from which on their judgements count (lists need coverage)."""
_OTHERWISE_READ = frozenset({"doi-short"})
"""Codes of values that earlier versions took for something else; their judgements do not count."""
_STATIC: Mapping[str, EvidenceKind] = {"entry": "syntax", "form of the identifier": "syntax", "complete list": "complete list"}
_CHECK_OF = {row.name: row.check for row in reversed(TABLE)}
_FIELDS: Mapping[str, Field] = {
    "doi": "identifier", "title": "title", "authors": "authors", "venue": "venue", "cross_db": "year",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Judged:
    """A judged finding. still: the current version reports it. level: its severity in the version that was judged."""

    file: str
    key: str
    code: str
    evidence: EvidenceKind
    right: bool
    still: bool


@dataclass(frozen=True, slots=True)
class _Row:
    sample: int
    file: str
    key: str
    code: str
    judgement: str


def _adjudications(folder: Path) -> Iterator[_Row]:
    for number, name in enumerate(sorted(folder.glob("adjudication*.tsv")), 1):
        with name.open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                codes = [code for code in row["code"].split(",") if _CHECK_OF.get(code) in _FIELDS]
                if codes and row["judgement"] in _RIGHT | _FALSE and number >= _REDEFINED.get(codes[0], 1):
                    yield _Row(number, row["position"][:3], row["key"], codes[0], row["judgement"])


def judged_findings(folder: Path, index: Path | None) -> list[Judged]:
    """Return the judged findings with their kinds of evidence in the index."""
    rows: dict[str, dict[str, list[_Row]]] = defaultdict(lambda: defaultdict(list))
    for row in _adjudications(folder):
        rows[row.file][row.key].append(row)
    found = []
    with full_index(index) as source:
        for path in sorted(folder.glob("*.bib")):
            wanted = rows.get(path.name[:3], {})
            references: dict[str, Reference] = {}
            for one in read_bibtex(path.name, path.read_bytes()).references if wanted else ():
                if one.readable and one.key in wanted:
                    references.setdefault(one.key, one)
            for reference, evidence in offline_evidence(references, source, SOURCES, TODAY):
                case = ReferenceCase(reference, evidence, TODAY)
                made = {one.code: one for one in findings(case).values()}
                if _OTHERWISE_READ.isdisjoint(made):
                    for row in wanted[reference.key]:
                        one = made.get(row.code)
                        kind = one.evidence if one is not None and one.evidence else _kind(case, row.code)
                        found.append(Judged(row.file, row.key, row.code, kind, row.judgement in _RIGHT, one is not None))
    return list(dict.fromkeys(found))


def _kind(case: ReferenceCase, code: str) -> EvidenceKind:
    """The kind of the evidence for a finding that is not reported any more."""
    row = next(row for row in TABLE if row.name == code)
    if row.basis in _STATIC:
        return _STATIC[row.basis]
    return kind_of_evidence(case.cited, _contradicting(case, row.check), _FIELDS[row.check])


def _contradicting(case: ReferenceCase, check: str) -> Sequence[Candidate]:
    known = [*case.works, *case.near_matches]
    if check == "authors":
        return [one for one in known if one.authors.code]
    if check == "title":
        return case.near_matches
    if check == "venue":
        return [one for one in known if same_venue(case.cited.venue, one.record) == "different"]
    if check == "cross_db":
        return [one for one in known if case.cited.year not in one.record.years]
    return case.identifier_targets


def _log_likelihood(counts: Iterable[tuple[float, float]], mean: float, weight: float) -> float:
    a, b = mean * weight, (1 - mean) * weight
    return math.fsum(
        math.lgamma(a + right) + math.lgamma(b + false) - math.lgamma(weight + right + false)
        + math.lgamma(weight) - math.lgamma(a) - math.lgamma(b)
        for right, false in counts
    )  # fmt: skip


def _prior(counts: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Mean and weight of the precision of a kind of evidence, by maximum likelihood over its codes."""
    grid = ((mean / 100, weight) for mean in range(2, 100, 2) for weight in _WEIGHTS)
    return max(grid, key=lambda one: _log_likelihood(counts, *one)) if counts else (0.6, _WEIGHTS[1])


def _quantile(a: float, b: float, share: float) -> float:
    """Quantile of a Beta distribution, by summing its density."""
    points = (np.arange(20_000) + 0.5) / 20_000
    density = np.exp((a - 1) * np.log(points) + (b - 1) * np.log1p(-points))
    return float(points[np.searchsorted(np.cumsum(density) / density.sum(), share)])


def table(judged: Iterable[Judged]) -> list[Level]:
    """The rows of the table, for each code and kind of evidence that was judged."""
    counts: dict[tuple[EvidenceKind, str], list[float]] = defaultdict(lambda: [0, 0])
    for one in judged:
        counts[one.evidence, one.code][not one.right] += 1
    rows = []
    for evidence in dict.fromkeys(kind for kind, _ in sorted(counts)):
        mean, weight = _prior([(r, f) for (kind, _), (r, f) in counts.items() if kind == evidence])
        for code in sorted(code for kind, code in counts if kind == evidence):
            right, false = counts[evidence, code]
            a, b = mean * weight + right, (1 - mean) * weight + false
            basis = "judged" if right + false >= _ENOUGH else "judged, borrowed"
            rows.append(Level(code, evidence, right, false, round(a / (a + b), 3), round(_quantile(a, b, _QUANTILE), 3), basis))
        a, b = mean * weight, (1 - mean) * weight
        rows.append(Level("*", evidence, 0, 0, round(mean, 3), round(_quantile(a, b, _QUANTILE), 3), f"weight {weight}"))
    return rows


def _shown(rows: Iterable[Level]) -> None:
    print("| code | evidence | right | false | precision | bound | level | basis |\n|---|---|---|---|---|---|---|---|")
    for row in rows:
        numbers = f"{row.right:g} | {row.false:g} | {row.precision:.3f} | {row.bound:.3f}"
        print(f"| {row.code} | {row.evidence} | {numbers} | {row.name(_BASE, 0)} | {row.basis} |")


def _leave_file_out(judged: Sequence[Judged]) -> None:
    levels: Counter[tuple[str, bool]] = Counter()
    by_code: dict[str, Counter[bool]] = defaultdict(Counter)
    for file in dict.fromkeys(one.file for one in judged):
        rows = {(row.code, row.evidence): row for row in table(one for one in judged if one.file != file)}
        for one in judged:
            if one.file == file and one.still:
                row = rows.get((one.code, one.evidence)) or rows.get(("*", one.evidence))
                level = row.name(_BASE, 0) if row else "warning"
                level = "warning" if row and row.basis.startswith("weight") and level == "error" else level
                levels[level, one.right] += 1
                if level == "error":
                    by_code[one.code][one.right] += 1
    for level in ("error", "warning", "info"):
        print(f"{level}: {levels[level, True]} right, {levels[level, False]} false")
    for code, counts in sorted(by_code.items()):
        print(f"  error {code}: {counts[True]} right, {counts[False]} false")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--index", type=Path)
    parser.add_argument("--leave-file-out", action="store_true")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    judged = judged_findings(Path(os.environ["CITECHECK_SHARED"], "real_bibs"), given.index)
    rows = table(judged)
    _shown(rows)
    if given.leave_file_out:
        _leave_file_out(judged)


if __name__ == "__main__":
    main()
