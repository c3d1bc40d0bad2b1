"""Fields of a reference that are longer than any real one: cut for comparison, and told."""

from __future__ import annotations

from pytest_citecheck.matching.lengths import longest
from pytest_citecheck.model import Defect

__all__ = ["OVERLONG", "within_length"]

OVERLONG = "overlong-field"
_PEOPLE = frozenset({"author", "editor", "translator"})
_AND_OTHERS = " and others"


def within_length(name: str, value: str, line: int, key: str) -> tuple[str, Defect | None]:
    """The value (as written) cut to the length that its field may have, and the defect to report; None if it is short enough.

    A list of people is cut between two of them and says that it is cut, so that the missing ones count as left out.
    """
    limit = longest(name)
    if len(value) <= limit:
        return value, None
    cut = value[:limit]
    if name in _PEOPLE:
        last = cut.rfind(" and ")
        cut = (cut[:last] if last > 0 else cut) + _AND_OTHERS
    message = (
        f"The field “{name}” of “{key[:100]}” holds {len(value):,} characters; no real one has more than {limit:,}, and only "
        "these are compared."
    )
    return cut, Defect(OVERLONG, message, line)
