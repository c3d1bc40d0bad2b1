"""From findings to a verdict, and to what evidence is still needed."""

from __future__ import annotations

from pytest_citecheck.checks.base import Case
from pytest_citecheck.verdict.evaluation import Evaluation, evaluate, opened
from pytest_citecheck.verdict.need import Need, need

__all__ = ["Case", "Evaluation", "Need", "evaluate", "need", "opened"]
