"""Readable ids for the parameters of tests, in place of pytest's numbers."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path

from pytest_citecheck.model import Found, Person, QueryResult, Record, Reference

_LONGEST = 48
_HEAD, _TAIL = 28, 16
_USUAL = {"Notes on the analysis of difference engines", "Ada Lovelace and Alan Turing", "Ada Lovelace, Alan Turing"}
"""Values that most references and records of the tests have: they tell no two cases apart."""


def readable_id(value: object) -> str | None:
    """The id of a parameter of at most 48 characters, the same in every process; None: pytest's own will do."""
    if value is None or isinstance(value, (bool, int, float, complex)):
        return None
    words = list(_words(value))
    plain = " ".join(" ".join(map(_shortened, words)).split()).replace("::", ":")
    text = "".join(sign if " " <= sign <= "~" else sign.encode("unicode_escape").decode("ascii") for sign in plain)
    if not text:
        return "none" if words and not isinstance(value, str) else None
    return text if len(text) <= _LONGEST else f"{text[:_HEAD]} .. {text[-_TAIL:]}"


def _shortened(word: str) -> str:
    """Both ends of a long word: the rest appears in no id, and some are a million characters long."""
    return word if len(word) <= 4 * _LONGEST else f"{word[: 2 * _LONGEST]}{word[-2 * _LONGEST :]}"


def _words(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case bytes():
            try:
                yield value.decode("utf-8")
            except UnicodeDecodeError:  # compressed, say, and different each time
                yield f"{len(value)} bytes"
        case Path():
            yield value.name
        case Person():
            yield value.literal or " ".join(filter(None, (value.given, value.particle, value.family, value.suffix)))
        case Reference():
            yield value.type
            yield from _words({name: text for name, text in value.fields.items() if text not in _USUAL})
        case Record():
            yield value.source
            people = " ".join(_words(value.authors))
            stated = (value.title, people, *value.years, *value.venues)
            yield from (word for item in stated for word in _words(item) if word not in _USUAL)
        case QueryResult(answer=Found(records)) if records:
            yield from (value.query.kind, *_words(records))
        case QueryResult():
            yield f"{value.source} {value.query.kind}: {type(value.answer).__name__.lower()}"
        case Mapping():
            yield ", ".join(f"{key}={' '.join(_words(item))}" for key, item in value.items())
        case AbstractSet():
            yield ", ".join(sorted(" ".join(_words(item)) for item in value))
        case list() | tuple():
            yield ", ".join(" ".join(_words(item)) for item in value)
        case BaseException():
            yield type(value).__name__
        case type() | None | bool() | int() | float():
            yield getattr(value, "__name__", str(value))
        case datetime.timedelta():
            yield str(value)
        case _ if dataclasses.is_dataclass(value):
            held = (getattr(value, field.name) for field in dataclasses.fields(value) if field.repr)
            yield " ".join(word for item in held if item not in ((), "", None, {}) for word in _words(item))
        case _ if callable(value) and not (name := str(getattr(value, "__name__", "<"))).startswith("<"):
            yield name
