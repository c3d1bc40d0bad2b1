"""Answers as JSON for the cache, written and read by the type hints of the model: defaults are left out."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from pytest_citecheck.model import Absent, Found, Notice, Person, Query, QueryResult, Record, Unavailable
from pytest_citecheck.sources import within_lengths

_Read = Callable[[Any], Any]
_MODEL = frozenset({QueryResult, Query, Found, Absent, Unavailable, Record, Person, Notice})
_ANSWERS: Mapping[str, type] = {"found": Found, "absent": Absent, "unavailable": Unavailable}


class AnswerJsonError(ValueError):
    """These bytes are not an answer as `encode` writes it."""


@cache
def _defaults(kind: type) -> tuple[tuple[str, object], ...]:
    return tuple((part.name, part.default) for part in dataclasses.fields(kind))


def _plain(value: object) -> dict[str, object]:
    kind: Any = type(value)
    if kind not in _MODEL:
        raise TypeError(f"{kind.__name__} is not part of an answer")
    plain = {"is": kind.__name__.lower()} if kind in _ANSWERS.values() else {}
    return plain | {name: part for name, default in _defaults(kind) if (part := getattr(value, name)) != default}


_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain).encode


def encode(asked: QueryResult) -> bytes:
    """The line of evidence as UTF-8 JSON. Raises TypeError for a value that does not match the model."""
    # Half a surrogate pair is not valid text, but a service may send one, and it must be restored unchanged.
    return _write(asked).encode("utf-8", "surrogatepass")


def decode(data: bytes) -> QueryResult:
    """The line of evidence that `encode` wrote; equal to it in every field.

    Raises AnswerJsonError for anything else, be it cut off, changed or of another version of the model.
    """
    try:
        result: QueryResult = _reader(QueryResult)(json.loads(data.decode("utf-8", "surrogatepass")))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, MemoryError) as error:
        raise AnswerJsonError(f"not a cached answer ({type(error).__name__}: {error})") from error
    return result


@cache
def _reader(hint: Any) -> _Read:
    """The function that reads a JSON value of this type, and raises TypeError or ValueError for any other value."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple and parts[1:] == (...,):
        return partial(_many, _reader(parts[0]))
    if origin is tuple:
        return partial(_few, [_reader(part) for part in parts])
    if origin is types.UnionType:
        return _answer if parts[0] is Found else _reader(parts[0])  # None is always a default
    if dataclasses.is_dataclass(hint):
        hints = typing.get_type_hints(hint)
        return partial(_object, hint, {part.name: _reader(hints[part.name]) for part in dataclasses.fields(hint)})
    return partial(_scalar, str if origin is typing.Literal else hint)


def _scalar(kind: Any, value: Any) -> Any:
    if type(value) is not kind or (kind is float and not 0 <= value <= 1):  # all of them are shares
        raise TypeError(f"no {kind.__name__}")
    return value


def _many(read: _Read, values: Any) -> tuple[Any, ...]:
    if type(values) is not list:
        raise TypeError("no list")
    return tuple([read(value) for value in values])


def _few(readers: list[_Read], values: Any) -> tuple[Any, ...]:
    if type(values) is not list:
        raise TypeError("no list")
    return tuple([read(value) for read, value in zip(readers, values, strict=True)])


def _object(kind: Any, readers: Mapping[str, _Read], values: Any) -> Any:
    return kind(**{name: readers[name](value) for name, value in values.items()})


def _answer(values: Any) -> Any:
    answer = _reader(_ANSWERS[values.pop("is")])(values)
    if within_lengths(answer) is not answer:
        raise ValueError("a record longer than any that is kept")
    return answer
