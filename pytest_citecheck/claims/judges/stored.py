"""Verdicts of earlier runs, from files of results: judged again without any call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pytest_citecheck.claims.pairs import ClaimFileError
from pytest_citecheck.claims.quotes import match_quote
from pytest_citecheck.claims.results import ResultRow, read_results

__all__ = ["read_stored"]


def read_stored(path: Path, sources: Mapping[str, str]) -> list[ResultRow]:
    """The rows about these sources (by entry), with their quotes looked up anew. Raises ClaimFileError and OSError."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ClaimFileError(f"{path.name} is not in UTF-8 (byte {error.start + 1})") from error
    rows = []
    for row in read_results(text, path.name)[0]:
        if row.entry not in sources:
            continue
        found = match_quote(row.quote, sources[row.entry])
        rows.append(
            replace(row, quote_status=found.status, quote_verified=found.is_verified, verified=found.verified)
            if row.quote
            else row
        )
    return rows
