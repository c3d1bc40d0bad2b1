"""Measure recognition of venues abbreviated as in author kits, and detection of wrong ones.

    CITECHECK_SHARED=FOLDER python -m benchmarks.kit_abbreviations [COUNT] [--index works.index] [--examples N]

Takes COUNT records (default 6,000) of conferences and journals in the table of venues, writes each as a BibTeX entry with an
abbreviated venue, and verifies it offline. The strings come from the CVPR, ICCV and WACV author kits. For a venue that the kits
do not list, the name is abbreviated in the same way: each word cut after a consonant, short words left out, sponsors in or out.
One half of the entries has the correct venue, the other half the venue of another record.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from benchmarks.offline_verdicts import accusations, full_index, judged, read, sample
from benchmarks.styles import plain_entry
from benchmarks.styles_venues import known_venue
from pytest_citecheck.lookup import IndexSource
from pytest_citecheck.matching import SPONSORS, Venue
from tests.conformance.rendering import Row

_SEED = 1
_RECORDS_PER_ENTRY = 4
_FEWEST_WORDS = 3
_FEWEST_LETTERS = 3
_LEFT_OUT = frozenset({"on", "of", "the", "for", "and", "in"})
_FIXED = {"International": "Int.", "Conference": "Conf.", "Journal": "J.", "European": "Eur.", "Proceedings": "Proc."}
_CUT = re.compile(r"(?<=[bcdfghjklmnpqrstvwxz])(?=[aeiouy])")
_PLAIN = re.compile(r"[A-Za-z/ ]+")
_OF_KITS = {
    "tpami": "IEEE Trans. Pattern Anal. Mach. Intell.", "ijcv": "Int. J. Comput. Vis.",
    "cvpr": "IEEE Conf. Comput. Vis. Pattern Recog.", "iccv": "Int. Conf. Comput. Vis.", "eccv": "Eur. Conf. Comput. Vis.",
    "neurips": "Adv. Neural Inform. Process. Syst.", "icpr": "Int. Conf. Pattern Recog.", "bmvc": "Brit. Mach. Vis. Conf.",
    "tog": "ACM Trans. Graph.", "tip": "IEEE Trans. Image Process.", "tvcg": "IEEE Trans. Vis. Comput. Graph.",
    "tmm": "IEEE Trans. Multimedia", "mm": "ACM Int. Conf. Multimedia", "icme": "Int. Conf. Multimedia and Expo",
    "icip": "IEEE Int. Conf. Image Process.", "iclr": "Int. Conf. Learn. Represent.",
    "wacv": "IEEE Winter Conf. Appl. Comput. Vis.", "tcsvt": "IEEE Trans. Circuit Syst. Video Technol.",
    "spl": "IEEE Sign. Process. Letters", "cgf": "Comput. Graph. Forum",
}  # fmt: skip
KINDS = ("right, of the kits", "right, cut alike", "wrong, of the kits", "wrong, cut alike")


@dataclass(slots=True)
class Tally:
    """Results for venues of one kind. recognised: the venue passes as the record's venue."""

    entries: int = 0
    recognised: int = 0
    accused: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)


def abbreviated(venue: Venue, dice: Random) -> str:
    """The name of a venue as the kits abbreviate it; empty if it is a plain acronym, or has signs that no kit would cut."""
    if venue.id in _OF_KITS:
        return _OF_KITS[venue.id]
    if not _PLAIN.fullmatch(venue.name):
        return ""
    words = venue.name.replace("/", " ").split()
    sponsors = [word for word in words if word.lower() in SPONSORS]
    kept = [word for word in words if word.lower() not in _LEFT_OUT and word not in sponsors]
    if len(kept) < _FEWEST_WORDS:
        return ""
    return " ".join([*(sponsors[:1] if dice.random() < 0.5 else []), *(_cut(word, dice) for word in kept)])


def _cut(word: str, dice: Random) -> str:
    if word in _FIXED:
        return _FIXED[word]
    places = [match.start() for match in _CUT.finditer(word) if match.start() >= _FEWEST_LETTERS]
    return word if not places or word.isupper() else f"{word[: dice.choice(places)]}."


def _entries(rows: Sequence[Row], count: int) -> Iterator[tuple[str, Row]]:
    """Yield records with an abbreviated venue, and their kind."""
    dice = Random(_SEED)
    known = [(row, venue) for row in rows if row.authors and row.year and (venue := known_venue(row)) is not None]
    for number, (row, venue) in enumerate(known[:count]):
        wrong = number % 2 == 1
        cited = dice.choice([other for _, other in known if other.kind == venue.kind and other.id != venue.id]) if wrong else venue  # fmt: skip # noqa: E501
        if name := abbreviated(cited, dice):
            how = "of the kits" if cited.id in _OF_KITS else "cut alike"
            yield f"{'wrong' if wrong else 'right'}, {how}", replace(row, venue=name)


def told(rows: Sequence[Row], count: int, index: IndexSource) -> dict[str, Tally]:
    """Return the results of the index for ``count`` records with abbreviated venues."""
    made = {f"k{number}": entry for number, entry in enumerate(_entries(rows, count))}
    cited = read(plain_entry(row, key) for key, (_, row) in made.items())
    tallies = {kind: Tally() for kind in KINDS}
    for key, evaluation in zip(cited, judged(cited.values(), index), strict=True):
        kind, row = made[key]
        tally, venue = tallies[kind], evaluation.findings["venue"]
        wrong = kind.startswith("wrong")  # then a warning is enough
        against = [one for one in evaluation.findings.values() if one.evidence] if wrong else accusations(evaluation)
        failed = [finding.code for finding in against if finding.check in ("venue", "doi", "cross_db")]
        tally.entries += 1
        tally.recognised += venue.outcome == "passed"
        tally.accused += bool(failed)
        tally.codes.update(failed)
        if bool(failed) != wrong:
            tally.examples.append(f"{kind}: {venue.code}, {venue.message} | {row.venue} | {row.title}, {row.year}")
    return tallies


def tell(tallies: Mapping[str, Tally], examples: int) -> None:
    """Print the table."""
    print("| venue | entries | recognised | left open | accused | as |\n|---|---|---|---|---|---|")
    for kind, tally in tallies.items():
        total = tally.entries or 1
        left = tally.entries - tally.recognised - tally.accused
        codes = ", ".join(f"{code} {count:,}" for code, count in tally.codes.most_common(2))
        print(
            f"| {kind} | {tally.entries:,} | {tally.recognised / total:.3f} | {left / total:.3f} | "
            f"{tally.accused / total:.3f} | {codes} |"
        )
    for tally in tallies.values():
        print(*tally.examples[:examples], sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Print how venues in the abbreviations of author kits are judged.")
    parser.add_argument("count", nargs="?", type=int, default=6000)
    parser.add_argument("--index", type=Path)
    parser.add_argument(
        "--examples", type=int, default=0, help="entries shown of each kind that are judged wrongly or not at all"
    )
    chosen = parser.parse_args()
    with full_index(chosen.index) as index:
        tell(told(sample(chosen.count * _RECORDS_PER_ENTRY), chosen.count, index), chosen.examples)


if __name__ == "__main__":
    main()
