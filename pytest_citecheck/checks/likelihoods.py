"""Strength of single evidence against a citation: likelihood ratios, counted on real records.

Two sources that do not derive from each other, the record behind the cited identifier, or a complete list prove an
error. A single record does not, but it may make one probable. The level of such a finding follows from its likelihood
ratio and from the share of wrong references to expect (``--citecheck-prior``): a warning in a person's bibliography,
where few references are wrong, and an error in a benchmark or in answers of language models.

Each row states two counts from ``python -m benchmarks.export_rule``: the damaged references of this kind with the
finding, and the correct references with it, each checked without the database that it was exported from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pytest_citecheck.thresholds import MOST_CONVINCING_RATIO


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Counts behind one kind of single evidence.

    name: the kind. wrong: number of damaged references with this finding, and in total. right: number of correct
        references with it, and in total.
    why: the reason why it is not proof.
    """

    name: str
    wrong: tuple[int, int]
    right: tuple[int, int]
    why: str

    @property
    def ratio(self) -> float:
        """P(finding | wrong) / P(finding | right), each share with half a case added so that no count of zero decides.

        At most `MOST_CONVINCING_RATIO`: errors in the samples themselves limit what the counts can show.
        """
        (hits, damaged), (alarms, correct) = self.wrong, self.right
        counted = ((hits + 0.5) / (damaged + 1)) / ((alarms + 0.5) / (correct + 1))
        return min(counted, MOST_CONVINCING_RATIO)

    def posterior(self, prior: float) -> float:
        """The probability that a reference with this finding is wrong. prior: the share of wrong ones, 0 to 1."""
        wrong = prior * self.ratio
        return wrong / (wrong + 1 - prior) if prior < 1 else 1.0


_CORRECT = 71_521
"""Exports of works that two source families have, checked without the family that they come from."""
_KNOWN = 3_147
"""References of 31 real bibliographies whose work is known to the index; false findings among them were judged by hand.
Exports say nothing about titles, because works are matched by title."""

# fmt: off
_ROWS = (
    Likelihood("people", (598, 600), (126, _CORRECT), "databases cut lists and update names"),
    Likelihood("order of people", (150, 150), (368, _CORRECT), "publishers' pages order authors otherwise than the paper"),
    Likelihood("repeated", (146, 150), (37, _CORRECT), "lists of accepted papers contain authors twice"),
    Likelihood("spelling", (132, 150), (58, _CORRECT), "publishers misspell names, and names are romanised in several ways"),
    Likelihood("joined", (6, 7), (13, _CORRECT), "arXiv shows lists as submitters typed them; wrong: lists judged"),
    Likelihood("elsewhere", (148, 150), (19, _CORRECT), "a work may be printed twice, and no source covers the cited place"),
    Likelihood("main", (103, 150), (12, _CORRECT), "a paper may be at a workshop of the conference as well"),
    Likelihood("subtitle", (149, 150), (1, _KNOWN), "a preprint may have had the subtitle"),
    Likelihood("mixed", (122, 150), (5, _KNOWN), "the same people may have a second work there"),
    Likelihood("similar title", (243, 300), (10, _KNOWN), "the record may be misspelt, or have a label in its title"),
    Likelihood("published title", (113, 150), (0, _KNOWN), "167 of 6,108 preprints differ from the publication in one word"),
    Likelihood("year of a volume", (134, 150), (5, _CORRECT), "a volume may be dated by its publisher"),
    Likelihood("year", (209, 300), (5, _CORRECT), "there may be another version of that year"),
    Likelihood("posted later", (9, 9), (62, 9_257), "some e-prints are posted three years or more after the conference"),
    Likelihood("number", (251, 300), (1, _CORRECT), "a work may have two DOIs of one registrant"),
    Likelihood("registrant", (115, 1_500), (13, _CORRECT), "collections give a paper the DOI of another version"),
)
# fmt: on

LIKELIHOODS: Final[Mapping[str, Likelihood]] = MappingProxyType({row.name: row for row in _ROWS})
"""The rows by name."""
