"""Measure false positives: real records in the styles in which people write them.

    CITECHECK_SHARED=FOLDER python -m benchmarks.rendered_records [COUNT] [--index works.index] [--examples N]

Takes COUNT records (default 20,000) of the folder, writes each as a BibTeX entry in a style of `benchmarks.styles`, and
verifies it offline against an index of all records of the folder. Without ``--index``, the index is built first. An accusation
that also occurs with an exact copy of the record is not caused by the style: the collections contradict each other, or the
record is damaged. These are counted separately.

`benchmarks.export_rule` checks records against the other sources alone.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from benchmarks.offline_verdicts import accusations, full_index, judged, read, sample
from benchmarks.styles import STYLES, plain_entry, styled_entry
from pytest_citecheck.lookup import IndexSource
from pytest_citecheck.matching import safe_line
from pytest_citecheck.model import Reference
from tests.conformance.rendering import Row


@dataclass(frozen=True, slots=True)
class Alarm:
    """A failed finding of a check. as_it_is: the record repeated word by word is accused of the same."""

    code: str
    style: str
    as_it_is: bool
    text: str


@dataclass(slots=True)
class Rendered:
    """Results for the entries. verdicts: count of each; the results by style also have the number of entries."""

    entries: int = 0
    unread: list[str] = field(default_factory=list)
    verdicts: Counter[str] = field(default_factory=Counter)
    by_style: Counter[str] = field(default_factory=Counter)
    accused: int = 0
    accused_as_it_is: int = 0
    alarms: list[Alarm] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Share of entries (0 to 1) with an accusation that the record itself does not get."""
        return self.accused / self.entries


def rendered(rows: Sequence[Row], index: IndexSource) -> Rendered:
    """Each record in one style, verified."""
    dice = Random(2)
    names = list(STYLES)
    styles = {f"key{number}": dice.choice(names) for number in range(len(rows))}
    records = dict(zip(styles, rows, strict=True))
    references = read(styled_entry(records[key], style, key, dice) for key, style in styles.items())
    result = Rendered(entries=len(rows))
    result.unread = [key for key in records if key not in references or not references[key].readable]
    result.by_style.update(styles.values())
    accused: dict[str, dict[str, str]] = {}
    for key, evaluation in zip(references, judged(references.values(), index), strict=True):
        result.verdicts[evaluation.verdict.name] += 1
        if failed := accusations(evaluation):
            accused[key] = {finding.code: finding.message for finding in failed}
    own = _of_the_records(accused, records, index)
    for key, messages in accused.items():
        result.accused += not own[key].issuperset(messages)
        result.accused_as_it_is += own[key].issuperset(messages)
        for code, message in messages.items():
            text = safe_line(f"{message} | {_shown(references[key])} | {records[key]}")
            result.alarms.append(Alarm(code, styles[key], code in own[key], text))
    return result


def _of_the_records(keys: Iterable[str], records: Mapping[str, Row], index: IndexSource) -> dict[str, set[str]]:
    """The codes of the accusations against these records when they are repeated word by word."""
    plain = read(plain_entry(records[key], key) for key in keys)
    return {
        key: {finding.code for finding in accusations(evaluation)}
        for key, evaluation in zip(plain, judged(plain.values(), index), strict=True)
    }


def _shown(reference: Reference) -> str:
    return "; ".join(f"{name}: {value}" for name, value in reference.fields.items())


def tell(result: Rendered, examples: int) -> None:
    """Print the tables."""
    print(f"{result.entries:,} entries, {len(result.unread):,} unreadable")
    print(
        ", ".join(f"{count:,} {name} ({count / result.entries:.2%})" for name, count in result.verdicts.most_common())
    )
    print(f"wrong findings: {result.accused:,} ({result.share:.3%})")
    print(f"wrong, but the same for a verbatim copy of the record: {result.accused_as_it_is:,}\n")
    for title, own in (("wrong", False), ("wrong, and the same for a verbatim copy of the record", True)):
        alarms = [alarm for alarm in result.alarms if alarm.as_it_is == own]
        print(f"| {title} | entries |\n|---|---|")
        for code, count in Counter(alarm.code for alarm in alarms).most_common():
            print(f"| {code} | {count} |")
        print()
    said = Counter(alarm.style for alarm in result.alarms if not alarm.as_it_is)
    print("| style | entries | wrong findings |\n|---|---|---|")
    for style in STYLES:
        print(f"| {style} | {result.by_style[style]:,} | {said[style]} |")
    by_code: dict[str, list[Alarm]] = defaultdict(list)
    for alarm in result.alarms:
        by_code[f"{alarm.code}{' (as it is)' if alarm.as_it_is else ''}"].append(alarm)
    for code, alarms in sorted(by_code.items()):
        print(
            f"\n{code}, for example:" if examples else "",
            *(f"  {alarm.style}: {alarm.text}" for alarm in alarms[:examples]),
            sep="\n",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Print how often right references are accused.")
    parser.add_argument("count", nargs="?", type=int, default=20_000)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--examples", type=int, default=5, help="accusations shown of each code")
    chosen = parser.parse_args()
    with full_index(chosen.index) as index:
        tell(rendered(sample(chosen.count), index), chosen.examples)


if __name__ == "__main__":
    main()
