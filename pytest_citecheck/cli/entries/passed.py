"""Which entries have passed, and on which recorded answers: what a hook need not look at again.

An entry is known by its content (`content_hash`), so that it may be moved; what it passed on by its answers. Only cassettes that
have changed since are read. Another version of this package, or other settings, make everything unknown.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from pytest_citecheck.model import Asked, Unavailable
from pytest_citecheck.whole_file import write_whole

__all__ = ["Passed", "answers_of", "unanswered_of"]

_FORMAT = 2


def answers_of(asked: Iterable[Asked]) -> dict[str, list[str]]:
    """The answers that these lines of evidence are from, by source: short names of request and date."""
    found: dict[str, set[str]] = {}
    for one in asked:
        if not isinstance(one.answer, Unavailable):
            found.setdefault(one.source, set()).add(_name(one.endpoint, one.date[:10]))
    return {source: sorted(names) for source, names in sorted(found.items())}


def unanswered_of(asked: Iterable[Asked]) -> list[str]:
    """The sources that gave no answer: an entry that passed without them is looked at again when one is recorded."""
    return sorted({one.source for one in asked if isinstance(one.answer, Unavailable)})


class Passed:
    """A file of what has passed. A file that cannot be read, or is of another stamp, holds nothing.

    stamp: the version and the settings. cassettes, cache: the folders of recorded and of cached answers, if there are any.
    """

    def __init__(self, path: Path | None, stamp: str, cassettes: Path | None, cache: Path | None = None) -> None:
        self._path, self._stamp, self._cassettes, self._cache = path, stamp, cassettes, cache
        self._is_as_cached = False
        self._entries: dict[str, dict[str, Any]] = {}
        self._files: dict[str, str] = {}
        self._now: dict[str, str] = {}
        self._recorded: dict[str, frozenset[str]] = {}
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError, KeyError):
            known = json.loads(path.read_bytes()) if path is not None else {}
            if known.get("format") == _FORMAT and known["stamp"] == stamp:
                self._entries, self._files = dict(known["entries"]), dict(known["files"])
                self._is_as_cached = known["cache"] == self._cached()

    def holds(self, name: str, oldest: str) -> bool:
        """Whether the entry of this content passed on answers that are still recorded, none from before the day ``oldest``.

        An entry that was left open holds until something new is recorded or cached.
        """
        entry = self._entries.get(name)
        if entry is None:
            return False
        try:
            if str(entry["date"]) < oldest:
                return False
            if "open" in entry and not self._is_as_cached:
                return False
            if any(self._hash(source) != known for source, known in entry.get("open", {}).items()):
                return False
            answers: Mapping[str, list[str]] = entry["answers"]
            return all(self._still(source, names) for source, names in answers.items())
        except (KeyError, TypeError, AttributeError):
            return False

    def is_open(self, name: str) -> bool:
        """Whether the entry of this content could not be decided for want of evidence."""
        return "open" in self._entries.get(name, {})

    def add(
        self, name: str, answers: Mapping[str, list[str]], date: str, unanswered: Iterable[str] | None = None
    ) -> None:
        """Note that an entry has passed. date: of its oldest answer. unanswered: the sources that an open entry waits for."""
        open_ = None if unanswered is None else {source: self._hash(source) for source in unanswered}
        self._entries[name] = {"answers": dict(answers), "date": date, **({} if open_ is None else {"open": open_})}

    def save(self, kept: Collection[str]) -> None:
        """Write what is known of these entries and of none else. What cannot be written is looked at again next time."""
        if self._path is None:
            return
        entries = {name: self._entries[name] for name in sorted(kept) if name in self._entries}
        files = {
            source: self._hash(source) for source in {one for entry in entries.values() for one in entry["answers"]}
        }
        content = {
            "format": _FORMAT,
            "stamp": self._stamp,
            "cache": self._cached(),
            "files": dict(sorted(files.items())),
            "entries": entries,
        }
        with contextlib.suppress(OSError):
            write_whole(self._path, json.dumps(content, separators=(",", ":")))

    def _cached(self) -> list[list[str | int]]:
        """What changes when an answer is cached: sizes and times of the files."""
        if self._cache is None:
            return []
        with contextlib.suppress(OSError):
            statuses = [(path.name, path.stat()) for path in sorted(self._cache.glob("answers*"))]
            return [
                [name, status.st_size, status.st_mtime_ns]
                for name, status in statuses
                if status.st_size and not name.endswith("-shm")
            ]
        return []

    def _still(self, source: str, names: Collection[str]) -> bool:
        """Whether the cassette of a source still holds these answers."""
        if self._hash(source) == self._files.get(source):
            return True
        if source not in self._recorded:
            self._recorded[source] = frozenset(_recorded(self._path_of(source)))
        return self._recorded[source].issuperset(names)

    def _hash(self, source: str) -> str:
        if source not in self._now:
            path = self._path_of(source)
            try:
                self._now[source] = hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest() if path else ""
            except OSError:
                self._now[source] = ""
        return self._now[source]

    def _path_of(self, source: str) -> Path | None:
        return self._cassettes / f"{source}.json" if self._cassettes is not None else None


def _recorded(path: Path | None) -> Iterable[str]:
    """The names of the answers in a cassette; none if it cannot be read as one."""
    names: list[str] = []
    if path is not None:
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError, KeyError, IndexError):
            for one in json.loads(path.read_bytes())["interactions"]:
                headers = {name.lower(): value for name, value in one["response"]["headers"].items()}
                value = headers.get("date", "")
                names.append(_name(one["request"]["uri"], _day(value if isinstance(value, str) else value[0])))
    return names


def _day(text: str) -> str:
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - needed only where a cassette has changed

    parse: Callable[[str], datetime.datetime] = parsedate_to_datetime
    return parse(text).date().isoformat() if text else ""


def _name(endpoint: str, day: str) -> str:
    return hashlib.blake2b(f"{endpoint}\0{day}".encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
