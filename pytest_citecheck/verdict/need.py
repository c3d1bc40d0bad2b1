"""What the evidence for a reference still lacks: gathering asks on until nothing does."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_citecheck.verdict.evaluation import Evaluation

__all__ = ["Need", "need"]

_SETTLING = ("title", "authors", "venue", "cross_db")
_NOTHING_TO_FIND = frozenset({"venue-missing", "authors-missing", "venue-unknown"})


@dataclass(frozen=True, slots=True)
class Need:
    """A record that decides, or only an independent second opinion."""

    decision: bool
    second_opinion: bool


def need(evaluation: Evaluation) -> Need:
    """A decision is needed until title, authors, venue and agreement all pass and no cited identifier is in doubt."""
    findings = evaluation.findings
    settled = all(findings[name].outcome == "passed" or findings[name].code in _NOTHING_TO_FIND for name in _SETTLING)
    doubtful = findings["doi"].outcome != "passed" and findings["doi"].code != "doi-not-cited"
    return Need(
        decision=not settled or doubtful,
        second_opinion=findings["cross_db"].code == "agree-registry",
    )
