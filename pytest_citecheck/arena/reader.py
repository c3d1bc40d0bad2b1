"""The answers of an arena as a bibliography: one group of references for each cell, in the order of the cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pytest_citecheck.arena.answer_log import LoggedAnswer, best_answers, read_log
from pytest_citecheck.arena.cells import Cell
from pytest_citecheck.model import Defect, Location, Reference
from pytest_citecheck.readers.answers.duplicates import duplicates
from pytest_citecheck.readers.answers.reader import references_of, stub
from pytest_citecheck.readers.answers.records import AnswerRecord
from pytest_citecheck.readers.base import Answered, Bibliography, Usage

__all__ = ["bibliography_of"]


def bibliography_of(
    path: str, cells: Sequence[Cell], log: Path, shown: str, remarks: Sequence[Defect] = ()
) -> Bibliography:
    """The references of the answers to these cells; a cell without an answer is an item that fails (``answer-not-asked``).

    path: of the configuration; shown: that of the file of answers; both as locations name them. Raises OSError.
    """
    known = best_answers(read_log(log))
    references: list[Reference] = []
    answered: list[Answered | None] = []
    notes = list(remarks)
    for cell in cells:
        logged = known.get(cell.key)
        group = replace(cell.group(), usage=_usage(logged))
        if logged is None:
            message = f"{cell.endpoint.name} has not been asked yet"
            found = [stub(Location(path, 1, 1), "answer", "answer-not-asked", message)]
        else:
            place = Location(shown, logged.line, logged.line)
            found, more = references_of(AnswerRecord(group, logged.answer.text, logged.line), place)
            of = f"{cell.endpoint.name}, query {cell.query.number}"
            notes += [replace(note, line=1, message=f"{of}: {note.message}") for note in more]
        references += found
        answered += [Answered(group, original) for original in duplicates(found)]
    return Bibliography(path, tuple(references), tuple(notes), tuple(answered))


def _usage(logged: LoggedAnswer | None) -> Usage:
    if logged is None:
        return Usage(calls=0)
    answer = logged.answer
    return Usage(
        calls=answer.calls,
        searches=answer.searches,
        iterations=answer.iterations,
        fallback=answer.fallback,
        prompt_tokens=answer.prompt_tokens,
        completion_tokens=answer.completion_tokens,
        cost=answer.cost,
        finish=answer.finish,
        failure=answer.failure,
    )
