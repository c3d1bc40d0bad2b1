"""What an answer is worth of which an entry could not be read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_citecheck.model import Absent, Answer, Found, Question, Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["without_absences"]


def without_absences(answers: Mapping[Question, Answer], label: str) -> dict[Question, Answer]:
    """The answers, none of which denies anything: what is asked for may be the entry that could not be read.

    An absence is `Unavailable`, and a list is no longer one of all. label: what people call the source.
    """
    unread = Unavailable("malformed", f"an entry of {label}'s answer could not be read, so nothing is absent from it")
    return {
        question: unread
        if isinstance(answer, Absent)
        else replace(answer, scope="")
        if isinstance(answer, Found)
        else answer
        for question, answer in answers.items()
    }
