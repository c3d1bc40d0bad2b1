"""Phase 1: which questions to put to whom, in which order, and when to stop. All I/O of a run happens here.

Questions are asked in rounds over all references at once, so that a service gets whole batches and a work that is cited
twice is looked up once. Identifiers come first; titles are searched only for what identifiers did not settle; authors and
venue are asked for last.
"""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_citecheck.matching.claim import Claim, claim
from pytest_citecheck.matching.names import parse
from pytest_citecheck.matching.scopes import closed_stream
from pytest_citecheck.matching.venues import lookup
from pytest_citecheck.model import Absent, Asked, Evidence, Found, Question, Reference
from pytest_citecheck.transport.client import Transport
from pytest_citecheck.verdict import Need, evaluate, need

if TYPE_CHECKING:
    from pytest_citecheck.sources.base import Source
    from pytest_citecheck.transport.settings import TransportSettings
    from pytest_citecheck.transport.tally import Tally

__all__ = ["Gathered", "Progress", "gather"]

Progress = Callable[[str, int, int], object]
"""Called with what is being asked, how many questions have been answered, and how many there are so far."""


Plan = list[tuple[str, Question]]

_DATA = frozenset({"dataset", "software", "misc", "online", "electronic"})
_NEVER_PREPRINTS = frozenset({
    "book", "mvbook", "collection", "proceedings", "manual", "booklet", "patent", "standard", "online", "electronic",
})  # fmt: skip
_ARXIV_DOI = "10.48550/arxiv."


@dataclass(slots=True)
class _Dossier:
    """One reference on its way through the rounds."""

    reference: Reference
    claim: Claim
    today: datetime.date
    asked: dict[tuple[str, Question], Asked] = field(default_factory=dict)

    def evidence(self) -> Evidence:
        return Evidence(tuple(self.asked.values()))

    def need(self) -> Need:
        """What the evidence so far lacks."""
        return need(evaluate(self.reference, self.evidence(), self.today))

    def has_record(self, kind: str) -> bool:
        """Whether some source has shown a titled record for such a question."""
        return any(
            question.kind == kind
            and isinstance(asked.answer, Found)
            and any(record.title for record in asked.answer.records)
            for (_, question), asked in self.asked.items()
        )

    def families(self) -> tuple[str, ...]:
        names = [parse(person) for person in self.claim.people.names[:3]]
        return tuple(" ".join(filter(None, (name.particles, name.family))) for name in names if name.family)


@dataclass(frozen=True, slots=True)
class Gathered:
    """The evidence by reference id, and what asking took by source."""

    evidence: Mapping[str, Evidence]
    statistics: Mapping[str, Tally]


async def gather(
    references: Mapping[str, Reference],
    sources: Sequence[Source],
    settings: TransportSettings,
    today: datetime.date,
    progress: Progress | None = None,
) -> Gathered:
    """Ask the sources about these references until the evidence suffices. Raises CassetteError for a broken cassette."""
    dossiers = {name: _Dossier(reference, claim(reference), today) for name, reference in references.items()}
    by_name = {source.name: source for source in sources}
    done = total = 0

    def count(source: str, answered: int) -> None:
        nonlocal done
        done += answered
        if progress is not None:
            progress(by_name[source].label, done, total)

    async with Transport(settings, on_answer=count) as transport:
        for rule in _ROUNDS:
            wanted: dict[str, dict[Question, list[_Dossier]]] = {}
            for dossier in dossiers.values():
                for source, question in rule(dossier):
                    if source in by_name and by_name[source].accepts(question):
                        wanted.setdefault(source, {}).setdefault(question, []).append(dossier)
            total += sum(len(questions) for questions in wanted.values())
            order = [name for name in by_name if name in wanted]
            answers = await asyncio.gather(*(transport.ask(by_name[name], wanted[name]) for name in order))
            for name, answered in zip(order, answers, strict=True):
                for question, asked in answered.items():
                    for dossier in wanted[name][question]:
                        dossier.asked[name, question] = asked
        evidence = {name: dossier.evidence() for name, dossier in dossiers.items()}
        return Gathered(evidence, transport.statistics)


