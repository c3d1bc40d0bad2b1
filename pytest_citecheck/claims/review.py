"""Claims as a table for people: exported as CSV (RFC 4180), filled in with a spreadsheet, and read back.

An override (``manual_claim_override``, ``manual_source_override``, ``manual_ground_truth``) says who made it and when
(``reviewed_by``, ``reviewed_at``). A row that could not be judged can, when its texts are there.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping

from pytest_citecheck.claims.json_files import LONGEST_CLAIM
from pytest_citecheck.claims.pairs import ClaimFile, ClaimFileError, ClaimPair
from pytest_citecheck.claims.verdicts import canonical

__all__ = ["COLUMNS", "is_review", "read_review", "review_csv"]

COLUMNS = (
    "id",
    "dataset_version",
    "claim_text",
    "source_url",
    "source_text",
    "ground_truth",
    "not_judged_because",
    "manual_claim_override",
    "manual_source_override",
    "manual_ground_truth",
    "reviewed_by",
    "reviewed_at",
)
_NEEDED = {"id", "claim_text", "source_text"}
_OVERRIDES = ("manual_claim_override", "manual_source_override", "manual_ground_truth")
_LONGEST_CELL = 10_000_000


def is_review(head: bytes) -> bool:
    """Whether a CSV file is one of claims, by its first line."""
    first = head.split(b"\n", 1)[0]
    return all(name.encode() in first for name in _NEEDED)


def review_csv(pairs: Iterable[ClaimPair]) -> str:
    """The table, with lines that end in CR LF."""
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    for pair in pairs:
        cells = (pair.id, pair.version, pair.claim, pair.cites, pair.source, pair.truth or "", pair.unfit)
        rows.writerow([*map(_disarmed, cells), *[""] * (len(COLUMNS) - len(cells))])
    return text.getvalue()


def _disarmed(cell: str) -> str:
    """A spreadsheet would compute a cell that begins like a formula."""
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def _armed(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:2] in ("=", "+", "-", "@", "\t", "\r") else cell


def read_review(text: str, where: str, *, version: str = "all") -> ClaimFile:
    """The pairs of a table, with what people changed. Raises ClaimFileError."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        table = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        if not set(table.fieldnames or ()) >= _NEEDED:
            raise ClaimFileError(f"{where}: the columns {', '.join(sorted(_NEEDED))} are needed")
        pairs, line = [], 1
        for row in table:
            pairs.append(
                _pair({name: value or "" for name, value in row.items() if isinstance(name, str)}, where, line + 1)
            )
            line = table.line_num
    except csv.Error as error:
        raise ClaimFileError(f"{where}: not a table: {error}") from error
    finally:
        csv.field_size_limit(before)
    names = [pair.id for pair in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ClaimFileError(f"{where}: two rows have the id {twice!r}")
    return ClaimFile(where, tuple(pair for pair in pairs if version in ("all", pair.version)))


def _pair(row: Mapping[str, str], where: str, line: int) -> ClaimPair:
    changed = [name for name in _OVERRIDES if row.get(name, "").strip()]
    who, when = row.get("reviewed_by", "").strip(), row.get("reviewed_at", "").strip()
    if changed and not (who and when):
        raise ClaimFileError(f"{where}:{line}: {changed[0]} needs reviewed_by and reviewed_at")

    def cell(name: str, override: str = "") -> str:
        return _armed(row.get(override, "").strip() or row.get(name, ""))

    truth = cell("ground_truth", "manual_ground_truth").strip()
    verdict = canonical(truth, strict=True)
    if truth and verdict is None:
        raise ClaimFileError(f"{where}:{line}: {truth!r} is not a verdict")
    claim, source = cell("claim_text", "manual_claim_override").strip(), cell("source_text", "manual_source_override")
    unfit = row.get("not_judged_because", "").strip()
    if set(changed) & set(_OVERRIDES[:2]):
        unfit = ""
    if not claim:
        unfit = "there is no claim"
    elif len(claim) > LONGEST_CLAIM:
        unfit = "the claim is too long"
    elif not source.strip():
        unfit = unfit or "there is no text of the source"
    return ClaimPair(
        id=cell("id").strip() or f"line_{line}",
        claim=claim,
        source=source,
        truth=verdict,
        version=row.get("dataset_version", "").strip() or "v1",
        unfit=unfit,
        cites=cell("source_url"),
        path=where,
        line=line,
        source_name=cell("source_url"),
        overridden=f"{', '.join(changed)} by {who}, {when}" if changed else "",
    )
