"""What a run knows before an absence is judged: its controls, and what the user takes for a small risk and a usual share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from pytest_citecheck.absence.controls import Controls

__all__ = ["ESCAPE_LIMIT", "PRIOR_OF_MODELS", "PRIOR_OF_PAPERS", "AbsenceContext"]

ESCAPE_LIMIT: Final = 0.01
"""The largest escape probability with which a reference is called unfindable, unless the policy states another."""
PRIOR_OF_PAPERS: Final = 0.0004
"""The share of invented references in accepted papers: 100 of the references of 4,841 papers of NeurIPS 2025 (public reports of
January 2026), about four in 10,000."""
PRIOR_OF_MODELS: Final = 0.3
"""The share of invented references in answers of language models: 14 to 95 % by model (GhostCite, arXiv:2602.06718), of which the
lower third is taken."""


@dataclass(frozen=True, slots=True)
class AbsenceContext:
    """controls: what was counted in the run. limit: the largest escape probability of what is called unfindable. prior: the share
    of invented references among those that are checked, before anything is looked for."""

    controls: Controls = field(default_factory=Controls)
    limit: float = ESCAPE_LIMIT
    prior: float = PRIOR_OF_PAPERS
