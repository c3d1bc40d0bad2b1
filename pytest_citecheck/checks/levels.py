"""Levels: whether a finding is an error, a warning or a hint, as measured on findings that were judged by hand.

``python -m benchmarks.levels --write`` computes the table (``data/levels.toml``). Nothing in this package raises a level
above it; policies of users may. `pytest_citecheck.checks.base.accusation` reports a finding against a citation.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from pytest_citecheck.model import EvidenceKind
from pytest_citecheck.thresholds import EARNED, PRIOR_OF_PAPERS, PROBABLE


@dataclass(frozen=True, slots=True)
class Level:
    """What is known about the findings of a code with a kind of evidence.

    right, false: findings that were right and false, judged by hand or counted. precision: the probability that such a finding
    in a real bibliography is right, 0 to 1. bound: its lower bound. ratio: how many times as often wrong citations have this
    finding as correct ones. basis: where the numbers come from.
    """

    code: str
    evidence: EvidenceKind
    right: float
    false: float
    precision: float
    bound: float
    ratio: float
    basis: str

    def name(self, prior: float = PRIOR_OF_PAPERS) -> Literal["error", "warning", "info"]:
        """Return the level of a finding.

        prior: share of wrong citations to expect, 0 to 1. If many are wrong, as in a benchmark, the ratio may make an error of
        a finding that is none in a bibliography. Records of aggregators alone never convict.
        """
        earned = self.bound >= EARNED or posterior(prior, self.ratio) >= EARNED
        if earned and self.evidence != "compiled record":
            return "error"
        return "warning" if max(self.precision, posterior(prior, self.ratio)) >= PROBABLE else "info"


def posterior(prior: float, ratio: float) -> float:
    """The probability that a citation is wrong, from the share of wrong ones (0 to 1) and a likelihood ratio."""
    wrong = prior * ratio
    return wrong / (wrong + 1 - prior) if prior < 1 else 1.0


@cache
def level_table() -> Mapping[tuple[str, EvidenceKind], Level]:
    """The table, by code and kind of evidence. The code ``*`` stands for codes that were never judged with this evidence."""
    table = tomllib.loads((files(__package__) / "data" / "levels.toml").read_text(encoding="utf-8"))
    return {(row["code"], row["evidence"]): Level(**row) for row in table["level"]}


def level_of(code: str, evidence: EvidenceKind) -> Level:
    """The row of a code and a kind of evidence; that of the kind if the code was never judged, which is at most a warning."""
    table = level_table()
    return table.get((code, evidence)) or table["*", evidence]
