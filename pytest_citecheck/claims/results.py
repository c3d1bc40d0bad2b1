"""What models answered to claims, as files of results keep it; and the truth, which is joined to it and never copied from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_citecheck.claims.json_files import rows_of
from pytest_citecheck.claims.pairs import ClaimFile
from pytest_citecheck.claims.verdicts import Verdict, canonical

__all__ = ["Drift", "ResultRow", "joined", "providers_of", "read_results"]


@dataclass(frozen=True, slots=True)
class ResultRow:
    """What one model (``provider``) said of one pair (``entry``).

    truth, verdict: as they are written. confidence: None where none is stated. error: of the call; empty if it was answered.
    latency: milliseconds. tokens and cost (US dollars): None where they are not known. compute: milliseconds of all members of a
    panel. verified: of the quote, what is in the source. flags: as in `Judgement`; ``instructions``: the source speaks to models;
    ``canary``: the answer lacks the mark that it was to repeat, as if it followed such instructions.
    """

    entry: str
    provider: str
    model: str = ""
    truth: str = ""
    verdict: str = ""
    confidence: float | None = None
    comments: str = ""
    reason_type: str = ""
    quote: str = ""
    verified: str = ""
    quote_status: str = ""
    quote_verified: bool = False
    latency: float = 0
    compute: float | None = None
    error: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    panel: tuple[str, ...] = ()
    tiebreaker: bool = False
    flags: tuple[str, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether the call gave an answer, with a verdict or not."""
        return not self.error and self.verdict != "ERROR"


@dataclass(frozen=True, slots=True)
class Drift:
    """A truth that the file of results copied and that the data set states otherwise."""

    entry: str
    copied: str
    stated: Verdict


def read_results(text: str, where: str) -> tuple[list[ResultRow], dict[str, Any]]:
    """The rows of a file of results, and its metadata. Raises ClaimFileError."""
    rows, metadata = rows_of(text, where)
    return [_row(row) for row in rows], metadata


def _row(row: Mapping[str, Any]) -> ResultRow:
    panel = row.get("panel")
    return ResultRow(
        entry=str(row.get("entry_id", "")),
        provider=str(row.get("provider", "")),
        model=str(row.get("model") or ""),
        truth=str(row.get("ground_truth") or ""),
        verdict=str(row.get("predicted_verdict") or ""),
        confidence=_number(row.get("confidence")),
        comments=str(row.get("comments") or ""),
        reason_type=str(row.get("reason_type") or ""),
        quote=str(row.get("source_quote") or ""),
        quote_status=str(row.get("quote_status") or ""),
        quote_verified=row.get("quote_verified") is True,
        latency=_number(row.get("latency_ms")) or 0,
        error=str(row.get("error") or ""),
        tokens_in=_whole(row.get("tokens_in")),
        tokens_out=_whole(row.get("tokens_out")),
        cost=_number(row.get("cost_usd")),
        panel=tuple(map(str, panel)) if isinstance(panel, list) else (),
        tiebreaker=row.get("tiebreaker_fired") is True,
    )


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def providers_of(rows: Iterable[ResultRow]) -> dict[str, list[ResultRow]]:
    """The rows of each provider, in the order in which providers first occur."""
    found: dict[str, list[ResultRow]] = {}
    for row in rows:
        found.setdefault(row.provider, []).append(row)
    return found


def joined(rows: Sequence[ResultRow], claims: ClaimFile) -> tuple[list[ResultRow], list[Drift]]:
    """The rows with the truth that the data set states, and where their copy of it was another one, by entry in its order.

    Rows about entries that the data set does not hold, or has no label for, are left out.
    """
    truths = {pair.id: pair.truth for pair in claims.pairs if pair.truth is not None}
    drifts: dict[str, Drift] = {}
    kept = []
    for row in rows:
        truth = truths.get(row.entry)
        if truth is None:
            continue
        if row.truth and canonical(row.truth) != truth:
            drifts.setdefault(row.entry, Drift(row.entry, row.truth, truth))
        kept.append(replace(row, truth=truth))
    return kept, [drifts[entry] for entry in truths if entry in drifts]
