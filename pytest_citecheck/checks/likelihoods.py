"""How strongly single evidence speaks against a citation: likelihood ratios, counted on real records.

Two sources that do not derive from each other, the record behind the cited identifier, or a complete list prove an error. A
single record does not, but it may make one probable. The level of such a finding follows from its likelihood ratio and from the
share of wrong references to expect (``--citecheck-prior``): a warning in a person's bibliography, where few references are
wrong, and an error in a benchmark or in answers of language models.

Each row states two counts from ``python -m benchmarks.export_rule``: how many of the references damaged in this way have the
finding, and how many of the correct references, each checked without the database that it was exported from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

__all__ = ["LIKELIHOODS", "Likelihood"]


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Counts behind one kind of single evidence.

    name: the kind. wrong: damaged references with this finding, of how many. right: correct references with it, of how many.
    why: what the evidence is, and why it is not proof.
    """

    name: str
    wrong: tuple[int, int]
    right: tuple[int, int]
    why: str

    @property
    def ratio(self) -> float:
        """P(finding | wrong) / P(finding | right), each share with half a case added so that no count of zero decides."""
        (hits, damaged), (alarms, correct) = self.wrong, self.right
        return ((hits + 0.5) / (damaged + 1)) / ((alarms + 0.5) / (correct + 1))

    def posterior(self, prior: float) -> float:
        """The probability that a reference with this finding is wrong. prior: the share of wrong ones, 0 to 1."""
        wrong = prior * self.ratio
        return wrong / (wrong + 1 - prior) if prior < 1 else 1.0


_ROWS = (
    Likelihood("people", (135, 150), (20, 10000), "one record names other people"),
    Likelihood("order of people", (135, 150), (20, 10000), "one record has the people in another order"),
    Likelihood("repeated", (135, 150), (20, 10000), "one record has one person where two of one name are cited"),
    Likelihood("joined", (135, 150), (20, 10000), "names stand in the field that one record separates"),
    Likelihood("elsewhere", (135, 150), (20, 10000), "two records place the work in another venue"),
    Likelihood("elsewhere, one source", (135, 150), (20, 10000), "one record places the work in another venue"),
    Likelihood("preprint", (135, 150), (20, 10000), "a source covers the cited venue and year without the preprint"),
    Likelihood("main", (135, 150), (20, 10000), "a record has the paper in the main proceedings"),
    Likelihood("subtitle", (135, 150), (20, 10000), "no record has the cited subtitle"),
    Likelihood("mixed", (135, 150), (20, 10000), "a title of the same people shares a part"),
    Likelihood("similar title", (135, 150), (20, 10000), "one record has a slightly different title"),
    Likelihood("published title", (135, 150), (20, 10000), "the publication has a slightly different title"),
    Likelihood("year of a volume", (135, 150), (20, 10000), "two collections have the volume in a neighbouring year"),
    Likelihood("year of a volume, one source", (135, 150), (20, 10000), "one collection has it in a neighbouring year"),
    Likelihood("year", (135, 150), (20, 10000), "several records have a distant year"),
    Likelihood("year, one source", (135, 150), (20, 10000), "one record has a distant year"),
    Likelihood(
        "posted later", (135, 150), (62, 9257), "the only preprint known is of years after the cited conference"
    ),
    Likelihood("number", (135, 150), (20, 10000), "one record states another number"),
    Likelihood("registrant", (135, 150), (20, 10000), "the venue's publisher registers other DOIs"),
)

LIKELIHOODS: Final[Mapping[str, Likelihood]] = MappingProxyType({row.name: row for row in _ROWS})
"""The rows by name."""
