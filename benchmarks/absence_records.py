"""Absences over real records: services that hide a share of them, right references in varied styles, and invented ones.

    CITECHECK_SHARED=FOLDER python -m benchmarks.absence_records [COUNT] [--index works.index] [--size 40] [--hidden 0.01]
        [--together 0.1] [--invented 0.05] [--silent crossref=0.5] [--examples N]

COUNT references (default 4,000) in bibliographies of ``--size`` are records of the folder in the styles of `benchmarks.styles`,
most with the identifiers that those have; a share ``--invented`` has no identifier: a title of two halves, people of a third
paper, a venue and year of a fourth. Four services answer for the records of the index by their titles and identifiers, with gaps
of their own as counted in docs/absence.md. Each hides ``--hidden`` of the works besides; of that share, ``--together`` is hidden
by all of them. ``--silent`` says that a service answers "nothing" to a share of its searches.

Prints by stratum how many right references are called unfindable at escape limits of .2, 1 and 5 %, and how many invented ones
are; the requests a reference; the calibration of the probability that a reference is invented; and how often a title with a
changed word leads to the work that is meant.
"""

from __future__ import annotations

import argparse
import asyncio
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from random import Random
from zlib import crc32

from benchmarks.offline_verdicts import TODAY, full_index, read, sample
from benchmarks.styles import STYLES, plain_entry, styled_entry
from pytest_citecheck.absence import AbsenceContext, Stratum, probability_invented, stratum
from pytest_citecheck.gather.controls import ask_controls
from pytest_citecheck.gather.index_source import IndexSource
from pytest_citecheck.gather.lookup_state import LookupState
from pytest_citecheck.gather.profiles import PROFILES
from pytest_citecheck.gather.run import ask_all
from pytest_citecheck.model import Absent, Answer, Asked, Found, Question, QuestionKind, Record, Reference
from pytest_citecheck.services import SOURCES
from pytest_citecheck.services.base import Source
from pytest_citecheck.text.normal_form import words
from pytest_citecheck.titles.comparison import title_key
from pytest_citecheck.venues.table import all_venues
from tests.conformance.rendering import Row

__all__ = ["main"]

LIMITS = (0.002, 0.01, 0.05)
_SERVICES: Mapping[str, float] = {"crossref": 0.05, "dblp_sparql": 0.03, "semantic_scholar": 0.08, "arxiv": 0.02}
"""The share of works that a service lacks for reasons of its own."""
_WITHOUT_DOI = 0.3
_NEAR = 0.1  # of the right references: those with another word in the title, and no identifier
_FEWEST = 200
_STREAMS = {venue.dblp_stream: venue.id for venue in all_venues() if venue.dblp_stream}
_LISTS: frozenset[QuestionKind] = frozenset({"author_search", "venue_year"})
_IDENTIFIERS: frozenset[QuestionKind] = frozenset({"doi", "arxiv", "pmid", "acl", "dblp"})


@dataclass(frozen=True, slots=True)
class Gaps:
    """What services lack: a share of the works, so much of it together, and searches that silently find nothing."""

    hidden: float
    together: float
    silent: Mapping[str, float]

    def holds(self, service: str, record: Record) -> bool:
        """Whether a service has this work."""
        key = title_key(record.title)
        if _chance("all", key) < self.hidden * self.together:
            return False
        if _chance(f"hidden {service}", key) < self.hidden * (1 - self.together):
            return False
        if service == "arxiv" and not record.arxiv:
            return False
        if service == "crossref" and not record.doi and record.type != "article" and _chance("doi", key) < _WITHOUT_DOI:
            return False
        return _chance(service, key) >= _SERVICES[service]


def _chance(*names: str) -> float:
    return crc32("\x00".join(names).encode()) / 2**32


