"""Levels: whether a finding is an error, a warning or a hint, as measured on findings that were judged by hand.

``python -m benchmarks.levels --write`` computes the table (``data/levels.toml``). Nothing in this package raises a level
above it; policies of users may. `accusation` is the one way to report a finding against a citation.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Literal, Unpack

from pytest_citecheck.checks.base import ReferenceCase, Shown
from pytest_citecheck.checks.codes import default_severity
from pytest_citecheck.evidence import Candidate, Field, kind_of_evidence
from pytest_citecheck.model import EvidenceKind, Finding, Outcome
from pytest_citecheck.thresholds import EARNED, PROBABLE

_NEW = (0.6, 0.5)
"""Precision and lower bound of a code that was never judged: it starts as a warning."""
_FIELDS: Final[Mapping[str, Field]] = {
    "doi": "identifier", "title": "title", "authors": "authors", "venue": "venue", "cross_db": "year",
}  # fmt: skip
_MOST = 0.999
"""Highest precision that counts can show."""


@dataclass(frozen=True, slots=True)
class Level:
    """What is known about the findings of a code with a kind of evidence.

    right, false: findings judged by hand, or counted. precision: probability that such a finding is right in a real
    bibliography, 0 to 1. bound: its lower bound. basis: where the numbers come from.
    """

    code: str
    evidence: EvidenceKind
    right: float
    false: float
    precision: float
    bound: float
    basis: str

    def ratio(self, base: float) -> float:
        """How many times as often wrong citations have this finding as correct ones. base: share of wrong citations where
        the findings were judged."""
        return odds(self.precision) / odds(base)

    def name(self, base: float, prior: float) -> Literal["error", "warning", "info"]:
        """The level where a share ``prior`` of the citations is wrong. base: as in `ratio`; a smaller prior changes nothing."""
        shift = max(odds(prior) / odds(base), 1)
        if share(odds(self.bound) * shift) >= EARNED:
            return "warning" if self.evidence == "compiled record" else "error"
        return "warning" if share(odds(self.precision) * shift) >= PROBABLE else "info"


@dataclass(frozen=True, slots=True)
class Levels:
    """The table. base: share of wrong citations in the bibliographies whose findings were judged."""

    base: float
    rows: Mapping[tuple[str, EvidenceKind], Level]

    def row(self, code: str, evidence: EvidenceKind) -> Level:
        """The row of a code with a kind of evidence; that of a new code if it was never judged."""
        return self.rows.get((code, evidence)) or Level(code, evidence, 0, 0, *_NEW, "new")


def odds(share: float) -> float:
    """The odds of a probability; a certain one counts as `_MOST`."""
    bounded = min(max(share, 1 - _MOST), _MOST)
    return bounded / (1 - bounded)


def share(odds: float) -> float:
    """The probability of odds."""
    return odds / (1 + odds)


@cache
def levels() -> Levels:
    """The table of this package."""
    table = tomllib.loads((files(__package__) / "data" / "levels.toml").read_text(encoding="utf-8"))
    rows = [Level(**row) for row in table["level"]]
    return Levels(table["base"], {(row.code, row.evidence): row for row in rows})


def accusation(
    case: ReferenceCase,
    check: str,
    code: str,
    message: str,
    against: Sequence[Candidate] = (),
    evidence: EvidenceKind | None = None,
    **shown: Unpack[Shown],
) -> Finding:
    """Return a finding against the citation, with the outcome and the level that it has earned.

    against: the records that contradict the citation. evidence: its kind, where no records show it. The outcome is
    ``failed`` if the level is an error in this run; else ``unverifiable``.
    """
    kind = evidence or kind_of_evidence(case.cited, against, _FIELDS[check])
    table = levels()
    row = table.row(code, kind)
    level = row.name(table.base, case.prior)
    outcome: Outcome = "failed" if level == "error" else "unverifiable"
    if level == "error" and default_severity("failed", code) == "warning":
        level = "warning"  # certain, and harmless
    return Finding(
        check, outcome, code, message, evidence=kind, level=level,
        likelihood_ratio=round(row.ratio(table.base), 1), **shown,
    )  # fmt: skip
