"""No record is longer than any real one: what enters from a service, before anything is compared with it.

A record with a title, venue or number beyond all measure is no description of a work, and an answer that holds one is
malformed as a whole: without it the rest could look like a complete list in which the cited work is missing. A list of authors
is cut, and counts as one that the source has cut, so an author after the cut is no error.
"""

from __future__ import annotations

from dataclasses import fields, replace

from pytest_citecheck.model import Answer, Found, Person, Record, Unavailable
from pytest_citecheck.text.lengths import MOST_AUTHORS, MOST_STATED, longest

__all__ = ["within_lengths"]

_LISTS = ("authors", "editors")
_TEXTS = tuple((field.name, longest(field.name)) for field in fields(Record) if field.type == "str")
_STATED = tuple(
    (field.name, longest(field.name))
    for field in fields(Record)
    if str(field.type).startswith("tuple") and field.name not in _LISTS
)
_PARTS = tuple((field.name, longest(field.name)) for field in fields(Person) if field.type == "str")


def within_lengths(answer: Answer) -> Answer:
    """The answer with lists of authors cut; Unavailable (``malformed``) if a record is too long to be one."""
    if not isinstance(answer, Found):
        return answer
    records = []
    for record in answer.records:
        cut = _with_fewer_people(record)
        if problem := _beyond(cut):
            return Unavailable("malformed", f"a record of {cut.source[:100]} holds {problem}")
        records.append(cut)
    changed = any(new is not old for new, old in zip(records, answer.records, strict=True))
    return replace(answer, records=tuple(records)) if changed else answer


def _with_fewer_people(record: Record) -> Record:
    if len(record.authors) > MOST_AUTHORS:
        record = replace(record, authors=record.authors[:MOST_AUTHORS], authors_complete=False)
    if len(record.editors) > MOST_AUTHORS:
        record = replace(record, editors=record.editors[:MOST_AUTHORS])
    return record


def _beyond(record: Record) -> str:
    """What of a record is too long, in words; empty if nothing is."""
    for name, limit in _TEXTS:
        if len(text := getattr(record, name)) > limit:
            return f"{len(text):,} characters as its {name}, and at most {limit:,} can be one"
    for name, limit in _STATED:
        stated = getattr(record, name)
        if len(stated) > MOST_STATED:
            return f"{len(stated):,} {name}, and at most {MOST_STATED:,} can be of one work"
        for item in stated:
            if isinstance(item, str) and len(item) > limit:
                return f"{len(item):,} characters in its {name}, and at most {limit:,} can be one"
    for person in (*record.authors, *record.editors):
        for name, limit in _PARTS:
            if len(text := getattr(person, name)) > limit:
                return f"a name of {len(text):,} characters, and at most {limit:,} can be one"
    return ""
