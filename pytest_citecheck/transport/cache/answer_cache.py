"""What the services answered in earlier runs, so that a run over an unchanged bibliography asks nothing.

An answer is kept by the question, not by the request: forty DOIs that were asked in one batch are found again alone, or in
other batches. How long it holds depends on what it says (`lifetime`). It is found only in the `FORMAT` and for the
`Source.version` with which it was read; a new version of one service leaves the answers of all others valid.
"""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_citecheck.model import Asked, Found, Question, Record, Unavailable
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.titles.comparison import compare_titles
from pytest_citecheck.transport.cache.answer_file import AnswerFile, Row
from pytest_citecheck.transport.cache.answer_json import AnswerJsonError, decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

__all__ = ["FORMAT", "MOST_BYTES", "AnswerCache", "CacheStatistics", "lifetime"]

FORMAT = 1
"""Raise it when the model, `answer_json` or what all services share in parsing changes what a stored answer means."""

MOST_BYTES = 200_000_000
"""The size that the cache keeps to, if not told another: some 100,000 answers."""

_write = json.JSONEncoder(separators=(",", ":")).encode

# How the line of evidence begins, as `encode` writes it.
_SOURCE = lazy_pattern(rb'\{"source":"(\w++)"')
_LONGEST_BEGINNING = 100

_DAY = 86_400.0
_FOUND = 30 * _DAY
_NOT_FOUND = _DAY
_SEARCHES = frozenset({"title", "citation", "author_search", "venue_year"})


@dataclass(frozen=True, slots=True)
class CacheStatistics:
    """How many answers are stored, those that hold no longer among them, and how many bytes they take on the disk."""

    rows: int
    bytes: int


class AnswerCache:
    """The answers that are stored in this folder; safe for several processes at once.

    folder: made, for this user alone, if it is not there.
    mirrors: what was asked instead of the services; answers are found only under the mirrors under which they were stored.
    now: seconds since the epoch. most_bytes: size of the file, beyond which outdated answers go first, then the oldest.
    refresh: find nothing that was stored before now; what is asked again replaces it.

    For one thread of one process; `close` it. Nothing raises for what happens to the file: if it cannot be used, nothing is
    found, nothing is kept, and `problem` says why.
    """

    def __init__(
        self,
        folder: Path,
        mirrors: str = "",
        *,
        now: Callable[[], float] = time.time,
        refresh: bool = False,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._now = now
        self._oldest = now() if refresh else float("-inf")
        self._digest = hashlib.blake2b(_write([FORMAT, mirrors]).encode(), digest_size=16)
        self._file = AnswerFile(folder, most_bytes, now)

    @property
    def problem(self) -> str:
        """What the user should hear of: why nothing is kept, or that a broken file was set aside; empty if all is well."""
        return self._file.problem

    @property
    def is_used(self) -> bool:
        """Whether anything can be found and kept."""
        return self._file.is_used

    def close(self) -> None:
        """Let go of the file; nothing is found or kept from then on. All that was put is in it already."""
        self._file.close()

    def get_many(self, source: str, version: int, questions: Iterable[Question]) -> dict[Question, Asked]:
        """What this source (its name and version) answered before, as far as it still holds, in the order of the questions."""
        keys = {question: self._key(source, version, question) for question in questions}
        now = self._now()
        # A clock that was wrong by years must not keep an answer for years; a day is the clock of another machine.
        valid = {
            row.key: row.body
            for row in self._file.read(list(keys.values()))
            if self._oldest <= row.stored <= now + _DAY and now < row.until <= row.stored + _FOUND
        }
        stored = {}
        for question, key in keys.items():
            asked = _decoded(valid.get(key))
            # The key is only a digest.
            if asked is not None and asked.question == question and asked.source == source:
                stored[question] = asked
        return stored

    def put_many(self, version: int, answers: Iterable[Asked]) -> None:
        """Keep these answers of this version of their source, as they are, for `lifetime`; outages are left out.

        They are kept when this returns: a process that is killed then loses none. They should come from the services just
        now, since their age counts from here.
        """
        now = self._now()
        rows = []
        for asked in answers:
            seconds = lifetime(asked)
            body = _encoded(asked) if seconds > 0 else None
            if body is not None:
                rows.append(Row(self._key(asked.source, version, asked.question), now, now + seconds, body))
        self._file.write(rows)

    def statistics(self) -> CacheStatistics:
        """What is stored, of all versions and mirrors."""
        return CacheStatistics(*self._file.size())

    def last_answers(self) -> dict[str, float]:
        """When each source last answered a question (seconds since the epoch), by name; of all versions and mirrors."""
        latest: dict[str, float] = {}
        for stored, beginning in self._file.beginnings(_LONGEST_BEGINNING):
            named = _SOURCE.match(beginning)
            if named is not None:
                name = named[1].decode()
                latest[name] = max(stored, latest.get(name, stored))
        return latest

    def clear(self) -> None:
        """Remove all that is stored, of all versions and mirrors."""
        self._file.clear()

    def _key(self, source: str, version: int, question: Question) -> bytes:
        digest = self._digest.copy()
        parts = [source, version, question.kind, question.value, question.authors, question.year]
        digest.update(_write(parts).encode())
        return digest.digest()


def lifetime(asked: Asked) -> float:
    """How long the answer holds, in seconds; 0 for an outage, which is no answer.

    A record hardly changes. What is not there yet may be there tomorrow: an absence, and in other words a search that did
    not find the title. Works of some authors or of a volume are searched to see what is not among them.
    """
    answer = asked.answer
    if isinstance(answer, Unavailable):
        return 0.0
    if not isinstance(answer, Found) or not answer.records:
        return _NOT_FOUND
    question = asked.question
    if question.kind not in _SEARCHES:
        return _FOUND
    titled = question.kind == "title" and any(_has_title(record, question.value) for record in answer.records)
    return _FOUND if titled else _NOT_FOUND


def _has_title(record: Record, title: str) -> bool:
    comparison = compare_titles(title, record.title, record.subtitle, record.other_titles)
    return comparison.relation in ("same", "short")


def _encoded(asked: Asked) -> bytes | None:
    try:
        return encode(asked)
    except TypeError:
        return None  # a source from elsewhere put in what the model does not know


def _decoded(body: bytes | None) -> Asked | None:
    try:
        return None if body is None else decode(body)
    except AnswerJsonError:
        return None
