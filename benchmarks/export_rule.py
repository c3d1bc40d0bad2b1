"""Accusations against references copied from a recognised source: a citation that repeats its source is never an error.

    CITECHECK_SHARED=FOLDER python -m benchmarks.export_rule [COUNT] --indexes FOLDER [--only dblp] [--examples N] [--json FILE]

For each source family (`benchmarks.source_families`), takes COUNT (default 3,000) of its records whose work another family also
holds, prints them as that source exports them to BibTeX, and checks them offline against an index of all records without the
family. Each accusation is then a disagreement between databases, never a mistake of an author. The tables list errors and
warnings per 1,000 references by code.
"""

from __future__ import annotations

import argparse
import contextlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random

from benchmarks.offline_verdicts import judged, read
from benchmarks.source_families import FAMILIES, Collections, Family, Work, index_without
from pytest_citecheck.checks.codes import default_severity
from pytest_citecheck.gather.index_source import IndexSource
from pytest_citecheck.reports.safe_text import safe_line
from pytest_citecheck.verdict import Evaluation
from tests.conformance.rendering import Row

__all__ = ["Accusation", "Citation", "Counts", "checked", "exports", "main"]

_WRONG = ("misdescribed", "fabricated")
_NOT_ON_THE_WORK = ("completeness", "syntax")
_MOST_ROWS_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Citation:
    """A BibTeX entry, what it belongs to in the tables, and the records of its work in other families."""

    key: str
    group: str
    entry: str
    others: Sequence[Row] = ()


@dataclass(frozen=True, slots=True)
class Accusation:
    """An error or a warning about a citation."""

    group: str
    severity: str
    code: str
    message: str
    verdict: str
    entry: str
    others: Sequence[str]


@dataclass(slots=True)
class Counts:
    """Results of the citations of a group. outcomes: each citation once, as an error, a warning, verified or silent."""

    citations: int = 0
    unread: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    accusations: list[Accusation] = field(default_factory=list)


def accusations_of(citation: Citation, evaluation: Evaluation) -> Iterator[Accusation]:
    """Errors of a wrong verdict and warnings of any verdict, except those about completeness and syntax."""
    verdict = evaluation.verdict.name
    for check, finding in evaluation.findings.items():
        severity = default_severity(finding.outcome, finding.code)
        counts = severity == "warning" or (severity == "error" and verdict in _WRONG)
        if counts and check not in _NOT_ON_THE_WORK:
            yield Accusation(
                citation.group,
                severity,
                finding.code,
                safe_line(finding.message),
                verdict,
                " ".join(citation.entry.split()),
                [_shown(row) for row in citation.others[:_MOST_ROWS_SHOWN]],
            )


def _shown(row: Row) -> str:
    identifiers = " ".join(filter(None, (row.doi, row.arxiv)))
    return f"{row.source}: {row.title} | {', '.join(row.authors)} | {row.venue} {row.year} | {identifiers}"


def checked(citations: Iterable[Citation], index: IndexSource) -> dict[str, Counts]:
    """Check the citations against an index, and count the results by group."""
    by_key = {citation.key: citation for citation in citations}
    references = read(citation.entry for citation in by_key.values())
    results: dict[str, Counts] = defaultdict(Counts)
    for key, citation in by_key.items():
        counts = results[citation.group]
        counts.citations += 1
        counts.unread += key not in references or not references[key].readable
    for key, evaluation in zip(references, judged(references.values(), index), strict=True):
        citation = by_key[key]
        counts = results[citation.group]
        found = list(accusations_of(citation, evaluation))
        counts.accusations += found
        counts.verdicts[evaluation.verdict.name] += 1
        severities = {accusation.severity for accusation in found}
        quiet = "verified" if evaluation.verdict.name == "verified" else "silent"
        counts.outcomes[next((one for one in ("error", "warning") if one in severities), quiet)] += 1
    return dict(results)


def exports(works: Sequence[Work], family: Family, count: int) -> Iterator[Citation]:
    """Exports of the family for some of the works that it shares with other families."""
    dice = Random(f"exports of {family.name}")
    held = [work for work in works if family.name in work]
    for number, work in enumerate(dice.sample(held, min(count, len(held)))):
        key = f"c{number}"
        yield Citation(
            key, family.name, family.export(dice.choice(work[family.name]), key), others_of(work, family.name)
        )


def others_of(work: Work, family: str) -> list[Row]:
    """The records of a work in all families but one."""
    return [row for name, rows in work.items() if name != family for row in rows]


def print_codes(group: str, counts: Counts) -> None:
    """Print the table of codes of a group."""
    total = counts.citations or 1
    verdicts = ", ".join(f"{count:,} {name}" for name, count in counts.verdicts.most_common())
    outcomes = {name: f"{counts.outcomes[name] / total * 1000:.1f}" for name in ("error", "warning")}
    print(f"\n## {group}: {counts.citations:,} references, {counts.unread} unreadable: {verdicts}\n")
    print("| code | errors per 1,000 | warnings per 1,000 |\n|---|---|---|")
    print(f"| any | {outcomes['error']} | {outcomes['warning']} |")
    by_code = Counter((one.code, one.severity) for one in counts.accusations)
    for code in dict.fromkeys(code for (code, _), _ in by_code.most_common()):
        shares = (f"{by_code[code, severity] / total * 1000:.1f}" for severity in ("error", "warning"))
        print(f"| {code} | {' | '.join(shares)} |")


def print_examples(accusations: Iterable[Accusation], most: int) -> None:
    """Print random examples of each code, the same in each run."""
    by_code: dict[str, list[Accusation]] = defaultdict(list)
    for accusation in accusations:
        by_code[f"{accusation.severity}: {accusation.code}"].append(accusation)
    for code, found in sorted(by_code.items()):
        print(f"\n### {code}, {len(found)}\n")
        for one in Random(code).sample(found, min(most, len(found))):
            print(f"- {one.group}: {one.message}\n  {one.entry}", *one.others, sep="\n    ")


def main() -> None:
    parser = argparse.ArgumentParser(description="Count accusations against references copied from a source.")
    parser.add_argument("count", nargs="?", type=int, default=3000)
    parser.add_argument("--indexes", type=Path, required=True, help="folder of the indexes; missing ones are built")
    parser.add_argument("--only", default="", help="part of the name of a family: only this one")
    parser.add_argument("--examples", type=int, default=0, help="accusations shown of each code")
    parser.add_argument("--json", type=Path, help="write all accusations to this file")
    chosen = parser.parse_args()
    chosen.indexes.mkdir(parents=True, exist_ok=True)
    collections = Collections.read(chosen.indexes)
    works = list(collections.shared_works())
    print(f"{len(works):,} works in two or more families")
    found: list[Accusation] = []
    for family in FAMILIES:
        if chosen.only.lower() in family.name.lower():
            path = index_without(family, collections.rows, chosen.indexes)
            with contextlib.closing(IndexSource(path, "index")) as index:
                for group, counts in checked(exports(works, family, chosen.count), index).items():
                    print_codes(group, counts)
                    found += counts.accusations
    print_examples(found, chosen.examples)
    if chosen.json:
        chosen.json.write_text(json.dumps([asdict(one) for one in found], indent=1, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()
