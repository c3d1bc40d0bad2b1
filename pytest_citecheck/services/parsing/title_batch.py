"""Which records of an answer to several searches belong to which of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.model import Absent, Answer, Found, Question, Record, Unavailable
from pytest_citecheck.titles.comparison import compare_titles

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["titled_alike"]


def titled_alike(question: Question, records: Iterable[Record], *, cut: bool) -> Answer:
    """The records whose title resembles that of the question; one record may belong to several questions.

    ``cut``: the answer shows only some of what was found for all questions together, so that it is no word on a question
    without a record: `Unavailable`, which is asked again in smaller company. Otherwise there is none: `Absent`.
    """
    mine = tuple(record for record in records if record.title and _resembles(question.value, record))
    if mine:
        return Found(mine)
    if cut:
        return Unavailable("malformed", "the answer was full before it came to this title")
    return Absent()


def _resembles(title: str, record: Record) -> bool:
    return compare_titles(title, record.title, record.subtitle, record.other_titles).relation != "different"
