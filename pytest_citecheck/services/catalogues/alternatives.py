"""One answer to several alternatives of a query: which of its records is about which question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.model import Absent, Answer, Found, Question, Record, Unavailable
from pytest_citecheck.services.base import MalformedAnswerError
from pytest_citecheck.services.parsing.search_words import plain_words, whole_words

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PAGE", "SHORT_PAGE", "Named", "answered", "are_few_words", "first_author", "title_words"]

Named = tuple[frozenset[tuple[str, str]], Record]
"""A record with all identifiers under which the service knows it, as pairs of a kind of question and a value."""

PAGE, SHORT_PAGE = 100, 10
"""Results asked for: for several questions, and for one title."""
_MOST_WORDS = 8
_FEWEST_WORDS = 4
"""Titles with fewer words have many namesakes, which would crowd out the works of other titles; they are asked alone."""


def title_words(question: Question) -> list[str]:
    """The words of a title that a good record should have, in lower case, as AND, OR and NOT are operators."""
    return [word.lower() for word in whole_words(question.value, _MOST_WORDS)]


def are_few_words(question: Question) -> bool:
    """Whether a title has to be asked alone, and with its first author."""
    return question.kind == "title" and len(title_words(question)) < _FEWEST_WORDS


def first_author(question: Question) -> str:
    """The plain words of the first author's family name, in lower case; empty if no author is stated."""
    return " ".join(plain_words(question.authors[0])).lower() if question.authors else ""


def answered(
    questions: Sequence[Question], results: Sequence[Named | None], *, total: int, label: str
) -> dict[Question, Answer]:
    """The answer to each question by the results of one page, of which ``total`` were found.

    None is a result that cannot be read: then nothing is absent. No absence has a scope. Raises MalformedAnswerError for a
    page that holds fewer results than a page can, or none that can be read.
    """
    from pytest_citecheck.services.parsing.title_batch import titled_alike
    from pytest_citecheck.services.parsing.unread import without_absences

    if len(results) < min(total, SHORT_PAGE if len(questions) == 1 else PAGE):
        raise MalformedAnswerError(f"{label}'s answer contains {len(results)} of {total} results")
    read = [result for result in results if result is not None]
    if results and not read:
        raise MalformedAnswerError(f"no result of {label}'s answer says what it is of")
    more = total > len(results)
    # A recorded batch is read for one question, too.
    together = len(questions) > 1 or len(results) > SHORT_PAGE
    answers: dict[Question, Answer] = {}
    for question in questions:
        if question.kind == "title":
            answers[question] = titled_alike(question, [record for _, record in read], cut=more and together)
            continue
        mine = tuple(record for names, record in read if (question.kind, question.value) in names)
        if not mine and more:
            answers[question] = Unavailable("not-asked", f"{label} has more works for these identifiers than it shows")
        else:
            answers[question] = Found(mine) if mine else Absent()
    return without_absences(answers, label) if len(read) < len(results) else answers
