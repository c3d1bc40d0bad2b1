"""Hallucinated references made of right ones, for a benchmark of a user's own literature.

The types are those of HALLMARK (arXiv:2607.18360). Nothing is taken from fixed lists of fakes: identifiers, titles, names
and venues are made from the reference itself, from the others of its file, and from public facts, so that a checker can
learn nothing from a benchmark made here but to check.
"""

from pytest_citecheck.benchmark.mutate.generation import Benchmark, benchmark, mutations
from pytest_citecheck.benchmark.mutate.original import Unfit

__all__ = ["Benchmark", "Unfit", "benchmark", "mutations"]
