"""One reference on its way through the rounds: what has been asked for it, and what the answers still lack."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_citecheck.linking.candidates import Candidate
from pytest_citecheck.model import Asked, CitedMetadata, Evidence, Found, Question, QuestionKind, Record, Reference
from pytest_citecheck.names.comparison import parse
from pytest_citecheck.verdict import Case, Evaluation, Need, evaluate, need, opened

__all__ = ["LookupState", "Plan"]

Plan = list[tuple[str, Question]]
"""Questions with the name of the source that is to be asked, the most promising first."""


@dataclass(slots=True)
class LookupState:
    """A reference and the answers so far. ``singles`` counts the requests that were made for it alone."""

    reference: Reference
    today: datetime.date
    asked: dict[tuple[str, Question], Asked]
    singles: int
    _case: Case
    _judged: tuple[int, Evaluation, Need] | None  # after how many answers, what they amount to, what they lack

    @classmethod
    def of(cls, reference: Reference, today: datetime.date) -> LookupState:
        return cls(reference, today, {}, 0, opened(reference, today), None)

    @property
    def cited(self) -> CitedMetadata:
        """What the reference claims."""
        return self._case.cited

    def evidence(self) -> Evidence:
        return Evidence(tuple(self.asked.values()))

    def need(self) -> Need:
        """What the answers so far lack."""
        return self._judgement()[2]

    def evaluation(self) -> Evaluation:
        """What the answers so far amount to."""
        return self._judgement()[1]

    def _judgement(self) -> tuple[int, Evaluation, Need]:
        if self._judged is None or self._judged[0] != len(self.asked):
            evaluation = evaluate(self.reference, self.evidence(), self.today, self._case)
            self._case = evaluation.case
            self._judged = len(self.asked), evaluation, need(evaluation)
        return self._judged

    @property
    def settled(self) -> bool:
        """Whether what is known decides all: then nobody else is asked, not even for a second opinion."""
        return bool(self.asked) and not self.need().record

    def was_asked(self, source: str, *kinds: QuestionKind) -> bool:
        """Whether a source was asked a question of such a kind."""
        return any(name == source and (not kinds or question.kind in kinds) for name, question in self.asked)

    def records(self, *kinds: QuestionKind) -> Iterator[Record]:
        """The records that answered questions of these kinds."""
        for (_, question), asked in self.asked.items():
            if question.kind in kinds and isinstance(asked.answer, Found):
                yield from asked.answer.records

    def shown(self, kind: QuestionKind, value: str) -> bool:
        """Whether some source has shown a titled record for this identifier."""
        return any(
            question.kind == kind
            and question.value == value
            and isinstance(asked.answer, Found)
            and any(record.title for record in asked.answer.records)
            for (_, question), asked in self.asked.items()
        )

    def works(self) -> tuple[Candidate, ...]:
        """What was found of the cited work, the version that is meant first."""
        self.need()  # brings the case up to date
        return (*self._case.works, *self._case.near_matches)

    def retitled_eprints(self) -> Iterator[Record]:
        """What arXiv shows of e-prints that may be the cited work under another title, while the citation is in doubt for it."""
        evaluation = self.evaluation()
        if evaluation.findings["title"].outcome == evaluation.findings["doi"].outcome == "passed":
            return
        for candidate in (*evaluation.case.behind, *evaluation.case.near_matches):
            if candidate.record.source == "arxiv" and candidate.record.version is not None:
                yield candidate.record

    def families(self, most: int = 3) -> tuple[str, ...]:
        """Family names of the first people cited."""
        names = [parse(person) for person in self.cited.people.names[:most]]
        return tuple(" ".join(filter(None, (name.particles, name.family))) for name in names if name.family)

    def names(self, most: int) -> tuple[str, ...]:
        """The first people cited as ``Family, Given``, or by their family names where no others are stated."""
        names = [parse(person) for person in self.cited.people.names[:most]]
        written = [(" ".join(filter(None, (name.particles, name.family))), " ".join(name.given)) for name in names]
        return tuple(", ".join(filter(None, parts)) for parts in written if parts[0])

    def title_question(self) -> Question:
        return Question("title", self.cited.title, self.families())
