"""Measure detection of wrong references: real records with one error each.

    CITECHECK_SHARED=FOLDER python -m benchmarks.mutated_records [COUNT] [--index works.index] [--answering] [--examples N]

Takes records of the folder, writes each as an exact BibTeX entry, corrupts it in one of 20 ways, and verifies it offline
against an index of all records of the folder. COUNT (default 20,000) is the total number of entries, divided equally among the
kinds. The first 14 kinds are HALLMARK's (arXiv:2607.18360), made like those of ``citecheck mutate``; the others are smaller.

An entry is detected if any check that decides a verdict fails, and verified if the verdict is correct. The rest is undecided:
the index cannot know, for example, that a paper is in no volume if its list of the volume is incomplete. Most records are in
one source only, and a single record is not enough for a minor error. The last columns show the other records, for which two
independent sources agree before the corruption. With ``--answering`` all records have such evidence.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from benchmarks.answering import AnsweringIndex, answered
from benchmarks.damages import DAMAGES, Pool, damaged
from benchmarks.offline_verdicts import TODAY, accusations, full_index, judged, read, sample
from benchmarks.styles import plain_entry
from pytest_citecheck.benchmark import mutations
from pytest_citecheck.checks import Evaluation
from pytest_citecheck.evidence import independent_sources
from pytest_citecheck.inputs import TIERS
from pytest_citecheck.lookup import IndexSource
from pytest_citecheck.matching import safe_line
from pytest_citecheck.model import Reference
from tests.conformance.rendering import Row

_SEED = 1
_RECORDS_PER_ENTRY = 18  # one title in fifteen has a digit


SMALLER = (
    "given name, same initial", "two authors swapped", "one letter of the title", "a digit of the title", "year two off",
    "DOI of another paper",
)  # fmt: skip
KINDS = (*TIERS, *SMALLER)


@dataclass(slots=True)
class Tally:
    """Results for the entries of one kind: counts of verdicts, by codes, and undetected entries."""

    entries: int = 0
    detected: int = 0
    verified: int = 0
    agreed: int = 0
    agreed_detected: int = 0
    agreed_warned: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)

    def add(self, evaluation: Evaluation, *, agreed: bool) -> None:
        """Counts a wrong entry. agreed: two independent sources agreed with it before it was made wrong."""
        failed = accusations(evaluation)
        self.entries += 1
        self.detected += bool(failed)
        self.verified += evaluation.verdict.name == "verified"
        self.agreed += agreed
        self.agreed_detected += agreed and bool(failed)
        warned = any(finding.evidence for finding in evaluation.findings.values())
        self.agreed_warned += agreed and not failed and warned
        self.codes.update(finding.code for finding in failed)
        if not failed:
            reason = f"{'two sources, ' if agreed else ''}{evaluation.verdict.name}: {evaluation.verdict.reason}"
            self.missed.append(f"{reason} | {_shown(evaluation.case.reference)}")

    @property
    def share(self) -> float:
        """Share of all entries (0 to 1) that are detected."""
        return self.detected / self.entries if self.entries else 0.0

    @property
    def of_decided(self) -> float:
        """Share of the decided entries (0 to 1) that are detected; 1 if none is decided."""
        decided = self.detected + self.verified
        return self.detected / decided if decided else 1.0


def mutated(rows: Sequence[Row], per_kind: int, index: IndexSource, prior: float | None = None) -> dict[str, Tally]:
    """Return the results of the index for ``per_kind`` entries of each kind, made from these records. prior: as of `judged`."""
    complete = [row for row in rows if row.authors and row.year and row.venue and row.type != "submission"]
    right = read(plain_entry(row, f"r{number}") for number, row in enumerate(complete))
    made = {f"m{number}": wrong for number, wrong in enumerate(_wrong(complete, right, per_kind))}
    entries = read(wrong.entry.replace("{key,", f"{{{key},", 1) for key, wrong in made.items())
    used = {wrong.source: right[wrong.source] for wrong in made.values()}
    agreed = {
        key: evaluation.findings["cross_db"].code == "agree" and _independent(evaluation)
        for key, evaluation in zip(used, judged(used.values(), index), strict=True)
    }
    tallies: dict[str, Tally] = {kind: Tally() for kind in KINDS}
    for key, evaluation in zip(entries, judged(entries.values(), index, prior), strict=True):
        told = answered(evaluation) if isinstance(index, AnsweringIndex) else evaluation
        tallies[made[key].kind].add(told, agreed=agreed[made[key].source])
    return tallies


def _independent(evaluation: Evaluation) -> bool:
    return independent_sources({work.upstream for work in evaluation.case.works if not work.authors.code}) > 1


@dataclass(frozen=True, slots=True)
class _Wrong:
    """A BibTeX entry under the key ``key``, its corruption, and the key of the correct one."""

    kind: str
    source: str
    entry: str


def _wrong(rows: Sequence[Row], right: Mapping[str, Reference], per_kind: int) -> Iterator[_Wrong]:
    for entry in mutations(right.values(), _SEED, tuple(TIERS), per_kind, TODAY.year):
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in entry.fields.items())
        yield _Wrong(entry.hallucination_type or "", entry.source or "", f"@{entry.type}{{key,\n{lines}}}\n")
    pool = Pool.of(rows)
    for kind in SMALLER:
        dice, made = Random(f"{_SEED} {kind}"), 0
        for key, row in zip(right, rows, strict=True):
            wrong = damaged(row, DAMAGES[kind], pool, dice)
            if wrong is not None and made < per_kind:
                made += 1
                yield _Wrong(kind, key, plain_entry(wrong, "key"))


def _shown(reference: Reference) -> str:
    return safe_line("; ".join(f"{name}: {value}" for name, value in reference.fields.items()))


def tell(tallies: Mapping[str, Tally], examples: int) -> None:
    """Print the table."""
    print(
        "| mutation | entries | detected | verified | undecided | of the decided | two sources | detected of these | as |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    whole = Tally()
    for kind, tally in tallies.items():
        for number in ("entries", "detected", "verified", "agreed", "agreed_detected"):
            setattr(whole, number, getattr(whole, number) + getattr(tally, number))
        _row(kind, tally)
    _row("all", whole)
    for kind, tally in tallies.items():
        reasons = Counter(line.partition(" | ")[0] for line in tally.missed)
        for reason, count in reasons.most_common(examples):
            print(f"\n{kind}: {count} {reason}, for example:")
            shown = [line.partition(" | ")[2] for line in tally.missed if line.startswith(f"{reason} | ")]
            print(*(f"  {line}" for line in shown[:examples]), sep="\n")


def _row(kind: str, tally: Tally) -> None:
    total = tally.entries or 1
    undecided = (tally.entries - tally.detected - tally.verified) / total
    mostly = ", ".join(f"{code} {count / total:.0%}" for code, count in tally.codes.most_common(2))
    of_agreed = f"{tally.agreed_detected / tally.agreed:.3f}" if tally.agreed else "-"
    print(
        f"| {kind} | {tally.entries:,} | {tally.share:.3f} | {tally.verified / total:.3f} | {undecided:.3f} | "
        f"{tally.of_decided:.3f} | {tally.agreed:,} | {of_agreed} | {mostly} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Print how often wrong references are seen.")
    parser.add_argument("count", nargs="?", type=int, default=20_000)
    parser.add_argument("--index", type=Path)
    parser.add_argument(
        "--answering", action="store_true", help="as if services answered as well (benchmarks/answering.py)"
    )
    parser.add_argument("--examples", type=int, default=0, help="entries shown of each reason not to accuse")
    chosen = parser.parse_args()
    per_kind = chosen.count // len(KINDS)
    with full_index(chosen.index, AnsweringIndex if chosen.answering else IndexSource) as index:
        tell(mutated(sample(per_kind * _RECORDS_PER_ENTRY), per_kind, index), chosen.examples)


if __name__ == "__main__":
    main()
