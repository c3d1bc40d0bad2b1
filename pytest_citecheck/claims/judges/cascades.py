"""Cascades: the cheap model is asked first, and the next one only where it is not certain, or does not support the claim."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_citecheck.claims.results import ResultRow
from pytest_citecheck.claims.verdicts import Verdict, canonical

__all__ = ["NOT_ASKED", "Cascade", "CascadeState", "cascade_row", "cascade_state", "margin"]

NOT_ASKED = "not asked"
"""The error of a row whose judge was not asked."""

# The confidence that each verdict is given with (`pytest_citecheck.claims.judges.prompts`).
_BANDS: Mapping[Verdict, tuple[float, float]] = {
    "Supported": (80.0, math.inf),
    "Partially supported": (50.0, 80.0),
    "Not supported": (0.0, 50.0),
    "Source unavailable": (-math.inf, 1.0),
}


@dataclass(frozen=True, slots=True)
class Cascade:
    """members: the cheapest first. margin: percentage points; a verdict with less is passed on to the next member."""

    name: str
    members: tuple[str, ...]
    margin: float = 10.0


@dataclass(frozen=True, slots=True)
class CascadeState:
    """asked: the rows of the members whose turn it was. next: the member that is to be asked; None if the verdict is found."""

    asked: tuple[ResultRow, ...]
    next: str | None


def margin(row: ResultRow) -> float:
    """How far the stated confidence lies from that of another verdict, in percentage points; 0 if it says nothing."""
    verdict = canonical(row.verdict)
    if verdict is None or row.confidence is None:
        return 0.0
    low, high = _BANDS[verdict]
    # The band of "not supported" borders on nothing below: a claim cannot be less supported.
    below = math.inf if verdict == "Not supported" else row.confidence - low
    return max(0.0, min(below, high - row.confidence))


def cascade_state(cascade: Cascade, rows: Iterator[ResultRow]) -> CascadeState:
    """How far a cascade has come. rows: of its members in order; one that was not asked has the error “not asked”."""
    asked: list[ResultRow] = []
    refused = 0
    for member, row in zip(cascade.members, rows, strict=False):
        if row.error == NOT_ASKED:
            return CascadeState(tuple(asked), member)
        asked.append(row)
        verdict = canonical(row.verdict) if row.answered else None
        refused += verdict == "Not supported"
        # "Not supported" accuses somebody: two have to say so.
        certain = refused > 1 if verdict == "Not supported" else margin(row) >= cascade.margin
        if verdict is not None and certain:
            break
    return CascadeState(tuple(asked), None)


def cascade_row(cascade: Cascade, asked: Sequence[ResultRow]) -> ResultRow:
    """The row of a cascade: the verdict of the last member that gave one. Cost, tokens and times are sums."""
    said = [row for row in asked if row.answered and canonical(row.verdict) is not None]
    last = (said or list(asked))[-1]
    tokens = [(row.tokens_in, row.tokens_out) for row in asked]
    costs = [row.cost for row in asked]
    total = math.fsum(cost for cost in costs if cost is not None)
    return replace(
        last,
        provider=cascade.name,
        model=f"cascade:{'>'.join(cascade.members)}",
        comments=f"{last.comments} ({' > '.join(f'{row.provider}: {row.verdict or row.error}' for row in asked)})".strip(),
        latency=sum(row.latency for row in asked),
        compute=sum(row.latency for row in asked),
        tokens_in=None if any(one is None for one, _ in tokens) else sum(one or 0 for one, _ in tokens),
        tokens_out=None if any(one is None for _, one in tokens) else sum(one or 0 for _, one in tokens),
        cost=None if any(cost is None for cost in costs) else total,
        panel=tuple(row.verdict for row in asked),
    )