def _identifiers(dossier: _Dossier) -> Plan:
    """The DOI at the agency that most DOIs are from, the arXiv id at arXiv."""
    identifiers = dossier.claim.identifiers
    plan: Plan = []
    if identifiers.doi and not identifiers.doi.startswith(_ARXIV_DOI):
        plan.append(("crossref", Question("doi", identifiers.doi)))
    if identifiers.arxiv:
        plan.append(("arxiv", Question("arxiv", identifiers.arxiv)))
    return plan


def _other_agency(dossier: _Dossier) -> Plan:
    """A DOI that Crossref does not have may be DataCite's; so is that of an arXiv paper that arXiv did not show."""
    identifiers = dossier.claim.identifiers
    if not identifiers.doi or dossier.has_record("doi"):
        return []
    if identifiers.doi.startswith(_ARXIV_DOI) and dossier.has_record("arxiv"):
        return []
    return [("datacite", Question("doi", identifiers.doi))]


def _registry(dossier: _Dossier) -> Plan:
    """A DOI that neither agency showed: does it exist at all?"""
    identifiers = dossier.claim.identifiers
    if not identifiers.doi or dossier.has_record("doi") or (identifiers.arxiv and dossier.has_record("arxiv")):
        return []
    return [("doi_org", Question("doi", identifiers.doi))]


def _agency(dossier: _Dossier) -> Plan:
    """A DOI that neither agency has: whose prefix is it?"""
    identifiers = dossier.claim.identifiers
    asked = [question for source, question in dossier.asked if source == "doi_org"]
    if not asked or dossier.has_record("doi"):
        return []
    return [("doi_ra", Question("prefix", identifiers.doi.partition("/")[0]))]


def _titles(dossier: _Dossier) -> Plan:
    """Search by title what identifiers did not settle; where only a second opinion lacks, ask who is likely to have it."""
    title = dossier.claim.title
    if not title:
        return []
    lacking = dossier.need()
    question = Question("title", title, dossier.families())
    venue = lookup(dossier.claim.venue) if dossier.claim.venue else None
    # A journal or conference that is known, and not to DBLP, is of another field.
    in_dblp = venue is None or bool(venue.dblp) or venue.kind not in ("journal", "conference", "workshop")
    if not lacking.record:
        return [("dblp", question)] if lacking.second_opinion and venue is not None and in_dblp else []
    plan: Plan = [("crossref", question)]
    if in_dblp:
        plan.append(("dblp", question))
    if dossier.reference.type in _DATA:
        plan.append(("datacite", question))
    if dossier.claim.preprint:
        plan.append(("arxiv", question))
    return plan


def _preprint_or_place(dossier: _Dossier) -> Plan:
    """What titles did not find: as a preprint, and among its authors' works in the cited venue and year."""
    title = dossier.claim.title
    lacking = dossier.need()
    if not title:
        return []
    plan: Plan = []
    authors = dossier.families()
    if lacking.preprint and not dossier.claim.preprint and dossier.reference.type not in _NEVER_PREPRINTS:
        plan.append(("arxiv", Question("title", title, authors)))
    stream = closed_stream(dossier.claim, dossier.today)
    if lacking.place and stream and authors:
        plan.append(("dblp", Question("byline", stream, authors, dossier.claim.year)))
    return plan


def _volume(dossier: _Dossier) -> Plan:
    """Where the cited authors have nothing in the cited venue and year: is that listed at all? Asked once for all of it."""
    return [
        (source, Question("volume", question.value, (), question.year))
        for (source, question), asked in dossier.asked.items()
        if question.kind == "byline" and isinstance(asked.answer, Absent)
    ]


_ROUNDS: tuple[Callable[[_Dossier], Plan], ...] = (
    _identifiers,
    _other_agency,
    _registry,
    _agency,
    _titles,
    _preprint_or_place,
    _volume,
)
