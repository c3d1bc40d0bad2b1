"""References of real bibliographies, evaluated offline with the index, with manual judgements of the accused ones."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks.offline_evidence import offline_evidence
from benchmarks.real_bibliographies import judgements
from pytest_citecheck.checks import Findings, ReferenceCase, decide, earned_severity, probability
from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.lookup import IndexSource
from pytest_citecheck.model import Reference, VerdictName
from pytest_citecheck.sources import SOURCES

_EVERY = 4
_WRONG = frozenset({"right", "wrong-diagnosis"})
"""Judgements of accusations by which the reference is wrong."""


@dataclass(frozen=True, slots=True)
class JudgedReference:
    """A reference of a real bibliography: the verdict, the stated probability, and whether it is wrong."""

    verdict: VerdictName
    probability: float
    wrong: bool


def judged_bibliographies(folder: Path, index: Path, today: datetime.date) -> list[JudgedReference]:
    """Return every fourth reference of each file of a folder.

    Leaves out references of unknown status (accused, but never judged or undecidable) and wrong ones that a warning reports. A
    reference without an accusation counts as correct unless it was rightly accused before.
    """
    known = judgements(folder)
    found = []
    source = IndexSource(index, "index")
    for path in sorted(folder.glob("*.bib")):
        references: dict[str, Reference] = {}
        for one in read_bibtex(path.name, path.read_bytes()).references:
            if one.readable:
                references.setdefault(one.key, one)
        some = dict(islice(references.items(), 0, None, _EVERY))
        for reference, evidence in offline_evidence(some, source, SOURCES, today):
            case = ReferenceCase(reference, evidence, today)
            found_ = Findings(case)
            ruling = decide(case, found_)
            judged = known.get((path.name[:3], reference.key))
            accused = ruling.name in ("misdescribed", "fabricated")
            open_ = judged.judged == "undecidable" if judged else accused
            wrong = judged is not None and judged.judged in _WRONG
            warned = any(earned_severity(one, one.code) == "warning" for one in found_.values())
            if not (open_ or (wrong and warned and not accused)):
                found.append(JudgedReference(ruling.name, probability(case, found_, ruling.name), wrong))
    source.close()
    return found
