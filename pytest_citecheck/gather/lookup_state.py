"""One reference on its way through the rounds: what has been queried for it, and what is still missing.

`LookupState.evaluate_so_far` is the one place in gathering where checks run, since what is still missing depends on them.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from pytest_citecheck.absence import AbsenceContext
from pytest_citecheck.linking.candidates import Candidate
from pytest_citecheck.model import (
    Asked,
    CitedMetadata,
    Evidence,
    Found,
    Question,
    QuestionKind,
    Record,
    Reference,
    Unavailable,
)
from pytest_citecheck.names.comparison import parse
from pytest_citecheck.verdict import Case, Evaluation, Need, evaluate, need, opened

__all__ = ["LookupState", "Plan"]

Plan = list[tuple[str, Question]]
"""Questions with the name of the source that is to be asked, the most promising first."""


@dataclass(slots=True)
class LookupState:
    """A reference and the answers so far.

    planned: all that a round has planned to ask, also what was then not asked. own_questions: for this reference alone.
    """

    reference: Reference
    today: datetime.date
    asked: dict[tuple[str, Question], Asked]
    _case: Case
    _evaluated: tuple[int, Evaluation, Need] | None = (
        None  # after how many answers, what they amount to, what they lack
    )
    planned: set[tuple[str, Question]] = field(default_factory=set)
    own_questions: int = 0

    @classmethod
    def of(cls, reference: Reference, today: datetime.date, known: Evidence | None = None) -> LookupState:
        """known: what has been answered already."""
        asked = {(one.source, one.question): one for one in known.asked} if known is not None else {}
        return cls(reference, today, asked, opened(reference, today))

    @property
    def cited(self) -> CitedMetadata:
        """What the reference claims."""
        return self._case.cited

    def cited_identifiers(self) -> dict[QuestionKind, str]:
        """The cited identifiers by kind, without the kinds that are not cited; of several ISBNs the first one."""
        named = self.cited.identifiers
        values: dict[QuestionKind, str] = {
            "doi": named.doi, "arxiv": named.arxiv, "pmid": named.pmid, "pmcid": named.pmcid, "acl": named.acl,
            "isbn": next(iter(named.isbn), ""), "openreview": named.openreview, "dblp": named.dblp,
            "hal": named.hal, "nnt": named.nnt,
            "rfc": named.rfc, "w3c": named.w3c, "package": named.package, "repository": named.repository,
            "texkey": named.texkey, "zbl": named.zbl, "bibcode": named.bibcode,
        }  # fmt: skip
        return {kind: value for kind, value in values.items() if value}

    def evidence(self) -> Evidence:
        return Evidence(tuple(self.asked.values()))

    def need(self) -> Need:
        """What the answers so far leave missing."""
        return self._judged()[1]

    def evaluate_so_far(self) -> Evaluation:
        """Run the checks on the answers so far, if any came since the last time, and say what they amount to."""
        if self._evaluated is None or self._evaluated[0] != len(self.asked):
            evaluation = evaluate(self.reference, self.evidence(), self.today, self._case)
            self._case = evaluation.case
            self._evaluated = len(self.asked), evaluation, need(evaluation)
        return self._evaluated[1]

    def _judged(self) -> tuple[Evaluation, Need]:
        """What planning goes by: the answers so far, without the outages since the last answer where these tell it nothing."""
        if self._evaluated is None or not self._only_outages_since(*self._evaluated[:2]):
            self.evaluate_so_far()
        assert self._evaluated is not None  # noqa: S101 - it has just been set
        return self._evaluated[1:]

    def _only_outages_since(self, answers: int, evaluation: Evaluation) -> bool:
        """Whether nothing that a need depends on can have changed."""
        # An outage finds nothing. It can only take back a failure: what is absent from others may be there.
        if "failed" in (evaluation.findings["title"].outcome, evaluation.findings["venue"].outcome):
            return len(self.asked) == answers
        since = islice(reversed(self.asked.values()), len(self.asked) - answers)
        return all(isinstance(asked.answer, Unavailable) for asked in since)

    def evaluate_finally(self, absences: AbsenceContext) -> Evaluation:
        """The same when all evidence is there: where nothing was found, the absence is judged too; where single evidence speaks
        against the citation, its weight."""
        evaluation = self.evaluate_so_far()
        case = evaluation.case
        single = any(finding.likelihood_ratio for finding in evaluation.findings.values())
        if not single and not case.is_missing:
            return evaluation
        if case.absences != absences:
            evaluation = evaluate(self.reference, self.evidence(), self.today, case, absences)
            self._case, self._evaluated = evaluation.case, (len(self.asked), evaluation, need(evaluation))
        return evaluation

    def case_with(self, answers: Sequence[Asked]) -> Case:
        """The case with answers that are no evidence, but those to a search for a control."""
        case = self.evaluate_so_far().case
        return Case(case.reference, Evidence((*case.evidence.asked, *answers)), case.today, case) if answers else case

    @property
    def settled(self) -> bool:
        """Whether what is known decides all: then no other source is queried, not even for a second opinion."""
        return bool(self.asked) and not self.need().record

    def was_asked(self, source: str) -> bool:
        """Whether a source was asked anything."""
        return any(name == source for name, _ in self.asked)

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
        case = self._judged()[0].case
        return (*case.works, *case.near_matches)

    def retitled_eprints(self) -> Iterator[Record]:
        """E-prints with versions that may be the cited work under another title, while the citation is in doubt for it."""
        evaluation = self._judged()[0]
        if evaluation.findings["title"].outcome == evaluation.findings["doi"].outcome == "passed":
            return
        for candidate in (*evaluation.case.identifier_targets, *evaluation.case.near_matches):
            if candidate.record.arxiv and candidate.record.version is not None:
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

    def citation_question(self) -> Question:
        """The whole reference string, for those who find in it what it is about."""
        return Question("citation", " ".join(self.reference.text.split()))

    def title_question(self) -> Question:
        return Question("title", self.cited.title, self.families())
