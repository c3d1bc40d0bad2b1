"""Choice between readings of a reference string: a record's title found in the string shows the boundaries of its
parts.

A string is ambiguous by itself and clear beside a record. A title that occurs word for word, between marks, fixes the
reading. One that nearly occurs chooses among the readings of the string itself; the differences are then the author's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple
from unicodedata import combining, normalize

from rapidfuzz import fuzz

from pytest_citecheck.evidence.places import is_at_place
from pytest_citecheck.inputs import (
    bibtex_authors,
    cited_metadata,
    name_share,
    people_before,
    readable_value,
    reading_between,
)
from pytest_citecheck.matching import compare_authors, lazy_pattern, words
from pytest_citecheck.model import Evidence, Found, Reading, Record, Reference
from pytest_citecheck.thresholds import AGREEING, DISTINCTIVE, NEARLY_IN_STRING

_BEFORE = frozenset(".,:;)]?!\"“”„'‘’«»—–|*_《『「")
_AFTER = frozenset('.,;?!)(]"”’»*_|》』」')
_QUOTES = frozenset("\"“”„'‘’«» *_《》『』「」(")
_YEAR_BEFORE = lazy_pattern(r"(?:(?<![\s,.(])[\s,.(]++)?(?:1[5-9]|20)\d\d[a-z]?(?:,[^()]{0,40})?\)?[\s.,:]*+$")
_LONGEST_NAME = 9  # words of an organisation
_HALF = 0.5
_FEWEST_LETTERS = 6
"""Minimum length of a title that is searched for in a string: "Cell" occurs in many."""


class _Folded(NamedTuple):
    letters: str
    places: tuple[int, ...]


def beside_records(reference: Reference, evidence: Evidence) -> Reference:
    """A reference with readings, in that which the records of the evidence choose; the same object where they choose none."""
    records = [
        record
        for asked in evidence.asked
        if isinstance(asked.answer, Found)
        for record in asked.answer.records
        if record.title
    ]
    chosen = _at_its_place(reference, records) if not reference.fields.get("title") else None
    chosen = chosen or _exactly(reference, records) or _nearly(reference, records)
    return reference if chosen is None or chosen == reference.readings[0] else _in(reference, chosen)


def _at_its_place(reference: Reference, records: Iterable[Record]) -> Reading | None:
    """Return the reading of a reference without a title, with the title of the record by these people at its place."""
    cited = cited_metadata(reference)
    for record in records:
        if is_at_place(cited, record):
            people = compare_authors(cited.people, record.authors, complete=record.authors_complete)
            if not people.abstain and people.overlap >= AGREEING:
                first = reference.readings[0]
                return replace(first, fields={**first.fields, "title": record.title})
    return None


def _in(reference: Reference, chosen: Reading) -> Reference:
    fields = {name: readable_value(name, value) for name, value in chosen.fields.items()}
    others = tuple(
        one for one in reference.readings if words(one.fields.get("title", "")) != words(chosen.fields["title"])
    )
    return replace(reference, type=chosen.type, fields=fields, raw=dict(chosen.fields), readings=(chosen, *others))


def _exactly(reference: Reference, records: Iterable[Record]) -> Reading | None:
    """Return the reading at the longest title that occurs in the string word for word between two marks."""
    text = reference.text
    folded = _folded(text)
    best = (0, 0)
    for record in records:
        for title in (
            f"{record.title}: {record.subtitle}" if record.subtitle else "",
            record.title,
            *record.other_titles,
        ):
            span = _span(folded, text, title)
            if span is None or span[1] - span[0] <= best[1] - best[0]:
                continue
            if record.type == "proceedings" or text[: span[0]].rstrip(" :").lower().endswith((" in", ",in")):
                continue  # the venue
            if not _may_be_people(text[: span[0]]):
                continue  # the title of another reference in the same string
            if _names_one(folded, record, span) or (
                len(words(title)) >= DISTINCTIVE and _is_read_there(reference, title)
            ):
                best = span
    if best == (0, 0):
        return None
    first = reference.readings[0]
    if first.certain and words(first.fields.get("title", "")) == words(text[slice(*best)]):
        return None
    if first.certain and any("marks" in cue for cue in first.cues):
        return None
    return reading_between(text, *best, "the title of a record stands there")


def _may_be_people(before: str) -> bool:
    """Return True if the text before a title is empty, mostly names, or one name."""
    people = people_before(_YEAR_BEFORE.sub("", before.rstrip("".join(_QUOTES))))
    return len(people.split()) <= _LONGEST_NAME or bool(bibtex_authors(people)) or name_share(people)[0] >= _HALF


def _is_read_there(reference: Reference, title: str) -> bool:
    """Return True if a reading of the string begins its title so, or this title begins with the title of the reading."""
    wanted = _folded(title).letters
    read = (_folded(one.fields.get("title", "")).letters for one in reference.readings)
    return any(one and (one.startswith(wanted) or wanted.startswith(one)) for one in read)


def _nearly(reference: Reference, records: Iterable[Record]) -> Reading | None:
    """Return the reading with the title closest to a record, if the string also contains one of its people."""
    first = reference.readings[0]
    if first.certain:
        return None
    folded = _folded(reference.text)
    best: tuple[float, Reading | None] = (100 * NEARLY_IN_STRING, None)
    for record in records:
        title = _folded(record.title).letters
        if len(words(record.title)) < DISTINCTIVE or not _names_one(folded, record, (0, 0)):
            continue
        for reading in reference.readings:
            score = fuzz.ratio(_folded(reading.fields.get("title", "")).letters, title)
            if score >= best[0]:
                best = (score, reading)
    if best[1] is None:
        return None
    fields = {name: value for name, value in best[1].fields.items() if name != "author" or not _guessed(best[1])}
    return Reading(best[1].type, fields, (*best[1].cues, "nearly the title of a record"), certain=True)


def _guessed(reading: Reading) -> bool:
    """Return True if the people of a reading are uncertain names, which are not compared."""
    return any(cue.startswith(("mostly names", "a capitalised name")) for cue in reading.cues)


def _span(folded: _Folded, text: str, title: str) -> tuple[int, int] | None:
    """Return the offsets of a title that occurs completely between two marks; None if it does not."""
    wanted = _folded(title).letters
    if len(wanted) < _FEWEST_LETTERS:
        return None
    at = folded.letters.find(wanted)
    while at >= 0:
        start, end = folded.places[at], folded.places[at + len(wanted) - 1] + 1
        if _begins(text, start) and _ends(text, end):
            return start, end
        at = folded.letters.find(wanted, at + 1)
    return None


def _begins(text: str, start: int) -> bool:
    before = text[:start].rstrip("".join(_QUOTES))
    return not before or before[-1] in _BEFORE or text[start - 1 : start] in _QUOTES - {" ", "(", "'", "’"}


def _ends(text: str, end: int) -> bool:
    after = text[end:].lstrip('"”’»*_》』」) ')
    return not after or after[0] in _AFTER or text[end : end + 1] in _AFTER


def _names_one(folded: _Folded, record: Record, span: tuple[int, int]) -> bool:
    """Return True if the string names one of the first people of a record, outside of the title."""
    families = (
        person.family or (person.literal.split() or [""])[-1] for person in (*record.authors[:8], *record.editors[:3])
    )
    for family in families:
        letters = _folded(family).letters
        at = folded.letters.find(letters) if len(letters) > 1 else -1
        while at >= 0:
            if not span[0] <= folded.places[at] < span[1]:
                return True
            at = folded.letters.find(letters, at + 1)
    return False


@lru_cache(maxsize=4096)
def _folded(text: str) -> _Folded:
    """The letters and digits of a text in their normal form, and the offset of each in the text."""
    if text.isascii():  # the same, faster
        small = text.lower()
        return _Folded(
            "".join(filter(str.isalnum, small)), tuple(at for at, sign in enumerate(small) if sign.isalnum())
        )
    letters: list[str] = []
    places: list[int] = []
    for offset, sign in enumerate(text):
        for letter in sign.lower() if sign.isascii() else normalize("NFKD", sign).casefold():
            if letter.isalnum() and not combining(letter):
                letters.append(letter)
                places.append(offset)
    return _Folded("".join(letters), tuple(places))
