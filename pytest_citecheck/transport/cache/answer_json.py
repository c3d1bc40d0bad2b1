"""One line of evidence as compact JSON and back, exactly.

Plain JSON and nothing else: what is read again later may have been changed by somebody, and must never be able to run
code, as a pickle can. Fields that have their default are left out. Every value is checked for its type when it is read,
so what is not an answer of this very form is an error, never a wrong answer.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any

from pytest_citecheck.model import Absent, Asked, Found, Notice, Person, Question, Record, Unavailable
from pytest_citecheck.services.parsing.record_lengths import within_lengths

__all__ = ["AnswerJsonError", "decode", "encode"]

_Read = Callable[[Any], Any]
_Parts = Mapping[str, _Read]


class AnswerJsonError(ValueError):
    """These bytes are not an answer as `encode` writes it."""


# Taken from the model itself, so that a new field is written without a word here; then reading it fails in the tests
# until it is named below.
_FIELDS: dict[type, tuple[tuple[str, object], ...]] = {
    kind: tuple((part.name, part.default) for part in dataclasses.fields(kind))
    for kind in (Asked, Question, Found, Absent, Unavailable, Record, Person, Notice)
}
_WORDS: dict[type, str] = {Found: "found", Absent: "absent", Unavailable: "unavailable"}


def _plain(value: object) -> dict[str, object]:
    kind = type(value)
    if kind not in _FIELDS:
        raise TypeError(f"{kind.__name__} is not part of an answer")
    plain = {} if kind not in _WORDS else {"is": _WORDS[kind]}
    return plain | {name: part for name, default in _FIELDS[kind] if (part := getattr(value, name)) != default}


_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain).encode


def encode(asked: Asked) -> bytes:
    """The line of evidence as UTF-8 JSON. Raises TypeError for one that holds something else than the model says."""
    # Half a surrogate pair is no text, but a service may send one, and it has to come back as it was.
    return _write(asked).encode("utf-8", "surrogatepass")


def _text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError("no text")
    return value


def _number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("no whole number")
    return value


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise TypeError("neither true nor false")
    return value


def _many(read: _Read) -> _Read:
    def read_all(values: Any) -> tuple[Any, ...]:
        if type(values) is not list:
            raise TypeError("no list")
        return tuple([read(value) for value in values])

    return read_all


def _pair(value: Any) -> tuple[str, str]:
    if type(value) is not list:
        raise TypeError("no list")
    first, second = value
    return _text(first), _text(second)


def _read(parts: _Parts, values: Any) -> dict[str, Any]:
    return {name: parts[name](value) for name, value in values.items()}


_PERSON: _Parts = {
    "literal": _text,
    "family": _text,
    "given": _text,
    "particle": _text,
    "suffix": _text,
    "group": _flag,
}
_NOTICE: _Parts = {"kind": _text, "stated_by": _text, "date": _text, "doi": _text}
_QUESTION: _Parts = {"kind": _text, "value": _text, "authors": _many(_text), "year": _number, "title": _text}


def _person(values: Any) -> Person:
    return Person(**_read(_PERSON, values))


def _notice(values: Any) -> Notice:
    return Notice(**_read(_NOTICE, values))


def _question(values: Any) -> Question:
    return Question(**_read(_QUESTION, values))


_RECORD: _Parts = {
    "source": _text,
    "id": _text,
    "url": _text,
    "title": _text,
    "subtitle": _text,
    "other_titles": _many(_text),
    "authors": _many(_person),
    "authors_complete": _flag,
    "editors": _many(_person),
    "years": _many(_number),
    "venues": _many(_text),
    "type": _text,
    "publisher": _text,
    "doi": _text,
    "arxiv": _text,
    "pmid": _text,
    "volume": _text,
    "number": _text,
    "pages": _text,
    "isbn": _many(_text),
    "issn": _many(_text),
    "agency": _text,
    "version": _number,
    "related": _many(_pair),
    "notices": _many(_notice),
    "compiled": _flag,
}


def _record(values: Any) -> Record:
    return Record(**_read(_RECORD, values))


_ANSWERS: dict[str, tuple[Callable[..., Found | Absent | Unavailable], _Parts]] = {
    "found": (Found, {"records": _many(_record), "scope": _text}),
    "absent": (Absent, {"scope": _text}),
    "unavailable": (Unavailable, {"reason": _text, "detail": _text}),
}


def _answer(values: Any) -> Found | Absent | Unavailable:
    make, parts = _ANSWERS[values.pop("is")]
    answer = make(**_read(parts, values))
    if within_lengths(answer) is not answer:
        raise ValueError("a record longer than any that is kept")
    return answer


_ASKED: _Parts = {
    "source": _text,
    "question": _question,
    "answer": _answer,
    "endpoint": _text,
    "date": _text,
    "compiled": _flag,
}


def decode(data: bytes) -> Asked:
    """The line of evidence that `encode` wrote; equal to it in every field.

    Raises AnswerJsonError for anything else, be it cut off, changed or of another version of the model.
    """
    try:
        return Asked(**_read(_ASKED, json.loads(data.decode("utf-8", "surrogatepass"))))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, MemoryError) as error:
        raise AnswerJsonError(f"not a stored answer ({type(error).__name__}: {error})") from error
