"""What sources will answer if all citations are right: each work as it is cited, where works of its kind are found.

A forecast counts the requests that follow from such answers. Whoever registers an identifier has the work; a service of all
fields finds papers by title, with the DOI that the citation leaves out where works of the venue have one; theses, reports and
web pages are found by nobody.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_citecheck.linking.disciplines import work_types
from pytest_citecheck.linking.scopes import closed_stream
from pytest_citecheck.model import Absent, Answer, Found, Question, Record, RecordType

if TYPE_CHECKING:
    from pytest_citecheck.gather.lookup_state import LookupState
    from pytest_citecheck.services.base import Source

__all__ = ["ExpectedAnswers"]

_FOUND_BY_TITLE = frozenset({"article", "paper", "book", "data", "preprint"})
_TYPES: dict[str, RecordType] = {"article": "article", "paper": "inproceedings", "book": "book", "thesis": "thesis"}
_UNSTATED = "10.99999/unstated."
_PREPRINTS = "arxiv"


class ExpectedAnswers:
    """The answers to questions about these references, of sources that know them all."""

    def __init__(self, states: Iterable[LookupState]) -> None:
        self._by_identifier: dict[tuple[str, str], LookupState] = {}
        self._by_title: dict[str, LookupState] = {}
        for number, state in enumerate(states):
            for kind, value in state.cited_identifiers().items():
                self._by_identifier.setdefault((kind, value), state)
            self._by_identifier[("doi", f"{_UNSTATED}{number}")] = state
            self._by_title.setdefault(state.cited.title, state)
        self._unstated = {
            id(state): doi for (_, doi), state in self._by_identifier.items() if doi.startswith(_UNSTATED)
        }

    def answer(self, source: Source, question: Question) -> Answer:
        """The record of the work that is asked for; an absence if this source does not have such works."""
        if question.kind == "title":
            state = self._by_title.get(question.value)
            if state is None or _FOUND_BY_TITLE.isdisjoint(work_types(state.cited)):
                return Absent()
        else:
            value = question.value.partition("v")[0] if question.kind == "arxiv" else question.value
            state = self._by_identifier.get((question.kind, value))
        return Absent() if state is None else Found((self._record(source, question, state),))

    def _record(self, source: Source, question: Question, state: LookupState) -> Record:
        cited = state.cited
        kinds = work_types(cited)
        record = Record(
            source=source.name,
            id=question.value,
            title=cited.title,
            authors=cited.people.names,
            authors_complete=not cited.people.others,
            years=(cited.year,) if cited.year else (),
            venues=(cited.venue,) if cited.venue else (),
            type="preprint" if cited.preprint else next((_TYPES[kind] for kind in kinds if kind in _TYPES), "other"),
            publisher=cited.venue,
            doi=cited.identifiers.doi or self._doi(state),
            arxiv=cited.identifiers.arxiv if source.name == _PREPRINTS or cited.preprint else "",
            pmid=cited.identifiers.pmid,
            isbn=cited.identifiers.isbn,
            compiled=not source.first_hand,
        )
        if source.name != _PREPRINTS:
            return record
        return replace(record, type="preprint", venues=("arXiv",), publisher="", doi="")

    def _doi(self, state: LookupState) -> str:
        """The DOI that a citation leaves out; none of a preprint, nor of what appeared where works have no DOI."""
        cited = state.cited
        listed = bool(closed_stream(cited, state.today))
        return "" if cited.preprint or listed or "article" not in work_types(cited) else self._unstated[id(state)]
