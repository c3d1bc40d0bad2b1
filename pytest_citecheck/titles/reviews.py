"""Reviews of books: cited as "Review of …", registered under the title of the book, with its authors among their own.

JSTOR deposits reviews so (Chomsky's of Skinner: "Verbal Behavior" by Noam Chomsky, B. F. Skinner).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_citecheck.model import Person
from pytest_citecheck.text.normal_form import words
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["is_review_of", "reviewers"]

_REVIEW = lazy_pattern(r"\W*(?:a\s+|the\s+|book\s+)?review(?:\s+of\b|\s*:)", re.IGNORECASE)


def is_review_of(cited: str, title: str) -> bool:
    """Whether the title ``cited`` says that the work is a review, and ends in the ``title`` of what is reviewed."""
    match = _REVIEW.match(cited)
    if match is None:
        return False
    subject, reviewed = words(cited[match.end() :]), words(title)
    return bool(reviewed) and tuple(subject[-len(reviewed) :]) == tuple(reviewed)


def reviewers(people: Sequence[Person], cited: str) -> tuple[Person, ...]:
    """Of the people of a record those whom the ``cited`` title of the review does not name as authors of the book."""
    named = frozenset(words(cited))
    family = {person: words(person.family or person.literal) for person in people}
    return tuple(person for person in people if not (family[person] and family[person][-1] in named))
