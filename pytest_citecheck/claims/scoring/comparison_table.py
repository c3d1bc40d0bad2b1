"""The table of verdicts side by side, as CSV: entries below each other, providers beside each other."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_citecheck.claims.results import ResultRow

__all__ = ["comparison_csv"]


def comparison_csv(rows: Iterable[ResultRow]) -> str:
    """The table, byte for byte as alex-o-748/citation-checker-script writes it, save that quotation marks are doubled.

    Entries and providers are sorted; an entry that a provider was not asked about has an empty cell.
    """
    truths: dict[str, str] = {}
    said: dict[tuple[str, str], str] = {}
    for row in rows:
        truths.setdefault(row.entry, row.truth)
        said[row.entry, row.provider] = row.verdict
    providers = sorted({provider for _, provider in said})
    lines = [",".join(_plain(name) for name in ("entry_id", "ground_truth", *providers))]
    lines += [
        ",".join(_quoted(cell) for cell in (entry, truths[entry], *(said.get((entry, one), "") for one in providers)))
        for entry in sorted(truths)
    ]
    return "\n".join(lines)


def _plain(cell: str) -> str:
    return _quoted(cell) if any(character in cell for character in ',"\r\n') else cell


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'
