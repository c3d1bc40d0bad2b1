"""Hallucinated references made from correct ones, for a benchmark from a user's own literature.

The hallucination types are those of HALLMARK (arXiv:2607.18360). There are no fixed lists of fakes: identifiers, titles, names
and venues are made from the reference, from the other references of its file, and from public facts. A checker therefore cannot
learn to recognise the fakes.
"""

from pytest_citecheck.benchmark.mutate.generation import Benchmark, benchmark, mutations
from pytest_citecheck.benchmark.mutate.original import Unfit

__all__ = ["Benchmark", "Unfit", "benchmark", "mutations"]
