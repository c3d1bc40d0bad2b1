"""Local indexes as sources: queried before any network, for every reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_citecheck.evidence import PLACES, is_compiler, is_own_library, source_name
from pytest_citecheck.index import (
    IDENTIFIERS,
    Coverage,
    IndexFileError,
    LocalIndex,
    author,
    family,
    identifier_text,
    read_title,
    reason_to_skip,
    title_text,
    venue_id,
    venue_ids,
)
from pytest_citecheck.lookup.planning import LookupState, place_question
from pytest_citecheck.matching import Asked, asked_place, lookup, pages_of, same_start
from pytest_citecheck.model import Absent, Answer, Found, Query, QueryResult, Record, Unavailable
from pytest_citecheck.sources import is_of_journal, within_lengths
from pytest_citecheck.thresholds import FEW_WORKS, HELD_LACK, MANY_WORKS, YEARS_TOGETHER

if TYPE_CHECKING:
    from pathlib import Path


_MOST_RECORDS = 10
_AUTHORS = 6  # number of authors of a work that an index keeps for such look-ups
_MAPPED = 128 << 20  # bytes; mapped memory counts for the process, and this is fast enough for a bibliography
_OTHER_PEOPLE = ("authors-other", "authors-partly-other")
_ELSEWHERE = ("venue-other", "venue-elsewhere")
_MOST_OF_A_VOLUME = 5000  # works; reading a longer list takes too long for one reference
_MOST_VOLUMES = 400  # among which the first and last one of a journal are looked for
_FEW = 200
_MOST_WORKS = 2000  # of one family name in one venue and year


class IndexSource:
    """One index as a source, which answers at once.

    A query that meets damage in the file is not answered: it counts as an outage, never as an absence.

    name: ``index``, ``index-2`` … in the order of the options. date: ISO 8601, of the youngest collection; empty if
        unknown.
    only_own: it contains only a user's own references.
    """

    def __init__(self, path: Path, name: str) -> None:
        """Raises IndexFileError if the file is no index that can be read."""
        self.name = name
        self.label = f"index {path.name}"
        self.path = path
        with ExitStack() as unless_whole:
            self._index = unless_whole.enter_context(LocalIndex(path, _MAPPED))
            collections = self._index.collections()
            coverage = Coverage(self._index)
            closed = coverage.closed
            self._covered = frozenset(coverage.covered()) | closed.keys()
            unless_whole.pop_all()
        self.date = max((collection.date for collection in collections), default="")
        self.records = len(self._index)
        self.only_own = self.records > 0 and all(collection.own for collection in collections)
        self._lists: dict[tuple[str, int | None], tuple[str, float]] = {
            (venue, year): (f"{self.label} is complete for {venue} {year} ({_named(names)}: {why})", 0.0)
            for (venue, year), (names, why) in closed.items()
        }
        for (venue, year), (names, size) in coverage.nearly.items():
            lists = f"{self.label} is nearly complete for {venue} {year} ({_named(names)}: {size})"
            self._lists[venue, year] = (lists, size.lacks)
        for (venue, year), (names, works) in coverage.held.items():
            self._lists[venue, year] = (
                f"{self.label} has {works:,} works of {venue} {year} ({_named(names)})",
                HELD_LACK,
            )

    def close(self) -> None:
        self._index.close()

    def queries(self, state: LookupState) -> Iterator[Query]:
        """First queries for a reference: every identifier, and the title."""
        named = state.cited.identifiers
        for kind in IDENTIFIERS:
            values = named.isbn if kind == "isbn" else (getattr(named, kind),)
            yield from (Query(kind, value) for value in values if value)  # type: ignore[arg-type]
        if state.cited.title:
            yield state.title_question()

    def citations(self, state: LookupState) -> Iterator[Query]:
        """Queries after these if the work was not found: the whole reference string, if there is one."""
        if state.reference.readings and state.need().record:
            yield state.citation_question()

    def places(self, state: LookupState) -> Iterator[Query]:
        """Queries after these: works of its authors in its venue and year, if the index has nearly all of these."""
        year = state.cited.year
        place, people = (venue_id(state.cited.venue, year), year), state.names(_AUTHORS)
        if people and year is not None and (_unknown(state) or _of_others(state) or _under_another_name(state)):
            yield Query("author_search", "", people, year)  # their joint works, and their names in these
        # Front matter is left out of an index, however complete it is.
        if place in self._lists and people and not reason_to_skip(state.cited.title) and not _found_there(state):
            yield Query("author_search", place[0], people, place[1])
            yield Query("venue_year", place[0], (), place[1])
        elif place in self._covered and _known_elsewhere(state):
            yield Query("venue_year", place[0], (), place[1])
        for word in dict.fromkeys(_other_words(state)):
            yield Query("word", word)

    def volumes(self, state: LookupState) -> Iterator[Query]:
        """Queries after these if the work was not found: the works of the cited volume."""
        question = place_question(state, "volume")
        if question is not None and state.need().record and not state.works():
            yield replace(question, year=None)  # the volume decides, and several references share the answer

    def ask(self, queries: Iterable[Query]) -> dict[Query, QueryResult]:
        """Answers to all queries. An absence is evidence only for a venue and year for which the index is complete."""
        wanted = list(dict.fromkeys(queries))
        try:
            return self._answers(wanted)
        except IndexFileError:
            return {query: self._alone(query) for query in wanted}  # one damaged row must not cost the other answers

    def exact_keys(self, queries: Iterable[Query]) -> dict[str, tuple[int, int]]:
        """Bucket and hash of each query that is an exact look-up."""
        texts = [
            read_title(query.value)[1] if query.kind == "title" else identifier_text(query.kind, query.value)
            for query in queries
            if query.kind == "title" or query.kind in IDENTIFIERS
        ]
        return {text: self._index.exact_key(text) for text in texts}

    def propose(self, numbers: Mapping[str, Sequence[int]]) -> None:
        """Take record numbers for `exact_keys` that a join has found, in place of those taken before."""
        self._index.proposed = numbers

    @property
    def damaged_rows(self) -> set[tuple[str, int]]:
        """Damaged rows found so far; rows found by other processes can be added."""
        return self._index.damaged_rows

    @property
    def damage(self) -> str:
        """The message on a damaged file, for the end of the run; empty if no damage was found."""
        rows = len(self.damaged_rows)
        if not rows:
            return ""
        what = "1 row was" if rows == 1 else f"{rows:,} rows were"
        return f"{self.path} is damaged: {what} changed after writing, so some queries fail: rebuild the index"

    def _alone(self, query: Query) -> QueryResult:
        try:
            return self._answers([query])[query]
        except IndexFileError as error:
            return QueryResult(self.name, query, Unavailable("malformed", str(error)), self.path.name, self.date)

    def _answers(self, wanted: list[Query]) -> dict[Query, QueryResult]:
        others = [query for query in wanted if query.kind in IDENTIFIERS]
        answers: dict[Query, QueryResult] = {}
        for kind, search in (("title", self._index.by_titles), ("citation", self._index.by_citations)):
            asked = [query for query in wanted if query.kind == kind]
            found = search([query.value for query in asked], _MOST_RECORDS)
            answers |= {query: self._answer(query, records) for query, records in zip(asked, found, strict=True)}
        found = self._index.by_identifiers([(query.kind, query.value) for query in others])
        for query, records in zip(others, found, strict=True):
            # An identifier in a user's own file does not show that it exists.
            stated = [record for record in records if not is_own_library(record.source)]
            answers[query] = self._answer(query, stated)
        for query in wanted:
            if query.kind in ("author_search", "venue_year"):
                answers[query] = self._place(query)
            elif query.kind in PLACES:
                answers[query] = self._volume(query)
            elif query.kind == "word":
                lone = self._index.frequency(query.value) <= 1
                scope = f"at most one title in {self.label} has the word “{query.value}”"
                answer: Answer = Absent(scope) if lone else Found(())
                answers[query] = QueryResult(self.name, query, answer, self.path.name, self.date)
        return answers

    def _place(self, query: Query) -> QueryResult:
        """Works by half of these authors (by both, if there are two) in a complete venue and year, or some of them
        anywhere.

        For the whole volume, only that it is listed, with many of its works.
        """
        scope, lacks = self._lists.get((query.value, query.year), ("", 0.0))
        different: dict[tuple[str, str, str], Record] = {}
        if query.authors:
            half = max(2, (len(query.authors) + 1) // 2)
            at = (lambda venue: query.value in venue_ids(venue, query.year)) if query.value else None
            limit, within = (_MOST_WORKS, 0) if query.value else (FEW_WORKS, YEARS_TOGETHER)
            year = query.year or 0 if query.value else query.year
            works = self._index.by_authors(query.authors, year, limit, least=half, within=within, at=at)
            if len(works) == _MOST_WORKS:
                scope = ""  # there are more: the list is not whole
            if len(works) > MANY_WORKS:
                works = [record for record in works if _may_be_by(record, query.authors, half)]
            different = {(record.source, record.id, record.title): record for record in works}
        records = tuple(map(_marked, different.values()))
        held = records or (query.kind == "venue_year" and (query.value, query.year) in self._covered)
        answer: Answer = within_lengths(Found(records, scope, lacks)) if held else Absent(scope, lacks)
        return QueryResult(self.name, query, answer, self.path.name, self.date)

    def _volume(self, query: Query) -> QueryResult:
        """The works of a volume, or the one on a page of it. If there are none, works of its first and its last known volume."""
        asked = asked_place(query.value)
        works = self._of_journal(asked, asked.volume)
        if asked.first:
            works = [one for one in works if same_start(pages_of(asked.first).first, pages_of(one.pages).first)]
        elif not works and asked.volume.isdigit():
            known = range(1, _MOST_VOLUMES + 1)
            first = next(filter(None, (self._of_journal(asked, str(one), _FEW) for one in known)), [])
            works = (
                first
                and first[:1] + next(filter(None, (self._of_journal(asked, str(one), _FEW) for one in known[::-1])))[:1]
            )
        return self._answer(query, works)

    def _of_journal(self, asked: Asked, volume: str, most: int = _MOST_OF_A_VOLUME) -> list[Record]:
        """The works of a volume of a journal."""
        known = lookup(asked.journal)
        found = self._index.by_volume((asked.journal, *(known.names if known else ())), volume, most)
        return [one for one in found if not is_own_library(one.source) and is_of_journal(asked, one)]

    def _answer(self, query: Query, records: list[Record]) -> QueryResult:
        answer: Answer = within_lengths(Found(tuple(map(_marked, records)))) if records else Absent()
        return QueryResult(self.name, query, answer, self.path.name, self.date)


def _other_words(state: LookupState) -> Iterator[str]:
    """The words of the citation, and of records of the work, that stand in each other's place."""
    for candidate in state.evaluate_so_far().case.near_matches:
        for change in candidate.title.changes:
            if change.kind == "replaced" and (change.cited + change.found).isalpha():
                yield from (change.cited.lower(), change.found.lower())


