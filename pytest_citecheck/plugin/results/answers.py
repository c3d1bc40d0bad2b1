"""Properties of references from models' answers, as they are sent with their checks.

`pytest_citecheck.benchmark.arena.answers` reads them again, from the reports of a run or from JUnit XML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.benchmark.arena.strict_rule import strict_result
from pytest_citecheck.benchmark.arena.usage import usage_text
from pytest_citecheck.readers.base import NO_USAGE

if TYPE_CHECKING:
    from pytest_citecheck.model import Reference
    from pytest_citecheck.readers.base import Answered
    from pytest_citecheck.verdict import Evaluation

__all__ = ["answer_properties", "repeats"]


def answer_properties(
    answered: Answered, repeated: int, reference: Reference, evaluation: Evaluation | None, check: str
) -> dict[str, str]:
    """Name and value of the properties that the metrics of models need.

    repeated: how often the same answer repeats the reference. evaluation: None for an unreadable reference. What the Arena's
    rule says is with one check of the six.
    """
    group = answered.group
    stated = {
        "model": group.model,
        "query": str(group.number),
        "sample": str(group.sample),
        "discipline": group.discipline,
        "language": group.language,
        "tool": "yes" if group.tool else "",
        "served": group.served,
        "requested": _number(group.requested),
        "earliest": _number(group.earliest),
        "latest": _number(group.latest),
        "repeated": str(repeated or ""),
        "delivery": next((defect.code for defect in reference.defects if defect.code in _DELIVERY), ""),
    }
    if check in ("title", "syntax") and group.usage != NO_USAGE:
        stated["usage"] = usage_text(group.usage)
    if evaluation is not None:
        metadata = evaluation.case.cited
        cited = {
            "doi": metadata.identifiers.doi,
            "year": metadata.year_text,
            "authors": metadata.people.names,
        }
        stated["cited"] = " ".join(name for name, value in cited.items() if value)
        stated["year"] = _number(metadata.year)
        works = (*evaluation.case.works, *evaluation.case.near_matches)
        if works:
            stated["found_years"] = " ".join(map(str, works[0].record.years))
            stated["found_by"] = works[0].record.source
        if check == "title":
            stated["strict"] = strict_result(reference, evaluation.case.evidence, group.discipline).to_text()
    return {f"citecheck.answer.{name}": value for name, value in stated.items() if value}


_DELIVERY = frozenset({"answer-missing", "answer-empty", "answer-unread", "answer-not-asked"})


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def repeats(references: tuple[Reference, ...], answered: tuple[Answered | None, ...]) -> list[str]:
    """A note for each reference that repeats an earlier one of its answer; such a reference is checked and counted once."""
    return [
        f"{reference.location}: repeated: {reference.key} cites the work of "
        f"{place.duplicate_of} again ({place.group.model}, query {place.group.number})"
        for reference, place in zip(references, answered, strict=True)
        if place is not None and place.duplicate_of
    ]