class Services:
    """Answers for the services from the index. requests: as many as batches make of the questions, without those of witnesses."""

    def __init__(self, index: IndexSource, gaps: Gaps) -> None:
        self._index, self._gaps = index, gaps
        self.requests: Counter[str] = Counter()

    def admits(self, source: Source, kind: QuestionKind) -> bool:
        wanted = kind == "title" or kind in _IDENTIFIERS or (kind in _LISTS and source.name == "dblp_sparql")
        return source.name in _SERVICES and kind in source.batch and wanted

    def answerable(self, _: Source, questions: Iterable[Question]) -> list[Question]:
        return list(questions)

    async def ask(self, source: Source, questions: Iterable[Question]) -> dict[Question, Asked]:
        wanted = {question: _of_index(question) for question in questions}
        held = self._index.ask(wanted.values())
        answers = {question: held[asked] for question, asked in wanted.items()}
        kinds = Counter(question.kind for question in answers)
        self.requests[source.name] += sum(math.ceil(count / source.batch[kind]) for kind, count in kinds.items())
        return {
            question: Asked(source.name, question, self._of(source.name, question, answers[question].answer))
            for question in answers
        }

    def _of(self, service: str, question: Question, answer: Answer) -> Answer:
        scope = f"all papers of {question.value} {question.year}" if question.kind in _LISTS else ""
        if question.kind == "venue_year":
            return Found((), scope)  # every work here is of a volume that is there
        silent = self._gaps.silent.get(service, 0)
        if question.kind == "title" and _chance("silent", service, question.value) < silent:
            return Absent()
        records = answer.records if isinstance(answer, Found) else ()
        held = [
            replace(record, source=service, compiled=service == "semantic_scholar")
            for record in records
            if self._gaps.holds(service, record)
        ]
        return Found(tuple(held), scope) if held else Absent(scope)


def _of_index(question: Question) -> Question:
    """The question of a complete list with the index's name of the venue in place of DBLP's."""
    return replace(question, value=_STREAMS.get(question.value, "")) if question.kind in _LISTS else question


@dataclass(slots=True)
class Result:
    """Counts over all bibliographies. called: by stratum and limit. found: near misses whose work is among the candidates."""

    prior: float
    real: Counter[str] = field(default_factory=Counter)
    called: Counter[tuple[str, float]] = field(default_factory=Counter)
    invented: Counter[str] = field(default_factory=Counter)
    caught: Counter[tuple[str, float]] = field(default_factory=Counter)
    verdicts: Counter[tuple[bool, str]] = field(default_factory=Counter)
    requests: Counter[str] = field(default_factory=Counter)
    stated: list[tuple[float, bool]] = field(default_factory=list)
    near: int = 0
    led: int = 0
    examples: list[str] = field(default_factory=list)


