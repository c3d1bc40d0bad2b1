"""How far the numbers of a volume, and of a month of arXiv, go.

Many publishers number the papers of a volume in one row (``10.1109/cvpr.2019.00612``), and arXiv those of a month
(``2106.09685``). ``data/highest_numbers.json`` holds, for each row of which the records have practically every number,
its lowest and highest one, and for each month of arXiv the highest number seen, with how many were seen (counted by
``python -m benchmarks.numbering``). Of a row from which ``n`` numbers were drawn the highest is short of the end by about
one part in ``n``; a number that is many times as far out was never given.
"""

from __future__ import annotations

import datetime
import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import BEYOND_A_MONTH, BEYOND_A_VOLUME

__all__ = ["Row", "beyond_month", "beyond_volume", "numbered"]

_NUMBERED = lazy_pattern(r"(10\.\d{4,9}/(?:.*\D)?)(\d{1,9})", re.ASCII)
_ARXIV = lazy_pattern(r"(\d\d)(\d\d)\.(\d{4,5})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Row:
    """seen: how many numbers of it; lowest, highest: the first and the last of them."""

    seen: int
    lowest: int
    highest: int


def numbered(doi: str) -> tuple[str, int]:
    """What a DOI (in normal form) has before its last number, and that number; empty and 0 if it does not end in one."""
    match = _NUMBERED.fullmatch(doi)
    return (match[1], int(match[2])) if match else ("", 0)


def beyond_volume(doi: str) -> str:
    """Why no paper of the volume has this DOI (in normal form), in words; empty if one may, or the volume is not known."""
    volume, number = numbered(doi)
    row = _rows()[0].get(volume)
    if row is None:
        return ""
    margin = BEYOND_A_VOLUME * (row.highest - row.lowest + 1)
    if row.lowest - margin <= number <= row.highest + margin:
        return ""
    return f"the papers of {volume} are numbered from {row.lowest} to {row.highest} ({row.seen:,} are known)"


def beyond_month(arxiv: str, today: datetime.date) -> str:
    """Why arXiv has not given out this id (without version), in words; empty if it may have, or the month is not known."""
    match = _ARXIV.fullmatch(arxiv)
    if match is None:
        return ""
    year, month, number = 2000 + int(match[1]), int(match[2]), int(match[3])
    if 12 * year + month > 12 * today.year + today.month + 1:  # the clock may be slow
        return f"{year}-{month:02} is in the future"
    row = _rows()[1].get(match[1] + match[2])
    if row is None or number <= row.highest * (1 + BEYOND_A_MONTH / row.seen):
        return ""
    return f"the highest number known of {year}-{month:02} is {row.highest} ({row.seen:,} ids are known)"


@lru_cache(maxsize=1)
def _rows() -> tuple[dict[str, Row], dict[str, Row]]:
    text = files("pytest_citecheck.identifiers").joinpath("data/highest_numbers.json").read_text(encoding="utf-8")
    stated = json.loads(text)
    return (
        {volume: Row(*row) for volume, row in stated["volumes"].items()},
        {month: Row(seen, 1, highest) for month, (seen, highest) in stated["months"].items()},
    )
