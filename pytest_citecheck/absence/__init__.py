"""How far not being found is evidence: the probability that the sources queried would have missed a real work.

A search that finds nothing says as much as the sources that answered cover works of this kind. That is known from studies and
counts (`coverage_table`), and from the run itself, where references that are known by other ways are searched for too
(`controls`). `escape` puts both together; `invented` draws the conclusion by Bayes' rule. docs/absence.md explains the model.
"""

from __future__ import annotations

from pytest_citecheck.absence.context import ESCAPE_LIMIT, PRIOR_OF_MODELS, PRIOR_OF_PAPERS, AbsenceContext
from pytest_citecheck.absence.controls import Controls, Known, Trials, is_identified, searches
from pytest_citecheck.absence.coverage_table import search_of
from pytest_citecheck.absence.escape import Escape, escape
from pytest_citecheck.absence.invented import probability_invented, share_of_file
from pytest_citecheck.absence.strata import Stratum, Uncovered, stratum

__all__ = [
    "ESCAPE_LIMIT",
    "PRIOR_OF_MODELS",
    "PRIOR_OF_PAPERS",
    "AbsenceContext",
    "Controls",
    "Escape",
    "Known",
    "Stratum",
    "Trials",
    "Uncovered",
    "escape",
    "is_identified",
    "probability_invented",
    "search_of",
    "searches",
    "share_of_file",
    "stratum",
]