def _invented(rows: Sequence[Row], dice: Random) -> Row:
    first, second, people, place = (dice.choice(rows) for _ in range(4))
    start, end = first.title.split(), second.title.split()
    title = " ".join((*start[: (len(start) + 1) // 2], *end[len(end) // 2 :]))
    return replace(place, title=title, authors=people.authors, doi="", arxiv="")


def _near_miss(row: Row, rows: Sequence[Row], dice: Random) -> Row:
    title = row.title.split()
    title[dice.randrange(len(title))] = dice.choice(dice.choice(rows).title.split())
    return replace(row, title=" ".join(title), doi="", arxiv="")


def measured(rows: Sequence[Row], size: int, index: IndexSource, gaps: Gaps, invented: float) -> Result:
    """Bibliographies of ``size`` references, each judged with its own controls alone. invented: their share."""
    dice = Random(5)
    result = Result(prior=invented)
    kinds = {f"key{number}": _kind(dice, invented) for number in range(len(rows))}
    written = {key: _written(kind, rows[number], rows, dice) for number, (key, kind) in enumerate(kinds.items())}
    references = read(
        styled_entry(row, dice.choice(list(STYLES)), key, dice) if kinds[key] == "right" else plain_entry(row, key)
        for key, row in written.items()
    )
    meant = dict(zip(kinds, rows, strict=False))
    rest = iter(references.values())
    while some := list(islice(rest, size)):
        services = Services(index, gaps)
        _judge(some, kinds, meant, services, result)
        result.requests.update(services.requests)
    return result


def _kind(dice: Random, invented: float) -> str:
    if dice.random() < invented:
        return "invented"
    return "near" if dice.random() < _NEAR else "right"


def _written(kind: str, row: Row, rows: Sequence[Row], dice: Random) -> Row:
    if kind == "invented":
        return _invented(rows, dice)
    return _near_miss(row, rows, dice) if kind == "near" else row


def _judge(
    some: Sequence[Reference], kinds: Mapping[str, str], meant: Mapping[str, Row], services: Services, result: Result
) -> None:
    states = [LookupState.of(reference, TODAY) for reference in some]
    asyncio.run(ask_all(states, SOURCES, services, PROFILES["default"]))
    controls = asyncio.run(ask_controls(states, SOURCES, services, TODAY))
    for state in states:
        key = state.reference.key
        place = stratum(state.cited, TODAY)
        kind = kinds[key]
        evaluation = state.evaluate_finally(AbsenceContext(controls, prior=result.prior))
        case = evaluation.case
        if kind == "near":
            shown = {title_key(candidate.record.title) for candidate in case.candidates}
            result.near += 1
            result.led += title_key(meant[key].title) in shown
            continue
        wrong = kind == "invented"
        result.verdicts[wrong, evaluation.verdict.name] += 1
        if not isinstance(place, Stratum):
            continue
        (result.invented if wrong else result.real)[str(place)] += 1
        if evaluation.verdict.name == "fabricated":
            (result.caught if wrong else result.called).update((str(place), limit) for limit in LIMITS)
            continue
        if case.escape is None:
            continue
        result.stated.append((probability_invented(case.escape.mean, result.prior), wrong))
        for limit in LIMITS:
            if case.escape.bound <= limit:
                (result.caught if wrong else result.called)[str(place), limit] += 1
        if not wrong and case.escape.bound <= LIMITS[1]:
            result.examples.append(f"{case.escape.bound:.4f} {place}: {state.cited.title} ({state.cited.venue})")


def tell(result: Result, examples: int) -> None:
    """Print the tables."""
    print("| stratum | right | called unfindable at .2, 1, 5 % | invented | called unfindable or fabricated |")
    print("|---|---|---|---|---|")
    for place in [*sorted(result.real | result.invented), "all"]:
        numbers = [_share(place, limit, result.called, result.real) for limit in LIMITS]
        caught = [_share(place, limit, result.caught, result.invented) for limit in LIMITS]
        real, invented = (
            counts.total() if place == "all" else counts[place] for counts in (result.real, result.invented)
        )
        if place == "all" or real >= _FEWEST:
            print(f"| {place} | {real:,} | {', '.join(numbers)} | {invented:,} | {', '.join(caught)} |")
    print()
    for wrong in (False, True):
        counts = {name: count for (of, name), count in sorted(result.verdicts.items()) if of is wrong}
        print(f"{'invented' if wrong else 'right'}: {', '.join(f'{count:,} {name}' for name, count in counts.items())}")
    print(f"near misses that lead to the work that is meant: {result.led:,} of {result.near:,}")
    references = sum(result.verdicts.values()) + result.near
    shares = ", ".join(f"{name} {count / references:.2f}" for name, count in sorted(result.requests.items()))
    print(f"requests a reference: {result.requests.total() / references:.2f} ({shares})")
    print(f"calibration error of P(invented) of what was not found: {_calibration_error(result.stated):.4f}")
    for example in result.examples[:examples]:
        print(f"  called unfindable: {example}")


def _share(place: str, limit: float, of: Counter[tuple[str, float]], all_of_them: Counter[str]) -> str:
    count = sum(number for (where, at), number in of.items() if at == limit and place in (where, "all"))
    total = all_of_them.total() if place == "all" else all_of_them[place]
    return f"{count / total:.2%}" if total else "–"


def _calibration_error(stated: Sequence[tuple[float, bool]]) -> float:
    """The expected calibration error over ten equal bins."""
    error = 0.0
    for low in range(10):
        bin_ = [(share, wrong) for share, wrong in stated if min(9, int(share * 10)) == low]
        if bin_:
            error += abs(sum(share for share, _ in bin_) - sum(wrong for _, wrong in bin_)) / len(stated)
    return error


def _telling(row: Row) -> bool:
    return bool(row.venue and row.year and row.authors and len(words(row.title)) > 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("count", type=int, nargs="?", default=4000, help="of references")
    parser.add_argument("--index", type=Path, help="of all records; built first if missing")
    parser.add_argument("--size", type=int, default=40, help="references a bibliography")
    parser.add_argument("--hidden", type=float, default=0.01, help="share that each service lacks besides")
    parser.add_argument("--together", type=float, default=0.1, help="share of that which all of them lack")
    parser.add_argument(
        "--silent", action="append", default=[], metavar="SERVICE=SHARE", help="searches that find nothing"
    )
    parser.add_argument(
        "--invented", type=float, default=0.05, help="share of invented references, and the stated prior"
    )
    parser.add_argument("--examples", type=int, default=0, help="right references called unfindable to print")
    wanted = parser.parse_args()
    silent = {name: float(share) for name, _, share in (one.partition("=") for one in wanted.silent)}
    rows = [row for row in sample(wanted.count * 2) if _telling(row)][: wanted.count]
    with full_index(wanted.index) as index:
        gaps = Gaps(wanted.hidden, wanted.together, silent)
        tell(measured(rows, wanted.size, index, gaps, wanted.invented), wanted.examples)


if __name__ == "__main__":
    main()
