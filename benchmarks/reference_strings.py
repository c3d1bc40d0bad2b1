"""Measure verdict accuracy on reference strings of real papers and of generators (CiteAudit, arXiv:2602.23452), offline.

    CITECHECK_SHARED=FOLDER python -m benchmarks.reference_strings [--index works.index] [--examples N]

Each string of ``FOLDER/citeaudit/dev.jsonl`` is read as a list of one reference and compared with the index alone. Detection
and false positive rates are shares of the decided references. A reference counts as accused if a finding is an error under the
default policy; warnings do not count. Without ``--index``, an index is built from the records in the folder. No service is
queried.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.offline_verdicts import full_index, judged
from pytest_citecheck.checks import DEFAULT, Evaluation, PolicyContext
from pytest_citecheck.inputs import read_reference_strings
from pytest_citecheck.model import Location, Reference

_HALVES = ("realworld", "generated")


@dataclass(frozen=True, slots=True)
class ReferenceString:
    """A row of the benchmark: its origin (``realworld`` or ``generated``), the string, and whether the reference is real."""

    key: str
    half: str
    text: str
    real: bool


def reference_strings(path: Path) -> list[ReferenceString]:
    """The rows of a file of the benchmark. Raises OSError, ValueError."""
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [ReferenceString(row["id"], row["source_type"], row["citation"], row["real"]) for row in rows]


def read(string: ReferenceString, number: int) -> Reference | None:
    """The reference of a string, if one can be read."""
    found = read_reference_strings([(string.text, Location("strings.txt", number, number))])
    return replace(found[0], key=string.key) if found[0].fields else None


def errors(evaluation: Evaluation) -> list[str]:
    """The codes of the findings that are errors under the default policy, apart from completeness."""
    context = PolicyContext(verdict=evaluation.verdict.name)
    return [
        finding.code
        for finding in evaluation.findings.values()
        if finding.outcome == "failed"
        and finding.check != "completeness"
        and DEFAULT.severity(finding, context) == "error"
    ]


def _way(reference: Reference) -> str:
    """Return the evidence that locates the title in a string."""
    if not reference.readings:
        return "nothing"
    first = reference.readings[0]
    return (first.cues[-1] if first.cues else "a style") if first.certain else "the most probable reading alone"


def told(strings: list[ReferenceString], found: dict[str, Evaluation], examples: int) -> Iterator[str]:
    """The table, and the codes of the false positives."""
    yield "| | strings | read | with a title | decided | detection rate | false positive rate |\n|---|---|---|---|---|---|---|"
    accused = {key: codes for key, evaluation in found.items() if (codes := errors(evaluation))}
    verified = {key for key, evaluation in found.items() if evaluation.verdict.name == "verified"} - accused.keys()
    for half in _HALVES:
        rows = [one for one in strings if one.half == half]
        readable = [one for one in rows if one.key in found]
        titled = sum(bool(found[one.key].case.cited.title) for one in readable)
        decided = [one for one in rows if one.key in accused or one.key in verified]
        wrong = [one.key in accused for one in decided if not one.real]
        right = [one.key in accused for one in decided if one.real]
        yield (
            f"| {half} | {len(rows):,} | {len(readable):,} | {titled:,} | {len(decided):,} "
            f"| {sum(wrong)} of {len(wrong)} ({sum(wrong) / max(len(wrong), 1):.3f}) "
            f"| {sum(right)} of {len(right)} ({sum(right) / max(len(right), 1):.3f}) |"
        )
    yield "\n| | how the title was told | strings | undecided | not found |\n|---|---|---|---|---|"
    for half in _HALVES:
        ways: dict[str, list[Evaluation]] = {}
        for one in strings:
            if one.half == half and one.key in found:
                ways.setdefault(_way(found[one.key].case.reference), []).append(found[one.key])
        for way, evaluations in sorted(ways.items(), key=lambda item: -len(item[1])):
            open_ones = sum(one.verdict.name == "undecided" for one in evaluations)
            unknown = sum(one.findings["title"].outcome != "passed" for one in evaluations)
            yield f"| {half} | {way} | {len(evaluations):,} | {open_ones:,} | {unknown:,} |"
    for half in _HALVES:
        false = [one for one in strings if one.half == half and one.real and one.key in accused]
        counts = Counter(code for one in false for code in accused[one.key])
        yield f"\n{half}, false positives by code: " + (
            ", ".join(f"{c} {n}" for c, n in counts.most_common()) or "none"
        )
        for one in false[:examples]:
            messages = [found[one.key].findings[check].message for check in found[one.key].findings
                        if found[one.key].findings[check].code in accused[one.key]]  # fmt: skip
            yield f"- {one.key} {one.text}\n  {'; '.join(messages)}"


def main() -> None:
    """Read and check the strings, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--index", type=Path, help="an index of the records of the folder; without it, one is built")
    parser.add_argument("--examples", type=int, default=0, help="false positives to show of each half")
    given = parser.parse_args()
    strings = reference_strings(Path(os.environ["CITECHECK_SHARED"], "citeaudit", "dev.jsonl"))
    read_all = (read(one, number) for number, one in enumerate(strings, 1))
    references = [one for one in read_all if one is not None]
    with full_index(given.index) as index:
        found = {one.case.reference.key: one for one in judged(references, index)}
    print("\n".join(told(strings, found, given.examples)))


if __name__ == "__main__":
    main()