def _named(collections: str) -> str:
    return ", ".join(map(source_name, collections.split("+")))


def _may_be_by(record: Record, people: tuple[str, ...], least: int) -> bool:
    """Return True if this many of these people (``Family, Given``) may be among the authors, by family names and initials."""
    initials = [(family(name), title_text(name.partition(",")[2]).strip()[:1]) for name in people]
    known = [(author(one), {word[:1] for word in title_text(str(one)).split()}) for one in record.authors]
    fitting = sum(
        any(last == name and (not first or first in letters) for name, letters in known) for last, first in initials
    )
    return fitting >= min(least, len(people))


def _of_others(state: LookupState) -> bool:
    """Return True if the index has the cited title as a work by other people."""
    evaluation = state.evaluate_so_far()
    of_others = (one.title.relation == "same" and one.people_agree is False for one in evaluation.case.candidates)
    return any(of_others) or evaluation.findings["authors"].code in _OTHER_PEOPLE


def _unknown(state: LookupState) -> bool:
    """True if no work with this title was found, although a venue is cited: the authors may have a similar work there."""
    case = state.evaluate_so_far().case
    searched = any(not isinstance(asked.answer, Unavailable) for asked in case.asked("title"))
    return bool(searched and state.cited.venue) and not (
        state.cited.preprint or case.works or case.near_matches or case.identifier_targets
    )


def _under_another_name(state: LookupState) -> bool:
    """Return True if the index has the work with another given name of a person, who may use both."""
    return state.evaluate_so_far().findings["authors"].code in ("authors-given-name", "authors-renamed")


def _known_elsewhere(state: LookupState) -> bool:
    """True if the work was found in another venue, or in another year of the venue."""
    findings, works = state.evaluate_so_far().findings, state.works()
    if not works or findings["title"].outcome != "passed":
        return False
    other_year = all(state.cited.year not in work.record.years for work in works)
    return findings["venue"].code in _ELSEWHERE or (other_year and findings["cross_db"].code == "year-other")


def _found_there(state: LookupState) -> bool:
    """Return True if the index has the work in the cited venue."""
    findings = state.evaluate_so_far().findings
    return bool(state.works()) and findings["title"].outcome == findings["venue"].outcome == "passed"


def _marked(record: Record) -> Record:
    """The record, marked as compiled if its collection comes from a service that compiles."""
    return replace(record, compiled=True) if is_compiler(record.source) else record
