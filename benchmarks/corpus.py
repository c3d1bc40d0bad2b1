"""Corpus of documents made from real records: correct references in many styles, wrong ones and invented ones.

About thirty of the fifty references in a document are correct. Fourteen are corrupted in one of HALLMARK's ways, and six are
invented: only their venue and year belong to a real work. The same number produces the same document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.offline_verdicts import TODAY, read, sample
from benchmarks.styles import STYLES, styled_entry
from pytest_citecheck.benchmark import mutations
from pytest_citecheck.inputs import TIERS
from tests.conformance.rendering import Row

PER_DOCUMENT = 50
_INVENTED = "plausible_fabrication"
_INVENTED_EACH = 6


@dataclass(frozen=True, slots=True)
class CorpusEntry:
    """A reference of a document. kind: ``right``, or the type of hallucination."""

    key: str
    type: str
    fields: dict[str, str]
    kind: str

    def bibtex(self) -> str:
        """Return the entry in BibTeX."""
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in self.fields.items())
        return f"@{self.type}{{{self.key},\n{lines}}}\n"


def documents(count: int, *, first: int = 0) -> Iterator[tuple[str, list[CorpusEntry]]]:
    """So many documents by name, beginning with that number."""
    rows = sample(min(200_000, (first + count) * PER_DOCUMENT))
    for number in range(first, first + count):
        dice = Random(number)
        place = number * PER_DOCUMENT % len(rows)
        yield f"paper-{number:05}", _entries(rows[place : place + PER_DOCUMENT], number, dice)


def _entries(rows: Sequence[Row], number: int, dice: Random) -> list[CorpusEntry]:
    styles = list(STYLES)
    right = read(styled_entry(row, dice.choice(styles), f"r{place}", dice) for place, row in enumerate(rows))
    entries = {key: CorpusEntry(key, one.type, dict(one.fields), "right") for key, one in right.items()}
    others = [name for name in TIERS if name != _INVENTED]
    for types, each in ((others, 1), ([_INVENTED], _INVENTED_EACH)):
        for wrong in mutations(right.values(), number, types, each, TODAY.year):
            key = wrong.source or ""
            if key in entries:
                entries[key] = CorpusEntry(key, wrong.type, dict(wrong.fields), wrong.hallucination_type or "")
    return list(entries.values())


def write_bibliographies(folder: Path, count: int) -> None:
    """Write documents as ``.bib`` files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, entries in documents(count):
        Path(folder, f"{name}.bib").write_text("\n".join(entry.bibtex() for entry in entries), encoding="utf-8")
