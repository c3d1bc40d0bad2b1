"""What the features add to the reports of a run."""

from __future__ import annotations

from pytest_citecheck.benchmark import score_sections
from pytest_citecheck.models.claims import claim_sections
from pytest_citecheck.models.selfcheck import selfcheck_sections

LAYOUTS = (score_sections, claim_sections, selfcheck_sections)
"""In the order of their sections."""
