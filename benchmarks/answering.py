"""What the checks say when those who know are there to be asked: an index in the place of all services.

Offline an index cannot know that a DOI does not exist or that a paper is in no volume, and most records stand in one collection
only. With the services it is otherwise: doi.org and arXiv deny what they do not have, DBLP lists volumes whole, and nearly every
paper is known to Crossref, DBLP or OpenAlex besides. Here the index answers for them: each of its records is given by two
independent sources, each volume is taken as complete, and an identifier that no record has is denied. It measures what the
checks make of good evidence, not how good the evidence is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.offline_verdicts import TODAY
from pytest_citecheck.checks.verdict import Evaluation, evaluate
from pytest_citecheck.index.reader import LocalIndex
from pytest_citecheck.lookup.run import IndexSource
from pytest_citecheck.model import Absent, Evidence, Found, QueryResult

__all__ = ["AnsweringIndex", "answered"]

_FEWEST = 30
"""Records of a venue and year from which they are taken for the volume."""
_ANOTHER = "catalogue"
"""A source of which no collection takes anything."""
_REGISTRIES = {"doi": "doi_org", "arxiv": "arxiv"}


class AnsweringIndex(IndexSource):
    """An index that is taken as complete for each venue and year of which it has more than a few records."""

    def __init__(self, path: Path, name: str) -> None:
        super().__init__(path, name)
        with LocalIndex(path) as opened:
            volumes = [(venue, year) for venue, year, _, titles, _ in opened.volumes() if titles >= _FEWEST]
        self._complete = {place: f"the list of {place[0]} {place[1]}" for place in volumes} | self._complete


def answered(evaluation: Evaluation) -> Evaluation:
    """The evaluation with a second source that says the same, and with registries that deny what is not there."""
    return evaluate(evaluation.case.reference, Evidence(tuple(_with_services(evaluation.case.evidence))), TODAY)


def _with_services(evidence: Evidence) -> Iterator[QueryResult]:
    for asked in evidence.asked:
        yield asked
        answer, registry = asked.answer, _REGISTRIES.get(asked.question.kind, "")
        if isinstance(answer, Found):
            again = tuple(replace(record, source=_ANOTHER, compiled=False) for record in answer.records)
            yield replace(asked, source=_ANOTHER, answer=Found(again, answer.scope))
        elif registry and isinstance(answer, Absent):
            yield replace(asked, source=registry, answer=Absent(f"{registry} has no such one"))
