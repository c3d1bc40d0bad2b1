"""An index in place of all services, to measure the checks with complete evidence.

Offline, an index cannot know that a DOI does not exist or that a paper is in no volume, and most records are in one collection
only. The services can: doi.org and arXiv deny unknown identifiers, DBLP lists whole volumes, and nearly every paper is also in
Crossref, DBLP or OpenAlex. Here the index answers in their place: two independent sources return each of its records, each
volume counts as complete, and unknown identifiers are denied. The result measures the checks, not the
quality of the evidence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.offline_verdicts import TODAY
from pytest_citecheck.checks import Evaluation, evaluate
from pytest_citecheck.index import LocalIndex
from pytest_citecheck.lookup import IndexSource
from pytest_citecheck.model import Absent, Evidence, Found, QueryResult

_FEWEST = 30
"""Records of a venue and year from which they are taken for the volume."""
_ANOTHER = "catalogue"
"""A source that no collection draws on."""
_REGISTRIES = {"doi": "doi_org", "arxiv": "arxiv"}


class AnsweringIndex(IndexSource):
    """An index that counts as complete for each venue and year with more than a few records."""

    def __init__(self, path: Path, name: str) -> None:
        super().__init__(path, name)
        with LocalIndex(path) as opened:
            volumes = [(venue, year) for venue, year, _, titles, *_ in opened.volumes() if titles >= _FEWEST]
        self._lists |= {place: (f"the list of {place[0]} {place[1]}", 0.0) for place in volumes}


def answered(evaluation: Evaluation) -> Evaluation:
    """Add a second source with the same records, and registries that deny missing identifiers."""
    return evaluate(evaluation.case.reference, Evidence(tuple(_with_services(evaluation.case.evidence))), TODAY)


def _with_services(evidence: Evidence) -> Iterator[QueryResult]:
    for asked in evidence.asked:
        yield asked
        answer, registry = asked.answer, _REGISTRIES.get(asked.query.kind, "")
        if isinstance(answer, Found):
            again = tuple(replace(record, source=_ANOTHER, compiled=False) for record in answer.records)
            yield replace(asked, source=_ANOTHER, answer=Found(again, answer.scope))
        elif registry and isinstance(answer, Absent):
            yield replace(asked, source=registry, answer=Absent(f"{registry} has no such one"))
