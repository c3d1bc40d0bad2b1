"""What the services answered in earlier runs, so that a run over an unchanged bibliography asks nothing.

An answer is kept by the question, not by the request: forty DOIs that were asked in one batch are found again alone, or in
other batches. How long it holds depends on what it says (`lifetime`). It is found only by the same logic that read it
(`logic_stamp`): a source that reads better must not be held back by what an earlier version of it read.
"""

from __future__ import annotations

import functools
import hashlib
import json
import time
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from pytest_citecheck import __version__
from pytest_citecheck.model import Asked, Found, Question, Record, Unavailable
from pytest_citecheck.titles.comparison import compare_titles
from pytest_citecheck.transport.cache.answer_file import AnswerFile, Row
from pytest_citecheck.transport.cache.answer_json import AnswerJsonError, decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from importlib.resources.abc import Traversable
    from pathlib import Path

__all__ = ["MOST_BYTES", "AnswerCache", "CacheStatistics", "lifetime", "logic_stamp"]

MOST_BYTES = 200_000_000
"""The size that the cache keeps to, if not told another: some 100,000 answers."""

_write = json.JSONEncoder(separators=(",", ":")).encode

_DAY = 86_400.0
_FOUND = 30 * _DAY
_NOT_FOUND = _DAY
_SEARCHES = frozenset({"title", "author_search", "venue_year"})

# What decides how a question is asked, how its answer is read, and what a stored answer means.
_LOGIC = ("model.py", "matching", "sources", "transport/cache/answer_json.py")


@dataclass(frozen=True, slots=True)
class CacheStatistics:
    """How many answers are stored, those that hold no longer among them, and how many bytes they take on the disk."""

    rows: int
    bytes: int


class AnswerCache:
    """The answers that are stored in this folder under this stamp; safe for several processes at once.

    folder: made, for this user alone, if it is not there.
    stamp: answers are found only under the stamp under which they were stored: `logic_stamp`, and whatever else they
        depend on (a mirror that was asked instead of the service).
    now: seconds since the epoch. most_bytes: size of the file, beyond which outdated answers go first, then the oldest.
    refresh: find nothing that was stored before now; what is asked again replaces it.

    For one thread of one process; `close` it. Nothing raises for what happens to the file: if it cannot be used, nothing is
    found, nothing is kept, and `problem` says why.
    """

    def __init__(
        self,
        folder: Path,
        stamp: str,
        *,
        now: Callable[[], float] = time.time,
        refresh: bool = False,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._now = now
        self._oldest = now() if refresh else float("-inf")
        self._stamp = hashlib.blake2b(_write(stamp).encode(), digest_size=16)
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

    def get_many(self, source: str, questions: Iterable[Question]) -> dict[Question, Asked]:
        """What this source (its name) answered to these questions before, as far as it still holds, in their order."""
        keys = {question: self._key(source, question) for question in questions}
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

    def put_many(self, answers: Iterable[Asked]) -> None:
        """Keep these answers, as they are, for `lifetime`; outages are left out.

        They are kept when this returns: a process that is killed then loses none. They should come from the services just
        now, since their age counts from here.
        """
        now = self._now()
        rows = []
        for asked in answers:
            seconds = lifetime(asked)
            body = _encoded(asked) if seconds > 0 else None
            if body is not None:
                rows.append(Row(self._key(asked.source, asked.question), now, now + seconds, body))
        self._file.write(rows)

    def statistics(self) -> CacheStatistics:
        """What is stored, under all stamps."""
        return CacheStatistics(*self._file.size())

    def clear(self) -> None:
        """Remove all that is stored, under all stamps."""
        self._file.clear()

    def _key(self, source: str, question: Question) -> bytes:
        digest = self._stamp.copy()
        parts = [source, question.kind, question.value, question.authors, question.year]
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


@functools.cache
def logic_stamp() -> str:
    """A digest of the code that asks and reads, so that an answer is only found by the logic that it was read with.

    Where the package holds no source code, its version has to do.
    """
    digest = hashlib.blake2b(__version__.encode(), digest_size=16)
    root = files("pytest_citecheck")
    for name in _LOGIC:
        for module in _modules(root.joinpath(name)):
            code = module.read_bytes()
            digest.update(f"\n{name}/{module.name} {len(code)}\n".encode())
            digest.update(code)
    return digest.hexdigest()


def _modules(place: Traversable) -> list[Traversable]:
    if place.is_dir():
        return sorted((part for part in place.iterdir() if part.name.endswith(".py")), key=lambda part: part.name)
    return [place] if place.is_file() else []


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
