"""Panels: several models vote on a claim. The votes are counted from stored answers, without any call.

Source: alex-o-748/citation-checker-script, plurality and binary votes. There, failed calls vote too (``compat``); here they
abstain, and a quorum says how many members have to say something.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_citecheck.claims.results import ResultRow, providers_of
from pytest_citecheck.claims.verdicts import canonical, is_supporting

__all__ = ["Rule", "Vote", "binary", "panel_rows", "plurality"]

Rule = Literal["plurality", "binary"]
_RANK: Mapping[str, int] = {"Partially supported": 4, "Not supported": 3, "Source unavailable": 2, "Supported": 1}


@dataclass(frozen=True, slots=True)
class Vote:
    """What a panel says; verdict: empty if nobody, or too few, said anything. tie: whether rank decided between verdicts."""

    verdict: str
    tie: bool = False
    voters: int = 0


def plurality(said: Sequence[str | None], *, quorum: int = 1, compat: bool = False) -> Vote:
    """The most frequent verdict; of several the first by rank: partially, not supported, unavailable, supported.

    compat: texts that are no verdict vote too, with the lowest rank.
    """
    voters = [one for one in said if one] if compat else [one for one in map(canonical, said) if one]
    if not voters or len(voters) < quorum:
        return Vote("", voters=len(voters))
    counts = Counter(voters)
    most = max(counts.values())
    tied = [verdict for verdict, count in counts.items() if count == most]
    return Vote(max(tied, key=lambda verdict: _RANK.get(verdict, 0)), len(tied) > 1, len(voters))


def binary(said: Sequence[str | None], *, quorum: int = 1, compat: bool = False) -> Vote:
    """Supported if more than half say that it is, at least in part; else not supported. A tie is not supported."""
    voters = [one for one in said if one] if compat else [one for one in map(canonical, said) if one]
    if not voters or len(voters) < quorum:
        return Vote("", voters=len(voters))
    support = sum(is_supporting(canonical(one)) for one in voters)
    verdict = "Supported" if support > len(voters) / 2 else "Not supported"
    return Vote(verdict, 2 * support == len(voters), len(voters))


def panel_rows(
    name: str,
    rows: Iterable[ResultRow],
    members: Sequence[str],
    rule: Rule,
    *,
    quorum: int = 1,
    compat: bool = False,
) -> list[ResultRow]:
    """The rows of a panel: one for each entry to which every member has a row, in the order of the first member.

    latency is the slowest member's, as if all were asked at once; compute, tokens and cost are sums, None if one is not known;
    the confidence is the mean of the members that agree with the panel, None on a tie. Raises ValueError for less than two
    members, members that occur twice or have no rows.
    """
    if len(members) < 2 or len(set(members)) < len(members):
        raise ValueError(f"panel {name}: at least two different members are needed")
    if not 1 <= quorum <= len(members):
        raise ValueError(f"panel {name}: the quorum must be between 1 and {len(members)}")
    given = providers_of(rows)
    unknown = next((member for member in members if member not in given), None)
    if unknown is not None:
        raise ValueError(f"panel {name}: there are no answers of {unknown!r}")
    answers = [{row.entry: row for row in given[member]} for member in members]
    count = plurality if rule == "plurality" else binary
    found = []
    for entry in answers[0]:
        if not all(entry in one for one in answers):
            continue
        votes = [one[entry] for one in answers]
        said = [row.verdict if row.answered or compat else None for row in votes]
        found.append(_row(name, entry, rule, members, votes, count(said, quorum=quorum, compat=compat)))
    return found


def _row(
    name: str, entry: str, rule: Rule, members: Sequence[str], votes: Sequence[ResultRow], vote: Vote
) -> ResultRow:
    agreeing = [row.confidence for row in votes if _agrees(row, vote.verdict, rule)]
    confidences = [one for one in agreeing if one is not None]
    undecided = rule == "plurality" and vote.tie
    return ResultRow(
        entry=entry,
        provider=name,
        model=f"panel:{'+'.join(members)} ({rule})",
        truth=votes[0].truth,
        verdict=vote.verdict,
        confidence=None if undecided or not confidences else _total(confidences) / len(confidences),
        comments="; ".join(f"{member}={row.verdict or 'none'}" for member, row in zip(members, votes, strict=True)),
        latency=max(row.latency for row in votes),
        compute=_total([row.latency for row in votes]),
        error="" if vote.verdict else f"only {vote.voters} of {len(votes)} members gave a verdict",
        tokens_in=_sum([row.tokens_in for row in votes]),
        tokens_out=_sum([row.tokens_out for row in votes]),
        cost=_cost([row.cost for row in votes]),
        panel=tuple(row.verdict for row in votes),
        tiebreaker=vote.tie,
    )


def _agrees(row: ResultRow, verdict: str, rule: Rule) -> bool:
    said = canonical(row.verdict)
    if rule == "plurality":
        return said == verdict
    return said is not None and is_supporting(said) == is_supporting(verdict)


def _sum(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def _cost(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) if known and len(known) == len(values) else None


def _total(values: Sequence[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total
