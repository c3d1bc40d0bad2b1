"""From findings to a verdict, and to what evidence is still needed."""

from __future__ import annotations

from pytest_citecheck.verdict.evaluation import Evaluation, evaluate
from pytest_citecheck.verdict.need import Need, need

__all__ = ["Evaluation", "Need", "evaluate", "need"]
